package main

import (
	"fmt"

	"github.com/urfave/cli/v2"
)

// commonFlags are those of every command; they may stand before it, too.
func (t *tool) commonFlags() []cli.Flag {
	return []cli.Flag{
		&cli.BoolFlag{Name: "verbose", Aliases: []string{"v"}, Usage: "show each step, and each git command", DisableDefaultText: true, Destination: &t.verbose},
		&cli.BoolFlag{Name: "quiet", Aliases: []string{"q"}, Usage: "show errors only, beside the answer", DisableDefaultText: true, Destination: &t.quiet},
	}
}

func (t *tool) checkCommon(*cli.Context) error {
	if t.verbose && t.quiet {
		return usagef("--verbose and --quiet exclude each other")
	}
	return nil
}

// trace returns what hears of every git command.
func (t *tool) trace() func(string) {
	if !t.verbose {
		return nil
	}
	return func(command string) { fmt.Fprintf(t.stderr, "+ %s\n", brief(command)) }
}

// progress says what is being done now, to somebody who waits. A log has no need of it.
func (t *tool) progress(format string, args ...any) {
	if t.verbose || t.watched && !t.quiet {
		t.note(format, args...)
	}
}

// remark says what is good to know and asks for nothing.
func (t *tool) remark(format string, args ...any) {
	if !t.quiet {
		t.note(format, args...)
	}
}
