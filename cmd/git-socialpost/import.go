package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/git-socialpost/git-socialpost/ledger"
	"github.com/git-socialpost/git-socialpost/linkedin"
)

func (t *tool) importCommand() *cli.Command {
	return &cli.Command{
		Name:        "import",
		Usage:       "take over a journal of earlier posts, so that none is sent again",
		Description: journalForms,
		ArgsUsage:   "FILE",
		Flags:       adoptFlags(),
		Action:      t.importJournal,
	}
}

const journalForms = `The file holds JSON lines:

{"slug": "example-note", "channel": "linkedin-en", "post": "urn:li:share:7170000000000000001", "time": "2024-03-01"}

or CSV with names in its first line:

slug,channel,post,time
example-note,linkedin-en,urn:li:share:7170000000000000001,2024-03-01`

// adoptFlags are those of the commands that settle deliveries without an attempt.
func adoptFlags() []cli.Flag {
	return []cli.Flag{
		&cli.BoolFlag{Name: "dry-run", Usage: "show what would be recorded", DisableDefaultText: true},
		&cli.BoolFlag{Name: "yes", Usage: "do not ask", DisableDefaultText: true},
	}
}

// importJournal records a receipt for every line of a journal, or for none.
func (t *tool) importJournal(c *cli.Context) error {
	if c.NArg() != 1 {
		return usagef("import takes one file, got %d arguments", c.NArg())
	}
	path := c.Args().First()
	data, err := os.ReadFile(path)
	if err != nil {
		return hinted(err, "name a file of JSON lines or CSV, with slug, channel, post and time of each post")
	}
	past, unused, problems := readJournal(path, data, t.now())
	if len(problems) > 0 {
		return t.refuseJournal(path, problems)
	}
	defer t.close()
	src, err := t.readHead(c.Context)
	if err != nil {
		return err
	}
	if err := t.canAsk(c); err != nil {
		return err
	}
	if err := t.fetch(c.Context); err != nil {
		return err
	}
	fresh, problems, err := t.checkJournal(path, past)
	if err != nil {
		return err
	}
	if len(problems) > 0 {
		return t.refuseJournal(path, problems)
	}
	if len(unused) > 0 {
		t.remark("%s: fields that are not used: %s", path, strings.Join(unused, ", "))
	}
	posts := map[ledger.Key]*post{}
	for _, p := range src.posts {
		posts[p.Key] = p
	}
	t.noteStrangers(posts, past)
	by := t.person(c.Context)
	var recs []*ledger.Record
	for _, p := range fresh {
		rec := t.unattempted(src.revision, p.key, posts[p.key])
		rec.IntendedAt, rec.UpdatedAt = p.at, p.at
		recs = append(recs, ledger.Adopt(rec, ledger.Resolution{
			Decision: ledger.Delivered, By: by, Reason: "imported from " + visible(filepath.Base(path)),
			Post: &ledger.Post{ID: p.urn, URL: linkedin.PublicURL(p.urn)}, At: t.stamp(),
		}))
	}
	return t.adopt(c, recs)
}

func (t *tool) refuseJournal(path string, problems []problem) error {
	t.printProblems("error", problems)
	return hinted(fmt.Errorf("%s: nothing was recorded", path), "mend what is named above, and run this again")
}

// checkJournal returns the posts of which the ledger knows nothing yet, and the lines that contradict the configuration,
// the ledger or each other.
func (t *tool) checkJournal(path string, past []pastPost) (fresh []pastPost, problems []problem, err error) {
	lines := map[ledger.Key]int{}
	for _, p := range past {
		fail := func(message, remedy string) { problems = append(problems, problem{path, p.line, message, remedy}) }
		if first := lines[p.key]; first > 0 {
			fail(fmt.Sprintf("%s is on line %d already", p.key, first), "keep one of them"+republication(p.key))
			continue
		}
		lines[p.key] = p.line
		if message, near := t.cfg.unknownChannel(p.key.Channel); message != "" && p.key.Channel != "linkedin" {
			fail(message, orMeant(near, declareChannel(p.key.Channel, "")))
		}
		if _, ok := p.key.Legacy(); !ok && p.key.Edition > 1 && t.cfg.Channels[p.key.Channel] == nil {
			fail(fmt.Sprintf("%s: a channel without a language has no editions", p.key), fmt.Sprintf("write %s:%s, which stands for all languages and editions", p.key.Slug, p.key.Channel))
		}
		old, err := t.ledger.Record(p.key)
		if err != nil {
			return nil, nil, err
		}
		if old == nil {
			fresh = append(fresh, p)
		}
		if message, remedy := contradicts(old, p); message != "" {
			fail(message, remedy)
		}
	}
	return fresh, problems, nil
}

