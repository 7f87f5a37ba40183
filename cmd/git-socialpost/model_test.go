package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/git-socialpost/git-socialpost/ledger"
)

// protocol is the protocol of one delivery as it is built. Each switch takes one protection away, or lets somebody
// outside it do what its promise cannot survive.
type protocol struct {
	noLease    bool // a push overwrites whatever is there
	unknownWon bool // a push whose fate is unknown counts as won
	unknownNew bool // it counts as lost, and the runner goes on with a new nonce
	equalWins  bool // runners share one nonce, and git's "=" (up to date) counts as won
	expires    bool // an intent that is old enough counts as free
	resends    bool // a request without an answer is made again
	guesses    bool // a request without an answer counts as not sent
	sleepwalks bool // no look at the clock before the request
	forgets    bool // an outcome is pushed once, and never again
	hurried    bool // --not-posted does not wait for 15 minutes
	unbound    bool // a maintainer's word lands on whichever attempt is there by then
	tardy      bool // the platform stores a request after a maintainer has looked
	unattended bool // nobody resolves anything
}

// TestModel visits every situation that two runners, one of which starts twice, can get into with a truthful maintainer, a
// slow git server and a platform that loses answers, crashing anywhere; with -slow, three runners, too. The rules are the
// product's own: decide, resolvable, attempt.age, recovery.merge, ledger.Intend, ledger.Settle, ledger.Resolve. In each:
//
//   - a request follows its own intent, once, and there is one more than "not posted" was said at most;
//   - the feed never holds two posts; it is empty while the delivery is free, and holds what the ledger names;
//   - the ledger never loses a receipt, and no run that ends well leaves one out of it;
//   - no runner takes its own intent for another's;
//   - without another crash, something still leads to an end: delivered, abandoned, or free again.
func TestModel(t *testing.T) {
	for name, starts := range map[string][]uint8{"two runners": {2, 1}, "three runners": {1, 1, 1}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if len(starts) > 2 && !*slow {
				t.Skip("without -slow")
			}
			m := newModel(protocol{})
			broken, at := m.explore(starts, "")
			if broken != "" {
				t.Fatalf("%s:\n%s", broken, m.story(at))
			}
			t.Logf("%d situations, %d moves, %d records", len(m.nodes), len(m.edges), len(m.records))
			if len(m.refused) > 0 {
				t.Errorf("the product refuses what its own functions lead to: %q", m.refused)
			}
			if len(m.nodes) < 5000 {
				t.Error("the model is too small to prove anything")
			}
		})
	}
}

// Each protection is needed: without it the model finds a way to break the promise. With -v it prints the shortest.
func TestModelCatches(t *testing.T) {
	for name, test := range map[string]struct {
		without protocol
		breaks  string
	}{
		"a push without a lease":                  {protocol{noLease: true}, brokenFeed},
		"an unknown push counts as won":           {protocol{unknownWon: true}, brokenFeed},
		"an unknown push gets a new nonce":        {protocol{unknownNew: true}, brokenOwn},
		"one nonce, and = counts as won":          {protocol{equalWins: true}, brokenFeed},
		"intents expire":                          {protocol{expires: true}, brokenFeed},
		"a request without an answer is repeated": {protocol{resends: true}, brokenFeed},
		"no answer counts as not sent":            {protocol{guesses: true}, brokenFeed},
		"a paused runner wakes up and posts":      {protocol{sleepwalks: true}, brokenFeed},
		"an outcome is pushed only once":          {protocol{forgets: true}, brokenReceipt},
		"not posted is believed at once":          {protocol{hurried: true}, brokenFeed},
		"a word about another attempt":            {protocol{unbound: true}, brokenFeed},
		"a platform that stores late":             {protocol{tardy: true}, brokenFeed}, // a limit, not a mistake
		"nobody resolves":                         {protocol{unattended: true}, brokenEnd},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, starts := range [][]uint8{{1, 1}, {1, 1, 1}} {
				m := newModel(test.without)
				if broken, at := m.explore(starts, test.breaks); broken != "" {
					t.Logf("%s:\n%s", broken, m.story(at))
					return
				}
			}
			t.Error("not caught")
		})
	}
}

// What a promise is broken by.
const (
	brokenIntent  = "a request without its own intent in the ledger"
	brokenOnce    = "more requests than were allowed"
	brokenFeed    = "two posts in the feed"
	brokenFree    = "free to be sent, and posted already"
	brokenName    = "delivered, but the feed does not hold that post"
	brokenReceipt = "a receipt was lost"
	brokenOwn     = "a runner took its own intent for another's"
	brokenEnd     = "nothing leads out of here"
)

