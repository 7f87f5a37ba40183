package main

import (
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/git-socialpost/git-socialpost/linkedin/sandbox"
)

// offered runs git socialpost __complete, which is silent and exits 0 whatever happens, and returns its lines.
func (m *machine) offered(words ...string) []string {
	m.Helper()
	r := m.must(0, append([]string{"__complete"}, words...)...)
	if r.stderr != "" {
		m.Errorf("__complete %q: %s", words, r.stderr)
	}
	return strings.FieldsFunc(r.stdout, func(r rune) bool { return r == '\n' })
}

func valuesOf(lines []string) (values []string) {
	for _, line := range lines {
		value, _, _ := strings.Cut(line, "\t")
		values = append(values, value)
	}
	return values
}

// shopWorld has a delivery that is delivered, one that is open and one that is due.
func shopWorld(t *testing.T) (*world, *machine) {
	w := newWorld(t, "a-note:linkedin-en", "b-note:linkedin-en", "b-note:linkedin-ru")
	m := w.clone("m")
	m.must(0, "deliver", "a-note:linkedin-en")
	m.check(m.Arm(sandbox.Fault{Kind: "500", When: sandbox.Before}))
	m.must(exitOpen, "deliver", "b-note:linkedin-ru")
	return w, m
}

func TestComplete(t *testing.T) {
	_, m := shopWorld(t)
	m.git("tag", "v1")
	m.git("branch", "odd$(date)")
	const (
		a, due, waiting = "a-note:linkedin-en\tsettled", "b-note:linkedin-en\tnot in the ledger", "b-note:linkedin-ru\topen: unknown"
		en, ru          = "linkedin-en\turn:li:person:782bbtaQ", "linkedin-ru\turn:li:person:782bbtaQ"
	)
	for words, want := range map[string][]string{
		"deliver ":                           {a, due, waiting},
		"deliver --dry-run b":                {a, due, waiting},
		"deliver a-note:linkedin-en ":        {a, due, waiting},
		"deliver -- -":                       {a, due, waiting},
		"log ":                               {a, due, waiting},
		"log a-note:linkedin-en -- ":         nil,
		"resolve ":                           {waiting, a},
		"resolve --reason why ":              {waiting, a},
		"resolve --reason ":                  nil,
		"plan --rev ":                        {"HEAD\twhat is checked out", "main\tbranch", "odd$(date)\tbranch", "v1\ttag", "origin/HEAD\tbranch of a remote", "origin/main\tbranch of a remote"},
		"plan --rev=":                        {"--rev=HEAD\twhat is checked out", "--rev=main\tbranch", "--rev=odd$(date)\tbranch", "--rev=v1\ttag", "--rev=origin/HEAD\tbranch of a remote", "--rev=origin/main\tbranch of a remote"},
		"plan --out ":                        {"\tfiles"},
		"plan --out=pl":                      {"\tfiles"},
		"plan --json=":                       nil,
		"deliver --recovery ":                {"\tfolders"},
		"init --shards ":                     {"16\t", "256\t"},
		"hook ":                              {"install\t", "uninstall\t", "status\t", "server\t"},
		"hook install --ch":                  {"--chain\tinstall: keep the pre-push hook that is there, and run both"},
		"hook --chain i":                     {"install\t", "uninstall\t", "status\t", "server\t"},
		"new ":                               {"a-note\thas posts", "b-note\thas posts"},
		"new --no-edit c-note ":              {en, ru},
		"import --dry-run ":                  {"\tfiles"},
		"seed --before ":                     {time.Now().Format(time.DateOnly) + "\ttoday"},
		"seed --reason ":                     nil,
		"doctor --recovery ":                 {"\tfolders"},
		"login --pa":                         {"--paste\tno browser reaches this machine: ask for the address that it was sent to"},
		"--verb":                             {"--verbose\tshow each step, and each git command"},
		"-v --verb":                          nil,
		"-q log ":                            {a, due, waiting},
		"-q log --qu":                        nil,
		"hook server ":                       nil,
		"nonsense ":                          nil,
		"__complete ":                        nil,
		"init --sh":                          {"--shards\tmake a ledger of 16 or 256 shards; 256 is for very large sites"},
		"deliver b-note:linkedin-en --dry":   {"--dry-run\tdo everything but push and post"},
		"deliver --dry-run --dry":            nil,
		"--vers":                             {"--version\tprint the version"},
		"status --vers":                      nil,
		"deliver --plan x --limit 1 --json ": {a, due, waiting},
	} {
		if got := m.offered(strings.Split(words, " ")...); !slices.Equal(got, want) {
			t.Errorf("%q: got %q, want %q", words, got, want)
		}
	}
}

