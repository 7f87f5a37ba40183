package main

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/git-socialpost/git-socialpost/ledger"
)

// takeRemote takes the remote that the command line names in place of the configuration's, before there is a ledger.
func (t *tool) takeRemote(name string) error {
	switch {
	case name == "" || name == t.cfg.Remote:
		return nil
	case !refForm.MatchString(name):
		return usagef("--remote: want the name of a remote, not its address")
	case t.cfg.Ledger != "":
		return hinted(fmt.Errorf("the ledger is set up on %q already", t.cfg.Remote), "another clone may call that remote otherwise, and then: git remote rename "+shell(name, t.cfg.Remote))
	}
	t.cfg.Remote, t.ledger.Remote = name, name
	return nil
}

func (t *tool) remotes(ctx context.Context) []string {
	out, err := t.repo.Run(ctx, "remote")
	if err != nil {
		return nil
	}
	return strings.Fields(out)
}

// namingRemotes proposes those that are there where git knows none of the wanted name.
func (t *tool) namingRemotes(ctx context.Context, err error) error {
	wanted, ok := errors.AsType[*ledger.RemoteError](err)
	there := t.remotes(ctx)
	if !ok || len(there) == 0 || slices.Contains(there, wanted.Remote) {
		return err
	}
	lines := hints(err)
	for _, name := range there {
		if t.cfg.Ledger == "" {
			lines = append(lines, "or take the remote that is there: git socialpost init --remote "+shell(name))
		} else {
			lines = append(lines, "or give the remote that is there this name: git remote rename "+shell(name, wanted.Remote))
		}
	}
	return hinted(err, lines...)
}

// setting is a line of the configuration, above its first table.
type setting struct{ key, value string }

func (s setting) String() string { return fmt.Sprintf("%s = %q", s.key, s.value) }

// put fills a line in where it stands, or puts it at the top.
func (s setting) put(data []byte) []byte {
	form := regexp.MustCompile(`(?m)^(\x{FEFF}?[ \t]*` + s.key + `[ \t]*=[ \t]*)("[^"\n]*"|'[^'\n]*')`)
	if at := form.FindSubmatchIndex(data); at != nil {
		return slices.Concat(data[:at[4]], fmt.Appendf(nil, "%q", s.value), data[at[5]:])
	}
	return insertTop(data, s.String())
}

// lacking are the lines beside the ledger's that a configuration needs before its ledger is there.
func (t *tool) lacking(ctx context.Context, data []byte) (all []setting) {
	if t.cfg.Ledger != "" {
		return nil
	}
	old, err := parseConfig(configFile, data)
	if err == nil && old.Remote != t.cfg.Remote {
		all = append(all, setting{"remote", t.cfg.Remote})
	}
	var problems []problem
	top, _ := parseTable(configFile, unixLines(data), &problems)
	if _, named := top.keys["branch"]; !named && t.branch(ctx) != t.cfg.Branch {
		all = append(all, setting{"branch", t.branch(ctx)})
	}
	return all
}

func (t *tool) noteLines(more []setting) {
	for _, s := range more {
		t.note("and this line: %s", s)
	}
}
