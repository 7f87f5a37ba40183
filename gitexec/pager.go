package gitexec

import (
	"bytes"
	"context"
	"io"
	"slices"
	"strings"
)

// Pager returns the program with which git would show a long answer of a command, "" for none: the command's own
// pager.<command> turns it off or names it, GIT_PAGER comes before that name, and core.pager and PAGER after it.
func (g Git) Pager(ctx context.Context, command string) (string, error) {
	own, err := g.Run(ctx, "config", "--type=bool", "--get", "pager."+command)
	switch status := ExitStatus(err); {
	case err == nil && own == "false":
		return "", nil
	case err != nil && status != 1: // it is there, and no truth value
		if own, err = g.Run(ctx, "config", "--get", "pager."+command); err != nil {
			return "", err
		}
		g = g.With("core.pager", own)
	}
	pager, err := g.Run(ctx, "var", "GIT_PAGER")
	if pager == "cat" {
		pager = ""
	}
	return pager, err
}

// Page shows a text in a pager, and waits until that ends, whatever its exit status. It reports false if the pager could
// not be started.
func (g Git) Page(ctx context.Context, pager string, text []byte, stdout, stderr io.Writer) bool {
	// With a line end git leaves it to the shell to find the pager, whose statuses tell that it did not.
	cmd := g.program(ctx, "socialpost-pager", pager+"\n")
	cmd.Env = append(pagerEnviron(cmd.Env), "GIT_PAGER_IN_USE=true")
	cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(text), stdout, stderr
	_ = cmd.Run() // a reader who has seen enough is no error
	if cmd.ProcessState == nil {
		return false
	}
	code := cmd.ProcessState.ExitCode()
	return code != 126 && code != 127
}

// pagerEnviron adds what git sets for its pagers where the user has not.
func pagerEnviron(env []string) []string {
	for _, entry := range []string{"LESS=FRX", "LV=-c"} {
		name, _, _ := strings.Cut(entry, "=")
		if !slices.ContainsFunc(env, func(e string) bool { return strings.HasPrefix(e, name+"=") }) {
			env = append(env, entry)
		}
	}
	return env
}
