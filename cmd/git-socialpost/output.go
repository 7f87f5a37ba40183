package main

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"unicode"
)

// visible escapes what could steer a terminal or turn text around.
func visible(s string) string {
	steers := func(r rune) bool { return unicode.IsControl(r) && r != '\n' && r != '\t' || isBidi(r) }
	if !strings.ContainsFunc(s, steers) {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		if steers(r) {
			fmt.Fprintf(&b, "<U+%04X>", r)
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}

func printJSON(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	enc.SetEscapeHTML(false)
	return enc.Encode(v)
}

// indent puts a text under a heading.
func indent(s string) string {
	return "    " + strings.ReplaceAll(strings.TrimRight(s, "\n"), "\n", "\n    ")
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }
