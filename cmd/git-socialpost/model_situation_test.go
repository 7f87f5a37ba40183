package main

import (
	"slices"
	"time"

	"github.com/git-socialpost/git-socialpost/ledger"
)

// situation is everything that decides what can happen next. What belongs to an attempt is indexed by its number.
type situation struct {
	record  id                  // on the remote
	asked   uint8               // requests since "not posted" was said last
	feed    [attempts + 1]uint8 // posts
	queue   uint8               // the attempt whose request a tardy platform has yet to store
	age     [attempts + 1]uint8 // of the intents
	disk    [attempts + 1]heard // the recovery records
	runners crew
	look    look
}

type crew [slots]player

// player is a runner.
type player struct {
	at      place
	starts  uint8 // that it has left
	seen    id    // the record as it was fetched, while an intent is to be pushed
	attempt uint8 // that it takes for its own
	stored  uint8 // that is its own: the ledger has its intent
	heard   heard
	late    push
}

// place is where a runner stands in deliverOne: what it does next.
type place uint8

const (
	rests    place = iota
	intends        // push the intent
	doubts         // after a push that was not won: look what became of it
	readies        // the intent is in the ledger: connect, and look at the clock
	rechecks       // the intent is not quite young, and still there: look at the clock again
	posts          // make the request
	keeps          // write the recovery record
	settles        // push the outcome
	clears         // remove the recovery record
)

// heard is the kind of an outcome.
type heard uint8

const (
	nothing heard = iota
	receipt
	noAnswer
	refused
	notSent
)

var outcomeKinds = [...]ledger.State{"", ledger.Delivered, ledger.Unknown, ledger.Rejected, ledger.Unsent}

// push is an intent on its way: a compare-and-swap of the record. A slow server may have yet to carry it out.
type push struct {
	base, next id
	attempt    uint8
	age        uint8
	orphan     uint8 // the run that made it is over
}

// look is what a maintainer has seen, and will act upon.
type look struct {
	attempt uint8
	post    uint8 // the post's attempt; 0: none in the feed
}

// author says whose transition a change is.
type author uint8

const (
	byIntent author = iota
	byRunner
	byMaintainer
)

// Ages of an intent: young enough to be sent, to be sent after another look, too old to be sent, and so old that its
// runner is taken for dead.
var ages = [...]time.Duration{freshAge / 2, maxAge / 2, aliveFor / 2, aliveFor * 2}

const dead = uint8(len(ages) - 1)

// tidy makes situations equal that differ in what nobody will ask for any more. No record comes twice.
func (s *situation) tidy(m *model) {
	rec := m.records[s.record]
	intended := func(attempt int) bool { return rec != nil && rec.Attempt == attempt && rec.State == ledger.Intended }
	for i := range s.runners {
		r := &s.runners[i]
		if r.at != intends {
			r.seen = 0
		}
		if r.late.base != s.record && !m.noLease {
			r.late = push{}
		}
	}
	for attempt := range s.age {
		if !intended(attempt) && !s.runners.ask(attempt) {
			s.age[attempt] = dead
		}
		if s.disk[attempt] != receipt && !intended(attempt) || confirmed(rec)[attempt] {
			s.disk[attempt] = nothing
		}
	}
	if !m.unbound && (rec == nil || !rec.State.Open() || rec.Attempt != int(s.look.attempt)) {
		s.look = look{}
	}
}

// ask reports whether a runner will look at the age of an attempt's intent.
func (c *crew) ask(attempt int) bool {
	return slices.ContainsFunc(c[:], func(r player) bool {
		return int(r.attempt) == attempt && (r.at == readies || r.at == rechecks || r.at == posts)
	})
}

func (s *situation) posts() (ids []string) {
	for attempt, n := range s.feed {
		for range n {
			ids = append(ids, modelPost(uint8(attempt)).ID)
		}
	}
	return ids
}

func (c *crew) resting() bool {
	return !slices.ContainsFunc(c[:], func(r player) bool { return r.at != rests || r.late != (push{}) })
}
