package main

import (
	"fmt"
	"maps"
	"slices"
)

// adviseConfig names the lines that the configuration does not have as they should be. The day is empty if nobody knows it.
func (l *login) adviseConfig(urn, day string) {
	var lines []string
	if day != "" {
		lines = append(lines, fmt.Sprintf("write token_expires = %s below [linkedin] in %s, and you are warned in time", day, configFile))
	}
	switch {
	case l.cfg.ClientID != "":
	case day != "":
		lines = append(lines, fmt.Sprintf("write client_id = %q there, too, and the next login needs no --client-id", l.app.ID))
	default:
		lines = append(lines, fmt.Sprintf("write client_id = %q below [linkedin] in %s, and the next login needs no --client-id", l.app.ID, configFile))
	}
	known := slices.ContainsFunc(slices.Collect(maps.Values(l.cfg.Channels)), func(ch *channel) bool { return ch.Author == urn })
	if !known {
		lines = append(lines, fmt.Sprintf("write author = %q below each channel that shall post as this member", urn))
	}
	if l.getenv(defaultTokenEnv) != "" {
		lines = append(lines, defaultTokenEnv+" is set here and goes first; unset it, and this token is used")
	}
	if l.app.BaseURL != "" {
		lines = append(lines, fmt.Sprintf("this token is good for %s (%s), and not for LinkedIn itself", l.app.BaseURL, linkedInURL),
			"so leave the CI's secret as it is: what is said of it below is for LinkedIn's own tokens")
	}
	l.advise(lines...)
}

func (l *login) advise(lines ...string) {
	if l.quiet {
		return
	}
	for _, line := range lines {
		fmt.Fprintf(l.stderr, "hint: %s\n", oneLine(line))
	}
}

// handOver is a command that moves a token to a CI without showing it.
func handOver(urn string) string {
	return `printf 'protocol=https\nhost=` + tokenHost + `\nusername=` + urn + `\n\n' | git credential fill | sed -n 's/^password=//p' | gh secret set ` + defaultTokenEnv
}
