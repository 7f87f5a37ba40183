package main

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/git-socialpost/git-socialpost/ledger"
)

// GitHub drops a step's summary of more than maxSummary bytes as a whole. One run takes its share: a step may make several.
const (
	maxSummary   = 1 << 20
	summaryShare = 128 << 10
)

// summary is what a run tells on GitHub's page of it, in blocks of Markdown.
type summary struct {
	title  string
	blocks []string
}

// summarize begins the summary of a command.
func (t *tool) summarize(command string) { t.summary = summary{title: "git socialpost " + command} }

func (s *summary) add(blocks ...string) { s.blocks = append(s.blocks, blocks...) }

// evidence is all that a maintainer needs to settle a delivery, commands included.
func (t *tool) evidence(r *ledger.Record) string {
	var b strings.Builder
	t.printEvidence(&b, r)
	return "\n" + fenced("text", b.String())
}

// summarizeRun is the summary of deliver: what waits for a maintainer, then what became of every delivery, what this run
// was about first.
func (r *run) summarizeRun(chosen []*delivery) {
	for _, d := range chosen {
		if d.Decision == open && d.record != nil {
			r.summary.add(r.evidence(d.record))
		}
	}
	weight := func(d *delivery) int {
		switch {
		case d.tried:
			return 0
		case d.Decision != delivered:
			return 1
		}
		return 2
	}
	chosen = slices.Clone(chosen)
	slices.SortStableFunc(chosen, func(a, b *delivery) int { return cmp.Compare(weight(a), weight(b)) })
	r.summary.add(deliveryTable(chosen)...)
}

// remarks are the errors of a run, with what to type next.
func remarks(err error) (blocks []string) {
	if err == nil {
		return nil
	}
	if several, ok := err.(interface{ Unwrap() []error }); ok {
		for _, err := range several.Unwrap() {
			blocks = append(blocks, remarks(err)...)
		}
		return blocks
	}
	block := "\n" + inCode(brief(err.Error())) + "\n"
	if lines := hints(err); len(lines) > 0 {
		block += "\n" + fenced("text", strings.Join(lines, "\n"))
	}
	return []string{block}
}

// publish appends the summary to the file that GitHub names. What was delivered is delivered: no summary is no error.
func (t *tool) publish(err error) {
	path := t.getenv("GITHUB_STEP_SUMMARY")
	if t.ci != github || path == "" || t.summary.title == "" {
		return
	}
	blocks := slices.Concat([]string{"## " + t.summary.title + "\n"}, remarks(err), t.summary.blocks)
	if err := appendSummary(path, blocks); err != nil && !t.quiet {
		t.annotate("warning", "", 0, "git-socialpost: the job's summary is not written: "+brief(err.Error()))
	}
}

func appendSummary(path string, blocks []string) error {
	room := maxSummary
	switch info, err := os.Stat(path); {
	case err == nil && !info.Mode().IsRegular():
		return fmt.Errorf("%s is no file", path)
	case err == nil:
		room -= int(info.Size())
	}
	text := bounded(blocks, min(room, summaryShare), func(s string) int { return len(s) })
	if len(text) > room {
		return fmt.Errorf("%s is full", path)
	}
	f, err := os.OpenFile(path, os.O_RDWR|os.O_APPEND|os.O_CREATE, 0o666)
	if err != nil {
		return err
	}
	last := []byte{'\n'} // of what others wrote
	if size := maxSummary - room; size > 0 {
		_, err = f.ReadAt(last, int64(size)-1)
	}
	if last[0] != '\n' {
		text = "\n" + text
	}
	if err == nil {
		_, err = f.WriteString(text + "\n")
	}
	return errors.Join(err, f.Close())
}

// settled is what a maintainer has decided.
func settled(r *ledger.Record) string {
	said := "\n" + inCode(r.Key) + " is " + string(r.State)
	if r.Post != nil {
		said += ": " + hyperlink(r.Post.ID, r.Post.URL)
	}
	if r.Resolution != nil {
		said += ", by " + inCode(r.Resolution.By) + ": " + inCode(r.Resolution.Reason)
	}
	return said + "\n"
}
