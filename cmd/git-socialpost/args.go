package main

import (
	"strings"

	"github.com/urfave/cli/v2"
)

// arrange moves flags before the arguments, which cli/v2 would else take for arguments: "deliver KEY --dry-run" would
// post. Flags may stand anywhere after the command; "--" ends them.
func arrange(app *cli.App, args []string) ([]string, error) {
	if len(args) < 2 {
		return args, nil
	}
	cmd := app.Command(args[1])
	if cmd == nil {
		return args, nil
	}
	var flags, rest []string
	for i := 2; i < len(args); i++ {
		arg := args[i]
		if arg == "--" {
			rest = append(rest, args[i+1:]...)
			break
		}
		if len(arg) < 2 || arg[0] != '-' {
			rest = append(rest, arg)
			continue
		}
		name, _, valued := strings.Cut(strings.TrimLeft(arg, "-"), "=")
		if !valued && takesValue(cmd, name) {
			if i++; i == len(args) {
				return nil, usagef("--%s needs a value", name)
			}
			arg = "--" + name + "=" + args[i]
		}
		flags = append(flags, arg)
	}
	ordered := append([]string{args[0], args[1]}, flags...)
	if len(rest) > 0 {
		ordered = append(append(ordered, "--"), rest...)
	}
	return ordered, nil
}

func takesValue(cmd *cli.Command, name string) bool {
	for _, flag := range cmd.Flags {
		for _, n := range flag.Names() {
			if n == name {
				doc, ok := flag.(cli.DocGenerationFlag)
				return ok && doc.TakesValue()
			}
		}
	}
	return false
}