// republication adds to a remedy the key of the next edition, if there can be one.
func republication(k ledger.Key) string {
	if _, ok := k.Legacy(); !ok {
		return ""
	}
	k.Edition++
	return "; a republication is another key: " + k.String()
}

// contradicts says what the ledger has against a line. An abandoned delivery, as seed leaves it, is never sent either.
func contradicts(old *ledger.Record, p pastPost) (message, remedy string) {
	switch {
	case old == nil || old.State == ledger.Abandoned || old.Post != nil && old.Post.ID == p.urn:
		return "", ""
	case old.State == ledger.Delivered:
		return fmt.Sprintf("%s is delivered as another post, %s", p.key, old.Post.URL), "remove the line" + republication(p.key)
	case old.State == ledger.Released:
		return fmt.Sprintf("%s was released: somebody said that it is not posted", p.key), "look at it: git socialpost log " + p.key.String()
	}
	return fmt.Sprintf("%s is %s", p.key, old.State), "settle it: git socialpost resolve " + p.key.String() + " --posted " + p.urn
}

// noteStrangers names the lines of which no post of today takes notice.
func (t *tool) noteStrangers(posts map[ledger.Key]*post, past []pastPost) {
	known := map[ledger.Key]bool{}
	for key := range posts {
		legacy, _ := key.Legacy()
		known[key], known[legacy] = true, true
	}
	var strangers []string
	for _, p := range past {
		if !known[p.key] {
			strangers = append(strangers, p.key.String())
		}
	}
	if len(strangers) == 0 {
		return
	}
	named := strings.Join(strangers[:min(len(strangers), 10)], ", ")
	t.note("no post here has these %d keys, which is right if the files are gone; a post of another slug would be sent: %s", len(strangers), named)
}

// unattempted is what there is to say about a delivery that nothing here has tried; the post is nil if there is none today.
func (t *tool) unattempted(revision string, key ledger.Key, p *post) ledger.Record {
	rec := ledger.Record{Key: key.String(), Revision: revision, Run: t.runURL()}
	if p == nil {
		return rec
	}
	rec.Path = p.Path
	if p.Text != "" {
		rec.Text = t.repo.BlobID([]byte(p.Text))
	}
	if p.Channel != nil {
		rec.Author = p.Channel.Author
	}
	return rec
}

// canAsk refuses a command that asks where nobody can answer.
func (t *tool) canAsk(c *cli.Context) error {
	if t.terminal || c.Bool("yes") || c.Bool("dry-run") {
		return nil
	}
	return usagef("%s asks before it records anything, and standard input is no terminal; add --yes", c.Command.Name)
}

// adopt settles deliveries without an attempt: it shows them, asks, and records all of them or none.
func (t *tool) adopt(c *cli.Context, recs []*ledger.Record) error {
	if len(recs) == 0 {
		_, err := fmt.Fprintln(t.stdout, "nothing to record: the ledger has it all")
		return err
	}
	byKey, keys := map[ledger.Key]*ledger.Record{}, []ledger.Key(nil)
	for _, r := range recs {
		k, err := r.ID()
		if err != nil {
			return err
		}
		byKey[k], keys = r, append(keys, k)
	}
	if err := printStatus(t.bare(), recs); err != nil {
		return err
	}
	if c.Bool("dry-run") {
		t.remark("a dry run: nothing was recorded")
		return nil
	}
	if !c.Bool("yes") {
		if err := t.ask(c.Context, fmt.Sprintf("Record these %d deliveries as %s, for ever?", len(recs), recs[0].State)); err != nil {
			return err
		}
	}
	made := 0
	err := t.ledger.UpdateAll(c.Context, keys, func(k ledger.Key, old *ledger.Record) (*ledger.Record, error) {
		if k == keys[0] {
			made = 0 // a push was lost, and all begins again
		}
		if made > 0 && made%100 == 0 { // a second or more
			t.progress("%d of %d written; the push of all comes last", made, len(keys))
		}
		made++
		switch {
		case old == nil:
			return byKey[k], nil
		case old.Attempt == 0 && old.Resolved(*byKey[k].Resolution):
			return old, nil // the answer to our push was lost, the push was not
		}
		return nil, hinted(fmt.Errorf("%s is %s meanwhile; nothing was recorded", k, old.State), "run this again")
	})
	if err != nil {
		return err
	}
	t.remark("%d recorded as %s at %s", len(recs), recs[0].State, t.stamp().Format(time.RFC3339))
	return nil
}
