package ledger

import (
	"context"
	"errors"
	"fmt"
	"strings"
)

// verdict is what a push says about itself.
type verdict int

const (
	pushUnknown verdict = iota // it may have landed or not: fetch and look
	pushWon
	pushLost
)

// refUpdate moves a ref of the remote from one object to another; an empty old means that it must not be there.
type refUpdate struct{ ref, old, new string }

// push moves all refs or none. The error is git's own, for a message; only the verdict decides.
func (l *Ledger) push(ctx context.Context, updates []refUpdate) (verdict, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, networkLimit, fmt.Errorf("no end after %v", networkLimit))
	defer cancel()
	out, err := l.Repo.Run(ctx, l.pushArgs(updates)...)
	result, reason := judge(out, updates)
	switch {
	case err == nil && result != pushWon:
		err = errors.New("git push does not say what became of it")
	case err != nil && reason != "":
		err = fmt.Errorf("%s: %w", reason, err)
	}
	return result, err
}

// pushArgs names an expected value for every ref. A plus sign or --force would override that. --no-verify keeps a
// pre-push hook that runs us from running us again, and the rest keeps the user's configuration from adding refs or options.
func (l *Ledger) pushArgs(updates []refUpdate) []string {
	args := []string{"-c", "push.pushOption=", "-c", "remote." + l.Remote + ".mirror=false",
		"push", "--atomic", "--porcelain", "--no-verify", "--no-follow-tags", "--recurse-submodules=no"}
	for _, u := range updates {
		args = append(args, "--force-with-lease="+u.ref+":"+u.old)
	}
	args = append(args, l.Remote)
	for _, u := range updates {
		args = append(args, u.new+":"+u.ref)
	}
	return args
}

// judge reads git push --porcelain: <flag> TAB <from>:<to> TAB <summary>. Won is a line for every ref with a flag
// that says so; "=" (up to date) says nothing about whose push it was, and neither does the exit status. The reason of
// a loss is for people.
func judge(porcelain string, updates []refUpdate) (result verdict, reason string) {
	won := map[string]bool{}
	for line := range strings.Lines(porcelain) {
		fields := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if len(fields) != 3 {
			continue
		}
		_, ref, _ := strings.Cut(fields[1], ":")
		switch fields[0] {
		case "!":
			return pushLost, fields[2]
		case "*", " ", "-":
			won[ref] = true
		}
	}
	for _, u := range updates {
		if !won[u.ref] {
			return pushUnknown, ""
		}
	}
	return pushWon, ""
}
