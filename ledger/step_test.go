package ledger

import (
	"slices"
	"strings"
	"testing"
	"time"
)

var testPost = &Post{ID: "urn:li:share:1", URL: "https://www.linkedin.com/feed/update/urn:li:share:1/"}

func at(minute int) time.Time { return time.Date(2026, 12, 1, 0, minute, 0, 0, time.UTC) }

// intent is what a runner stores on top of old, nil for the first attempt.
func intent(old *Record, minute int) *Record {
	n := 1
	if old != nil {
		n = old.Attempt + 1
	}
	return Intend(old, Record{
		Key: "example-note:linkedin-en", Nonces: []string{strings.Repeat("0", 31) + string(rune('0'+n))}, Revision: strings.Repeat("a", 40),
		Path: "social/example-note/linkedin-en.md", Text: strings.Repeat("b", 40), PayloadSHA256: strings.Repeat("c", 64),
		Author: "urn:li:person:782bbtaQ", IntendedAt: at(minute), Run: "https://ci.example.com/1",
	})
}

// heard is the record after the outcome of an attempt; the post comes with a delivered one.
func heard(t *testing.T, old *Record, attempt int, kind string, minute int) *Record {
	t.Helper()
	var post *Post
	if kind == "delivered" {
		post = testPost
	}
	next, err := Settle(old, old.Nonces[attempt-1], "https://ci.example.com/1", Outcome{Kind: kind, At: at(minute)}, post)
	if err != nil {
		t.Fatal(err)
	}
	return next
}

// resolved is the record after a maintainer's decision.
func resolved(t *testing.T, old *Record, decision State, minute int) *Record {
	t.Helper()
	res := Resolution{Decision: decision, By: "Test <test@example.com>", Reason: "looked", At: at(minute)}
	if decision == Delivered {
		res.Post = testPost
	}
	next, err := Resolve(old, res)
	if err != nil {
		t.Fatal(err)
	}
	return next
}

// adopted is the record of a delivery that was settled without an attempt.
func adopted(decision State) *Record {
	res := Resolution{Decision: decision, By: "Test <test@example.com>", Reason: "imported", At: at(1)}
	if decision == Delivered {
		res.Post = testPost
	}
	return Adopt(Record{Key: "example-note:linkedin-en", Revision: strings.Repeat("a", 40), Run: "host", IntendedAt: at(0), UpdatedAt: at(0)}, res)
}

// legalSteps walks every way that runners and maintainers can take, three attempts deep, and returns the steps.
func legalSteps(t *testing.T) (steps [][2]*Record) {
	var walk func(r *Record, depth int)
	step := func(old, next *Record, depth int) {
		steps = append(steps, [2]*Record{old, next})
		if depth < 5 {
			walk(next, depth+1)
		}
	}
	walk = func(r *Record, depth int) {
		minute := 10 * depth
		for attempt := 1; attempt <= r.Attempt; attempt++ {
			for _, kind := range []string{"delivered", "rejected", "unknown", Unsent} {
				if next := heard(t, r, attempt, kind, minute+attempt); next != r && len(next.Late) <= 2 {
					step(r, next, depth)
				}
			}
		}
		if r.State.Open() {
			for _, decision := range []State{Delivered, Released, Abandoned} {
				step(r, resolved(t, r, decision, minute), depth)
			}
		}
		if r.State == Released {
			step(r, intent(r, minute), depth)
		}
	}
	step(nil, intent(nil, 0), 1)
	return steps
}

