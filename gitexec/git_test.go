package gitexec

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// in makes a repository and works there.
func in(t *testing.T, args ...string) {
	t.Helper()
	t.Chdir(t.TempDir())
	for name, value := range map[string]string{"HOME": t.TempDir(), "GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": os.DevNull,
		"GIT_AUTHOR_NAME": "a", "GIT_AUTHOR_EMAIL": "a@example.com", "GIT_COMMITTER_NAME": "a", "GIT_COMMITTER_EMAIL": "a@example.com"} {
		t.Setenv(name, value)
	}
	run(t, append([]string{"init", "-q"}, args...)...)
}

func run(t *testing.T, args ...string) string {
	t.Helper()
	out, err := Git{}.Run(t.Context(), args...)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestRun(t *testing.T) {
	in(t)
	out, err := Git{}.RunInput(t.Context(), []byte("text\n"), "hash-object", "-w", "--stdin")
	if err != nil || out != "8e27be7d6154a1f68ea9160ef0e18691d20560dc" {
		t.Errorf("got %q, %v", out, err)
	}
	if got := run(t, "cat-file", "blob", out); got != "text" {
		t.Errorf("got %q", got)
	}
}

func TestErrorText(t *testing.T) {
	in(t)
	out, err := Git{}.Run(t.Context(), "-c", "x.y=secret", "rev-parse", "--verify", "nothing")
	var e *Error
	if !errors.As(err, &e) || e.Code != 128 || ExitStatus(err) != 128 || out != "" {
		t.Fatalf("%q, %v", out, err)
	}
	if got := err.Error(); got != "git rev-parse: fatal: Needed a single revision" {
		t.Errorf("it reads %q", got)
	}

	// Several lines become one; the options before the command, which may hold secrets, are not shown.
	err = &Error{Verb: verb([]string{"-c", "http.extraHeader=secret", "push", "origin"}), Code: 1, Stderr: "remote: no\nerror: failed\n\n", cause: errors.New("exit status 1")}
	if got := err.Error(); got != "git push: remote: no; error: failed" {
		t.Errorf("it reads %q", got)
	}

	// Neither a URL's password nor what GIT_TRACE writes is shown.
	err = &Error{Verb: "push", Code: 128, Stderr: "02:49:11.123456 run-command.c:654 trace: run_command: git remote-http https://me:secret@host/x\n" +
		"fatal: unable to access 'https://me:secret@host/x/': no\n", cause: errors.New("exit status 128")}
	if got := err.Error(); got != "git push: fatal: unable to access 'https://host/x/': no" {
		t.Errorf("it reads %q", got)
	}

	// Git says nothing.
	_, err = Git{}.Run(t.Context(), "rev-parse", "--verify", "--quiet", "nothing")
	if got := err.Error(); got != "git rev-parse: exit status 1" || ExitStatus(err) != 1 {
		t.Errorf("it reads %q, exit status %d", got, ExitStatus(err))
	}

	if ExitStatus(nil) != 0 || ExitStatus(errors.New("none of git's")) != -1 {
		t.Error("exit statuses of what is no git error")
	}
}

// A git that is cut short says why, and its exit status is no answer.
func TestRunCancelled(t *testing.T) {
	in(t)
	why := errors.New("no end after a moment")
	ctx, cancel := context.WithTimeoutCause(t.Context(), 100*time.Millisecond, why)
	defer cancel()
	reader, writer, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer writer.Close()
	old := os.Stdin
	os.Stdin = reader
	defer func() { os.Stdin = old }()
	start := time.Now()
	_, err = Git{}.Run(ctx, "-c", "alias.hang=!exec sleep 30", "hang")
	if !errors.Is(err, why) || ExitStatus(err) != -1 && ExitStatus(err) < 128 {
		t.Errorf("%v, exit status %d", err, ExitStatus(err))
	}
	if took := time.Since(start); took > 10*time.Second {
		t.Errorf("it took %v", took)
	}
}

func TestNoGit(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	_, err := Git{}.Run(t.Context(), "version")
	if !errors.Is(err, exec.ErrNotFound) || ExitStatus(err) != -1 {
		t.Errorf("%v, exit status %d", err, ExitStatus(err))
	}
	if o := (Git{}).Objects(); o != nil {
		if _, err := o.Read("HEAD"); !errors.Is(err, exec.ErrNotFound) {
			t.Errorf("%v", err)
		}
		o.Close()
	}
}

// Our values come after those that git -c, or a CI, has put into the environment, and hide none.
func TestWith(t *testing.T) {
	in(t)
	t.Setenv("GIT_CONFIG_PARAMETERS", `'a.b=theirs' 'c.d=theirs too'`)
	t.Setenv("GIT_CONFIG_COUNT", "2")
	t.Setenv("GIT_CONFIG_KEY_0", "a.b")
	t.Setenv("GIT_CONFIG_VALUE_0", "a CI's")
	t.Setenv("GIT_CONFIG_KEY_1", "i.j")
	t.Setenv("GIT_CONFIG_VALUE_1", "a CI's too")
	ours := Git{}.With("e.f", "it's ours = !one \\ $x").With("a.b", "last wins")
	for key, want := range map[string]string{"a.b": "last wins", "c.d": "theirs too", "e.f": "it's ours = !one \\ $x", "i.j": "a CI's too"} {
		if got, err := ours.Run(t.Context(), "config", "--get", key); err != nil || got != want {
			t.Errorf("%s is %q, %v; want %q", key, got, err, want)
		}
	}
	if got := run(t, "config", "--get", "a.b"); got != "theirs" {
		t.Errorf("without ours, a.b is %q", got)
	}

	// Two made of one do not write into each other.
	base := ours.With("x.y", "base")
	left, right := base.With("g.h", "left"), base.With("g.h", "right")
	for g, want := range map[*Git]string{&left: "left", &right: "right"} {
		if got, _ := g.Run(t.Context(), "config", "--get", "g.h"); got != want {
			t.Errorf("g.h is %q, want %q", got, want)
		}
	}
	if got, err := base.Run(t.Context(), "config", "--get", "g.h"); err == nil {
		t.Errorf("g.h is %q", got)
	}
}

// No variable of the list reaches git; all others do, with what we add.
func TestEnviron(t *testing.T) {
	g := Git{Without: []string{"TOKEN"}, Env: []string{"ADDED=1"}}
	got := g.environ([]string{"PATH=/bin", "TOKEN=secret", "TOKEN_TOO=kept", "GIT_DIR=../x.git"})
	for _, want := range []string{"PATH=/bin", "TOKEN_TOO=kept", "GIT_DIR=../x.git", "ADDED=1"} {
		if !slices.Contains(got, want) {
			t.Errorf("%s is not in %q", want, got)
		}
	}
	if all := strings.Join(got, "\n"); strings.Contains(all, "secret") || strings.Contains(all, "GIT_CONFIG_PARAMETERS") {
		t.Errorf("git gets %q", got)
	}
}

func TestOpen(t *testing.T) {
	for _, tc := range []struct {
		args         []string
		bare, sha256 bool
	}{{nil, false, false}, {[]string{"--bare"}, true, false}, {[]string{"--object-format=sha256"}, false, true}} {
		in(t, tc.args...)
		r, err := Open(t.Context(), Git{})
		if err != nil {
			t.Fatal(err)
		}
		if r.Bare != tc.bare || r.SHA256 != tc.sha256 || r.Shallow {
			t.Errorf("%q: %+v", tc.args, r)
		}
		id, err := Git{}.RunInput(t.Context(), []byte("text\n"), "hash-object", "--stdin")
		if err != nil || r.BlobID([]byte("text\n")) != id {
			t.Errorf("%q: %s, git says %s, %v", tc.args, r.BlobID([]byte("text\n")), id, err)
		}
	}
	t.Chdir(t.TempDir())
	t.Setenv("GIT_CEILING_DIRECTORIES", "/")
	if r, err := Open(t.Context(), Git{}); ExitStatus(err) != 128 {
		t.Errorf("outside a repository: %+v, %v", r, err)
	}
}

// What all linked worktrees share is named the same from everywhere, also through a symbolic link into the repository.
func TestCommonDir(t *testing.T) {
	in(t)
	run(t, "commit", "-q", "--allow-empty", "-m", "first")
	top, err := filepath.EvalSymlinks(".")
	if err == nil {
		top, err = filepath.Abs(top)
	}
	tree, link := filepath.Join(t.TempDir(), "tree"), filepath.Join(t.TempDir(), "link")
	run(t, "worktree", "add", "-q", tree)
	if err := errors.Join(err, os.MkdirAll("a/b", 0o777), os.Symlink(filepath.Join(top, "a/b"), link)); err != nil {
		t.Fatal(err)
	}
	want, err := filepath.EvalSymlinks(filepath.Join(top, ".git"))
	if err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{top, filepath.Join(top, "a/b"), link, tree, filepath.Join(top, ".git")} {
		t.Chdir(dir)
		r, err := Open(t.Context(), Git{})
		if err != nil || r.CommonDir != want {
			t.Errorf("in %s: %+v, %v; want %s", dir, r, err, want)
		}
	}
}

func TestRunWithAProcessThatStays(t *testing.T) {
	dir := t.TempDir()
	script := "#!/bin/sh\necho done\nsleep 10 &\n"
	if err := os.WriteFile(filepath.Join(dir, "git"), []byte(script), 0o777); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir+string(os.PathListSeparator)+os.Getenv("PATH"))
	out, err := Git{}.Run(t.Context(), "push")
	if out != "done" || err != nil {
		t.Errorf("a git that succeeded, with an ssh that holds its output: %q, %v", out, err)
	}
}
