package main

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/git-socialpost/git-socialpost/ledger"
	"github.com/git-socialpost/git-socialpost/linkedin"
)

func testConfig() *config {
	author := "urn:li:person:782bbtaQ"
	return &config{Posts: "social", Channels: map[string]*channel{
		"linkedin-en": {Name: "linkedin-en", Platform: "linkedin", Language: "en", Author: author, Visibility: "PUBLIC"},
		"linkedin-ru": {Name: "linkedin-ru", Platform: "linkedin", Language: "ru", Author: author, Visibility: "PUBLIC"},
	}}
}

func postFile(path, data string) file { return file{Path: path, Mode: "100644", Data: []byte(data)} }

func onePost(t *testing.T, f file) *post {
	t.Helper()
	posts, warnings := readPosts(testConfig(), []file{f})
	if len(posts) != 1 || len(warnings) != 0 {
		t.Fatalf("got %d posts and warnings %v", len(posts), warnings)
	}
	return posts[0]
}

const notePath = "social/example-note/linkedin-en.md"

// lines are the problems as "line: message (remedy)".
func lines(problems []problem) (all []string) {
	for _, p := range problems {
		all = append(all, fmt.Sprintf("%d: %s (%s)", p.Line, p.Message, p.Remedy))
	}
	return all
}

func TestPostComplete(t *testing.T) {
	p := onePost(t, file{Path: notePath, Mode: "100755", Data: []byte(`+++
link = "https://example.com/en/example-note/"
title = "Example note"
description = "One line"
publish_after = 2026-12-01T09:00:00+03:00
edition = 2
slug = "renamed-note"
allow_twin = true
+++
Text (with marks). #golang
`)})
	if len(p.Problems)+len(p.Warnings) > 0 {
		t.Fatal(p.Problems, p.Warnings)
	}
	want := linkedin.Post{Author: "urn:li:person:782bbtaQ", Visibility: "PUBLIC", Text: "Text (with marks). #golang",
		Link: "https://example.com/en/example-note/", Title: "Example note", Description: "One line"}
	if got := string(p.Payload); got != string(want.Payload()) {
		t.Errorf("payload %s", got)
	}
	if p.Text != want.Text || p.Link != want.Link || p.Title != want.Title || p.Description != want.Description || p.Length != 26 {
		t.Errorf("got %+v", p)
	}
	if at := time.Date(2026, 12, 1, 6, 0, 0, 0, time.UTC); !p.PublishAfter.Equal(at) {
		t.Errorf("publish after %v", p.PublishAfter)
	}
	if p.Key.String() != "renamed-note:linkedin-en@2" || p.Channel.Name != "linkedin-en" || !p.AllowTwin || p.Path != notePath {
		t.Errorf("got %+v", p)
	}
}

func TestPostText(t *testing.T) {
	atLimit := strings.Repeat("x", linkedin.MaxLength-2) + "🙂"
	for name, test := range map[string]struct{ data, text string }{
		"plain":             {"+++\n+++\nHello", "Hello"},
		"spaces after +++":  {"+++ \t\n+++\t \nHello", "Hello"},
		"byte order mark":   {"\uFEFF+++\n+++\nHello", "Hello"},
		"CR LF":             {"+++\r\nlink = \"https://example.com\"\r\ntitle = \"T\"\r\n+++\r\nHello\r\n\r\nyou\r\n", "Hello\n\nyou"},
		"http":              {"+++\nlink = \"HTTP://bücher.example:8080/ö?a=b#c\"\ntitle = \"T\"\n+++\nHello", "Hello"},
		"CR alone":          {"+++\r+++\rHello\ryou\r", "Hello\nyou"},
		"blank lines":       {"+++\n+++\n \n\t\n  Hello  \n\n\tyou \n \n\u00a0\n", "  Hello  \n\n\tyou"},
		"marks in the text": {"+++\n+++\nHello\n+++\nyou", "Hello\n+++\nyou"},
		"at the limit":      {"+++\n+++\n" + atLimit + "\n", atLimit},
		"joined emoji":      {"+++\n+++\n👩‍💻\u200f", "👩‍💻\u200f"},
		"literal":           {"+++\nliteral = true\n+++\n{{ x }} {% y %} <% z %> \u202Etfel\u2069", "{{ x }} {% y %} <% z %> \u202Etfel\u2069"},
		"braces":            {"+++\n+++\n{x} < % y % >", "{x} < % y % >"},
	} {
		t.Run(name, func(t *testing.T) {
			p := onePost(t, postFile(notePath, test.data))
			if len(p.Problems)+len(p.Warnings) > 0 {
				t.Fatal(lines(p.Problems), lines(p.Warnings))
			}
			if p.Text != test.text || p.Payload == nil || p.Length != linkedin.Length(test.text) {
				t.Errorf("got %q (%d), payload %s", p.Text, p.Length, p.Payload)
			}
		})
	}
}

