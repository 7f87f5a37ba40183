package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestDocuments runs every fenced block of the README and of docs/*.md:
//   - console: each line "$ command" is run in a world, and must print what the page shows below it; see transcript.
//   - sh: must succeed in a world.
//   - yaml: a CI's workflow; its steps with git socialpost must succeed in a world.
//   - toml: must be a configuration; text: must be a post; json: must be JSON.
//
// The last line of text before a block may end in a comment. <!-- world: NAME --> makes a new world, of those in
// documents_worlds_test.go, for this block and those after it; <!-- not run: WHY --> excuses the block. With -update,
// what is really printed is written into the page.
func TestDocuments(t *testing.T) {
	for _, path := range documents(t) {
		t.Run(filepath.Base(path), func(t *testing.T) {
			p := readPage(t, path)
			if *update {
				t.Cleanup(func() { p.write(t) }) // after all stories
			}
			for _, b := range p.blocks {
				if err := b.check(); err != nil {
					t.Errorf("%s: %v", b.place, err)
				}
			}
			for _, s := range p.stories {
				t.Run(s.world, s.run)
			}
		})
	}
}

func documents(t *testing.T) []string {
	paths, err := filepath.Glob("../../docs/*.md")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no documents: %v", err)
	}
	return append(paths, "../../README.md")
}

// A page is a document in Markdown.
type page struct {
	path    string
	lines   []string
	blocks  []*block
	stories []*story
}

// A block is what stands between two fences.
type block struct {
	place      string // path:line
	indent     string
	language   string
	excuse     string // why it is not run
	body       string // without the page's indentation
	first, end int    // its lines in the page, the fences not among them
	printed    string // what a console block should be, where it is not
}

// A story is the blocks of a page that are run in one world.
type story struct {
	world  string
	blocks []*block
}

var (
	fence  = regexp.MustCompile("^( *)```(.*)$")
	remark = regexp.MustCompile(`<!-- (world|not run): (.+) -->$`)
)

func readPage(t *testing.T, path string) *page {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	p, err := parsePage(path, string(data))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func parsePage(path, data string) (*page, error) {
	p := &page{path: path, lines: strings.SplitAfter(data, "\n")}
	said := "" // the last line of text
	for i := 0; i < len(p.lines); i++ {
		line := strings.TrimRight(p.lines[i], "\n")
		opening := fence.FindStringSubmatch(line)
		if opening == nil {
			if line != "" {
				said = line
			}
			continue
		}
		b := &block{place: fmt.Sprintf("%s:%d", path, i+1), indent: opening[1], language: opening[2], first: i + 1}
		for i++; i < len(p.lines) && p.lines[i] != b.indent+"```\n"; i++ {
			b.body += strings.TrimPrefix(p.lines[i], b.indent)
		}
		if i == len(p.lines) {
			return nil, fmt.Errorf("%s: the block has no end", b.place)
		}
		b.end = i
		if err := p.add(b, remark.FindStringSubmatch(said)); err != nil {
			return nil, fmt.Errorf("%s: %w", b.place, err)
		}
		said = ""
	}
	return p, nil
}

// add puts a block into the story that it belongs to.
func (p *page) add(b *block, comment []string) error {
	p.blocks = append(p.blocks, b)
	runs := b.language == "console" || b.language == "sh" || b.language == "yaml"
	switch {
	case comment != nil && comment[1] == "not run":
		b.excuse = comment[2]
		return nil
	case comment != nil && !runs:
		return fmt.Errorf("a block of %q has no use for a world", b.language)
	case comment != nil:
		p.stories = append(p.stories, &story{world: comment[2]})
	case runs && len(p.stories) == 0:
		return fmt.Errorf("no world is named before it")
	}
	if runs {
		s := p.stories[len(p.stories)-1]
		s.blocks = append(s.blocks, b)
	}
	return nil
}

// write puts what was printed into the page.
func (p *page) write(t *testing.T) {
	var out strings.Builder
	next := 0
	for _, b := range p.blocks {
		if b.printed == "" {
			continue
		}
		out.WriteString(strings.Join(p.lines[next:b.first], ""))
		for line := range strings.Lines(b.printed) {
			if line != "\n" {
				line = b.indent + line
			}
			out.WriteString(line)
		}
		next = b.end
	}
	out.WriteString(strings.Join(p.lines[next:], ""))
	if err := os.WriteFile(p.path, []byte(out.String()), 0o666); err != nil {
		t.Error(err)
	}
}

// check is for the blocks that need no world.
func (b *block) check() error {
	if b.excuse != "" {
		return nil
	}
	switch b.language {
	case "console", "sh", "yaml":
		return nil // run in its story
	case "json":
		if !json.Valid([]byte(b.body)) {
			return fmt.Errorf("this is not JSON")
		}
		return nil
	case "toml":
		someID := strings.Repeat("0", 40)
		_, err := parseConfig(configFile, []byte(strings.ReplaceAll(b.body, "…", someID)))
		return err
	case "text":
		cfg, err := parseConfig(configFile, []byte(liveConfig))
		if err != nil {
			return err
		}
		for _, p := range readPost(cfg, file{Path: postPath(noteKey), Mode: "100644", Data: []byte(b.body)}).Problems {
			return fmt.Errorf("as a post: %w", p)
		}
		return nil
	}
	return fmt.Errorf("nobody knows how to run a block of %q; say why it is not run: <!-- not run: WHY -->", b.language)
}

func (s *story) run(t *testing.T) {
	t.Parallel()
	found, ok := worlds[s.world]
	if !ok {
		t.Fatalf("%s: there is no world %q", s.blocks[0].place, s.world)
	}
	m := found(t)
	tr := &transcript{machine: m, real: map[string]string{}, shown: map[string]string{}}
	for _, b := range s.blocks {
		switch b.language {
		case "console":
			if err := tr.play(b); err != nil {
				t.Errorf("%s: %v", b.place, err)
			}
		case "sh":
			if out, status := m.shell("set -e\n" + b.body); status != 0 {
				t.Errorf("%s: exit status %d\n%s", b.place, status, out)
			}
		case "yaml":
			if err := m.workflow(b.body); err != nil {
				t.Errorf("%s: %v", b.place, err)
			}
		}
	}
	if t.Failed() && *update {
		tr.publish()
	}
	m.check(m.broken())
}

// shell runs a command as somebody would who sits at the machine, and returns all that it prints.
func (m *machine) shell(command string) (out string, status int) {
	cmd := exec.Command("sh", "-c", command)
	cmd.Dir, cmd.Env = m.dir, append(m.world.env, m.env...)
	said, err := cmd.CombinedOutput()
	if cmd.ProcessState == nil {
		m.Fatal(err)
	}
	return string(said), cmd.ProcessState.ExitCode()
}

var workflowStep = regexp.MustCompile(`(?m)^ *- (?:\{ *)?run: (.*git socialpost .*)$`)

// workflow runs the steps of a CI's workflow that are this program's.
func (m *machine) workflow(yaml string) error {
	if strings.Contains(yaml, "\t") {
		return fmt.Errorf("a tab, which YAML does not take")
	}
	steps := workflowStep.FindAllStringSubmatch(yaml, -1)
	if steps == nil {
		return fmt.Errorf("no step runs git socialpost")
	}
	if !strings.Contains(yaml, "secrets."+defaultTokenEnv+" ") {
		return fmt.Errorf("no secret is %s", defaultTokenEnv)
	}
	for _, step := range steps {
		if out, status := m.shell("RUNNER_TEMP=" + shell(m.world.dir) + "; export RUNNER_TEMP; " + step[1]); status != 0 {
			return fmt.Errorf("%s: exit status %d\n%s", step[1], status, out)
		}
	}
	return nil
}
