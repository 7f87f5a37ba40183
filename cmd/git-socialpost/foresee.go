package main

import (
	"context"
	"fmt"

	"github.com/git-socialpost/git-socialpost/gitexec"
)

// foresee tells somebody who watches that deliver would refuse the plan, and why, as far as that is known here.
func (t *tool) foresee(ctx context.Context, p *plan) {
	if !t.watched || len(toSend(p.Deliveries)) == 0 {
		return
	}
	for _, refusal := range []string{p.overLimit(), t.unapproved(ctx, p.Revision)} {
		if refusal != "" {
			t.remark("%s", refusal)
		}
	}
}

// toSend returns the keys that are due.
func toSend(all []*delivery) (due []string) {
	for _, d := range all {
		if d.Decision == send {
			due = append(due, d.Key)
		}
	}
	return due
}

// overLimit says that more is due than a run may send, or "".
func (p *plan) overLimit() string {
	due := len(toSend(p.Deliveries))
	if due <= p.limit {
		return ""
	}
	return fmt.Sprintf("deliver would refuse this: %d deliveries are due, and the limit is %d; "+
		"git socialpost deliver --limit %d sends them all, git socialpost seed marks a back catalogue as not to be sent", due, p.limit, due)
}

// unapproved says that a commit is not on the remote's branch, by what this clone saw of that last, or "". The ledger's
// fetch brings no branch, and a bare clone or a draft has none to compare.
func (t *tool) unapproved(ctx context.Context, commit string) string {
	if commit == "" || t.repo.Bare {
		return ""
	}
	tracked := "refs/remotes/" + t.cfg.Remote + "/" + t.cfg.Branch
	if _, err := t.repo.Run(ctx, "rev-parse", "--verify", "--quiet", "--end-of-options", tracked); err != nil {
		return fmt.Sprintf("deliver would refuse this, unless it is only that this clone has not seen branch %q of %q: "+
			"branch in %s must name a branch that the remote has; push it first", t.cfg.Branch, t.cfg.Remote, configFile)
	}
	if _, err := t.repo.Run(ctx, "merge-base", "--is-ancestor", commit, tracked); gitexec.ExitStatus(err) != 1 {
		return ""
	}
	return fmt.Sprintf("deliver would refuse this, as far as this clone knows: commit %.12s is not on branch %q of %q; push or merge it first", commit, t.cfg.Branch, t.cfg.Remote)
}
