package main

import (
	"slices"
	"strings"

	"github.com/urfave/cli/v2"
)

// commonNames are the flags that may stand before the command.
var commonNames = []string{"-v", "--verbose", "-q", "--quiet"}

// arrange moves flags before the arguments, which cli/v2 would else take for arguments: "deliver KEY --dry-run" would
// post. Flags may stand anywhere after the command; "--" ends them.
func arrange(app *cli.App, args []string) ([]string, error) {
	if len(args) < 2 {
		return args, nil
	}
	first := slices.IndexFunc(args[1:], func(arg string) bool { return !slices.Contains(commonNames, arg) })
	if first < 0 {
		return args[:1], nil
	}
	args = slices.Concat(args[:1], args[1+first:], args[1:1+first])
	if args[1] == "-h" || args[1] == "--help" || args[1] == "--version" {
		return args[:2], nil
	}
	cmd := app.Command(args[1])
	if cmd == nil || cmd.SkipFlagParsing {
		return args, nil
	}
	var flags, rest []string
	for words := args[2:]; len(words) > 0; {
		arg := words[0]
		words = words[1:]
		switch {
		case arg == "--":
			rest, words = append(rest, words...), nil
		case arg == "-h" || arg == "--help":
			return []string{args[0], args[1], arg}, nil
		case !isFlag(arg):
			rest = append(rest, arg)
		default:
			flag, left, err := takeFlag(cmd, arg, words)
			if err != nil {
				return nil, err
			}
			flags, words = append(flags, flag), left
		}
	}
	ordered := append([]string{args[0], args[1]}, flags...)
	if len(rest) > 0 {
		ordered = append(append(ordered, "--"), rest...)
	}
	return ordered, nil
}

// takeFlag joins a flag with its value, and returns the words that are left after it.
func takeFlag(cmd *cli.Command, arg string, words []string) (flag string, left []string, err error) {
	name, value, valued := strings.Cut(strings.TrimLeft(arg, "-"), "=")
	known, wanted := lookUp(cmd, name)
	if wanted && !valued && len(words) > 0 && !isFlag(words[0]) {
		value, words = words[0], words[1:]
		arg = "--" + name + "=" + value
	}
	switch {
	case wanted && value == "":
		return "", nil, usagef("--%s needs a value", name) // as of an unset variable: deliver --plan "$PLAN"
	case valued && known && !wanted:
		return "", nil, usagef("--%s takes no value", name)
	}
	return arg, words, nil
}

// isFlag tells a flag from a word, a lone dash and a negative number.
func isFlag(arg string) bool { return len(arg) > 1 && arg[0] == '-' && (arg[1] < '0' || arg[1] > '9') }

// longFlags are the names of a command's flags, but for those of one letter.
func longFlags(cmd *cli.Command) (names []string) {
	for _, flag := range cmd.Flags {
		for _, name := range flag.Names() {
			if len(name) > 1 {
				names = append(names, name)
			}
		}
	}
	return names
}

// lookUp tells whether a command has a flag, and whether that takes a value.
func lookUp(cmd *cli.Command, name string) (known, takesValue bool) {
	for _, flag := range cmd.Flags {
		if slices.Contains(flag.Names(), name) {
			doc, ok := flag.(cli.DocGenerationFlag)
			return true, ok && doc.TakesValue()
		}
	}
	return false, false
}
