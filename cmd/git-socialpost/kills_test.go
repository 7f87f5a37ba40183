package main

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/git-socialpost/git-socialpost/ledger"
	"github.com/git-socialpost/git-socialpost/linkedin/sandbox"
)

// A delivery over HTTP is killed at the entry of its n-th system call that others can see, of git-socialpost and of all
// its gits together, for every n (with -exhaustive) or for some. It is run again in the same clone, then in a fresh one.
// For every n:
//   - LinkedIn receives one POST at most, and none before its intent is on the remote;
//   - once a recovery record was written, the receipt is on the remote or that record brings it there;
//   - every run ends with a documented status, and says why and what to do;
//   - the delivery is delivered, or open and listed by resolve; if nothing was intended, the fresh clone delivers it;
//   - the ledger is sound.
func TestKills(t *testing.T) {
	origin := newWorld(t, noteKey)
	t.Logf("-seed=%d", *seed)
	random := rand.New(rand.NewPCG(*seed, 0))
	for _, lost := range []bool{false, true} {
		for _, who := range []death{wholeTree, onlyTool} {
			k := &killing{origin: origin, lost: lost, who: who, outcomes: map[string]int{}}
			t.Run(fmt.Sprintf("%s,answer-lost=%v", who, lost), func(t *testing.T) { k.walk(t, random) })
		}
	}
}

// death says who dies.
type death string

const (
	nobody    death = ""
	onlyTool  death = "tool" // git-socialpost; its gits live on
	wholeTree death = "tree" // git-socialpost and all its gits
)

// syscallPoint is where a process can die: at the entry of a system call of a program.
type syscallPoint struct{ program, call, target string } // target: a rename's

var errNoTrace = errors.New("this system does not let a process be traced")

// sample is how many points of a walk are tried without -exhaustive; slack, by how many a delivery can have more than
// the one that was counted.
const sample, slack = 2, 20

// killing is a walk over the points of one delivery.
type killing struct {
	origin   *world
	lost     bool // LinkedIn stores the post, and its answer is lost
	who      death
	mu       sync.Mutex
	outcomes map[string]int
}

func (k *killing) walk(t *testing.T, random *rand.Rand) {
	points, died := k.try(t, 0)
	if died {
		t.Fatal("nobody was to die")
	}
	t.Logf("%d points: %s", len(points), countPoints(points))
	var chosen []int
	for n := range len(points) + slack {
		if *exhaustive && inPart(t, uint32(n)) {
			chosen = append(chosen, 1+n)
		}
	}
	for range sample {
		chosen = append(chosen, 1+random.IntN(len(points)))
	}
	t.Run("points", func(t *testing.T) {
		for _, n := range chosen {
			t.Run(fmt.Sprint(n), func(t *testing.T) { k.try(t, n) }) // one by one: a tracer waits for all children of its thread
		}
	})
	t.Logf("%d tried, outcomes: %v", len(chosen), k.outcomes)
}

func countPoints(points []syscallPoint) string {
	count := map[string]int{}
	for _, p := range points {
		count[p.program+" "+p.call]++
	}
	var lines strings.Builder
	for _, name := range slices.Sorted(maps.Keys(count)) {
		fmt.Fprintf(&lines, "\n%5d %s", count[name], name)
	}
	return lines.String()
}

// try kills a delivery at its n-th point, and looks at what follows.
func (k *killing) try(t *testing.T, n int) (points []syscallPoint, died bool) {
	w, idle := k.world(t)
	m := w.clone("runner", k.depth(n)...)
	cmd := m.command("deliver")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	status, err := trace(cmd, func(p syscallPoint) death {
		points = append(points, p)
		if len(points) == n {
			died = true
			return k.who
		}
		return nobody
	})
	cmd.Wait()
	if errors.Is(err, errNoTrace) {
		t.Skip(err)
	}
	w.check(err)
	idle()
	if !died {
		w.check(result{status: status, stderr: stderr.String()}.unexplained())
	}
	defer func() {
		if t.Failed() {
			t.Logf("-seed=%d: %s died at point %d, %v", *seed, k.who, n, points[len(points)-1])
		}
	}()
	outcome := k.judge(m, n, points)
	k.mu.Lock()
	defer k.mu.Unlock()
	k.outcomes[outcome]++
	return points, died
}

// depth makes every other clone a shallow one.
func (k *killing) depth(n int) []string {
	if n%2 == 0 {
		return nil
	}
	return []string{"--depth=1"}
}

// world copies the prepared world, and serves it over HTTP. What idle waits for is the end of every request.
func (k *killing) world(t *testing.T) (w *world, idle func()) {
	w = &world{TB: t, dir: t.TempDir()}
	w.check(os.CopyFS(w.dir, os.DirFS(k.origin.dir)))
	li, err := newLinkedIn(filepath.Join(w.dir, "remote.git"))
	w.check(err)
	t.Cleanup(li.close)
	w.linkedIn, w.env = li, environment(filepath.Join(w.dir, "home"), li)
	if k.lost {
		w.check(li.Arm(sandbox.Fault{Kind: "close", When: "after", Count: 1}))
	}
	var requests sync.RWMutex
	w.serveHTTP(func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
			requests.RLock()
			defer requests.RUnlock()
			next.ServeHTTP(rw, r)
		})
	})
	return w, func() { requests.Lock(); defer requests.Unlock() }
}

// judge runs the delivery again, here and in a fresh clone, and says how it stands in the end.
func (k *killing) judge(m *machine, n int, points []syscallPoint) (outcome string) {
	before := m.records()[noteKey]
	kept := m.kept()
	if m.heard(points) && len(kept) == 0 && (before == nil || before.State == ledger.Intended) {
		m.Fatal("the answer was kept, and is lost")
	}
	again := m.run("deliver")
	m.check(again.unexplained())
	if strings.Contains(again.stderr, ".lock") {
		outcome = "a stale lock, then "
	}
	for _, file := range kept {
		if rec := m.records()[noteKey]; rec != nil && rec.State.Open() {
			r := m.run("resolve", noteKey, "--from", file, "--yes")
			if r.status == exitError && strings.Contains(r.stderr, ".lock") { // left by a git that was killed; git says what to do
				m.check(os.Remove(filepath.Join(m.dir, ".git", "refs", "socialpost", "draft.lock")))
				r = m.must(0, "resolve", noteKey, "--from", file, "--yes")
			}
			m.check(r.unexplained())
		}
	}
	fresh := m.clone("fresh", k.depth(n+1)...)
	last := fresh.run("deliver")
	m.check(last.unexplained())
	if m.Received() > 1 {
		m.Fatalf("LinkedIn received %d POSTs", m.Received())
	}
	rec := m.records()[noteKey]
	switch {
	case rec == nil:
		m.Fatalf("nothing is recorded, and a fresh clone does not deliver: %+v", last)
	case rec.State == ledger.Delivered && last.status != 0:
		m.Fatalf("delivered, and a fresh clone says %+v", last)
	case rec.State != ledger.Delivered && !strings.Contains(fresh.must(0, "resolve").stdout, noteKey):
		m.Fatalf("%s, and resolve does not list it", rec.State)
	}
	m.audit()
	return outcome + string(rec.State)
}

// heard reports whether the tool wrote a recovery record: the rename was done, for the tool went on.
func (m *machine) heard(points []syscallPoint) bool {
	renamed := slices.IndexFunc(points, func(p syscallPoint) bool { return strings.Contains(p.target, "/socialpost/recovery/") })
	return renamed >= 0 && slices.ContainsFunc(points[renamed+1:], func(p syscallPoint) bool { return p.program == "git-socialpost" })
}
