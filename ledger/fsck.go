package ledger

import "context"

// Health is what Fsck found.
type Health struct {
	Shards, Transitions, Deliveries int
	Whole                           bool    // false: a shallow clone, in which only the newest transitions could be verified
	Problems                        []error // the first of each shard, and rollbacks
}

// Fsck fetches the ledger and verifies all of it, from the tips down to the first commit.
func (l *Ledger) Fsck(ctx context.Context) (Health, error) {
	memory, err := l.fetchTwice(ctx)
	if err != nil {
		return Health{}, err
	}
	l.walked = nil
	h := Health{Shards: len(l.tips), Whole: true}
	for _, name := range sortedKeys(l.tips) {
		if err := l.fsckShard(name, memory[name], &h); err != nil {
			h.Problems = append(h.Problems, err)
		}
	}
	if ahead := l.ahead(); ahead != nil {
		h.Problems = append(h.Problems, ahead)
	}
	if err := l.checkSignatures(ctx, l.walked); err != nil {
		h.Problems = append(h.Problems, err)
	}
	if len(h.Problems) > 0 {
		return h, nil
	}
	all, err := l.Records()
	h.Deliveries = len(all)
	return h, err
}

func (l *Ledger) fsckShard(name, remembered string, h *Health) error {
	if err := l.verifyShard(name, remembered); err != nil {
		return err
	}
	tip := l.tips[name]
	last, err := l.walk(name, tip, tip.seq+1)
	if err != nil {
		return err
	}
	h.Transitions += tip.seq
	h.Whole = h.Whole && last.id == l.Pin
	return nil
}
