package main

import (
	"errors"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/git-socialpost/git-socialpost/ledger"
)

const minimalChannel = "[channel.linkedin-en]\nplatform = \"linkedin\"\nauthor = \"urn:li:person:782bbtaQ\"\n"

func TestConfigDefaults(t *testing.T) {
	got, err := parseConfig(configFile, []byte(minimalChannel))
	if err != nil {
		t.Fatal(err)
	}
	want := &config{
		Remote: "origin", Branch: "main", Posts: "social", Mode: "plan", Limit: 5, Signers: ".socialpost.signers", Unsigned: map[string]int{}, Version: "202609", Timeout: 30 * time.Second,
		Channels: map[string]*channel{"linkedin-en": {"linkedin-en", "linkedin", "en", "urn:li:person:782bbtaQ", "PUBLIC", "LINKEDIN_ACCESS_TOKEN", expiry{}}},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

func TestConfigAllKeys(t *testing.T) {
	ledgerID := strings.Repeat("5f", 32)
	text := strings.ReplaceAll(`ledger = "`+ledgerID+`"
remote = "up/stream"
branch = "release/1.x"
posts = "content/social"
mode = "pilot"
pilot = ["example-note:linkedin-en", "example-note:linkedin-pt-br@2"]
limit = 50
sign = true
signers = "keys/signers"
unsigned_until = "3=17 c=2"
[channel.linkedin]
platform = "linkedin"
author = "urn:li:organization:2414183"
[channel.linkedin-pt-br]
platform = "linkedin"
language = "pt-br"
author = "urn:li:person:782bbtaQ"
visibility = "LOGGED_IN"
token_env = "LINKEDIN_TOKEN_2"
token_expires = 2027-01-01T00:00:00Z
[linkedin]
version = "202608"
timeout = "120s"
client_id = "86abc_-Z"
token_expires = 2027-02-01T09:00:00Z
`, "\n", "\r\n")
	got, err := parseConfig(configFile, []byte("\uFEFF"+text))
	if err != nil {
		t.Fatal(err)
	}
	want := &config{
		Ledger: ledgerID, Remote: "up/stream", Branch: "release/1.x", Posts: "content/social", Mode: "pilot", Limit: 50,
		Pilot: []ledger.Key{{Slug: "example-note", Channel: "linkedin-en", Edition: 1}, {Slug: "example-note", Channel: "linkedin-pt-br", Edition: 2}},
		Sign:  true, Signers: "keys/signers", Unsigned: map[string]int{"3": 17, "c": 2},
		Version: "202608", Timeout: 2 * time.Minute, ClientID: "86abc_-Z",
		Channels: map[string]*channel{
			"linkedin":       {"linkedin", "linkedin", "", "urn:li:organization:2414183", "PUBLIC", "LINKEDIN_ACCESS_TOKEN", expiry{time.Date(2027, 2, 1, 9, 0, 0, 0, time.UTC), 25}},
			"linkedin-pt-br": {"linkedin-pt-br", "linkedin", "pt-br", "urn:li:person:782bbtaQ", "LOGGED_IN", "LINKEDIN_TOKEN_2", expiry{time.Date(2027, 1, 1, 0, 0, 0, 0, time.UTC), 20}},
		},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

func TestConfigRefuses(t *testing.T) {
	channel := func(name, lines string) string { return "[channel." + name + "]\n" + lines }
	const platform, author = "platform = \"linkedin\"\n", "author = \"urn:li:person:782bbtaQ\"\n"
	for name, test := range map[string]struct {
		text    string
		line    int
		message string
		remedy  string
	}{
		"syntax":                    {"mode = \"plan\"\nlimit 5\n", 2, "expected", "write TOML"},
		"key twice":                 {"limit = 5\nlimit = 6\n", 2, "already", ""},
		"not UTF-8":                 {"limit = 5\nmode = \"\xff\"\n", 2, "UTF-8", ""},
		"misspelt key":              {"\nlimitt = 5\n", 2, `unknown key "limitt"`, "did you mean limit?"},
		"key in another case":       {"Limit = 5\n", 1, `unknown key "Limit"`, "did you mean limit?"},
		"unknown key":               {"[linkedin]\nbase_url = \"https://example.com\"\n", 2, `unknown key "base_url"`, "the keys are version, timeout"},
		"unknown table":             {"\n[mastodon]\n", 2, `unknown key "mastodon"`, "remove it"},
		"client id with a line":     {"[linkedin]\nclient_id = \"a\\nhost=example.com\"", 2, "client_id: want the id", "write client_id"},
		"token_expires as text":     {"[linkedin]\ntoken_expires = \"2027-02-01\"", 2, "token_expires: the value has the wrong type", "write token_expires = 2027-02-01, without quotes"},
		"token_expires without day": {"[linkedin]\ntoken_expires = 09:00:00", 2, "token_expires: want a date", "write token_expires = 2027-02-01"},
		"first of two":              {"limit = 0\nmode = \"no\"\n", 1, "limit", ""},
		"limit as text":             {`limit = "5"`, 1, "limit: the value has the wrong type", "write limit = 5"},
		"limit 0":                   {"limit = 0", 1, "limit: 0 is less than 1", "write limit = 5"},
		"mode":                      {`mode = "dead"`, 1, "mode: want plan, pilot or live", `write mode = "plan"`},
		"mode empty":                {`mode = ""`, 1, "mode", ""},
		"ledger too long":           {`ledger = "` + strings.Repeat("5", 41) + `"`, 1, "40 or 64 hex digits", "init"},
		"ledger in capitals":        {`ledger = "` + strings.Repeat("5F", 20) + `"`, 1, "40 or 64 hex digits", ""},
		"remote empty":              {`remote = ""`, 1, "remote", `write remote = "origin"`},
		"remote an option":          {`remote = "--upload-pack=x"`, 1, "remote", ""},
		"remote an address":         {`remote = "https://example.com/x.git"`, 1, "not its address", ""},
		"remote a folder":           {`remote = "../x"`, 1, "remote", ""},
		"remote with a token":       {`remote = "https://me:AQXtoken@example.com/x.git"`, 1, "remote", ""},
		"branch empty":              {`branch = ""`, 1, "branch", `write branch = "main"`},
		"branch an option":          {`branch = "-d"`, 1, "branch", ""},
		"branch a refspec":          {`branch = "main:other"`, 1, "branch", ""},
		"branch forced":             {`branch = "+main"`, 1, "branch", ""},
		"posts empty":               {`posts = ""`, 1, "posts", `write posts = "social"`},
		"posts everything":          {`posts = "."`, 1, "posts", ""},
		"posts absolute":            {`posts = "/srv/social"`, 1, "posts", ""},
		"posts outside":             {`posts = "../social"`, 1, "posts", ""},
		"posts outside in the end":  {`posts = "a/../../social"`, 1, "posts", ""},
		"posts with backslashes":    {`posts = 'a\b'`, 1, "posts", ""},
		"posts with a newline":      {`posts = "a\nb"`, 1, "posts", ""},
		"posts git's own":           {`posts = ".git/hooks"`, 1, "git's own", `write posts = "social"`},
		"posts git's own below":     {`posts = "a/.GIT"`, 1, "git's own", ""},
		"signers git's own":         {`signers = ".git/signers"`, 1, "git's own", `write signers = ".socialpost.signers"`},
		"posts not clean":           {`posts = "social/"`, 1, "posts", ""},
		"pilot no list":             {`pilot = "example-note:linkedin-en"`, 1, "wrong type", "write pilot = ["},
		"pilot of numbers":          {"pilot = [1]", 1, "want strings", "write pilot = ["},
		"pilot no key":              {`pilot = ["example-note"]`, 1, "want <slug>:<channel>", "plan"},
		"channel no table":          {"channel = 5", 1, "channel: the value has the wrong type", "brackets"},
		"channel a list":            {"[[channel]]", 1, "channel: the value has the wrong type", "brackets"},
		"channel itself no table":   {"[channel]\nlinkedin = 5", 2, "linkedin: the value has the wrong type", "brackets"},
		"channel's name":            {channel("LinkedIn-EN", platform+author), 1, `try "linkedin-en"`, "rename the table"},
		"no platform":               {channel("linkedin-en", author), 1, "platform is missing", `add platform = "linkedin"`},
		"no author":                 {channel("linkedin-en", platform), 1, "author is missing", "add author = "},
		"unknown platform":          {channel("mastodon-en", "platform = \"mastodon\"\n"+author), 2, "platform: want linkedin", `write platform = "linkedin"`},
		"name without its platform": {channel("mastodon-en", platform+author), 1, `say "linkedin-en"`, "make them agree"},
		"name without its language": {channel("linkedin", platform+author+`language = "en"`), 1, `say "linkedin-en"`, "make them agree"},
		"name of another language":  {channel("linkedin-ru", platform+author+`language = "en"`), 1, `say "linkedin-en"`, "make them agree"},
		"empty language":            {channel("linkedin-en", platform+author+`language = ""`), 1, `say "linkedin"`, ""},
		"author":                    {channel("linkedin-en", platform+`author = "someone"`), 3, `author "someone"`, "write author = "},
		"visibility":                {channel("linkedin-en", platform+author+`visibility = "public"`), 4, "PUBLIC, CONNECTIONS or LOGGED_IN", `write visibility = "PUBLIC"`},
		"token_env of the secret":   {channel("linkedin-en", platform+author+`token_env = "LINKEDIN_CLIENT_SECRET"`), 4, "environment variable", "write token_env = "},
		"token itself":              {channel("linkedin-en", platform+author+`token_env = "AQXtoken"`), 4, "environment variable", "write token_env = "},
		"unknown key of a channel":  {channel("linkedin-en", platform+author+`autor = "x"`), 4, `unknown key "autor"`, "did you mean author?"},
		"version a number":          {"[linkedin]\nversion = 202609", 2, "version: the value has the wrong type", `write version = "202609"`},
		"version of month 13":       {"[linkedin]\nversion = \"202613\"", 2, "YYYYMM", `write version = "202609"`},
		"version of eight digits":   {"[linkedin]\nversion = \"20260901\"", 2, "YYYYMM", ""},
		"timeout without unit":      {"[linkedin]\ntimeout = \"30\"", 2, "a duration from 100ms to 2m0s", `write timeout = "30s"`},
		"timeout too short":         {"[linkedin]\ntimeout = \"99ms\"", 2, "a duration from 100ms to 2m0s", ""},
		"timeout too long":          {"[linkedin]\ntimeout = \"121s\"", 2, "a duration from 100ms to 2m0s", ""},
	} {
		t.Run(name, func(t *testing.T) {
			c, err := parseConfig("x.toml", []byte(test.text))
			p, ok := errors.AsType[problem](err)
			if !ok || c != nil {
				t.Fatalf("got %+v and error %v, want a problem alone", c, err)
			}
			if p.Path != "x.toml" || p.Line != test.line || !strings.Contains(p.Message, test.message) || !strings.Contains(p.Remedy, test.remedy) {
				t.Errorf("got %v (%s), want line %d, %q (%q)", p, p.Remedy, test.line, test.message, test.remedy)
			}
			if strings.Contains(p.Message+p.Remedy, "AQXtoken") {
				t.Error("shows the token")
			}
			if p.Remedy == "" {
				t.Error("no remedy")
			}
		})
	}
}

func TestConfigProblemString(t *testing.T) {
	for want, p := range map[string]problem{
		"a.md:3: odd": {"a.md", 3, "odd", "mend it"},
		"a.md: odd":   {"a.md", 0, "odd", "mend it"},
	} {
		if got := p.String(); got != want || p.Error() != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func TestConfigNearest(t *testing.T) {
	words := []string{"link", "title", "publish_after", "linkedin-en"}
	for s, want := range map[string]string{
		"lnk": "link", "TITLE": "title", "publishafter": "publish_after", "publish_date": "publish_after", "draft": "", "likedin-en": "linkedin-en", "x": "", "": "",
	} {
		if got := nearest(s, words); got != want {
			t.Errorf("%q: got %q, want %q", s, got, want)
		}
	}
}
