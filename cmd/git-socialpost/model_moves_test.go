package main

import (
	"slices"
	"time"

	"github.com/git-socialpost/git-socialpost/ledger"
)

const (
	slots    = 3 // for runners
	attempts = 4 // as many as all runners start, at most
)

var runnerNames = [slots]string{"runner A", "runner B", "runner C"}

// move is one step of somebody.
type move struct {
	to      situation
	by, did string
	broken  string // the promise that the step itself breaks
}

const crashes = "crashes"

// turn collects the moves that are possible in a situation.
type turn struct {
	*model
	situation
	list []move
}

func (m *model) moves(s situation) []move {
	t := &turn{model: m, situation: s}
	for i := range s.runners {
		t.runner(i)
		t.server(i)
	}
	t.clock()
	t.platform()
	if !m.unattended {
		t.maintainer()
	}
	return t.list
}

// step changes the situation, for one of the runners, and names the promise that it breaks.
type step func(s *situation, r *player) (broken string)

func (t *turn) add(by, did string, change func(s *situation) (broken string)) {
	next := t.situation
	broken := change(&next)
	next.tidy(t.model)
	t.list = append(t.list, move{to: next, by: by, did: did, broken: broken})
}

// runner adds what one runner can do next.
func (t *turn) runner(i int) {
	r := t.runners[i]
	do := func(did string, change step) {
		t.add(runnerNames[i], did, func(s *situation) string { return change(s, &s.runners[i]) })
	}
	if r.at == rests {
		if r.starts > 0 {
			do("starts, and fetches the ledger", func(s *situation, r *player) string { r.starts--; return t.decide(s, r) })
		}
		return
	}
	switch r.at {
	case intends:
		t.intend(do, r)
	case doubts:
		do("fetches again", t.decide)
	case readies:
		t.ready(do, r)
	case rechecks:
		do("looks at the clock again", func(s *situation, r *player) string { return t.check(s, r, posts) })
	case posts:
		t.post(do)
	case keeps:
		do("keeps the outcome on its disk", func(s *situation, r *player) string { s.disk[r.attempt], r.at = r.heard, settles; return "" })
		do("cannot keep the outcome on its disk", func(_ *situation, r *player) string { r.at = settles; return "" })
	case settles:
		t.settle(do, r)
	case clears:
		do("removes what it kept, and ends", t.end)
	}
	if t.disk[r.attempt] != nothing {
		do("crashes, and its disk is gone", func(s *situation, r *player) string { s.disk[r.attempt] = nothing; r.rest(); return "" })
	}
	do(crashes, func(_ *situation, r *player) string { r.rest(); return "" })
}

type do func(did string, change step)

// decide is run.intend's step, on a record that was just fetched.
func (t *turn) decide(s *situation, r *player) (broken string) {
	r.seen = s.record
	old := t.records[r.seen]
	own := nonceOf(r.stored) // no attempt's while it is not in the ledger
	if t.unknownNew {
		own = nonceOf(0)
	}
	if old != nil && slices.Contains(old.Nonces, own) {
		if old.State != ledger.Intended || old.Nonce() != own {
			r.rest()
			return ""
		}
		r.at, r.attempt = readies, r.stored
		return ""
	}
	if d, _ := decide(t.facts(s, old)); d == send {
		r.at = intends
		return ""
	}
	if old != nil && old.State == ledger.Intended && int(r.stored) == old.Attempt {
		broken = brokenOwn
	}
	r.rest()
	return broken
}

func (t *turn) facts(s *situation, old *ledger.Record) facts {
	if t.expires && old != nil && old.State == ledger.Intended && s.age[old.Attempt] == dead {
		expired := *old
		expired.State = ledger.Released
		old = &expired
	}
	return facts{post: &post{Key: modelKey}, record: old, mode: "live", now: now}
}

// intend adds all that can become of a push: won, lost, unknown and there, not there, or there later.
func (t *turn) intend(do do, r player) {
	p := push{base: r.seen, attempt: 1}
	if old := t.records[r.seen]; old != nil {
		p.attempt = uint8(old.Attempt) + 1
	}
	p.next = t.make(change{from: p.base, by: byIntent, attempt: p.attempt})
	won := func(s *situation, r *player) string { s.land(r, p); r.at, r.attempt = readies, p.attempt; return "" }
	unknown := func(_ *situation, r *player) string { r.at = doubts; return "" }
	if t.unknownWon {
		unknown = func(s *situation, r *player) string {
			r.at, r.attempt, s.age[p.attempt] = readies, p.attempt, 0
			return ""
		}
	}
	do("pushes its intent: lost", func(_ *situation, r *player) string { r.at = doubts; return "" })
	do("pushes its intent: unknown, and it never gets there", unknown)
	if t.equalWins && p.next == t.record {
		do(`pushes the same intent: "="`, won)
	}
	if p.base != t.record && !t.noLease {
		return
	}
	do("pushes its intent: won", won)
	do("pushes its intent: unknown, but it is there", func(s *situation, r *player) string { s.land(r, p); return unknown(s, r) })
	if r.late == (push{}) {
		do("pushes its intent: unknown, the server is slow", func(s *situation, r *player) string { r.late = p; return unknown(s, r) })
	}
}