func TestPostRefused(t *testing.T) {
	front := func(lines string) string { return "+++\n" + lines + "\n+++\nHello\n" }
	text := func(s string) string { return "+++\n\n+++\n\n" + s }
	const card = "link = \"https://example.com\"\ntitle = \"T\"\n"
	for name, test := range map[string]struct {
		data string
		want []string // the beginning of each problem's line, as from lines
	}{
		"empty file":             {"", []string{"1: the file does not begin with front matter (begin it with a line \"+++\""}},
		"no front matter":        {"Hello", []string{"1: the file does not begin"}},
		"front matter too late":  {"\n+++\n+++\nHello", []string{"1: the file does not begin"}},
		"UTF-16":                 {"\xff\xfe+\x00+\x00+\x00\n\x00", []string{"1: is not UTF-8 (save", "1: the file does not begin"}},
		"YAML":                   {"---\ntitle: x\n---\nHello", []string{"1: the front matter is YAML (replace"}},
		"no end":                 {"+++\ntitle = \"x\"\n\nHello\n", []string{"1: the front matter has no end (add a line \"+++\""}},
		"end indented":           {"+++\n +++\nHello\n", []string{"1: the front matter has no end"}},
		"syntax":                 {front("edition = 2\ntitle: x"), []string{"3: expected '.' or '='"}},
		"key twice":              {front("edition = 2\nedition = 2"), []string{"3: Key 'edition' has already been defined"}},
		"unclosed string":        {front("title = \"x"), []string{"2: unexpected EOF"}},
		"misspelt key":           {front("edition = 2\n\npublish_aftr = 2026-12-01T09:00:00Z"), []string{`4: unknown key "publish_aftr" (did you mean publish_after?`}},
		"key in another case":    {front("Edition = 2"), []string{`2: unknown key "Edition" (did you mean edition?`}},
		"unknown key":            {front("draft = true"), []string{`2: unknown key "draft" (remove it; the keys are `}},
		"unknown table":          {front("[extra]\nx = 1"), []string{`2: unknown key "extra"`}},
		"wrong types":            {front("link = 1\nslug = 1\ntitle = true\ndescription = []\npublish_after = \"2026-12-01T09:00:00Z\"\nedition = \"2\"\nallow_twin = 1\nliteral = \"true\""), []string{"2: link: the value", "3: slug: the value", "4: title: the value", "5: description: the value", "6: publish_after: the value has the wrong type (write publish_after = 2026-12-01T09:00:00+03:00, without quotes", "7: edition: the value", "8: allow_twin: the value", "9: literal: the value"}},
		"local date-time":        {front("publish_after = 2026-12-01T09:00:00"), []string{"2: publish_after: want date, time and offset (write publish_after = 2026-12-01T09:00:00+03:00"}},
		"local date":             {front("publish_after = 2026-12-01"), []string{"2: publish_after: want date, time"}},
		"local time":             {front("publish_after = 09:00:00"), []string{"2: publish_after: want date, time"}},
		"edition 1":              {front("edition = 1"), []string{"2: edition: 1 is not a number from 2"}},
		"edition too large":      {front("edition = 1000000"), []string{"2: edition: 1000000 is not"}},
		"edition a fraction":     {front("edition = 2.5"), []string{"2: edition: the value"}},
		"slug":                   {front("slug = \"My Note\""), []string{`2: slug "My Note" may hold only`}},
		"slug empty":             {front("slug = \"\""), []string{"2: the slug is empty"}},
		"link empty":             {front("link = \"\"\ntitle = \"T\""), []string{"2: link: want an absolute http(s) address"}},
		"link relative":          {front("link = \"/en/note/\"\ntitle = \"T\""), []string{"2: link: "}},
		"link of a script":       {front("link = \"javascript://example.com\"\ntitle = \"T\""), []string{"2: link: "}},
		"link without host":      {front("link = \"https://:80/\"\ntitle = \"T\""), []string{"2: link: "}},
		"link with a space":      {front("link = \"https://example.com/a b\"\ntitle = \"T\""), []string{"2: link: "}},
		"link with U+200B":       {front("link = \"https://example.com/a\\u200B\"\ntitle = \"T\""), []string{"2: link: "}},
		"link with a password":   {front("link = \"https://me:secret@example.com\"\ntitle = \"T\""), []string{"2: link: "}},
		"link with a mark":       {front("link = \"https://example.com/{{slug}}\"\ntitle = \"T\""), []string{`2: link: unrendered template mark "{{"`}},
		"link without title":     {front("link = \"https://example.com\""), []string{"2: a link needs a title"}},
		"link with blank title":  {front("link = \"https://example.com\"\ntitle = \" \\u200B\""), []string{"2: a link needs a title"}},
		"title of two lines":     {front("link = \"https://example.com\"\ntitle = \"a\\nb\""), []string{"3: title: control character U+000A (remove"}},
		"description with a tab": {front(card + "description = \"a\\tb\""), []string{"4: description: control character U+0009"}},
		"title with marks":       {front("link = \"https://example.com\"\ntitle = \"{% x %} \\u202E\""), []string{"3: title: bidirectional control U+202E", `3: title: unrendered template mark "{%"`}},
		"text empty":             {text(""), []string{"3: the text is empty (write"}},
		"text not there":         {"+++\n+++", []string{"2: the text is empty"}},
		"text invisible":         {text("\u200b\uFEFF \n\u200d"), []string{"3: the text is empty"}},
		"text not UTF-8":         {text("Hello\nna\xefve"), []string{"6: is not UTF-8 (save"}},
		"front matter not UTF-8": {front("title = \"\xff\""), []string{"2: is not UTF-8"}},
		"text too long":          {text(strings.Repeat("x", linkedin.MaxLength-1) + "🙂"), []string{"5: the text is 3001 UTF-16 units long, 1 more than the 3000 allowed (shorten"}},
		"control characters":     {text("a\x07b\x07\nc\u0085d\x00"), []string{"5: control character U+0007 (remove", "6: control character U+0085", "6: control character U+0000"}},
		"template marks":         {text("{{ a }}{{ b }}\n\n{% c %}\n<%= d %>"), []string{`5: unrendered template mark "{{" (render`, `7: unrendered template mark "{%"`, `8: unrendered template mark "<%"`}},
		"bidi overrides":         {text("\u202Aa\u202E\n\u2066b\u2069"), []string{"5: bidirectional control U+202A", "5: bidirectional control U+202E", "6: bidirectional control U+2066", "6: bidirectional control U+2069"}},
		"control, but literal":   {"+++\nliteral = true\n+++\na\x07", []string{"4: control character U+0007"}},
		"all of them":            {"+++\nx = 1\nedition = 1\n+++\n{{\n", []string{"2: unknown key", "3: edition", "5: unrendered"}},
	} {
		t.Run(name, func(t *testing.T) {
			p := onePost(t, postFile(notePath, test.data))
			got := lines(p.Problems)
			if !slices.EqualFunc(got, test.want, strings.HasPrefix) {
				t.Errorf("got:\n%s\nwant:\n%s", strings.Join(got, "\n"), strings.Join(test.want, "\n"))
			}
			if p.Payload != nil {
				t.Error("an invalid post has a payload")
			}
			for _, problem := range p.Problems {
				if problem.Path != notePath || problem.Remedy == "" || strings.Contains(problem.Message, "secret") {
					t.Errorf("%+v", problem)
				}
			}
		})
	}
}

func TestPostPublishAfter(t *testing.T) {
	at := time.Date(2026, 12, 1, 9, 0, 0, 0, time.UTC)
	for value, want := range map[string]time.Time{
		"2026-12-01T09:00:00Z":      at,
		"2026-12-01 09:00:00Z":      at,
		"2026-12-01T09:00:00+03:00": at.Add(-3 * time.Hour),
		"2026-12-01T09:00:00-05:30": at.Add(5*time.Hour + 30*time.Minute),
	} {
		p := onePost(t, postFile(notePath, "+++\npublish_after = "+value+"\n+++\nHello"))
		if len(p.Problems) > 0 || !p.PublishAfter.Equal(want) {
			t.Errorf("%s: got %v, %v", value, p.PublishAfter, p.Problems)
		}
	}
	if p := onePost(t, postFile(notePath, "+++\n+++\nHello")); !p.PublishAfter.IsZero() {
		t.Errorf("without: got %v", p.PublishAfter)
	}
}

func TestPostWarnings(t *testing.T) {
	for name, test := range map[string]struct {
		data string
		want []string
	}{
		"title and description": {"+++\ntitle = \"T\"\ndescription = \"D\"\n+++\nHello", []string{"2: title shows nowhere without a link (add", "3: description shows nowhere"}},
		"link":                  {"+++\n+++\nsee [the note](https://example.com)", []string{`3: "[the note](https://example.com)" looks like Markdown`}},
		"bold":                  {"+++\n+++\n\nso **very** bold", []string{`4: "**very**" looks like Markdown`}},
		"heading":               {"+++\n+++\n## News", []string{`3: "## " looks like Markdown`}},
		"fence":                 {"+++\n+++\nx\n```go\ny\n```", []string{"4: \"```\" looks like", "6: \"```\" looks like"}},
		"none":                  {"+++\n+++\n#golang C# # x\n2 ** 3 ** 4 [1] (see) *x* a[0](", nil},
	} {
		t.Run(name, func(t *testing.T) {
			p := onePost(t, postFile(notePath, test.data))
			if got := lines(p.Warnings); !slices.EqualFunc(got, test.want, strings.HasPrefix) {
				t.Errorf("got %q, want %q", got, test.want)
			}
			if len(p.Problems) > 0 || p.Payload == nil {
				t.Errorf("problems %v", p.Problems)
			}
		})
	}
}

