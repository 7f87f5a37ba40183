package main

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/cgi"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/git-socialpost/git-socialpost/ledger"
	"github.com/git-socialpost/git-socialpost/linkedin/sandbox"
)

// A world is a git remote with a ledger, a LinkedIn sandbox, and the machines that clone the one and post to the other.
// Whatever happens to them, audit must hold.
type world struct {
	testing.TB
	*linkedIn
	dir string
	url string // of the remote, as machines have it
	bin string // the git that all use, if not the system's
	env []string
}

// machine is a clone of the remote, and where git-socialpost runs in it.
type machine struct {
	*world
	dir     string
	env     []string // beyond the world's
	program string   // in git-socialpost's place
}

// newWorld makes a remote whose branch main has a live configuration and one post for each key.
func newWorld(t testing.TB, keys ...string) *world {
	w := emptyWorld(t, "", nil)
	w.found(keys...)
	return w
}

// emptyWorld has a remote without a commit, another git if one is named, and more environment variables for all.
func emptyWorld(t testing.TB, bin string, env []string) *world {
	w := &world{TB: t, dir: t.TempDir(), bin: bin}
	home, remote := filepath.Join(w.dir, "home"), filepath.Join(w.dir, "remote.git")
	w.url = "file://" + remote
	w.check(os.Mkdir(home, 0o777))
	w.check(os.WriteFile(filepath.Join(home, ".gitconfig"), []byte(gitconfig), 0o666))
	li, err := newLinkedIn(remote)
	w.check(err)
	t.Cleanup(li.close)
	w.linkedIn = li
	w.env = append(environment(home, li), env...)
	w.git("init", "-q", "--bare", remote)
	w.git("-C", remote, "config", "http.receivepack", "true")
	return w
}

// found makes the ledger, and pushes the configuration and the posts.
func (w *world) found(keys ...string) {
	w.Helper()
	blog := w.clone("blog")
	blog.write(".socialpost.toml", liveConfig)
	for _, key := range keys {
		blog.write(postPath(key), "+++\n+++\n"+textOf(key)+"\n")
	}
	blog.must(0, "init")
	blog.publish("posts")
}

// environment is what a runner has: nothing of the user who runs the tests.
func environment(home string, li *linkedIn) []string {
	return []string{
		"HOME=" + home,
		"PATH=" + os.Getenv("PATH"),
		"GIT_CONFIG_NOSYSTEM=1",
		"GIT_TERMINAL_PROMPT=0",
		"LINKEDIN_ACCESS_TOKEN=" + sandbox.DefaultToken,
		"SOCIALPOST_LINKEDIN_URL=http://" + li.addr,
		"NO_PROXY=127.0.0.1",
	}
}

// noteKey is for the worlds that need just one post.
const noteKey = "note:linkedin-en"

func textOf(key string) string { return "Text of " + key + "." }

func keyOf(text string) string { return strings.TrimSuffix(strings.TrimPrefix(text, "Text of "), ".") }

func postPath(key string) string {
	slug, channel, _ := strings.Cut(key, ":")
	return "social/" + slug + "/" + channel + ".md"
}

func (w *world) check(err error) {
	w.Helper()
	if err != nil {
		w.Fatal(err)
	}
}

func (w *world) git(args ...string) string {
	w.Helper()
	cmd := exec.Command(cmp.Or(w.bin, "git"), args...)
	cmd.Env = w.env
	out, err := cmd.CombinedOutput()
	if err != nil {
		w.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return strings.TrimSuffix(string(out), "\n")
}

// serveHTTP serves the remote by git's own CGI program from now on. Each request passes the wrapper, if there is one.
func (w *world) serveHTTP(wrap func(http.Handler) http.Handler) {
	execPath := w.git("--exec-path")
	backend := &cgi.Handler{
		Path:   filepath.Join(execPath, "git-http-backend"),
		Env:    append(slices.Clone(w.env), "GIT_PROJECT_ROOT="+w.dir, "GIT_HTTP_EXPORT_ALL=1", "REMOTE_USER=runner"),
		Stderr: io.Discard, // it complains of clients that hang up
	}
	var handler http.Handler = http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body) // net/http/cgi takes no chunked body
		r.Body, r.ContentLength, r.TransferEncoding = io.NopCloser(bytes.NewReader(body)), int64(len(body)), nil
		backend.ServeHTTP(rw, r)
	})
	if wrap != nil {
		handler = wrap(handler)
	}
	server := httptest.NewServer(handler)
	w.Cleanup(server.Close)
	w.url = server.URL + "/remote.git"
}

// clone makes a fresh clone of the remote, as a new runner has it.
func (w *world) clone(name string, args ...string) *machine {
	w.Helper()
	m := &machine{world: w, dir: filepath.Join(w.dir, name)}
	w.git(append(append([]string{"clone", "-q"}, args...), w.url, m.dir)...)
	return m
}

func (m *machine) git(args ...string) string {
	m.Helper()
	return m.world.git(append([]string{"-C", m.dir}, args...)...)
}

