package main

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/urfave/cli/v2"

	"github.com/git-socialpost/git-socialpost/gitexec"
	"github.com/git-socialpost/git-socialpost/linkedin"
)

const (
	defaultPort = 8910
	maxPort     = 65535
)

func (t *tool) loginCommand() *cli.Command {
	return &cli.Command{
		Name:      "login",
		Usage:     "get an access token from LinkedIn, and keep it with git's credential helper",
		ArgsUsage: " ",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "client-id", Usage: "the `ID` of your app at LinkedIn", DefaultText: "the configuration's"},
			&cli.BoolFlag{Name: "paste", Usage: "no browser reaches this machine: ask for the address that it was sent to", DisableDefaultText: true},
			&cli.IntFlag{Name: "port", Usage: "wait for the browser on this `PORT` of localhost", Value: defaultPort},
			&cli.StringFlag{Name: "scopes", Usage: "ask for these `SCOPES`", DefaultText: "openid profile w_member_social, and w_organization_social if a channel's author is one"},
		},
		Action: t.login,
	}
}

// login is one round of OAuth: the member allows in a browser, which brings a code, which is exchanged for the token.
type login struct {
	*tool
	git      gitexec.Git
	app      linkedin.App
	redirect string
	state    string
	scopes   []string
	secret   credential // what git gave, none if the environment did: rejected if LinkedIn does not accept it
	asked    bool       // git asked a person for it: approved if LinkedIn accepts it
}

func (t *tool) login(c *cli.Context) error {
	if c.Args().Present() {
		return usagef("login takes no arguments, got %q", c.Args().First())
	}
	port := c.Int("port")
	if port < 1 || port > maxPort {
		return usagef("--port must be from 1 to %d, got %d", maxPort, port)
	}
	defer t.close()
	l, err := t.newLogin(c)
	if err != nil {
		return err
	}
	l.redirect = linkedin.CallbackURL(port)
	if err := l.findSecret(c.Context); err != nil {
		return err
	}
	var code string
	if c.Bool("paste") {
		code, err = l.paste(c.Context)
	} else {
		code, err = l.browse(c.Context, port)
	}
	if err != nil {
		return l.unanswered(c.Context, err)
	}
	grant, err := l.exchange(c.Context, code)
	if err != nil {
		return err
	}
	return l.keep(c.Context, grant)
}

// newLogin finds out what can be known before LinkedIn is asked.
func (t *tool) newLogin(c *cli.Context) (*login, error) {
	git, err := t.anywhere(c.Context)
	if err != nil {
		return nil, err
	}
	id, err := t.clientID(c)
	if err != nil {
		return nil, err
	}
	base, err := t.otherLinkedIn()
	if err != nil {
		return nil, err
	}
	scopes, err := t.scopes(c)
	if err != nil {
		return nil, err
	}
	random := make([]byte, 16)
	rand.Read(random)
	l := &login{tool: t, git: git, app: linkedin.App{BaseURL: base, ID: id}, state: hex.EncodeToString(random), scopes: scopes}
	return l, checkHelper(c.Context, git)
}

// anywhere takes the configuration as it is on the disk, if there is one: nothing is sent by it. A login needs no
// repository.
func (t *tool) anywhere(ctx context.Context) (gitexec.Git, error) {
	t.cfg = &config{}
	err := t.open(ctx)
	switch {
	case ctx.Err() != nil, errors.Is(err, gitexec.ErrOld):
		return gitexec.Git{}, err
	case err != nil:
		git := withoutSecrets()
		git.Trace = t.trace()
		return git, nil
	}
	_, read, err := t.findConfig(ctx)
	if err != nil {
		return t.repo.Git, nil // inside a git directory
	}
	data, err := read(configFile)
	if err != nil {
		return t.repo.Git, err
	}
	cfg, err := parseConfig(configFile, data)
	if err != nil { // the author may be missing still: this tells it
		t.remark("warning: %s is left aside: %v", configFile, err)
		return t.repo.Git, nil
	}
	t.cfg = cfg
	for _, ch := range cfg.Channels {
		t.withhold(ch.TokenEnv)
	}
	return t.repo.Git, nil
}

func (t *tool) clientID(c *cli.Context) (string, error) {
	id, err := t.knownClientID(c)
	if err == nil && id == "" {
		err = hinted(errors.New("no client id: it names your app at LinkedIn"),
			"give it with --client-id ID, or write client_id = \"ID\" below [linkedin] in "+configFile,
			"an app is made at https://www.linkedin.com/developers/apps, and needs the products Sign In with LinkedIn using OpenID Connect, and Share on LinkedIn")
	}
	return id, err
}

// knownClientID is empty if neither the command line nor the configuration names one.
func (t *tool) knownClientID(c *cli.Context) (string, error) {
	id := cmp.Or(c.String("client-id"), t.cfg.ClientID)
	if id != "" && !clientIDForm.MatchString(id) {
		return "", usagef("--client-id: want %s", clientIDWanted)
	}
	return id, nil
}

func (t *tool) scopes(c *cli.Context) ([]string, error) {
	if !c.IsSet("scopes") {
		scopes := []string{"openid", "profile", "w_member_social"}
		for _, ch := range t.cfg.Channels {
			if personOf(ch.Author) == "" {
				return append(scopes, "w_organization_social"), nil
			}
		}
		return scopes, nil
	}
	scopes := strings.FieldsFunc(c.String("scopes"), func(r rune) bool { return r == ',' || unicode.IsSpace(r) })
	if !slices.Contains(scopes, "openid") || !slices.Contains(scopes, "profile") {
		return nil, usagef("--scopes must hold openid and profile: they tell whose token it is")
	}
	return scopes, nil
}

// findSecret takes the app's secret from the environment, else from git, which asks for it if no helper has it.
func (l *login) findSecret(ctx context.Context) error {
	l.app.Secret = strings.TrimSpace(l.getenv(clientSecretEnv))
	if l.app.Secret == "" {
		want := credential{host: secretHost, username: l.app.ID}
		kept, err := fill(ctx, l.git, want)
		if err == nil && kept.password == "" {
			l.asked = true
			l.remark("git asks for the client secret of app %s now, and keeps it if it is right; LinkedIn shows it on the app's page, under Auth", l.app.ID)
			kept, err = fillAsking(ctx, l.git, want)
		}
		if ctx.Err() != nil {
			return stopped(ctx)
		}
		if err != nil || kept.password == "" {
			return hinted(errors.New("no client secret: "+clientSecretEnv+" is not set, and git got no answer"),
				"run this on a terminal, or set "+clientSecretEnv, "LinkedIn shows it at https://www.linkedin.com/developers/apps, on the app's page, under Auth")
		}
		l.secret = credential{host: secretHost, username: l.app.ID, password: kept.password}
		l.app.Secret = kept.password
	}
	if strings.ContainsFunc(l.app.Secret, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return hinted(errors.New("the client secret holds a space, a line end or another character that no secret has"), "copy it once more")
	}
	return nil
}

// exchange sends the code, once. LinkedIn's answer tells whether the client secret is right.
func (l *login) exchange(ctx context.Context, code string) (*linkedin.Grant, error) {
	grant, err := l.app.Exchange(ctx, code, l.redirect)
	switch {
	case errors.Is(err, linkedin.ErrApp):
		where := "mend " + clientSecretEnv
		if l.secret.password != "" {
			if _, rejectErr := l.git.RunInput(ctx, l.secret.input(), "credential", "reject"); rejectErr != nil {
				return nil, errors.Join(err, rejectErr)
			}
			where = "git has forgotten this secret; run git socialpost login again, and it asks for another"
		}
		return nil, hinted(err, where, "LinkedIn shows id and secret at https://www.linkedin.com/developers/apps, on the app's page, under Auth")
	case errors.Is(err, linkedin.ErrCode):
		return nil, hinted(err, "a code is good once, for 30 minutes, and for the redirect URL that it was asked with: run git socialpost login again")
	case err != nil:
		return nil, hinted(err, "the code may be spent: run git socialpost login again")
	}
	if l.asked {
		if err := keep(ctx, l.git, l.secret); err != nil {
			l.note("the client secret will be asked for again: %v", err)
		}
	}
	return grant, l.complete(ctx, grant)
}

// complete asks for what LinkedIn did not say of a grant. It is good for the token, too, not to know that.
func (l *login) complete(ctx context.Context, grant *linkedin.Grant) error {
	if len(grant.Scopes) > 0 && !grant.Expires.IsZero() {
		return nil
	}
	known, err := l.app.Introspect(ctx, grant.Token)
	switch {
	case errors.Is(err, linkedin.ErrToken):
		return hinted(err, "nothing was kept; run git socialpost login again")
	case err != nil:
		l.remark("LinkedIn does not tell more of the token: %v", err)
		return nil
	}
	if len(grant.Scopes) == 0 {
		grant.Scopes = known.Scopes
	}
	if grant.Expires.IsZero() {
		grant.Expires = known.Expires
	}
	return nil
}

// keep finds out whose the token is, stores it under that name, and says what is left to do.
func (l *login) keep(ctx context.Context, grant *linkedin.Grant) error {
	client := &linkedin.Client{BaseURL: l.app.BaseURL, Token: grant.Token}
	urn, err := client.Identity(ctx)
	if err != nil {
		return hinted(err, "nothing was kept; run git socialpost login again")
	}
	if err := keep(ctx, l.git, credential{host: tokenHost, username: urn, password: grant.Token, expires: grant.Expires}); err != nil {
		return err
	}
	day := ""
	if !grant.Expires.IsZero() {
		day = grant.Expires.UTC().Format(time.DateOnly)
	}
	_, err = fmt.Fprintf(l.stdout, "author   %s\nscopes   %s\nexpires  %s\n",
		urn, cmp.Or(strings.Join(grant.Scopes, " "), "unknown"), cmp.Or(day, "unknown"))
	l.adviseConfig(urn, day)
	l.advise("for CI, put it into a secret named "+defaultTokenEnv+", here GitHub's: "+handOver(urn),
		"a login with other scopes ends this token, as it ended every earlier one with other scopes")
	return err
}
