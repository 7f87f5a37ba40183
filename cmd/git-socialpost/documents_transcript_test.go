package main

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// A transcript compares what the commands of console blocks print with what the page shows. A command's output is
// standard output and error in one, and "(exit status N)" where it is not 0.
//
// Times, durations, ports and request ids need only look alike. Ids differ from run to run, but what is one id in the
// page must be one id in the world, and what are two must be two. "…" stands for anything in a line, and in a line of
// its own for any number of lines. The world's folder is /home/ann. A post's id that a command names before any output
// did is the newest of the feed: somebody looked there.
type transcript struct {
	*machine
	real  map[string]string // by what the page shows
	shown map[string]string // by what is real
	plays []played
}

// played is a block with what its commands really printed.
type played struct {
	*block
	text string
}

const home = "/home/ann"

// kinds are what differs from run to run; the first idKinds of them are ids. %s is the length.
var kinds = []string{
	`\burn:li:share:\d+\b`,
	`\b[0-9a-f]{%s}\b`,
	`\b[0-9a-f]{2}/[0-9a-f]{38}\b`, // a note's path, half of which can be known
	`\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ`,
	`\b[A-Z][a-z]{2} [A-Z][a-z]{2} \d{1,2} \d\d:\d\d:\d\d \d{4} \+0000\b`,
	`\b127\.0\.0\.1:\d+\b`,
	`\b[A-Z2-7]{26}\b`,
	`\b(?:\d+m)?\d+s\b`,
}

const idKinds = 2

var varying = regexp.MustCompile("(" + strings.ReplaceAll(strings.Join(kinds, ")|("), "%s", "7,64") + ")")

// identity is what two forms of one id share: git abbreviates.
func identity(id string) string {
	if strings.Contains(id, ":") {
		return id
	}
	return id[:7]
}

// play runs the commands of a block.
func (tr *transcript) play(b *block) error {
	if !strings.HasPrefix(b.body, "$ ") {
		return errors.New("want a line \"$ command\" first")
	}
	var failed error
	text := ""
	for _, part := range strings.Split("\n"+b.body, "\n$ ")[1:] {
		command, want, _ := strings.Cut(part, "\n")
		if want != "" && !strings.HasSuffix(want, "\n") {
			want += "\n"
		}
		command = tr.translate(command)
		out, status := tr.shell(strings.ReplaceAll(command, home, tr.world.dir))
		if out != "" && !strings.HasSuffix(out, "\n") {
			out += "\n" // as a page must have it
		}
		if status != 0 {
			out += fmt.Sprintf("(exit status %d)\n", status)
		}
		out = strings.ReplaceAll(out, tr.world.dir, home)
		text += "$ " + command + "\n" + out
		if err := tr.match(want, out); err != nil {
			failed = errors.Join(failed, fmt.Errorf("$ %s\n%w; it prints\n%sthe page has\n%s", command, err, out, want))
		}
	}
	tr.plays = append(tr.plays, played{b, text})
	return failed
}

// translate puts the real ids into a command.
func (tr *transcript) translate(command string) string {
	return varying.ReplaceAllStringFunc(command, func(id string) string {
		if feed := tr.Stored(); strings.HasPrefix(id, "urn:") && tr.real[id] == "" && len(feed) > 0 {
			tr.learn(id, feed[len(feed)-1].ID)
		}
		if len(id) >= 7 && tr.real[identity(id)] != "" {
			return tr.real[identity(id)]
		}
		return id
	})
}

// learn notes what an id of the page is in this world.
func (tr *transcript) learn(page, world string) error {
	page, world = identity(page), identity(world)
	if was, known := tr.real[page]; known && was != world {
		return fmt.Errorf("%s… is two: %s… and %s…", page, was, world)
	}
	if was, known := tr.shown[world]; known && was != page {
		return fmt.Errorf("%s… and %s… are one, %s…", was, page, world)
	}
	tr.real[page], tr.shown[world] = world, page
	return nil
}

var errOther = errors.New("this is not what the command prints")

