package main

import (
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// A hook is ours as long as nobody has edited it, whichever version wrote it.
func TestHookScript(t *testing.T) {
	for _, chained := range []bool{false, true} {
		script := hookScript(chained)
		if !untouched(script) || !planLine.MatchString(script) {
			t.Errorf("a hook as it is written is not ours:\n%s", script)
		}
		older := strings.Replace(script, withoutTool, "no tool", 1)
		if untouched(older) || !scriptMark.MatchString(older) {
			t.Error("an edit is not noticed")
		}
		body := scriptMark.ReplaceAllString(older, "")
		mark := scriptMark.FindStringSubmatch(older)
		if !untouched(strings.Replace(older, mark[1], scriptSum(body), 1)) {
			t.Error("another version's hook is taken for an edited one")
		}
	}
}

// What another version wrote is ours: install brings it up to date, and uninstall removes it.
func TestHookOfAnotherVersion(t *testing.T) {
	t.Parallel()
	m := newWorld(t, noteKey).clone("m")
	path := filepath.Join(m.dir, ".git", "hooks", "pre-push")
	body := "#!/bin/sh\nexec git socialpost plan --pre-push \"$@\" # of old\n"
	older := strings.Replace(body, "\n", "\n"+scriptOrigin+scriptSum(body)+"\n", 1)
	m.check(os.MkdirAll(filepath.Dir(path), 0o777))
	m.check(os.WriteFile(path, []byte(older), 0o755))
	m.must(0, "hook", "status")
	m.must(0, "hook", "install")
	if got, err := os.ReadFile(path); err != nil || string(got) != hookScript(false) {
		t.Errorf("it is not brought up to date: %v\n%s", err, got)
	}
	m.check(os.WriteFile(path, []byte(older), 0o755))
	m.must(0, "hook", "uninstall")
	if exists(path) {
		t.Error("it stays")
	}
}

// A remote that takes the call and never says a word holds up a push for a moment only, and the hook says what it does.
func TestPrePushSilentRemote(t *testing.T) {
	silent, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { silent.Close() })
	calls := make(chan struct{})
	handler := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { <-calls }))
	t.Cleanup(handler.Close)
	t.Cleanup(func() { close(calls) })
	for name, url := range map[string]string{"git": "git://" + silent.Addr().String() + "/remote.git", "http": handler.URL + "/remote.git"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, noteKey)
			m := w.clone("m")
			m.must(0, "plan")
			m.must(0, "hook", "install")
			mirror := filepath.Join(w.dir, "mirror.git")
			w.git("init", "-q", "--bare", mirror)
			m.git("remote", "set-url", "origin", url)
			cmd := exec.Command("git", "-C", m.dir, "push", mirror, "HEAD:main")
			cmd.Env = w.env
			begin := time.Now()
			out, err := cmd.CombinedOutput()
			if took := time.Since(begin); err != nil || took > hookPatience+15*time.Second {
				t.Errorf("after %v: %v", took, err)
			}
			for _, said := range []string{"no answer for 10 s", "this plan is from this clone's copy of the ledger", "send      " + noteKey} {
				if !strings.Contains(string(out), said) {
					t.Errorf("the push does not say %q:\n%s", said, out)
				}
			}
		})
	}
}
