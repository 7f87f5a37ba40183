package main

import (
	"errors"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"
)

func TestDefinedTwice(t *testing.T) {
	for text, want := range map[string]string{
		"mode = \"plan\"\n[linkedin]\ntimeout = \"30s\"\n\n[ linkedin ]\nclient_id = \"x\"\n":                 "5: put its keys into the [linkedin] of line 2",
		"[channel.linkedin-en]\nplatform = \"linkedin\"\n[linkedin]\n[channel.linkedin-en]\nauthor = \"x\"\n": "4: put its keys into the [channel.linkedin-en] of line 1",
		"limit = 5\n# limit = 7\nlimit = 6\n": "3: keep one of the two; the other is in line 1",
		"[channel.linkedin]\nauthor = \"x\"\n[channel.linkedin-en]\nauthor = \"x\"\nplatform = 1\nauthor = 1\n": "6: keep one of the two; the other is in line 4",
		"linkedin = 5\n[linkedin]\n": `2: write TOML: key = "value", one to a line`,
	} {
		_, err := parseConfig("x.toml", []byte(text))
		p, _ := errors.AsType[problem](err)
		if line, remedy, _ := strings.Cut(want, ": "); err == nil || p.Remedy != remedy || !strings.HasPrefix(p.String(), "x.toml:"+line+": ") {
			t.Errorf("%q: %v (%s), want %s", text, err, p.Remedy, want)
		}
	}
}

// Every key in a table that is not its own is told where it belongs, and where it is told to go it is known.
func TestKeysHaveHomes(t *testing.T) {
	headings := map[string]string{aboveTables: "", belowLinkedIn: "[linkedin]\n", belowChannel: "[channel.linkedin]\n"}
	unknown := func(heading, key string) *problem {
		_, problems := readConfig("x.toml", []byte(heading+key+" = {}\n"))
		for _, p := range problems {
			if strings.HasPrefix(p.Message, "unknown key ") {
				return &p
			}
		}
		return nil
	}
	for place, heading := range headings {
		_, problems := readConfig("x.toml", []byte(heading+"zzz = 1\n"))
		for _, p := range problems {
			m := regexp.MustCompile(`the keys are (.*)`).FindStringSubmatch(p.Remedy)
			if m == nil {
				continue
			}
			for key := range strings.SplitSeq(m[1], ", ") {
				if homes[key] == "" && key != "linkedin" && key != "channel" {
					t.Errorf("the key %s, %s, has no home", key, place)
				}
			}
		}
		for _, key := range slices.Sorted(maps.Keys(homes)) {
			p := unknown(heading, key)
			switch {
			case homes[key] == place && p != nil:
				t.Errorf("%s is unknown %s", key, place)
			case p != nil && !strings.HasSuffix(p.Remedy, "\nor move it "+homes[key]):
				t.Errorf("%s%s: %q, want %s", heading, key, p.Remedy, homes[key])
			}
		}
	}
}
