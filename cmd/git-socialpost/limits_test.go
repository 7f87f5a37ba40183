package main

import (
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
)

// A git server over HTTP that refuses, fails or answers nonsense, from the first request or from the receipt's push on:
// nothing is posted without an intent, what was posted is told (exit 4) and not posted again, every refusal has a hint, and
// when the server is well the delivery ends delivered.
func TestServerFails(t *testing.T) {
	for name, fault := range map[string]http.HandlerFunc{
		"401":      says(401, "Basic"),
		"403":      says(403, "text/plain"),
		"404":      says(404, "text/html"),
		"500":      says(500, "text/html"),
		"503":      says(503, "text/html"),
		"login":    says(200, "text/html"),
		"redirect": func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, r.URL.String(), http.StatusFound) },
		"hang-up":  func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			failsAtOnce(t, fault)
			failsAtPush(t, fault)
			failsAtReceipt(t, fault)
		})
	}
}

func failsAtOnce(t *testing.T, fault http.HandlerFunc) {
	m, g := gated(t)
	g.set(func(*http.Request) http.Handler { return fault })
	r := m.must(exitError, "deliver")
	m.explained(r, 0)
	g.set(nil)
	m.must(0, "deliver")
	m.explained(m.must(0, "deliver"), 1)
	m.audit()
}

// failsAtPush is a server that can be read: of it git says that it refuses, or that it cannot be reached.
func failsAtPush(t *testing.T, fault http.HandlerFunc) {
	m, g := gated(t)
	g.set(func(r *http.Request) http.Handler { return when(isPush(r), fault) })
	m.explained(m.must(exitError, "deliver"), 0)
	g.set(nil)
	m.must(0, "deliver")
	m.explained(m.must(0, "status"), 1)
	m.audit()
}

func failsAtReceipt(t *testing.T, fault http.HandlerFunc) {
	m, g := gated(t)
	g.set(func(*http.Request) http.Handler { return when(m.Received() > 0, fault) })
	r := m.must(exitUnrecorded, "deliver")
	m.explained(r, 1)
	if !strings.Contains(r.stdout, "urn:li:share:") {
		t.Errorf("the post's id is not told: %q", r.stdout)
	}
	file := recoveryIn(m, r)
	m.explained(m.must(exitError, "deliver"), 1)
	m.explained(m.must(exitError, "resolve", noteKey, "--from", file, "--yes"), 1)
	g.set(nil)
	m.must(exitOpen, "deliver")
	m.must(0, "resolve", noteKey, "--from", file, "--yes")
	m.explained(m.must(0, "deliver"), 1)
	m.audit()
}

// A replica that lags answers the fetches. Behind the receipt it makes this clone stop, since it has seen more; behind the
// intent it makes others try in vain, and nobody posts twice.
func TestServerStale(t *testing.T) {
	t.Parallel()
	m, g := gated(t)
	other := m.clone("other")
	m.git("clone", "-q", "--mirror", m.remote, filepath.Join(m.world.dir, "replica.git"))
	g.set(func(r *http.Request) http.Handler {
		if !isPush(r) {
			r.URL.Path = strings.Replace(r.URL.Path, "/remote.git", "/replica.git", 1)
		}
		return nil
	})
	m.explained(m.must(0, "deliver"), 1)
	stale := m.must(exitError, "deliver")
	m.explained(stale, 1)
	if !strings.Contains(stale.stderr, "rolled back") {
		t.Errorf("this clone has seen more, and does not say so: %s", stale.stderr)
	}
	m.explained(other.must(exitError, "deliver"), 1)
	g.set(nil)
	m.must(0, "deliver")
	m.explained(other.must(0, "deliver"), 1)
	m.audit()
}

// The intent's push lands, its answer is lost, and a replica that lags does not know it: nobody posts it.
func TestServerStaleAfterLostAnswer(t *testing.T) {
	t.Parallel()
	m, g := gated(t)
	m.git("clone", "-q", "--mirror", m.remote, filepath.Join(m.world.dir, "replica.git"))
	var once sync.Once
	g.set(func(r *http.Request) (answer http.Handler) {
		if !isPush(r) {
			r.URL.Path = strings.Replace(r.URL.Path, "/remote.git", "/replica.git", 1)
		} else if r.Method == http.MethodPost {
			once.Do(func() { answer = lost{g.next} })
		}
		return answer
	})
	m.explained(m.must(exitError, "deliver"), 0)
	g.set(nil)
	m.explained(m.must(exitOpen, "deliver"), 0)
	m.audit()
}

// gate stands before the git server, and may answer in its place.
type gate struct {
	next http.Handler
	mu   sync.Mutex
	rule func(*http.Request) http.Handler
}

func (g *gate) set(rule func(*http.Request) http.Handler) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.rule = rule
}

func (g *gate) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	g.mu.Lock()
	rule := g.rule
	g.mu.Unlock()
	if rule != nil {
		if answer := rule(r); answer != nil {
			answer.ServeHTTP(w, r)
			return
		}
	}
	g.next.ServeHTTP(w, r)
}

// gated is a machine whose remote stands behind a gate.
func gated(t *testing.T) (*machine, *gate) {
	w, g := newWorld(t, noteKey), &gate{}
	w.serveHTTP(func(next http.Handler) http.Handler { g.next = next; return g })
	return w.clone("runner"), g
}

func isPush(r *http.Request) bool { return strings.Contains(r.URL.String(), "git-receive-pack") }

func when(condition bool, fault http.Handler) http.Handler {
	if condition {
		return fault
	}
	return nil
}

func says(status int, kind string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		if status == http.StatusUnauthorized {
			w.Header().Set("WWW-Authenticate", kind+` realm="git"`)
		}
		w.Header().Set("Content-Type", kind)
		w.WriteHeader(status)
		w.Write([]byte("<html><title>Sign in</title><form>Name: <input></form></html>\n"))
	}
}

// lost does what is asked, and hangs up.
type lost struct{ next http.Handler }

func (l lost) ServeHTTP(_ http.ResponseWriter, r *http.Request) {
	l.next.ServeHTTP(discard{http.Header{}}, r)
	panic(http.ErrAbortHandler)
}

type discard struct{ header http.Header }

func (d discard) Header() http.Header         { return d.header }
func (d discard) WriteHeader(int)             {}
func (d discard) Write(b []byte) (int, error) { return len(b), nil }

// explained demands a hint of a run that did not end well, and so many POSTs until now.
func (m *machine) explained(r result, posts int) {
	m.Helper()
	m.check(r.unexplained())
	if got := m.Received(); got != posts {
		m.Fatalf("LinkedIn received %d POSTs, want %d\n%s", got, posts, r.stderr)
	}
}

var keptIn = regexp.MustCompile(`--from (\S+)`)

// recoveryIn is the recovery record that a run names, and that is there.
func recoveryIn(m *machine, r result) string {
	m.Helper()
	found := keptIn.FindStringSubmatch(r.stderr)
	if found == nil {
		m.Fatalf("no recovery record is named: %s", r.stderr)
	}
	_, err := os.Stat(found[1])
	m.check(err)
	return found[1]
}
