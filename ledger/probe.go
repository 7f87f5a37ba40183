package ledger

import (
	"context"
	"fmt"
	"slices"
)

// ProbePush asks the remote's server whether it lets this user in for an atomic push, without one: nothing is sent to be
// stored, and no hook of the server's is asked. Call Fetch or Peek before it.
func (l *Ledger) ProbePush(ctx context.Context) error {
	update, err := l.probe(ctx)
	if err != nil {
		return err
	}
	args := l.pushArgs([]refUpdate{update})
	args = slices.Insert(args, slices.Index(args, "push")+1, "--dry-run")
	ctx, cancel := context.WithTimeoutCause(ctx, networkLimit, fmt.Errorf("no end after %v", networkLimit))
	defer cancel()
	out, err := l.Repo.Run(ctx, args...)
	if result, _ := judge(out, []refUpdate{update}); result == pushLost {
		return nil // by git itself here, for a shard that has moved since: the server has answered
	}
	return err
}

// probe is an update that would change nothing or, where there is no ledger, one that git can prepare in any repository:
// it knows the empty tree without having it.
func (l *Ledger) probe(ctx context.Context) (refUpdate, error) {
	for _, name := range sortedKeys(l.tips) {
		tip := l.tips[name]
		return refUpdate{remoteRefs + name, tip.id, tip.id}, nil
	}
	empty, err := l.Repo.RunInput(ctx, []byte{}, "hash-object", "-t", "tree", "--stdin")
	return refUpdate{ref: remoteRefs + names(16)[0], new: empty}, err
}
