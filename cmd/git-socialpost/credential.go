package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/git-socialpost/git-socialpost/gitexec"
)

// Where git's credential helpers keep an access token, and an app's secret.
const (
	tokenHost  = "api.linkedin.com"
	secretHost = "www.linkedin.com"
)

// credential is what a helper keeps for https and a host. None of its values holds a line end.
type credential struct {
	host, username, password string
	expires                  time.Time // unknown if zero; git before 2.41 does not keep it
	complaint                string    // of a helper, which is no error of git's
}

func (c credential) input() []byte {
	var b strings.Builder
	fmt.Fprintf(&b, "protocol=https\nhost=%s\n", c.host)
	if c.username != "" {
		fmt.Fprintf(&b, "username=%s\n", c.username)
	}
	if c.password != "" {
		fmt.Fprintf(&b, "password=%s\n", c.password)
	}
	if !c.expires.IsZero() {
		fmt.Fprintf(&b, "password_expiry_utc=%d\n", c.expires.Unix())
	}
	return []byte(b.String() + "\n")
}

// fill asks the helpers, and nobody else: a CI's askpass answers with another password. None is no error.
func fill(ctx context.Context, git gitexec.Git, c credential) (credential, error) {
	git.Env = append(slices.Clip(git.Env), "GIT_TERMINAL_PROMPT=0", "GIT_ASKPASS=true", "GCM_INTERACTIVE=never")
	filled, err := fillAsking(ctx, git, c)
	if err != nil && gitexec.ExitStatus(err) < 0 {
		return credential{}, err
	}
	return filled, nil
}

// fillAsking lets git ask the user, without echo, for what no helper has.
func fillAsking(ctx context.Context, git gitexec.Git, c credential) (credential, error) {
	out, said, err := git.RunHeard(ctx, c.input(), "credential", "fill")
	filled := credential{host: c.host, complaint: said}
	for line := range strings.Lines(out) {
		switch key, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "="); key {
		case "username":
			filled.username = value
		case "password":
			filled.password = value
		case "password_expiry_utc":
			if seconds, err := strconv.ParseInt(value, 10, 64); err == nil {
				filled.expires = time.Unix(seconds, 0)
			}
		}
	}
	return filled, err
}

// keptToken asks the helpers for a person's token, under the name under which login keeps it. A second question is for what
// somebody kept under another name, and for an organization, whose token is some person's.
func keptToken(ctx context.Context, git gitexec.Git, person string) (credential, error) {
	if person != "" {
		if kept, err := fill(ctx, git, credential{host: tokenHost, username: person}); err != nil || kept.password != "" {
			return kept, err
		}
	}
	return fill(ctx, git, credential{host: tokenHost})
}

// helperRemedies are for a machine whose git keeps no password.
var helperRemedies = []string{
	"give git a credential helper: git config --global credential.helper libsecret (on macOS osxkeychain, on Windows manager)",
	"where there is none of these, store keeps passwords in a file that only you can read: git config --global credential.helper store",
}

// checkHelper finds out what can be known beforehand: without any helper nothing is kept.
func checkHelper(ctx context.Context, git gitexec.Git) error {
	helper, err := git.Run(ctx, "config", "--get-urlmatch", "credential.helper", "https://"+tokenHost)
	switch {
	case gitexec.ExitStatus(err) < 0:
		return err
	case helper == "":
		return hinted(errors.New("git has no credential helper that could keep the token"), helperRemedies...)
	}
	return nil
}

// keep gives a credential to the helpers, and proves that they give it back.
func keep(ctx context.Context, git gitexec.Git, c credential) error {
	if _, err := git.RunInput(ctx, c.input(), "credential", "approve"); err != nil {
		return err
	}
	kept, err := fill(ctx, git, credential{host: c.host, username: c.username})
	if err == nil && kept.password != c.password {
		err = hinted(fmt.Errorf("git's credential helper does not give back what it shall keep for https://%s", c.host),
			append([]string{"these are the helpers, and where they are set: git config --show-origin --get-regexp 'credential.*helper'"}, helperRemedies...)...)
	}
	return err
}

// forget takes a credential, and every one of its host if it names no user, from the helpers, and proves that it is gone.
// None that gives it may keep one all the same: it is rejected in any case. Found is whether any was given.
func forget(ctx context.Context, git gitexec.Git, c credential) (found bool, err error) {
	const most = 20 // that anybody keeps for one host
	for range most {
		kept, err := fill(ctx, git, c)
		if err != nil {
			return found, err
		}
		gone := credential{host: c.host, username: cmp.Or(kept.username, c.username)}
		if _, err := git.RunInput(ctx, gone.input(), "credential", "reject"); err != nil {
			return found, err
		}
		switch {
		case kept.password == "" && kept.complaint != "":
			return found, hinted(fmt.Errorf("git's credential helper for https://%s: %s", c.host, kept.complaint),
				"it may still keep what it did not give; mend that, and run this again",
				"these are your helpers, and where they are set: git config --show-origin --get-regexp 'credential.*helper'")
		case kept.password == "":
			return found, nil
		}
		found = true
	}
	return found, hinted(fmt.Errorf("git's credential helper still gives a password for https://%s", c.host),
		"some helpers cannot forget; these are yours, and where they are set: git config --show-origin --get-regexp 'credential.*helper'")
}