// Whatever Intend, Settle and Resolve make is accepted by every reader, encodes, and never leads back.
func TestLegalSteps(t *testing.T) {
	steps := legalSteps(t)
	seen := map[[2]State]bool{}
	for _, s := range steps {
		old, next := s[0], s[1]
		stored, err := Decode(next.Encode())
		if err != nil {
			t.Fatalf("%v\n%s", err, next.Encode())
		}
		if old == nil {
			if err := checkStep(nil, stored); err != nil {
				t.Errorf("first: %v", err)
			}
			continue
		}
		before, err := Decode(old.Encode())
		if err != nil {
			t.Fatal(err)
		}
		if err := checkStep(before, stored); err != nil {
			t.Errorf("%v:\n%s\nto\n%s", err, old.Encode(), next.Encode())
		}
		seen[[2]State{old.State, next.State}] = true
	}
	if len(steps) < 500 {
		t.Errorf("only %d steps", len(steps))
	}
	states := []State{Intended, Delivered, Rejected, Unknown, Released, Abandoned}
	may := map[State][]State{
		Intended:  {Intended, Delivered, Rejected, Unknown, Released, Abandoned}, // itself: a late fact about an earlier attempt
		Rejected:  {Rejected, Delivered, Released, Abandoned},
		Unknown:   {Unknown, Delivered, Released, Abandoned},
		Released:  {Released, Delivered, Intended},
		Abandoned: {Abandoned, Delivered},
		Delivered: {Delivered},
	}
	for _, from := range states {
		for _, to := range states {
			if want := slices.Contains(may[from], to); seen[[2]State{from, to}] != want {
				t.Errorf("from %s to %s: %v, want %v", from, to, !want, want)
			}
		}
	}
}

// A receipt is never dropped, whatever was decided or attempted meanwhile.
func TestReceiptWins(t *testing.T) {
	for _, s := range legalSteps(t) {
		r := s[1]
		for attempt := 1; attempt <= r.Attempt; attempt++ {
			next := heard(t, r, attempt, "delivered", 999)
			if next.State != Delivered || next.Post == nil || !next.Confirmed() {
				t.Fatalf("the receipt of attempt %d was lost:\n%s\nbecame\n%s", attempt, r.Encode(), next.Encode())
			}
			if r.Resolution != nil && next.Resolution == nil {
				t.Fatalf("the decision was lost:\n%s", next.Encode())
			}
			if again := heard(t, next, attempt, "delivered", 999); again != next {
				t.Fatalf("stored twice:\n%s", again.Encode())
			}
		}
	}
}

