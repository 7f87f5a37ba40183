package main

import (
	"fmt"
	"os"
	"reflect"
	"strings"
	"testing"
)

// A yamlNode is YAML as the CI's files here use it: maps, lists, scalars and blocks of text. No anchors, no folding, no
// quoting beyond one line, no text that begins with what has a meaning.
type yamlNode struct {
	text string
	keys []string // of a map, in order
	in   map[string]*yamlNode
	list []*yamlNode
}

// get follows keys into maps; what is not there is an empty node.
func (n *yamlNode) get(path ...string) *yamlNode {
	for _, key := range path {
		if n = n.in[key]; n == nil {
			return &yamlNode{}
		}
	}
	return n
}

// strings are the scalars of a list, or the one that stands in its place.
func (n *yamlNode) strings() (all []string) {
	for _, item := range n.list {
		all = append(all, item.text)
	}
	if n.text != "" {
		all = append(all, n.text)
	}
	return all
}

func readYAML(t *testing.T, path string) *yamlNode {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	n, err := parseYAML(string(data))
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	return n
}

type yamlReader struct {
	lines []string
	at    int
}

func parseYAML(data string) (n *yamlNode, err error) {
	defer func() {
		if e, is := recover().(error); is {
			err = e
		}
	}()
	r := &yamlReader{lines: strings.Split(data, "\n")}
	n = r.block(0)
	if r.at < len(r.lines) {
		r.fail("indented in a way that this reader does not read")
	}
	return n, nil
}

func (r *yamlReader) fail(why string) { panic(fmt.Errorf("line %d: %s", r.at+1, why)) }

// next skips what says nothing, and returns the indentation and content of a line; -1 at the end.
func (r *yamlReader) next() (int, string) {
	for ; r.at < len(r.lines); r.at++ {
		content := strings.TrimLeft(r.lines[r.at], " ")
		if strings.ContainsRune(content, '\t') {
			r.fail("a tab")
		}
		if content != "" && !strings.HasPrefix(content, "#") {
			return len(r.lines[r.at]) - len(content), content
		}
	}
	return -1, ""
}

// block reads a map or a list whose entries have this indentation.
func (r *yamlReader) block(depth int) *yamlNode {
	n := &yamlNode{}
	for {
		indent, content := r.next()
		if indent != depth {
			return n
		}
		if item, found := strings.CutPrefix(content, "- "); found {
			if n.in != nil {
				return n
			}
			if key, _, isMap := cutKey(item); isMap && key != "" {
				r.lines[r.at] = strings.Repeat(" ", depth+2) + item
				n.list = append(n.list, r.block(depth+2))
			} else {
				n.list = append(n.list, r.value(item, depth))
			}
			continue
		}
		key, value, found := cutKey(content)
		switch {
		case n.list != nil:
			return n
		case !found:
			r.fail("neither a key nor an item: " + content)
		case n.in == nil:
			n.in = map[string]*yamlNode{}
		case n.in[key] != nil:
			r.fail("twice: " + key)
		}
		n.keys = append(n.keys, key)
		n.in[key] = r.value(value, depth)
	}
}

func cutKey(s string) (key, value string, found bool) {
	if strings.HasPrefix(s, "'") || strings.HasPrefix(s, `"`) || strings.HasPrefix(s, "{") {
		return "", "", false
	}
	if key, found = strings.CutSuffix(s, ":"); found && !strings.Contains(key, " ") {
		return key, "", true
	}
	key, value, found = strings.Cut(s, ": ")
	return key, strings.TrimSpace(value), found && !strings.Contains(key, " ")
}

// value reads what follows a key or a dash that stands at this indentation.
func (r *yamlReader) value(s string, depth int) *yamlNode {
	r.at++
	if s == "|" {
		return &yamlNode{text: r.literal(depth)}
	}
	if s = uncommented(s); s != "" {
		if strings.HasPrefix(s, "- ") {
			r.fail("a list in a list")
		}
		n, rest := r.flow(s)
		if rest != "" {
			r.fail("more than a value: " + rest)
		}
		return n
	}
	indent, content := r.next()
	if indent > depth || indent == depth && strings.HasPrefix(content, "- ") {
		return r.block(indent)
	}
	return &yamlNode{}
}

func (r *yamlReader) literal(depth int) string {
	var b strings.Builder
	inner := 0
	for ; r.at < len(r.lines); r.at++ {
		line := r.lines[r.at]
		indent := len(line) - len(strings.TrimLeft(line, " "))
		switch {
		case strings.TrimSpace(line) == "":
			b.WriteString("\n")
			continue
		case indent <= depth:
			return strings.TrimRight(b.String(), "\n") + "\n"
		case inner == 0:
			inner = indent
		}
		b.WriteString(line[inner:] + "\n")
	}
	return strings.TrimRight(b.String(), "\n") + "\n"
}

