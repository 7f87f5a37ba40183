package main

import (
	"flag"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/git-socialpost/git-socialpost/linkedin/sandbox"
)

var gits = flag.String("gits", "", "try every git in this `FOLDER`, which testdata/gits.sh filled")

// Everything works with each git as client and as server over HTTP, beside a runner that has this system's git, in full,
// shallow and SHA-256 repositories, and each post is sent once.
func TestGitVersions(t *testing.T) {
	if *gits == "" {
		t.Skip("without -gits")
	}
	found, err := filepath.Glob(filepath.Join(*gits, "*", "usr", "bin", "git"))
	if err != nil || len(found) == 0 {
		t.Fatalf("no git below %s: %v", *gits, err)
	}
	for _, bin := range found {
		for _, format := range []string{"sha1", "sha256"} {
			t.Run(filepath.Base(strings.Split(bin, "/usr/")[0])+"/"+format, func(t *testing.T) {
				t.Parallel()
				tryGit(t, bin, format)
			})
		}
	}
}

func tryGit(t *testing.T, bin, format string) {
	env := append(gitEnv(bin), "GIT_DEFAULT_HASH="+format)
	w, gate := emptyWorld(t, bin, env), &gate{}
	w.found("a:linkedin-en", "b:linkedin-en", "c:linkedin-en", "d:linkedin-en")
	t.Log(w.git("version"))
	w.serveHTTP(func(next http.Handler) http.Handler { gate.next = next; return gate })
	full, shallow, other := w.clone("full"), w.clone("shallow", "--depth=1"), w.clone("other")
	other.env = []string{"PATH=" + os.Getenv("PATH"), "GIT_EXEC_PATH=" + systemExecPath(w)}
	plan := filepath.Join(w.dir, "plan.json")
	full.must(0, "init")
	full.must(0, "plan", "--out", plan)
	full.must(0, "deliver", "a:linkedin-en", "--plan", plan)
	for _, m := range []*machine{full, shallow, other} {
		m.explained(m.must(0, "deliver", "a:linkedin-en"), 1)
	}
	race(full, shallow, other)
	lostAnswers(shallow, gate)
	secondAttempt(full, shallow)
	for _, m := range []*machine{full, shallow, other} {
		m.explained(m.must(0, "deliver"), 5)
		m.must(0, "fsck")
	}
	w.audit()
}

// gitEnv is what a git needs that was unpacked into a folder.
func gitEnv(bin string) []string {
	usr := filepath.Dir(filepath.Dir(bin))
	return []string{
		"PATH=" + filepath.Dir(bin) + string(os.PathListSeparator) + os.Getenv("PATH"),
		"GIT_EXEC_PATH=" + filepath.Join(usr, "lib", "git-core"),
		"GIT_TEMPLATE_DIR=" + filepath.Join(usr, "share", "git-core", "templates"),
	}
}

func systemExecPath(w *world) string {
	out, err := gitIn(w.dir, "", "--exec-path")
	w.check(err)
	return strings.TrimSpace(out)
}

// race lets all machines send one post at once.
func race(machines ...*machine) {
	var wg sync.WaitGroup
	for _, m := range machines {
		wg.Go(func() {
			if r := m.run("deliver", "b:linkedin-en"); r.status != 0 && r.status != exitOpen { // open: its winner is on the way
				m.Errorf("exit status %d: %s", r.status, r.stderr)
			}
		})
	}
	wg.Wait()
	for _, m := range machines {
		m.explained(m.must(0, "deliver", "b:linkedin-en"), 2)
	}
}

// lostAnswers: what the server says to the pushes of the intent and of the receipt never arrives.
func lostAnswers(m *machine, g *gate) {
	before := m.Received()
	lose := make([]sync.Once, 2)
	g.set(func(r *http.Request) (answer http.Handler) {
		if isPush(r) && r.Method == http.MethodPost {
			lose[m.Received()-before].Do(func() { answer = lost{g.next} })
		}
		return answer
	})
	m.explained(m.must(0, "deliver", "c:linkedin-en"), before+1)
	g.set(nil)
}

// secondAttempt: the outcome is unknown, a maintainer finds nothing in the feed, and the next run sends it.
func secondAttempt(runner, maintainer *machine) {
	runner.check(runner.Arm(sandbox.Fault{Kind: "500", When: sandbox.Before}))
	runner.must(exitOpen, "deliver", "d:linkedin-en")
	maintainer.must(0, "resolve", "d:linkedin-en", "--not-posted", "--yes", "--reason", "not in the feed")
	runner.must(0, "deliver", "d:linkedin-en")
}
