//go:build unix

package main

import (
	"cmp"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

var soak = flag.Duration("soak", 0, "for how long random histories are made and judged")

const oneHistory = time.Minute

// TestHistory lets runners, maintainers, an author and a bad weather act at once and at random, and judges all that was
// seen: see judge. In the end the weather clears up, an honest maintainer resolves what is open, and everything due has
// been delivered exactly once. In every fourth history, by its seed, one of the maintainers resolves without looking at the feed; then
// a second post is his fault, and everything else must hold.
func TestHistory(t *testing.T) {
	if *soak == 0 {
		t.Skip("without -soak; see make soak")
	}
	var all histories
	for n, deadline := uint64(0), time.Now().Add(*soak); time.Now().Before(deadline); n++ {
		seed, length := *seed+n, min(time.Until(deadline), oneHistory)
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			h := newHistory(t, seed, seed%4 != 3)
			defer func() { all.add(h) }()
			h.live(length)
			h.heal()
			h.judge.verdict(h.world, h.honest)
			h.audit()
		})
	}
	t.Log(all)
	if *soak >= 5*time.Minute {
		all.demandEverything(t)
	}
}

// history is a world in which several act at once, and all that was seen of it.
type history struct {
	*world
	judge    *judge
	seed     uint64
	honest   bool
	storm    float64 // how likely a push is struck
	peace    float64 // how likely a run has no mishap
	program  string  // the one with a clock
	http     string  // the remote's address for those whom the weather strikes
	linkedIn string  // LinkedIn's address for all
	gits     pending
	posts    pending

	mu      sync.Mutex // the author's
	drafts  map[string]*draft
	serial  int
	resolve sync.Mutex // maintainers talk to each other
	over    chan struct{}
	calm    bool // no more bad weather; of judge.mu
}

func newHistory(t testing.TB, seed uint64, honest bool) *history {
	h := &history{world: newWorld(t, "first:linkedin-en", "first:linkedin-ru"), seed: seed, honest: honest, over: make(chan struct{})}
	h.storm, h.peace = []float64{0.05, 0.1, 0.4}[seed%3], []float64{0.3, 0.6}[seed/3%2]
	h.drafts = map[string]*draft{}
	for _, key := range []string{"first:linkedin-en", "first:linkedin-ru"} {
		h.drafts[postPath(key)] = &draft{key: key, text: textOf(key)}
	}
	h.Delay = 200 * time.Millisecond
	h.judge = newJudge(h.remote)
	program, err := exec.LookPath("git-socialpost-clock")
	h.check(err)
	h.program = program
	git, err := installShim(h.dir)
	h.check(err)
	h.env = append(h.env, "REALGIT="+git)
	file := h.url
	h.serveHTTP(h.weather)
	h.http, h.url = h.url, file
	server := httptest.NewUnstartedServer(http.HandlerFunc(h.receive))
	server.Config.ConnState = h.posts.connection
	server.Start()
	t.Cleanup(server.Close)
	h.linkedIn = server.URL
	return h
}

// live lets all act for a while.
func (h *history) live(length time.Duration) {
	h.Logf("%v with -seed %d, honest: %v", length.Round(time.Second), h.seed, h.honest)
	careless := !h.honest
	acts := map[string]func(*actor){
		"runner-1": (*actor).deliver, "runner-2": (*actor).deliver, "runner-3": (*actor).deliver, "runner-4": (*actor).deliver,
		"maintainer-1": func(a *actor) { a.maintain(false) },
		"maintainer-2": func(a *actor) { a.maintain(careless) },
		"author":       (*actor).write, "gardener": (*actor).tend, "linkedin": (*actor).fault, "watcher": (*actor).watch,
	}
	var group sync.WaitGroup
	for i, name := range slices.Sorted(maps.Keys(acts)) {
		a := &actor{history: h, Rand: rand.New(rand.NewPCG(h.seed, uint64(i))), name: name}
		group.Go(func() {
			for !h.ended() && !h.Failed() {
				acts[name](a)
			}
		})
	}
	time.AfterFunc(length, func() { close(h.over) })
	group.Wait()
	h.judge.mu.Lock()
	h.calm = true
	h.judge.mu.Unlock()
	for _, op := range h.judge.operations { // whose git may have outlived it
		if op.status < 0 && !eventually(time.Minute, func() bool { return h.harmless(op.run) }) {
			h.Errorf("%s has left a process behind", op)
		}
	}
}

