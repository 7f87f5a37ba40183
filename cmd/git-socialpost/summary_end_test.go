package main

import (
	"os"
	"path/filepath"
	"testing"
)

// A heading begins a line, also after what a step before wrote without a line end.
func TestSummaryBeginsALine(t *testing.T) {
	for before, want := range map[string]string{"": "## x\n", "a": "a\n## x\n", "a\n": "a\n## x\n"} {
		path := filepath.Join(t.TempDir(), "summary")
		if err := os.WriteFile(path, []byte(before), 0o666); err != nil {
			t.Fatal(err)
		}
		err := appendSummary(path, []string{"## x"})
		if got, _ := os.ReadFile(path); err != nil || string(got) != want {
			t.Errorf("%v; after %q the summary is %q, want %q", err, before, got, want)
		}
	}
}
