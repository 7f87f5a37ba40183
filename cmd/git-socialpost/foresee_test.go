package main

import (
	"strings"
	"testing"
	"time"
)

// Below a plan that deliver would refuse, somebody who watches reads why; a log, and --quiet, stay as they are.
func TestForesee(t *testing.T) {
	w := newWorld(t, "a:linkedin-en", "b:linkedin-en")
	m := w.clone("m")
	for _, entry := range w.env {
		name, value, _ := strings.Cut(entry, "=")
		t.Setenv(name, value)
	}
	t.Chdir(m.dir)
	look := func(watched bool, args ...string) string {
		t.Helper()
		var out, said strings.Builder
		tool := &tool{stdout: &out, stderr: &said, watched: watched, getenv: func(string) string { return "" }, now: time.Now}
		m.check(tool.run(t.Context(), append([]string{"git-socialpost", "plan"}, args...)))
		if !strings.Contains(out.String(), "send") {
			t.Errorf("plan %q plans nothing:\n%s", args, out.String())
		}
		return said.String()
	}
	expect := func(want ...string) {
		t.Helper()
		said := look(true)
		for _, part := range want {
			if !strings.Contains(said, part) {
				t.Errorf("it does not say %q:\n%s", part, said)
			}
		}
		if n := strings.Count(said, "deliver would refuse this"); n != len(want) {
			t.Errorf("%d refusals, want %d:\n%s", n, len(want), said)
		}
		if said := look(false) + look(true, "--quiet"); said != "" {
			t.Errorf("to a log, or to --quiet, it says\n%s", said)
		}
	}
	expect()

	m.git("commit", "-q", "--allow-empty", "-m", "unpushed")
	expect(`is not on branch "main" of "origin"; push or merge it first`)
	m.must(exitError, "deliver")

	config := strings.ReplaceAll(m.git("show", "HEAD:"+configFile), "limit = 20", "limit = 1")
	m.write(configFile, config)
	m.publish("a limit")
	expect("2 deliveries are due, and the limit is 1")
	m.must(exitError, "deliver")
	if r := m.must(0, "plan", "--markdown"); !strings.Contains(r.stdout, "the limit is 1") {
		t.Errorf("the comment does not name the limit:\n%s", r.stdout)
	}

	m.write(configFile, `branch = "nope"`+"\n"+config)
	m.publish("a branch")
	expect("2 deliveries are due, and the limit is 1", `has not seen branch "nope" of "origin"`)
	m.must(exitError, "deliver")
}
