package main

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/git-socialpost/git-socialpost/ledger"
	"github.com/git-socialpost/git-socialpost/linkedin"
)

// aliveFor is how long the runner of an intent without an outcome may be alive and about to post. It is far longer
// than a runner waits before it gives an intent up.
const aliveFor = 15 * time.Minute

func (t *tool) resolveCommand() *cli.Command {
	return &cli.Command{
		Name:      "resolve",
		Usage:     "show the open deliveries, or settle one",
		ArgsUsage: "[KEY]",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "posted", Usage: "it was posted: the post's `URN-or-URL`"},
			&cli.BoolFlag{Name: "not-posted", Usage: "it was not posted: allow another attempt", DisableDefaultText: true},
			&cli.BoolFlag{Name: "abandon", Usage: "never send it", DisableDefaultText: true},
			&cli.StringFlag{Name: "from", Usage: "merge the recovery record in `FILE`"},
			&cli.StringFlag{Name: "reason", Usage: "`WHY`, for the ledger"},
			&cli.BoolFlag{Name: "yes", Usage: "do not ask", DisableDefaultText: true},
		},
		Action: t.resolve,
	}
}

func (t *tool) resolve(c *cli.Context) error {
	decided, err := checkResolve(c)
	if err != nil {
		return err
	}
	keys, err := t.parseKeys(c)
	if err != nil {
		return err
	}
	defer t.close()
	t.summarize("resolve")
	if err := t.openLedger(c.Context); err != nil {
		return err
	}
	if !decided {
		return t.showOpen(keys)
	}
	key, _ := ledger.ParseKey(keys[0])
	step, err := t.resolution(c, key)
	if err != nil {
		return err
	}
	before, err := t.ledger.Record(key)
	if err != nil {
		return err
	}
	if _, err := step(before); err != nil {
		return err
	}
	if !c.IsSet("from") {
		step = aboutAttempt(before, step)
	}
	urn, _ := linkedin.ParseURN(c.String("posted"))
	if at, ok := linkedin.CreatedAt(urn); ok && at.Before(before.IntendedAt.Add(-aliveFor)) {
		t.warn("that post was created %s, long before this attempt began, %s", at.UTC().Format(time.RFC3339), before.IntendedAt.Format(time.RFC3339))
	}
	if err := t.warnOfSharedPost(before, urn); err != nil {
		return err
	}
	if err := t.confirm(c, before); err != nil {
		return err
	}
	rec, err := t.ledger.Update(c.Context, key, step)
	if err != nil {
		return err
	}
	if n := len(rec.Late); c.IsSet("from") && n > 0 {
		t.shout(rec, rec.Late[n-1].Attempt)
	}
	t.summary.add(settled(rec))
	return printStatus(t.bare(), []*ledger.Record{rec})
}

// warnOfSharedPost names the delivery that has a post already. LinkedIn may take a text for a duplicate and answer with the
// first one, so it is no error.
func (t *tool) warnOfSharedPost(about *ledger.Record, urn string) error {
	if urn == "" {
		return nil
	}
	all, err := t.ledger.Records()
	if err != nil {
		return err
	}
	for _, r := range all {
		late := slices.ContainsFunc(r.Late, func(l ledger.Late) bool { return l.Post != nil && l.Post.ID == urn })
		if r.Key != about.Key && (late || r.Post != nil && r.Post.ID == urn) {
			t.warn("%s has that post already; two deliveries cannot be one post, unless LinkedIn took the second for a duplicate", r.Key)
		}
	}
	return nil
}

// aboutAttempt keeps a decision from an attempt that was made after somebody looked.
func aboutAttempt(seen *ledger.Record, step ledger.Step) ledger.Step {
	return func(old *ledger.Record) (*ledger.Record, error) {
		if old != nil && old.Attempt != seen.Attempt {
			return nil, hinted(fmt.Errorf("%s: attempt %d was made meanwhile, and this is about attempt %d; nothing was changed", old.Key, old.Attempt, seen.Attempt),
				"look at it: git socialpost resolve "+old.Key)
		}
		return step(old)
	}
}

// checkResolve reports whether the command line decides something, or only asks.
func checkResolve(c *cli.Context) (decided bool, err error) {
	ways := 0
	for _, name := range []string{"posted", "not-posted", "abandon", "from"} {
		if c.IsSet(name) {
			ways++
		}
	}
	switch {
	case c.NArg() > 1:
		err = usagef("resolve settles one delivery at a time, got %d keys", c.NArg())
	case c.NArg() == 0 && ways > 0:
		err = usagef("resolve needs the key of a delivery")
	case ways > 1:
		err = usagef("--posted, --not-posted, --abandon and --from exclude each other")
	case ways == 0 && (c.IsSet("reason") || c.IsSet("yes")):
		err = usagef("--reason and --yes go with one of --posted, --not-posted, --abandon and --from")
	}
	return ways == 1, err
}

