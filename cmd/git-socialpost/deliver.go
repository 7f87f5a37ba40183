package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/git-socialpost/git-socialpost/ledger"
)

func (t *tool) deliverCommand() *cli.Command {
	return &cli.Command{
		Name:      "deliver",
		Usage:     "post what is due, each delivery at most once",
		ArgsUsage: "[KEY...]",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "plan", Usage: "send only what the saved plan in `FILE` says, if text and ledger still fit"},
			&cli.BoolFlag{Name: "dry-run", Usage: "do everything but push and post", DisableDefaultText: true},
			&cli.IntFlag{Name: "limit", Usage: "refuse the run if more than `N` deliveries are due", DefaultText: "the configuration's"},
			&cli.BoolFlag{Name: "any-revision", Usage: "deliver a revision that is not on the remote's branch", DisableDefaultText: true},
			&cli.BoolFlag{Name: "json", Usage: "print the result as JSON", DisableDefaultText: true},
			&cli.StringFlag{Name: "recovery", Usage: "keep recovery records in `DIR` (default: socialpost/recovery in the git directory)"},
		},
		Action: t.deliver,
	}
}

// run is one call of deliver.
type run struct {
	*tool
	plan     *plan
	dry      bool
	recovery string // folder
	clients  map[string]client
	contest  []*delivery // another runner was faster
	fresh    bool        // nothing has happened since the ledger was fetched
	left     unfinished
}

func (t *tool) deliver(c *cli.Context) error {
	if c.IsSet("limit") && c.Int("limit") < 1 {
		return usagef("--limit must be at least 1")
	}
	keys, err := t.parseKeys(c)
	if err != nil {
		return err
	}
	defer t.close()
	t.summarize("deliver")
	src, err := t.prepare(c)
	if err != nil {
		return err
	}
	p, err := t.makePlan(src)
	if err != nil {
		return err
	}
	if err := checkFolder(c.String("recovery")); err != nil {
		return err
	}
	r := &run{tool: t, plan: p, dry: c.Bool("dry-run"), recovery: c.String("recovery"), clients: map[string]client{}, fresh: true}
	chosen, err := r.choose(c.Context, keys)
	if err != nil {
		return err
	}
	if err := r.fitsSavedPlan(c.Context, c.String("plan"), chosen); err != nil {
		return err
	}
	if err := r.guardFlood(c.Int("limit"), chosen); err != nil {
		return err
	}
	r.sendAll(c.Context, chosen)
	if len(keys) == 0 {
		r.left.fail(t.complain(src))
	}
	return r.answer(c.Context, chosen, c.Bool("json"), len(keys) > 0)
}

// prepare reads the posts of HEAD, fetches the ledger, and checks that HEAD may be posted from.
func (t *tool) prepare(c *cli.Context) (*source, error) {
	ctx := c.Context
	src, err := t.readHead(ctx)
	if err != nil {
		return nil, err
	}
	t.warnOfExpiry()
	t.remarkOnStandIn()
	t.ledger.Deep = c.IsSet("plan")
	if !c.Bool("any-revision") {
		t.ledger.Branch = t.cfg.Branch
	}
	if err := t.fetch(ctx); err != nil || t.ledger.Branch == "" {
		return src, err
	}
	on, err := t.ledger.OnBranch(ctx, src.revision)
	if err == nil && !on {
		hints := []string{"push or merge it first; --any-revision delivers it all the same"}
		if t.repo.Shallow {
			hints = append(hints, "this clone is shallow, and may only lack the commits between; to let it look: git fetch --unshallow")
		}
		err = hinted(fmt.Errorf("commit %.12s is not on branch %q of %q, so its texts are not approved", src.revision, t.cfg.Branch, t.cfg.Remote), hints...)
	}
	return src, err
}

// choose returns the deliveries that this run is about: all, or those named.
func (r *run) choose(ctx context.Context, keys []string) ([]*delivery, error) {
	if len(keys) == 0 {
		return r.plan.Deliveries, nil
	}
	for _, key := range keys {
		if slices.ContainsFunc(r.plan.Deliveries, func(d *delivery) bool { return d.name() == key }) {
			continue
		}
		d, err := r.withoutFile(key)
		if err != nil {
			return nil, err
		}
		if d == nil {
			return nil, r.noPost(ctx, key)
		}
		r.plan.Deliveries = append(r.plan.Deliveries, d)
	}
	return slices.DeleteFunc(slices.Clone(r.plan.Deliveries), func(d *delivery) bool { return !slices.Contains(keys, d.name()) }), nil
}

// withoutFile answers for a key that has no file any more, but a record.
func (r *run) withoutFile(key string) (*delivery, error) {
	k, err := ledger.ParseKey(key)
	if err != nil {
		return nil, err
	}
	rec, err := r.ledger.Record(k)
	if err != nil || rec == nil || rec.State == ledger.Released {
		return nil, err
	}
	return fileless(rec), nil
}

