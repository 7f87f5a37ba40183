package main

import (
	"fmt"
	"slices"
	"time"

	"github.com/git-socialpost/git-socialpost/ledger"
)

// decision is what is to be done about a delivery.
type decision string

const (
	send      decision = "send"
	delivered decision = "delivered"
	open      decision = "open"      // waits for a receipt, or for git socialpost resolve
	blocked   decision = "blocked"   // another record stands in the way
	held      decision = "held"      // not authorised: mode, pilot, or the same text under another key
	scheduled decision = "scheduled" // publish_after has not come
	abandoned decision = "abandoned"
	invalid   decision = "invalid"
)

// facts are all that a decision depends on.
type facts struct {
	post     *post
	record   *ledger.Record   // of this key
	legacy   *ledger.Record   // of the key without language
	editions []*ledger.Record // of the same article and channel, other than this one
	twins    []*ledger.Record // that hold the same text under another slug or channel
	mode     string
	pilot    []ledger.Key
	now      time.Time
}

// decide is the whole of the rules, and has no effects.
func decide(f facts) (d decision, reason string) {
	if r := f.record; r != nil && r.State != ledger.Released {
		return decided(r, f.post)
	}
	if len(f.post.Problems) > 0 {
		return invalid, f.post.Problems[0].Message
	}
	if r := f.legacy; r != nil && (r.State.Open() || r.State == ledger.Delivered) {
		return blocked, fmt.Sprintf("%s is %s and stands for all languages; only another slug would be another delivery", r.Key, r.State)
	}
	for _, r := range f.editions {
		if r.State.Open() {
			return blocked, fmt.Sprintf("another edition, %s, is %s; settle it first: git socialpost resolve %s", r.Key, r.State, r.Key)
		}
		if k, _ := r.ID(); k.Edition > f.post.Key.Edition && r.State == ledger.Delivered {
			return blocked, fmt.Sprintf("a later edition, %s, is delivered; to post once more, set edition = %d", r.Key, k.Edition+1)
		}
	}
	if len(f.twins) > 0 && !f.post.AllowTwin {
		return held, twinReason(f.twins[0])
	}
	if f.post.PublishAfter.After(f.now) {
		return scheduled, "publish_after has not come"
	}
	return authorise(f)
}

func twinReason(r *ledger.Record) string {
	if r.State.Open() {
		return fmt.Sprintf("the same text is %s as %s; settle that first: git socialpost resolve %s", r.State, r.Key, r.Key)
	}
	k, _ := r.ID()
	again := "once more"
	if r.State == ledger.Abandoned {
		again = "all the same"
	}
	return fmt.Sprintf("the same text is %s as %s; for a renamed post set slug = %q, to post it %s allow_twin = true", r.State, r.Key, k.Slug, again)
}

// decided is for a record that decides alone, whatever became of the file: a nil post is one that is gone.
func decided(r *ledger.Record, p *post) (decision, string) {
	edited := ""
	if p != nil && p.Payload != nil && r.Attempt > 0 && ledger.SHA256(p.Payload) != r.PayloadSHA256 {
		k, _ := r.ID()
		edited = fmt.Sprintf("; the file was edited since, which sends nothing (edition = %d would)", k.Edition+1)
	}
	switch r.State {
	case ledger.Delivered:
		return delivered, "on " + r.UpdatedAt.Format(time.DateOnly) + edited
	case ledger.Abandoned:
		return abandoned, "by " + r.Resolution.By + ": " + r.Resolution.Reason
	}
	return open, fmt.Sprintf("%s since %s%s", r.State, r.UpdatedAt.Format(time.RFC3339), edited)
}

func authorise(f facts) (decision, string) {
	switch {
	case f.mode == "plan":
		return held, `mode = "plan" sends nothing; pilot or live does`
	case f.mode != "live" && !slices.Contains(f.pilot, f.post.Key):
		return held, `mode = "pilot", and the key is not in the pilot list`
	case f.record != nil:
		return send, fmt.Sprintf("attempt %d; attempt %d was released", f.record.Attempt+1, f.record.Attempt)
	}
	return send, ""
}

// facts asks the ledger, as it was fetched last, all that the decision about a post depends on.
func (t *tool) facts(p *post) (f facts, err error) {
	f = facts{post: p, mode: t.cfg.Mode, pilot: t.cfg.Pilot, now: t.now()}
	if p.Key == (ledger.Key{}) {
		return f, nil
	}
	f.record, err = t.ledger.Record(p.Key)
	if err != nil || len(p.Problems) > 0 || f.record != nil && f.record.State != ledger.Released {
		return f, err
	}
	if k, ok := p.Key.Legacy(); ok {
		if f.legacy, err = t.ledger.Record(k); err != nil {
			return f, err
		}
	}
	if f.editions, err = t.ledger.OtherEditions(p.Key); err != nil {
		return f, err
	}
	same, err := t.ledger.SameText(t.repo.BlobID([]byte(p.Text)))
	for _, r := range same {
		if k, _ := r.ID(); k.Slug != p.Key.Slug || k.Channel != p.Key.Channel {
			f.twins = append(f.twins, r)
		}
	}
	return f, err
}