func (tr *transcript) match(want, got string) error {
	pattern, ids := "", []string(nil)
	next := 0
	for _, at := range varying.FindAllStringSubmatchIndex(want, -1) {
		pattern += literal(want[next:at[0]])
		next = at[1]
		kind := 0
		for at[2+2*kind] < 0 {
			kind++
		}
		like := strings.ReplaceAll(kinds[kind], "%s", strconv.Itoa(at[1]-at[0]))
		if kind < idKinds {
			ids = append(ids, want[at[0]:at[1]])
			like = "(" + like + ")"
		}
		pattern += like
	}
	pattern += literal(want[next:])
	found := regexp.MustCompile(`^` + pattern + `$`).FindStringSubmatch(got)
	if found == nil {
		return errOther
	}
	for i, id := range ids {
		if err := tr.learn(id, found[1+i]); err != nil {
			return err
		}
	}
	return nil
}

// literal is a pattern for a text without ids.
func literal(s string) string {
	s = regexp.QuoteMeta(s)
	s = regexp.MustCompile(`(?m)^…\n`).ReplaceAllString(s, `(?:.*\n)*?`)
	return strings.ReplaceAll(s, "…", ".*")
}

// publish puts what was printed into the page, but for blocks with a wildcard, which somebody wrote.
func (tr *transcript) publish() {
	for _, p := range tr.plays {
		if !strings.Contains(p.body, "…") {
			p.printed = p.text
		}
	}
}

func TestTranscript(t *testing.T) {
	const a, b, c = "0123456789abcdef0123456789abcdef01234567", "89abcdef0123456789abcdef0123456789abcdef", "fedcba98fedcba98fedcba98fedcba98fedcba98"
	for _, test := range []struct {
		page, world string
		same        bool
	}{
		{"done\n", "done\n", true},
		{"done\n", "done\nand more\n", false},
		{"done\n", "", false},
		{"", "done\n", false},
		{"a.b\n", "axb\n", false},
		{a + " " + a[:12] + "\n", b + " " + b[:12] + "\n", true},
		{a + " " + a + "\n", b + " " + c + "\n", false},
		{a + " " + b + "\n", c + " " + c + "\n", false},
		{a + "\n", b[:12] + "\n", false},
		{"urn:li:share:1 urn:li:share:1\n", "urn:li:share:7 urn:li:share:7\n", true},
		{"urn:li:share:1 urn:li:share:2\n", "urn:li:share:7 urn:li:share:7\n", false},
		{"urn:li:share:1\n", "urn:li:activity:1\n", false},
		{"2026-12-01T00:00:00Z (3s ago)\n", "2026-12-01T01:02:03Z (1m12s ago)\n", true},
		{"2026-12-01T00:00:00Z\n", "yesterday\n", false},
		{"a … z\n", "a b c z\n", true},
		{"a … z\n", "a b\nc z\n", false},
		{"a\n…\nz\n", "a\nb\nc\nz\n", true},
		{"a\n…\nz\n", "a\nb\nc\n", false},
	} {
		tr := &transcript{real: map[string]string{}, shown: map[string]string{}}
		if err := tr.match(test.page, test.world); (err == nil) != test.same {
			t.Errorf("page %q, world %q: %v, want the same: %v", test.page, test.world, err, test.same)
		}
	}
}

func TestPage(t *testing.T) {
	const end = "```\n"
	for _, test := range []struct{ page, want string }{
		{"```console\n$ true\n" + end, "no world is named"},
		{"<!-- world: blog -->\n```toml\n" + end, "no use for a world"},
		{"```toml\n", "no end"},
		{"```toml\nmode = 3\n" + end, "mode"},
		{"```text\n+++\nText\n" + end, "no end"},
		{"```json\n{]\n" + end, "not JSON"},
		{"```\n" + end, "not run: WHY"},
		{"```text\nanything\n" + end, "front matter"},
		{"Because: <!-- not run: it is poetry -->\n\n```text\nanything\n" + end, ""},
		{"<!-- world: blog -->\n```sh\ntrue\n" + end + "Then:\n```console\n$ true\n" + end, ""},
	} {
		p, err := parsePage("page.md", test.page)
		if err == nil {
			for _, b := range p.blocks {
				err = errors.Join(err, b.check())
			}
		}
		if said := fmt.Sprint(err); (err == nil) != (test.want == "") || !strings.Contains(said, test.want) && err != nil {
			t.Errorf("%q: %v, want %q", test.page, err, test.want)
		}
	}
}
