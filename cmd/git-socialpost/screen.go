package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"maps"
	"regexp"
	"strings"
	"text/tabwriter"
	"unicode/utf8"

	"github.com/git-socialpost/git-socialpost/gitexec"
)

// screen is where an answer goes: in colours, and in so many columns, if that is a terminal.
type screen struct {
	w       io.Writer
	colours map[string]string // of the words; none if there are to be no colours
	columns int               // 0: lines are as long as they are
}

// palette has the words that are in colour, each a name for git config: color.socialpost.<word>.
var palette = map[string]string{
	string(send): green, string(delivered): green, "verified": green,
	string(scheduled): yellow, string(held): yellow, "intended": yellow, "released": yellow,
	string(open): red, string(blocked): red, string(invalid): red, "unknown": red, "rejected": red, "damaged": red,
	string(fine): green, string(doubt): yellow, string(wrong): red,
}

const green, yellow, red, uncoloured = "\x1b[32m", "\x1b[33m", "\x1b[31m", "\x1b[m"

// bare is standard output without colours, its lines as long as they are.
func (t *tool) bare() *screen { return &screen{w: t.stdout} }

// screen is standard output as the user wants it. An answer that can be had without colours is not held back for them.
func (t *tool) screen(ctx context.Context) *screen {
	colours, err := t.colours(ctx)
	if err != nil && ctx.Err() == nil {
		t.remark("no colours: %v", err)
	}
	return &screen{t.stdout, colours, t.columns}
}

// colours are the escape sequences by git's rules and https://no-color.org.
func (t *tool) colours(ctx context.Context) (map[string]string, error) {
	if t.getenv("NO_COLOR") != "" || t.getenv("TERM") == "dumb" {
		return nil, nil
	}
	wanted, err := t.git().Run(ctx, "config", "--get-colorbool", "color.socialpost", fmt.Sprint(t.columns > 0))
	if err != nil || wanted != "true" {
		return nil, err
	}
	own, err := t.git().Run(ctx, "config", "-z", "--type=color", "--get-regexp", `^color\.socialpost\.`)
	if err != nil && gitexec.ExitStatus(err) != 1 { // 1: there are none
		return nil, t.wrongColour(ctx, err)
	}
	colours := maps.Clone(palette)
	for entry := range strings.SplitSeq(own, "\x00") {
		if name, colour, found := strings.Cut(entry, "\n"); found {
			colours[strings.TrimPrefix(name, "color.socialpost.")] = colour
		}
	}
	return colours, nil
}

// wrongColour names the setting that git complains about, which git does not always do.
func (t *tool) wrongColour(ctx context.Context, err error) error {
	names, _ := t.git().Run(ctx, "config", "-z", "--name-only", "--get-regexp", `^color\.socialpost\.`)
	for name := range strings.SplitSeq(strings.TrimSuffix(names, "\x00"), "\x00") {
		if _, err := t.git().Run(ctx, "config", "--type=color", "--get", name); gitexec.ExitStatus(err) > 0 {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return err
}

// git is for questions that need no repository.
func (t *tool) git() gitexec.Git {
	if t.repo != nil {
		return t.repo.Git
	}
	return gitexec.Git{Without: []string{defaultTokenEnv}, Trace: t.trace()}
}

// show prints an answer as the user wants it.
func (t *tool) show(ctx context.Context, print func(*screen) error) error {
	return t.page(ctx, t.screen(ctx), print)
}

// page prints an answer, on a terminal through the user's pager.
func (t *tool) page(ctx context.Context, s *screen, print func(*screen) error) error {
	pager := ""
	if t.columns > 0 {
		pager, _ = t.git().Pager(ctx, "socialpost") // the answer can be had without one
	}
	if pager == "" {
		return print(s)
	}
	if off, err := t.git().Run(ctx, "config", "--type=bool", "--get", "color.pager"); err == nil && off == "false" {
		s.colours = nil
	}
	var answer bytes.Buffer
	s.w = plain{&answer}
	err := print(s)
	t.close() // nobody shall wait for a reader
	if answer.Len() > 0 && !t.git().Page(ctx, pager, answer.Bytes(), device(t.stdout), device(t.stderr)) {
		if _, err := answer.WriteTo(direct(t.stdout)); err != nil {
			return err
		}
	}
	return err
}

func (s *screen) printf(format string, args ...any) error {
	_, err := fmt.Fprintf(s.w, format, args...)
	return err
}

// tinted prints a text around a word, or words, in the colour of a name.
func (s *screen) tinted(before, name, word, after string) error {
	if colour := s.colours[name]; colour != "" {
		word = colour + visible(word) + uncoloured
		_, err := io.WriteString(direct(s.w), visible(before)+word+visible(after))
		return err
	}
	return s.printf("%s%s%s", before, word, after)
}

// tableRow is one line of a table. The cell with the index tint, if that is a word of the palette, is in colour.
type tableRow struct {
	cells []string
	tint  int
}

// table prints rows under each other. What is too long for a terminal goes on in the next line.
func (s *screen) table(rows []tableRow) error {
	var laid strings.Builder
	w := tabwriter.NewWriter(&laid, 0, 0, 2, ' ', 0)
	for _, r := range rows {
		fmt.Fprintln(w, strings.Join(r.cells, "\t"))
	}
	if err := w.Flush(); err != nil {
		return err
	}
	lines := strings.Split(laid.String(), "\n")
	for i, r := range rows {
		before, word, after := r.split(s.fold(lines[i], r.cells[len(r.cells)-1]))
		if err := s.tinted(before, word, word, after+"\n"); err != nil {
			return err
		}
	}
	return nil
}

// split finds the cell that is to be in colour.
func (r tableRow) split(line string) (before, word, after string) {
	at := 0
	for i, cell := range r.cells {
		at += strings.Index(line[at:], cell)
		if i == r.tint {
			return line[:at], cell, line[at+len(cell):]
		}
		at += len(cell)
	}
	return line, "", ""
}

var words = regexp.MustCompile(`\S+`)

// fold breaks a line's last cell between words. A word that is longer than the terminal is wide stays whole, so that an
// address can be copied.
func (s *screen) fold(line, last string) string {
	const indent, narrowest = 4, 30
	b := strings.TrimSuffix(line, last)
	if s.columns == 0 || utf8.RuneCountInString(strings.TrimRight(line, " ")) <= s.columns {
		return line
	}
	margin := utf8.RuneCountInString(b)
	column := margin
	if s.columns-margin < narrowest {
		margin, column = indent, s.columns // begin in the next line
	}
	for i, word := range words.FindAllString(last, -1) {
		n := utf8.RuneCountInString(word)
		switch {
		case column+1+n > s.columns && (i > 0 || column > margin):
			b = strings.TrimRight(b, " ") + "\n" + strings.Repeat(" ", margin)
			column = margin
		case i > 0:
			b += " "
			column++
		}
		b += word
		column += n
	}
	return b
}
