package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/git-socialpost/git-socialpost/linkedin"
)

// client is a checked way to the platform, or why there is none.
type client struct {
	*linkedin.Client
	err error
}

// client returns the client of a channel. Token and version are proved alive once a run, before any intent.
func (r *run) client(ctx context.Context, ch *channel) (*linkedin.Client, error) {
	id := ch.TokenEnv + " " + ch.Author
	c, known := r.clients[id]
	if !known {
		c.Client, c.err = r.newClient(ctx, ch)
		r.clients[id] = c
	}
	return c.Client, c.err
}

func (r *run) newClient(ctx context.Context, ch *channel) (*linkedin.Client, error) {
	base, err := r.otherLinkedIn()
	if err != nil {
		return nil, err
	}
	token, err := r.token(ctx, ch)
	if err != nil {
		return nil, err
	}
	c := &linkedin.Client{BaseURL: base, Token: token.password, Version: r.cfg.Version, Timeout: r.cfg.Timeout}
	switch err := c.Check(ctx, ch.Author); {
	case errors.Is(err, linkedin.ErrToken):
		return nil, hinted(err, "get a new token (they live for 60 days) and put it into "+ch.TokenEnv, loginHint)
	case errors.Is(err, linkedin.ErrVersion):
		return nil, hinted(err, "set a version that is alive in the [linkedin] table of "+configFile)
	case errors.Is(err, linkedin.ErrAuthor):
		return nil, hinted(err, "set the author of channel "+ch.Name+" in "+configFile+", or use the author's own token")
	case err != nil:
		return nil, hinted(err, "nothing was sent; run this again when LinkedIn answers")
	}
	return c, nil
}

// token comes from the channel's environment variable, and names no host then, else, for the usual one, from git's
// credential helpers.
func (r *run) token(ctx context.Context, ch *channel) (credential, error) {
	if token := strings.TrimSpace(r.getenv(ch.TokenEnv)); token != "" {
		return credential{password: token}, nil
	}
	missing := hinted(fmt.Errorf("no token: %s is not set", ch.TokenEnv), "set it in the environment, in CI as a secret", loginHint)
	if ch.TokenEnv != defaultTokenEnv {
		return credential{}, missing
	}
	kept, err := keptToken(ctx, r.repo.Git, personOf(ch.Author))
	if err == nil && kept.password == "" {
		err = missing
	}
	return kept, err
}

// personOf is the author if that is a person: an organization's token is some person's.
func personOf(author string) string {
	if strings.HasPrefix(author, "urn:li:person:") {
		return author
	}
	return ""
}

const loginHint = "where a browser can be had, git socialpost login gets a token and keeps it with git's credential helper"

// remarkOnStandIn tells somebody who watches that LinkedIn is not meant, as after a rehearsal.
func (t *tool) remarkOnStandIn() {
	if base, err := t.otherLinkedIn(); t.watched && err == nil && base != "" {
		t.remark("%s is set: %s stands in LinkedIn's place; unset it to reach LinkedIn itself", linkedInURL, base)
	}
}

// otherLinkedIn is the address that replaces LinkedIn's own, or "".
func (t *tool) otherLinkedIn() (string, error) {
	base := t.getenv(linkedInURL)
	if base != "" {
		if err := linkedin.CheckBaseURL(base); err != nil {
			return "", hinted(fmt.Errorf("%s: %w", linkedInURL, err), "unset it to post to LinkedIn itself")
		}
	}
	return base, nil
}