func uncommented(s string) string {
	if at := strings.Index(" "+s, " #"); at >= 0 && strings.Count(s[:at], `"`)%2 == 0 && strings.Count(s[:at], "'")%2 == 0 {
		s = s[:at]
	}
	return strings.TrimSpace(s)
}

// flow reads a value that stands on one line, and returns what stands behind it.
func (r *yamlReader) flow(s string) (*yamlNode, string) {
	switch s[0] {
	case '"':
		text, rest, found := strings.Cut(s[1:], `"`)
		if !found || strings.Contains(text, `\`) {
			r.fail("a string that this reader does not read")
		}
		return &yamlNode{text: text}, strings.TrimSpace(rest)
	case '\'':
		for at := 1; at < len(s); at++ {
			switch {
			case s[at] != '\'':
			case strings.HasPrefix(s[at:], "''"):
				at++
			default:
				return &yamlNode{text: strings.ReplaceAll(s[1:at], "''", "'")}, strings.TrimSpace(s[at+1:])
			}
		}
		r.fail("a string without an end")
	case '[', '{':
		return r.flowInside(s)
	case '&', '*', '!', '|', '>', '@', '`', '%':
		r.fail("this reader does not read: " + s)
	}
	return &yamlNode{text: s}, ""
}

func (r *yamlReader) flowInside(s string) (*yamlNode, string) {
	n, closing := &yamlNode{list: []*yamlNode{}}, "]"
	if s[0] == '{' {
		n, closing = &yamlNode{in: map[string]*yamlNode{}}, "}"
	}
	s = strings.TrimSpace(s[1:])
	for {
		if rest, found := strings.CutPrefix(s, closing); found {
			return n, strings.TrimSpace(rest)
		}
		key := ""
		if closing == "}" {
			k, value, found := strings.Cut(s, ":")
			if !found {
				r.fail("no key: " + s)
			}
			key, s = strings.TrimSpace(k), strings.TrimSpace(value)
		}
		var item *yamlNode
		if strings.ContainsAny(s[:1], `[{"'`) {
			item, s = r.flow(s)
		} else {
			end := strings.IndexAny(s, ",]}")
			if end < 0 {
				r.fail("no end: " + s)
			}
			item, s = &yamlNode{text: strings.TrimSpace(s[:end])}, s[end:]
		}
		if closing == "}" {
			n.keys = append(n.keys, key)
			n.in[key] = item
		} else {
			n.list = append(n.list, item)
		}
		s = strings.TrimSpace(strings.TrimPrefix(s, ","))
	}
}

func TestYAML(t *testing.T) {
	n, err := parseYAML(`# A comment.
name: a b: c # and why
on:
  push: { branches: [main, "x, y"] }
  pull_request:
list:
  - if: a && (b || 'c')
    run: |
      one

        two # of the text

  - plain
  - "quoted: text"
empty: {}
same:
- x: 1
- 'it''s'
`)
	if err != nil {
		t.Fatal(err)
	}
	for want, got := range map[string]any{
		"a b: c":                       n.get("name").text,
		"[main x, y]":                  n.get("on", "push", "branches").strings(),
		"[push pull_request]":          n.get("on").keys,
		"a && (b || 'c')":              n.get("list").list[0].get("if").text,
		"one\n\n  two # of the text\n": n.get("list").list[0].get("run").text,
		"plain":                        n.get("list").list[1].text,
		"quoted: text":                 n.get("list").list[2].text,
		"1":                            n.get("same").list[0].get("x").text,
		"it's":                         n.get("same").list[1].text,
		"":                             n.get("no", "such").text,
	} {
		if fmt.Sprint(got) != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	if !reflect.DeepEqual(n.keys, []string{"name", "on", "list", "empty", "same"}) || n.get("empty").in == nil {
		t.Error(n.keys)
	}
	for _, bad := range []string{"a: 1\na: 2\n", "a: &x\n", "a: >\n  b\n", "a:\n    b: 1\n  c: 2\n", "a: 'b\n", "a: \"\\n\"\n", "a:\tb\n", "a: [b\n", "just words\n", "- - a\n"} {
		if n, err := parseYAML(bad); err == nil {
			t.Errorf("%q was read: %+v", bad, n)
		}
	}
}
