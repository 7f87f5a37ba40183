package main

import (
	"encoding/json"
	"io"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/git-socialpost/git-socialpost/ledger"
)

// Text from outside reaches the terminal harmless, wherever it comes from and whichever command shows it: no control
// character, no bidirectional override, no line separator, no byte that is not UTF-8; and it never begins a line, where
// it would look like the tool's own words.
//
// Every case puts poison, or the strongest of it that its place takes, into one source, and runs commands.
func TestTerminal(t *testing.T) {
	for name, poisoned := range poisonings {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			poisoned(newWorld(t, "note:linkedin-en").clone("m"))
		})
	}
}

var poisonings = map[string]func(*machine){
	"posts":              poisonedPosts,
	"folders and files":  poisonedNames,
	"configuration":      poisonedConfig,
	"branch":             poisonedBranch,
	"environment":        poisonedEnvironment,
	"answers to checks":  poisonedChecks,
	"answers to posts":   poisonedAnswers,
	"no HTTP":            poisonedWire,
	"git's errors":       poisonedGit,
	"hooks":              poisonedHook,
	"refusals":           poisonedRefusal,
	"recovery record":    poisonedRecovery,
	"saved plan":         poisonedPlan,
	"forged commits":     poisonedCommits,
	"pre-push":           poisonedPrePush,
	"credential helpers": poisonedHelper,
}

const (
	forged  = "\nFORGED\rFORGED\vFORGED\fFORGED\u0085FORGED\u2028FORGED\u2029FORGED\n::add-mask::x\n \t::error::FORGED ##[add-mask]"
	escapes = "\x1b[31m\x1b]0;FORGED\a\b\u009b31m\u202e\u2066\u2028x\t"
	poison  = "x" + escapes + forged + "\r\n"
)

// see runs git-socialpost and looks at all that it says.
func (m *machine) see(args ...string) result {
	m.Helper()
	r := m.run(args...)
	for _, said := range []string{r.stdout, r.stderr} {
		checkPrinted(m, said)
		if strings.HasPrefix(said, "FORGED") || strings.Contains(said, "\nFORGED") {
			m.Errorf("git-socialpost %q prints a forged line:\n%s", args, said)
		}
		if m.onGitHub() {
			checkCommands(m, said)
		}
	}
	if slices.Contains(args, "--json") && r.stdout != "" && !json.Valid([]byte(r.stdout)) {
		m.Errorf("git-socialpost %q prints no JSON:\n%s", args, r.stdout)
	}
	if err := r.unexplained(); err != nil {
		m.Errorf("git-socialpost %q: %v", args, err)
	}
	return r
}

// seeAll runs every command that shows something.
func (m *machine) seeAll() {
	m.Helper()
	for _, line := range []string{"plan", "plan --json", "plan --worktree", "status", "status --json", "log note:linkedin-en", "resolve", "resolve note:linkedin-en", "fsck",
		"deliver --dry-run", "deliver nota:linkedin-en", "deliver --json", "deliver note:linkedin-en"} {
		m.see(strings.Fields(line)...)
	}
}

func tomlString(s string) string { // as TOML
	b, _ := json.Marshal(s)
	return string(b)
}

// What somebody with push access records, by legal transitions, is shown harmless, too.
func TestTerminalRecords(t *testing.T) {
	w := newWorld(t, "note:linkedin-en")
	m := w.clone("m")
	for _, entry := range w.env {
		name, value, _ := strings.Cut(entry, "=")
		t.Setenv(name, value)
	}
	t.Chdir(m.dir)
	at := time.Now().UTC().Truncate(time.Second).Add(-time.Hour)
	post := &ledger.Post{ID: "urn:li:share:1\vFORGED\fFORGED\u2028FORGED\x1b", URL: "https://x/\fFORGED\vFORGED\u2028\u202e\x1b"}
	out := ledger.Outcome{Kind: "unknown", Status: 500, Code: poison, Message: poison, RequestID: poison, Duplicate: "urn:li:share:1", At: at}
	res := ledger.Resolution{Decision: ledger.Abandoned, By: poison, Reason: poison, At: at}
	nonce := ledger.NewNonce()
	for i, step := range []ledger.Step{
		func(old *ledger.Record) (*ledger.Record, error) {
			payload := []byte(`{"commentary":` + tomlString(poison) + `}`)
			return ledger.Intend(old, ledger.Record{Key: "note:linkedin-en", Nonces: []string{nonce}, Revision: strings.Repeat("5f", 20), Path: poison,
				Text: strings.Repeat("6f", 20), Payload: payload, PayloadSHA256: ledger.SHA256(payload), Author: poison, IntendedAt: at, Run: poison}), nil
		},
		func(old *ledger.Record) (*ledger.Record, error) { return ledger.Settle(old, nonce, poison, out, nil) },
		func(old *ledger.Record) (*ledger.Record, error) { return ledger.Resolve(old, res) },
		func(old *ledger.Record) (*ledger.Record, error) {
			late := out
			late.Kind, late.At = "delivered", at.Add(time.Minute)
			return ledger.Settle(old, nonce, poison, late, post)
		},
		func(old *ledger.Record) (*ledger.Record, error) {
			late := out
			late.Kind, late.At = "delivered", at.Add(2*time.Minute)
			return ledger.Settle(old, nonce, poison, late, &ledger.Post{ID: poison, URL: poison})
		},
	} {
		write := &tool{stdout: io.Discard, stderr: io.Discard, getenv: os.Getenv, now: time.Now}
		m.check(write.openLedger(t.Context()))
		key, _ := ledger.ParseKey("note:linkedin-en")
		_, err := write.ledger.Update(t.Context(), key, func(old *ledger.Record) (*ledger.Record, error) {
			if next, err := step(old); next != nil || err != nil {
				return next, err
			}
			return old, nil
		})
		write.close()
		if refused := i > 2; (err != nil) != refused {
			t.Errorf("step %d is refused: %v, want %v", i, err, refused) // no post has such an id
		}
		m.seeAll()
	}
}
