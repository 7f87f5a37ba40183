package ledger

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
)

// Intend returns the record of a delivery's next attempt: the first, or one more after a release.
func Intend(old *Record, intent Record) *Record {
	next := intent
	next.Format, next.State, next.Attempt = Format, Intended, 1
	next.UpdatedAt = next.IntendedAt
	if old != nil {
		next.Attempt = old.Attempt + 1
		next.Nonces = append(slices.Clone(old.Nonces), intent.Nonces...)
		next.Late = old.Late
	}
	return &next
}

// Adopt returns the first record of a delivery that was never attempted from here: one that was posted by other means,
// or that is never to be sent.
func Adopt(rec Record, res Resolution) *Record {
	rec.Format, rec.State, rec.Resolution, rec.Post = Format, res.Decision, &res, res.Post
	return &rec
}

// Settle returns the record after the outcome of one attempt. If the attempt has been resolved meanwhile, or another
// one been made, both facts are kept, and a receipt wins. It returns old itself if the outcome stands there already.
func Settle(old *Record, nonce, run string, out Outcome, post *Post) (*Record, error) {
	attempt := slices.Index(old.Nonces, nonce) + 1
	if attempt == 0 {
		return nil, fmt.Errorf("%s: the ledger does not know this attempt", old.Key)
	}
	if old.holds(attempt, out) {
		return old, nil
	}
	next := *old
	next.UpdatedAt = out.At
	if attempt == old.Attempt && old.State.Open() && (old.State == Intended || post != nil) {
		next.State, next.Outcome, next.Post = settled(out.Kind), &out, post
		return &next, nil
	}
	next.Late = append(slices.Clone(old.Late), Late{Attempt: attempt, Run: run, Outcome: out, Post: post})
	if post != nil {
		if !old.Confirmed() {
			next.Post = post
		}
		next.State = Delivered
	}
	return &next, nil
}

func settled(kind string) State {
	if kind == Unsent {
		return Released
	}
	return State(kind)
}

func (r *Record) holds(attempt int, out Outcome) bool {
	if attempt == r.Attempt && r.Outcome != nil && r.Outcome.equal(out) {
		return true
	}
	return slices.ContainsFunc(r.Late, func(l Late) bool { return l.Attempt == attempt && l.Outcome.equal(out) })
}

func (o Outcome) equal(p Outcome) bool {
	same := o.At.Equal(p.At)
	o.At = p.At
	return same && o == p
}

// Resolve returns the record after a maintainer's decision about an open delivery.
func Resolve(old *Record, res Resolution) (*Record, error) {
	if !old.State.Open() {
		return nil, fmt.Errorf("%s is %s, not open", old.Key, old.State)
	}
	next := *old
	res.Of = old.State
	next.State, next.Resolution, next.Post, next.UpdatedAt = res.Decision, &res, res.Post, res.At
	return &next, nil
}

// Resolved reports whether the record holds a decision already.
func (r *Record) Resolved(res Resolution) bool {
	own := r.Resolution
	return own != nil && own.Decision == res.Decision && own.By == res.By && own.Reason == res.Reason && own.At.Equal(res.At)
}

// checkStep says why no runner and no maintainer can have led a delivery from old to next. Old is nil for the first
// record of a delivery.
func checkStep(old, next *Record) error {
	if old == nil && next.Attempt == 0 {
		return checkAdopted(next)
	}
	if old == nil {
		if next.State != Intended || next.Attempt != 1 || next.Late != nil {
			return fmt.Errorf("a delivery cannot begin as %s, attempt %d", next.State, next.Attempt)
		}
		return checkFresh(next)
	}
	if old.State == Released && next.Attempt == old.Attempt+1 {
		if next.State != Intended || !slices.Equal(next.Nonces[:old.Attempt], old.Nonces) || !sameLate(next.Late, old.Late) {
			return errors.New("a new attempt that does not continue the last one")
		}
		return checkFresh(next)
	}
	if !sameAttempt(old, next) {
		return errors.New("what an attempt is about was changed")
	}
	if len(next.Late) == len(old.Late)+1 {
		return checkLate(old, next)
	}
	if !sameLate(next.Late, old.Late) {
		return errors.New("late facts were changed")
	}
	return checkSettled(old, next)
}

// checkFresh is for an intent: nothing can be known about its outcome yet.
func checkFresh(next *Record) error {
	if next.Outcome != nil || next.Resolution != nil || next.Post != nil {
		return errors.New("an intent that knows its outcome")
	}
	return nil
}

// checkAdopted is for a delivery that begins with its end.
func checkAdopted(next *Record) error {
	res := next.Resolution
	if res == nil || res.Of != "" || res.Decision != next.State || !reflect.DeepEqual(next.Post, res.Post) || next.Outcome != nil || next.Late != nil {
		return errors.New("a delivery without an attempt, whose record does not say who settled it")
	}
	return nil
}

func checkSettled(old, next *Record) error {
	resolved := !reflect.DeepEqual(old.Resolution, next.Resolution)
	heard := !reflect.DeepEqual(old.Outcome, next.Outcome)
	switch {
	case !old.State.Open() || resolved == heard:
	case resolved && next.Resolution != nil && next.Resolution.Of == old.State && next.Resolution.Decision == next.State &&
		!next.State.Open() && reflect.DeepEqual(next.Post, next.Resolution.Post):
		return nil
	case heard && next.Outcome != nil && settled(next.Outcome.Kind) == next.State && next.State != Intended && next.State != Abandoned &&
		(old.State == Intended || next.State == Delivered):
		return nil
	}
	return fmt.Errorf("no way leads from %s to %s", old.State, next.State)
}

// checkLate is for an outcome that came after its attempt was resolved: one fact more, and nothing else but the post.
func checkLate(old, next *Record) error {
	last := next.Late[len(old.Late)]
	same := reflect.DeepEqual(old.Outcome, next.Outcome) && reflect.DeepEqual(old.Resolution, next.Resolution)
	switch {
	case !same || !sameLate(next.Late[:len(old.Late)], old.Late):
	case last.Attempt < 1 || last.Attempt > old.Attempt || (last.Outcome.Kind == string(Delivered)) != (last.Post != nil):
	case last.Post == nil && next.State == old.State && reflect.DeepEqual(next.Post, old.Post):
		return nil
	case last.Post != nil && next.State == Delivered && (*next.Post == *last.Post || old.Confirmed() && reflect.DeepEqual(next.Post, old.Post)):
		return nil
	}
	return errors.New("a late fact that does not fit")
}

func sameLate(a, b []Late) bool {
	return slices.EqualFunc(a, b, func(x, y Late) bool { return reflect.DeepEqual(x, y) })
}

func sameAttempt(old, next *Record) bool {
	return next.Attempt == old.Attempt && slices.Equal(next.Nonces, old.Nonces) && next.Key == old.Key &&
		next.Revision == old.Revision && next.Path == old.Path && next.Text == old.Text && next.Author == old.Author &&
		next.PayloadSHA256 == old.PayloadSHA256 && next.IntendedAt.Equal(old.IntendedAt) && next.Run == old.Run
}
