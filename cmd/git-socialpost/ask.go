package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
)

// ask returns an error unless the answer is yes.
func (t *tool) ask(ctx context.Context, question string) error {
	fmt.Fprintf(t.stderr, "%s [y/N] ", question)
	answer, err := readLine(ctx, t.stdin)
	if ctx.Err() != nil {
		fmt.Fprintln(t.stderr)
		return stopped(ctx)
	}
	switch strings.ToLower(strings.TrimSpace(answer)) {
	case "y", "yes":
		return nil
	}
	if err != nil && answer == "" {
		fmt.Fprintln(t.stderr)
		return usagef("nobody answers: standard input is no terminal; add --yes")
	}
	return hinted(errors.New("not confirmed; nothing was changed"), "nothing but y confirms; --yes does without the question")
}

// readLine waits for a line, or for a signal: that does not end a read.
func readLine(ctx context.Context, from io.Reader) (string, error) {
	type input struct {
		line string
		err  error
	}
	read := make(chan input, 1)
	go func() {
		line, err := bufio.NewReader(from).ReadString('\n')
		read <- input{line, err}
	}()
	select {
	case <-ctx.Done():
		return "", context.Cause(ctx)
	case in := <-read:
		return in.line, in.err
	}
}
