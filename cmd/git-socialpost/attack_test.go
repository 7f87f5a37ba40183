package main

import (
	"context"
	"encoding/hex"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/git-socialpost/git-socialpost/linkedin/sandbox"
)

// cloneKinds are the clones that meet an attack: two that knew the ledger before it, and two that a runner makes after it.
var cloneKinds = []string{"known", "known-shallow", "fresh", "fresh-shallow"}

const (
	attackTime   = 20 * time.Second // far more than a refusal takes
	attackMemory = 200 << 10        // in KiB, as getrusage counts: twelve times the largest object that is read
	attackOutput = 4 << 10          // bytes that a refusal may print
)

// siege is a ledger that is attacked, and what must not change by it.
type siege struct {
	*testscript.TestScript
	*linkedIn
	dir      string
	received int // POSTs that came before
}

func siegeOf(ts *testscript.TestScript) *siege {
	return &siege{TestScript: ts, linkedIn: linkedInOf(ts), dir: ts.Getenv("WORK"), received: linkedInOf(ts).Received()}
}

// besiege: a blog whose shard e holds note:linkedin-en, delivered, and note-y:linkedin-en, unknown; shard 8 was written
// last, and holds alpha:linkedin-en, delivered. note:linkedin-ru is due. The clones known and known-shallow have seen
// all of it. The edits in the file move are a legal transition of note-y:linkedin-en to abandoned.
func cmdBesiege(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) > 0 {
		ts.Fatalf("usage: besiege")
	}
	s := siegeOf(ts)
	for _, key := range []string{"note:linkedin-en", "note:linkedin-ru", "note-y:linkedin-en", "alpha:linkedin-en"} {
		s.write(postPath(key), "+++\n+++\n"+textOf(key)+"\n")
	}
	cmdBlog(ts, false, nil)
	ts.Check(ts.Exec("git", "-C", "blog", "socialpost", "deliver", "note:linkedin-en"))
	ts.Check(s.Arm(sandbox.Fault{Kind: "500", When: "after", Count: 1}))
	cmdExits(ts, false, strings.Fields("3 git -C blog socialpost deliver note-y:linkedin-en"))
	ts.Check(ts.Exec("git", "-C", "blog", "socialpost", "deliver", "alpha:linkedin-en"))
	for _, kind := range cloneKinds[:2] {
		s.fresh(kind)
		ts.Check(ts.Exec("git", "-C", kind, "socialpost", "status"))
	}
	s.writeModel()
	ts.Check(os.CopyFS(s.path("whole.git"), os.DirFS(s.remote)))
}

// writeModel writes the files of a legal transition, as forge takes them.
func (s *siege) writeModel() {
	at := func(file string) string {
		return s.git("", "cat-file", "blob", "refs/social/ledger/e:open/note-y/linkedin-en/"+file)
	}
	s.write("record.toml", at("record.toml"))
	s.write("payload.json", at("payload.json"))
	s.write("abandoned.toml", strings.Replace(at("record.toml"), `state = "unknown"`, `state = "abandoned"`, 1)+
		"[resolution]\ndecision = \"abandoned\"\nby = \"Mallory\"\nreason = \"because\"\nof = \"unknown\"\nat = 2026-01-01T00:00:00Z\n")
	s.write("garbage", "garbage\n")
	s.write("tree.id", s.git("", "rev-parse", "refs/social/ledger/e^{tree}"))
	s.write("garbage.id", s.git("garbage\n", "hash-object", "-w", "--stdin"))
	s.write("move", "open/note-y/linkedin-en/record.toml=\nopen/note-y/linkedin-en/payload.json=\n"+
		"settled/8e/note-y/linkedin-en/record.toml=abandoned.toml\nsettled/8e/note-y/linkedin-en/payload.json=payload.json\n")
}

func (s *siege) path(name string) string { return filepath.Join(s.dir, name) }

func (s *siege) write(name, content string) {
	s.Check(os.MkdirAll(filepath.Dir(s.path(name)), 0o777))
	s.Check(os.WriteFile(s.path(name), []byte(content), 0o666))
}