func TestIllegalSteps(t *testing.T) {
	first := intent(nil, 0)
	unknown := heard(t, first, 1, "unknown", 1)
	delivered := heard(t, first, 1, "delivered", 1)
	released := resolved(t, unknown, Released, 20)
	abandoned := resolved(t, unknown, Abandoned, 20)
	second := intent(released, 30)
	late := heard(t, released, 1, "delivered", 40)
	change := func(r *Record, edit func(*Record)) *Record {
		next := *r
		edit(&next)
		return &next
	}
	for _, tc := range []struct {
		name      string
		old, next *Record
	}{
		{"begins delivered", nil, delivered},
		{"begins unknown", nil, unknown},
		{"begins released", nil, released},
		{"begins with the second attempt", nil, second},
		{"begins with an outcome", nil, change(first, func(r *Record) { r.Outcome = unknown.Outcome })},
		{"begins with a resolution", nil, change(first, func(r *Record) { r.Resolution = released.Resolution })},
		{"begins with a late fact", nil, change(first, func(r *Record) { r.Late = late.Late })},

		{"nothing changed", first, first},
		{"only the time changed", unknown, change(unknown, func(r *Record) { r.UpdatedAt = at(50) })},
		{"delivered, then intended", delivered, first},
		{"delivered, then a second attempt", delivered, intent(delivered, 30)},
		{"delivered, then released", delivered, change(released, func(r *Record) { r.Outcome = delivered.Outcome })},
		{"delivered, then unknown", delivered, unknown},
		{"delivered, then abandoned", delivered, abandoned},
		{"delivered, and another post", delivered, change(delivered, func(r *Record) { r.Post = &Post{ID: "urn:li:share:2", URL: "x"} })},
		{"abandoned, then a second attempt", abandoned, intent(abandoned, 30)},
		{"abandoned, then released", abandoned, released},
		{"abandoned, then open again", abandoned, unknown},
		{"unknown, then a second attempt", unknown, intent(unknown, 30)},
		{"unknown, then intended", unknown, first},
		{"unknown, then rejected", unknown, heard(t, first, 1, "rejected", 2)},
		{"unknown, then released by its runner", unknown, heard(t, first, 1, Unsent, 2)},
		{"unknown, then released by nobody", unknown, change(released, func(r *Record) { r.Resolution = nil })},
		{"unknown, then delivered by nobody", unknown, change(unknown, func(r *Record) { r.State, r.Post = Delivered, testPost })},
		{"intended, then a second attempt", first, intent(first, 30)},
		{"intended, then released by nobody", first, change(first, func(r *Record) { r.State = Released })},
		{"intended, then abandoned by its runner", first, change(first, func(r *Record) { r.State, r.Outcome = Abandoned, &Outcome{Kind: "abandoned"} })},
		{"an outcome and a decision at once", first, released},
		{"an outcome that the state does not follow", first, change(unknown, func(r *Record) { r.State = Rejected })},
		{"an outcome of kind intended", first, change(first, func(r *Record) { r.Outcome = &Outcome{Kind: "intended"} })},
		{"an outcome removed", unknown, change(first, func(r *Record) { r.State = Unknown })},
		{"an outcome replaced", unknown, heard(t, first, 1, "unknown", 9)},
		{"a decision of another state", unknown, change(released, func(r *Record) { d := *r.Resolution; d.Of = Intended; r.Resolution = &d })},
		{"a decision that the state does not follow", unknown, change(released, func(r *Record) { r.State = Abandoned })},
		{"a decision to leave it open", unknown, change(unknown, func(r *Record) { r.Resolution = &Resolution{Decision: Unknown, Of: Unknown} })},
		{"a decision and another post", unknown, change(resolved(t, unknown, Delivered, 20), func(r *Record) { r.Post = &Post{ID: "urn:li:share:2"} })},
		{"a decision replaced", released, change(released, func(r *Record) { d := *r.Resolution; d.By = "Mallory"; r.Resolution = &d })},

		{"the third attempt after the first", released, change(second, func(r *Record) { r.Attempt, r.Nonces = 3, append(slices.Clone(r.Nonces), r.Nonces[1]) })},
		{"a second attempt without the first one's nonce", released, change(second, func(r *Record) { r.Nonces = []string{r.Nonces[1], r.Nonces[1]} })},
		{"a second attempt that is delivered at once", released, change(second, func(r *Record) { r.State, r.Post = Delivered, testPost })},
		{"a second attempt with an outcome", released, change(second, func(r *Record) { r.Outcome = unknown.Outcome })},
		{"a second attempt that forgets a late fact", heard(t, released, 1, "rejected", 25), second},
		{"back to the first attempt", second, released},

		{"another key", first, change(unknown, func(r *Record) { r.Key = "example-note:linkedin-ru" })},
		{"another revision", first, change(unknown, func(r *Record) { r.Revision = strings.Repeat("d", 40) })},
		{"another path", first, change(unknown, func(r *Record) { r.Path = "x" })},
		{"another text", first, change(unknown, func(r *Record) { r.Text = strings.Repeat("d", 40) })},
		{"another payload", first, change(unknown, func(r *Record) { r.PayloadSHA256 = strings.Repeat("d", 64) })},
		{"another author", first, change(unknown, func(r *Record) { r.Author = "urn:li:person:x" })},
		{"another time", first, change(unknown, func(r *Record) { r.IntendedAt = at(7) })},
		{"another run", first, change(unknown, func(r *Record) { r.Run = "x" })},
		{"another nonce", first, change(unknown, func(r *Record) { r.Nonces = []string{strings.Repeat("f", 32)} })},

		{"a late receipt that leaves it released", released, change(late, func(r *Record) { r.State, r.Post = Released, nil })},
		{"a late receipt with another post", released, change(late, func(r *Record) { r.Post = &Post{ID: "urn:li:share:2"} })},
		{"a late receipt without a post", released, change(late, func(r *Record) { r.Late = []Late{{Attempt: 1, Outcome: r.Late[0].Outcome}} })},
		{"a late rejection with a post", released, change(late, func(r *Record) { r.Late = []Late{{Attempt: 1, Outcome: Outcome{Kind: "rejected"}, Post: testPost}} })},
		{"a late rejection that delivers", released, change(late, func(r *Record) { r.Late = []Late{{Attempt: 1, Outcome: Outcome{Kind: "rejected"}}} })},
		{"a late fact about no attempt", released, change(late, func(r *Record) { l := r.Late[0]; l.Attempt = 0; r.Late = []Late{l} })},
		{"a late fact about the next attempt", released, change(late, func(r *Record) { l := r.Late[0]; l.Attempt = 2; r.Late = []Late{l} })},
		{"a late fact and another outcome", released, change(late, func(r *Record) { r.Outcome = &Outcome{Kind: "delivered"} })},
		{"a late fact that drops the decision", released, change(late, func(r *Record) { r.Resolution = nil })},
		{"two late facts at once", released, change(late, func(r *Record) { r.Late = append(slices.Clone(r.Late), r.Late[0]) })},
		{"a late fact removed", late, change(late, func(r *Record) { r.Late = nil })},
		{"a late fact replaced", late, change(late, func(r *Record) { l := r.Late[0]; l.Run = "x"; r.Late = []Late{l} })},
		{"a late fact in place of another", late, change(late, func(r *Record) { l := r.Late[0]; l.Run = "x"; r.Late = []Late{l, r.Late[0]} })},
		{"a late fact that gives up the post", late, change(late, func(r *Record) {
			r.State, r.Post, r.Late = Released, nil, append(slices.Clone(r.Late), Late{Attempt: 1, Outcome: Outcome{Kind: "unknown"}})
		})},
	} {
		if err := checkStep(tc.old, tc.next); err == nil {
			t.Errorf("%s: accepted", tc.name)
		}
	}
}

