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
	const alias = "socialpost-editor"
	cmd := g.program(ctx, alias, editor, path)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = stdin, stdout, stderr
	if err := cmd.Run(); err != nil {
		return &Error{Verb: alias, Code: cmd.ProcessState.ExitCode(), cause: err}
	}
	return nil
}

// program is a user's own command under the name of an alias, which runs in the shell in which git runs an editor and a
// pager; on Windows nothing else knows where that is.
func (g Git) program(ctx context.Context, alias, line string, args ...string) *exec.Cmd {
	return g.command(context.WithoutCancel(ctx), append([]string{"-c", "alias." + alias + "=!" + line, alias}, args...))
}