func (r *run) noPost(ctx context.Context, key string) error {
	var known []string
	for _, d := range r.plan.Deliveries {
		known = append(known, d.name())
	}
	lines := []string{"only committed posts count; git socialpost plan lists their keys"}
	if file := r.draft(ctx, key); file != "" {
		lines = append(lines, file+" is not committed: commit and push it")
	} else if near := nearestKey(key, known); near != "" {
		lines = append(lines, "did you mean "+near+"?")
	}
	return hinted(fmt.Errorf("%s: no post in commit %.12s has this key", key, r.plan.Revision), lines...)
}

// guardFlood refuses a run that would send more than a reader of the feed expects.
func (r *run) guardFlood(limit int, chosen []*delivery) error {
	if limit == 0 {
		limit = r.cfg.Limit
	}
	due := toSend(chosen)
	if len(due) <= limit {
		return nil
	}
	return hinted(fmt.Errorf("%d deliveries are due, and the limit is %d: nothing was sent", len(due), limit),
		"look at them: git socialpost plan",
		fmt.Sprintf("send them all: git socialpost deliver --limit %d; or name some: git socialpost deliver %s", len(due), due[0]),
		"a blog's back catalogue, which nobody shall get: git socialpost seed marks it as not to be sent")
}

// sendAll makes the deliveries that are due, one after the other. After an answer that needs a human it sends nothing
// more.
func (r *run) sendAll(ctx context.Context, chosen []*delivery) {
	for _, d := range chosen {
		if d.Decision != send {
			continue
		}
		if ctx.Err() != nil {
			r.left.fail(fmt.Errorf("stopped by a signal before %s", d.Key))
			return
		}
		if proceed := r.deliverFolded(ctx, d); !proceed {
			r.left.halted = d
			return
		}
	}
}

// deliverFolded folds the steps of a delivery in the CI's log, where --verbose shows them.
func (r *run) deliverFolded(ctx context.Context, d *delivery) (proceed bool) {
	if r.verbose {
		defer r.fold("deliver " + d.Key)()
	}
	return r.deliverOne(ctx, d)
}

// answer prints what became of every delivery, and returns what is left to be done.
func (r *run) answer(ctx context.Context, chosen []*delivery, asJSON, named bool) error {
	r.reviewContested(ctx)
	var lines []string
	for _, d := range chosen {
		if why, needed := r.account(d, named); why != "" && (needed || !r.quiet) {
			lines = append(lines, why)
		}
	}
	r.detail(fmt.Sprintf("%d deliveries that were not made", len(lines)), lines)
	r.summarizeRun(chosen)
	var err error
	shown := *r.plan
	shown.Deliveries = chosen
	switch {
	case asJSON:
		err = printJSON(r.stdout, &shown)
	case r.dry:
		err = shown.print(r.bare())
	default:
		shown.printDelivered(r.stdout)
	}
	return errors.Join(err, r.left.err())
}

// printDelivered is the answer for a key: where it can be seen, the first time and every time after.
func (p *plan) printDelivered(w io.Writer) {
	for _, d := range p.Deliveries {
		if d.Decision == delivered {
			fmt.Fprintf(w, "%s %s %s\n", d.Key, *d.Post, *d.URL)
		}
	}
}

// account returns why a delivery was not made, and counts it if it needs somebody.
func (r *run) account(d *delivery, named bool) (why string, needed bool) {
	name := d.name()
	if d.Decision == send && !d.tried {
		d.Reason = "not sent in this run; the next one may"
		r.left.failed = append(r.left.failed, name)
		needed = true
	}
	switch {
	case d.Decision == invalid && named:
		r.printProblems("error", d.post.Problems)
	case d.tried, d.Decision == open, d.Decision == abandoned && !named, d.Decision == invalid, d.asDelivered():
	default:
		why = name + ": " + oneLine(d.said())
	}
	switch d.Decision {
	case open:
		if !slices.Contains(r.left.refused, d) {
			r.left.open = append(r.left.open, d)
		}
	case held, blocked, scheduled, abandoned, invalid:
		if named {
			r.left.failed = append(r.left.failed, name)
			needed = true
		}
	}
	return why, needed
}

// patience is how long a run waits, at its end, for runners that were faster and are at work still.
const patience = 10 * time.Second

// reviewContested looks once more at what another runner was faster with, until it is done there.
func (r *run) reviewContested(ctx context.Context) {
	patient, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	for len(r.contest) > 0 {
		if err := r.ledger.Fetch(ctx); err != nil {
			r.left.fail(err)
			return
		}
		waiting := false
		for _, d := range r.contest {
			now, err := r.decideAbout(d.post)
			if err != nil {
				r.left.fail(err)
				return
			}
			*d = *now
			waiting = waiting || d.record != nil && d.record.State == ledger.Intended && r.now().Sub(d.record.IntendedAt) < maxAge
		}
		if !waiting || !rest(patient, time.Second) {
			return
		}
	}
}

// rest reports whether there was time for it.
func rest(ctx context.Context, d time.Duration) bool {
	select {
	case <-ctx.Done():
		return false
	case <-time.After(d):
		return true
	}
}
