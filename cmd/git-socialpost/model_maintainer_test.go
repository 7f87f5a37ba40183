package main

import (
	"slices"

	"github.com/git-socialpost/git-socialpost/ledger"
)

// maintainer adds what a truthful person does: look at the feed when the program would let them say what they see, say
// it, give a delivery up, merge what a runner's disk has kept.
func (t *turn) maintainer() {
	t.merge()
	rec := t.records[t.record]
	switch {
	case rec == nil:
	case t.look.attempt > 0:
		t.act(rec)
	case rec.State.Open():
		t.lookAt(rec)
		t.resolve("--abandon", ledger.Abandoned, uint8(rec.Attempt))
	}
}

func (t *turn) lookAt(rec *ledger.Record) {
	seen, said := look{attempt: uint8(rec.Attempt)}, "looks at the feed: nothing"
	for attempt, n := range t.feed {
		if n > 0 {
			seen.post, said = uint8(attempt), "looks at the feed: posted"
		}
	}
	if seen.post > 0 || t.may(rec, ledger.Released) {
		t.add("maintainer", said, func(s *situation) string { s.look = seen; return "" })
	}
}

// act is the maintainer's word, a while after the look.
func (t *turn) act(rec *ledger.Record) {
	decision, how, of := ledger.Released, "--not-posted", uint8(rec.Attempt)
	if t.look.post > 0 {
		decision, how, of = ledger.Delivered, "--posted", t.look.post
	}
	if (t.unbound || t.look.attempt == uint8(rec.Attempt)) && t.may(rec, decision) {
		t.resolve(how, decision, of)
		return
	}
	t.add("maintainer", how+" is refused: there is something new", func(s *situation) string { s.look = look{}; return "" })
}

// may asks tool.resolvable.
func (t *turn) may(rec *ledger.Record, decision ledger.State) bool {
	err := toolAt(&t.situation, uint8(rec.Attempt)).resolvable(rec, modelKey, ledger.Resolution{Decision: decision})
	return err == nil || t.hurried && rec.State.Open()
}

func (t *turn) resolve(how string, decision ledger.State, of uint8) {
	next := t.make(change{from: t.record, by: byMaintainer, what: decision, attempt: of})
	t.add("maintainer", "git socialpost resolve "+how, func(s *situation) string {
		s.record, s.look = next, look{}
		if decision == ledger.Released {
			s.asked = 0
		}
		return ""
	})
}

// merge adds the merging of recovery records that say something new.
func (t *turn) merge() {
	for attempt, kept := range t.disk {
		if kept == nothing {
			continue
		}
		next := t.make(change{from: t.record, by: byRunner, what: outcomeKinds[kept], attempt: uint8(attempt)})
		if next != t.record {
			t.add("maintainer", "git socialpost resolve --from: "+string(outcomeKinds[kept]), func(s *situation) string { s.record = next; return "" })
		}
	}
}

// clock adds the passing of time. It stands still only where a runner is between its last look at the clock and its
// request, and would have to sleep there for a quarter of an hour: a limit that the design names.
func (t *turn) clock() {
	passes := slices.ContainsFunc(t.age[1:], func(age uint8) bool { return age < dead })
	for _, r := range t.runners {
		if r.at == posts && t.age[r.attempt] == dead-1 && !t.sleepwalks {
			return
		}
		passes = passes || r.late.attempt > 0 && r.late.age < dead
	}
	if !passes {
		return
	}
	t.add("clock", "time passes", func(s *situation) string {
		for i := range s.age {
			s.age[i] = min(s.age[i]+1, dead)
		}
		for i := range s.runners {
			if p := &s.runners[i].late; p.attempt > 0 {
				p.age = min(p.age+1, dead)
			}
		}
		return ""
	})
}
