package main

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/git-socialpost/git-socialpost/linkedin"
)

// tokenLife is what can be known of a token beyond that it works.
type tokenLife struct {
	ends   time.Time // zero if nobody says
	source string    // who says it
	scopes []string  // nil if nobody says
	err    error     // why LinkedIn, which was asked, does not
}

// tokenLife asks those who can know when a token ends, the one who knows best first.
func (e *exam) tokenLife(ctx context.Context, a *account) (life tokenLife) {
	app := linkedin.App{BaseURL: a.base, ID: e.cfg.ClientID, Secret: strings.TrimSpace(e.getenv(clientSecretEnv)), Timeout: min(e.cfg.Timeout, linkedInPatience)}
	if app.ID != "" && app.Secret != "" {
		grant, err := app.Introspect(ctx, a.token.password)
		if err == nil {
			life = tokenLife{ends: grant.Expires, source: "LinkedIn", scopes: grant.Scopes}
		}
		life.err = err
	}
	if life.ends.IsZero() {
		life.ends, life.source = a.token.expires, "git's credential helper"
	}
	if life.ends.IsZero() && !a.Expires.IsZero() {
		life.ends, life.source = a.Expires, fmt.Sprintf("%s:%d", configFile, a.line)
	}
	return life
}

func (e *exam) checkExpiry(context.Context) []finding {
	return e.each(func(a *account) finding { return a.judgeLife(e.now(), e.warnDays) })
}

func (a *account) judgeLife(now time.Time, warnDays int) finding {
	if a.life.ends.IsZero() {
		said := "nobody here knows when the token ends; LinkedIn's live for 60 days"
		if a.life.err != nil {
			said += fmt.Sprintf("; asked for it, LinkedIn says: %v", a.life.err)
		}
		return a.saw(doubt, "%s", said).to("write its last day into "+configFile+", such as: token_expires = 2027-02-01", a.expiryPlace(),
			"or let LinkedIn be asked: client_id below [linkedin], and "+clientSecretEnv+" in the environment")
	}
	day := a.life.ends.UTC().Format(time.DateOnly)
	left := daysUntil(now, a.life.ends)
	said := fmt.Sprintf("the token ends on %s, in %s, says %s", day, count(left, "day"), a.life.source)
	remedy := "get a new token before that, and put it into " + a.where + "; git socialpost login gets one"
	switch {
	case left <= 0 && a.look.Token == nil:
		return a.saw(doubt, "the token works, though it ended on %s, says %s", day, a.life.source).to(remedy)
	case left <= 0:
		return a.saw(wrong, "the token ended on %s, says %s", day, a.life.source).to("get a new token, and put it into "+a.where, loginHint)
	case left < warnDays:
		return a.saw(doubt, "%s", said).to(remedy)
	}
	return a.saw(fine, "%s", said)
}

// expiryPlace is the table whose token_expires counts for the account's token.
func (a *account) expiryPlace() string {
	if a.TokenEnv == defaultTokenEnv {
		return "it stands below [linkedin]"
	}
	return "it stands below [channel." + a.Name + "]"
}

func (e *exam) checkScopes(context.Context) []finding {
	return e.each(func(a *account) finding {
		need := linkedin.ScopeFor(a.Author)
		switch {
		case a.life.scopes == nil:
			return a.saw(unseen, "whether the token may post (scope %s) only a post tells here", need)
		case !slices.Contains(a.life.scopes, need):
			return a.saw(wrong, "the token lacks the scope %s; it has %s", need, strings.Join(a.life.scopes, ", ")).
				to("get a new token with the scope " + need)
		}
		return a.saw(fine, "%s", strings.Join(a.life.scopes, ", "))
	})
}
