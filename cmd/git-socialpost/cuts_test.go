package main

import (
	"bytes"
	"flag"
	"fmt"
	"hash/crc32"
	"io"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"text/tabwriter"
	"time"

	"github.com/git-socialpost/git-socialpost/ledger"
)

// No connection that fails, at whatever byte, leads to a second post or loses a receipt.
//
// One clean delivery tells which connections there are and how many bytes they carry. Then a delivery fails at a point
// of one of them, in a fresh world, and another one, where nothing fails, follows it. At every point
//   - at most one POST is made by the two, and the second makes none if the first did;
//   - what the answer's head confirmed is on the remote, once; only where the remote stays away is the exit status 4, and
//     then resolve --from brings it there;
//   - the second finds the delivery delivered or delivers it, or it is open, and then resolve lists it;
//   - both exit statuses are documented, with a reason and a hint, and the world passes its audit.
//
// That a gateway repeats a whole POST is out of a client's reach, so it is not tried. To repeat one point:
// -exhaustive -cuts-only git-2-response-00234-cut
func TestCuts(t *testing.T) {
	scout := newSite(t)
	points := scout.points(t)
	t.Logf("%d points, -seed=%d", len(points), *seed)
	if len(points) == 0 && *cutsOnly != "" {
		t.Fatalf("no point is called %s", *cutsOnly)
	}
	queue := make(chan point, len(points))
	for _, p := range points {
		queue <- p
	}
	close(queue)
	var seen tally
	t.Run("walk", func(t *testing.T) {
		for i := range 4 {
			t.Run(fmt.Sprint(i), func(t *testing.T) {
				t.Parallel()
				s := newSite(t)
				for p := range queue {
					t.Run(p.String(), func(t *testing.T) { seen.add(p, s.visit(t, p)) })
				}
			})
		}
	})
	t.Logf("status of the delivery that failed > of the one after it\n%s", seen.table())
}

var cutsOnly = flag.String("cuts-only", "", "only the points whose names contain `TEXT`")

// site is a template of a world, and the proxies before its servers.
type site struct {
	*world
	toGit, toLinkedIn *proxy
	platforms         sync.Map // *linkedIn by the name of its world
	visits            int
	untouched         bool // a rerun was seen to do well where the first run left no trace on the remote
}

func newSite(t testing.TB) *site {
	s := &site{world: newWorld(t, noteKey)}
	blog := &machine{world: s.world, dir: filepath.Join(s.dir, "blog")}
	config := filepath.Join(blog.dir, configFile)
	s.replace(config, `timeout = "10s"`, `timeout = "3s"`)
	blog.publish("less patience")
	s.check(os.RemoveAll(filepath.Join(s.remote, "hooks")))
	template := s.clone("template")
	s.check(os.RemoveAll(filepath.Join(template.dir, ".git", "hooks")))
	git, linkedIn := newWorkload(), newWorkload()
	s.serveHTTP(git.wrap)
	server := httptest.NewServer(linkedIn.wrap(http.HandlerFunc(s.platform)))
	t.Cleanup(server.Close)
	s.toGit = newProxy(t, strings.TrimSuffix(strings.TrimPrefix(s.url, "http://"), "/remote.git"), git, 300*time.Millisecond)
	s.toLinkedIn = newProxy(t, server.Listener.Addr().String(), linkedIn, time.Minute)
	return s
}

func (w *world) replace(file, old, new string) {
	w.Helper()
	data, err := os.ReadFile(file)
	w.check(err)
	if !bytes.Contains(data, []byte(old)) {
		w.Fatalf("%s does not contain %s", file, old)
	}
	w.check(os.WriteFile(file, bytes.ReplaceAll(data, []byte(old), []byte(new)), 0o666))
}

