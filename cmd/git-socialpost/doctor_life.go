package main

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/git-socialpost/git-socialpost/linkedin"
)

// tokenLife is what can be known of a token beyond that it works.
type tokenLife struct {
	ends   time.Time // zero if nobody says
	source string    // who says it
	scopes []string  // nil if nobody says
}

// tokenLife asks, in this order, who knows best when a token ends.
func (e *exam) tokenLife(ctx context.Context, a *account) tokenLife {
	if ends := e.credentialEnds(ctx, a); !ends.IsZero() {
		return tokenLife{ends: ends, source: "git's credential helper"}
	}
	return tokenLife{}
}

// credentialEnds is the end of a token that a credential helper keeps; git has kept it since 2.41.
func (e *exam) credentialEnds(ctx context.Context, a *account) time.Time {
	if a.where == a.TokenEnv {
		return time.Time{}
	}
	out, _ := e.repo.RunInput(ctx, []byte("protocol=https\nhost=api.linkedin.com\n\n"), "credential", "fill")
	for line := range strings.Lines(out) {
		if s, found := strings.CutPrefix(strings.TrimSpace(line), "password_expiry_utc="); found {
			if seconds, err := strconv.ParseInt(s, 10, 64); err == nil {
				return time.Unix(seconds, 0)
			}
		}
	}
	return time.Time{}
}

func (e *exam) checkExpiry(context.Context) []finding {
	return e.each(func(a *account) finding { return a.judgeLife(e.now(), e.warnDays) })
}

func (a *account) judgeLife(now time.Time, warnDays int) finding {
	if a.life.ends.IsZero() {
		return a.saw(doubt, "nobody here knows when the token ends; LinkedIn's live for 60 days").
			to("note the day of the token in your calendar, and run this every week")
	}
	day := a.life.ends.UTC().Format(time.DateOnly)
	left := daysUntil(now, a.life.ends)
	said := fmt.Sprintf("the token ends on %s, in %s, says %s", day, count(left, "day"), a.life.source)
	remedy := "get a new token before that, and put it into " + a.where
	switch {
	case left <= 0 && a.look.Token == nil:
		return a.saw(doubt, "the token works, though it ended on %s, says %s", day, a.life.source).to(remedy)
	case left <= 0:
		return a.saw(wrong, "the token ended on %s, says %s", day, a.life.source).to("get a new token, and put it into " + a.where)
	case left < warnDays:
		return a.saw(doubt, "%s", said).to(remedy)
	}
	return a.saw(fine, "%s", said)
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
