package main

import (
	"testing"
)

func TestDelivers(t *testing.T) {
	for text, want := range map[string]bool{
		"- run: git socialpost deliver":                                                      true,
		"- run: git socialpost deliver; echo done":                                           true,
		"- run: git -C blog socialpost --verbose deliver --recovery x":                       true,
		"- run: '\"$HOME/go/bin/git-socialpost\" deliver'":                                   true,
		"- run: >\n    git-socialpost\n    deliver":                                          true,
		"script: [docker run ghcr.io/x/git-socialpost:v1 deliver]":                           true,
		"- uses: git-socialpost/git-socialpost@main":                                         true,
		"- uses: someone/git-socialpost@5f0c # v1\n  with:\n    command: deliver":            true,
		"- name: x\n  with:\n    command: deliver\n  uses: git-socialpost/git-socialpost@v1": true,
		"- {uses: git-socialpost/git-socialpost@v1, with: {command: deliver}}":               true,
		"- uses: git-socialpost/git-socialpost@v1\n  with: { command: \"${{ inputs.x }}\" }": true,
		"- uses: git-socialpost/git-socialpost@v1\n- uses: other\n  with: { command: plan }": true,

		"- uses: git-socialpost/git-socialpost@v1\n  with:\n    command: plan":          false,
		"- with:\n    command: plan\n  uses: git-socialpost/git-socialpost@v1":          false,
		"- uses: git-socialpost/git-socialpost@v1\n\n  with:\n\n    command: 'resolve'": false,
		"- {uses: git-socialpost/git-socialpost@v1, with: {command: plan}}":             false,
		"- run: git socialpost plan":                                                         false,
		"- run: git socialpost plan # git socialpost deliver":                                false,
		"group: socialpost\ndeliver:\n  needs: x":                                            false,
		"socialpost:deliver:\n  script: make":                                                false,
		"- run: git socialpost delivered":                                                    false,
		"- uses: actions/checkout@v5\n  with: { repository: git-socialpost/git-socialpost }": false,
	} {
		if got := readYAML("x", []byte(text)).delivers(); got != want {
			t.Errorf("%q delivers: %v", text, got)
		}
	}
}

func TestYAMLBlocks(t *testing.T) {
	top := readYAML("x", []byte("\ufeffa: 1 # c\r\n\r\n\"b c\":\r\n- x\r\n- y: 1\r\n  z: 2\r\n'd:e':\r\n    f:\r\n      g: h\r\n    i: { j: k }\r\n"))
	keys := func(b yamlBlock) (all string) {
		for _, c := range b.children() {
			all += c.key() + "|"
		}
		return all
	}
	for _, test := range []struct{ got, want string }{
		{keys(top), "a|b c|d:e|"},
		{keys(top.child("b c")), "|y|"},
		{keys(top.child("d:e")), "f|i|"},
		{keys(top.child("d:e").child("f")), "g|"},
		{keys(top.child("none")), ""},
		{keys(yamlBlock{}), ""},
		{keys(readYAML("x", nil)), ""},
	} {
		if test.got != test.want {
			t.Errorf("got %q, want %q", test.got, test.want)
		}
	}
	if g := top.child("d:e").child("f").child("g"); g.first != 9 {
		t.Errorf("g stands in line %d, want 9", g.first)
	}
}
