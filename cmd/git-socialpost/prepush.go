package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/urfave/cli/v2"
)

// hookPatience is how long a push waits for another git-socialpost in the same clone before it goes on without the
// ledger.
const hookPatience = 10 * time.Second

// prePush is plan for git's pre-push hook: the remote's name and URL as arguments, a line for each ref on standard
// input. It holds up a push for one reason only, an invalid post of the configured branch.
func (t *tool) prePush(c *cli.Context) error {
	for _, name := range []string{"json", "markdown", "out", "rev", "worktree", "offline"} {
		if c.IsSet(name) {
			return usagef("--pre-push and --%s exclude each other", name)
		}
	}
	defer t.close()
	if err := t.open(c.Context); err != nil {
		return err
	}
	if branch := t.getenv("PRE_COMMIT_REMOTE_BRANCH"); branch != "" && !c.Args().Present() {
		return t.prePreCommit(c.Context, branch)
	}
	input, err := io.ReadAll(t.stdin)
	if err != nil {
		return err
	}
	for line := range strings.Lines(string(input)) {
		fields := strings.Fields(line)
		if len(fields) != 4 {
			return usagef("--pre-push wants git's lines <local ref> <local id> <remote ref> <remote id> on standard input")
		}
		commit, ref := fields[1], fields[2]
		if strings.Trim(commit, "0") == "" || !strings.HasPrefix(ref, "refs/heads/") {
			continue // a deletion, a tag
		}
		if err := t.planPushed(c.Context, commit, strings.TrimPrefix(ref, "refs/heads/")); err != nil {
			return err
		}
	}
	return nil
}

// prePreCommit is prePush for the pre-commit framework, which has read the lines itself, and tells of the first ref alone.
// The first push of a branch has no PRE_COMMIT_TO_REF.
func (t *tool) prePreCommit(ctx context.Context, ref string) error {
	branch, ok := strings.CutPrefix(ref, "refs/heads/")
	if !ok {
		return nil
	}
	commit, err := t.revision(ctx, cmp.Or(t.getenv("PRE_COMMIT_TO_REF"), t.getenv("PRE_COMMIT_LOCAL_BRANCH")))
	if err != nil {
		t.note("the pushed commit cannot be planned: %v", err)
		return nil
	}
	return t.planPushed(ctx, commit, branch)
}

func (t *tool) planPushed(ctx context.Context, commit, branch string) error {
	src, err := t.readRevision(ctx, commit)
	if err != nil {
		t.note("the pushed commit cannot be planned: %v", err)
		return nil
	}
	if branch != t.cfg.Branch {
		return nil
	}
	t.warnOfExpiry()
	if err := t.printPushed(ctx, src); err != nil {
		t.note("%v; the posts were checked, but nothing was planned", err)
	}
	if err := t.complain(src); err != nil {
		return hinted(err, "mend it as said above and commit; git push --no-verify pushes it all the same")
	}
	return nil
}

// printPushed prints the plan; from this clone's copy of the ledger, said aloud, if the remote does not answer.
func (t *tool) printPushed(ctx context.Context, src *source) error {
	ctx, cancel := context.WithTimeoutCause(ctx, hookPatience, errors.New("no answer for 10 s"))
	defer cancel()
	if err := t.look(ctx, false); err != nil {
		t.note("%v", err)
		if err := t.look(context.WithoutCancel(ctx), true); err != nil {
			return err
		}
		t.remark("this plan is from this clone's copy of the ledger")
	}
	p, err := t.makePlan(src)
	if err != nil {
		return err
	}
	return p.printUnsettled(t.bare())
}

// printUnsettled prints a plan, and counts what is settled where that is more than a push needs to hear of.
func (p *plan) printUnsettled(s *screen) error {
	const most = 5
	rest := *p
	var sent, dropped int
	rest.Deliveries = slices.DeleteFunc(slices.Clone(p.Deliveries), func(d *delivery) bool {
		switch {
		case d.asDelivered():
			sent++
		case d.Decision == abandoned:
			dropped++
		default:
			return false
		}
		return true
	})
	if sent+dropped <= most {
		return p.print(s)
	}
	if len(rest.Deliveries) > 0 {
		if err := rest.print(s); err != nil {
			return err
		}
	}
	var counts []string
	if sent > 0 {
		counts = append(counts, fmt.Sprintf("%d %s", sent, delivered))
	}
	if dropped > 0 {
		counts = append(counts, fmt.Sprintf("%d %s", dropped, abandoned))
	}
	return s.printf("%d settled: %s\n", sent+dropped, strings.Join(counts, ", "))
}
