package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/lockedfile"
)

// silence is an address that takes calls and never says a word.
func silence(t *testing.T) string {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	return l.Addr().String()
}

// A remote that never says a word is given up once, not once for each thing that could be fetched from it.
func TestDoctorSilentRemote(t *testing.T) {
	m := newWorld(t, noteKey).clone("m")
	m.must(0, "plan")
	m.git("remote", "set-url", "origin", "git://"+silence(t)+"/remote.git")
	t.Chdir(m.dir)
	tool := &tool{stdout: &bytes.Buffer{}, stderr: &bytes.Buffer{}, getenv: func(string) string { return "" }, now: time.Now}
	defer tool.close()
	e := &exam{tool: tool, patience: 2 * time.Second, blind: map[string]string{}}
	begin := time.Now()
	all, err := e.findings(t.Context())
	if took := time.Since(begin); err != nil || took > 10*time.Second {
		t.Fatalf("after %v: %v", took, err)
	}
	for _, f := range all {
		if f.Name == "remote" && (f.Status != wrong || !strings.Contains(f.Found, "no end after 2s") || f.Remedy == "") {
			t.Errorf("%+v", f)
		}
		if f.Name == "ledger" && f.Status != unseen {
			t.Errorf("%+v", f)
		}
	}
}

// A git-socialpost at work in this clone is waited for a moment, and is no fault.
func TestDoctorBusyClone(t *testing.T) {
	m := newWorld(t, noteKey).clone("m")
	m.must(0, "plan")
	unlock, err := lockedfile.MutexAt(filepath.Join(m.dir, ".git", "socialpost", "lock")).Lock()
	m.check(err)
	defer unlock()
	t.Chdir(m.dir)
	tool := &tool{stdout: &bytes.Buffer{}, stderr: &bytes.Buffer{}, getenv: func(string) string { return "" }, now: time.Now}
	defer tool.close()
	e := &exam{tool: tool, patience: time.Second, blind: map[string]string{}}
	all, err := e.findings(t.Context())
	m.check(err)
	for _, f := range all {
		if f.Name == "remote" && (f.Status != doubt || !strings.Contains(f.Found, "another git-socialpost is at work") || f.Remedy == "") {
			t.Errorf("%+v", f)
		}
	}
}

// LinkedIn's silence is waited for once, however many tokens there are.
func TestDoctorSilentLinkedIn(t *testing.T) {
	t.Parallel()
	w := newWorld(t, noteKey)
	m := w.clone("m")
	config := strings.Replace(liveConfig, `"10s"`, `"1500ms"`, 1)
	for _, language := range []string{"de", "es", "fr", "it"} {
		config += fmt.Sprintf("[channel.linkedin-%s]\nplatform = \"linkedin\"\nauthor = \"urn:li:person:782bbtaQ\"\ntoken_env = \"LINKEDIN_%s\"\n", language, strings.ToUpper(language))
		m.env = append(m.env, "LINKEDIN_"+strings.ToUpper(language)+"=x")
	}
	m.write(".socialpost.toml", config)
	m.git("commit", "-q", "-a", "-m", "many")
	m.env = append(m.env, "SOCIALPOST_LINKEDIN_URL=http://"+silence(t))
	begin := time.Now()
	r := m.must(exitError, "doctor")
	if took := time.Since(begin); took > 12*time.Second || strings.Count(r.stdout, "the time limit of 500ms has passed") != 5 {
		t.Errorf("after %v:\n%s", took, r.stdout)
	}
}

// The JSON form is documented: these names and no others, in every finding, and one of four words.
func TestDoctorJSON(t *testing.T) {
	t.Parallel()
	m := newWorld(t, noteKey).clone("m")
	r := m.must(0, "doctor", "--json")
	var page struct {
		Format *int `json:"format"`
		Checks []struct {
			Name, Status, Found, Remedy *string
		} `json:"checks"`
	}
	dec := json.NewDecoder(strings.NewReader(r.stdout))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&page); err != nil || page.Format == nil || *page.Format != 1 || dec.More() {
		t.Fatalf("%v\n%s", err, r.stdout)
	}
	var names []string
	for _, c := range page.Checks {
		if c.Name == nil || c.Status == nil || c.Found == nil || c.Remedy == nil || *c.Found == "" {
			t.Fatalf("a name is missing:\n%s", r.stdout)
		}
		switch status(*c.Status) {
		case doubt, wrong:
			if *c.Remedy == "" {
				t.Errorf("%s has no remedy", *c.Name)
			}
		case fine, unseen:
		default:
			t.Errorf("%s is %q", *c.Name, *c.Status)
		}
		names = append(names, *c.Name)
	}
	var known []string
	for _, c := range (&exam{}).checks() {
		known = append(known, c.name)
	}
	if got, want := strings.Join(names, " "), strings.Join(known, " "); got != want {
		t.Errorf("checks: %s, want %s", got, want)
	}
	man, err := os.ReadFile(filepath.Join("..", "..", "docs", "git-socialpost.1"))
	m.check(err)
	for _, name := range known {
		if !strings.Contains(string(man), "\n.It "+name+"\n") {
			t.Errorf("the manual does not know the check %s", name)
		}
	}
}
