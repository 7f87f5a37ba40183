package ledger

import (
	"errors"
	"fmt"
)

// ErrAbsent says that the remote has no ledger at all. A fork looks like this, too.
var ErrAbsent = errors.New("the remote has no ledger (refs/social/ledger/*)")

// DamageError says that the ledger on the remote is not what it must be. Nothing may be decided from it.
type DamageError struct {
	Shard  string // "" if no single one is to blame
	Commit string // the first bad commit, if one is known
	Reason string
	Remedy []string // the words of the git command that mends it, if there is one
	Err    error
}

func (e *DamageError) Error() string {
	s := "the ledger"
	if e.Shard != "" {
		s = "ledger shard " + e.Shard
	}
	if e.Commit != "" {
		s += fmt.Sprintf(" (commit %.12s)", e.Commit)
	}
	if e.Reason != "" {
		s += " " + e.Reason
	}
	if e.Err != nil {
		s += ": " + e.Err.Error()
	}
	return s
}

func (e *DamageError) Unwrap() error { return e.Err }

// UnreachableError says that the remote could not be read or written.
type UnreachableError struct {
	Remote string
	Err    error
}

func (e *UnreachableError) Error() string {
	return fmt.Sprintf("the ledger on %q cannot be reached: %v", e.Remote, e.Err)
}

func (e *UnreachableError) Unwrap() error { return e.Err }

// RemoteError says that git knows no remote of that name.
type RemoteError struct {
	Remote string
	Err    error
}

func (e *RemoteError) Error() string { return fmt.Sprintf("remote %q: %v", e.Remote, e.Err) }

func (e *RemoteError) Unwrap() error { return e.Err }

// BranchError says that the remote, which has just been reached, does not give its branch.
type BranchError struct {
	Remote, Branch string
	Err            error
}

func (e *BranchError) Error() string {
	return fmt.Sprintf("branch %q cannot be fetched from %q: %v", e.Branch, e.Remote, e.Err)
}

// RefusedError says that the server takes no push to a shard although nobody else moves it.
type RefusedError struct {
	Ref string
	Err error // what git said
}

func (e *RefusedError) Error() string {
	return fmt.Sprintf("the server refuses every push to %s, though nobody else moves it: %v", e.Ref, e.Err)
}

func (e *RefusedError) Unwrap() error { return e.Err }
