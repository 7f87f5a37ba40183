//go:build unix

package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

var shells = flag.Bool("shells", false, "press Tab in bash, zsh and fish, which must be installed, with bash-completion")

// A tabbed line is what somebody types, and what stands on the command line then, word by word.
type tabbed struct {
	keys string
	want []string
}

// tabs are for every shell. What is typed is unambiguous, so that one Tab completes it.
var tabs = []tabbed{
	{"git socialpost res\t", []string{"git", "socialpost", "resolve"}},
	{"git-socialpost res\t", []string{"git-socialpost", "resolve"}},
	{"git socialpost stat\ta-no\t", []string{"git", "socialpost", "status", "a-note:linkedin-en"}},
	{"git socialpost status a-note:\t", []string{"git", "socialpost", "status", "a-note:linkedin-en"}},
	{"git socialpost status b-note:linkedin-r\tb-note:linkedin-e\t", []string{"git", "socialpost", "status", "b-note:linkedin-ru", "b-note:linkedin-en"}},
	{"git-socialpost status b-note:linkedin-r\t", []string{"git-socialpost", "status", "b-note:linkedin-ru"}},
	{"git -C . socialpost resolve a-note:linkedin-e\t--not\t", []string{"git", "-C", ".", "socialpost", "resolve", "a-note:linkedin-en", "--not-posted"}},
	{"git-socialpost plan --rev tes\t--js\t", []string{"git-socialpost", "plan", "--rev", "test/colon", "--json"}},
	{"git socialpost plan --rev=tes\t--js\t", []string{"git", "socialpost", "plan", "--rev=test/colon", "--json"}},
	{"git socialpost plan --rev od\t", []string{"git", "socialpost", "plan", "--rev", "odd$(date)"}},
	{"git socialpost plan --out saved\t--js\t", []string{"git", "socialpost", "plan", "--out", "saved plan", "--json"}},
	{"git socialpost deliver --recovery kep\t", []string{"git", "socialpost", "deliver", "--recovery", "kept"}},
	{"git-socialpost deliver --plan=saved\\ \t", []string{"git-socialpost", "deliver", "--plan=saved plan"}},
	{"git socialpost deliver --recovery=kep\t", []string{"git", "socialpost", "deliver", "--recovery=kept"}},
	{"git socialpost status nothing\t", []string{"git", "socialpost", "status", "nothing"}},
	{"git socialpost hook ins\t--ch\t", []string{"git", "socialpost", "hook", "install", "--chain"}},
	{"git socialpost -v new --no\tb-no\tlinkedin-r\t", []string{"git", "socialpost", "-v", "new", "--no-edit", "b-note", "linkedin-ru"}},
	{"git-socialpost --qui\timport savi\t", []string{"git-socialpost", "--quiet", "import", "saving"}},
	{"git sp fs\t", []string{"git", "sp", "fsck"}},
	{"git -C other\\ one socialpost plan --rev far\t", []string{"git", "-C", "other one", "socialpost", "plan", "--rev", "far-away"}},
	{"git -C 'other one' socialpost plan --rev tes\t", []string{"git", "-C", "other one", "socialpost", "plan", "--rev", "tes"}},
	{"git -C ~/../m/other\\ one socialpost plan --rev far\t", []string{"git", "-C", "~/../m/other one", "socialpost", "plan", "--rev", "far-away"}},
	{"git --git-dir=other\\ one/.git socialpost plan --rev far\t", []string{"git", "--git-dir=other one/.git", "socialpost", "plan", "--rev", "far-away"}},
	{"git --git-dir other\\ one/.git --work-tree=. socialpost plan --out savi\t--rev far\t", []string{"git", "--git-dir", "other one/.git", "--work-tree=.", "socialpost", "plan", "--out", "saving", "--rev", "far-away"}},
	{"git -C other\\ one --git-dir=.git socialpost plan --rev far\t", []string{"git", "-C", "other one", "--git-dir=.git", "socialpost", "plan", "--rev", "far-away"}},
	{"git -C other\\ one socialpost plan --out savi\t", []string{"git", "-C", "other one", "socialpost", "plan", "--out", "savi"}},
	{"git socialpost status \"a-no\t", []string{"git", "socialpost", "status", "a-note:linkedin-en"}},
	{"git socialpost status 'b-note:linkedin-r\t--js\t", []string{"git", "socialpost", "status", "b-note:linkedin-ru", "--json"}},
	{"git-socialpost plan --rev=\"od\t", []string{"git-socialpost", "plan", "--rev=odd$(date)"}},
	{"git socialpost plan --rev \"odd\\$\t--js\t", []string{"git", "socialpost", "plan", "--rev", "odd$(date)", "--json"}},
	{"git socialpost plan --rev \"te\"st\t", []string{"git", "socialpost", "plan", "--rev", "test/colon"}},
}

