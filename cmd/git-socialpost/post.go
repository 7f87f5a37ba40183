package main

import (
	"fmt"
	"net/url"
	"path"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/git-socialpost/git-socialpost/ledger"
	"github.com/git-socialpost/git-socialpost/linkedin"
)

// A post is one file of the posts folder, ready to be sent if it has no problems.
type post struct {
	Key                      ledger.Key // zero if the file does not tell it
	Path                     string
	Channel                  *channel // nil if the configuration has none of that name
	Text                     string   // normalised, without the front matter
	Link, Title, Description string
	PublishAfter             time.Time // zero: at once
	AllowTwin                bool
	Payload                  []byte // the exact request body; nil if there are problems
	Length                   int    // of the text, as the platform counts
	Problems                 []problem
	Warnings                 []problem
}

func readPost(cfg *config, f file) *post {
	p := &post{Path: f.Path}
	p.findChannel(cfg)
	if f.linked() {
		p.fail(0, "is a symbolic link or a submodule, which is never followed", "put the file itself here")
	} else {
		p.parse(f.Data)
	}
	slices.SortStableFunc(p.Problems, byLine)
	p.Problems, p.Warnings = p.first(p.Problems), p.first(p.Warnings)
	if len(p.Problems) == 0 {
		p.Payload = linkedin.Post{
			Author:      p.Channel.Author,
			Visibility:  p.Channel.Visibility,
			Text:        p.Text,
			Link:        p.Link,
			Title:       p.Title,
			Description: p.Description,
		}.Payload()
	}
	return p
}

// first keeps a file from filling the screen.
func (p *post) first(all []problem) []problem {
	const most = 20
	if len(all) <= most {
		return all
	}
	return append(all[:most:most], problem{Path: p.Path, Message: fmt.Sprintf("and %d more", len(all)-most)})
}

func (p *post) channelName() string { return strings.TrimSuffix(path.Base(p.Path), postEnding) }

func (p *post) findChannel(cfg *config) {
	name := p.channelName()
	if p.Channel = cfg.Channels[name]; p.Channel != nil {
		return
	}
	message, near := cfg.unknownChannel(name)
	remedy := declareChannel(name, "name the file after a channel")
	if near != "" {
		remedy = "rename the file to " + near + postEnding + ", or " + remedy
	} else if languages := cfg.languagesOf(name); len(languages) > 0 {
		remedy += ", or rename it to " + strings.Join(languages, postEnding+" or ") + postEnding
	}
	p.fail(0, message, remedy)
}

func (p *post) parse(data []byte) {
	if len(data) > maxPost {
		p.fail(0, fmt.Sprintf("the file is %d bytes long, which no post needs", len(data)), fmt.Sprintf("shorten it; a text may have %d UTF-16 units", linkedin.MaxLength))
		return
	}
	lines := strings.Split(unixLines(data), "\n")
	for i, line := range lines {
		if !utf8.ValidString(line) {
			p.fail(i+1, "is not UTF-8", "save the file as UTF-8")
			lines[i] = strings.ToValidUTF8(line, "\uFFFD")
		}
	}
	end := p.frontMatterEnd(lines)
	if end < 0 {
		return
	}
	// The opening line becomes an empty one, so that the decoder's line numbers are the file's.
	t, ok := parseTable(p.Path, "\n"+strings.Join(lines[1:end], "\n"), &p.Problems)
	if !ok {
		return
	}
	p.readKey(t)
	literal, _ := take[bool](t, "literal", "true")
	p.readFields(t, literal)
	t.unknownKeys()
	p.readText(lines[end+1:], end+2, literal)
}

// unixLines decodes what editors on other systems write: a byte order mark, and CR LF or CR for a line's end.
func unixLines(data []byte) string {
	s := strings.TrimPrefix(string(data), "\uFEFF")
	return strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(s)
}

// frontMatterEnd is the index of the line that closes the front matter, or -1, after a problem.
func (p *post) frontMatterEnd(lines []string) int {
	switch opening := strings.TrimRight(lines[0], " \t"); opening {
	case "+++":
	case "---":
		p.fail(1, "the front matter is YAML", `replace both lines "---" by "+++", and key: value by key = "value"`)
		return -1
	default:
		p.fail(1, "the file does not begin with front matter",
			`begin it with a line "+++", then the keys (there may be none), then another line "+++"; the text follows`)
		return -1
	}
	for i, line := range lines[1:] {
		if strings.TrimRight(line, " \t") == "+++" {
			return i + 1
		}
	}
	p.fail(1, "the front matter has no end", `add a line "+++" between the keys and the text`)
	return -1
}

func (p *post) readKey(t *table) {
	k := ledger.Key{Slug: path.Base(path.Dir(p.Path)), Channel: p.channelName(), Edition: 1}
	before := len(p.Problems)
	line, remedy := 0, `rename the folder, or add slug = "…" to the front matter`
	if slug, found := take[string](t, "slug", `"example-note"`); found {
		k.Slug, line, remedy = slug, t.line("slug"), "correct the slug"
	}
	if err := ledger.CheckSlug(k.Slug); err != nil {
		t.failAt(line, err.Error(), remedy)
	}
	if n, found := take[int64](t, "edition", "2"); found {
		k.Edition = int(n)
		if n < 2 || n > 999999 {
			t.fail("edition", fmt.Sprintf("edition: %d is not a number from 2 to 999999", n), "remove it for the first publication")
		}
	}
	if len(p.Problems) == before && ledger.CheckChannel(k.Channel) == nil {
		p.Key = k
	}
}

