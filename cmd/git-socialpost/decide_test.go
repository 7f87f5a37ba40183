package main

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/git-socialpost/git-socialpost/ledger"
)

var now = time.Date(2026, 12, 1, 6, 0, 0, 0, time.UTC)

const day = 24 * time.Hour

func record(key string, state ledger.State) *ledger.Record {
	r := &ledger.Record{Key: key, State: state, Attempt: 2, UpdatedAt: now, PayloadSHA256: ledger.SHA256([]byte("payload"))}
	switch state {
	case ledger.Delivered:
		r.Post = &ledger.Post{ID: "urn:li:share:1", URL: "https://www.linkedin.com/feed/update/urn:li:share:1/"}
	case ledger.Abandoned:
		r.Resolution = &ledger.Resolution{By: "A. Maintainer", Reason: "not worth it"}
	}
	return r
}

// due are the facts of a post that is to be sent.
func due() facts {
	return facts{
		post: &post{Key: ledger.Key{Slug: "note", Channel: "linkedin-en", Edition: 2}, Payload: []byte("payload")},
		mode: "live",
		now:  now,
	}
}

func TestDecide(t *testing.T) {
	bad := []problem{{Message: "the text is empty"}}
	for name, test := range map[string]struct {
		change func(f *facts)
		want   decision
		reason string
	}{
		"due":                {func(f *facts) {}, send, ""},
		"invalid":            {func(f *facts) { f.post.Problems = bad }, invalid, "the text is empty"},
		"invalid, delivered": {func(f *facts) { f.post.Problems = bad; f.record = record("note:linkedin-en@2", ledger.Delivered) }, delivered, "on 2026-12-01"},
		"invalid, released":  {func(f *facts) { f.post.Problems = bad; f.record = record("note:linkedin-en@2", ledger.Released) }, invalid, "the text is empty"},
		"invalid, open":      {func(f *facts) { f.post.Problems = bad; f.record = record("note:linkedin-en@2", ledger.Unknown) }, open, "unknown since 2026-12-01T06:00:00Z"},
		"intended":           {func(f *facts) { f.record = record("note:linkedin-en@2", ledger.Intended) }, open, "intended since 2026-12-01T06:00:00Z"},
		"rejected":           {func(f *facts) { f.record = record("note:linkedin-en@2", ledger.Rejected) }, open, "rejected since"},
		"delivered":          {func(f *facts) { f.record = record("note:linkedin-en@2", ledger.Delivered) }, delivered, "on 2026-12-01"},
		"delivered, edited": {func(f *facts) {
			f.post.Payload = []byte("x")
			f.record = record("note:linkedin-en@2", ledger.Delivered)
		}, delivered, "on 2026-12-01; the file was edited since, which sends nothing (edition = 3 would)"},
		"open, edited":           {func(f *facts) { f.post.Payload = []byte("x"); f.record = record("note:linkedin-en@2", ledger.Intended) }, open, "; the file was edited since"},
		"abandoned":              {func(f *facts) { f.record = record("note:linkedin-en@2", ledger.Abandoned) }, abandoned, "by A. Maintainer: not worth it"},
		"released":               {func(f *facts) { f.record = record("note:linkedin-en@2", ledger.Released) }, send, "attempt 3; attempt 2 was released"},
		"released, edited":       {func(f *facts) { f.post.Payload = []byte("x"); f.record = record("note:linkedin-en@2", ledger.Released) }, send, "attempt 3; attempt 2 was released"},
		"legacy receipt":         {func(f *facts) { f.legacy = record("note:linkedin", ledger.Delivered) }, blocked, "note:linkedin is delivered and stands for all languages"},
		"legacy open":            {func(f *facts) { f.legacy = record("note:linkedin", ledger.Intended) }, blocked, "note:linkedin is intended and stands for all languages"},
		"legacy released":        {func(f *facts) { f.legacy = record("note:linkedin", ledger.Released) }, send, ""},
		"legacy abandoned":       {func(f *facts) { f.legacy = record("note:linkedin", ledger.Abandoned) }, send, ""},
		"earlier edition":        {func(f *facts) { f.editions = []*ledger.Record{record("note:linkedin-en", ledger.Delivered)} }, send, ""},
		"earlier edition open":   {func(f *facts) { f.editions = []*ledger.Record{record("note:linkedin-en", ledger.Rejected)} }, blocked, "note:linkedin-en, is rejected; settle it first: git socialpost resolve note:linkedin-en"},
		"later edition":          {func(f *facts) { f.editions = []*ledger.Record{record("note:linkedin-en@4", ledger.Delivered)} }, blocked, "note:linkedin-en@4, is delivered; to post once more, set edition = 5"},
		"later edition open":     {func(f *facts) { f.editions = []*ledger.Record{record("note:linkedin-en@4", ledger.Unknown)} }, blocked, "note:linkedin-en@4, is unknown; settle it first"},
		"later edition released": {func(f *facts) { f.editions = []*ledger.Record{record("note:linkedin-en@4", ledger.Released)} }, send, ""},
		"twin":                   {func(f *facts) { f.twins = []*ledger.Record{record("old:linkedin-en", ledger.Delivered)} }, held, "the same text is delivered as old:linkedin-en; for a renamed post set slug = \"old\", to post it once more allow_twin = true"},
		"twin allowed": {func(f *facts) {
			f.post.AllowTwin = true
			f.twins = []*ledger.Record{record("old:linkedin-en", ledger.Delivered)}
		}, send, ""},
		"allowed twin, blocked": {func(f *facts) { f.post.AllowTwin = true; f.legacy = record("note:linkedin", ledger.Delivered) }, blocked, "note:linkedin is delivered"},
		"in a second":           {func(f *facts) { f.post.PublishAfter = now.Add(time.Second) }, scheduled, "publish_after has not come"},
		"just now":              {func(f *facts) { f.post.PublishAfter = now.In(time.FixedZone("", 3*60*60)) }, send, ""},
		"yesterday":             {func(f *facts) { f.post.PublishAfter = now.Add(-day) }, send, ""},
		"mode plan":             {func(f *facts) { f.mode = "plan"; f.pilot = []ledger.Key{f.post.Key} }, held, `mode = "plan" sends nothing; pilot or live does`},
		"not in the pilot":      {func(f *facts) { f.mode = "pilot" }, held, `mode = "pilot", and the key is not in the pilot list`},
		"pilot of edition 1": {func(f *facts) {
			f.mode = "pilot"
			f.pilot = []ledger.Key{{Slug: "note", Channel: "linkedin-en", Edition: 1}}
		}, held, `not in the pilot list`},
		"in the pilot": {func(f *facts) { f.mode = "pilot"; f.pilot = []ledger.Key{{}, f.post.Key} }, send, ""},
		"unknown mode": {func(f *facts) { f.mode = "" }, held, "mode"},
	} {
		t.Run(name, func(t *testing.T) {
			f := due()
			test.change(&f)
			got, reason := decide(f)
			if got != test.want || !strings.Contains(reason, test.reason) || reason != "" && test.reason == "" {
				t.Errorf("%s, %q, want %s, %q", got, reason, test.want, test.reason)
			}
		})
	}
}

// TestDecideAll goes through every combination of what a decision depends on. In each it says, fact by fact, what the
// decision must not overlook.
func TestDecideAll(t *testing.T) {
	states := []ledger.State{"", ledger.Intended, ledger.Delivered, ledger.Rejected, ledger.Unknown, ledger.Released, ledger.Abandoned}
	of := func(key string, state ledger.State) *ledger.Record {
		if state == "" {
			return nil
		}
		return record(key, state)
	}
	list := func(r *ledger.Record) []*ledger.Record {
		if r == nil {
			return nil
		}
		return []*ledger.Record{r}
	}
	sent := 0
	for i := 0; ; i++ {
		n, f := i, due()
		f.record = of("note:linkedin-en@2", pick(&n, states...))
		f.legacy = of("note:linkedin", pick(&n, states...))
		f.editions = list(of(pick(&n, "note:linkedin-en", "note:linkedin-en@3"), pick(&n, states...)))
		f.twins = list(of("old:linkedin-en", pick(&n, "", ledger.Delivered, ledger.Intended)))
		f.post.AllowTwin = pick(&n, false, true)
		f.post.Problems = pick(&n, nil, []problem{{Message: "broken"}})
		f.post.PublishAfter = pick(&n, time.Time{}, now.Add(-day), now, now.Add(day))
		f.mode = pick(&n, "plan", "pilot", "live")
		f.pilot = pick(&n, nil, []ledger.Key{f.post.Key})
		if n > 0 {
			break
		}
		got, reason := decide(f)
		must(t, f, got, reason)
		if got == send {
			sent++
		}
	}
	// 2 own × 3 legacy × (4 earlier + 3 later) others × 4 of twin and allow_twin × 3 times × 3 of mode and list
	if want := 2 * 3 * (4 + 3) * 4 * 3 * 3; sent != want {
		t.Errorf("%d combinations send, want %d", sent, want)
	}
}