// Every command and every flag that help shows is offered, and nothing that is hidden.
func TestCompleteShowsAll(t *testing.T) {
	m := &machine{world: emptyWorld(t, "", nil), dir: t.TempDir()} // outside of a repository
	app := new(tool).app()
	var names []string
	for _, cmd := range app.Commands {
		if !cmd.Hidden {
			names = append(names, cmd.Name)
		}
	}
	if got := valuesOf(m.offered("")); !slices.Equal(got, names) {
		t.Errorf("commands: got %q, want %q", got, names)
	}
	for _, name := range names {
		got := valuesOf(m.offered(name, "--"))
		for _, flag := range app.Command(name).Flags {
			if want := dashed(flag.Names()[0]); !slices.Contains(got, want) {
				t.Errorf("%s: %s is not offered", name, want)
			}
		}
		m.offered(name, "")
	}
	m.offered()
	if got := valuesOf(m.offered("help", "")); !slices.Contains(got, "doctor") || !slices.Contains(got, "exit-status") {
		t.Errorf("help: got %q", got)
	}
}

func TestArgument(t *testing.T) {
	for _, tt := range []struct {
		usage string
		n     int
		want  string
	}{
		{" ", 0, ""}, {"[KEY]", 0, "KEY"}, {"[KEY]", 1, ""}, {"[KEY...]", 7, "KEY"}, {"SLUG CHANNEL", 0, "SLUG"}, {"SLUG CHANNEL", 1, "CHANNEL"},
		{"SLUG CHANNEL", 2, ""}, {"[COMMAND | TOPIC]", 0, "COMMAND|TOPIC"}, {"[COMMAND | TOPIC]", 1, ""}, {"SLUG CHANNEL...", 2, "CHANNEL"}, {"SLUG [CHANNEL]...", 2, "CHANNEL"}, {"server REF OLD NEW", 0, "server"},
	} {
		if got := argument(tt.usage, tt.n); got != tt.want {
			t.Errorf("argument(%q, %d) = %q, want %q", tt.usage, tt.n, got, tt.want)
		}
	}
}

// Tab asks nobody, not even for the blobs that a partial clone lacks.
func TestCompleteOffline(t *testing.T) {
	w, _ := shopWorld(t)
	w.git("-C", w.remote, "config", "uploadpack.allowFilter", "true")
	var requests atomic.Int32
	w.serveHTTP(func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
			requests.Add(1)
			next.ServeHTTP(rw, r)
		})
	})
	full, partial := w.clone("full"), w.clone("partial", "--filter=blob:none", "--no-checkout")
	partial.git("config", "protocol.http.allow", "always")
	full.must(0, "status")
	before, posted := requests.Load(), w.Received()
	if got := valuesOf(full.offered("resolve", "")); !slices.Equal(got, []string{"b-note:linkedin-ru", "a-note:linkedin-en"}) {
		t.Errorf("got %q", got)
	}
	if got := partial.offered("resolve", ""); len(got) > 0 {
		t.Errorf("the blobs are here: %q", got)
	}
	partial.offered("deliver", "")
	if n := requests.Load() - before; n != 0 || w.Received() != posted {
		t.Errorf("%d requests", n)
	}
	partial.must(0, "status")
	if requests.Load() == before {
		t.Error("status sent no request, either")
	}
}

// What does not read is passed over.
func TestCompleteBroken(t *testing.T) {
	_, m := shopWorld(t)
	m.write("social/c-note/linkedin-en.md", "+++\nslug = \"no\nText\n")
	m.publish("a broken post")
	if got := valuesOf(m.offered("status", "")); len(got) != 3 {
		t.Errorf("got %q", got)
	}
	m.check(os.WriteFile(filepath.Join(m.dir, ".git", "socialpost", "verified"), []byte("x\n"), 0o666))
	if got := valuesOf(m.offered("status", "")); !slices.Equal(got, []string{"a-note:linkedin-en", "b-note:linkedin-en", "b-note:linkedin-ru"}) {
		t.Errorf("without a ledger: got %q", got)
	}
	m.write(configFile, "mode = \n")
	m.publish("a broken configuration")
	if got := m.offered("status", ""); len(got) > 0 {
		t.Errorf("without a configuration: got %q", got)
	}
}
