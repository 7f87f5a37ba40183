package gitexec

import (
	"context"
	"io"
	"os/exec"
)

// Edit opens a file in the user's editor, as git knows it, and waits until that ends. Interrupts are the editor's.
func (g Git) Edit(ctx context.Context, path string, stdin io.Reader, stdout, stderr io.Writer) error {
	editor, err := g.Run(ctx, "var", "GIT_EDITOR")
	if err != nil {
		return err
	}
	cmd := g.program(context.WithoutCancel(ctx), editor, path)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = stdin, stdout, stderr
	return started("editor", cmd.Run(), cmd)
}

// program is a command line that the user gave to git, such as core.editor. Git runs it in the shell that it would run
// it in anyway, as an alias; on Windows nothing else knows where that is.
func (g Git) program(ctx context.Context, line string, args ...string) *exec.Cmd {
	const alias = "socialpost-program"
	return g.command(ctx, append([]string{"-c", "alias." + alias + "=!" + line, alias}, args...))
}

func started(what string, err error, cmd *exec.Cmd) error {
	if err == nil {
		return nil
	}
	return &Error{Verb: what, Code: cmd.ProcessState.ExitCode(), cause: err}
}
