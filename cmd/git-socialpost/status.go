package main

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/git-socialpost/git-socialpost/ledger"
)

// statusLine is one delivery as status --json prints it.
type statusLine struct {
	Key     string       `json:"key"`
	State   ledger.State `json:"state"` // "" if the ledger knows nothing of the key
	Attempt int          `json:"attempt"`
	Since   *time.Time   `json:"since"`
	Run     string       `json:"run"`
	Post    *string      `json:"post"`
	URL     *string      `json:"url"`
}

func (t *tool) statusCommand() *cli.Command {
	return &cli.Command{
		Name:      "status",
		Usage:     "show what the ledger says now",
		ArgsUsage: "[KEY...]",
		Flags:     []cli.Flag{&cli.BoolFlag{Name: "json", Usage: "print it as JSON", DisableDefaultText: true}},
		Action:    t.status,
	}
}

func (t *tool) status(c *cli.Context) error {
	keys, err := t.parseKeys(c)
	if err != nil {
		return err
	}
	defer t.close()
	if err := t.openLedger(c.Context); err != nil {
		return err
	}
	recs, err := t.recordsOf(keys)
	if err != nil {
		return err
	}
	if c.Bool("json") {
		lines := []statusLine{}
		for _, r := range recs {
			lines = append(lines, toStatus(r))
		}
		return printJSON(t.stdout, struct {
			Format     int          `json:"format"`
			Deliveries []statusLine `json:"deliveries"`
		}{1, lines})
	}
	return t.show(c.Context, func(s *screen) error { return printStatus(s, recs) })
}

// recordsOf returns the records of some keys, or all. A key that the ledger does not know gets an empty one.
func (t *tool) recordsOf(keys []string) ([]*ledger.Record, error) {
	if len(keys) == 0 {
		recs, err := t.ledger.Records()
		slices.SortFunc(recs, func(a, b *ledger.Record) int { return cmp.Compare(a.Key, b.Key) })
		return recs, err
	}
	var recs []*ledger.Record
	for _, key := range keys {
		k, err := ledger.ParseKey(key)
		if err != nil {
			return nil, err
		}
		r, err := t.ledger.Record(k)
		if err != nil {
			return nil, err
		}
		if r == nil {
			r = &ledger.Record{Key: key}
		}
		recs = append(recs, r)
	}
	return recs, nil
}

func toStatus(r *ledger.Record) statusLine {
	line := statusLine{Key: r.Key, State: r.State, Attempt: r.Attempt, Run: r.Run}
	if r.State != "" {
		line.Since = &r.UpdatedAt
	}
	if r.Post != nil {
		line.Post, line.URL = &r.Post.ID, &r.Post.URL
	}
	return line
}

func attemptOf(r *ledger.Record) string {
	if r.Attempt == 0 {
		return "no attempt"
	}
	return fmt.Sprintf("attempt %d", r.Attempt)
}

func printStatus(s *screen, recs []*ledger.Record) error {
	if len(recs) == 0 {
		return s.printf("no deliveries yet\n")
	}
	var rows []tableRow
	for _, r := range recs {
		if r.State == "" {
			rows = append(rows, tableRow{cells: []string{r.Key, "not in the ledger"}})
			continue
		}
		var post string
		if r.Post != nil {
			post = r.Post.ID + " " + r.Post.URL
		}
		rows = append(rows, tableRow{[]string{r.Key, string(r.State), attemptOf(r), r.UpdatedAt.Format(time.RFC3339), post}, 1})
	}
	return s.table(rows)
}
