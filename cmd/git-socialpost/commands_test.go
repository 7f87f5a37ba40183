package main

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// On GitHub the same poison as in TestTerminal, which has commands in it, makes the runner obey nothing: neither in the
// log nor, as markup, in the summary.
func TestCommands(t *testing.T) {
	for name, poisoned := range poisonings {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, "note:linkedin-en")
			summary := filepath.Join(w.dir, "summary.md")
			w.env = append(w.env, onGitHub, "GITHUB_STEP_SUMMARY="+summary)
			poisoned(w.clone("m"))
			data, err := os.ReadFile(summary)
			if name == "pre-push" && errors.Is(err, fs.ErrNotExist) {
				return // a hook has none
			}
			w.check(err)
			checkPrinted(w, string(data))
			if blocks := fences.ReplaceAllString(string(data), ""); strings.Contains(blocks, "\nFORGED") || strings.Contains(blocks, "\n::") {
				t.Errorf("a forged line is in the summary:\n%s", data)
			}
		})
	}
}

const onGitHub = "GITHUB_ACTIONS=true"

func (w *world) onGitHub() bool { return slices.Contains(w.env, onGitHub) }

var (
	fences = regexp.MustCompile("(?m)^```+text\n(?s:.*?)\n```+$")
	ours   = regexp.MustCompile(`^::(?:(?:error|warning)(?: file=[^:,\n]+(?:,line=\d+)?)?::(?:git-socialpost: |warning: |social/)|group::(?:deliver |\d+ deliveries)|endgroup::\n)`)
)

// checkCommands demands that all commands in a log are the program's own.
func checkCommands(t testing.TB, log string) {
	t.Helper()
	for line := range strings.Lines(log) {
		rest := ours.ReplaceAllString(line, "")
		if rest != line && strings.HasPrefix(rest, "FORGED") || obeyed(rest) != "" {
			t.Errorf("the runner would obey %q", line)
		}
	}
}

func TestCheckCommands(t *testing.T) {
	for line, want := range map[string]bool{
		"::error file=social/a.md,line=3::social/a.md:3: x": true,
		"::warning::git-socialpost: WARNING: x":             true,
		"::group::7 deliveries that were not made":          true,
		"::endgroup::":    true,
		"a ::error:: b":   true,
		"::error::FORGED": false,
		"  ::add-mask::x": false,
		"::error::git-socialpost: x ##[add-mask]y":  false,
		"::error file=a,title=b::git-socialpost: x": false,
		"text ##[group]x":                           false,
	} {
		said := &recorder{TB: t}
		checkCommands(said, line+"\n")
		if said.failed == want {
			t.Errorf("%q: want harmless %v", line, want)
		}
	}
}

type recorder struct {
	testing.TB
	failed bool
}

func (r *recorder) Errorf(string, ...any) { r.failed = true }
func (r *recorder) Helper()               {}
