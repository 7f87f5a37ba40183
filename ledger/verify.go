package ledger

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/git-socialpost/git-socialpost/gitexec"
)

// firstFetch is how many of a shard's newest transitions are verified where this clone remembers none. Fsck verifies
// all.
const firstFetch = 1000

// verify checks what a fetch brought against the pin, this clone's memory and the shards' witnesses.
func (l *Ledger) verify(ctx context.Context, memory map[string]string) error {
	l.walked = nil
	for _, name := range sortedKeys(l.tips) {
		if err := l.verifyShard(name, memory[name]); err != nil {
			return err
		}
	}
	for name := range memory {
		if l.tips[name] == nil {
			return &DamageError{Shard: name, Reason: "is missing on the remote, and this clone has seen it"}
		}
	}
	if err := l.ahead(); err != nil {
		return err
	}
	return l.checkSignatures(ctx, l.walked)
}

// ahead finds a shard that is older than another one's last writer saw it.
func (l *Ledger) ahead() error {
	for _, name := range sortedKeys(l.tips) {
		if err := l.aheadOf(name, l.tips[name]); err != nil {
			return err
		}
	}
	return nil
}

func (l *Ledger) aheadOf(name string, tip *commit) error {
	for _, other := range sortedKeys(tip.witness) {
		seen := l.tips[other]
		if seen == nil || seen.seq < tip.witness[other] {
			return &DamageError{Shard: other, Reason: fmt.Sprintf(
				"was rolled back: shard %s witnesses its transition %d", name, tip.witness[other])}
		}
	}
	return nil
}

func (l *Ledger) verifyShard(name, remembered string) error {
	tip := l.tips[name]
	if err := l.checkPin(name, tip); err != nil {
		return err
	}
	if tip.id != remembered {
		if err := l.verifyGrowth(name, tip, remembered); err != nil {
			return err
		}
	}
	if !l.anew {
		return nil
	}
	_, err := l.walk(name, tip, firstFetch)
	return err
}

// verifyGrowth checks a tip that this clone has not seen against the one that it remembers, "" for none.
func (l *Ledger) verifyGrowth(name string, tip *commit, remembered string) error {
	var base *commit
	if remembered != "" {
		var err error
		if base, err = l.commit(remembered); err != nil {
			return err
		}
		if base == nil {
			return &DamageError{Shard: name, Reason: fmt.Sprintf("cannot be compared: this clone has lost the object %.12s, which it has seen there", remembered)}
		}
	}
	if base != nil && tip.seq <= base.seq {
		damage := &DamageError{Shard: name, Reason: fmt.Sprintf(
			"was rolled back or replaced: the remote has transition %d, this clone has seen %d", tip.seq, base.seq)}
		if l.descends(base, tip.id) == nil {
			damage.Remedy = l.giveBack(name)
		}
		return damage
	}
	limit := firstFetch
	if base != nil {
		limit = tip.seq - base.seq
	}
	last, err := l.walk(name, tip, limit)
	if err == nil && base != nil && last.id != base.id {
		err = &DamageError{Shard: name, Commit: last.id, Reason: "was replaced: it does not continue what this clone has seen"}
	}
	return err
}

// walk verifies at most so many commits from a tip down, and returns the commit below the last of them. It ends early
// at the pin, or where a shallow clone is cut off.
func (l *Ledger) walk(name string, tip *commit, limit int) (*commit, error) {
	c := tip
	for range limit {
		if c.id == l.Pin {
			return c, l.checkFirst(name, c)
		}
		parent, err := l.verifyCommit(name, c)
		if err != nil {
			return nil, &DamageError{Shard: name, Commit: c.id, Reason: "is not what this program writes", Err: err}
		}
		if l.Signing.due(name, c.seq) {
			l.walked = append(l.walked, transition{name, c})
		}
		if parent == nil {
			return c, nil
		}
		c = parent
	}
	return c, nil
}

// checkPin compares what every commit says of the ledger that it belongs to.
func (l *Ledger) checkPin(name string, c *commit) error {
	if pin := cmp.Or(c.pin, c.id); pin != l.Pin {
		return &DamageError{Shard: name, Reason: fmt.Sprintf("belongs to another ledger, %.12s, not to %.12s", pin, l.Pin)}
	}
	return nil
}

func (l *Ledger) checkFirst(name string, c *commit) error {
	if shards := 1 << (4 * l.width); c.seq != 0 || c.parent != "" || c.shards != shards {
		return &DamageError{Shard: name, Commit: c.id, Reason: fmt.Sprintf("does not begin as a ledger of %d shards does", shards)}
	}
	return nil
}

// verifyCommit checks one transition, and returns the commit before it: nil where a shallow clone is cut off.
func (l *Ledger) verifyCommit(name string, c *commit) (parent *commit, err error) {
	if c.parent == "" || c.pin != l.Pin {
		return nil, fmt.Errorf("it belongs to another ledger, %.12s", cmp.Or(c.pin, c.id))
	}
	k, err := ParseKey(c.delivery)
	if err != nil {
		return nil, err
	}
	if l.shardOf(k) != name {
		return nil, fmt.Errorf("%s does not belong into this shard", k)
	}
	if parent, err = l.commit(c.parent); err != nil {
		return nil, err
	}
	next, err := l.recordAt(c.tree+":"+l.dirOf(k, c.state), k.String())
	switch {
	case err != nil:
		return nil, err
	case next == nil || next.State != c.state || next.Attempt != c.attempt:
		return nil, errors.New("its trailers do not fit the record")
	case parent == nil && l.Repo.Shallow:
		return nil, nil
	case parent == nil:
		return nil, errShallow
	case c.seq != parent.seq+1:
		return nil, fmt.Errorf("transition %d follows transition %d", c.seq, parent.seq)
	}
	for other, seq := range parent.witness {
		if c.witness[other] < seq {
			return nil, fmt.Errorf("it witnesses less of shard %s than the transition before it", other)
		}
	}
	return parent, l.verifyChange(k, parent, c, next)
}

// verifyChange demands that a commit changed just what the transition of one delivery changes.
func (l *Ledger) verifyChange(k Key, parent, c *commit, next *Record) error {
	old, err := l.recordIn(parent, k)
	if err != nil {
		return err
	}
	if err := checkStep(old, next); err != nil {
		return err
	}
	want, err := l.edits(parent, k, old, next)
	if err != nil {
		return err
	}
	got, err := changes(l.Objects, parent.tree, c.tree, "", want)
	if err != nil {
		return err
	}
	return l.compare(c, got, want)
}

// compare checks that the files changed are the edits that were due, all of them.
func (l *Ledger) compare(c *commit, got map[string]gitexec.Entry, want map[string][]byte) error {
	for _, path := range sortedKeys(got) {
		if _, due := want[path]; !due {
			return fmt.Errorf("it touches %q, which is not this delivery's", path)
		}
		if mode := got[path].Mode; mode != "" && mode != "100644" {
			return fmt.Errorf("%q is no plain file", path)
		}
	}
	for _, path := range sortedKeys(want) {
		file, err := l.Objects.Read(c.tree + ":" + path)
		if err != nil {
			return err
		}
		content := want[path]
		if (file == nil) != (content == nil) || file != nil && file.ID != l.Repo.BlobID(content) {
			return fmt.Errorf("%q does not hold what it must", path)
		}
	}
	return nil
}