// platform serves the LinkedIn of the world that the path begins with.
func (s *site) platform(rw http.ResponseWriter, r *http.Request) {
	name, _, _ := strings.Cut(r.URL.Path[1:], "/")
	li, found := s.platforms.Load(name)
	body, err := io.ReadAll(r.Body)
	if !found || err != nil {
		return // half a request asks for nothing
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	http.StripPrefix("/"+name, http.HandlerFunc(li.(*linkedIn).serve)).ServeHTTP(rw, r)
}

// fresh is a world that nothing has happened to.
func (s *site) fresh(t testing.TB) *world {
	s.visits++
	name := fmt.Sprintf("w%05d", s.visits)
	w := &world{TB: t, dir: filepath.Join(s.dir, name)}
	w.check(os.Mkdir(w.dir, 0o777))
	t.Cleanup(func() { os.RemoveAll(w.dir) })
	remote := filepath.Join(w.dir, "remote.git")
	w.check(os.CopyFS(remote, os.DirFS(s.remote)))
	li, err := newLinkedIn(remote)
	w.check(err)
	t.Cleanup(li.close)
	w.linkedIn, w.url = li, "file://"+remote
	w.env = slices.Concat(s.env, []string{"SOCIALPOST_LINKEDIN_URL=http://" + s.toLinkedIn.addr + "/" + name})
	s.platforms.Store(name, li)
	t.Cleanup(func() { s.platforms.Delete(name) })
	return w
}

// runner is a fresh clone, whose remote is behind the proxy.
func (s *site) runner(w *world, name string) *machine {
	m := &machine{world: w, dir: filepath.Join(w.dir, name)}
	m.check(os.CopyFS(m.dir, os.DirFS(filepath.Join(s.dir, "template"))))
	m.replace(filepath.Join(m.dir, ".git", "config"), "file://"+s.remote, "http://"+s.toGit.addr+"/"+filepath.Base(w.dir)+"/remote.git")
	return m
}

// point is where a delivery fails.
type point struct {
	exchange
	fault
}

func (p point) String() string { return fmt.Sprintf("%s-%s", p.gate, p.fault) }

// exchange is one connection of a delivery.
type exchange struct {
	gate string // git or linkedin
	name string
	size [2]int
}

func (p point) posts() bool { return strings.Contains(p.name, "POST") }

// applicable leaves out what no client can prevent: a gateway that repeats a POST.
func (p point) applicable() bool {
	return p.gate == "git" || p.action != "replay" && !(p.posts() && p.action == "duplicate" && p.dir == request && p.at == 0)
}

// points are all that this test visits: a sample, or with -exhaustive every byte.
func (s *site) points(t *testing.T) (points []point) {
	random := rand.New(rand.NewPCG(*seed, 0))
	names := slices.Sorted(maps.Keys(actions))
	for _, gate := range []string{"git", "linkedin"} {
		for i, e := range s.record(t)[gate] {
			for _, d := range []direction{request, response} {
				for _, f := range faults(random, names, e.size[d]) {
					f.link, f.dir = i, d
					if p := (point{e, f}); p.applicable() && strings.Contains(p.String(), *cutsOnly) {
						points = append(points, p)
					}
				}
			}
		}
	}
	points = slices.DeleteFunc(points, func(p point) bool { return !inPart(t, crc32.ChecksumIEEE([]byte(p.String()))) }) // sizes differ a little
	random.Shuffle(len(points), func(i, j int) { points[i], points[j] = points[j], points[i] })
	return points
}

// faults are those of one direction of an exchange.
func faults(random *rand.Rand, names []string, size int) (all []fault) {
	if !*exhaustive {
		for _, action := range []string{"cut", names[random.IntN(len(names))]} {
			all = append(all, fault{action: action, at: random.IntN(size + 1)})
		}
		return all
	}
	for at := range size + 1 {
		for i, action := range names {
			if action == "cut" || at%16 == i || at == size {
				all = append(all, fault{action: action, at: at})
			}
		}
	}
	return all
}

// record makes a clean delivery, and returns its exchanges.
func (s *site) record(t *testing.T) map[string][]exchange {
	s.arm(point{})
	s.runner(s.fresh(t), "runner").must(0, "deliver")
	all := map[string][]exchange{}
	for gate, p := range map[string]*proxy{"git": s.toGit, "linkedin": s.toLinkedIn} {
		links, _ := p.quiet()
		for _, l := range links {
			sent, got := l.passed(request), l.passed(response)
			all[gate] = append(all[gate], exchange{gate, purpose(sent), [2]int{len(sent), len(got)}})
		}
	}
	return all
}

// purpose is what the first request of a connection asks for.
func purpose(sent []byte) string {
	line, _, _ := bytes.Cut(sent, []byte(" HTTP/"))
	method, path, _ := strings.Cut(string(line), " ")
	_, path, _ = strings.Cut(path[1:], "/") // the world's name
	return method + " /" + path
}

func (s *site) arm(p point) {
	faults := map[string]fault{p.gate: p.fault}
	s.toGit.arm(faults["git"])
	s.toLinkedIn.arm(faults["linkedin"])
}

// traffic is what the proxies saw of one delivery.
type traffic struct {
	struck   bool
	posts    int  // POSTs of which a byte left
	answered bool // the head of a POST's answer came through
}

// quiet waits until nothing is on its way any more.
func (s *site) quiet() (seen traffic) {
	_, atGit := s.toGit.quiet()
	links, atLinkedIn := s.toLinkedIn.quiet()
	seen.struck = atGit || atLinkedIn
	for _, l := range links {
		if !bytes.HasPrefix(l.passed(request), []byte("P")) {
			continue
		}
		seen.posts++
		doubled := atLinkedIn && l.fault.action == "duplicate" && l.fault.link == l.number && l.fault.dir == response
		seen.answered = seen.answered || !doubled && bytes.Contains(l.passed(response), []byte("\r\n\r\n"))
	}
	return seen
}

// fate is what became of the two deliveries.
type fate struct {
	struck      bool
	first, then int // exit statuses
	stored      int // posts in the feed
	state       string
}

// visit makes a delivery fail at a point, then another one, and checks both.
func (s *site) visit(t *testing.T, p point) fate {
	w := s.fresh(t)
	before := w.ledgerRefs()
	runner := s.runner(w, "first")
	first, saw := s.deliver(runner, p)
	if first.status == exitUnrecorded {
		w.resolveFrom(runner, s.runner(w, "maintainer"))
	}
	if p.at%4 > 0 {
		runner = s.runner(w, "next")
	}
	untouched := p.at%4 > 0 && saw.posts == 0 && w.ledgerRefs() == before
	if untouched && s.untouched {
		return fate{struck: saw.struck, first: first.status, state: "no trace on the remote, as seen before"}
	}
	then, sees := s.deliver(runner, point{})
	f := fate{saw.struck, first.status, then.status, len(w.Stored()), w.state(runner, then)}
	switch {
	case saw.posts+sees.posts > 1:
		t.Errorf("%d POSTs, and then %d", saw.posts, sees.posts)
	case !saw.struck && p.at < p.size[p.dir]-64: // how small a commit gets is chance
		t.Errorf("the delivery never came to this point")
	case first.status == exitUnrecorded && p.action != "outage":
		t.Errorf("one connection that failed cost the receipt")
	case saw.answered && f.state != string(ledger.Delivered):
		t.Errorf("LinkedIn's answer came through, but the delivery is %s", f.state)
	}
	w.audit()
	if t.Failed() {
		t.Logf("at %s\nfirst: exit status %d\n%s\nthen: exit status %d\n%s", p.name, first.status, first.stderr, then.status, then.stderr)
	}
	s.untouched = s.untouched || untouched && !t.Failed()
	return f
}

// deliver runs a delivery that fails at a point, until nothing of it is on its way any more.
func (s *site) deliver(m *machine, p point) (result, traffic) {
	s.arm(p)
	r := m.run("deliver")
	saw := s.quiet()
	s.arm(point{}) // an outage ends with the run
	if err := r.unexplained(); err != nil {
		m.Error(err)
	}
	return r, saw
}

// ledgerRefs are the shards on the remote.
func (w *world) ledgerRefs() string {
	refs, err := gitIn(w.remote, "", "for-each-ref", "refs/social/ledger/")
	w.check(err)
	return refs
}

// resolveFrom brings the receipt that a runner could not record to the remote.
func (w *world) resolveFrom(runner, maintainer *machine) {
	w.Helper()
	kept := runner.kept()
	if len(kept) != 1 {
		w.Fatalf("exit status 4, and these recovery records: %q", kept)
	}
	maintainer.must(0, "resolve", noteKey, "--from", kept[0], "--yes")
}

// state is what a delivery that did not fail leaves behind: it must be what the delivery says.
func (w *world) state(runner *machine, said result) string {
	w.Helper()
	rec := w.records()[noteKey]
	switch {
	case rec == nil:
		w.Errorf("nothing failed, and nothing was sent")
		return "none"
	case len(rec.Late) > 0:
		w.Errorf("one outcome is recorded twice: %q", receipts(rec))
	case rec.State == ledger.Delivered && said.status == 0 && strings.Contains(said.stdout, rec.Post.URL):
	case rec.State.Open() && said.status == exitOpen:
		if list := runner.must(0, "resolve"); !strings.Contains(list.stdout, noteKey) {
			w.Errorf("resolve does not list what is open\n%s", list.stdout)
		}
	default:
		w.Errorf("exit status %d, and the record is %s\n%s", said.status, rec.State, said.stdout)
	}
	return string(rec.State)
}

// tally counts what was seen, by exchange and direction.
type tally struct {
	mu   sync.Mutex
	rows map[string]map[string]int
}

func (c *tally) add(p point, f fate) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.rows == nil {
		c.rows = map[string]map[string]int{}
	}
	name := fmt.Sprintf("%s %d %s %s", p.gate, p.link, p.name, p.dir)
	row := c.rows[name]
	if row == nil {
		row = map[string]int{}
		c.rows[name] = row
	}
	row["points"]++
	row["stored"] += f.stored
	if f.struck {
		row["struck"]++
	}
	row[fmt.Sprintf("%d>%d %s", f.first, f.then, f.state)]++
}

func (c *tally) table() string {
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	for _, name := range slices.Sorted(maps.Keys(c.rows)) {
		row := c.rows[name]
		fmt.Fprintf(w, "%s\t%d points\t%d struck\t%d posts stored", name, row["points"], row["struck"], row["stored"])
		for _, ways := range slices.Sorted(maps.Keys(row)) {
			if strings.Contains(ways, ">") {
				fmt.Fprintf(w, "\t%s: %d", ways, row[ways])
			}
		}
		fmt.Fprintln(w)
	}
	w.Flush()
	return b.String()
}
