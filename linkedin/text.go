package linkedin

import (
	"fmt"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// MaxLength is the limit of a post's text in the units of Length. LinkedIn documents it for the older ugcPosts only.
const MaxLength = 3000

// Length counts the UTF-16 units of a visible text.
func Length(text string) int {
	return len(utf16.Encode([]rune(text)))
}

// These characters begin or end elements of LinkedIn's "little" text. One that is left unescaped cuts the published
// text off at that point, and LinkedIn answers 201 all the same.
// https://learn.microsoft.com/en-us/linkedin/marketing/community-management/shares/little-text-format
const reserved = `|{}@[]()<>#\*_~`

// Escape turns plain text into little text that shows as exactly that text. Hashtags become links; a # in "C#", "#1"
// or a URL does not. Escaping twice shows the backslashes to readers.
func Escape(text string) string {
	var little strings.Builder
	var before rune
	word := 0 // where the run without white space began that i stands in
	for i := 0; i < len(text); {
		if tag := leadingTag(text[i:]); tag != "" && !gluesTag(before) && !strings.Contains(text[word:i], "://") {
			little.WriteString(`{hashtag|\#|` + strings.ReplaceAll(tag, "_", `\_`) + "}")
			before, i = '_', i+len("#")+len(tag)
			continue
		}
		r, size := utf8.DecodeRuneInString(text[i:])
		if strings.ContainsRune(reserved, r) {
			little.WriteByte('\\')
		}
		little.WriteString(text[i : i+size])
		before, i = r, i+size
		if unicode.IsSpace(r) {
			word = i
		}
	}
	return little.String()
}

// leadingTag returns the word of the hashtag that text begins with, or nothing.
func leadingTag(text string) string {
	word, found := strings.CutPrefix(text, "#")
	if !found {
		return ""
	}
	if end := strings.IndexFunc(word, func(r rune) bool { return !inWord(r) }); end >= 0 {
		word = word[:end]
	}
	if !strings.ContainsFunc(word, unicode.IsLetter) {
		return ""
	}
	return word
}

func inWord(r rune) bool {
	return r == '_' || unicode.In(r, unicode.L, unicode.M, unicode.N)
}

func gluesTag(before rune) bool {
	return inWord(before) || before == '&' || before == '/'
}

const (
	char = `(?:[^|{}@\[\]()<>#\\*_~]|\\[|{}@\[\]()<>#\\*_~])` // of a Text
	urn  = `urn:li:[A-Za-z]+:[A-Za-z0-9_-]+`
)

// element is one LittleElement. What its groups hold, joined, is what readers see of it.
var element = regexp.MustCompile(`^(?:` +
	`(` + char + `+)` +
	`|@(?:\[(` + char + `+)\])?\(` + urn + `\)` +
	`|(#[\p{L}\p{M}\p{N}]+)` +
	`|\{hashtag\|(\\?#|＃)\|(` + char + `+)\})`)

var escaped = regexp.MustCompile(`\\(.)`)

// Unescape returns the text that readers see of a little text: a hashtag shows as #tag, a mention as its name. Where
// the grammar is broken it returns the text before that point, which is all that LinkedIn would publish, and an error.
func Unescape(little string) (string, error) {
	var text strings.Builder
	for rest := little; rest != ""; {
		found := element.FindStringSubmatch(rest)
		if found == nil {
			return text.String(), fmt.Errorf("little text breaks at byte %d, at %.20q", len(little)-len(rest), rest)
		}
		text.WriteString(escaped.ReplaceAllString(strings.Join(found[1:], ""), "$1"))
		rest = rest[len(found[0]):]
	}
	return text.String(), nil
}
