package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/git-socialpost/git-socialpost/ledger"
)

// checkOpen has a line for every delivery that waits for a maintainer.
func (e *exam) checkOpen(context.Context) (found []finding) {
	all, err := e.ledger.OpenRecords()
	if err != nil {
		return []finding{failed(err)}
	}
	slices.SortFunc(all, func(a, b *ledger.Record) int { return a.IntendedAt.Compare(b.IntendedAt) })
	for _, r := range all {
		age := e.now().Sub(r.IntendedAt)
		if r.State == ledger.Intended && age < aliveFor {
			found = append(found, saw(fine, "%s is intended since %s, and its runner may be at work", r.Key, span(age)))
			continue
		}
		found = append(found, saw(doubt, "%s is %s since %s, and waits for a maintainer; deliver exits 3 until then", r.Key, r.State, span(age)).
			to("git socialpost resolve "+r.Key))
	}
	if found == nil {
		found = append(found, saw(fine, "no open deliveries"))
	}
	return found
}

// quietFor is how long a delivery may be due before its silence is remarkable.
const quietFor = 24 * time.Hour

// checkSilence finds what should have been delivered by now.
func (e *exam) checkSilence(ctx context.Context) []finding {
	p, err := e.makePlan(e.src)
	if err != nil {
		return []finding{failed(err)}
	}
	committed, err := e.committedAt(ctx)
	if err != nil {
		return []finding{failed(err)}
	}
	due, late := 0, []*delivery{}
	since := func(d *delivery) time.Time {
		at := committed[d.Path]
		if d.PublishAfter != nil && d.PublishAfter.After(at) {
			at = *d.PublishAfter
		}
		return at
	}
	for _, d := range p.Deliveries {
		if d.Decision == send {
			due++
			if e.now().Sub(since(d)) > quietFor {
				late = append(late, d)
			}
		}
	}
	switch {
	case due == 0:
		return []finding{saw(fine, "nothing is due")}
	case len(late) == 0:
		return []finding{saw(fine, "%s due, for less than a day", are(due))}
	}
	longest := slices.MinFunc(late, func(a, b *delivery) int { return since(a).Compare(since(b)) })
	last, err := e.lastDelivery()
	if err != nil {
		return []finding{failed(err)}
	}
	return []finding{saw(doubt, "%s, though %s due for more than a day; %s for %s", last, are(len(late)), longest.Key, span(e.now().Sub(since(longest)))).
		to("look at the last runs in CI, and whether its schedule is alive; to post from here: git socialpost deliver " + longest.Key)}
}

func are(n int) string {
	if n == 1 {
		return "1 post is"
	}
	return fmt.Sprintf("%d posts are", n)
}

func (e *exam) lastDelivery() (string, error) {
	recs, err := e.ledger.Records()
	if err != nil {
		return "", err
	}
	var last time.Time
	for _, r := range recs {
		if r.State == ledger.Delivered && r.UpdatedAt.After(last) {
			last = r.UpdatedAt
		}
	}
	if last.IsZero() {
		return "nothing was ever delivered", nil
	}
	return "no delivery for " + span(e.now().Sub(last)), nil
}

// committedAt returns when the files below the posts' folder got on this branch, with the content that they have.
func (e *exam) committedAt(ctx context.Context) (map[string]time.Time, error) {
	out, err := e.repo.Run(ctx, "log", "-z", "--format=%x00%ct", "--name-only", "--no-renames", "--first-parent", "-m", e.head, "--", ":(top,literal)"+e.cfg.Posts)
	at, when, timed := map[string]time.Time{}, time.Time{}, false
	for field := range strings.SplitSeq(out, "\x00") {
		name := strings.TrimPrefix(field, "\n")
		switch {
		case field == "":
			timed = true // a time follows
		case timed:
			n, _ := strconv.ParseInt(field, 10, 64)
			when, timed = time.Unix(n, 0), false
		case at[name].IsZero():
			at[name] = when
		}
	}
	return at, err
}

// checkRecovery finds outcomes that a runner could not bring to the remote.
func (e *exam) checkRecovery(context.Context) (found []finding) {
	merged := 0
	blind := cmp.Or(e.blind["remote"], e.blind["ledger"])
	for _, dir := range []string{filepath.Dir(e.recoveryFile("", "", 0)), e.recovery} {
		files, err := os.ReadDir(cmp.Or(dir, os.DevNull))
		if err != nil && dir != "" && !errors.Is(err, fs.ErrNotExist) {
			found = append(found, saw(wrong, "%v", err).to("name a folder that can be read, or look at its owner and mode"))
		}
		for _, f := range files {
			path := filepath.Join(dir, f.Name())
			if filepath.Ext(path) != ".toml" {
				continue
			}
			switch bad := e.checkRecoveryFile(path, blind); bad.Status {
			case fine:
				merged++
			default:
				found = append(found, bad)
			}
		}
	}
	switch {
	case found == nil && blind != "":
		return []finding{saw(unseen, "not looked at: %s", blind)}
	case found != nil:
		return found
	case merged > 0:
		return []finding{saw(fine, "%s here, and the ledger has what they tell", count(merged, "record"))}
	}
	return []finding{saw(fine, "no recovery records here")}
}

// checkRecoveryFile compares a record with the ledger, unless there is a reason why that cannot be looked at.
func (e *exam) checkRecoveryFile(path, blind string) finding {
	saved, err := loadRecovery(path)
	switch {
	case err == nil && blind != "":
		return saw(doubt, "%s holds an outcome of %s, and it is not known whether the ledger has it: %s", path, saved.Key, blind).
			to("keep the file, and run this again when the ledger can be had")
	case err != nil:
		return saw(doubt, "%v", err).to("look at it: cat " + shell(path))
	}
	if saved.Ledger != e.cfg.Ledger {
		return saw(doubt, "%s belongs to another ledger, %.12s", path, saved.Ledger).to("keep it for the clone of that ledger")
	}
	k, _ := ledger.ParseKey(saved.Key)
	old, err := e.ledger.Record(k)
	if err != nil {
		return failed(err)
	}
	next, err := saved.merge(old)
	switch {
	case err != nil:
		return saw(doubt, "%s: %v", path, err).to("look at it: cat " + shell(path))
	case next == old:
		return saw(fine, "")
	}
	return saw(wrong, "%s holds an outcome of %s that the ledger lacks: %s", path, saved.Key, saved.Outcome.Kind).
		to("git socialpost resolve " + saved.Key + " --from " + shell(path))
}
