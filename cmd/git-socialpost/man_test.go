package main

import (
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/urfave/cli/v2"
)

// TestManPage demands that the manual describes every command, every flag and every exit status.
func TestManPage(t *testing.T) {
	data, err := os.ReadFile("../../docs/git-socialpost.1")
	if err != nil {
		t.Fatal(err)
	}
	page := string(data)
	for _, cmd := range new(tool).app().Commands {
		section := manSection(page, ".Ss "+cmd.Name)
		if cmd.Hidden {
			if strings.Contains(page, cmd.Name) {
				t.Errorf("the page describes %s, which is hidden", cmd.Name)
			}
			continue
		}
		if section == "" {
			t.Errorf("no section on the command %s", cmd.Name)
			continue
		}
		for _, flag := range cmd.Flags[:len(cmd.Flags)-len(new(tool).commonFlags())] {
			name := flag.Names()[0]
			entry := regexp.MustCompile(`(?m)^\.It Fl -` + regexp.QuoteMeta(name) + `( Ar .+)?$`).FindStringSubmatch(section)
			switch valued := flag.(cli.DocGenerationFlag).TakesValue(); {
			case entry == nil:
				t.Errorf("%s: no entry for --%s", cmd.Name, name)
			case valued != (entry[1] != ""):
				t.Errorf("%s: --%s takes a value: %v, the page says otherwise", cmd.Name, name, valued)
			}
		}
	}
	statuses := manSection(page, ".Sh EXIT STATUS")
	for _, status := range []int{0, exitError, exitOpen, exitUnrecorded, exitRefused, exitUsage} {
		if !strings.Contains(statuses, "\n.It "+strconv.Itoa(status)+"\n") {
			t.Errorf("no entry for exit status %d", status)
		}
	}
	decisions := manSection(page, ".Sh DECISIONS")
	for _, d := range []decision{send, delivered, open, blocked, held, scheduled, abandoned, invalid} {
		if !strings.Contains(decisions, "\n.It "+string(d)+"\n") {
			t.Errorf("no entry for the decision %s", d)
		}
	}
}

// TestManPageNamesNothingElse is the other direction: no section and no entry without its command and flag.
func TestManPageNamesNothingElse(t *testing.T) {
	data, err := os.ReadFile("../../docs/git-socialpost.1")
	if err != nil {
		t.Fatal(err)
	}
	app := new(tool).app()
	for _, heading := range regexp.MustCompile(`(?m)^\.Ss ([a-z]+).*$`).FindAllStringSubmatch(string(data), -1) {
		cmd := app.Command(heading[1])
		if cmd == nil {
			t.Errorf("the page describes %q, which is no command", heading[1])
			continue
		}
		section := manSection(string(data), ".Ss "+heading[1])
		for _, entry := range regexp.MustCompile(`(?m)^\.It Fl -([a-z-]+)`).FindAllStringSubmatch(section, -1) {
			if !hasFlag(cmd, entry[1]) {
				t.Errorf("the page gives %s a flag --%s, which it does not have", cmd.Name, entry[1])
			}
		}
	}
}

func hasFlag(cmd *cli.Command, name string) bool {
	for _, flag := range cmd.Flags {
		for _, n := range flag.Names() {
			if n == name {
				return true
			}
		}
	}
	return false
}

// manSection returns what follows a heading up to the next one of either rank, or "".
func manSection(page, heading string) string {
	at := regexp.MustCompile(`(?m)^` + regexp.QuoteMeta(heading) + `\b.*$`).FindStringIndex(page)
	if at == nil {
		return ""
	}
	section := page[at[1]:]
	if end := regexp.MustCompile(`(?m)^\.S[hs] `).FindStringIndex(section); end != nil {
		section = section[:end[0]]
	}
	return section
}
