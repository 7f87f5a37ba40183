package main

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/BurntSushi/toml"
	"github.com/urfave/cli/v2"

	"github.com/git-socialpost/git-socialpost/ledger"
	"github.com/git-socialpost/git-socialpost/linkedin"
	"github.com/git-socialpost/git-socialpost/linkedin/sandbox"
)

// Whatever bytes a post has: it is either sound, and then readers see just its text, or it has problems, each with a
// line of the file and a remedy, and no payload. A front matter that does not parse never is a sound post.
func FuzzPost(f *testing.F) {
	f.Add([]byte("+++\n+++\nHello #go {x} [a](b) C# 100% 🙂\n"))
	f.Add([]byte("+++\nlink = \"https://example.com/a_b#c\"\ntitle = \"T\"\ndescription = \"D\"\nedition = 2\nslug = \"other\"\n" +
		"publish_after = 2026-12-01T09:00:00+03:00\nallow_twin = true\nliteral = true\n+++\n{{ x }}\t\u202ey\n"))
	f.Add([]byte("\uFEFF+++ \r\ntitle = 1\r\n\"a\\nb\" = 2\r\n+++\r\n\r\n\x1b[31m\xff{{\r**b**\n"))
	f.Add([]byte("+++\n+++\na\x1bb\u009b\n"))
	f.Add([]byte("+++\nx = 1\n+++\ntext\n"))
	f.Add([]byte("---\ntitle: x\n---\ntext\n"))
	f.Add([]byte("+++\n\"\\n\" = 1\n\"\\n\" = 2\n+++\ntext\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		p := readPost(testConfig(), postFile(notePath, string(data)))
		checkProblems(t, notePath, data, slices.Concat(p.Problems, p.Warnings))
		if (p.Payload == nil) != (len(p.Problems) > 0) {
			t.Fatalf("%d problems, payload %q", len(p.Problems), p.Payload)
		}
		if p.Payload != nil {
			checkSound(t, p, data)
		}
		if !bytes.ContainsRune(data, '\r') {
			other := readPost(testConfig(), postFile(notePath, "\uFEFF"+strings.ReplaceAll(strings.TrimPrefix(string(data), "\uFEFF"), "\n", "\r\n")))
			if !samePost(p, other) {
				t.Errorf("with another system's line ends %+v became %+v", p, other)
			}
		}
	})
}

// samePost compares all but the zone of publish_after, which has no identity of its own.
func samePost(a, b *post) bool {
	x, y := *a, *b
	same := x.PublishAfter.Equal(y.PublishAfter)
	x.PublishAfter, y.PublishAfter = time.Time{}, time.Time{}
	return same && reflect.DeepEqual(x, y)
}

// checkProblems demands a line and a remedy, and that what is printed cannot be taken for anything else.
func checkProblems(t *testing.T, path string, data []byte, problems []problem) {
	t.Helper()
	last := strings.Count(unixLines(data), "\n") + 1
	for _, p := range problems {
		if p.Path != path || p.Line < 0 || p.Line > last || p.Message == "" || p.Remedy == "" {
			t.Errorf("of a file of %d lines: %+v", last, p)
		}
	}
	var out bytes.Buffer
	(&tool{stderr: plain{&out}}).printProblems("error", problems)
	for i, line := range strings.SplitAfter(out.String(), "\n") {
		if prefix := []string{path + ":", "  "}[i%2]; line != "" && !strings.HasPrefix(line, prefix) {
			t.Errorf("line %d of %q does not begin with %q", i+1, out.String(), prefix)
		}
	}
	checkPrinted(t, out.String())
}

// checkPrinted demands that nothing in what was printed steers a terminal, or hides.
func checkPrinted(t testing.TB, printed string) {
	t.Helper()
	if !utf8.ValidString(printed) {
		t.Errorf("printed is not UTF-8: %q", printed)
	}
	for _, found := range steering.FindAllString(printed, 3) {
		t.Errorf("printed as it came: %+q", found)
	}
}

var steering = regexp.MustCompile(`[\x00-\x08\x0b-\x1f\x7f-\x{9f}\x{202a}-\x{202e}\x{2066}-\x{2069}\x{2028}\x{2029}]`)

