package main

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/BurntSushi/toml"
)

// A table is one TOML table, taken key by key. The decoder by itself would take Link for link, stop at the first wrong
// type, and tell no line of an unknown key.
type table struct {
	path     string
	md       *toml.MetaData
	keys     map[string]toml.Primitive
	known    []string
	homes    map[string]string // of keys that other tables know
	problems *[]problem
}

// parseTable reports false, after a problem, if the data is no TOML.
func parseTable(path, data string, problems *[]problem) (*table, bool) {
	t := &table{path: path, keys: map[string]toml.Primitive{}, problems: problems}
	if line := overgrown(data); line > 0 {
		t.failAt(line, "more than anybody writes by hand", "keep the keys short and flat, and the table below 64 KiB")
		return t, false
	}
	md, err := toml.Decode(data, &t.keys)
	if err != nil {
		e, _ := errors.AsType[toml.ParseError](err)
		t.failAt(e.Position.Line, cmp.Or(e.Message, err.Error()), cmp.Or(definedBefore(data, e), `write TOML: key = "value", one to a line`))
	}
	t.md = &md
	return t, err == nil
}

// overgrown returns the line where a table becomes more than the decoder can take, 0 if it does not: its time grows with
// the cube of a dotted key's parts, and its stack with every bracket.
func overgrown(data string) int {
	const maxSize, maxParts = 64 << 10, 200
	size, depth := 0, 0
	for i, line := range strings.Split(data, "\n") {
		opened := strings.Count(line, "[") + strings.Count(line, "{")
		depth += opened - strings.Count(line, "]") - strings.Count(line, "}")
		size += len(line)
		if size > maxSize || strings.Count(line, ".") > maxParts || max(opened, depth) > maxParts {
			return i + 1
		}
	}
	return 0
}

// line is the key's line in the file. The decoder tells positions only with the errors of a value's own decoder.
func (t *table) line(key string) int {
	e, _ := errors.AsType[toml.ParseError](t.md.PrimitiveDecode(t.keys[key], &refusal{}))
	return e.Position.Line
}

type refusal struct{}

func (refusal) UnmarshalTOML(any) error { return errors.New("") }

func (t *table) fail(key, message, remedy string) { t.failAt(t.line(key), message, remedy) }

func (t *table) failAt(line int, message, remedy string) {
	*t.problems = append(*t.problems, problem{t.path, line, message, remedy})
}

// take returns the key's value; found is false if there is none or, which becomes a problem, one of another type.
func take[T any](t *table, key, example string) (value T, found bool) {
	t.known = append(t.known, key)
	p, found := t.keys[key]
	if !found {
		return value, false
	}
	var v any
	err := t.md.PrimitiveDecode(p, &v)
	if value, found = v.(T); err != nil || !found {
		t.fail(key, key+": the value has the wrong type", "write "+key+" = "+example)
	}
	return value, found
}

// text takes a string that must be valid; want describes valid ones. The string is not shown: it might be a secret that
// was put in the wrong place.
func (t *table) text(key, otherwise, example, want string, valid func(string) bool) string {
	s, found := take[string](t, key, example)
	if !found {
		return otherwise
	}
	if !valid(s) {
		t.fail(key, key+": want "+want, "write "+key+" = "+example)
	}
	return s
}

func (t *table) sub(key string) *table {
	s := &table{path: t.path, md: t.md, keys: map[string]toml.Primitive{}, homes: t.homes, problems: t.problems}
	// The decoder silently leaves a map empty when the value is no table.
	if _, found := take[map[string]any](t, key, "{ … }, or a heading in brackets"); found {
		if err := t.md.PrimitiveDecode(t.keys[key], &s.keys); err != nil {
			t.fail(key, key+": "+err.Error(), "write it as a heading in brackets")
		}
	}
	return s
}

// unknownKeys must come last: known are the keys that were taken.
func (t *table) unknownKeys() {
	for _, key := range slices.Sorted(maps.Keys(t.keys)) {
		if slices.Contains(t.known, key) {
			continue
		}
		remedy := "remove it; the keys are " + strings.Join(t.known, ", ")
		if near := nearest(key, t.known); near != "" {
			remedy = "did you mean " + near + "?"
		}
		if home := t.homes[key]; home != "" {
			remedy += "\nor move it " + home
		}
		t.fail(key, fmt.Sprintf("unknown key %q", key), remedy)
	}
}

func byLine(a, b problem) int { return a.Line - b.Line }
