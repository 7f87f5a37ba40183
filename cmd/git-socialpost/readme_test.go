package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

const maxReadme = 150 // lines

func TestReadmeIsShort(t *testing.T) {
	data, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(string(data), "\n"); n > maxReadme {
		t.Errorf("README.md has %d lines, want at most %d", n, maxReadme)
	}
}

var (
	code       = regexp.MustCompile("(?ms)^ *```.*?^ *```|`[^`\n]+`")
	invocation = regexp.MustCompile("git(?: -C [^ ]+)? socialpost ([^`;|&#\n]+)")
)

// TestDocumentsNameRealCommands finds each `git socialpost <command> [--flag...]` in the code of the documents, and
// demands that the program has that command and its flags.
func TestDocumentsNameRealCommands(t *testing.T) {
	documents, err := filepath.Glob("../../docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	app := new(tool).app()
	for _, document := range append(documents, "../../README.md") {
		data, err := os.ReadFile(document)
		if err != nil {
			t.Fatal(err)
		}
		found := 0
		for _, block := range code.FindAllString(string(data), -1) {
			for _, call := range invocation.FindAllStringSubmatch(block, -1) {
				found++
				words := strings.Fields(call[1])
				if strings.HasPrefix(words[0], "-") || strings.HasPrefix(words[0], "<") {
					continue // git socialpost -h, git socialpost <command>
				}
				cmd := app.Command(words[0])
				if cmd == nil {
					t.Errorf("%s: %q is no command: git socialpost %s", document, words[0], call[1])
					continue
				}
				for _, word := range words[1:] {
					name, isFlag := strings.CutPrefix(word, "--")
					if name, _, _ = strings.Cut(name, "="); isFlag && !hasFlag(cmd, name) {
						t.Errorf("%s: %s has no flag --%s: git socialpost %s", document, cmd.Name, name, call[1])
					}
				}
			}
		}
		if found == 0 {
			t.Errorf("%s names no command at all", document)
		}
	}
}
