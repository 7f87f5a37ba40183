package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/git-socialpost/git-socialpost/ledger"
)

const planFormat = 1

// plan is the decision about every delivery. Its JSON is what plan --json prints and plan --out saves.
type plan struct {
	Format     int               `json:"format"`
	Revision   string            `json:"revision"` // "" for the work tree
	Ledger     string            `json:"ledger"`
	Tips       map[string]string `json:"tips"` // the ledger's shards as they were
	Deliveries []*delivery       `json:"deliveries"`
}

// delivery is one of a plan's lines.
type delivery struct {
	Key           string     `json:"key"` // "" where an invalid post has none
	Decision      decision   `json:"decision"`
	Reason        string     `json:"reason"`
	Path          string     `json:"path"`
	Channel       string     `json:"channel"`
	PayloadSHA256 string     `json:"payload_sha256"` // "" for an invalid post
	Length        int        `json:"length"`         // UTF-16 units of the visible text
	PublishAfter  *time.Time `json:"publish_after"`
	Post          *string    `json:"post"` // the platform's id of a delivered post
	URL           *string    `json:"url"`

	post   *post // nil for an open delivery whose file is gone
	record *ledger.Record
	tried  bool // the run came to it, and says what became of it
}

func (t *tool) planCommand() *cli.Command {
	return &cli.Command{
		Name:      "plan",
		Usage:     "show what would be posted, and why",
		ArgsUsage: " ",
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "json", Usage: "print the plan as JSON", DisableDefaultText: true},
			&cli.StringFlag{Name: "out", Usage: "save the plan to `FILE`, for deliver --plan"},
			&cli.StringFlag{Name: "rev", Usage: "plan the posts of `REVISION`", Value: "HEAD"},
			&cli.BoolFlag{Name: "worktree", Usage: "plan the files on the disk, committed or not", DisableDefaultText: true},
			&cli.BoolFlag{Name: "offline", Usage: "decide from this clone's copy of the ledger", DisableDefaultText: true},
			&cli.BoolFlag{Name: "pre-push", Usage: "be a pre-push hook: refuse only invalid posts of the pushed branch", DisableDefaultText: true},
		},
		Action: t.plan,
	}
}

func (t *tool) plan(c *cli.Context) error {
	if c.Bool("pre-push") {
		return t.prePush(c)
	}
	switch {
	case c.Args().Present():
		return usagef("plan takes no arguments, got %q", c.Args().First())
	case c.Bool("worktree") && c.IsSet("rev"):
		return usagef("--worktree and --rev exclude each other")
	case c.Bool("worktree") && c.IsSet("out"):
		return usagef("--worktree and --out exclude each other: only what is committed can be delivered")
	}
	defer t.close()
	src, err := t.readSource(c)
	if err != nil {
		return err
	}
	if err := t.look(c.Context, c.Bool("offline")); err != nil {
		return err
	}
	p, err := t.makePlan(src)
	if err != nil {
		return err
	}
	if path := c.String("out"); path != "" {
		if err := p.save(path); err != nil {
			return err
		}
	}
	if c.Bool("json") {
		err = printJSON(t.stdout, p)
	} else {
		err = p.print(t.stdout)
	}
	return errors.Join(err, t.complain(src))
}

func (t *tool) readSource(c *cli.Context) (*source, error) {
	if err := t.open(c.Context); err != nil {
		return nil, err
	}
	if c.Bool("worktree") {
		return t.readWorktree(c.Context)
	}
	commit, err := t.revision(c.Context, c.String("rev"))
	if err != nil {
		return nil, err
	}
	return t.readRevision(commit)
}

// look fetches the ledger, or recalls what this clone knows of it.
func (t *tool) look(ctx context.Context, offline bool) error {
	if !offline {
		return t.fetch(ctx)
	}
	if err := t.pinned(); err != nil {
		return err
	}
	err := t.ledger.Recall(ctx)
	if errors.Is(err, ledger.ErrAbsent) {
		return hinted(errors.New("this clone has no copy of the ledger yet"), "run git socialpost plan once with the network")
	}
	return err
}

