package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"

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

	limit int // the configuration's
}

func (t *tool) planCommand() *cli.Command {
	return &cli.Command{
		Name:      "plan",
		Usage:     "show what would be posted, and why",
		ArgsUsage: " ",
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "json", Usage: "print the plan as JSON", DisableDefaultText: true},
			&cli.BoolFlag{Name: "markdown", Usage: "print the plan with its texts, as a comment for a pull request", DisableDefaultText: true},
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
		return planOfOne(c.Args().First())
	case c.Bool("json") && c.Bool("markdown"):
		return usagef("--json and --markdown exclude each other")
	case c.Bool("worktree") && c.IsSet("rev"):
		return usagef("--worktree and --rev exclude each other")
	case c.Bool("worktree") && c.IsSet("out"):
		return usagef("--worktree and --out exclude each other: only what is committed can be delivered")
	}
	defer t.close()
	t.summarize("plan")
	src, err := t.readSource(c)
	if err != nil {
		return err
	}
	t.warnOfExpiry()
	t.remarkOnStandIn()
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
	t.summary.add(p.preview(src)...)
	switch {
	case c.Bool("json"):
		err = printJSON(t.stdout, p)
	case c.Bool("markdown"):
		err = p.printMarkdown(t.stdout, src)
	default:
		err = t.show(c.Context, p.print)
	}
	t.foresee(c.Context, p)
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
	return t.readRevision(c.Context, commit)
}

// look fetches the ledger, or recalls what this clone knows of it.
func (t *tool) look(ctx context.Context, offline bool) error {
	if !offline {
		return t.fetch(ctx)
	}
	if err := t.pinned(ctx); err != nil {
		return err
	}
	err := t.ledger.Recall()
	if errors.Is(err, ledger.ErrAbsent) {
		return hinted(errors.New("this clone has no copy of the ledger yet"), "run git socialpost plan once with the network")
	}
	return err
}

// makePlan decides about every post, and adds the open deliveries that have no file.
func (t *tool) makePlan(src *source) (*plan, error) {
	p := &plan{Format: planFormat, Revision: src.revision, Ledger: t.cfg.Ledger, Tips: t.ledger.Tips(), Deliveries: []*delivery{}, limit: t.cfg.Limit}
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

func (p *plan) print(s *screen) error {
	if len(p.Deliveries) == 0 {
		return s.printf("no posts, and no open deliveries\n")
	}
	rows := []tableRow{{cells: []string{"DECISION", "KEY", "LENGTH", "WHEN", "REASON"}}}
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
		rows = append(rows, tableRow{cells: []string{string(d.Decision), cell(name), strconv.Itoa(d.Length), when, cell(reason)}})
	}
	return s.table(rows)
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
	if !t.quiet {
		t.printProblems("warning", warnings)
	}
	t.printProblems("error", problems)
	switch bad {
	case 0:
		return nil
	case 1:
		return hinted(errors.New("1 post is invalid"), "mend it as said above; the others are not held up")
	}
	return hinted(fmt.Errorf("%d posts are invalid", bad), "mend them as said above; the others are not held up")
}

func (t *tool) printProblems(level string, problems []problem) {
	for _, p := range problems {
		lines := []string{oneLine(p.String())}
		if level == "warning" {
			lines[0] = "warning: " + lines[0]
		}
		if p.Remedy != "" {
			lines = append(lines, "  "+oneLine(p.Remedy))
		}
		t.annotate(level, p.Path, p.Line, lines...)
	}
}
