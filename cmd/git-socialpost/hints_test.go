package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/git-socialpost/git-socialpost/linkedin/sandbox"
)

// TestHints gives every command the wrong input that somebody may type, and demands of each error a reason and what to
// type next; after a slip of the finger, the word that was meant.
func TestHints(t *testing.T) {
	w := newWorld(t, noteKey, "other:linkedin-en")
	w.check(w.Arm(sandbox.Fault{Kind: "500", When: sandbox.After, Count: 1}))
	m := w.clone("m")
	m.must(exitOpen, "deliver", "other:linkedin-en")
	m.must(0, "deliver", noteKey)
	m.write("journal.csv", "slug,channel,post,when\nx,linkedin-en,7,2026-01-01\n")
	m.write("empty.csv", "")
	m.write("plan.json", "{}")
	m.write("newer.json", `{"format":99}`)
	m.write("record.toml", "x = 1\n")
	lines := `
delivr | did you mean: git socialpost deliver
xyzzyxyzzy |
--nope |
--dry-run deliver |
-v nope |
-q -v plan |
init here |
init --shards 17 |
init --shards many |
init --repinn | did you mean: --repin
init --repin |
plan note:linkedin-en |
plan --jsn | did you mean: --json
plan --rev nope |
plan --rev |
plan --rev -x |
plan --out no/such/folder/plan.json |
plan --out . |
plan --worktree --rev HEAD |
plan --pre-push --json |
deliver nota:linkedin-en | note:linkedin-en
deliver note:linkedin-em | linkedin-en
deliver note:linkedin |
deliver note |
deliver Note:linkedin-en | note
deliver note:linkedin-en@x |
deliver note:linkedin-en@2 |
deliver '' |
deliver other:linkedin-en |
deliver --dry-rn | did you mean: --dry-run
deliver --limit abc |
deliver --limit 0 |
deliver --limit |
deliver --plan nope.json |
deliver --plan plan.json |
deliver --plan newer.json |
deliver --plan journal.csv |
deliver --plan . |
deliver --recovery plan.json |
deliver --recovery /dev/null/x |
resolve nope |
resolve othre:linkedin-en | other:linkedin-en
resolve othre:linkedin-en --abandon --yes | other:linkedin-en
resolve note:linkedin-en |
resolve note:linkedin-en --abandon --yes |
resolve other:linkedin-en --posted nope --yes |
resolve other:linkedin-en --posted https://example.com/ --yes |
resolve other:linkedin-en --posted |
resolve other:linkedin-en --abandon |
resolve other:linkedin-en --abandon --not-posted |
resolve other:linkedin-en --from nope.toml --yes |
resolve other:linkedin-en --from record.toml --yes |
resolve other:linkedin-en --from . --yes |
resolve other:linkedin-en --abandn | did you mean: --abandon
resolve other:linkedin-en --yes |
resolve --abandon |
resolve a:linkedin-en b:linkedin-en --abandon |
status nope |
status note:Linkedin-en |
status --jason | did you mean: --json
log nope |
log a:linkedin-en b:linkedin-en |
log --json |
fsck note:linkedin-en |
fsck --nope |
new note |
new Note linkedin-en | note
new a b c |
new fresh linkedin-em | did you mean linkedin-en
new fresh nope |
new fresh Linkedin | 
new note linkedin-en |
new --no-edti fresh linkedin-en | did you mean: --no-edit
seed |
seed --before --all |
seed --before tomorrow --yes |
seed --before 2026-13-01 --yes |
seed --before 2026-12-01T09:00 --yes |
seed --all |
seed --all here |
seed --al | did you mean: --all
import |
import nope.csv --yes |
import . --yes |
import empty.csv --yes |
import journal.csv --yes |
import journal.csv |
import a b |
hook |
hook servr refs/x a b |
hook server refs/social/ledger/zz a b |
hook server refs/social/ledger/0 a b |
hook server refs/social/nope 0000000000000000000000000000000000000000 0000000000000000000000000000000000000000 |
help nope |
help a b |
help exitstatus | did you mean: git socialpost help exit-status
`
	for line := range strings.Lines(strings.TrimSpace(lines)) {
		command, want, _ := strings.Cut(line, "|")
		t.Run(strings.TrimSpace(command), func(t *testing.T) { hinting(t, m, command, strings.TrimSpace(want)) })
	}
}

// hinting runs a command line that is wrong.
func hinting(t *testing.T, m *machine, command, want string) {
	var args []string
	for _, arg := range strings.Fields(command) {
		args = append(args, strings.Trim(arg, "'"))
	}
	r := m.run(args...)
	if err := checkHints(r); err != "" {
		t.Errorf("exit status %d, %s:\n%s", r.status, err, r.stderr)
	}
	if !strings.Contains(r.stderr, want) {
		t.Errorf("it does not say %q:\n%s", want, r.stderr)
	}
}

// checkHints demands that a hint follows every error.
func checkHints(r result) string {
	var bare bool
	for line := range strings.Lines(r.stderr + "git-socialpost: \n") {
		switch {
		case strings.HasPrefix(line, "git-socialpost: ") && bare:
			return "an error without a hint"
		case strings.HasPrefix(line, "git-socialpost: "):
			bare = true
		case strings.HasPrefix(line, "hint: "):
			bare = false
		}
	}
	if r.status == 0 || !strings.Contains(r.stderr, "git-socialpost: ") {
		return "no error"
	}
	return ""
}

// TestHintsConfig does the same with what may be wrong in the configuration.
func TestHintsConfig(t *testing.T) {
	m := newWorld(t, noteKey).clone("m")
	data, err := os.ReadFile(filepath.Join(m.dir, ".socialpost.toml"))
	m.check(err)
	pin := regexp.MustCompile(`(?m)^ledger = .*`).FindString(string(data))
	for line, want := range map[string]string{
		`mod = "live"`:     "did you mean mode?",
		`mode = "alive"`:   "",
		`limit = 0`:        "",
		`limit = "five"`:   "",
		`pilot = ["note"]`: "",
		`pilot = "note"`:   "",
		`remote = "-x"`:    "",
		`remote = "nope"`:  "git remote add nope URL",
		`branch = "nope"`:  "",
		`posts = "../x"`:   "",
		`ledger = "x"`:     "",
		`ledger = "` + strings.Repeat("5f", 20) + `"`: "",
		`sign = 1`:                                       "",
		`sign = true`:                                    "",
		`unsigned_until = "x"`:                           "",
		`= 3`:                                            "",
		"[linkedin]\ntimeout = \"1h\"":                   "",
		"[linkedin]\ntimeout = \"soon\"":                 "",
		"[linkedin]\nversion = \"2026\"":                 "",
		"[linkedin]\nverson = \"202609\"":                "did you mean version?",
		"[channel.linkedin-ru]\nauthor = \"x\"":          "",
		"[channel.Linkedin-ru]\nplatform = \"linkedin\"": "",
		"[channel.linkedin-ru]\nplatform = \"linkedin\"": "add author = ",
		"[channel.mastodon]\nplatform = \"mastodon\"":    "",
		"[chanel.linkedin-ru]\nplatform = \"linkedin\"":  "did you mean channel?",
	} {
		t.Run(line, func(t *testing.T) {
			config, name := "", strings.SplitAfter(line, " ")[0]
			for _, usual := range []string{pin, `mode = "live"`, `limit = 20`} {
				if !strings.HasPrefix(usual, name) {
					config += usual + "\n"
				}
			}
			if !strings.HasPrefix(line, "[") {
				config, line = config+line+"\n", ""
			}
			m.write(".socialpost.toml", config+"[channel.linkedin-en]\nplatform = \"linkedin\"\nauthor = \"urn:li:person:782bbtaQ\"\n"+line+"\n")
			m.git("commit", "-q", "-am", "wrong")
			r := m.run("deliver")
			if err := checkHints(r); err != "" {
				t.Errorf("exit status %d, %s:\n%s", r.status, err, r.stderr)
			}
			if !strings.Contains(r.stderr, want) {
				t.Errorf("it does not say %q:\n%s", want, r.stderr)
			}
		})
	}
}

