package main

import (
	"fmt"

	"github.com/urfave/cli/v2"

	"github.com/git-socialpost/git-socialpost/ledger"
)

func (t *tool) hookCommand() *cli.Command {
	return &cli.Command{
		Name:      "hook",
		Usage:     "be a git server's update hook, which guards the ledger",
		ArgsUsage: "server REF OLD NEW",
		Action:    t.hook,
	}
}

func (t *tool) hook(c *cli.Context) error {
	args := c.Args().Slice()
	if len(args) != 4 || args[0] != "server" {
		return usagef("hook takes the arguments that git gives to an update hook: hook server REF OLD NEW")
	}
	defer t.close()
	if err := t.open(c.Context); err != nil {
		return err
	}
	guard := &ledger.Ledger{Repo: t.repo, Objects: t.objects}
	if err := guard.CheckUpdate(c.Context, args[1], args[2], args[3]); err != nil {
		return hinted(fmt.Errorf("%s: %w", args[1], err),
			"only git socialpost writes below refs/social/, and it only adds to it",
			"a ledger that was damaged is restored by whoever keeps this server, without its update hook")
	}
	return nil
}
