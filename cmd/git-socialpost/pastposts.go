package main

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/git-socialpost/git-socialpost/ledger"
	"github.com/git-socialpost/git-socialpost/linkedin"
)

// A pastPost is one line of a journal: a post that was made by other means.
type pastPost struct {
	line int
	key  ledger.Key
	urn  string
	at   time.Time
}

// row is a line of a journal before it is understood: its fields by name, in lower case.
type row struct {
	line   int
	fields map[string]string
}

// The names that journals give to a post and its time. Slug, channel, edition and key have one name each.
var (
	postNames = []string{"post", "post_id", "urn", "url", "id"}
	timeNames = []string{"time", "at", "date", "posted_at"}
)

// timeForms are how journals write a time; without an offset it is UTC.
var timeForms = []string{time.RFC3339, "2006-01-02T15:04:05", time.DateTime, "2006-01-02 15:04", time.DateOnly}

// readJournal reads JSON lines, or CSV with a line of names. Unused are the names of fields that mean nothing here.
func readJournal(path string, data []byte, now time.Time) (posts []pastPost, unused []string, problems []problem) {
	if bytes.HasPrefix(data, []byte("\xFF\xFE")) || bytes.HasPrefix(data, []byte("\xFE\xFF")) {
		return nil, nil, []problem{{path, 0, "is UTF-16, not UTF-8", "save it as UTF-8"}}
	}
	data = bytes.TrimPrefix(data, []byte("\uFEFF"))
	read := readCSV
	if bytes.HasPrefix(bytes.TrimSpace(data), []byte("{")) {
		read = readJSONLines
	}
	rows, problems := read(path, data)
	names := map[string]bool{}
	for _, r := range rows {
		for name := range r.fields {
			names[name] = true
		}
		p, err := r.understand(now)
		if err != nil {
			problems = append(problems, problem{path, r.line, err.Error(), remedyFor(err)})
			continue
		}
		posts = append(posts, p)
	}
	for _, name := range slices.Sorted(maps.Keys(names)) {
		if !slices.Contains(slices.Concat([]string{"key", "slug", "channel", "edition"}, postNames, timeNames), name) {
			unused = append(unused, name)
		}
	}
	if len(rows) == 0 && len(problems) == 0 {
		problems = append(problems, problem{path, 0, "holds no line with a post", "write one JSON object to a line, or CSV with the names slug,channel,post,time in its first line"})
	}
	return posts, unused, problems
}

func (r row) first(names []string) string {
	for _, name := range names {
		if r.fields[name] != "" {
			return r.fields[name]
		}
	}
	return ""
}

// understand makes a post of a row.
func (r row) understand(now time.Time) (p pastPost, err error) {
	key := cmp.Or(r.fields["key"], r.fields["slug"]+":"+r.fields["channel"])
	if key == ":" {
		return p, hinted(errors.New("names no delivery"), "give a key, or a slug and a channel")
	}
	if edition := r.fields["edition"]; edition != "" && !strings.HasSuffix(key, "@"+edition) && (edition != "1" || strings.Contains(key, "@")) {
		key += "@" + edition
	}
	p.line = r.line
	if p.key, err = ledger.ParseKey(key); err != nil {
		return p, hinted(err, "a key is <slug>:<channel>, as git socialpost plan shows it")
	}
	if p.urn, err = linkedin.ParseURN(r.first(postNames)); err != nil {
		return p, hinted(fmt.Errorf("%s: the post %w", p.key, err), "give the post's id or address, in a field named "+postNames[0])
	}
	p.at, err = r.time(p.urn, now)
	return p, err
}

// time is when the post was made: as the journal says, else as the post's number does.
func (r row) time(urn string, now time.Time) (at time.Time, err error) {
	s, known := r.first(timeNames), false
	for _, form := range timeForms {
		if t, err := time.Parse(form, s); err == nil {
			at, known = t.UTC(), true
		}
	}
	if s == "" {
		if at, known = linkedin.CreatedAt(urn); known {
			s = at.Format(time.RFC3339)
		}
	}
	wrong := ""
	switch {
	case !known:
		wrong = "is none"
	case at.Year() < linkedin.FirstYear:
		wrong = fmt.Sprintf("is before LinkedIn began, in %d", linkedin.FirstYear)
	case at.After(now.AddDate(0, 0, 1)):
		wrong = "has not come"
	default:
		return at.Truncate(time.Second), nil
	}
	return at, hinted(fmt.Errorf("the time %q %s", s, wrong), "write it as 2026-12-01T09:00:00+03:00 or 2026-12-01, in a field named "+timeNames[0])
}

// remedyFor is the first hint of an error.
func remedyFor(err error) string {
	for _, line := range hints(err) {
		return line
	}
	return ""
}
