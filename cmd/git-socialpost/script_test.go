package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/git-socialpost/git-socialpost/ledger"
	"github.com/git-socialpost/git-socialpost/linkedin/sandbox"
)

var (
	update = flag.Bool("update", false, "write what commands print into the scripts' golden files")
	slow   = flag.Bool("slow", false, "run the scripts in testdata/slow, which take minutes")

	exhaustive = flag.Bool("exhaustive", false, "try every point where a delivery can be cut or killed, not a sample")
	part       = flag.String("part", "0/1", "of all points, only the `i/n`-th part, i from 0")
	seed       = flag.Uint64("seed", uint64(time.Now().UnixNano()), "repeat a random run")
)

func TestMain(m *testing.M) {
	flag.Set("test.parallel", "8") // scripts wait more than they work
	testscript.Main(m, map[string]func(){
		"git-socialpost":        main,
		"git-socialpost-clock":  clockedMain,
		"git-socialpost-runner": lateRunner,
		"member":                memberMain,
	})
}

// inPart reports whether a point belongs to the part that is to be tried.
func inPart(t testing.TB, number uint32) bool {
	var i, n uint32
	if _, err := fmt.Sscanf(*part, "%d/%d", &i, &n); err != nil || i >= n {
		t.Fatalf("-part=%s: want i/n with i < n", *part)
	}
	return number%n == i
}

// clockedMain is the program on a machine whose clock is wrong by the duration in the file CLOCK. It is read every time, so
// that the clock can jump.
func clockedMain() {
	os.Exit(process(func() time.Time {
		data, err := os.ReadFile(os.Getenv("CLOCK"))
		if err != nil {
			panic(err)
		}
		wrong, err := time.ParseDuration(strings.TrimSpace(string(data)))
		if err != nil {
			panic(err)
		}
		return time.Now().Add(wrong)
	}))
}

// lateRunner is a runner that wrote its intent some time ago: git-socialpost-runner KEY AGE. It prints the intent's nonce.
func lateRunner() {
	if err := intendSince(os.Args[1], os.Args[2]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func intendSince(key, since string) error {
	age, err := time.ParseDuration(since)
	if err != nil {
		return err
	}
	ctx := context.Background()
	t := &tool{stdout: os.Stdout, stderr: os.Stderr, getenv: os.Getenv, now: func() time.Time { return time.Now().Add(-age) }}
	defer t.close()
	if err := t.openHead(ctx); err != nil {
		return err
	}
	head, err := t.revision(ctx, "HEAD")
	if err != nil {
		return err
	}
	src, err := t.readRevision(ctx, head)
	if err != nil {
		return err
	}
	if err := t.fetch(ctx); err != nil {
		return err
	}
	for _, p := range src.posts {
		if p.Key.String() != key {
			continue
		}
		nonce := ledger.NewNonce()
		_, err := t.ledger.Update(ctx, p.Key, func(old *ledger.Record) (*ledger.Record, error) {
			if old != nil && old.Nonce() == nonce {
				return old, nil
			}
			return ledger.Intend(old, ledger.Record{
				Key: key, Nonces: []string{nonce}, Revision: head, Path: p.Path, Text: t.repo.BlobID([]byte(p.Text)),
				PayloadSHA256: ledger.SHA256(p.Payload), Payload: p.Payload, Author: p.Channel.Author,
				IntendedAt: t.stamp(), Run: "a runner of old",
			}), nil
		})
		fmt.Println(nonce)
		return err
	}
	return fmt.Errorf("%s: no such post", key)
}

// TestScript runs the scenarios. Each has its own folder, git remote and LinkedIn sandbox, which checks at every POST
// that the intent is on the remote already.
func TestScript(t *testing.T) { runScripts(t, "script") }

func TestSlowScript(t *testing.T) {
	if !*slow {
		t.Skip("without -slow")
	}
	runScripts(t, "slow")
}

func runScripts(t *testing.T, folder string) {
	testscript.Run(t, testscript.Params{
		Dir:                 filepath.Join("..", "..", "testdata", folder),
		UpdateScripts:       *update,
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup:               setup,
		Condition:           condition,
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){
			"besiege":  cmdBesiege,
			"blog":     cmdBlog,
			"clone":    cmdClone,
			"exits":    cmdExits,
			"fault":    cmdFault,
			"forge":    cmdForge,
			"feed":     cmdFeed,
			"freeport": cmdFreePort,
			"posts":    cmdPosts,
			"unplug":   cmdUnplug,
			"plug":     cmdPlug,
			"received": cmdReceived,
			"reforge":  cmdReforge,
			"refused":  cmdRefused,
			"token":    cmdToken,
			"until":    cmdUntil,
		},
	})
}

// condition mounts: disks can be mounted that only the processes of a script see.
func condition(name string) (bool, error) {
	if name != "mounts" {
		return false, fmt.Errorf("unknown condition %q", name)
	}
	return exec.Command("unshare", "-m", "sh", "-c", "mount -t tmpfs none /mnt").Run() == nil, nil
}

func setup(env *testscript.Env) error {
	home := filepath.Join(env.WorkDir, "home")
	if err := os.Mkdir(home, 0o777); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(home, ".gitconfig"), []byte(gitconfig), 0o666); err != nil {
		return err
	}
	git, err := installShim(env.WorkDir)
	if err != nil {
		return err
	}
	li, err := newLinkedIn(filepath.Join(env.WorkDir, "remote.git"))
	if err != nil {
		return err
	}
	env.Defer(li.close)
	env.Values["linkedin"] = li
	docs, err := filepath.Abs(filepath.Join("..", "..", "docs"))
	if err != nil {
		return err
	}
	env.Setenv("REALGIT", git)
	env.Setenv("DOCS", docs)
	for _, entry := range environment(home, li) {
		if name, value, _ := strings.Cut(entry, "="); name != "PATH" {
			env.Setenv(name, value)
		}
	}
	return nil
}

// installShim puts testdata/git-shim.sh into the folder shim, as git, and returns where the real one is.
func installShim(dir string) (git string, err error) {
	shim, err := os.ReadFile(filepath.Join("..", "..", "testdata", "git-shim.sh"))
	if err != nil {
		return "", err
	}
	if err := os.Mkdir(filepath.Join(dir, "shim"), 0o777); err != nil {
		return "", err
	}
	if err := os.WriteFile(filepath.Join(dir, "shim", "git"), shim, 0o777); err != nil {
		return "", err
	}
	return exec.LookPath("git")
}

func linkedInOf(ts *testscript.TestScript) *linkedIn { return ts.Value("linkedin").(*linkedIn) }

// posts N [STORED]: so many POSTs arrived, and so many posts are in the feed.
func cmdPosts(ts *testscript.TestScript, neg bool, args []string) {
	li := linkedInOf(ts)
	if neg || len(args) < 1 || len(args) > 2 {
		ts.Fatalf("usage: posts received [stored]")
	}
	if got := strconv.Itoa(li.Received()); got != args[0] {
		ts.Fatalf("LinkedIn received %s POSTs, want %s", got, args[0])
	}
	if got := strconv.Itoa(len(li.Stored())); len(args) == 2 && got != args[1] {
		ts.Fatalf("LinkedIn stored %s posts, want %s", got, args[1])
	}
	ts.Check(li.broken())
}

// received N: waits until so many POSTs have arrived.
func cmdReceived(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: received count")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	if li := linkedInOf(ts); !eventually(time.Minute, func() bool { return li.Received() >= want }) {
		ts.Fatalf("LinkedIn received %d POSTs, not %d", li.Received(), want)
	}
}

// fault KIND [before|after [COUNT]]: LinkedIn fails with the next POSTs.
func cmdFault(ts *testscript.TestScript, neg bool, args []string) {
	f := sandbox.Fault{Count: 1}
	switch {
	case neg || len(args) < 1 || len(args) > 3:
		ts.Fatalf("usage: fault kind [before|after [count]]")
	case len(args) == 3:
		n, err := strconv.Atoi(args[2])
		ts.Check(err)
		f.Count = n
	}
	f.Kind = args[0]
	if len(args) > 1 {
		f.When = args[1]
	}
	ts.Check(linkedInOf(ts).Arm(f))
}

// unplug [after-read]: nobody listens at LinkedIn's address, at once or after the next check of token and version.
func cmdUnplug(ts *testscript.TestScript, neg bool, args []string) {
	li := linkedInOf(ts)
	switch {
	case neg || len(args) > 1:
		ts.Fatalf("usage: unplug [after-read]")
	case len(args) == 0:
		li.close()
		return
	}
	li.mu.Lock()
	defer li.mu.Unlock()
	li.unplugAt = true
}

