package main

import (
	"cmp"
	"fmt"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/git-socialpost/git-socialpost/ledger"
	"github.com/git-socialpost/git-socialpost/linkedin"
)

func (t *tool) logCommand() *cli.Command {
	return &cli.Command{
		Name:      "log",
		Usage:     "show the history: who, when, which text, which run, which URL",
		ArgsUsage: "[KEY]",
		Action:    t.log,
	}
}

func (t *tool) log(c *cli.Context) error {
	if c.NArg() > 1 {
		return usagef("log takes one key, got %d", c.NArg())
	}
	keys, err := t.parseKeys(c)
	if err != nil {
		return err
	}
	var key ledger.Key
	if len(keys) == 1 {
		key, _ = ledger.ParseKey(keys[0])
	}
	defer t.close()
	if err := t.openLedger(c.Context); err != nil {
		return err
	}
	history, whole, err := t.ledger.History(key)
	if err != nil {
		return err
	}
	err = t.show(c.Context, func(s *screen) error {
		for _, e := range history {
			s.printEntry(e, key != ledger.Key{})
		}
		return nil
	})
	if err != nil {
		return err
	}
	if len(history) == 0 {
		t.remark("no history")
	}
	if !whole {
		t.remark("this clone is shallow: older entries are only on the remote")
	}
	return nil
}

// printEntry prints one transition; of a single delivery, with the text.
func (s *screen) printEntry(e ledger.Entry, withText bool) {
	r := e.Record
	head := fmt.Sprintf("%s %.12s %s: ", e.At.Format(time.RFC3339), e.Commit, r.Key)
	s.tinted(head, string(r.State), string(r.State), ", "+attemptOf(r)+"\n")
	s.printf("    text  %s at %.12s\n    run   %s\n", cmp.Or(oneLine(r.Path), "no file"), r.Revision, oneLine(r.Run))
	if withText && r.State == ledger.Intended {
		if text, err := linkedin.Text(r.Payload); err == nil {
			s.printf("%s\n", quoted(text))
		}
	}
	if r.Outcome != nil {
		s.printf("    came  %s\n", oneLine(describe(r.Outcome)))
	}
	if res := r.Resolution; res != nil {
		s.printf("    by    %s at %s: %s, %s\n", oneLine(res.By), res.At.Format(time.RFC3339), res.Decision, oneLine(res.Reason))
	}
	for _, l := range r.Late {
		s.printf("    late  attempt %d: %s%s\n", l.Attempt, oneLine(describe(&l.Outcome)), lateURL(l))
	}
	if r.Post != nil {
		s.printf("    post  %s\n", r.Post.URL)
	}
}

func lateURL(l ledger.Late) string {
	if l.Post == nil {
		return ""
	}
	return ", " + l.Post.URL
}