// makePlan decides about every post, and adds the open deliveries that have no file.
func (t *tool) makePlan(src *source) (*plan, error) {
	p := &plan{Format: planFormat, Revision: src.revision, Ledger: t.cfg.Ledger, Tips: t.ledger.Tips(), Deliveries: []*delivery{}}
	seen := map[string]bool{}
	for _, post := range src.posts {
		d, err := t.decideAbout(post)
		if err != nil {
			return nil, err
		}
		seen[d.Key] = true
		p.Deliveries = append(p.Deliveries, d)
	}
	waiting, err := t.ledger.OpenRecords()
	if err != nil {
		return nil, err
	}
	for _, r := range waiting {
		if !seen[r.Key] {
			p.Deliveries = append(p.Deliveries, fileless(r))
		}
	}
	slices.SortStableFunc(p.Deliveries, inOrder)
	return p, nil
}

func (t *tool) decideAbout(p *post) (*delivery, error) {
	f, err := t.facts(p)
	if err != nil {
		return nil, err
	}
	d := &delivery{Path: p.Path, Channel: p.channelName(), Length: p.Length, post: p}
	d.Decision, d.Reason = decide(f)
	if p.Key != (ledger.Key{}) {
		d.Key = p.Key.String()
	}
	if p.Payload != nil {
		d.PayloadSHA256 = ledger.SHA256(p.Payload)
	}
	if !p.PublishAfter.IsZero() {
		d.PublishAfter = &p.PublishAfter
	}
	d.take(f.record)
	return d, nil
}

// fileless is an open delivery whose file was renamed or removed.
func fileless(r *ledger.Record) *delivery {
	k, _ := r.ID()
	d := &delivery{Key: r.Key, Path: r.Path, Channel: k.Channel, PayloadSHA256: r.PayloadSHA256}
	d.Decision, d.Reason = decided(r, nil)
	d.take(r)
	return d
}

// take keeps what the ledger says.
func (d *delivery) take(r *ledger.Record) {
	d.record = r
	if r != nil && r.Post != nil {
		d.Post, d.URL = &r.Post.ID, &r.Post.URL
	}
}

// inOrder is the order in which deliveries go out: by publish_after, then by key.
func inOrder(a, b *delivery) int {
	var x, y time.Time
	if a.PublishAfter != nil {
		x = *a.PublishAfter
	}
	if b.PublishAfter != nil {
		y = *b.PublishAfter
	}
	if n := x.Compare(y); n != 0 {
		return n
	}
	return strings.Compare(a.Key, b.Key)
}

func (p *plan) print(w io.Writer) error {
	if len(p.Deliveries) == 0 {
		_, err := fmt.Fprintln(w, "no posts, and no open deliveries")
		return err
	}
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "DECISION\tKEY\tLENGTH\tWHEN\tREASON")
	for _, d := range p.Deliveries {
		name, when := cmp.Or(d.Key, d.Path), "now"
		if d.PublishAfter != nil {
			when = d.PublishAfter.Format("2006-01-02 15:04 -07:00")
		}
		if d.Decision != send && d.Decision != scheduled {
			when = "-"
		}
		reason := d.Reason
		switch {
		case d.URL != nil:
			reason = *d.URL + " " + reason
		case d.Decision == open:
			reason += "; settle it: git socialpost resolve " + d.Key
		}
		fmt.Fprintf(table, "%s\t%s\t%d\t%s\t%s\n", d.Decision, name, d.Length, when, oneLine(reason))
	}
	return table.Flush()
}

// complain prints every warning and problem, and returns an error if a post is invalid.
func (t *tool) complain(src *source) error {
	warnings, bad := src.warnings, 0
	var problems []problem
	for _, p := range src.posts {
		warnings = append(warnings, p.Warnings...)
		problems = append(problems, p.Problems...)
		if len(p.Problems) > 0 {
			bad++
		}
	}
	t.printProblems("warning: ", warnings)
	t.printProblems("", problems)
	switch bad {
	case 0:
		return nil
	case 1:
		return hinted(errors.New("1 post is invalid"), "mend it as said above; the others are not held up")
	}
	return hinted(fmt.Errorf("%d posts are invalid", bad), "mend them as said above; the others are not held up")
}

func (t *tool) printProblems(kind string, problems []problem) {
	for _, p := range problems {
		fmt.Fprintf(t.stderr, "%s%s\n", kind, oneLine(p.String()))
		if p.Remedy != "" {
			fmt.Fprintf(t.stderr, "  %s\n", oneLine(p.Remedy))
		}
	}
}
