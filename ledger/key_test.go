package ledger

import (
	"strings"
	"testing"
)

func TestParseKey(t *testing.T) {
	for s, want := range map[string]Key{
		"example-note:linkedin-en":             {"example-note", "linkedin-en", 1},
		"example-note:linkedin":                {"example-note", "linkedin", 1},
		"example-note:linkedin-en@2":           {"example-note", "linkedin-en", 2},
		"example-note:linkedin-pt-br@999999":   {"example-note", "linkedin-pt-br", 999999},
		"0:linkedin-ru":                        {"0", "linkedin-ru", 1},
		"v1.2_beta-3:linkedin-zh-hant-tw":      {"v1.2_beta-3", "linkedin-zh-hant-tw", 1},
		"lock:linkedin-en":                     {"lock", "linkedin-en", 1},
		"a.lock.b:linkedin-en":                 {"a.lock.b", "linkedin-en", 1},
		"a--b:x2-en":                           {"a--b", "x2-en", 1},
		strings.Repeat("a", 100) + ":mastodon": {strings.Repeat("a", 100), "mastodon", 1},
	} {
		got, err := ParseKey(s)
		if err != nil || got != want {
			t.Errorf("ParseKey(%q) = %+v, %v; want %+v", s, got, err, want)
		}
		if got.String() != s {
			t.Errorf("%q became %q", s, got)
		}
	}
}

func TestParseKeyRefuses(t *testing.T) {
	for _, tc := range []struct{ key, says string }{
		{"", "want <slug>:<channel>"},
		{"example-note", "want <slug>:<channel>"},
		{":linkedin-en", "slug is empty"},
		{"example-note:", `channel ""`},
		{"Example-Note:linkedin-en", `try "example-note"`},
		{"example note:linkedin-en", `try "example-note"`},
		{"Größe:linkedin-en", `try "gr-e"`},
		{"тест:linkedin-en", `slug "тест" may hold only a-z`},
		{"-note:linkedin-en", `try "note"`},
		{".note:linkedin-en", `try "note"`},
		{"_note:linkedin-en", `try "note"`},
		{"a..b:linkedin-en", `must not hold ".."; try "a-b"`},
		{"a.lock:linkedin-en", `must not end in ".lock"; try "a"`},
		{"a.lock.lock:linkedin-en", `try "a"`},
		{"a/b:linkedin-en", `try "a-b"`},
		{"a\\b:linkedin-en", `try "a-b"`},
		{"a\nb:linkedin-en", `try "a-b"`},
		{"a\x00b:linkedin-en", `try "a-b"`},
		{"a:linkedin-en\n", "channel"},
		{"a\n:linkedin-en", "slug"},
		{strings.Repeat("a", 101) + ":linkedin-en", "is 101 characters long, at most 100"},
		{"a:LinkedIn-EN", `try "linkedin-en"`},
		{"a:linkedin_en", `try "linkedin-en"`},
		{"a:linkedin-pt-BR", `try "linkedin-pt-br"`},
		{"a:linkedin-", "want <platform> or <platform>-<language>"},
		{"a:linkedin-e", "want <platform> or <platform>-<language>"},
		{"a:linkedin-12", "want <platform> or <platform>-<language>"},
		{"a:linkedin--en", "want <platform> or <platform>-<language>"},
		{"a:linkedin-en/x", "want <platform> or <platform>-<language>"},
		{"a:b:linkedin-en", "channel"},
		{"a:2x-en", "channel"},
		{"a:linkedin-en@", `edition ""`},
		{"a:linkedin-en@0", `edition "0"`},
		{"a:linkedin-en@1", `edition "1": want a number from 2`},
		{"a:linkedin-en@02", `edition "02"`},
		{"a:linkedin-en@+2", `edition "+2"`},
		{"a:linkedin-en@-2", `edition "-2"`},
		{"a:linkedin-en@2 ", `edition "2 "`},
		{"a:linkedin-en@2@3", `edition "2@3"`},
		{"a:linkedin-en@1000000", `edition "1000000"`},
		{"a:linkedin-en@99999999999999999999", "edition"},
		{"a:linkedin-en@٢", "edition"},
	} {
		k, err := ParseKey(tc.key)
		if err == nil {
			t.Errorf("ParseKey(%q) = %+v, want an error", tc.key, k)
			continue
		}
		if !strings.Contains(err.Error(), tc.says) {
			t.Errorf("ParseKey(%q): %v; want it to say %q", tc.key, err, tc.says)
		}
	}
}

// A suggestion that is refused in its turn would be no help.
func TestSuggestions(t *testing.T) {
	for _, slug := range []string{"Example Note", "..", "-", "a.lock", "a.lock-", "a.b.lock.lock", "ä", "A..B", "x" + strings.Repeat(".lock", 40),
		strings.Repeat("Ab-", 50), "..lock", "a..lock", "a.-.b", "a/../b", "a-.lock", strings.Repeat("a", 99) + "...b", strings.Repeat("a", 95) + ".lock-more"} {
		if s := suggestSlug(slug); s != "" && CheckSlug(s) != nil {
			t.Errorf("for %q it suggests %q: %v", slug, s, CheckSlug(s))
		}
	}
}

func TestLegacy(t *testing.T) {
	for s, want := range map[string]string{"a:linkedin-en": "a:linkedin", "a:linkedin-pt-br@3": "a:linkedin"} {
		k, _ := ParseKey(s)
		if got, ok := k.Legacy(); !ok || got.String() != want {
			t.Errorf("the legacy key of %s is %s, %v; want %s", s, got, ok, want)
		}
	}
	if k, ok := (Key{"a", "linkedin", 1}).Legacy(); ok {
		t.Errorf("a key without language has the legacy key %s", k)
	}
}

// All that concerns one article must be in one shard, or no single compare-and-swap covers it.
func TestShardOf(t *testing.T) {
	l := &Ledger{width: 1}
	for _, s := range []string{"example-note:linkedin-en", "example-note:linkedin-ru@4", "example-note:linkedin"} {
		k, _ := ParseKey(s)
		if got := l.shardOf(k); got != "9" {
			t.Errorf("%s is in shard %s, want 9", s, got)
		}
		if got := (&Ledger{width: 2}).shardOf(k); got != "96" {
			t.Errorf("%s is in shard %s of 256, want 96", s, got)
		}
	}
}

func FuzzParseKey(f *testing.F) {
	for _, s := range []string{"", "a:b", "example-note:linkedin-en@2", "A b:LinkedIn_EN", "a.lock:x", "a:b@1"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		k, err := ParseKey(s)
		slug, _, _ := strings.Cut(s, ":")
		if suggested := suggestSlug(slug); suggested != "" && CheckSlug(suggested) != nil {
			t.Errorf("for %q it suggests %q: %v", slug, suggested, CheckSlug(suggested))
		}
		if err != nil {
			return
		}
		if k.String() != s {
			t.Errorf("%q became %q", s, k)
		}
		for _, path := range []string{openDir(k), (&Ledger{width: 1}).settledDir(k)} {
			if strings.ContainsAny(path, "\n\x00\"\\ :") || strings.Contains(path, "..") || strings.Contains(path, "//") {
				t.Errorf("the path of %q is %q", s, path)
			}
		}
	})
}