// model explores a protocol. Records are numbered, so that situations are small and can be compared.
type model struct {
	protocol
	records []*ledger.Record // as the ledger reads them; number 0 is no record
	numbers map[string]id    // by their stored form
	known   map[change]id
	refused []string // by the product, of what the model asked of it
	nodes   []node
	edges   []edge
	visited map[situation]int32
}

type id uint16

// change is a transition of the ledger, to be made by the product once and remembered.
type change struct {
	from    id
	what    ledger.State // that a runner heard, or a maintainer decided
	by      author
	attempt uint8
}

// node is a situation, and the first move that led there.
type node struct {
	situation
	before int32
	by     string
	did    string
}

type edge struct{ from, to int32 }

func newModel(p protocol) *model {
	return &model{protocol: p, records: []*ledger.Record{nil}, numbers: map[string]id{}, known: map[change]id{}, visited: map[situation]int32{}}
}

// explore goes breadth first, and returns the first breach that is the wanted one ("": any) and where it was found.
func (m *model) explore(starts []uint8, wanted string) (broken string, at int32) {
	first := situation{}
	for i, n := range starts {
		first.runners[i].starts = n
	}
	m.visit(first, node{})
	for i := int32(0); int(i) < len(m.nodes); i++ {
		from := m.nodes[i].situation
		for _, v := range m.moves(from) {
			to := m.visit(v.to, node{before: i, by: v.by, did: v.did})
			if v.did != crashes {
				m.edges = append(m.edges, edge{i, to})
			}
			for _, broken := range append(m.breaches(&from, &v.to), v.broken) {
				if broken != "" && (wanted == "" || broken == wanted) {
					if m.nodes[to].before != i {
						to = m.append(node{situation: v.to, before: i, by: v.by, did: v.did})
					}
					return broken, to
				}
			}
		}
	}
	if wanted == "" || wanted == brokenEnd {
		return m.stuck()
	}
	return "", 0
}

func (m *model) visit(s situation, n node) int32 {
	form := s.canonical()
	at, seen := m.visited[form]
	if !seen {
		n.situation = s
		at = m.append(n)
		m.visited[form] = at
	}
	return at
}

func (m *model) append(n node) int32 {
	m.nodes = append(m.nodes, n)
	return int32(len(m.nodes) - 1)
}

// breaches are the promises that do not hold after a move.
func (m *model) breaches(from, to *situation) (broken []string) {
	old, rec := m.records[from.record], m.records[to.record]
	if from.record == to.record && from.feed == to.feed {
		return nil
	}
	for attempt := range confirmed(old) {
		if !confirmed(rec)[attempt] {
			broken = append(broken, brokenReceipt)
		}
	}
	posts := to.posts()
	if len(posts) > 1 {
		broken = append(broken, brokenFeed)
	}
	if (rec == nil || rec.State == ledger.Released) && len(posts) > 0 {
		broken = append(broken, brokenFree)
	}
	if rec != nil && rec.State == ledger.Delivered && !slices.Contains(posts, rec.Post.ID) {
		broken = append(broken, brokenName)
	}
	return broken
}

// confirmed are the attempts whose own post the platform confirmed.
func confirmed(r *ledger.Record) map[int]bool {
	found := map[int]bool{}
	if r == nil {
		return found
	}
	if o := r.Outcome; o != nil && o.Kind == string(ledger.Delivered) {
		found[r.Attempt] = *r.Post == *modelPost(uint8(r.Attempt))
	}
	for _, l := range r.Late {
		if l.Post != nil {
			found[l.Attempt] = *l.Post == *modelPost(uint8(l.Attempt))
		}
	}
	return found
}

// stuck finds a situation from which no move but crashes leads to an end.
func (m *model) stuck() (broken string, at int32) {
	into := make([][]int32, len(m.nodes))
	for _, e := range m.edges {
		into[e.to] = append(into[e.to], e.from)
	}
	saved := make([]bool, len(m.nodes))
	var next []int32
	for i, n := range m.nodes {
		if rec := m.records[n.record]; n.runners.resting() && (rec == nil || !rec.State.Open()) {
			saved[i] = true
			next = append(next, int32(i))
		}
	}
	for len(next) > 0 {
		last := next[len(next)-1]
		next = next[:len(next)-1]
		for _, from := range into[last] {
			if !saved[from] {
				saved[from] = true
				next = append(next, from)
			}
		}
	}
	if i := slices.Index(saved, false); i >= 0 {
		return brokenEnd, int32(i)
	}
	return "", 0
}

