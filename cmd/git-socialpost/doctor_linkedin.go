package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/git-socialpost/git-socialpost/linkedin"
)

// account is a token and the author that it shall post as, for one channel or more.
type account struct {
	*channel
	channels []string
	tokenErr error  // there is none
	where    string // the token is
	base     string // of LinkedIn, "" for its own
	token    credential
	look     linkedin.Look
	life     tokenLife
}

func (a *account) saw(s status, format string, args ...any) finding {
	return saw(s, "%s: %s", strings.Join(a.channels, ", "), fmt.Sprintf(format, args...))
}

// each makes one check of every account.
func (e *exam) each(look func(*account) finding) (found []finding) {
	for _, a := range e.accounts {
		if a.tokenErr != nil {
			found = append(found, a.saw(unseen, "not looked at: there is no token"))
			continue
		}
		found = append(found, look(a))
	}
	return found
}

// checkToken looks at every account, by harmless reads.
func (e *exam) checkToken(ctx context.Context) (found []finding) {
	base, err := e.otherLinkedIn()
	if err != nil {
		e.blind["channels"] = linkedInURL + " is not valid"
		return []finding{failed(err)}
	}
	e.accounts = accountsOf(e.cfg)
	var looks sync.WaitGroup // all at once: LinkedIn's silence is to be waited for but once
	for _, a := range e.accounts {
		a.base = base
		a.token, a.tokenErr = e.tokenOf(ctx, a.channel)
		if a.tokenErr != nil {
			continue
		}
		if a.where = a.TokenEnv; a.token.host != "" {
			a.where = "git's credential helper"
		}
		looks.Go(func() {
			c := &linkedin.Client{BaseURL: base, Token: a.token.password, Version: e.cfg.Version, Timeout: min(e.cfg.Timeout, linkedInPatience)}
			a.look = c.Look(ctx, e.now)
			a.life = e.tokenLife(ctx, a)
		})
	}
	looks.Wait()
	for _, a := range e.accounts {
		found = append(found, a.alive())
	}
	return found
}

// tokenOf does not wait for ever for a credential helper.
func (e *exam) tokenOf(ctx context.Context, ch *channel) (credential, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, linkedInPatience, fmt.Errorf("no end after %v", linkedInPatience))
	defer cancel()
	token, err := (&run{tool: e.tool}).token(ctx, ch)
	if ctx.Err() != nil {
		err = hinted(fmt.Errorf("git's credential helper does not answer: %w", err), "git config --show-origin --get-all credential.helper names it; or set "+ch.TokenEnv)
	}
	return token, err
}

// accountsOf returns what differs in token or author, in the order of the channels' names.
func accountsOf(cfg *config) (all []*account) {
	for _, name := range slices.Sorted(maps.Keys(cfg.Channels)) {
		ch := cfg.Channels[name]
		i := slices.IndexFunc(all, func(a *account) bool { return a.TokenEnv == ch.TokenEnv && a.Author == ch.Author })
		if i < 0 {
			i, all = len(all), append(all, &account{channel: ch})
		}
		all[i].channels = append(all[i].channels, name)
	}
	return all
}

func (a *account) alive() finding {
	if a.tokenErr != nil {
		return a.saw(wrong, "%v", a.tokenErr).to(hints(a.tokenErr)...)
	}
	switch err := a.look.Token; {
	case errors.Is(err, linkedin.ErrToken):
		return a.saw(wrong, "%v", err).to("get a new token (they live for 60 days) and put it into "+a.where, loginHint)
	case err != nil:
		return a.saw(wrong, "%v", err).to("nothing can be posted until LinkedIn answers; run this again then")
	}
	f := a.saw(fine, "the token in %s is alive", a.where)
	if a.base != "" {
		f = f.to("says " + a.base + " in LinkedIn's place; to ask LinkedIn itself, unset " + linkedInURL)
	}
	return f
}