func cmdPlug(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) > 0 {
		ts.Fatalf("usage: plug")
	}
	ts.Check(linkedInOf(ts).plug())
}

// exits N PROG [ARG...]: the program's exact exit status.
func cmdExits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits status program [argument...]")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	err = ts.Exec(args[1], args[2:]...)
	got := 0
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		got = exit.ExitCode()
	} else {
		ts.Check(err)
	}
	if got != want {
		ts.Fatalf("exit status %d, want %d", got, want)
	}
}

// until PROG [ARG...]: runs a program again and again, until it succeeds.
func cmdUntil(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) == 0 {
		ts.Fatalf("usage: until program [argument...]")
	}
	if !eventually(time.Minute, func() bool { return ts.Exec(args[0], args[1:]...) == nil }) {
		ts.Fatalf("%s never succeeded", strings.Join(args, " "))
	}
}

// blog [GIT-INIT-ARG...]: remote.git, and a clone of it in blog, with a ledger, a live configuration and the script's
// files below social/, all committed and pushed. The script's .socialpost.toml, if any, takes the configuration's place,
// and its .socialpost.signers goes along.
func cmdBlog(ts *testscript.TestScript, neg bool, args []string) {
	if neg {
		ts.Fatalf("usage: blog [git init argument...]")
	}
	run := func(args ...string) { ts.Check(ts.Exec(args[0], args[1:]...)) }
	run(append([]string{"git", "init", "-q", "--bare", "remote.git"}, args...)...)
	run("git", "init", "-q", "blog")
	if len(args) > 0 {
		ts.Check(os.RemoveAll(ts.MkAbs("blog")))
		run(append([]string{"git", "init", "-q", "blog"}, args...)...)
	}
	run("git", "-C", "blog", "remote", "add", "origin", ts.MkAbs("remote.git"))
	config := []byte(liveConfig)
	if own, err := os.ReadFile(ts.MkAbs(".socialpost.toml")); err == nil {
		config = own
	}
	ts.Check(os.WriteFile(ts.MkAbs("blog/.socialpost.toml"), config, 0o666))
	if signers, err := os.ReadFile(ts.MkAbs(".socialpost.signers")); err == nil {
		ts.Check(os.WriteFile(ts.MkAbs("blog/.socialpost.signers"), signers, 0o666))
	}
	if _, err := os.Stat(ts.MkAbs("social")); err == nil {
		ts.Check(os.CopyFS(ts.MkAbs("blog/social"), os.DirFS(ts.MkAbs("social"))))
	}
	run("git", "-C", "blog", "socialpost", "init")
	run("git", "-C", "blog", "add", "-A")
	run("git", "-C", "blog", "commit", "-q", "-m", "posts")
	run("git", "-C", "blog", "push", "-q", "-u", "origin", "HEAD:main")
}

// clone DIR [GIT-CLONE-ARG...]: a fresh clone of the remote, as a new runner has it.
func cmdClone(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) == 0 {
		ts.Fatalf("usage: clone folder [git clone argument...]")
	}
	all := append([]string{"clone", "-q"}, args[1:]...)
	ts.Check(ts.Exec("git", append(all, fmt.Sprintf("file://%s", ts.MkAbs("remote.git")), args[0])...))
}

// feed: prints what readers see, the oldest post first: its author, its text, and its card if it has one.
func cmdFeed(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) > 0 {
		ts.Fatalf("usage: feed")
	}
	for _, p := range linkedInOf(ts).Stored() {
		fmt.Fprintf(ts.Stdout(), "== %s\n%s\n", p.Author, p.Text)
		if p.Link != "" {
			fmt.Fprintf(ts.Stdout(), "-> %s | %s | %s\n", p.Link, p.Title, p.Description)
		}
	}
}

// token VALUE MEMBER [expired|revoked]: LinkedIn knows one more access token, whose member may post as itself alone.
func cmdToken(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 || len(args) > 3 {
		ts.Fatalf("usage: token value member [expired|revoked]")
	}
	token := sandbox.Token{Sub: args[1], Scopes: []string{"openid", "profile", "w_member_social"}}
	if len(args) == 3 {
		token.Expired, token.Revoked = args[2] == "expired", args[2] == "revoked"
	}
	linkedInOf(ts).know(args[0], token)
}