// resolution turns the flags into the step that settles the delivery.
func (t *tool) resolution(c *cli.Context, key ledger.Key) (ledger.Step, error) {
	if path := c.String("from"); path != "" {
		return t.recoveryStep(path, key)
	}
	res := ledger.Resolution{By: t.person(c.Context), Reason: visible(strings.TrimSpace(c.String("reason"))), At: t.stamp()}
	if res.Reason == "" {
		res.Reason = "no reason given"
	}
	switch {
	case c.IsSet("posted"):
		urn, err := linkedin.ParseURN(c.String("posted"))
		if err != nil {
			return nil, usageError{"--posted: " + err.Error()}
		}
		res.Decision, res.Post = ledger.Delivered, &ledger.Post{ID: urn, URL: linkedin.PublicURL(urn)}
	case c.Bool("not-posted"):
		res.Decision = ledger.Released
	default:
		res.Decision = ledger.Abandoned
	}
	return func(old *ledger.Record) (*ledger.Record, error) {
		if old != nil && old.Resolved(res) {
			return old, nil // the answer to our push was lost, the push was not
		}
		if err := t.resolvable(old, key, res); err != nil {
			return nil, err
		}
		if file := t.kept(old); file != "" && res.Decision == ledger.Released {
			return nil, hinted(fmt.Errorf("%s: this clone has kept what the platform answered", key),
				"merge it: git socialpost resolve "+old.Key+" --from "+shell(file))
		}
		return ledger.Resolve(old, res)
	}, nil
}

// resolvable says why a decision must not be taken now.
func (t *tool) resolvable(old *ledger.Record, key ledger.Key, res ledger.Resolution) error {
	switch {
	case old == nil:
		return hinted(fmt.Errorf("%s: the ledger knows no such delivery", key), append([]string{"git socialpost resolve lists the open ones"}, t.nearestOpen(key)...)...)
	case !old.State.Open():
		return hinted(fmt.Errorf("%s is %s; there is nothing to resolve", key, old.State), "git socialpost log "+old.Key+" shows how that came")
	}
	age := t.now().Sub(old.IntendedAt)
	if res.Decision == ledger.Released && old.State == ledger.Intended && age < 0 {
		return hinted(fmt.Errorf("%s: its intent is of %s, which has not come: its runner may be alive, and its clock was ahead", key, old.IntendedAt.Format(time.RFC3339)),
			"if the post is there: git socialpost resolve "+old.Key+" --posted URL",
			"if it is not: git socialpost resolve "+old.Key+" --abandon, and send it as another edition")
	}
	if res.Decision == ledger.Released && old.State == ledger.Intended && age < aliveFor {
		return hinted(fmt.Errorf("%s: its intent is %v old and has no outcome: its runner may be alive and about to post", key, age.Round(time.Second)),
			fmt.Sprintf("wait until 15 minutes after the intent, %s, then look at the feed again", old.IntendedAt.Add(aliveFor).Format(time.RFC3339)),
			"if the post is there: git socialpost resolve "+old.Key+" --posted URL")
	}
	return nil
}

// nearestOpen asks whether another delivery is meant, if there is one whose key is like this.
func (t *tool) nearestOpen(key ledger.Key) []string {
	recs, _ := t.ledger.OpenRecords() // without them, it is not known
	var keys []string
	for _, r := range recs {
		keys = append(keys, r.Key)
	}
	if near := nearestKey(key.String(), keys); near != "" {
		return []string{"did you mean " + near + "?"}
	}
	return nil
}

func (t *tool) recoveryStep(path string, key ledger.Key) (ledger.Step, error) {
	saved, err := loadRecovery(path)
	switch {
	case err != nil:
		return nil, err
	case saved.Ledger != t.cfg.Ledger:
		return nil, noRecovery(fmt.Errorf("%s: it belongs to another ledger, %.12s", path, saved.Ledger))
	case saved.Key != key.String():
		return nil, hinted(fmt.Errorf("%s: it is about %s", path, saved.Key), "git socialpost resolve "+saved.Key+" --from "+shell(path))
	}
	return func(old *ledger.Record) (*ledger.Record, error) {
		next, err := saved.merge(old)
		if err != nil {
			err = noRecovery(fmt.Errorf("%s: %w", path, err))
		}
		return next, err
	}, nil
}

// confirm asks on a terminal.
func (t *tool) confirm(c *cli.Context, rec *ledger.Record) error {
	if c.Bool("yes") {
		return nil
	}
	if !t.terminal {
		return usagef("resolve asks before it decides, and standard input is no terminal; add --yes")
	}
	t.printEvidence(t.stderr, rec)
	switch {
	case c.IsSet("posted"):
		return t.ask(c.Context, "Record that "+rec.Key+" was posted, as "+c.String("posted")+"?")
	case c.Bool("not-posted"):
		return t.ask(c.Context, "Record that "+rec.Key+" was not posted, so that the next run sends it?")
	case c.Bool("abandon"):
		return t.ask(c.Context, "Record that "+rec.Key+" is never to be sent?")
	}
	return t.ask(c.Context, "Merge "+c.String("from")+" into the record of "+rec.Key+"?")
}