// story tells how a situation came about.
func (m *model) story(at int32) string {
	var lines []string
	for i := at; i > 0; i = m.nodes[i].before {
		n := &m.nodes[i]
		lines = append(lines, fmt.Sprintf("  %-10s %-62s %s", n.by, n.did, m.outline(&n.situation)))
	}
	slices.Reverse(lines)
	return strings.Join(lines, "\n")
}

// outline is what the ledger and the feed hold.
func (m *model) outline(s *situation) string {
	said := "no record"
	if r := m.records[s.record]; r != nil {
		said = fmt.Sprintf("attempt %d %s", r.Attempt, r.State)
	}
	return fmt.Sprintf("| %-20s | %d in the feed", said, len(s.posts()))
}

var modelKey = ledger.Key{Slug: "note", Channel: "linkedin-en"}

func modelTime(n uint8) time.Time { return now.Add(time.Duration(n) * time.Hour) }

func modelPost(attempt uint8) *ledger.Post {
	id := fmt.Sprintf("urn:li:share:%d", attempt)
	return &ledger.Post{ID: id, URL: "https://www.linkedin.com/feed/update/" + id + "/"}
}

func nonceOf(attempt uint8) string { return fmt.Sprintf("%032x", attempt) }

// make lets the product make a transition, and numbers what comes of it: nothing new where the product refuses.
func (m *model) make(c change) id {
	if to, seen := m.known[c]; seen {
		return to
	}
	old := m.records[c.from]
	to := c.from
	next, err := c.step(old)
	if err == nil && next != old {
		to, err = m.number(next.Encode())
	}
	if err != nil {
		m.refused = append(m.refused, fmt.Sprintf("%+v: %v", c, err))
	}
	m.known[c] = to
	return to
}

// number finds a record by its stored form, and reads it as every reader does when it is new.
func (m *model) number(stored []byte) (id, error) {
	if n, seen := m.numbers[string(stored)]; seen {
		return n, nil
	}
	rec, err := ledger.Decode(stored)
	if err != nil {
		return 0, err
	}
	n := id(len(m.records))
	m.records = append(m.records, rec)
	m.numbers[string(stored)] = n
	return n, nil
}

// step is the product's own.
func (c change) step(old *ledger.Record) (*ledger.Record, error) {
	switch c.by {
	case byRunner:
		out := ledger.Outcome{Kind: string(c.what), At: modelTime(c.attempt)}
		r := recovery{Key: modelKey.String(), Attempt: int(c.attempt), Nonce: nonceOf(c.attempt), Run: "host runner", Outcome: out}
		if c.what == ledger.Delivered {
			r.Post = modelPost(c.attempt)
		}
		return r.merge(old)
	case byMaintainer:
		res := ledger.Resolution{Decision: c.what, By: "A. Maintainer", Reason: "looked", At: modelTime(c.attempt)}
		if c.what == ledger.Delivered {
			res.Post = modelPost(c.attempt)
		}
		return ledger.Resolve(old, res)
	}
	return ledger.Intend(old, ledger.Record{
		Key: modelKey.String(), Nonces: []string{nonceOf(c.attempt)}, Revision: strings.Repeat("a", 40), Path: "social/note/linkedin-en.md",
		Text: strings.Repeat("b", 40), PayloadSHA256: strings.Repeat("c", 64), Author: "urn:li:person:782bbtaQ",
		IntendedAt: modelTime(c.attempt), Run: "host runner",
	}), nil
}

// canonical is the same for situations that differ in the names of the runners only.
func (s situation) canonical() situation {
	slices.SortFunc(s.runners[:], func(a, b player) int {
		return cmp.Or(
			cmp.Compare(a.at, b.at), cmp.Compare(a.starts, b.starts), cmp.Compare(a.seen, b.seen),
			cmp.Compare(a.attempt, b.attempt), cmp.Compare(a.stored, b.stored), cmp.Compare(a.heard, b.heard),
			cmp.Compare(a.late.next, b.late.next), cmp.Compare(a.late.age, b.late.age), cmp.Compare(a.late.orphan, b.late.orphan),
		)
	})
	return s
}