// pick takes the last digit of a number whose base is the number of choices.
func pick[T any](n *int, choices ...T) T {
	choice := choices[*n%len(choices)]
	*n /= len(choices)
	return choice
}

// must checks a decision fact by fact. Where several facts forbid to send, it leaves open which one is named.
func must(t *testing.T, f facts, got decision, reason string) {
	t.Helper()
	var forbidden []decision
	forbid := func(stands bool, d decision) {
		if stands {
			forbidden = append(forbidden, d)
		}
	}
	is := func(r *ledger.Record, states ...ledger.State) bool {
		return r != nil && slices.Contains(states, r.State)
	}
	isOpen := func(r *ledger.Record) bool { return is(r, ledger.Intended, ledger.Rejected, ledger.Unknown) }
	forbid(len(f.post.Problems) > 0, invalid)
	forbid(isOpen(f.record), open)
	forbid(is(f.record, ledger.Delivered), delivered)
	forbid(is(f.record, ledger.Abandoned), abandoned)
	forbid(isOpen(f.legacy) || is(f.legacy, ledger.Delivered), blocked)
	for _, r := range f.editions {
		forbid(isOpen(r) || strings.HasSuffix(r.Key, "@3") && is(r, ledger.Delivered), blocked)
	}
	forbid(len(f.twins) > 0 && !f.post.AllowTwin, held)
	forbid(f.post.PublishAfter.After(f.now), scheduled)
	forbid(f.mode == "plan" || f.mode == "pilot" && len(f.pilot) == 0, held)
	switch {
	case len(forbidden) == 0 && got != send, len(forbidden) > 0 && !slices.Contains(forbidden, got):
		t.Fatalf("%s (%s), want one of %v or, if there is none, send: %+v", got, reason, forbidden, f)
	case slices.Contains(forbidden, open) && got != open:
		t.Fatalf("%s (%s) hides an open delivery: %+v", got, reason, f)
	case got != send && reason == "":
		t.Fatalf("%s without a reason: %+v", got, f)
	}
}

func TestInOrder(t *testing.T) {
	at := func(key string, when time.Time) *delivery {
		d := &delivery{Key: key}
		if !when.IsZero() {
			d.PublishAfter = &when
		}
		return d
	}
	east := time.FixedZone("", 9*60*60)
	all := []*delivery{
		at("f", now.Add(day)), at("e", now), at("d", now.In(east)), at("a", now.Add(time.Hour).In(east)), at("z", time.Time{}), at("b", time.Time{}),
	}
	slices.SortStableFunc(all, inOrder)
	var got string
	for _, d := range all {
		got += d.Key
	}
	if got != "bzdeaf" {
		t.Errorf("got the order %s, want bzdeaf", got)
	}
}
