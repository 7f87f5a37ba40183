package ledger

import (
	"cmp"
	"context"
	"errors"
	"fmt"
)

// Create makes a new ledger on the remote, all shards in one atomic push, and sets the pin. If somebody else's is
// there, it returns ErrExists and leaves it alone.
func (l *Ledger) Create(ctx context.Context, shards int) error {
	if err := l.prepare(ctx); err != nil {
		return err
	}
	message := fmt.Sprintf("Ledger of social posts\n\nShards: %d\nNonce: %s\nSeq: 0\n", shards, NewNonce())
	first, err := l.write(ctx, "", message, nil)
	if err != nil {
		return err
	}
	var updates []refUpdate
	for _, name := range names(shards) {
		updates = append(updates, refUpdate{ref: remoteRefs + name, new: first})
	}
	l.Pin = first
	result, pushErr := l.push(ctx, updates)
	if result == pushWon {
		err := l.Fetch(ctx)
		if errors.Is(err, ErrAbsent) {
			return errors.New("the ledger was created but cannot be read back: the server hides refs/social (uploadpack.hideRefs, transfer.hideRefs)")
		}
		return err
	}
	found, err := l.Peek(ctx)
	switch {
	case errors.Is(err, ErrAbsent):
		return &RefusedError{Ref: remoteRefs + "*", Err: pushErr}
	case err != nil:
		return err
	case found != first:
		return ErrExists
	}
	return l.Fetch(ctx) // the answer was lost, the push was not
}

// ErrExists says that the remote has a ledger already.
var ErrExists = errors.New("the remote has a ledger already")

// Peek fetches whatever ledger is on the remote and returns its pin, without verifying anything. With ErrAbsent there
// is none.
func (l *Ledger) Peek(ctx context.Context) (pin string, err error) {
	if err := l.prepare(ctx); err != nil {
		return "", err
	}
	if _, err := l.fetch(ctx); err != nil {
		return "", err
	}
	for _, tip := range l.tips {
		pin = cmp.Or(tip.pin, tip.id)
	}
	return pin, nil
}

// Accept is Fetch for a ledger that was restored on purpose. It is verified by itself, and only then takes the place of
// what this clone remembers.
func (l *Ledger) Accept(ctx context.Context) error {
	memory, err := l.fetchTwice(ctx)
	if err != nil {
		return err
	}
	return l.admit(ctx, nil, memory)
}
