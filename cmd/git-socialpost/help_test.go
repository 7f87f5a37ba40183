package main

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// Every part of the man page is a topic, the program's own copy of it is as new, and each topic ends where the next begins.
func TestTopics(t *testing.T) {
	data, err := os.ReadFile("../../docs/git-socialpost.1")
	if err != nil {
		t.Fatal(err)
	}
	var want, got []string
	for _, heading := range regexp.MustCompile(`(?m)^\.S([hs]) (.+)`).FindAllStringSubmatch(string(data), -1) {
		name := strings.ReplaceAll(strings.ToLower(heading[2]), " ", "-")
		if heading[1] == "s" {
			name, _, _ = strings.Cut(heading[2], " ")
		}
		if !slices.Contains([]string{"name", "synopsis", "commands", "see-also"}, name) {
			want = append(want, name)
		}
	}
	for _, topic := range topics() {
		got = append(got, topic.name)
		if body := strings.TrimSpace(topic.text[strings.Index(topic.text, "\n"):]); len(body) < 20 {
			t.Errorf("%s: it says %q", topic.name, body)
		}
		if strings.Contains(topic.text, "General Commands Manual") || strings.Contains(topic.text, "\b") {
			t.Errorf("%s: with the page's head, or for a printer: %q", topic.name, topic.text)
		}
	}
	if want = slices.Compact(want); !slices.Equal(got, want) {
		t.Errorf("the topics are\n%q, and the man page has\n%q\nmake manual brings its text here", got, want)
	}
}