func (s *siege) fresh(kind string) {
	s.Check(os.RemoveAll(s.path(kind)))
	args := []string{s.path(kind)}
	if strings.HasSuffix(kind, "shallow") {
		args = append(args, "--depth=1")
	}
	cmdClone(s.TestScript, false, args)
}

// refused [KIND=]PATTERN...: every kind of clone refuses the ledger as it is on the remote now: plan, deliver and fsck
// say what the pattern says, and what to type next. Of several patterns, the last whose kind (known*=, *shallow=) fits
// counts. Where it is "unseen", plan finds nothing wrong. The remote is put back as it was before the attack.
func cmdRefused(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) == 0 {
		ts.Fatalf("usage: refused [kind=]pattern...")
	}
	s := siegeOf(ts)
	defer s.lift()
	before := s.git("", "for-each-ref")
	for _, kind := range cloneKinds[2:] {
		s.fresh(kind)
	}
	faults := make([]error, len(cloneKinds))
	var all sync.WaitGroup
	for i, kind := range cloneKinds {
		all.Go(func() { faults[i] = s.refuses(kind, patternFor(kind, args)) })
	}
	all.Wait()
	ts.Check(errors.Join(faults...))
	if after := s.git("", "for-each-ref"); after != before {
		ts.Fatalf("the remote was written to:\n%s\nit was:\n%s", after, before)
	}
	if got := s.Received(); got != s.received {
		ts.Fatalf("LinkedIn received %d POSTs more", got-s.received)
	}
}

// lift puts the remote back as it was before the attack.
func (s *siege) lift() {
	s.Check(os.RemoveAll(s.remote))
	s.Check(os.CopyFS(s.remote, os.DirFS(s.path("whole.git"))))
}

func patternFor(kind string, args []string) (pattern string) {
	for _, arg := range args {
		glob, own, _ := strings.Cut(arg, "=")
		fits := func(kind string) bool { ok, _ := path.Match(glob, kind); return ok }
		switch {
		case fits(kind):
			pattern = own
		case !slices.ContainsFunc(cloneKinds, fits):
			pattern = arg
		}
	}
	return pattern
}

// refuses runs in a goroutine of its own.
func (s *siege) refuses(kind, pattern string) error {
	dir := s.path(kind)
	memory, err := gitIn(dir, "", "for-each-ref", "refs/socialpost/ledger")
	if err != nil {
		return err
	}
	if pattern == "unseen" {
		if r := s.attempt(dir, "plan"); r.status != 0 {
			return fmt.Errorf("%s: it is seen, and is said to be unseen: %d\n%s%s", kind, r.status, r.stdout, r.stderr)
		}
		return nil
	}
	verbs := []string{"plan", "deliver", "fsck"}
	if strings.HasSuffix(kind, "shallow") {
		verbs = verbs[1:]
	}
	for _, verb := range verbs {
		if err := s.attempt(dir, verb).refusal(verb, pattern); err != nil {
			return fmt.Errorf("%s: %s: %w", kind, verb, err)
		}
	}
	if kind == "fresh-shallow" {
		return nil // it looked at the tips only, and remembers them
	}
	if now, err := gitIn(dir, "", "for-each-ref", "refs/socialpost/ledger"); err != nil || now != memory {
		return fmt.Errorf("%s: what it remembers has changed: %w\n%s\nit was:\n%s", kind, err, now, memory)
	}
	return nil
}

// attempt runs git-socialpost for a limited time.
func (s *siege) attempt(dir, verb string) result {
	ctx, cancel := context.WithTimeout(context.Background(), attackTime)
	defer cancel()
	var stdout, stderr strings.Builder
	cmd := exec.CommandContext(ctx, "git-socialpost", verb)
	cmd.Dir, cmd.Env = dir, environment(s.path("home"), s.linkedIn)
	cmd.Stdout, cmd.Stderr, cmd.WaitDelay = &stdout, &stderr, time.Second
	err := cmd.Run()
	if ctx.Err() != nil || cmd.ProcessState == nil {
		return result{-1, stdout.String(), stderr.String() + fmt.Sprintln(err, ctx.Err())}
	}
	if used := peakMemory(cmd.ProcessState); used > attackMemory {
		return result{-1, stdout.String(), stderr.String() + fmt.Sprintf("it took %d KiB of memory", used)}
	}
	return result{cmd.ProcessState.ExitCode(), stdout.String(), stderr.String()}
}

