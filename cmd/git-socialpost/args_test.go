package main

import (
	"errors"
	"slices"
	"strings"
	"testing"
)

func TestArrange(t *testing.T) {
	for line, want := range map[string]string{
		"":                               "",
		"plan":                           "plan",
		"deliver a:x --dry-run":          "deliver --dry-run -- a:x",
		"deliver a:x -dry-run b:x":       "deliver -dry-run -- a:x b:x",
		"deliver --dry-run a:x":          "deliver --dry-run -- a:x",
		"deliver a:x --limit 3":          "deliver --limit=3 -- a:x",
		"deliver a:x -limit 3 b:x":       "deliver --limit=3 -- a:x b:x",
		"deliver --limit=3 a:x":          "deliver --limit=3 -- a:x",
		"deliver --limit=-1":             "deliver --limit=-1",
		"deliver --plan a=b a:x":         "deliver --plan=a=b -- a:x",
		"deliver --plan - a:x":           "deliver --plan=- -- a:x",
		"deliver - a:x":                  "deliver -- - a:x",
		"deliver -- a:x --dry-run":       "deliver -- a:x --dry-run",
		"deliver --limit 3 -- --x":       "deliver --limit=3 -- --x",
		"deliver --":                     "deliver",
		"deliver a:x -- -- b:x":          "deliver -- a:x -- b:x",
		"deliver a:x --nope 3":           "deliver --nope -- a:x 3",
		"resolve a:x --posted u --yes":   "resolve --posted=u --yes -- a:x",
		"resolve a:x --yes --posted u b": "resolve --yes --posted=u -- a:x b",
		"nope a:x --dry-run":             "nope a:x --dry-run",
		"--version":                      "--version",
	} {
		got, err := arrange((&tool{}).app(), append([]string{"git-socialpost"}, strings.Fields(line)...))
		if err != nil || strings.Join(got[1:], " ") != want {
			t.Errorf("%s: got %q, %v, want %s", line, got, err, want)
		}
	}
}

// A value flag at the end, or before another flag, has lost its value.
func TestArrangeRefuses(t *testing.T) {
	for line, want := range map[string]string{
		"deliver --limit":                 "--limit needs a value",
		"deliver a:x -plan":               "--plan needs a value",
		"deliver --plan=":                 "--plan needs a value",
		"deliver --recovery --dry-run":    "--recovery needs a value",
		"deliver --recovery -dry-run a:x": "--recovery needs a value",
		"deliver --plan --limit=1":        "--plan needs a value",
		"deliver --plan --":               "--plan needs a value",
		"resolve a:x --reason --yes":      "--reason needs a value",
		"resolve a:x --posted":            "--posted needs a value",
		"deliver --dry-run=false":         "--dry-run takes no value",
	} {
		got, err := arrange((&tool{}).app(), append([]string{"git-socialpost"}, strings.Fields(line)...))
		if usage := (usageError{}); !errors.As(err, &usage) || err.Error() != want {
			t.Errorf("%s: got %q, %v, want %s", line, got, err, want)
		}
	}
	if _, err := arrange((&tool{}).app(), []string{"git-socialpost", "deliver", "--plan", ""}); err == nil {
		t.Error("an empty value passes")
	}
}

// What arrange is given stays as it was.
func TestArrangeKeeps(t *testing.T) {
	args := []string{"git-socialpost", "deliver", "a:x", "--limit", "3", "--dry-run", "--", "-x"}
	before := slices.Clone(args)
	if _, err := arrange((&tool{}).app(), args); err != nil || !slices.Equal(args, before) {
		t.Errorf("%v: %q became %q", err, before, args)
	}
}
