package main

import (
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/git-socialpost/git-socialpost/linkedin/sandbox"
)

// worlds are those that the documents name. Each is made by really running what led to it.
var worlds = map[string]func(*testing.T) *machine{
	"source":  sourceTree,
	"blog":    newBlog,
	"ledger":  twoDeliveries,
	"invalid": withInvalidPosts,
	"fork":    forked,
	"hooked":  hooked,
	"signed":  signed,

	"newcomer":  newcomer,
	"logged-in": func(t *testing.T) *machine { return newcomer(t).loggedIn() },
	"expiring":  expiring,

	"redirecting":  redirecting,
	"delivered":    func(t *testing.T) *machine { return newBlog(t).delivered() },
	"unpushed":     func(t *testing.T) *machine { return newBlog(t).committed() },
	"later":        func(t *testing.T) *machine { return newBlog(t).later() },
	"flood":        func(t *testing.T) *machine { return newBlog(t).flooded() },
	"unreachable":  func(t *testing.T) *machine { return newBlog(t).withoutRemote() },
	"rolled-back":  func(t *testing.T) *machine { return newBlog(t).delivered().rolledBack() },
	"refusing":     func(t *testing.T) *machine { return newBlog(t).fault("403", sandbox.Before) },
	"losing":       func(t *testing.T) *machine { return newBlog(t).fault("close", sandbox.After) },
	"uncertain":    func(t *testing.T) *machine { return newBlog(t).uncertain() },
	"killed":       func(t *testing.T) *machine { return newBlog(t).killed("0s", sandbox.After) },
	"killed-early": func(t *testing.T) *machine { return newBlog(t).killed("-20m", sandbox.Before) },
	"cut-off":      func(t *testing.T) *machine { return newBlog(t).cutOff() },
	"unrecorded":   func(t *testing.T) *machine { return newBlog(t).unrecorded("0s") },
	"late":         func(t *testing.T) *machine { return newBlog(t).unrecorded("-20m") },
	"overtaken":    func(t *testing.T) *machine { return newBlog(t).overtaken() },
}

const notePost = `+++
link = "https://example.com/en/note/"
title = "A note"
+++
Version 2 is out. #golang
`

// newBlog is a clone of a repository with a ledger and one post, which nobody has delivered. It runs as in a CI.
func newBlog(t *testing.T) *machine {
	w := emptyWorld(t, "", []string{"TZ=UTC", "LC_ALL=C", "GITHUB_SERVER_URL=https://github.com",
		"GITHUB_REPOSITORY=example/blog", "GITHUB_RUN_ID=17"})
	w.git("config", "--global", "user.name", "Ann Author")
	w.git("config", "--global", "user.email", "ann@example.com")
	w.know("last-year", sandbox.Token{Sub: "782bbtaQ", Expired: true})
	blog := w.clone("blog")
	blog.write(configFile, strings.ReplaceAll(liveConfig, "limit = 20", "limit = 5"))
	blog.write(postPath(noteKey), notePost)
	blog.must(0, "init")
	blog.publish("A note")
	return blog
}

// sourceTree is a copy of this program's source, and what builds it.
func sourceTree(t *testing.T) *machine {
	w := emptyWorld(t, "", nil)
	m := &machine{world: w, dir: filepath.Join(w.dir, "source")}
	top := filepath.Join("..", "..")
	entries, err := os.ReadDir(top)
	w.check(err)
	for _, e := range entries {
		from, to := filepath.Join(top, e.Name()), filepath.Join(m.dir, e.Name())
		switch {
		case e.IsDir() && e.Name() != ".git" && e.Name() != "bin":
			w.check(os.CopyFS(to, os.DirFS(from)))
		case e.Type().IsRegular():
			data, err := os.ReadFile(from)
			w.check(err)
			m.write(e.Name(), string(data))
		}
	}
	for _, name := range []string{"GOCACHE", "GOMODCACHE", "GOPROXY", "GOFLAGS"} {
		value, err := exec.Command("go", "env", name).Output()
		w.check(err)
		m.env = append(m.env, name+"="+strings.TrimSpace(string(value)))
	}
	return m
}

// post writes one more post, for the same author.
func (m *machine) post(slug, text string) {
	m.write(postPath(slug+":linkedin-en"), "+++\n+++\n"+text+"\n")
}

func (m *machine) fault(kind, when string) *machine {
	m.check(m.Arm(sandbox.Fault{Kind: kind, When: when}))
	return m
}

func (m *machine) delivered() *machine {
	m.must(0, "deliver")
	return m
}

func twoDeliveries(t *testing.T) *machine {
	m := newBlog(t).delivered()
	m.post("launch", "We have launched.")
	m.publish("Launch")
	return m.delivered()
}

func withInvalidPosts(t *testing.T) *machine {
	m := newBlog(t)
	m.write("social/note/draft.md", "Not yet.\n")
	m.write("social/note/linkedin-ru.md", "+++\n+++\n{{ .Title }}\n")
	m.publish("A draft, and a template")
	return m
}

func (m *machine) committed() *machine {
	m.post("second", "Another note.")
	m.git("add", "-A")
	m.git("commit", "-q", "-m", "Not pushed")
	return m
}

func (m *machine) later() *machine {
	m.write("social/launch/linkedin-en.md", "+++\npublish_after = 2099-12-01T09:00:00+03:00\n+++\nWe have launched.\n")
	m.publish("For later")
	return m
}

