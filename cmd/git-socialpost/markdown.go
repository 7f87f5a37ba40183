package main

import (
	"fmt"
	"regexp"
	"strings"
)

// inCode shows a text from outside in one line of Markdown. No punctuation with a meaning survives as such, so nothing in it is
// markup, a table's border, or the name of somebody whom a comment would call.
func inCode(s string) string {
	var b strings.Builder
	b.WriteString("<code>")
	for _, r := range cell(s) {
		if strings.ContainsRune(markup, r) {
			fmt.Fprintf(&b, "&#%d;", r)
			if r == '@' {
				b.WriteString("<wbr>") // GitHub links even the addresses that entities make
			}
		} else {
			b.WriteRune(r)
		}
	}
	b.WriteString("</code>")
	return b.String()
}

const markup = "!#$&*.:<>@[\\]^_`{|}~" // with what makes an address, a formula or an entity

var (
	backticks = regexp.MustCompile("`+")
	linkForm  = regexp.MustCompile(`^https://[A-Za-z0-9./:_-]+$`)
)

// fenced shows a text from outside in a block that it cannot close.
func fenced(kind, s string) string {
	const most = 4000 // characters; no valid post is longer
	s = visible(strings.TrimRight(s, "\n"))
	if cut := []rune(s); len(cut) > most {
		s = string(cut[:most]) + "\n… and more"
	}
	mark := "```"
	for _, run := range backticks.FindAllString(s, -1) {
		if len(run) >= len(mark) {
			mark = run + "`"
		}
	}
	return mark + kind + "\n" + s + "\n" + mark + "\n"
}

// hyperlink is a link if the address is plainly one.
func hyperlink(text, url string) string {
	if !linkForm.MatchString(url) {
		return inCode(text) + " " + inCode(url)
	}
	return "[" + inCode(text) + "](" + url + ")"
}

// bounded joins blocks of Markdown as long as they fit, and says how many did not.
func bounded(blocks []string, limit int, size func(string) int) string {
	const spare = 100 // for the last sentence
	var b strings.Builder
	used := 0
	for i, block := range blocks {
		if used += size(block); used > limit-spare {
			fmt.Fprintf(&b, "\n%d more did not fit here; `git socialpost plan` shows all.\n", len(blocks)-i)
			break
		}
		b.WriteString(block)
	}
	return b.String()
}