// TestHintsSurroundings does the same with what may be wrong around the program: variables, git's configuration, files.
func TestHintsSurroundings(t *testing.T) {
	w := newWorld(t, noteKey)
	for name, test := range map[string]struct {
		env   []string
		git   []string // git config
		spoil string   // a shell command
		run   string
	}{
		"no token":          {env: []string{"LINKEDIN_ACCESS_TOKEN="}, run: "deliver"},
		"a token of two":    {env: []string{"LINKEDIN_ACCESS_TOKEN=a b"}, run: "deliver"},
		"a wrong token":     {env: []string{"LINKEDIN_ACCESS_TOKEN=nope"}, run: "deliver"},
		"an open address":   {env: []string{"SOCIALPOST_LINKEDIN_URL=http://example.com"}, run: "deliver"},
		"no address":        {env: []string{"SOCIALPOST_LINKEDIN_URL=nope"}, run: "deliver"},
		"a silent address":  {env: []string{"SOCIALPOST_LINKEDIN_URL=http://127.0.0.1:1"}, run: "deliver"},
		"a wrong proxy":     {env: []string{"SOCIALPOST_LINKEDIN_URL=https://example.com", "HTTPS_PROXY=:x:"}, run: "deliver"},
		"no git":            {env: []string{"PATH=/nowhere"}, run: "plan"},
		"git elsewhere":     {env: []string{"GIT_DIR=/nowhere"}, run: "plan"},
		"no such remote":    {git: []string{"remote.origin.url", "/nowhere"}, run: "plan"},
		"two push URLs":     {spoil: "git remote set-url --add --push origin /a && git remote set-url --add --push origin /b", run: "plan"},
		"broken git config": {spoil: "echo '[' >>.git/config", run: "plan"},
		"no lock":           {spoil: "rm -rf .git/socialpost && touch .git/socialpost", run: "plan"},
		"broken memory":     {spoil: "echo nope >.git/socialpost/verified", run: "plan"},
		"broken objects":    {spoil: "rm -rf .git/objects/*", run: "plan"},
		"no configuration":  {spoil: "git rm -q .socialpost.toml && git commit -q -m gone", run: "plan"},
		"no post here":      {spoil: "rm -rf social", run: "plan --worktree --rev HEAD"},
		"not the branch":    {spoil: "git commit -q --allow-empty -m more", run: "deliver"},
		"offline at first":  {run: "plan --offline"},
		"an invalid post":   {spoil: "mkdir social/bad && printf '+++\nlnk = 1\n+++\nx\n' >social/bad/linkedin-en.md && git add -A && git commit -q -m bad", run: "plan"},
	} {
		t.Run(name, func(t *testing.T) {
			m := w.clone(strings.ReplaceAll(name, " ", "-"))
			if test.run != "plan --offline" {
				m.must(0, "plan")
			}
			if test.git != nil {
				m.git(append([]string{"config"}, test.git...)...)
			}
			if test.spoil != "" {
				cmd := exec.Command("sh", "-c", test.spoil)
				cmd.Dir, cmd.Env = m.dir, w.env
				if out, err := cmd.CombinedOutput(); err != nil {
					t.Fatalf("%v\n%s", err, out)
				}
			}
			m.env = test.env
			r := m.run(strings.Fields(test.run)...)
			if err := checkHints(r); err != "" {
				t.Errorf("exit status %d, %s:\n%s", r.status, err, r.stderr)
			}
		})
	}
}
