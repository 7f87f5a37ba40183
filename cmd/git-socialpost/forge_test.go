package main

import (
	"flag"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
)

// forge [-seq N] [-ledger ID] [-merge REV] SHARD KEY STATE ATTEMPT [PATH=[FILE[,MODE]]...]: somebody with push access
// commits to a shard past the program, with the trailers of a transition. A PATH without a FILE is deleted; with mode
// 160000 FILE is a commit's id; @LIST stands for the edits in a file.
func cmdForge(ts *testscript.TestScript, neg bool, args []string) {
	flags := flag.NewFlagSet("forge", flag.ContinueOnError)
	seq, pin, merge := flags.Int("seq", 0, ""), flags.String("ledger", "", ""), flags.String("merge", "", "")
	ts.Check(flags.Parse(args))
	if args = flags.Args(); neg || len(args) < 4 {
		ts.Fatalf("usage: forge [-seq n] [-ledger id] [-merge rev] shard key state attempt [path=[file[,mode]]...]")
	}
	git := func(input string, args ...string) string {
		out, err := gitIn(filepath.Join(ts.Getenv("WORK"), "remote.git"), input, args...)
		ts.Check(err)
		return strings.TrimSpace(out)
	}
	ref := "refs/social/ledger/" + args[0]
	if *seq == 0 {
		last, err := strconv.Atoi(git("", "log", "-1", "--format=%(trailers:key=Seq,valueonly)", ref))
		ts.Check(err)
		*seq = last + 1
	}
	if *pin == "" {
		*pin = git("", "rev-list", "--max-parents=0", ref)
	}
	message := fmt.Sprintf("Forged\n\nLedger: %s\nSeq: %d\nDelivery: %s\nState: %s\nAttempt: %s\nRun: forged\n", *pin, *seq, args[1], args[2], args[3])
	var b strings.Builder
	fmt.Fprintf(&b, "commit %s\ncommitter Mallory <mallory@example.com> 1700000000 +0000\ndata %d\n%s\nfrom %s^0\n", ref, len(message), message, ref)
	if *merge != "" {
		fmt.Fprintf(&b, "merge %s\n", *merge)
	}
	var edits []string
	for _, edit := range args[4:] {
		if list, found := strings.CutPrefix(edit, "@"); found {
			edits = append(edits, strings.Fields(ts.ReadFile(filepath.Join(ts.Getenv("WORK"), list)))...)
			continue
		}
		edits = append(edits, edit)
	}
	for _, edit := range edits {
		path, file, _ := strings.Cut(edit, "=")
		file, mode, moded := strings.Cut(file, ",")
		if !moded {
			mode = "100644"
		}
		switch {
		case file == "":
			fmt.Fprintf(&b, "D %s\n", path)
		case mode == "160000":
			fmt.Fprintf(&b, "M %s %s %s\n", mode, file, path)
		default:
			content := ts.ReadFile(filepath.Join(ts.Getenv("WORK"), file))
			fmt.Fprintf(&b, "M %s inline %s\ndata %d\n%s\n", mode, path, len(content), content)
		}
	}
	git(b.String(), "fast-import", "--quiet", "--date-format=raw")
}