func (e *exam) checkAuthor(context.Context) []finding {
	return e.each(func(a *account) finding {
		err := linkedin.CheckOwner(a.look.Owner, a.Author)
		switch {
		case a.look.Token != nil:
			return a.saw(unseen, "not looked at: the token does not work")
		case err != nil:
			return a.saw(wrong, "%v", err).to("set the author of channel " + a.Name + " in " + configFile + ", or use the author's own token")
		case a.look.Owner == "":
			return a.saw(unseen, "the token may not read whose it is (scopes openid and profile)")
		case a.look.Owner != a.Author:
			return a.saw(unseen, "whether %s may post as %s, only a post tells", a.look.Owner, a.Author)
		}
		return a.saw(fine, "the token is of %s", a.Author)
	})
}

// checkVersion goes by LinkedIn's word, and for what is to come by its calendar.
func (e *exam) checkVersion(context.Context) []finding {
	tried := false
	for _, a := range e.accounts {
		if errors.Is(a.look.Version, linkedin.ErrVersion) {
			return []finding{saw(wrong, "%v", a.look.Version).to(versionRemedy)}
		}
		tried = tried || a.tokenErr == nil && a.look.Version == nil
	}
	return []finding{judgeVersion(e.cfg.Version, tried, e.now(), e.warnDays)}
}

const versionRemedy = "set a version that is alive in the [linkedin] table of " + configFile

// judgeVersion is about a version that LinkedIn has not refused.
func judgeVersion(version string, tried bool, now time.Time, warnDays int) finding {
	s, said := fine, version+" is alive"
	if !tried {
		s, said = unseen, version+" could not be tried"
	}
	day, known := linkedin.Sunset(version)
	if !known {
		return saw(s, "%s; when it ends is not known here (as of %s)", said, linkedin.SunsetsAsOf)
	}
	left, on := daysUntil(now, day), day.Format(time.DateOnly)
	switch {
	case left <= 0 && tried:
		return saw(doubt, "%s, though it was to end on %s", said, on).to(versionRemedy)
	case left <= 0:
		return saw(wrong, "%s; it ended on %s", said, on).to(versionRemedy)
	}
	ends := fmt.Sprintf("%s; it ends on %s, in %s (as announced by %s)", said, on, weeks(left), linkedin.SunsetsAsOf)
	if left < warnDays {
		return saw(doubt, "%s", ends).to(versionRemedy)
	}
	return saw(s, "%s", ends)
}

// The clock is checked as strictly as deliver is: a runner that is off by a minute sends nothing or sends late.
const clockDoubt, clockWrong = 30 * time.Second, 60 * time.Second

func (e *exam) checkClock(context.Context) []finding {
	for _, a := range e.accounts {
		if a.look.Dated {
			return []finding{judgeClock(a.look.Ahead)}
		}
	}
	return []finding{saw(unseen, "not looked at: LinkedIn did not tell its time")}
}

func judgeClock(ahead time.Duration) finding {
	off, way := ahead.Abs(), "ahead of"
	if ahead < 0 {
		way = "behind"
	}
	const remedy = "set this machine's clock, and let it be kept (NTP)"
	said := fmt.Sprintf("this machine's is %v %s LinkedIn's", off, way)
	switch {
	case off > clockWrong:
		return saw(wrong, "%s", said).to(remedy)
	case off > clockDoubt:
		return saw(doubt, "%s", said).to(remedy)
	}
	return saw(fine, "this machine's and LinkedIn's agree to half a minute")
}

// daysUntil counts whole days; 0 or less: it is over.
func daysUntil(now, end time.Time) int {
	left := end.Sub(now)
	if left <= 0 {
		return int(left / (24 * time.Hour))
	}
	return int((left + 24*time.Hour - 1) / (24 * time.Hour))
}

func weeks(days int) string {
	if days < 14 {
		return count(days, "day")
	}
	return count(days/7, "week")
}
