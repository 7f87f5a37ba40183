package ledger

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// CheckUpdate judges one update of a ref as the update hook of a git server is asked about it: old and new are object ids,
// all zeros for none. It lets a shard grow by legal transitions, and a new ledger, or one that is restored whole, begin.
// L needs its Repo and Objects only. The error says why not; refs outside refs/social/ are none of its business.
func (l *Ledger) CheckUpdate(ctx context.Context, ref, old, new string) error {
	if !strings.HasPrefix(ref, "refs/social/") {
		return nil
	}
	name, isShard := strings.CutPrefix(ref, remoteRefs)
	switch {
	case !isShard || !slices.Contains(names(16), name) && !slices.Contains(names(256), name):
		return errors.New("no shard of a ledger has this name")
	case isZero(new):
		return errors.New("a shard is never deleted")
	}
	if err := l.loadOwn(ctx, len(name)); err != nil {
		return err
	}
	tip, err := l.present(new)
	if err != nil {
		return err
	}
	l.Pin = cmp.Or(l.Pin, tip.pin, tip.id)
	l.tips[name], l.width = tip, len(name)
	if err := l.checkPin(name, tip); err != nil {
		return err
	}
	if isZero(old) {
		return l.checkWhole(name, tip)
	}
	return l.checkGrowth(name, tip, old)
}

// checkWhole is for a shard that begins: all of it is verified, down to the first commit.
func (l *Ledger) checkWhole(name string, tip *commit) error {
	last, err := l.walk(name, tip, tip.seq+1)
	if err == nil && last.id != l.Pin {
		err = errors.New("it does not begin with the ledger's first commit")
	}
	return err
}

// checkGrowth is for a shard that goes on.
func (l *Ledger) checkGrowth(name string, tip *commit, old string) error {
	base, err := l.present(old)
	if err != nil {
		return err
	}
	last, err := l.walk(name, tip, tip.seq-base.seq)
	switch {
	case err != nil:
		return err
	case last.id != old:
		return errors.New("a shard only grows, and this takes away what it holds")
	}
	if l.aheadOf(name, tip) != nil {
		return errors.New("it witnesses a transition of another shard that this server does not have")
	}
	return nil
}

// loadOwn takes the shards as they are in this very repository, and their pin.
func (l *Ledger) loadOwn(ctx context.Context, width int) error {
	out, err := l.Repo.Run(ctx, "for-each-ref", "--format=%(objectname) %(refname)", remoteRefs)
	if err != nil {
		return err
	}
	l.tips = map[string]*commit{}
	for line := range strings.Lines(out) {
		id, ref, _ := strings.Cut(strings.TrimSpace(line), " ")
		name := strings.TrimPrefix(ref, remoteRefs)
		if len(name) != width {
			return fmt.Errorf("there is a ledger of another size already, with shard %s", name)
		}
		tip, err := l.present(id)
		if err != nil {
			return err
		}
		l.tips[name], l.Pin = tip, cmp.Or(l.Pin, tip.pin, tip.id)
	}
	return nil
}

func isZero(id string) bool { return strings.Trim(id, "0") == "" }
