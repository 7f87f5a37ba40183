package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/git-socialpost/git-socialpost/gitexec"
)

// visible escapes what could steer a terminal or turn text around.
func visible(s string) string {
	var b strings.Builder
	for i, r := range s {
		switch {
		case steers(r):
			fmt.Fprintf(&b, "<U+%04X>", r)
		case r == utf8.RuneError && !strings.HasPrefix(s[i:], string(r)):
			fmt.Fprintf(&b, "<0x%02X>", s[i]) // not UTF-8
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// steers tells what ends or turns a line. Joiners and tags stay: emoji are made with them.
func steers(r rune) bool {
	return unicode.IsControl(r) && r != '\n' && r != '\t' || isBidi(r) || unicode.In(r, unicode.Zl, unicode.Zp) ||
		r == '\uFEFF' || r == '\u2060'
}

// cell is a text from outside in a table, whose writer takes \v, \f and 0xFF for its own.
func cell(s string) string { return oneLine(visible(s)) }

// printJSON writes what could steer a terminal, and what could become a command to GitHub's runner, in JSON's own escapes,
// so that commandless finds nothing to change: "##[", also with ignored characters in it. "::" cannot begin its lines.
func printJSON(w io.Writer, v any) error {
	var plain bytes.Buffer
	enc := json.NewEncoder(&plain)
	enc.SetIndent("", "  ")
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return err
	}
	var b strings.Builder
	hashes := 0
	for _, r := range plain.String() {
		if steers(r) || r == '[' && hashes > 1 {
			fmt.Fprintf(&b, "\\u%04x", r)
		} else {
			b.WriteRune(r)
		}
		switch {
		case r == '#':
			hashes++
		case !ignored(r):
			hashes = 0
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// shell quotes the words of a command that somebody shall paste.
func shell(words ...string) string {
	var quoted []string
	for _, word := range words {
		if !shellSafe.MatchString(word) {
			word = gitexec.Quote(word)
		}
		quoted = append(quoted, word)
	}
	return strings.Join(quoted, " ")
}

var shellSafe = regexp.MustCompile(`^[A-Za-z0-9_@%+=:,./-]+$`)

// quoted marks every line of a text that is not ours.
func quoted(s string) string {
	return "    | " + strings.ReplaceAll(strings.TrimRight(s, "\n"), "\n", "\n    | ")
}

// brief is one line that fits a screen: what somebody pushed can be longer.
func brief(s string) string {
	const most = 2000 // bytes
	if s = oneLine(s); len(s) > most {
		s = strings.ToValidUTF8(s[:most], "") + "…"
	}
	return s
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }
