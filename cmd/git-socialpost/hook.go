package main

import (
	"fmt"

	"github.com/urfave/cli/v2"

	"github.com/git-socialpost/git-socialpost/ledger"
)

func (t *tool) hookCommand() *cli.Command {
	return &cli.Command{
		Name:      "hook",
		Usage:     "show the plan with every push; or be a git server's update hook, which guards the ledger",
		ArgsUsage: "install|uninstall|status|server REF OLD NEW",
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "chain", Usage: "install: keep the pre-push hook that is there, and run both", DisableDefaultText: true},
		},
		Action: t.hook,
	}
}

func (t *tool) hook(c *cli.Context) error {
	args := c.Args().Slice()
	var action func() error
	switch verb := c.Args().First(); {
	case c.IsSet("chain") && verb != "install":
		return usagef("--chain goes with hook install only")
	case verb == "server" && len(args) == 4:
		action = func() error { return t.guardUpdate(c, args[1], args[2], args[3]) }
	case verb == "install" && len(args) == 1:
		action = func() error { return t.installHook(c.Context, c.Bool("chain")) }
	case verb == "uninstall" && len(args) == 1:
		action = func() error { return t.uninstallHook(c.Context) }
	case verb == "status" && len(args) == 1:
		action = func() error { return t.hookStatus(c.Context) }
	default:
		err := usagef("hook wants one of: install, uninstall, status; or what git gives to an update hook: server REF OLD NEW")
		near := nearest(verb, []string{"install", "uninstall", "status"})
		if near == "" || near == verb {
			return err
		}
		return hinted(err, "did you mean: git socialpost hook "+near)
	}
	defer t.close()
	if err := t.open(c.Context); err != nil {
		return err
	}
	return action()
}

func (t *tool) guardUpdate(c *cli.Context, ref, from, to string) error {
	guard := &ledger.Ledger{Repo: t.repo, Objects: t.objects}
	if err := guard.CheckUpdate(c.Context, ref, from, to); err != nil {
		return hinted(fmt.Errorf("%s: %w", ref, err),
			"only git socialpost writes below refs/social/, and it only adds to it",
			"a ledger that was damaged is restored by whoever keeps this server, without its update hook")
	}
	return nil
}
