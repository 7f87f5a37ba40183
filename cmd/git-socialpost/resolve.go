package main

import (
	"bufio"
	"errors"
	"fmt"
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
	keys, err := parseKeys(c.Args().Slice())
	if err != nil {
		return err
	}
	defer t.close()
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
	if at, ok := linkedin.CreatedAt(c.String("posted")); ok && at.Before(before.IntendedAt.Add(-aliveFor)) {
		t.note("WARNING: that post was created %s, long before this attempt began, %s", at.UTC().Format(time.RFC3339), before.IntendedAt.Format(time.RFC3339))
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
	return t.printStatus([]*ledger.Record{rec})
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
	res := ledger.Resolution{By: t.person(c.Context), Reason: strings.TrimSpace(c.String("reason")), At: ledger.Now()}
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
		if err := resolvable(old, key, res); err != nil {
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
func resolvable(old *ledger.Record, key ledger.Key, res ledger.Resolution) error {
	switch {
	case old == nil:
		return hinted(fmt.Errorf("%s: the ledger knows no such delivery", key), "git socialpost resolve lists the open ones")
	case !old.State.Open():
		return hinted(fmt.Errorf("%s is %s; there is nothing to resolve", key, old.State), "git socialpost log "+old.Key+" shows how that came")
	}
	age := time.Since(old.IntendedAt)
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

func (t *tool) recoveryStep(path string, key ledger.Key) (ledger.Step, error) {
	saved, err := loadRecovery(path)
	switch {
	case err != nil:
		return nil, err
	case saved.Ledger != t.cfg.Ledger:
		return nil, fmt.Errorf("%s: it belongs to another ledger, %.12s", path, saved.Ledger)
	case saved.Key != key.String():
		return nil, hinted(fmt.Errorf("%s: it is about %s", path, saved.Key), "git socialpost resolve "+saved.Key+" --from "+path)
	}
	return func(old *ledger.Record) (*ledger.Record, error) {
		next, err := saved.merge(old)
		if err != nil {
			err = fmt.Errorf("%s: %w", path, err)
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
	t.printEvidence(rec)
	switch {
	case c.IsSet("posted"):
		return t.ask("Record that " + rec.Key + " was posted, as " + c.String("posted") + "?")
	case c.Bool("not-posted"):
		return t.ask("Record that " + rec.Key + " was not posted, so that the next run sends it?")
	case c.Bool("abandon"):
		return t.ask("Record that " + rec.Key + " is never to be sent?")
	}
	return t.ask("Merge " + c.String("from") + " into the record of " + rec.Key + "?")
}

// ask returns an error unless the answer is yes.
func (t *tool) ask(question string) error {
	fmt.Fprintf(t.stderr, "%s [y/N] ", question)
	answer, err := bufio.NewReader(t.stdin).ReadString('\n')
	switch strings.ToLower(strings.TrimSpace(answer)) {
	case "y", "yes":
		return nil
	}
	if err != nil && answer == "" {
		fmt.Fprintln(t.stderr)
		return usagef("nobody answers: standard input is no terminal; add --yes") // /dev/null looks like a terminal, too
	}
	return errors.New("not confirmed; nothing was changed")
}

// showOpen prints all that a maintainer needs to decide about the open deliveries, or about one.
func (t *tool) showOpen(keys []string) error {
	if len(keys) == 1 {
		return t.showOne(keys[0])
	}
	all, err := t.ledger.OpenRecords()
	if err != nil {
		return err
	}
	if len(all) == 0 {
		fmt.Fprintln(t.stdout, "no open deliveries")
	}
	for i, rec := range all {
		if i > 0 {
			fmt.Fprintln(t.stdout)
		}
		t.printEvidence(rec)
	}
	return nil
}

func (t *tool) showOne(key string) error {
	k, err := ledger.ParseKey(key)
	if err != nil {
		return err
	}
	rec, err := t.ledger.Record(k)
	if err != nil {
		return err
	}
	if err := resolvable(rec, k, ledger.Resolution{}); err != nil {
		return err
	}
	t.printEvidence(rec)
	return nil
}

func (t *tool) printEvidence(r *ledger.Record) {
	line := func(name, format string, args ...any) {
		fmt.Fprintf(t.stdout, "  %-9s %s\n", name, oneLine(fmt.Sprintf(format, args...)))
	}
	fmt.Fprintf(t.stdout, "%s: %s\n", r.Key, r.State)
	line("since", "%s (%v ago), attempt %d", r.IntendedAt.Format(time.RFC3339), time.Since(r.IntendedAt).Round(time.Second), r.Attempt)
	line("run", "%s", r.Run)
	line("text", "%s at %.12s, as %s", r.Path, r.Revision, r.Author)
	text, err := linkedin.Text(r.Payload)
	if err != nil {
		text = string(r.Payload)
	}
	fmt.Fprintln(t.stdout, indent(text))
	if o := r.Outcome; o == nil {
		line("answer", "none recorded: the runner ended before it could tell, or is still at work")
	} else {
		line("answer", "%s", describe(o))
	}
	if o := r.Outcome; o != nil && o.Duplicate != "" {
		line("", "LinkedIn names a post with the same text: %s%s", linkedin.PublicURL(o.Duplicate), createdNear(o.Duplicate, r))
	}
	line("look at", "%s", feedOf(r.Author))
	t.printCommands(r)
}

// printCommands prints what settles a delivery.
func (t *tool) printCommands(r *ledger.Record) {
	command := func(when, how string) {
		fmt.Fprintf(t.stdout, "  %s:\n      git socialpost resolve %s %s\n", when, r.Key, how)
	}
	if file := t.kept(r); file != "" {
		command("this clone has kept the answer", "--from "+shell(file))
	}
	post := "URL"
	if r.Outcome != nil && r.Outcome.Duplicate != "" {
		post = r.Outcome.Duplicate
	}
	command("if it is there", "--posted "+post+" --reason WHY")
	if from := r.IntendedAt.Add(aliveFor); r.State == ledger.Intended && time.Now().Before(from) {
		command("if it is not there, from "+from.Format(time.RFC3339)+" on; the next run sends it", "--not-posted --reason WHY")
	} else {
		command("if it is not there; the next run sends it", "--not-posted --reason WHY")
	}
	command("to give it up", "--abandon --reason WHY")
}

// kept returns this clone's recovery record of an intent whose outcome the ledger does not know, "" if there is none.
func (t *tool) kept(r *ledger.Record) string {
	file := t.recoveryFile("", r.Key, r.Attempt)
	saved, err := loadRecovery(file)
	if err != nil || r.State != ledger.Intended || saved.Ledger != t.cfg.Ledger || saved.Nonce != r.Nonce() {
		return ""
	}
	return file
}

// describe puts an outcome into words.
func describe(o *ledger.Outcome) string {
	s := o.Kind
	if o.Status != 0 {
		s += fmt.Sprintf(", HTTP %d", o.Status)
	}
	for _, part := range []string{o.Code, o.Message} {
		if part != "" {
			s += ", " + part
		}
	}
	if o.RequestID != "" {
		s += " (request id " + o.RequestID + ")"
	}
	return s
}

// createdNear weighs a duplicate's id, which carries its time: LinkedIn has named posts that never existed.
func createdNear(urn string, r *ledger.Record) string {
	at, ok := linkedin.CreatedAt(urn)
	if !ok {
		return ""
	}
	return fmt.Sprintf(", created %s; this attempt began %s", at.UTC().Format(time.RFC3339), r.IntendedAt.Format(time.RFC3339))
}

// feedOf is where a person sees the author's posts.
func feedOf(author string) string {
	if id, found := strings.CutPrefix(author, "urn:li:organization:"); found {
		return "https://www.linkedin.com/company/" + id + "/posts/"
	}
	return "https://www.linkedin.com/in/me/recent-activity/all/ (logged in as the author)"
}