// checkSound looks at a post with other eyes than those that read it: LinkedIn's, and a plain TOML decoder's.
func checkSound(t *testing.T, p *post, data []byte) {
	t.Helper()
	lines := strings.Split(unixLines(data), "\n")
	end := 1 + slices.IndexFunc(lines[1:], func(s string) bool { return strings.TrimRight(s, " \t") == "+++" })
	keys := map[string]any{}
	_, err := toml.Decode(strings.Join(lines[1:max(end, 1)], "\n"), &keys)
	if err != nil || end == 0 || strings.TrimRight(lines[0], " \t") != "+++" {
		t.Fatalf("front matter that does not parse was taken: %v", err)
	}
	for key := range keys {
		if !slices.Contains([]string{"link", "title", "description", "publish_after", "edition", "slug", "allow_twin", "literal"}, key) {
			t.Errorf("the unknown key %q was taken", key)
		}
	}
	if _, err := ledger.ParseKey(p.Key.String()); err != nil || p.Text == "" || !strings.Contains(strings.Join(lines[end+1:], "\n"), p.Text) {
		t.Errorf("key %q (%v), text %q", p.Key, err, p.Text)
	}
	if shown := p.Text + p.Link + p.Title + p.Description; strings.ContainsFunc(strings.NewReplacer("\n", "", "\t", "").Replace(shown), unicode.IsControl) {
		t.Errorf("a control character is in %q", shown)
	}
	feed := sandbox.New()
	r := httptest.NewRequest("POST", "/rest/posts", bytes.NewReader(p.Payload))
	for name, value := range map[string]string{"Authorization": "Bearer " + sandbox.DefaultToken, "Content-Type": "application/json",
		"LinkedIn-Version": feed.Versions[0], "X-Restli-Protocol-Version": "2.0.0"} {
		r.Header.Set(name, value)
	}
	answer := httptest.NewRecorder()
	feed.ServeHTTP(answer, r)
	if answer.Code != http.StatusCreated {
		t.Fatalf("LinkedIn answers %d %s to %s", answer.Code, answer.Body, p.Payload)
	}
	seen := feed.Stored()[0]
	card := [3]string{p.Link, p.Title, p.Description}
	if p.Link == "" {
		card = [3]string{}
	}
	if seen.Author != p.Channel.Author || seen.Text != p.Text || card != [3]string{seen.Link, seen.Title, seen.Description} || linkedin.Length(seen.Text) > linkedin.MaxLength {
		t.Errorf("of %+v readers see %+v", p, seen)
	}
}

// However much there is, and however deep: it is refused, in few words.
func TestTooMuch(t *testing.T) {
	m := newWorld(t).clone("m")
	for name, tt := range map[string]struct{ data, says string }{
		"deep":    {"+++\nx = " + strings.Repeat("[", 5_000_000) + "\n+++\ntext\n", "which no post needs"},
		"deeper":  {"+++\nx = " + strings.Repeat("{a=", 3_000) + "\n+++\ntext\n", "more than anybody writes by hand"},
		"dotted":  {"+++\n" + strings.Repeat("a.", 3_000) + "a = 1\n+++\ntext\n", "more than anybody writes by hand"},
		"flawed":  {"+++\n+++\n" + strings.Repeat("\x01\n", 20_000), " more"},
		"unknown": {"+++\n" + strings.Repeat("x", 5_000_000) + " = 1\n+++\ntext\n", "which no post needs"},
	} {
		m.write("social/note/linkedin-en.md", tt.data)
		r := m.run("plan", "--worktree")
		if lines, bytes := strings.Count(r.stderr, "\n"), len(r.stderr); r.status != exitError || lines > 1000 || bytes > 1<<20 || !strings.Contains(r.stderr, tt.says) {
			t.Errorf("%s: exit status %d, %d lines, %d bytes: %.200s", name, r.status, lines, bytes, r.stderr)
		}
	}
}

// Whatever bytes a configuration has: it is refused with one line and a remedy, or every value is within its bounds.
func FuzzConfig(f *testing.F) {
	f.Add([]byte(liveConfig))
	f.Add([]byte("ledger = \"" + strings.Repeat("5f", 20) + "\"\npilot = [\"a:linkedin\"]\nmode = \"pilot\"\n" + minimalChannel))
	f.Add([]byte("remote = \"https://example.com\"\nbranch = \"-x\"\nposts = \"../x\"\n[channel.\"a\\nb\"]\n[linkedin]\ntimeout = \"1h\"\n"))
	f.Add([]byte("remote = \"https://example.com\"\n" + minimalChannel))
	f.Add([]byte("[linkedin]\ntimeout = \"1h\"\n" + minimalChannel))
	f.Add([]byte("\"a\\nhint: x\" = 1\n\"a\\nhint: x\" = 2\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		cfg, err := parseConfig(configFile, data)
		if !bytes.ContainsRune(data, '\r') {
			same, otherErr := parseConfig(configFile, []byte("\uFEFF"+strings.ReplaceAll(strings.TrimPrefix(string(data), "\uFEFF"), "\n", "\r\n")))
			if !reflect.DeepEqual(cfg, same) || (err == nil) != (otherErr == nil) {
				t.Errorf("with another system's line ends: %+v and %+v, %v and %v", cfg, same, err, otherErr)
			}
		}
		if err != nil {
			checkProblems(t, configFile, data, []problem{err.(problem)})
			checkReport(t, err)
			return
		}
		checkConfig(t, cfg)
	})
}