// land moves the shard. Without leases, it may take another runner's intent away.
func (s *situation) land(r *player, p push) {
	for i := range s.runners {
		if s.runners[i].stored == p.attempt && s.record != p.next {
			s.runners[i].stored = 0
		}
	}
	s.record, s.age[p.attempt] = p.next, p.age
	if p.orphan == 0 {
		r.stored = p.attempt
	}
}

// server carries out a runner's late push.
func (t *turn) server(i int) {
	p := t.runners[i].late
	if p == (push{}) || p.base != t.record && !t.noLease {
		return
	}
	t.add("server", "carries out the late push of "+runnerNames[i], func(s *situation) string {
		r := &s.runners[i]
		r.late = push{}
		s.land(r, p)
		return ""
	})
}

// ready adds what can happen between an intent and its request.
func (t *turn) ready(do do, r player) {
	do("cannot reach the platform", func(_ *situation, r *player) string { r.at, r.heard = keeps, notSent; return "" })
	switch {
	case t.sleepwalks:
		do("connects", func(_ *situation, r *player) string { r.at = posts; return "" })
	case ages[t.age[r.attempt]] <= freshAge:
		do("connects, and looks at the clock", func(s *situation, r *player) string { return t.check(s, r, posts) })
	default:
		do("connects, looks at the clock, and fetches the ledger", func(s *situation, r *player) string {
			rec := t.records[s.record]
			if rec == nil || rec.State != ledger.Intended || rec.Nonce() != nonceOf(r.attempt) {
				r.at, r.heard = keeps, notSent
				return ""
			}
			return t.check(s, r, rechecks)
		})
	}
}

// check asks attempt.age.
func (t *turn) check(s *situation, r *player, then place) (broken string) {
	a := attempt{run: &run{tool: toolAt(s, r.attempt)}, intent: &ledger.Record{IntendedAt: modelTime(r.attempt)}}
	r.at = then
	if _, err := a.age(); err != nil {
		r.at, r.heard = keeps, notSent
	}
	return ""
}

// toolAt is the program, run when an attempt has the age that it has.
func toolAt(s *situation, attempt uint8) *tool {
	return &tool{now: func() time.Time { return modelTime(attempt).Add(ages[s.age[attempt]]) }}
}

// post adds all that can become of the request.
func (t *turn) post(do do) {
	request := func(did string, stored bool, h heard) {
		do(did, func(s *situation, r *player) string {
			switch {
			case t.guesses && h == noAnswer:
				r.at, r.heard = keeps, notSent
			case !t.resends || h != noAnswer:
				r.at, r.heard = keeps, h
			}
			if stored {
				s.feed[r.attempt]++
			} else if t.tardy && h == noAnswer {
				s.queue = r.attempt
			}
			return s.weigh(r)
		})
	}
	request("POST: stored, and answered with 201", true, receipt)
	request("POST: stored, but the answer is lost", true, noAnswer)
	request("POST: not stored, and no answer", false, noAnswer)
	request("POST: refused", false, refused)
}

// weigh compares a request that was just made with what the ledger allows.
func (s *situation) weigh(r *player) (broken string) {
	s.asked++
	switch {
	case r.stored != r.attempt:
		return brokenIntent
	case s.asked > 1:
		return brokenOnce
	}
	return ""
}

// platform adds the storing of a request whose answer was lost long ago.
func (t *turn) platform() {
	if t.queue > 0 {
		t.add("platform", "stores the request, late", func(s *situation) string { s.feed[s.queue]++; s.queue = 0; return "" })
	}
}

// settle adds what can become of an outcome. It is merged with whatever record there is, so that a push which is
// carried out late is the same as one that was made late.
func (t *turn) settle(do do, r player) {
	next := t.make(change{from: t.record, by: byRunner, what: outcomeKinds[r.heard], attempt: r.attempt})
	pushes := "pushes its outcome, " + string(outcomeKinds[r.heard]) + ": "
	do(pushes+"won, or there already", func(s *situation, r *player) string { s.record, r.at = next, clears; return "" })
	do(pushes+"unknown, but it is there", func(s *situation, _ *player) string { s.record = next; return "" })
	if t.forgets {
		do(pushes+"lost", func(_ *situation, r *player) string { r.at = clears; return "" })
	}
}

// end is the end of a run that has nothing more to do.
func (t *turn) end(s *situation, r *player) (broken string) {
	if r.heard == receipt && !confirmed(t.records[s.record])[int(r.attempt)] {
		broken = brokenReceipt
	}
	s.disk[r.attempt] = nothing
	r.rest()
	return broken
}

func (r *player) rest() {
	if r.late != (push{}) {
		r.late.orphan = 1
	}
	*r = player{starts: r.starts, late: r.late}
}
