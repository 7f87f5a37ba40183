package main

import (
	"strings"
	"testing"
	"unicode"
)

// obeyed returns what a GitHub runner takes for a command in a log, by its own rules: "::" at a line's start, white space
// aside, or "##[" anywhere, both compared without characters that have no weight.
func obeyed(log string) string {
	for line := range strings.Lines(log) {
		weighty := strings.Map(func(r rune) rune {
			if ignored(r) {
				return -1
			}
			return r
		}, line)
		if strings.HasPrefix(strings.TrimLeftFunc(weighty, unicode.IsSpace), "::") || strings.Contains(weighty, "##[") {
			return line
		}
	}
	return ""
}

func FuzzCommandless(f *testing.F) {
	for _, s := range []string{"::error::x", "a\n \t::stop-commands::x", "x ##[add-path]/tmp", "\u00a0::debug::", ":\u200d:debug::", "\u200d::debug::",
		"#\ufe0f#[x]", "####[x]", "a::b ##x [y]\n:smile: :x:\n", "::\n::x\n", "\u3000\u2028::x::"} {
		f.Add(s, uint8(3))
	}
	f.Fuzz(func(t *testing.T, s string, cut uint8) {
		var b strings.Builder
		w := plain{&commandless{w: &b}}
		at := min(int(cut), len(s))
		for _, part := range []string{s[:at], s[at:]} {
			if n, err := w.Write([]byte(part)); n != len(part) || err != nil {
				t.Fatal(n, err)
			}
		}
		if line := obeyed(b.String()); line != "" {
			t.Errorf("%q became %q, which is a command: %q", s, b.String(), line)
		}
	})
}

func TestCommandless(t *testing.T) {
	for s, want := range map[string]string{
		"a::b ## [x] #[y]\n:smile: :x:\n": "a::b ## [x] #[y]\n:smile: :x:\n",
		"::error::x":                      ":<U+003A>error::x",
		"a\n  ::debug::x":                 "a\n  :<U+003A>debug::x",
		"see ##[debug]x and ##[x]":        "see ##<U+005B>debug]x and ##<U+005B>x]",
	} {
		if got := harmless(s); got != want {
			t.Errorf("%q: got %q, want %q", s, got, want)
		}
	}
}

func TestAnnotationEscapes(t *testing.T) {
	var raw strings.Builder
	(&tool{ci: github, raw: &raw}).annotate("error", "a,b:c%\r\n.md", 7, "100% \x1b[1m", "##[debug]two")
	const want = "::error file=a%2Cb%3Ac%25<U+000D>%0A.md,line=7::100%25 <U+001B>[1m%0A##<U+005B>debug]two\n"
	if raw.String() != want {
		t.Errorf("got %q, want %q", raw.String(), want)
	}
}

func TestPerson(t *testing.T) {
	env := map[string]string{"GITHUB_ACTOR": "octocat\x1b", "GITLAB_USER_LOGIN": "tanuki"}
	getenv := func(name string) string { return env[name] }
	for c, want := range map[ci]string{github: "octocat<U+001B> (GitHub Actions)", gitlab: "tanuki (GitLab CI)", "": ""} {
		if got := c.person(getenv); got != want {
			t.Errorf("%s: got %q, want %q", c, got, want)
		}
	}
}