func checkConfig(t *testing.T, cfg *config) {
	t.Helper()
	if !slices.Contains([]string{"plan", "pilot", "live"}, cfg.Mode) || cfg.Limit < 1 || cfg.Timeout < minTimeout || cfg.Timeout > maxTimeout ||
		strings.ContainsAny(cfg.Remote+cfg.Branch, ":\\ \n") || strings.HasPrefix(cfg.Remote, "-") || strings.HasPrefix(cfg.Branch, "-") ||
		!filepath.IsLocal(cfg.Posts) || len(cfg.Version) != 6 {
		t.Errorf("%+v", cfg)
	}
	for name, ch := range cfg.Channels {
		if ch.Name != name || ledger.CheckChannel(name) != nil || linkedin.CheckAuthor(ch.Author) != nil || strings.ContainsAny(ch.TokenEnv, "=\n") || ch.TokenEnv == "" {
			t.Errorf("%+v", ch)
		}
	}
}

// checkReport demands that an error is one line, and each hint another.
func checkReport(t testing.TB, err error) {
	t.Helper()
	var out bytes.Buffer
	(&tool{stderr: plain{&out}}).report(err)
	for i, line := range strings.SplitAfter(out.String(), "\n") {
		if !strings.HasPrefix(line, "git-socialpost: ") && i == 0 || !strings.HasPrefix(line, "hint: ") && i > 0 && line != "" || i > len(hints(err))+1 {
			t.Errorf("a line that nobody said, %q:\n%s", line, out.String())
		}
	}
	checkPrinted(t, out.String())
}

// Whatever a saved plan holds: nothing is sent that it does not send, with the very payload, and its own words are
// told as one line.
func FuzzSavedPlan(f *testing.F) {
	pin, sum := strings.Repeat("5f", 20), ledger.SHA256([]byte("payload"))
	saved := `{"format":1,"revision":"` + pin + `","ledger":"` + pin + `","tips":{},"deliveries":[{"key":"a:linkedin-en","decision":"send","payload_sha256":"` + sum + `"}]}`
	f.Add([]byte(saved))
	f.Add([]byte(strings.Replace(saved, "send", "held", 1)))
	f.Add([]byte(strings.Replace(saved, "a:", "b:", 1)))
	f.Add([]byte(strings.Replace(saved, sum, "", 1)))
	f.Add([]byte(strings.Replace(saved, "a:", `x\nhint: y:`, 1)))
	f.Add([]byte(strings.Replace(saved, `{}`, `{"x\nhint: y":"z"}`, 1)))
	f.Add([]byte(strings.Replace(saved, `"format":1`, `"format":2`, 1)))
	path := filepath.Join(f.TempDir(), "plan.json")
	f.Fuzz(func(t *testing.T, data []byte) {
		if err := os.WriteFile(path, data, 0o666); err != nil {
			t.Fatal(err)
		}
		p, err := loadPlan(path)
		if err != nil {
			checkReport(t, err)
			return
		}
		mine := []*delivery{{Key: "a:linkedin-en", Decision: send, PayloadSHA256: sum}, {Key: "c:linkedin-en", Decision: open, PayloadSHA256: sum}}
		r := &run{tool: &tool{cfg: &config{Ledger: pin}, ledger: &ledger.Ledger{}}, plan: &plan{Deliveries: mine}}
		if err := r.fitsSavedPlan(t.Context(), path, mine); err != nil {
			checkReport(t, err)
			return
		}
		planned := slices.ContainsFunc(p.Deliveries, func(d *delivery) bool { return d.Key == mine[0].Key && d.Decision == send && d.PayloadSHA256 == sum })
		if mine[0].Decision == send && (!planned || p.Ledger != pin) || mine[1].Decision != open {
			t.Errorf("%s lets %+v be sent", data, mine)
		}
		var again bytes.Buffer
		if err := printJSON(&again, p); err != nil || os.WriteFile(path, again.Bytes(), 0o666) != nil {
			t.Fatal(err)
		}
		if q, err := loadPlan(path); err != nil || !reflect.DeepEqual(p, q) {
			t.Errorf("%+v was saved as %s and read as %+v, %v", p, again.String(), q, err)
		}
	})
}

