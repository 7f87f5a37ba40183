package main

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
	"unicode/utf16"
)

func TestInCode(t *testing.T) {
	for s, want := range map[string]string{
		"plain text, at - last (1)": "plain text, at - last (1)",
		"a | b\n| c":                "a &#124; b &#124; c",
		"</code><img> `x` [y](z)":   "&#60;/code&#62;&#60;img&#62; &#96;x&#96; &#91;y&#93;(z)",
		"@everyone #1 https://x.y":  "&#64;<wbr>everyone &#35;1 https&#58;//x&#46;y",
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

// TestPreviewLimit: what is printed on a runner has GitHub's limit, after all that makes it harmless, and says what it lacks.
func TestPreviewLimit(t *testing.T) {
	for _, text := range []string{"::\n", "##[", "\u202e", "@", "`\n", "\U0001F600", "x"} {
		for _, n := range []int{1, 15, 30, 90} {
			p := &plan{}
			for range n {
				post := &post{Path: "social/" + text + "/linkedin-en.md", Text: strings.Repeat(text, 3000/len(text))}
				p.Deliveries = append(p.Deliveries, &delivery{Path: post.Path, Decision: send, Reason: text + text, post: post})
			}
			var b strings.Builder
			if err := p.printMarkdown(plain{&commandless{w: &b}}, &source{}); err != nil {
				t.Fatal(err)
			}
			shown, size := strings.Count(b.String(), "\n#### "), len(utf16.Encode([]rune(b.String())))
			if size > 65536 || shown < n && (size < 45000 || !strings.Contains(b.String(), fmt.Sprintf("\n%d more did not fit here", n-shown))) {
				t.Errorf("%q: %d of %d in %d characters, which end with %q", text, shown, n, size, b.String()[b.Len()-100:])
			}
		}
	}
}
