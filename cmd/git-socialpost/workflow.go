package main

import (
	"regexp"
	"slices"
	"strings"
)

// yamlBlock is a line of YAML with the deeper lines below it, without comments: enough to tell one job of a workflow from
// another. What is written in a line, [...] or {...}, stays in that line.
type yamlBlock struct {
	path  string
	first int // the number of its first line in the file
	lines []string
}

var (
	yamlComment = regexp.MustCompile(`(^|\s)#.*$`)
	yamlKey     = regexp.MustCompile(`^\s*(?:-\s+)*["']?([^"'\s][^"']*?)["']?\s*:(?:\s|$)`)
)

// readYAML takes a file for the block below no line.
func readYAML(path string, data []byte) yamlBlock {
	b := yamlBlock{path: path, lines: []string{""}}
	for line := range strings.SplitSeq(unixLines(data), "\n") {
		b.lines = append(b.lines, yamlComment.ReplaceAllString(line, ""))
	}
	return b
}

// children are the blocks one step below.
func (b yamlBlock) children() (all []yamlBlock) {
	depth, inList := -1, false
	for i, line := range b.lines[min(1, len(b.lines)):] {
		words := strings.TrimLeft(line, " ")
		item := strings.HasPrefix(words, "- ") || words == "-"
		at := len(line) - len(words)
		if depth < 0 && words != "" {
			depth, inList = at, item
		}
		if words != "" && at <= depth && (inList || !item) { // a list may stand as deep as its key
			all = append(all, yamlBlock{path: b.path, first: b.first + i + 1})
		}
		if len(all) > 0 {
			last := &all[len(all)-1]
			last.lines = append(last.lines, line)
		}
	}
	return all
}

// child is the block of a key, without lines if there is none.
func (b yamlBlock) child(key string) yamlBlock {
	all := b.children()
	if i := slices.IndexFunc(all, func(c yamlBlock) bool { return c.key() == key }); i >= 0 {
		return all[i]
	}
	return yamlBlock{path: b.path}
}

func (b yamlBlock) there() bool { return len(b.lines) > 0 }

// key is the word before the first colon.
func (b yamlBlock) key() string {
	if m := yamlKey.FindStringSubmatch(b.lines[0]); m != nil {
		return m[1]
	}
	return ""
}

func (b yamlBlock) text() string { return strings.Join(b.lines, "\n") }

func (b yamlBlock) has(re *regexp.Regexp) bool { return re.MatchString(b.text()) }

// find returns the number of the first line that matches, and what does; 0 if none does.
func (b yamlBlock) find(re *regexp.Regexp) (line int, match []string) {
	for i, line := range b.lines {
		if m := re.FindStringSubmatch(line); m != nil {
			return b.first + i, m
		}
	}
	return 0, nil
}
