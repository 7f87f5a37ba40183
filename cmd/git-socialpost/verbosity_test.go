package main

import (
	"strings"
	"testing"
)

// Steps are told to somebody who watches, remarks to everybody who did not ask for quiet.
func TestVerbosity(t *testing.T) {
	for name, test := range map[string]struct {
		watched, verbose, quiet bool
		want                    string
	}{
		"log":                 {want: "remark"},
		"terminal":            {watched: true, want: "step remark"},
		"quiet":               {quiet: true, want: ""},
		"quiet on terminal":   {watched: true, quiet: true, want: ""},
		"verbose":             {verbose: true, want: "step remark"},
		"verbose on terminal": {verbose: true, watched: true, want: "step remark"},
	} {
		t.Run(name, func(t *testing.T) {
			var said strings.Builder
			tool := &tool{stderr: &said, watched: test.watched, verbose: test.verbose, quiet: test.quiet}
			tool.progress("step")
			tool.remark("remark")
			got := strings.Join(strings.Fields(strings.ReplaceAll(said.String(), "git-socialpost:", "")), " ")
			if got != test.want {
				t.Errorf("said %q, want %q", got, test.want)
			}
			if (tool.trace() != nil) != test.verbose {
				t.Errorf("git's commands are told: %v", tool.trace() != nil)
			}
		})
	}
}
