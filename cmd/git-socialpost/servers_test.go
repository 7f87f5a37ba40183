//go:build unix

package main

import (
	"flag"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/git-socialpost/git-socialpost/linkedin/sandbox"
)

var (
	allServers = flag.String("servers", "", "all: those too that must be installed")
	gitea      = flag.String("gitea", "", "the Gitea `binary` to test with, and src, its sources, beside it (testdata/gitea.sh builds both)")
)

// server is a git server that nobody here wrote. It makes a world's remote, and gives it its URL.
type server struct {
	name       string
	packages   []string
	start      func(*world)
	appendOnly bool // nobody may rewrite or delete the ledger
}

var servers = []server{
	{name: "path", start: func(w *world) { w.url = w.remote }},
	{name: "file", start: func(*world) {}},
	{name: "git-daemon", start: (*world).serveGit},
	{name: "http-backend", start: func(w *world) { w.serveHTTP(nil) }},
	{name: "nginx", packages: []string{"nginx-light", "fcgiwrap"}, start: (*world).serveNginx},
	{name: "git-shell", packages: []string{"openssh-server"}, start: (*world).serveGitShell},
	{name: "gitolite", packages: []string{"openssh-server", "gitolite3"}, start: gitolite("RW+")},
	{name: "gitolite-rw", packages: []string{"openssh-server", "gitolite3"}, start: gitolite("RW"), appendOnly: true},
	{name: "gitea-http", packages: []string{"openssh-client"}, start: giteaHTTP},
	{name: "gitea-ssh", packages: []string{"openssh-client"}, start: giteaSSH},
}

// packages are Debian's, each with the program that needs it.
var packages = map[string]string{
	"nginx-light": "nginx", "fcgiwrap": "fcgiwrap", "openssh-server": "sshd", "openssh-client": "ssh-keygen", "gitolite3": "gitolite",
}

// TestServers proves on each server, over its own protocol, that a key is posted once: by a rerun, by runners at the
// same time, after a lost answer, after a kill; and that a maintainer can settle what is open.
func TestServers(t *testing.T) {
	for _, s := range servers {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			w := s.world(t)
			w.found("once:linkedin-en", "raced:linkedin-en", "lost:linkedin-en", "killed:linkedin-en")
			w.walk()
			w.audit()
			if s.appendOnly {
				w.tamper()
			}
		})
	}
}

// A server whose rules leave no room for the ledger gets none, and init says what the rules must allow.
func TestServerForbids(t *testing.T) {
	t.Parallel()
	s := server{packages: []string{"openssh-server", "gitolite3"}, start: gitolite("RW+ refs/heads/")}
	w := s.world(t)
	blog := w.clone("blog")
	r := blog.must(exitError, "init")
	for _, said := range []string{"the server refuses every push to refs/social/ledger/", "DENIED by fallthru", "hint: the server must let this user create"} {
		if !strings.Contains(r.stderr, said) {
			t.Errorf("init does not say %q:\n%s", said, r.stderr)
		}
	}
	if _, err := os.Stat(filepath.Join(blog.dir, configFile)); err == nil {
		t.Error("init left a configuration with a ledger that does not exist")
	}
	if refs, err := gitIn(w.remote, "", "for-each-ref"); err != nil || refs != "" {
		t.Errorf("init left refs on the server: %s%v", refs, err)
	}
}

// world is an empty one, whose remote is on this server.
func (s server) world(t *testing.T) *world {
	if len(s.packages) > 0 && *allServers != "all" {
		t.Skip("without -servers=all; see make test-servers")
	}
	for _, name := range s.packages {
		if program(packages[name]) == "" {
			t.Fatalf("%s is not installed: apt-get install %s", packages[name], strings.Join(s.packages, " "))
		}
	}
	w := emptyWorld(t, "", nil)
	s.start(w)
	return w
}

// walk makes four posts in five attempts.
func (w *world) walk() {
	w.Helper()
	runner := w.clone("runner")
	if r := runner.must(0, "plan"); strings.Count("\n"+r.stdout, "\nsend ") != 4 {
		w.Fatalf("a plan without four posts to send:\n%s", r.stdout)
	}
	first := runner.deliver(0, "once:linkedin-en")
	w.sent(1)
	if again := runner.deliver(0, "once:linkedin-en"); again.stdout != first.stdout {
		w.Fatalf("the repeat answers %q, the first time it was %q", again.stdout, first.stdout)
	}
	w.sent(1)
	w.race("raced:linkedin-en")
	w.sent(2)
	w.loseAnswer("lost:linkedin-en", runner)
	w.sent(3)
	w.kill("killed:linkedin-en", runner)
	w.sent(5)
	runner.deliver(0)
	w.sent(5)
}

// deliver demands an exit status, and tries again after the one that says that this is safe: a busy machine may be too
// slow for the program's time limits.
func (m *machine) deliver(status int, keys ...string) result {
	m.Helper()
	r := m.retry(keys...)
	if r.status != status {
		m.Fatalf("deliver %s: exit status %d, want %d\n%s%s", keys, r.status, status, r.stdout, r.stderr)
	}
	return r
}

