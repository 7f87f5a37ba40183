package main

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/git-socialpost/git-socialpost/ledger"
	"github.com/git-socialpost/git-socialpost/linkedin"
)

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
		t.summary.add("\nNo open deliveries.\n")
	}
	for i, rec := range all {
		if i > 0 {
			fmt.Fprintln(t.stdout)
		}
		t.printEvidence(t.stdout, rec)
		t.summary.add(t.evidence(rec))
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
	if err := t.resolvable(rec, k, ledger.Resolution{}); err != nil {
		return err
	}
	t.printEvidence(t.stdout, rec)
	t.summary.add(t.evidence(rec))
	return nil
}

func (t *tool) printEvidence(w io.Writer, r *ledger.Record) {
	line := func(name, format string, args ...any) {
		fmt.Fprintf(w, "  %-9s %s\n", name, oneLine(fmt.Sprintf(format, args...)))
	}
	fmt.Fprintf(w, "%s: %s\n", r.Key, r.State)
	line("since", "%s (%v ago), attempt %d", r.IntendedAt.Format(time.RFC3339), time.Since(r.IntendedAt).Round(time.Second), r.Attempt)
	line("run", "%s", r.Run)
	line("text", "%s at %.12s, as %s", r.Path, r.Revision, r.Author)
	text, err := linkedin.Text(r.Payload)
	if err != nil {
		text = string(r.Payload)
	}
	fmt.Fprintln(w, quoted(text))
	if o := r.Outcome; o == nil {
		line("answer", "none recorded: the runner ended before it could tell, or is still at work")
	} else {
		line("answer", "%s", describe(o))
	}
	if o := r.Outcome; o != nil && o.Duplicate != "" {
		line("", "LinkedIn names a post with the same text: %s%s", linkedin.PublicURL(o.Duplicate), createdNear(o.Duplicate, r))
	}
	line("look at", "%s", feedOf(r.Author))
	if base, err := t.otherLinkedIn(); t.watched && err == nil && base != "" { // a log is read by others, later
		line("", "%s/ (in LinkedIn's place, by %s)", strings.TrimSuffix(base, "/"), linkedInURL)
	}
	t.printCommands(w, r)
}

// printCommands prints what settles a delivery.
func (t *tool) printCommands(w io.Writer, r *ledger.Record) {
	command := func(when, how string) {
		fmt.Fprintf(w, "  %s:\n      git socialpost resolve %s %s\n", when, r.Key, how)
	}
	if file := t.kept(r); file != "" {
		command("this clone has kept the answer", "--from "+shell(file))
	}
	post := "URL"
	if r.Outcome != nil && r.Outcome.Duplicate != "" {
		post = shell(r.Outcome.Duplicate)
	}
	command("if it is there", "--posted "+post+" --reason WHY")
	if from := r.IntendedAt.Add(aliveFor); r.State == ledger.Intended && t.now().Before(from) {
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
