package ledger

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"time"

	"github.com/git-socialpost/git-socialpost/gitexec"
)

const (
	maxStill  = 8 // pushes in a row that do not win a shard that does not move: a server that refuses
	maxOutage = 6 // fetches in a row that fail, about ten seconds with the pauses between
)

// Step decides, from a delivery's record as the remote has it now (nil: none), what the next one is. It returns the
// old record itself where nothing is left to do, and an error where the transition must not be made.
type Step func(old *Record) (next *Record, err error)

// Update makes one transition of one delivery on the remote: a compare-and-swap of its shard. When the push is lost,
// or nobody knows what became of it, the ledger is fetched and step decides again from what is there. It may be called
// with a transition that landed already.
func (l *Ledger) Update(ctx context.Context, k Key, step Step) (rec *Record, err error) {
	err = l.UpdateAll(ctx, []Key{k}, func(_ Key, old *Record) (next *Record, err error) {
		rec, err = step(old)
		return rec, err
	})
	if err != nil {
		return nil, err
	}
	return rec, nil
}

// UpdateAll is Update for several deliveries: all transitions land in one atomic push, or none.
func (l *Ledger) UpdateAll(ctx context.Context, keys []Key, step func(Key, *Record) (*Record, error)) error {
	if l.tips == nil {
		if err := l.fetchAgain(ctx, 0); err != nil {
			return err
		}
	}
	for round, still := 1, 0; ; round++ {
		before := l.Tips()
		grown, err := l.grow(ctx, keys, step)
		if err != nil || len(grown) == 0 {
			return err
		}
		var updates []refUpdate
		for _, name := range sortedKeys(grown) {
			updates = append(updates, refUpdate{remoteRefs + name, before[name], grown[name].id})
		}
		result, pushErr := l.push(ctx, updates)
		if result == pushWon {
			maps.Copy(l.tips, grown)
			_ = l.remember(ctx, before) // else the next fetch does it
			return nil
		}
		if err := l.fetchAgain(ctx, round); err != nil {
			return err
		}
		still++
		for name := range grown {
			if l.tips[name].id != before[name] {
				still = 0
			}
		}
		if still == maxStill {
			return &RefusedError{Ref: updates[0].ref, Err: pushErr}
		}
	}
}

// grow makes the transitions, each on top of its shard, and returns the new tips of the shards that grew.
func (l *Ledger) grow(ctx context.Context, keys []Key, step func(Key, *Record) (*Record, error)) (map[string]*commit, error) {
	grown := map[string]*commit{}
	for _, k := range keys {
		name := l.shardOf(k)
		tip := cmp.Or(grown[name], l.tips[name])
		old, err := l.recordIn(tip, k)
		if err != nil {
			return nil, inShard(name, err)
		}
		next, err := step(k, old)
		if err != nil {
			return nil, err
		}
		if next == old {
			continue
		}
		if grown[name], err = l.makeAgain(ctx, tip, k, old, next); err != nil {
			return nil, err
		}
	}
	return grown, nil
}

// fetchAgain waits a little and fetches, again and again while the remote cannot be reached.
func (l *Ledger) fetchAgain(ctx context.Context, round int) error {
	for outage := 1; ; outage++ {
		if err := pause(ctx, max(round, outage)); err != nil {
			return err
		}
		err := l.Fetch(ctx)
		if _, passing := errors.AsType[*UnreachableError](err); !passing || outage == maxOutage {
			return err
		}
	}
}

// makeAgain makes a transition, again and again while a signal ends git: one to all of a job's processes must not keep an
// outcome from being recorded.
func (l *Ledger) makeAgain(ctx context.Context, tip *commit, k Key, old, next *Record) (*commit, error) {
	for round := 1; ; round++ {
		made, err := l.transition(ctx, tip, k, old, next)
		if e, ok := errors.AsType[*gitexec.Error](err); !ok || !e.Killed() || ctx.Err() != nil || round == maxStill {
			return made, err
		}
		if err := pause(ctx, round); err != nil {
			return nil, err
		}
	}
}

// transition makes the commit that leads a delivery from old to next.
func (l *Ledger) transition(ctx context.Context, tip *commit, k Key, old, next *Record) (*commit, error) {
	next.raw = next.Encode()
	if err := checkOwn(old, next); err != nil {
		return nil, err
	}
	files, err := l.edits(tip, k, old, next)
	if err != nil {
		return nil, err
	}
	message := l.message(tip, k, next)
	id, err := l.write(ctx, tip.id, message, files)
	switch {
	case err != nil:
		return nil, err
	case l.Signing != nil:
		return l.sign(ctx, l.shardOf(k), id, tip.id, message)
	}
	return l.commit(id)
}

// checkOwn refuses to write what every reader would refuse to read.
func checkOwn(old, next *Record) error {
	stored, err := Decode(next.raw)
	if err == nil {
		err = checkStep(old, stored)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", next.Key, err)
	}
	return nil
}

func (l *Ledger) message(tip *commit, k Key, next *Record) string {
	t := trailers{pin: l.Pin, seq: tip.seq + 1, delivery: next.Key, state: next.State, attempt: next.Attempt,
		run: oneLine(next.Run), witness: l.seqs(l.shardOf(k))}
	return fmt.Sprintf("%s: %s\n\n%s\n\n%s", next.Key, next.headline(), next.story(), t)
}

// pause waits a random time, longer with every round, so that runners that collided do not collide again.
func pause(ctx context.Context, round int) error {
	limit := min(100*time.Millisecond<<min(round, 5), 2*time.Second)
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-time.After(limit/4 + rand.N(limit)):
		return nil
	}
}
