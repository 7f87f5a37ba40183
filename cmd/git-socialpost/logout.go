package main

import (
	"github.com/urfave/cli/v2"
)

func (t *tool) logoutCommand() *cli.Command {
	return &cli.Command{
		Name:      "logout",
		Usage:     "let git's credential helper forget the access tokens, and the app's secret",
		ArgsUsage: " ",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "client-id", Usage: "the `ID` of your app at LinkedIn", DefaultText: "the configuration's"},
		},
		Action: t.logout,
	}
}

func (t *tool) logout(c *cli.Context) error {
	if c.Args().Present() {
		return usagef("logout takes no arguments, got %q", c.Args().First())
	}
	defer t.close()
	git, err := t.anywhere(c.Context)
	if err != nil {
		return err
	}
	id, err := t.knownClientID(c)
	if err != nil {
		return err
	}
	found, err := forget(c.Context, git, credential{host: tokenHost})
	if err != nil {
		return err
	}
	if !found {
		t.remark("no helper here gives a token")
	}
	if id != "" {
		if _, err := forget(c.Context, git, credential{host: secretHost, username: id}); err != nil {
			return err
		}
	} else if found { // another password for this host may be a person's own
		t.remark("the access tokens are forgotten; where git keeps an app's client secret, too: git socialpost logout --client-id ID")
	}
	for _, name := range []string{defaultTokenEnv, clientSecretEnv} {
		if t.getenv(name) != "" {
			t.remark("%s is set here, and still counts", name)
		}
	}
	t.remark("the token itself lives on until it expires, unless you remove the app in LinkedIn's settings, under Permitted services")
	return nil
}