func (m *machine) flooded() *machine {
	for _, slug := range []string{"one", "two", "three", "four", "five"} {
		m.post(slug, "Number "+slug+".")
	}
	m.publish("Five more")
	return m
}

func forked(t *testing.T) *machine {
	m := newBlog(t).delivered()
	fork := filepath.Join(m.world.dir, "fork.git")
	m.world.git("clone", "-q", "--bare", m.url, fork)
	runner := &machine{world: m.world, dir: filepath.Join(m.world.dir, "runner")}
	m.world.git("clone", "-q", "file://"+fork, runner.dir)
	return runner
}

// redirecting has a configuration that would send the token to a stranger.
func redirecting(t *testing.T) *machine {
	m := newBlog(t)
	m.write(configFile, "mode = \"live\"\n\n[linkedin]\nurl = \"https://collector.example\"\n")
	m.publish("Faster posts")
	return m
}

// hooked has a remote with the update hook of the README, and a delivered post.
func hooked(t *testing.T) *machine {
	m := newBlog(t)
	hook := filepath.Join(m.remote, "hooks", "update")
	m.check(os.WriteFile(hook, []byte("#!/bin/sh\nexec git socialpost hook server \"$@\"\n"), 0o777))
	return m.delivered()
}

// signed has a ledger that is signed, one delivered post and one that is due, on the machine of a stranger who may push.
func signed(t *testing.T) *machine {
	if _, err := exec.LookPath("ssh-keygen"); err != nil {
		t.Skip("no ssh-keygen here")
	}
	m := newBlog(t)
	for _, who := range []string{"ann", "stranger"} {
		out, err := exec.Command("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", who, "-f", filepath.Join(m.world.dir, who+"-key")).CombinedOutput()
		if err != nil {
			t.Fatalf("ssh-keygen: %v\n%s", err, out)
		}
	}
	key, err := os.ReadFile(filepath.Join(m.world.dir, "ann-key.pub"))
	m.check(err)
	m.write(".socialpost.signers", `ann@example.com namespaces="git" `+string(key))
	config, err := os.ReadFile(filepath.Join(m.dir, configFile))
	m.check(err)
	m.write(configFile, "sign = true\n"+string(config))
	m.git("config", "gpg.format", "ssh")
	m.git("config", "user.signingKey", filepath.Join(m.world.dir, "ann-key.pub"))
	m.publish("Signed from now on")
	m.delivered()
	m.post("second", "Another note.")
	m.publish("Second")
	stranger := m.world.clone("stranger")
	stranger.git("config", "gpg.format", "ssh")
	stranger.git("config", "user.signingKey", filepath.Join(m.world.dir, "stranger-key.pub"))
	return stranger
}

// away is where the remote is while nobody can reach it.
func (w *world) away() string { return filepath.Join(w.dir, "away.git") }

func (m *machine) withoutRemote() *machine {
	m.check(os.Rename(m.remote, m.away()))
	return m
}

func (m *machine) rolledBack() *machine {
	m.git("push", "-q", "--force", "origin", "refs/socialpost/ledger/0:refs/social/ledger/e")
	return m
}

// uncertain has lost an answer, and the post with it.
func (m *machine) uncertain() *machine {
	m.fault("close", sandbox.Before).must(exitOpen, "deliver")
	return m
}

// clock sets this machine's clock wrong by a duration.
func (m *machine) clock(wrong string) *machine {
	path := filepath.Join(m.world.dir, "clock")
	m.check(os.WriteFile(path, []byte(wrong), 0o666))
	return &machine{world: m.world, dir: m.dir, program: "git-socialpost-clock", env: append(m.env, "CLOCK="+path)}
}

// killed is after a runner that was killed while it waited for the answer, by its clock so long ago.
func (m *machine) killed(ago, when string) *machine {
	m.fault("hang", when)
	cmd := m.clock(ago).command("deliver")
	m.check(cmd.Start())
	if !eventually(time.Minute, func() bool { return m.Received() > 0 }) {
		m.Fatal("nothing was sent")
	}
	m.check(cmd.Process.Kill())
	cmd.Wait()
	return m
}

// cutOff is before a delivery that loses the git remote as soon as its request is at LinkedIn.
func (m *machine) cutOff() *machine {
	m.await(func(r *http.Request) {
		if r.Method == http.MethodPost {
			m.withoutRemote()
		}
	})
	return m
}

// unrecorded is after that, by the runner's clock so long ago: the remote is back, the record in ../recovery.
func (m *machine) unrecorded(ago string) *machine {
	m.cutOff().clock(ago).must(exitUnrecorded, "deliver", "--recovery", "../recovery")
	m.await(nil)
	m.check(os.Rename(m.away(), m.remote))
	return m
}

// overtaken is before a delivery that somebody gives up while LinkedIn takes its time.
func (m *machine) overtaken() *machine {
	m.Delay = 8 * time.Second
	m.fault("slow", sandbox.After)
	other := m.world.clone("maintainer")
	done := make(chan result, 1)
	go func() {
		if eventually(time.Minute, func() bool { return m.Received() > 0 }) {
			done <- other.run("resolve", noteKey, "--abandon", "--reason", "old news", "--yes")
		}
		close(done)
	}()
	m.Cleanup(func() {
		if r := <-done; r.status != 0 {
			m.Errorf("the maintainer: %s", r.stderr)
		}
	})
	return m
}