func (m *machine) write(name, content string) {
	m.Helper()
	path := filepath.Join(m.dir, name)
	m.check(os.MkdirAll(filepath.Dir(path), 0o777))
	m.check(os.WriteFile(path, []byte(content), 0o666))
}

// publish commits what was written, and pushes it.
func (m *machine) publish(message string) {
	m.Helper()
	m.git("add", "-A")
	m.git("commit", "-q", "-m", message)
	m.git("push", "-q", "origin", "HEAD:main")
}

// result is how a run of git-socialpost ended.
type result struct {
	status         int // -1: killed
	stdout, stderr string
}

// command is a git-socialpost on this machine that does not run yet.
func (m *machine) command(args ...string) *exec.Cmd {
	cmd := exec.Command(cmp.Or(m.program, "git-socialpost"), args...)
	cmd.Dir = m.dir
	cmd.Env = slices.Concat(m.world.env, m.env)
	return cmd
}

// run runs git-socialpost on this machine.
func (m *machine) run(args ...string) result {
	m.Helper()
	cmd := m.command(args...)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	cmd.WaitDelay = time.Second // a killed program's git may live on, and hold its output
	err := cmd.Run()
	if err != nil && !errors.As(err, new(*exec.ExitError)) && !errors.Is(err, exec.ErrWaitDelay) {
		m.Fatal(err)
	}
	return result{cmd.ProcessState.ExitCode(), stdout.String(), stderr.String()}
}

// must runs git-socialpost, and demands an exit status.
func (m *machine) must(status int, args ...string) result {
	m.Helper()
	r := m.run(args...)
	if r.status != status {
		m.Fatalf("git-socialpost %s: exit status %d, want %d\n%s%s", strings.Join(args, " "), r.status, status, r.stdout, r.stderr)
	}
	return r
}

// unexplained says what is missing from the words of a run that did not end well.
func (r result) unexplained() error {
	switch {
	case r.status == 0:
		return nil
	case !slices.Contains([]int{exitError, exitOpen, exitUnrecorded, exitRefused, exitUsage}, r.status):
		return fmt.Errorf("exit status %d is not documented\n%s", r.status, r.stderr)
	case !strings.Contains(r.stderr, "git-socialpost: ") || !strings.Contains(r.stderr, "hint: "):
		return fmt.Errorf("exit status %d without a reason and a hint\n%s", r.status, r.stderr)
	}
	return nil
}

// kept are the recovery records of this clone.
func (m *machine) kept() []string {
	files, err := filepath.Glob(filepath.Join(m.dir, ".git", "socialpost", "recovery", "*.toml"))
	m.check(err)
	return files
}

func eventually(limit time.Duration, done func() bool) bool {
	for deadline := time.Now().Add(limit); !done(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			return false
		}
	}
	return true
}

func (w *world) records() map[string]*ledger.Record {
	w.Helper()
	records, err := remoteRecords(w.remote)
	w.check(err)
	return records
}

// audit fails the test unless
//   - every POST had its intent on the remote before it came, and no two had the same one;
//   - every post in the feed has a record that knows it, that is open and asks, or that a maintainer has resolved;
//   - every receipt names a post that is in the feed;
//   - a fresh clone finds nothing wrong with the whole ledger.
func (w *world) audit() {
	w.Helper()
	w.check(w.broken())
	records, feed := w.records(), map[string]string{} // text by id
	for _, post := range w.Stored() {
		feed[post.ID] = post.Text
	}
	for _, key := range slices.Sorted(maps.Keys(records)) {
		for _, id := range receipts(records[key]) {
			if feed[id] != textOf(key) {
				w.Fatalf("%s is recorded as %s, which is %q in the feed", key, id, feed[id])
			}
		}
	}
	for id, text := range feed {
		key := keyOf(text)
		if rec := records[key]; rec == nil || !rec.State.Open() && rec.Resolution == nil && !slices.Contains(receipts(rec), id) {
			w.Fatalf("%s is in the feed as %s, and its record does not know: %+v", key, id, rec)
		}
	}
	auditor, err := os.MkdirTemp(w.dir, "auditor")
	w.check(err)
	w.clone(filepath.Base(auditor)).must(0, "fsck")
}

// receipts are the posts that the platform confirmed.
func receipts(rec *ledger.Record) (ids []string) {
	if rec.Outcome != nil && rec.Outcome.Kind == string(ledger.Delivered) {
		ids = append(ids, rec.Post.ID)
	}
	for _, late := range rec.Late {
		if late.Post != nil {
			ids = append(ids, late.Post.ID)
		}
	}
	return ids
}

const gitconfig = `[user]
	name = Test
	email = test@example.com
[init]
	defaultBranch = main
[protocol "file"]
	allow = always
`

const liveConfig = `mode = "live"
limit = 20
[channel.linkedin-en]
platform = "linkedin"
author = "urn:li:person:782bbtaQ"
[channel.linkedin-ru]
platform = "linkedin"
author = "urn:li:person:782bbtaQ"
[linkedin]
version = "202609"
timeout = "10s"
`
