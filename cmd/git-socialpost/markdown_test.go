package main

import (
	"regexp"
	"strings"
	"testing"
)

func TestInCode(t *testing.T) {
	for s, want := range map[string]string{
		"plain text, at - last (1)": "plain text, at - last (1)",
		"a | b\n| c":                "a &#124; b &#124; c",
		"</code><img> `x` [y](z)":   "&#60;/code&#62;&#60;img&#62; &#96;x&#96; &#91;y&#93;(z)",
		"@everyone #1 https://x.y":  "&#64;everyone &#35;1 https&#58;//x&#46;y",
		"&#124; \\| \x1b[":          "&#38;&#35;124; &#92;&#124; &#60;U+001B&#62;&#91;",
	} {
		if got := inCode(s); got != "<code>"+want+"</code>" {
			t.Errorf("%q: got %q", s, got)
		}
	}
}

// FuzzFenced: no line of the text closes its block.
func FuzzFenced(f *testing.F) {
	for _, s := range []string{"", "text", "```\n", "a\n````` \n   ```", "~~~\n```text", "\r```\r", "\u2028```"} {
		f.Add(s)
	}
	closing := regexp.MustCompile("^ {0,3}(`+)[ \t]*$")
	f.Fuzz(func(t *testing.T, s string) {
		block := fenced("text", s)
		lines := strings.Split(strings.TrimSuffix(block, "\n"), "\n")
		mark := strings.TrimSuffix(lines[0], "text")
		if len(mark) < 3 || lines[len(lines)-1] != mark {
			t.Fatalf("%q: %q", s, block)
		}
		for _, line := range lines[1 : len(lines)-1] {
			if m := closing.FindStringSubmatch(line); m != nil && len(m[1]) >= len(mark) {
				t.Errorf("%q: a line closes the block: %q", s, block)
			}
		}
	})
}

func TestHyperlink(t *testing.T) {
	if got := hyperlink("urn", "https://www.linkedin.com/feed/update/urn:li:share:1/"); got != "[<code>urn</code>](https://www.linkedin.com/feed/update/urn:li:share:1/)" {
		t.Error(got)
	}
	for _, url := range []string{"javascript:alert(1)", "https://x.example/) <img>", "https://x.example/|y", "http://x.example/"} {
		if got := hyperlink("urn", url); strings.Contains(got, "](") {
			t.Errorf("%q became a link: %s", url, got)
		}
	}
}

func TestBounded(t *testing.T) {
	size := func(s string) int { return len(s) }
	block := strings.Repeat("x", 100)
	if got := bounded([]string{block, block}, 300, size); got != block+block {
		t.Error(got)
	}
	got := bounded([]string{block, block, block, "y"}, 300, size)
	if len(got) > 300 || !strings.HasPrefix(got, block+block+"\n2 more did not fit here") {
		t.Error(got)
	}
}
