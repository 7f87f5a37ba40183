package gitexec

import (
	"context"
	"io"
)

// Edit opens a file in the user's editor, as git knows it, and waits until that ends. Interrupts are the editor's.
func (g Git) Edit(ctx context.Context, path string, stdin io.Reader, stdout, stderr io.Writer) error {
	editor, err := g.Run(ctx, "var", "GIT_EDITOR")
	if err != nil {
		return err
	}
	// An alias runs in the shell in which git runs an editor; on Windows nothing else knows where that is.
	const alias = "socialpost-editor"
	cmd := g.command(context.WithoutCancel(ctx), []string{"-c", "alias." + alias + "=!" + editor, alias, path})
	cmd.Stdin, cmd.Stdout, cmd.Stderr = stdin, stdout, stderr
	if err := cmd.Run(); err != nil {
		return &Error{Verb: alias, Code: cmd.ProcessState.ExitCode(), cause: err}
	}
	return nil
}
