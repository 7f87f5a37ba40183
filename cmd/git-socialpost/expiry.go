package main

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"time"
)

// expiry is when a token dies, as the configuration says: a credential helper may not keep it, and a CI's secret does not.
type expiry struct {
	Expires time.Time // zero if nobody said
	line    int
}

var clientIDForm = regexp.MustCompile(`^[A-Za-z0-9_-]+$`)

const clientIDWanted = "the id that LinkedIn gave to your app, letters and digits"

// internalDate is the name of the zone that the TOML library gives to a date without a time.
const internalDate = "date-local"

// A token lives for 60 days; for these it is said in time. Doctor, which is asked, warns a week earlier.
const warnedFor = 14 * 24 * time.Hour

func (t *table) tokenExpires() (e expiry) {
	const key, example = "token_expires", "2027-02-01"
	at, found := take[time.Time](t, key, example+", without quotes")
	switch {
	case !found:
		return e
	case at.Year() < 2000: // a time without a date
		t.fail(key, key+": want a date", "write "+key+" = "+example)
		return e
	}
	if at.Location().String() == internalDate { // a day, as login prints it
		at = time.Date(at.Year(), at.Month(), at.Day(), 0, 0, 0, 0, time.UTC)
	}
	return expiry{at, t.line(key)}
}

// warnOfExpiry warns, once for each date in the configuration, of tokens that die soon.
func (t *tool) warnOfExpiry() {
	if t.quiet {
		return
	}
	var warnings []problem
	for _, name := range slices.Sorted(maps.Keys(t.cfg.Channels)) {
		ch := t.cfg.Channels[name]
		if ch.Expires.IsZero() || slices.ContainsFunc(warnings, func(p problem) bool { return p.Line == ch.line }) {
			continue
		}
		day := ch.Expires.Format(time.DateOnly)
		p := problem{Path: configFile, Line: ch.line, Remedy: fmt.Sprintf("git socialpost login gets a new one; put it wherever %s is set, and its date here", ch.TokenEnv)}
		switch left := ch.Expires.Sub(t.now()); {
		case left <= -24*time.Hour: // on the day itself it dies at some time
			p.Message = "the access token has been dead since " + day
		case left <= 24*time.Hour:
			p.Message = "the access token dies on " + day
		case left < warnedFor:
			p.Message = fmt.Sprintf("the access token dies on %s, in %s", day, count(daysUntil(t.now(), ch.Expires), "day"))
		default:
			continue
		}
		warnings = append(warnings, p)
	}
	t.printProblems("warning", warnings)
}