func (h *history) ended() bool {
	select {
	case <-h.over:
		return true
	default:
		return false
	}
}

// heal lets an honest maintainer resolve what is open, and runners deliver what is due, until there is no more; then one
// more run sends nothing, and every post on the branch is where it belongs.
func (h *history) heal() {
	a := &actor{history: h, Rand: rand.New(rand.NewPCG(h.seed, 99)), name: "healer"}
	m := h.clone("healer")
	deliver := func() *operation { return a.run(m, mishap{}, "deliver", "--json", "--limit=1000") }
	for range 60 { // LinkedIn is armed still
		if deliver(); len(h.judge.open()) == 0 {
			break
		}
		for _, rec := range h.judge.open() {
			if !h.settled(rec, time.Minute) {
				h.Errorf("%s: something of %s goes on", rec.Key, rec.Run)
			}
			op := a.run(m, mishap{clock: a.later(rec)}, append(append([]string{"resolve", rec.Key}, a.decision(rec)...), "--yes")...)
			if op.status != 0 {
				h.Logf("%s: exit status %d\n%s", op, op.status, op.stderr)
			}
		}
	}
	sent := h.Received()
	last := deliver()
	if last.status != 0 && last.status != exitError || h.Received() != sent {
		h.Errorf("the last run: exit status %d, %d POSTs\n%s", last.status, h.Received()-sent, last.stderr)
	}
	h.checkDue(last)
}

// checkDue compares what the last run says with what the author has left on the branch.
func (h *history) checkDue(last *operation) {
	says := map[string]decision{}
	for _, d := range last.decisions() {
		says[d.Key] = d.Decision
	}
	for path, d := range h.drafts {
		want := []decision{delivered, abandoned}
		switch {
		case d.invalid:
			want = append(want, invalid)
		case d.twin:
			want = []decision{held}
		case d.scheduled:
			want = append(want, scheduled)
		}
		if !slices.Contains(want, says[d.key]) {
			h.Errorf("%s: %s is %q in the end, want one of %q\n%s", path, d.key, says[d.key], want, h.judge.tell(d.key))
		}
	}
}

// histories counts what happened in all histories.
type histories struct {
	histories, transitions, posts, feed int
	runs, mishaps, statuses             map[string]int
	decisions                           map[decision]int
}

func (t *histories) add(h *history) {
	if t.runs == nil {
		t.runs, t.mishaps, t.statuses, t.decisions = map[string]int{}, map[string]int{}, map[string]int{}, map[decision]int{}
	}
	t.histories++
	t.transitions += len(h.judge.journal)
	t.posts += h.Received()
	t.feed += len(h.Stored())
	for _, op := range h.judge.operations {
		name := op.args[0]
		if name == "resolve" {
			name += " " + op.args[2]
		}
		t.runs[name]++
		t.mishaps[strings.Join(strings.Fields(cmp.Or(op.mishap, "none"))[:1], " ")]++
		t.statuses[fmt.Sprintf("%s %d", op.args[0], op.status)]++
	}
	for d, n := range h.judge.decisionsReached() {
		t.decisions[d] += n
	}
}

func (t histories) String() string {
	return fmt.Sprintf("%d histories: %d transitions, %d POSTs, %d in the feed\nruns %v\nmishaps %v\nexit statuses %v\ndecisions %v",
		t.histories, t.transitions, t.posts, t.feed, t.runs, t.mishaps, t.statuses, t.decisions)
}

func (t histories) demandEverything(tb testing.TB) {
	for _, d := range []decision{send, delivered, open, blocked, held, scheduled, abandoned, invalid} {
		if t.decisions[d] == 0 {
			tb.Errorf("no run ever decided %q", d)
		}
	}
}
