package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/git-socialpost/git-socialpost/ledger"
)

func (t *tool) seedCommand() *cli.Command {
	return &cli.Command{
		Name:      "seed",
		Usage:     "mark the back catalogue as not to be sent, so that a first run cannot flood",
		ArgsUsage: " ",
		Flags: append([]cli.Flag{
			&cli.StringFlag{Name: "before", Usage: "the posts of before `DATE`: by publish_after, else by the day on which the file came"},
			&cli.BoolFlag{Name: "all", Usage: "all posts but those that publish_after schedules", DisableDefaultText: true},
			&cli.StringFlag{Name: "reason", Usage: "`WHY`, for the ledger", Value: "back catalogue"},
		}, adoptFlags()...),
		Action: t.seed,
	}
}

// seed abandons every post of which the ledger knows nothing, before the first run comes to it.
func (t *tool) seed(c *cli.Context) error {
	before, err := seedLimit(c)
	if err != nil {
		return err
	}
	if err := t.canAsk(c); err != nil {
		return err
	}
	defer t.close()
	src, err := t.readHead(c.Context)
	if err != nil {
		return err
	}
	if err := t.fetch(c.Context); err != nil {
		return err
	}
	came := map[string]time.Time{}
	if !before.IsZero() {
		if came, err = t.arrivals(c.Context); err != nil {
			return err
		}
	}
	by, now := t.person(c.Context), t.stamp()
	var recs []*ledger.Record
	seen := map[ledger.Key]bool{{}: true} // and none for a file that tells no key
	for _, p := range src.posts {
		if seen[p.Key] || !t.isOld(p, before, came[p.Path]) {
			continue
		}
		seen[p.Key] = true
		old, err := t.ledger.Record(p.Key)
		if err != nil {
			return err
		}
		if old != nil {
			continue
		}
		rec := t.unattempted(src.revision, p.Key, p)
		rec.IntendedAt, rec.UpdatedAt = now, now
		recs = append(recs, ledger.Adopt(rec, ledger.Resolution{
			Decision: ledger.Abandoned, By: by, Reason: visible(strings.TrimSpace(c.String("reason"))), At: now,
		}))
	}
	t.noteKeyless(src)
	return t.adopt(c, recs)
}

// seedLimit is the time before which posts are old, zero for all of them.
func seedLimit(c *cli.Context) (time.Time, error) {
	switch {
	case c.Args().Present():
		return time.Time{}, usagef("seed takes no arguments, got %q", c.Args().First())
	case c.Bool("all") == c.IsSet("before"):
		return time.Time{}, usagef("seed needs either --before DATE or --all")
	case c.Bool("all"):
		return time.Time{}, nil
	}
	s := c.String("before")
	if at, err := time.ParseInLocation(time.DateOnly, s, time.Local); err == nil {
		return at, nil
	}
	at, err := time.Parse(time.RFC3339, s)
	if err != nil {
		err = usagef("--before %q: want a date, such as 2026-12-01, or a time, such as 2026-12-01T09:00:00+03:00", s)
	}
	return at, err
}

// isOld tells what belongs to the back catalogue. A post that is scheduled does not.
func (t *tool) isOld(p *post, before, came time.Time) bool {
	if before.IsZero() {
		return !p.PublishAfter.After(t.now())
	}
	if !p.PublishAfter.IsZero() {
		came = p.PublishAfter
	}
	return came.Before(before)
}

// arrivals tells when every file of the posts folder came to the branch, by path. A renamed file came under its old name.
func (t *tool) arrivals(ctx context.Context) (map[string]time.Time, error) {
	if t.repo.Shallow {
		return nil, hinted(errors.New("this clone is shallow: it does not tell when a file came"), "git fetch --unshallow, or take --all")
	}
	out, err := t.repo.Run(ctx, "log", "--first-parent", "-m", "--format=@%ct", "--name-status", "-z", "-M", "--diff-filter=AR", "--no-ext-diff",
		"HEAD", "--", ":(top,literal)"+t.cfg.Posts)
	if err != nil {
		return nil, err
	}
	came, today := map[string]time.Time{}, map[string]string{} // today's name of an earlier one
	var at time.Time
	for words := strings.Split(out, "\x00"); len(words) > 0; {
		word := strings.TrimLeft(words[0], "\n")
		words = words[1:]
		switch {
		case strings.HasPrefix(word, "@"):
			seconds, err := strconv.ParseInt(word[1:], 10, 64)
			if err != nil {
				return nil, fmt.Errorf("git log: %q is no time", word)
			}
			at = time.Unix(seconds, 0)
		case word == "A" && len(words) > 0:
			came[cmp.Or(today[words[0]], words[0])] = at // the oldest comes last
			words = words[1:]
		case strings.HasPrefix(word, "R") && len(words) > 1:
			today[words[0]] = cmp.Or(today[words[1]], words[1])
			words = words[2:]
		}
	}
	return came, nil
}

// noteKeyless names the files that cannot be marked, since nothing tells what their key will be.
func (t *tool) noteKeyless(src *source) {
	for _, p := range src.posts {
		if p.Key == (ledger.Key{}) {
			t.note("%s cannot be marked: it is invalid and tells no key; mend it, or move it out of %s", p.Path, t.cfg.Posts)
		}
	}
}
