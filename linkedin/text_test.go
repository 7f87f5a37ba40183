package linkedin

import (
	"math/rand/v2"
	"strings"
	"testing"
	"testing/quick"
	"unicode/utf8"
)

func TestEscape(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{"", ""},
		{"plain: 100% & \"fine\" – ok!\n", "plain: 100% & \"fine\" – ok!\n"},
		{`|{}@[]()<>\*_~`, `\|\{\}\@\[\]\(\)\<\>\\\*\_\~`},
		{"#golang", `{hashtag|\#|golang}`},
		{"see #go, #Go_1 (#релиз)", `see {hashtag|\#|go}, {hashtag|\#|Go\_1} \({hashtag|\#|релиз}\)`},
		{"#हिन्दी", `{hashtag|\#|हिन्दी}`},
		{"##a", `\#{hashtag|\#|a}`},
		{"#a#b", `{hashtag|\#|a}\#b`},
		{"C# #1 # #_", `C\# \#1 \# \#\_`},
		{"&#39; x/#y", `&\#39; x/\#y`},
		{"https://example.com/a_b?c=#frag", `https://example.com/a\_b?c=\#frag`},
		{"https://example.com #tag", `https://example.com {hashtag|\#|tag}`},
		{"＃tag", "＃tag"},
		{"\xff#a", "\xff{hashtag|\\#|a}"},
	} {
		if got := Escape(tt.text); got != tt.want {
			t.Errorf("Escape(%q) = %q, want %q", tt.text, got, tt.want)
		}
	}
}

func TestUnescape(t *testing.T) {
	for _, tt := range []struct{ little, want, broken string }{
		{little: "", want: ""},
		{little: `a\*b\\`, want: `a*b\`},
		{little: "the #future is", want: "the #future is"},
		{little: "{hashtag|#|Go}{hashtag|\\#|a\\_b}{hashtag|＃|x}", want: "#Go#a_b＃x"},
		{little: "Hello @[Acme \\(UK\\)](urn:li:organization:1234)!", want: "Hello Acme (UK)!"},
		{little: "Hello @(urn:li:person:782bbtaQ)!", want: "Hello !"},
		{little: "a test. (also", want: "a test. ", broken: `byte 8, at "(also"`},
		{little: "é|", want: "é", broken: "byte 2"},
		{little: "#a_b", want: "#a", broken: "byte 2"},
		{little: "# x", broken: "byte 0"},
		{little: `a\b`, want: "a", broken: "byte 1"},
		{little: `end\`, want: "end", broken: "byte 3"},
		{little: "{hashtag|#|}", broken: "byte 0"},
		{little: "{hashtag|#|go", broken: "byte 0"},
		{little: `{hashtag\|#\|go}`, broken: "byte 0"},
		{little: "@[](urn:li:person:x)", broken: "byte 0"},
		{little: "@[A](http://x)", broken: "byte 0"},
		{little: "me@example.com", want: "me", broken: "byte 2"},
	} {
		got, err := Unescape(tt.little)
		if got != tt.want {
			t.Errorf("Unescape(%q) = %q, want %q", tt.little, got, tt.want)
		}
		if (err != nil) != (tt.broken != "") || err != nil && !strings.Contains(err.Error(), tt.broken) {
			t.Errorf("Unescape(%q): error %v, want %q", tt.little, err, tt.broken)
		}
	}
}

func TestEveryTextSurvives(t *testing.T) {
	survives := func(text string) bool {
		got, err := Unescape(Escape(text))
		return err == nil && got == text
	}
	parts := append(strings.Split(reserved, ""), "#go", "#1", "C#", "#a_b", "＃x", "＃", "{hashtag|#|x}", "@[N](urn:li:person:x)",
		"https://example.com/a_b#frag", " ", "\n", "é", "e\u0301", "🙂", "👩‍💻", "\u2028", "a", "я", "\\n", "&", "/", "\x00")
	mixed := func(seed uint64) bool {
		rnd := rand.New(rand.NewPCG(seed, 1))
		var text strings.Builder
		for range rnd.IntN(12) {
			text.WriteString(parts[rnd.IntN(len(parts))])
		}
		return survives(text.String())
	}
	if err := quick.Check(survives, nil); err != nil {
		t.Error(err)
	}
	if err := quick.Check(mixed, &quick.Config{MaxCount: 5_000}); err != nil {
		t.Error(err)
	}
}

func FuzzEscape(f *testing.F) {
	for _, seed := range []string{"", reserved, "#a#b ##c #d_e C# #1", "https://example.com/#x", "＃x 🙂"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if !utf8.ValidString(text) {
			t.Skip()
		}
		got, err := Text(Post{Text: text}.Payload())
		if err != nil || got != text {
			t.Errorf("%q came back as %q, %v", text, got, err)
		}
	})
}

func TestLength(t *testing.T) {
	for text, want := range map[string]int{"": 0, "abc": 3, "я": 1, "🙂": 2, "e\u0301": 2} {
		if got := Length(text); got != want {
			t.Errorf("Length(%q) = %d, want %d", text, got, want)
		}
	}
}
