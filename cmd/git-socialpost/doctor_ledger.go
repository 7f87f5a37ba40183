package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/git-socialpost/git-socialpost/ledger"
)

// checkRemote fetches the ledger and the branch, or before init whatever ledger is there. What is wrong with the ledger
// alone is for checkLedger.
func (e *exam) checkRemote(ctx context.Context) []finding {
	ctx, cancel := e.patient(ctx)
	defer cancel()
	if f := e.lockShortly(ctx); f != nil {
		e.blind["remote"] = "nothing can be fetched into this clone now"
		return []finding{*f}
	}
	err := e.fetchAll(ctx)
	if err != nil && !aboutLedger(err) {
		e.blind["remote"] = fmt.Sprintf("the remote %q cannot be read", e.cfg.Remote)
		return []finding{failed(e.namingRemotes(ctx, err))}
	}
	switch e.fetchErr = err; {
	case errors.Is(err, ledger.ErrAbsent):
		e.blind["ledger"] = "there is no ledger"
	case err != nil:
		e.blind["ledger"] = "no ledger is there that could be trusted"
	}
	return []finding{saw(fine, "%q can be read", e.cfg.Remote)}
}

// lockShortly is nil if this clone can be fetched into. Another git-socialpost at work in it is no fault.
func (e *exam) lockShortly(ctx context.Context) *finding {
	ctx, cancel := context.WithTimeoutCause(ctx, e.patience/6, fmt.Errorf("no end after %v", e.patience/6))
	defer cancel()
	err := e.lock(ctx)
	if err == nil {
		return nil
	}
	f := failed(err)
	if ctx.Err() != nil {
		f = saw(doubt, "%v", err).to("run this again when it has ended")
	}
	return &f
}

// patient bounds a check that asks the remote, however often that is.
func (e *exam) patient(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeoutCause(ctx, e.patience, fmt.Errorf("no end after %v", e.patience))
}

func (e *exam) fetchAll(ctx context.Context) error {
	if e.cfg.Ledger == "" {
		pin, err := e.ledger.Peek(ctx)
		if err == nil {
			err = unadopted{pin}
		}
		return err
	}
	e.ledger.Branch = e.cfg.Branch
	err := e.ledger.Fetch(ctx)
	if _, ok := errors.AsType[*ledger.BranchError](err); ok {
		e.branchErr = err
		e.ledger.Branch = ""
		err = e.ledger.Fetch(ctx)
	}
	return err
}

// unadopted is a ledger that the configuration does not name.
type unadopted struct{ pin string }

func (u unadopted) Error() string {
	return fmt.Sprintf("%s does not name the ledger that is there, %.12s", configFile, u.pin)
}

// aboutLedger tells errors about what was fetched from those on the way to it.
func aboutLedger(err error) bool {
	if errors.Is(err, ledger.ErrAbsent) || errors.Is(err, ledger.ErrNewer) {
		return true
	}
	_, damaged := errors.AsType[*ledger.DamageError](err)
	_, unsigned := errors.AsType[*ledger.SignatureError](err)
	_, other := errors.AsType[unadopted](err)
	return damaged || unsigned || other
}

// checkPush asks as a push begins, which tells of a token or key that may only read, and of a server without atomic pushes.
// What a server's hook says to a new ref, init alone finds out: nothing is to be stored here.
func (e *exam) checkPush(ctx context.Context) []finding {
	ctx, cancel := e.patient(ctx)
	defer cancel()
	if err := e.ledger.ProbePush(ctx); err != nil {
		return []finding{saw(wrong, "the server takes no atomic push from here: %v", err).
			to("this user must be able to push: in a workflow, permissions: { contents: write }; on the server, receive.advertiseAtomic must not be false")}
	}
	if e.fetchErr != nil {
		return []finding{saw(fine, "the server offers this user an atomic push; that it takes refs/social/, init will prove")}
	}
	return []finding{saw(fine, "the server offers this user an atomic push, and holds refs/social/")}
}

func (e *exam) checkLedger(context.Context) []finding {
	switch err := e.fetchErr; {
	case e.cfg.Ledger == "" && errors.Is(err, ledger.ErrAbsent):
		return []finding{saw(wrong, "there is none on %q yet", e.cfg.Remote).to("git socialpost init")}
	case err != nil:
		f := failed(err)
		if _, ok := errors.AsType[unadopted](err); ok {
			f = f.to("git socialpost init", commitConfig)
		}
		return []finding{f}
	}
	return []finding{saw(fine, "%.12s, as pinned; its %d shards agree; git socialpost fsck verifies it from its first commit on", e.cfg.Ledger, len(e.ledger.Tips()))}
}

// checkBranch is about what deliver demands: that the texts are on the remote's branch.
func (e *exam) checkBranch(ctx context.Context) []finding {
	name := fmt.Sprintf("%q on %q", e.cfg.Branch, e.cfg.Remote)
	if e.branchErr != nil {
		e.blind["branch"] = name + " cannot be fetched"
		return []finding{failed(e.branchErr)}
	}
	on, err := e.ledger.OnBranch(ctx, e.head)
	switch {
	case err != nil:
		e.blind["branch"] = "it is not known what is on " + name
		return []finding{failed(err)}
	case !on:
		e.blind["branch"] = "HEAD is not on " + name
		return []finding{saw(doubt, "HEAD, %.12s, is not on %s, so its texts are not approved", e.head, name).
			to("push or merge it, or deliver from a commit that is on it")}
	}
	return []finding{saw(fine, "HEAD is on %s", name)}
}