// TestCompletion types into real shells, on a terminal, with the completions of share/ where `make install` puts them.
func TestCompletion(t *testing.T) {
	if !*shells {
		t.Skip("without -shells")
	}
	_, m := shopWorld(t)
	m.git("branch", "test/colon")
	m.git("branch", "odd$(date)")
	m.git("config", "alias.sp", "socialpost")
	m.git("init", "--quiet", "other one")
	m.git("-C", "other one", "commit", "--quiet", "--allow-empty", "--message=empty")
	m.git("-C", "other one", "branch", "far-away")
	m.write("saved plan", "")
	m.write("saving", "")
	m.write("kept/x", "")
	m.write("kept-file", "")
	m.write("nothing-but-a-file", "")
	share := filepath.Join(m.world.dir, "home", ".local", "share")
	m.check(os.CopyFS(share, os.DirFS(filepath.Join("..", "..", "share"))))
	m.check(os.MkdirAll(filepath.Join(share, "fish", "generated_completions"), 0o777)) // else fish reads all man pages, in the background
	for shell, prepare := range map[string]string{
		"bash --norc --noprofile -i": ". /usr/share/bash-completion/bash_completion; _completion_loader git",
		"zsh -f -i":                  "fpath+=(" + share + "/zsh/site-functions); autoload -Uz compinit; compinit -D -u",
		"fish --private -i":          "true",
	} {
		name, _, _ := strings.Cut(shell, " ")
		t.Run(name, func(t *testing.T) { typeAll(t, m, shell, prepare) })
	}
}

// typeAll types every line, then goes to its begin and end to make it print its words into a file.
func typeAll(t *testing.T, m *machine, shell, prepare string) {
	t.Parallel()
	printed, keys := t.TempDir(), prepare+"\n"
	for i, tab := range tabs {
		keys += fmt.Sprintf("%s\x01printf '%%s\\n' \x05 >%s/%d\n", tab.keys, printed, i)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute) // a quote that stays open swallows the exit
	defer cancel()
	cmd := exec.CommandContext(ctx, "script", "--quiet", "--echo", "never", "--command", shell, os.DevNull)
	cmd.Dir = m.dir
	cmd.Env = append(m.world.env, "TERM=dumb", "COLUMNS=300")
	cmd.Stdin = strings.NewReader(keys + "exit\n")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Error(err)
	}
	for i, tab := range tabs {
		data, err := os.ReadFile(filepath.Join(printed, strconv.Itoa(i)))
		words := strings.ReplaceAll(string(data), filepath.Join(m.world.dir, "home"), "~")
		if got := strings.Split(strings.TrimRight(words, "/\n"), "\n"); err != nil || !slices.Equal(got, tab.want) {
			t.Errorf("%q: got %q, want %q (%v)", tab.keys, got, tab.want, err)
		}
	}
	if t.Failed() {
		t.Logf("the terminal:\n%q", out)
	}
}
