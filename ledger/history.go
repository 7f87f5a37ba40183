package ledger

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// headline is the end of a commit's subject.
func (r *Record) headline() string {
	switch {
	case len(r.Late) > 0 && r.UpdatedAt.Equal(r.Late[len(r.Late)-1].Outcome.At):
		late := r.Late[len(r.Late)-1]
		return fmt.Sprintf("late answer to attempt %d: %s", late.Attempt, late.Outcome.Kind)
	case r.State == Delivered:
		return "delivered, " + r.Post.ID
	case r.State == Released && r.Resolution != nil:
		return "released, not posted"
	}
	return string(r.State)
}

// story is the body of a commit's message.
func (r *Record) story() string {
	s := fmt.Sprintf("Attempt %d of %s at %.12s.", r.Attempt, oneLine(r.Path), r.Revision)
	if r.Attempt == 0 {
		s = "No attempt from here."
	}
	if r.Resolution != nil {
		s += fmt.Sprintf("\nResolved by %s: %s", oneLine(r.Resolution.By), oneLine(r.Resolution.Reason))
	}
	if r.Post != nil {
		s += "\n" + r.Post.URL
	}
	return s
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// Entry is one transition, as it was recorded.
type Entry struct {
	Commit string
	At     time.Time
	Record *Record
}

// History returns the transitions of one delivery, or of all for the zero key, newest first. Whole is false where a
// shallow clone has only the newest.
func (l *Ledger) History(k Key) (history []Entry, whole bool, err error) {
	whole = true
	for _, name := range sortedKeys(l.tips) {
		if k != (Key{}) && l.shardOf(k) != name {
			continue
		}
		c := l.tips[name]
		for c != nil && c.seq > 0 {
			if k == (Key{}) || c.delivery == k.String() {
				e, err := l.entry(c)
				if err != nil {
					return nil, false, err
				}
				history = append(history, e)
			}
			if c, err = l.commit(c.parent); err != nil {
				return nil, false, err
			}
		}
		whole = whole && c != nil
	}
	slices.SortStableFunc(history, func(a, b Entry) int { return b.At.Compare(a.At) })
	return history, whole, nil
}

func (l *Ledger) entry(c *commit) (Entry, error) {
	k, err := ParseKey(c.delivery)
	if err != nil {
		return Entry{}, err
	}
	rec, err := l.recordAt(c.tree+":"+l.dirOf(k, c.state), k.String())
	if err == nil && rec == nil {
		err = &DamageError{Commit: c.id, Reason: "has a commit without its record"}
	}
	if err != nil {
		return Entry{}, err
	}
	return Entry{Commit: c.id, At: rec.UpdatedAt, Record: rec}, nil
}
