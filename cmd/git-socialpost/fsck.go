package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/git-socialpost/git-socialpost/ledger"
)

func (t *tool) fsckCommand() *cli.Command {
	return &cli.Command{
		Name:      "fsck",
		Usage:     "verify the whole ledger",
		ArgsUsage: " ",
		Action:    t.fsck,
	}
}

func (t *tool) fsck(c *cli.Context) error {
	if c.Args().Present() {
		return usagef("fsck takes no arguments, got %q", c.Args().First())
	}
	defer t.close()
	if err := t.openHead(c.Context); err != nil {
		return err
	}
	if err := t.pinned(c.Context); err != nil {
		return err
	}
	if err := t.lock(c.Context); err != nil {
		return err
	}
	s := t.screen(c.Context)
	h, err := t.ledger.Fsck(c.Context)
	if err != nil {
		return err
	}
	for _, p := range h.Problems {
		s.tinted("", "damaged", brief(p.Error()), "\n")
		if damage, ok := errors.AsType[*ledger.DamageError](p); ok && damage.Remedy != nil {
			fmt.Fprintln(t.stdout, "  this mends it: "+shell(damage.Remedy...))
		}
		if unsigned, ok := errors.AsType[*ledger.SignatureError](p); ok {
			fmt.Fprintln(t.stdout, "  "+strings.Join(signatureHints(unsigned), "\n  "))
		}
	}
	if n := len(h.Problems); n > 0 {
		return hinted(fmt.Errorf("the ledger is damaged: %d found", n),
			"nothing is posted while it is damaged; restore refs/social/ledger/* on the remote from a clone or backup",
			"after that, in every clone that refuses it: git socialpost init --repin")
	}
	s.tinted(fmt.Sprintf("ledger %.12s: %d shards, %d transitions, %d deliveries, all ", t.cfg.Ledger, h.Shards, h.Transitions, h.Deliveries), "verified", "verified", "\n")
	if !h.Whole {
		t.note("this clone is shallow: only what it has was verified; run git fetch --unshallow first to verify all")
	}
	return nil
}