func TestPostIdentity(t *testing.T) {
	for name, test := range map[string]struct {
		path, data string
		key        string // ":" if it cannot be told
		want       []string
	}{
		"folder and file":    {"social/note/linkedin-ru.md", "+++\n+++\nHello", "note:linkedin-ru", nil},
		"slug over folder":   {"social/My Note/linkedin-ru.md", "+++\nslug = \"note\"\n+++\nHello", "note:linkedin-ru", nil},
		"otherwise invalid":  {"social/note/linkedin-ru.md", "+++\nedition = 3\n+++\n", "note:linkedin-ru@3", []string{"3: the text is empty"}},
		"folder's name":      {"social/My Note/linkedin-ru.md", "+++\n+++\nHello", ":", []string{`0: slug "My Note" may hold only a-z, 0-9, '.', '_' and '-', and starts with a letter or digit; try "my-note" (rename the folder`}},
		"bad slug":           {"social/note/linkedin-ru.md", "+++\nslug = \"a..b\"\n+++\nHello", ":", []string{`2: slug "a..b"`}},
		"slug of wrong type": {"social/note/linkedin-ru.md", "+++\nslug = 5\n+++\nHello", ":", []string{"2: slug"}},
		"unreadable block":   {"social/note/linkedin-ru.md", "+++\nslug\n+++\nHello", ":", []string{"2: "}},
		"unknown channel":    {"social/note/linkedin-fr.md", "+++\n+++\nHello", "note:linkedin-fr", []string{`0: unknown channel "linkedin-fr"; the channels in .socialpost.toml: linkedin-en, linkedin-ru (rename the file to linkedin-`}},
		"no channel's name":  {"social/note/README.md", "+++\n+++\nHello", ":", []string{`0: unknown channel "README"; the channels in .socialpost.toml: linkedin-en, linkedin-ru (name the file after a channel`}},
		"no language":        {"social/note/linkedin.md", "+++\n+++\nHello", "note:linkedin", []string{`0: unknown channel "linkedin"; the channels in .socialpost.toml: linkedin-en, linkedin-ru (declare [channel.linkedin] in .socialpost.toml, or rename it to linkedin-en.md or linkedin-ru.md)`}},
		"new channel":        {"social/note/mastodon.md", "+++\n+++\nHello", "note:mastodon", []string{`0: unknown channel "mastodon"; the channels in .socialpost.toml: linkedin-en, linkedin-ru (declare [channel.mastodon] in .socialpost.toml`}},
	} {
		t.Run(name, func(t *testing.T) {
			p := onePost(t, postFile(test.path, test.data))
			if got := lines(p.Problems); !slices.EqualFunc(got, test.want, strings.HasPrefix) {
				t.Errorf("got %q, want %q", got, test.want)
			}
			if p.Key.String() != test.key || (p.Payload == nil) != (test.want != nil) {
				t.Errorf("key %s, payload %s", p.Key, p.Payload)
			}
		})
	}
}

