package main

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/BurntSushi/toml"
)

const (
	aboveTables   = "above the first [table]"
	belowLinkedIn = "below [linkedin]"
	belowChannel  = "below [channel.NAME]"
)

// homes are the places of the configuration's keys: TOML takes what follows a heading for a part of its table.
var homes = map[string]string{
	"ledger": aboveTables, "remote": aboveTables, "branch": aboveTables, "posts": aboveTables, "mode": aboveTables, "pilot": aboveTables,
	"limit": aboveTables, "sign": aboveTables, "signers": aboveTables, "unsigned_until": aboveTables,
	"version": belowLinkedIn, "timeout": belowLinkedIn, "client_id": belowLinkedIn, "token_expires": belowLinkedIn,
	"platform": belowChannel, "language": belowChannel, "author": belowChannel, "visibility": belowChannel, "token_env": belowChannel,
}

var (
	tomlHeading = regexp.MustCompile(`^\s*\[([^\[\]]+)\]`)
	tomlKey     = regexp.MustCompile(`^\s*([A-Za-z0-9_.-]+)\s*=`)
)

// definedBefore is the remedy for a key or a table that the data defines twice, "" for all else.
func definedBefore(data string, err toml.ParseError) string {
	lines := strings.Split(data, "\n")
	at := err.Position.Line - 1
	if !strings.HasSuffix(err.Message, "has already been defined.") || at < 0 || at >= len(lines) {
		return ""
	}
	if m := tomlHeading.FindStringSubmatch(lines[at]); m != nil {
		for i, line := range lines[:at] {
			if first := tomlHeading.FindStringSubmatch(line); first != nil && strings.TrimSpace(first[1]) == strings.TrimSpace(m[1]) {
				return fmt.Sprintf("put its keys into the [%s] of line %d", strings.TrimSpace(m[1]), i+1)
			}
		}
		return ""
	}
	m := tomlKey.FindStringSubmatch(lines[at])
	for i := at - 1; m != nil && i >= 0 && !tomlHeading.MatchString(lines[i]); i-- {
		if first := tomlKey.FindStringSubmatch(lines[i]); first != nil && first[1] == m[1] {
			return fmt.Sprintf("keep one of the two; the other is in line %d", i+1)
		}
	}
	return ""
}