func TestResolveRefuses(t *testing.T) {
	first := intent(nil, 0)
	for _, r := range []*Record{heard(t, first, 1, "delivered", 1), heard(t, first, 1, Unsent, 1), resolved(t, first, Abandoned, 20)} {
		for _, decision := range []State{Delivered, Released, Abandoned} {
			if next, err := Resolve(r, Resolution{Decision: decision}); err == nil {
				t.Errorf("%s was resolved to %s", r.State, next.State)
			}
		}
	}
}

// An outcome of an attempt that the ledger does not know belongs to something else.
func TestSettleRefuses(t *testing.T) {
	if next, err := Settle(intent(nil, 0), strings.Repeat("f", 32), "", Outcome{Kind: "delivered"}, testPost); err == nil {
		t.Errorf("became %s", next.State)
	}
}

// A delivery may begin with its end, if its record says who settled it and claims nothing more.
func TestAdopt(t *testing.T) {
	for _, decision := range []State{Delivered, Abandoned} {
		stored, err := Decode(adopted(decision).Encode())
		if err != nil {
			t.Fatal(err)
		}
		if err := checkStep(nil, stored); err != nil {
			t.Errorf("%s: %v", decision, err)
		}
		if stored.Nonce() != "" || stored.State.Open() {
			t.Errorf("%s: nonce %q, state %s", decision, stored.Nonce(), stored.State)
		}
	}
	for name, change := range map[string]func(*Record){
		"released":           func(r *Record) { r.State, r.Resolution.Decision = Released, Released },
		"intended":           func(r *Record) { r.State, r.Resolution.Decision = Intended, Intended },
		"nobody":             func(r *Record) { r.Resolution = nil },
		"another decision":   func(r *Record) { r.Resolution.Decision = Delivered },
		"of an open state":   func(r *Record) { r.Resolution.Of = Unknown },
		"an outcome":         func(r *Record) { r.Outcome = &Outcome{Kind: "unknown", At: at(1)} },
		"a late fact":        func(r *Record) { r.Late = []Late{{Attempt: 1, Outcome: Outcome{Kind: "unknown", At: at(1)}}} },
		"a post":             func(r *Record) { r.Post = testPost },
		"a nonce":            func(r *Record) { r.Nonces = []string{strings.Repeat("0", 32)} },
		"a payload":          func(r *Record) { r.PayloadSHA256 = strings.Repeat("c", 64) },
		"a text of no blob":  func(r *Record) { r.Text = "text" },
		"an attempt instead": func(r *Record) { r.Attempt = 1 },
	} {
		rec := adopted(Abandoned)
		change(rec)
		stored, err := Decode(rec.Encode())
		if err == nil {
			err = checkStep(nil, stored)
		}
		if err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
	if err := checkStep(adopted(Abandoned), adopted(Delivered)); err == nil {
		t.Error("an abandoned delivery became a delivered one")
	}
	if err := checkStep(intent(nil, 0), adopted(Delivered)); err == nil {
		t.Error("an attempt was forgotten")
	}
}