func TestPostWithoutChannels(t *testing.T) {
	posts, _ := readPosts(&config{Posts: "social"}, []file{postFile(notePath, "+++\n+++\nHello")})
	want := `unknown channel "linkedin-en"; the channels in .socialpost.toml: none`
	if len(posts) != 1 || len(posts[0].Problems) != 1 || posts[0].Problems[0].Message != want {
		t.Errorf("got %+v", posts)
	}
}

func TestPostsShareKey(t *testing.T) {
	const other, third = "social/z/linkedin-en.md", "social/a/linkedin-en.md"
	posts, warnings := readPosts(testConfig(), []file{
		postFile(other, "+++\nslug = \"example-note\"\n+++\nHello"),
		postFile(notePath, "+++\n+++\nHello"),
		postFile(third, "+++\nslug = \"example-note\"\nedition = 2\n+++\nHello"),
		postFile("social/b/linkedin-en.md", "+++\nslug = \"?\"\n+++\nHello"),
		postFile("social/c/linkedin-en.md", "+++\nslug = \"?\"\n+++\nHello"),
	})
	if len(posts) != 5 || len(warnings) != 0 {
		t.Fatal(posts, warnings)
	}
	for i, want := range []string{
		0: "",
		1: `slug "?"`,
		2: `slug "?"`,
		3: "has the same key example-note:linkedin-en as " + other,
		4: "has the same key example-note:linkedin-en as " + notePath,
	} {
		p := posts[i]
		if want == "" {
			if len(p.Problems) > 0 || p.Payload == nil {
				t.Errorf("%s: %v", p.Path, p.Problems)
			}
			continue
		}
		if len(p.Problems) != 1 || !strings.HasPrefix(p.Problems[0].Message, want) || p.Payload != nil {
			t.Errorf("%s: got %v, want %s", p.Path, p.Problems, want)
		}
	}
}

func TestPostsOtherFiles(t *testing.T) {
	link := func(path, mode string) file {
		return file{Path: path, Mode: mode, Data: []byte("+++\n+++\nHello")}
	}
	posts, warnings := readPosts(testConfig(), []file{
		link(notePath, "120000"),
		link("social/module/linkedin-en.md", "160000"),
		link("social/linked", "120000"),
		link("social/module", "160000"),
		postFile("social/note/linkedin-en.txt", "+++\n+++\nHello"),
		postFile("social/note/linkedin-en.MD", "+++\n+++\nHello"),
		postFile("social/note/picture", ""),
		postFile("social/linkedin-en.md", ""),
		postFile("social/a/b/linkedin-en.md", ""),
		postFile("social/.gitkeep", ""),
		postFile("social/note/.hidden.md", ""),
	})
	const follow = "a symbolic link or a submodule, which is never followed"
	for i, p := range posts {
		if len(p.Problems) != 1 || p.Problems[0].Message != "is "+follow || p.Text != "" || p.Payload != nil || p.Key != (ledger.Key{}) {
			t.Errorf("post %d: %+v", i, p)
		}
	}
	if len(posts) != 2 {
		t.Errorf("got %d posts, want 2", len(posts))
	}
	const form = "social/<slug>/<channel>.md"
	want := []problem{
		{"social/a/b/linkedin-en.md", 0, "is no post: it lies at the wrong depth", "move it to " + form},
		{"social/linked", 0, "is no post: " + follow, "put the files themselves here, as " + form},
		{"social/linkedin-en.md", 0, "is no post: it lies at the wrong depth", "move it to " + form},
		{"social/module", 0, "is no post: " + follow, "put the files themselves here, as " + form},
		{"social/note/linkedin-en.MD", 0, "is no post: its name does not end in .md", "rename it to social/note/linkedin-en.md"},
		{"social/note/linkedin-en.txt", 0, "is no post: its name does not end in .md", "rename it to social/note/linkedin-en.md"},
		{"social/note/picture", 0, "is no post: its name does not end in .md", "rename it to social/note/picture.md"},
	}
	if !slices.Equal(warnings, want) {
		t.Errorf("got:\n%q\nwant:\n%q", warnings, want)
	}
}