func (p *post) readFields(t *table, literal bool) {
	p.AllowTwin, _ = take[bool](t, "allow_twin", "true")
	p.PublishAfter = t.publishAfter()
	p.Title, _ = t.plain("title", `"Example note"`, literal)
	p.Description, _ = t.plain("description", `"One line"`, literal)
	var linked bool
	if p.Link, linked = t.plain("link", exampleLink, literal); linked {
		p.checkLink(t)
	}
	if _, found := t.keys["link"]; found {
		return
	}
	for _, key := range []string{"title", "description"} {
		if _, found := t.keys[key]; found {
			p.warn(t.line(key), key+" shows nowhere without a link", "add link, or remove it")
		}
	}
}

const maxPost = 64 << 10 // bytes, front matter included

const exampleLink = `"https://example.com/en/example-note/"`

func (p *post) checkLink(t *table) {
	u, err := url.Parse(p.Link)
	if err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Hostname() == "" || u.User != nil || strings.ContainsFunc(p.Link, invisible) {
		t.fail("link", "link: want an absolute http(s) address without spaces, invisible characters and user name",
			"write link = "+exampleLink)
	}
	if blank(p.Title) {
		t.fail("link", "a link needs a title, which its card shows", `add title = "Example note"`)
	}
}

func (t *table) publishAfter() time.Time {
	const example = "2026-12-01T09:00:00+03:00"
	at, found := take[time.Time](t, "publish_after", example+", without quotes")
	// The decoder names the zone of a date or time without offset so, and takes this machine's.
	if found && strings.HasSuffix(at.Location().String(), "-local") {
		t.fail("publish_after", "publish_after: want date, time and offset", "write publish_after = "+example)
	}
	return at
}

// plain takes one line of text that readers see.
func (t *table) plain(key, example string, literal bool) (s string, found bool) {
	s, found = take[string](t, key, example)
	for _, f := range flaws(s, literal) {
		t.fail(key, key+": "+f.Message, f.Remedy)
	}
	return s, found
}

// readText takes the text from the lines after the front matter, the first of which has the number line.
func (p *post) readText(lines []string, line int, literal bool) {
	end := line - 1
	for len(lines) > 0 && strings.TrimSpace(lines[0]) == "" {
		lines, line = lines[1:], line+1
	}
	p.Text = strings.TrimRightFunc(strings.Join(lines, "\n"), unicode.IsSpace)
	p.Length = linkedin.Length(p.Text)
	if blank(p.Text) {
		p.fail(end, "the text is empty", "write it below the front matter")
	}
	if over := p.Length - linkedin.MaxLength; over > 0 {
		p.fail(line, fmt.Sprintf("the text is %d UTF-16 units long, %d more than the %d allowed", p.Length, over, linkedin.MaxLength), "shorten it")
	}
	for i, s := range strings.Split(p.Text, "\n") {
		for _, f := range flaws(strings.ReplaceAll(s, "\t", " "), literal) {
			p.fail(line+i, f.Message, f.Remedy)
		}
		if m := markdown.FindString(s); m != "" {
			p.warn(line+i, fmt.Sprintf("%q looks like Markdown; readers will see it as it is", m), "write plain text")
		}
	}
}

var (
	templateMark = regexp.MustCompile(`\{\{|\{%|<%`)
	markdown     = regexp.MustCompile("\\[[^\\]]+\\]\\([^)\\s]+\\)|\\*\\*[^*\\s](.*?[^*\\s])?\\*\\*|^#{1,6} |^\\s*```")
)

// flaws says what must not be in a line that readers see, each thing once.
func flaws(s string, literal bool) (found []problem) {
	add := func(what, remedy string) {
		if p := (problem{Message: what, Remedy: remedy}); !slices.Contains(found, p) {
			found = append(found, p)
		}
	}
	for _, r := range s {
		switch {
		case unicode.IsControl(r):
			add(fmt.Sprintf("control character U+%04X", r), "remove it")
		case !literal && isBidi(r):
			add(fmt.Sprintf("bidirectional control U+%04X, which can make text read other than it is", r), "remove it, or set literal = true")
		}
	}
	if !literal {
		for _, mark := range templateMark.FindAllString(s, -1) {
			add(fmt.Sprintf("unrendered template mark %q", mark), "render the template, or set literal = true to post it as it is")
		}
	}
	return found
}

func isBidi(r rune) bool { return '\u202A' <= r && r <= '\u202E' || '\u2066' <= r && r <= '\u2069' }

func blank(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return !invisible(r) })
}

// invisible characters are white space and those of the class Cf, such as U+200B and U+FEFF.
func invisible(r rune) bool { return unicode.IsSpace(r) || unicode.Is(unicode.Cf, r) }

func (p *post) fail(line int, message, remedy string) {
	p.Problems = append(p.Problems, problem{p.Path, line, message, remedy})
}

func (p *post) warn(line int, message, remedy string) {
	p.Warnings = append(p.Warnings, problem{p.Path, line, message, remedy})
}