// Whatever a recovery record holds: it is refused in one line, or what it makes of a delivery's record is a record that
// can be stored and read, of the same attempt and payload, and posted only with a well-formed id.
func FuzzRecovery(f *testing.F) {
	at := time.Date(2026, 12, 1, 9, 0, 0, 0, time.UTC)
	old := &ledger.Record{Format: 1, Key: "a:linkedin-en", State: ledger.Intended, Attempt: 1, Nonces: []string{strings.Repeat("0f", 16)},
		Revision: strings.Repeat("5f", 20), Text: strings.Repeat("6f", 20), PayloadSHA256: ledger.SHA256(nil), IntendedAt: at, UpdatedAt: at}
	good := recovery{Format: 1, Ledger: strings.Repeat("5f", 20), Key: old.Key, Attempt: 1, Nonce: old.Nonce(), Run: "r",
		Outcome: ledger.Outcome{Kind: "delivered", Status: 201, At: at}, Post: &ledger.Post{ID: "urn:li:share:1", URL: linkedin.PublicURL("urn:li:share:1")}}
	path := filepath.Join(f.TempDir(), "r.toml")
	for _, kind := range []string{"delivered", "unknown", "intended", "unsent"} {
		r := good
		if r.Outcome.Kind = kind; kind != "delivered" {
			r.Post = nil
		}
		if err := r.save(path); err != nil {
			f.Fatal(err)
		}
		data, _ := os.ReadFile(path)
		f.Add(data)
		f.Add(bytes.Replace(data, []byte(`key = "a:`), []byte(`key = "a\nhint: `), 1))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if err := os.WriteFile(path, data, 0o666); err != nil {
			t.Fatal(err)
		}
		r, err := loadRecovery(path)
		if err == nil {
			var again *recovery
			err = r.save(path)
			if again, _ = loadRecovery(path); err != nil || again == nil || !again.Outcome.At.Equal(r.Outcome.At) || again.Nonce != r.Nonce {
				t.Fatalf("%+v was saved and read as %+v, %v", r, again, err)
			}
			key, _ := ledger.ParseKey(old.Key)
			var step ledger.Step
			if step, err = (&tool{cfg: &config{Ledger: r.Ledger}}).recoveryStep(path, key); err == nil {
				var next *ledger.Record
				if next, err = step(old); err == nil {
					checkMerged(t, r, old, next)
				}
			}
		}
		if err != nil {
			checkReport(t, err)
		}
	})
}

func checkMerged(t *testing.T, r *recovery, old, next *ledger.Record) {
	t.Helper()
	stored, err := ledger.Decode(next.Encode())
	if err != nil {
		t.Fatalf("%+v becomes a record that does not read: %v", r, err)
	}
	if stored.Nonce() != old.Nonce() || stored.PayloadSHA256 != old.PayloadSHA256 || stored.State == ledger.Intended || stored.State == ledger.Abandoned ||
		(stored.State == ledger.Delivered) != (stored.Post != nil && linkedin.IsPost(stored.Post.ID)) {
		t.Errorf("%+v made %+v", r, stored)
	}
}

// Whatever the order of the words: a call with --dry-run, --worktree or --offline before "--" never runs without it,
// no word gets lost, and arranging twice changes nothing.
func FuzzArrange(f *testing.F) {
	for _, line := range []string{"deliver\na:x\n--dry-run", "deliver\n--recovery\n--dry-run\na:x", "deliver\n--limit\n-1\n-dry-run", "deliver\n--\n--dry-run",
		"deliver\n--plan\n-\n--dry-run\n--\n-x", "plan\n--out\nx\n--offline", "resolve\na:x\n--posted=\n--yes", "deliver\na:x\n-h\n--dry-run", "deliver\n--dry-run=false"} {
		f.Add(line)
	}
	f.Fuzz(func(t *testing.T, line string) {
		words := append([]string{"git-socialpost"}, strings.Split(line, "\n")...)
		ran, err := lookAtRun(t, words)
		if err != nil {
			return // nothing runs
		}
		before, after := words[2:], []string(nil)
		if i := slices.Index(before, "--"); i >= 0 {
			before, after = before[:i], before[i+1:]
		}
		for _, flag := range []string{"dry-run", "offline", "worktree", "yes"} {
			if asked := slices.Contains(before, "--"+flag) || slices.Contains(before, "-"+flag); ran != nil && asked != ran.Bool(flag) {
				t.Errorf("%q ran with %s = %v", words, flag, ran.Bool(flag))
			}
		}
		if ran != nil && !slices.Equal(after, ran.Args().Slice()[ran.NArg()-len(after):]) {
			t.Errorf("%q ran with the arguments %q", words, ran.Args().Slice())
		}
	})
}

// lookAtRun runs the command line with commands that do nothing, and returns what the one that ran was given.
func lookAtRun(t *testing.T, words []string) (ran *cli.Context, err error) {
	app := (&tool{stdout: &bytes.Buffer{}, stderr: &bytes.Buffer{}}).app()
	app.Action = nil
	for _, cmd := range app.Commands {
		cmd.Action = func(c *cli.Context) error { ran = c; return nil }
	}
	once, err := arrange(app, words)
	if err != nil {
		return nil, err
	}
	if twice, err := arrange(app, once); err != nil || !slices.Equal(once, twice) {
		t.Errorf("%q became %q, then %q, %v", words, once, twice, err)
	}
	return ran, app.Run(once)
}