func (m *machine) retry(keys ...string) (r result) {
	for range 5 {
		if r = m.run(append([]string{"deliver"}, keys...)...); r.status != exitError {
			break
		}
	}
	return r
}

// sent demands a number of POSTs so far.
func (w *world) sent(want int) {
	w.Helper()
	if got := w.Received(); got != want {
		w.Fatalf("LinkedIn received %d POSTs, want %d", got, want)
	}
}

// race delivers a key from three clones at once. All decide before one pushes: LinkedIn answers the check of the token,
// which comes between, when all have asked, and one of them only when another's POST is there.
func (w *world) race(key string) {
	w.Helper()
	var ends [3]result
	var racers [3]*machine
	for i := range racers {
		racers[i] = w.clone(fmt.Sprint("racer", i))
	}
	w.holdRacers(int64(len(racers)))
	var all sync.WaitGroup
	for i, racer := range racers {
		all.Go(func() { ends[i] = racer.retry(key) })
	}
	all.Wait()
	won := 0
	for _, r := range ends {
		switch r.status {
		case 0:
			won++
		case exitOpen:
		default:
			w.Fatalf("a racer ended with %d\n%s", r.status, r.stderr)
		}
	}
	if won == 0 {
		w.Fatalf("no racer delivered: %+v", ends)
	}
}

func (w *world) holdRacers(count int64) {
	var came atomic.Int64
	start, posted := make(chan struct{}), make(chan struct{})
	var once sync.Once
	w.await(func(r *http.Request) {
		if r.Method == http.MethodPost {
			once.Do(func() { close(posted) })
			return
		}
		n := came.Add(1)
		if n == count {
			close(start)
		}
		<-start
		if n == count {
			<-posted
		}
	})
}

// loseAnswer delivers a key whose answer does not arrive, though its post does. A maintainer finds it in the feed.
func (w *world) loseAnswer(key string, maintainer *machine) {
	w.Helper()
	w.check(w.Arm(sandbox.Fault{Kind: "close", When: sandbox.After}))
	w.clone("unlucky").deliver(exitOpen, key)
	w.rerun("rerun-lost", key)
	feed := w.Stored()
	maintainer.must(0, "resolve", key, "--posted", feed[len(feed)-1].ID, "--yes")
}

// kill kills a runner that waits for an answer. Once it is surely dead a maintainer, who does not find its post, lets
// another attempt be made.
func (w *world) kill(key string, maintainer *machine) {
	w.Helper()
	w.check(w.Arm(sandbox.Fault{Kind: "hang", When: sandbox.Before}))
	doomed, received := w.clone("doomed").command("deliver", key), w.Received()
	w.check(doomed.Start())
	w.Cleanup(func() { doomed.Process.Kill() })
	w.until("the POST is sent", func() bool { return w.Received() > received })
	w.check(doomed.Process.Kill())
	doomed.Wait()
	w.rerun("rerun-killed", key)
	maintainer.must(exitError, "resolve", key, "--not-posted", "--yes")
	later := w.clone("later")
	later.program, later.env = "git-socialpost-clock", []string{"CLOCK=" + filepath.Join(w.dir, "clock")}
	w.check(os.WriteFile(filepath.Join(w.dir, "clock"), []byte("20m"), 0o666))
	later.must(0, "resolve", key, "--not-posted", "--yes")
	w.clone("second").deliver(0, key)
}

// rerun delivers an open key from a fresh shallow clone: nothing may be sent.
func (w *world) rerun(name, key string) {
	w.Helper()
	before := w.Received()
	runner := w.clone(name, "--no-local", "--depth=1")
	if runner.git("rev-parse", "--is-shallow-repository") != "true" {
		w.Fatal("the clone is not shallow")
	}
	for range 2 {
		if r := runner.deliver(exitOpen, key); !strings.Contains(r.stderr, "hint: ") {
			w.Fatalf("no word on what to type next:\n%s", r.stderr)
		}
	}
	w.sent(before)
}

// tamper demands that the server lets nobody delete a shard, or put something else in its place.
func (w *world) tamper() {
	w.Helper()
	before, err := gitIn(w.remote, "", "for-each-ref", "refs/social")
	w.check(err)
	mallory := w.clone("mallory")
	for _, from := range []string{"", "+HEAD"} {
		args := []string{"-C", mallory.dir, "push", "-q", "origin"}
		for line := range strings.Lines(before) {
			args = append(args, from+":"+strings.Fields(line)[2]) // object id, type, ref
		}
		push := exec.Command("git", args...)
		push.Env = w.env
		if out, err := push.CombinedOutput(); err == nil {
			w.Fatalf("a server for fast-forwards takes %q:\n%s", args, out)
		}
	}
	if after, err := gitIn(w.remote, "", "for-each-ref", "refs/social"); err != nil || after != before {
		w.Fatalf("the ledger was tampered with: %v\n%s", err, after)
	}
}

// until waits for what must come.
func (w *world) until(what string, come func() bool) {
	w.Helper()
	if !eventually(2*time.Minute, come) {
		w.Fatalf("waited in vain until %s", what)
	}
}
