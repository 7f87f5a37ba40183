package main

import (
	"fmt"
	"io"
	"strings"
	"unicode"
)

// ci is the service whose runner this program is on, "" on a desk.
type ci string

const (
	github ci = "GitHub Actions"
	gitlab ci = "GitLab CI"
)

func ciOf(getenv func(string) string) ci {
	switch {
	case getenv("GITHUB_ACTIONS") == "true":
		return github
	case getenv("GITLAB_CI") == "true":
		return gitlab
	}
	return ""
}

// person names whoever started the run; a runner's git identity names nobody.
func (c ci) person(getenv func(string) string) string {
	var names []string
	switch c {
	case github:
		names = []string{"GITHUB_TRIGGERING_ACTOR", "GITHUB_ACTOR"} // who ran it again, who ran it first
	case gitlab:
		names = []string{"GITLAB_USER_LOGIN"}
	}
	for _, name := range names {
		if login := cell(getenv(name)); login != "" {
			return login + " (" + string(c) + ")"
		}
	}
	return ""
}

// annotate prints the lines of a complaint. GitHub gets them as an annotation in their place, which its log shows as
// they are, and its page beside the file. A line of 0 is the whole file, no file the whole run.
func (t *tool) annotate(level, file string, line int, lines ...string) {
	if t.ci != github {
		for _, l := range lines {
			fmt.Fprintln(t.stderr, l)
		}
		return
	}
	at := ""
	if file != "" {
		at = " file=" + property(harmless(visible(file)))
	}
	if file != "" && line > 0 {
		at += fmt.Sprintf(",line=%d", line)
	}
	fmt.Fprintf(t.raw, "::%s%s::%s\n", level, at, data(harmless(visible(strings.Join(lines, "\n")))))
}

var (
	escapeData     = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	escapeProperty = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
)

// data and property are how GitHub's commands write what they carry.
func data(s string) string     { return escapeData.Replace(s) }
func property(s string) string { return escapeProperty.Replace(s) }

// warn says what somebody must look at, though the run goes on.
func (t *tool) warn(format string, args ...any) {
	t.annotate("warning", "", 0, "git-socialpost: WARNING: "+brief(fmt.Sprintf(format, args...)))
}

// detail prints lines on standard error. Many of them are folded where the log can do that.
func (t *tool) detail(title string, lines []string) {
	const few = 5
	if len(lines) > few {
		defer t.fold(title)()
	}
	for _, line := range lines {
		t.note("%s", line)
	}
}

// fold begins a part of the log that the CI's page shows folded, and returns what ends it. One cannot be in another.
func (t *tool) fold(title string) (end func()) {
	title = data(harmless(cell(title)))
	t.folds++
	switch t.ci {
	case github:
		fmt.Fprintf(t.raw, "::group::%s\n", title)
		return func() { io.WriteString(t.raw, "::endgroup::\n") }
	case gitlab:
		fmt.Fprintf(t.raw, "\x1b[0Ksection_start:%d:socialpost_%d[collapsed=true]\r\x1b[0K%s\n", t.now().Unix(), t.folds, title)
		return func() {
			fmt.Fprintf(t.raw, "\x1b[0Ksection_end:%d:socialpost_%d\r\x1b[0K\n", t.now().Unix(), t.folds)
		}
	}
	return func() {}
}

// commandless keeps a GitHub runner, which takes commands from both outputs, from obeying texts that are printed: it
// knows "::" at a line's start and "##[" anywhere. GitLab's need control characters, which plain has made visible.
type commandless struct {
	w      io.Writer
	inLine bool // something else than ':' has begun the line
	colons int  // that began it
	hashes int  // just written
}

func (c *commandless) Write(b []byte) (int, error) {
	var out strings.Builder
	for _, r := range string(b) {
		switch {
		case r == '\n':
			c.inLine, c.colons = false, 0
		case ignored(r) || !c.inLine && c.colons == 0 && unicode.IsSpace(r):
			out.WriteRune(r)
			continue
		case r == ':' && !c.inLine:
			c.colons++
		default:
			c.inLine = true
		}
		if !c.inLine && c.colons == 2 || r == '[' && c.hashes > 1 {
			c.inLine = true
			fmt.Fprintf(&out, "<U+%04X>", r)
		} else {
			out.WriteRune(r)
		}
		if c.hashes++; r != '#' {
			c.hashes = 0
		}
	}
	if _, err := io.WriteString(c.w, out.String()); err != nil {
		return 0, err
	}
	return len(b), nil
}

// ignored are characters that the runner's comparison of texts may pass over.
func ignored(r rune) bool {
	return unicode.In(r, unicode.Cf, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector)
}

// harmless is a text as commandless writes it.
func harmless(s string) string {
	var b strings.Builder
	(&commandless{w: &b}).Write([]byte(s))
	return b.String()
}
