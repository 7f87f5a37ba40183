// Bench measures one delivery against the least that git itself needs for the same: a fetch and two pushes. Both run
// in turn, in warm clones of the same kind, so that the ratio stands even where the times do not. It asserts nothing.
// Usage: go run ./testdata/bench FOLDER-OF-BINARIES
package main

import (
	"fmt"
	"log"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/git-socialpost/git-socialpost/linkedin/sandbox"
)

const rounds = 15

const config = `mode = "live"
[channel.linkedin-en]
platform = "linkedin"
author = "urn:li:person:782bbtaQ"
`

func main() {
	log.SetFlags(0)
	bin, err := filepath.Abs(os.Args[1])
	check(err)
	top, err := os.MkdirTemp("", "bench")
	check(err)
	defer os.RemoveAll(top)
	linkedIn := httptest.NewServer(sandbox.New())
	defer linkedIn.Close()
	b := &bench{top: top, tool: filepath.Join(bin, "git-socialpost"), env: append(os.Environ(),
		"HOME="+top, "XDG_CONFIG_HOME="+top, "GIT_CONFIG_NOSYSTEM=1", "GIT_AUTHOR_NAME=Bench", "GIT_AUTHOR_EMAIL=bench@example.com",
		"GIT_COMMITTER_NAME=Bench", "GIT_COMMITTER_EMAIL=bench@example.com", "NO_PROXY=127.0.0.1", "GITHUB_ACTIONS=", "GITLAB_CI=",
		"SOCIALPOST_LINKEDIN_URL="+linkedIn.URL, "LINKEDIN_ACCESS_TOKEN="+sandbox.DefaultToken)}
	b.prepare()

	var delivery, floor []time.Duration
	for i := range rounds {
		delivery = append(delivery, b.deliver(i, ""))
		floor = append(floor, b.floor(i))
	}
	d, f := median(delivery), median(floor)
	fmt.Printf("one delivery                          %4d ms (median of %d)\n", d.Milliseconds(), rounds)
	fmt.Printf("git fetch, git push, git push         %4d ms\n", f.Milliseconds())
	fmt.Printf("ratio                                 %6.1f\n", float64(d)/float64(f))
	b.count()
}

type bench struct {
	top, tool string
	env       []string
}

// run runs a program in a folder below top and returns what it prints.
func (b *bench) run(dir string, args ...string) string {
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Dir, cmd.Env, cmd.Stderr = filepath.Join(b.top, dir), b.env, os.Stderr
	out, err := cmd.Output()
	if err != nil {
		log.Fatalf("%s: %v", strings.Join(args, " "), err)
	}
	return strings.TrimSpace(string(out))
}

// prepare makes a blog with a post for each round, and a bare-bones one with as many refs for the floor.
func (b *bench) prepare() {
	for _, name := range []string{"blog", "plain"} {
		b.run(".", "git", "init", "-q", "--bare", name+".git")
		b.run(".", "git", "init", "-q", "-b", "main", name)
		b.run(name, "git", "remote", "add", "origin", "file://"+filepath.Join(b.top, name+".git"))
	}
	check(os.WriteFile(filepath.Join(b.top, "blog", ".socialpost.toml"), []byte(config), 0o666))
	for i := range rounds + 1 {
		dir := filepath.Join(b.top, "blog", "social", fmt.Sprintf("note-%d", i))
		check(os.MkdirAll(dir, 0o777))
		check(os.WriteFile(filepath.Join(dir, "linkedin-en.md"), fmt.Appendf(nil, "+++\n+++\nNote %d.\n", i), 0o666))
	}
	b.run("blog", b.tool, "init")
	b.run("blog", "git", "add", "-A")
	b.run("blog", "git", "commit", "-q", "-m", "posts")
	b.run("blog", "git", "push", "-q", "origin", "main")
	b.run("blog", b.tool, "plan")

	b.run("plain", "git", "commit", "-q", "--allow-empty", "-m", "first")
	refspecs := []string{"git", "push", "-q", "origin"}
	for i := range 16 {
		refspecs = append(refspecs, fmt.Sprintf("main:refs/social/ledger/%x", i))
	}
	b.run("plain", refspecs...)
	b.run("plain", "git", "fetch", "-q", "origin", "+refs/social/ledger/*:refs/socialpost/ledger/*")
}

func (b *bench) deliver(i int, trace string) time.Duration {
	key := fmt.Sprintf("note-%d:linkedin-en", i)
	plain := b.env
	if trace != "" {
		b.env = append(slices.Clone(plain), "GIT_TRACE2_EVENT="+trace)
	}
	begin := time.Now()
	b.run("blog", b.tool, "deliver", key)
	taken := time.Since(begin)
	b.env = plain
	return taken
}

// floor is what cannot be saved: look at the ledger, push an intent, push a receipt. The commits are made beforehand.
func (b *bench) floor(i int) time.Duration {
	ref := fmt.Sprintf("refs/social/ledger/%x", i%16)
	tip := b.run("plain", "git", "rev-parse", "HEAD")
	intent := b.run("plain", "git", "commit-tree", "-p", tip, "-m", "intent", "HEAD^{tree}")
	receipt := b.run("plain", "git", "commit-tree", "-p", intent, "-m", "receipt", "HEAD^{tree}")
	begin := time.Now()
	b.run("plain", "git", "fetch", "-q", "origin", "+refs/social/ledger/*:refs/socialpost/ledger/*")
	b.run("plain", "git", "push", "-q", "origin", intent+":"+ref)
	b.run("plain", "git", "push", "-q", "origin", receipt+":"+ref)
	return time.Since(begin)
}

// count lists the git processes of one more delivery: those that it starts, and all, with git's own helpers on both
// sides. Git writes one trace file a process; the name of a process that git started itself has a '/' in its id.
func (b *bench) count() {
	trace := filepath.Join(b.top, "trace")
	check(os.Mkdir(trace, 0o777))
	b.deliver(rounds, trace)
	files, err := filepath.Glob(filepath.Join(trace, "*"))
	check(err)
	own := map[string]int{}
	total := 0
	for _, file := range files {
		data, err := os.ReadFile(file)
		check(err)
		total++
		if name, direct := command(string(data)); direct {
			own[name]++
		}
	}
	var names []string
	started := 0
	for name, n := range own {
		names = append(names, fmt.Sprintf("%s %d", name, n))
		started += n
	}
	slices.Sort(names)
	fmt.Printf("git processes it starts               %4d (%s)\n", started, strings.Join(names, ", "))
	fmt.Printf("git processes in all, both sides      %4d\n", total)
}

// command returns git's name for what a process did, and whether another program than git started it.
func command(trace string) (name string, direct bool) {
	for line := range strings.Lines(trace) {
		if rest, found := after(line, `"event":"cmd_name"`, `"name":"`); found && name == "" {
			name, _, _ = strings.Cut(rest, `"`)
		}
	}
	sid, _ := after(trace, `"sid":"`, "")
	sid, _, _ = strings.Cut(sid, `"`)
	return name, !strings.Contains(sid, "/")
}

func after(s, mark, field string) (rest string, found bool) {
	if _, rest, found = strings.Cut(s, mark); !found || field == "" {
		return rest, found
	}
	_, rest, found = strings.Cut(rest, field)
	return rest, found
}

func median(all []time.Duration) time.Duration {
	slices.Sort(all)
	return all[len(all)/2]
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