// refusal says what is wrong with how a command refused an attack.
func (r result) refusal(verb, pattern string) error {
	said := r.stderr
	if verb == "fsck" {
		said += r.stdout
	}
	if len(said) > attackOutput {
		return fmt.Errorf("it prints %d bytes, that begin:\n%.1000s", len(said), said)
	}
	printed := fmt.Sprintf("\n%s%s", r.stdout, r.stderr)
	switch {
	case r.status != exitError:
		return fmt.Errorf("exit status %d%s", r.status, printed)
	case verb != "fsck" && r.stdout != "":
		return fmt.Errorf("it answers%s", printed)
	case !regexp.MustCompile(pattern).MatchString(said):
		return fmt.Errorf("it does not say %q%s", pattern, printed)
	case !utf8.ValidString(said) || strings.ContainsFunc(said, steers):
		return fmt.Errorf("control characters reach the terminal: %q", printed)
	}
	if err := r.unexplained(); err != nil {
		return fmt.Errorf("%w%s", err, printed)
	}
	return nil
}

// reforge [-plant 'MODE NAME' [-object FILE] [-last]] SHARD [SED-SCRIPT]: rewrites the tip of a shard past all of git's
// checks. An entry is planted in the root of its tree, in git's order or at the end, whose name may have Go's escapes;
// it is a file, or the object whose id is in a file. The commit is edited as a text.
func cmdReforge(ts *testscript.TestScript, neg bool, args []string) {
	flags := flag.NewFlagSet("reforge", flag.ContinueOnError)
	plant, object, last := flags.String("plant", "", ""), flags.String("object", "garbage.id", ""), flags.Bool("last", false, "")
	ts.Check(flags.Parse(args))
	if args = flags.Args(); neg || len(args) < 1 || len(args) > 2 {
		ts.Fatalf("usage: reforge [-plant 'mode name'] [-object file] [-last] shard [sed script]")
	}
	s, ref := siegeOf(ts), "refs/social/ledger/"+args[0]
	text := s.git("", "cat-file", "commit", ref)
	if *plant != "" {
		root := s.plant(ref, *plant, strings.TrimSpace(ts.ReadFile(*object)), *last)
		text = regexp.MustCompile(`^tree .*`).ReplaceAllString(text, "tree "+root)
	}
	if len(args) == 2 {
		sed := exec.Command("sed", args[1])
		sed.Stdin = strings.NewReader(text)
		out, err := sed.Output()
		ts.Check(err)
		text = string(out)
	}
	s.git("", "update-ref", ref, strings.TrimSpace(s.git(text, "hash-object", "-w", "-t", "commit", "--literally", "--stdin")))
}

func (s *siege) git(input string, args ...string) string {
	out, err := gitIn(s.remote, input, args...)
	s.Check(err)
	return out
}

// plant returns a tree with one entry more.
func (s *siege) plant(ref, modeName, object string, last bool) string {
	name, err := strconv.Unquote(`"` + modeName + `"`)
	s.Check(err)
	id, err := hex.DecodeString(object)
	s.Check(err)
	var entries []string
	for raw := s.git("", "cat-file", "tree", ref+"^{tree}"); raw != ""; {
		end := strings.IndexByte(raw, 0) + 1 + len(id)
		entries, raw = append(entries, raw[:end]), raw[end:]
	}
	entries = append(entries, name+"\x00"+string(id))
	if !last {
		slices.SortFunc(entries, func(a, b string) int { return strings.Compare(placeOf(a), placeOf(b)) })
	}
	return strings.TrimSpace(s.git(strings.Join(entries, ""), "hash-object", "-w", "-t", "tree", "--literally", "--stdin"))
}

// placeOf is what git sorts a tree's entry by.
func placeOf(entry string) string {
	mode, rest, _ := strings.Cut(entry, " ")
	name, _, _ := strings.Cut(rest, "\x00")
	if mode == "40000" {
		name += "/"
	}
	return name
}
