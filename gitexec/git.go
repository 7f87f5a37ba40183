// Package gitexec runs the system git, the only place that starts a process. Git's environment is passed through
// untouched and the working directory is never changed, so that git -C, git -c, GIT_DIR and a CI's credentials reach
// the git that runs here just as they reached us.
package gitexec

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"time"
)

// Git runs git commands in the current directory. The zero value is ready to use.
type Git struct {
	Without []string             // names of environment variables that no git process gets
	Env     []string             // NAME=value, added to the environment of every command
	Trace   func(command string) // if set, hears of every command, without the passwords of URLs
	config  [][2]string
}

// With returns a Git whose commands see one more configuration value. It travels in the environment, since an
// argument list is open to every user of the machine and a URL may hold a password.
func (g Git) With(key, value string) Git {
	g.config = append(g.config[:len(g.config):len(g.config)], [2]string{key, value})
	return g
}

// Error is a git command that failed.
type Error struct {
	Verb   string // git's subcommand
	Code   int    // git's exit status, -1 if it did not exit by itself
	Stderr string
	cause  error
}

func (e *Error) Error() string {
	if said := saidOn(e.Stderr); said != "" {
		return fmt.Sprintf("git %s: %s", e.Verb, said)
	}
	return fmt.Sprintf("git %s: %v", e.Verb, e.cause)
}

// saidOn is what standard error says, in one line, without the passwords of URLs.
func saidOn(stderr string) string {
	var said []string
	for line := range strings.Lines(userinfo.ReplaceAllString(stderr, "://")) {
		if traced.MatchString(line) {
			continue
		}
		if words := strings.Fields(line); len(words) > 0 {
			said = append(said, strings.Join(words, " "))
		}
	}
	return strings.Join(slices.Compact(said[:min(len(said), maxSaid)]), "; ")
}

var (
	userinfo = regexp.MustCompile(`://[^/@\s]+@`)          // of a URL: it can be a password
	traced   = regexp.MustCompile(`^\d\d:\d\d:\d\d\.\d+ `) // what GIT_TRACE and its kin write, arguments included
)

// maxSaid is how many lines of git's are shown; a full disk fills a page.
const maxSaid = 8

func (e *Error) Unwrap() error { return e.cause }

// Killed reports whether a signal ended git.
func (e *Error) Killed() bool {
	exit, ok := errors.AsType[*exec.ExitError](e.cause)
	return ok && !exit.Exited()
}

// ExitStatus returns git's exit status, 0 for nil and -1 for an error that is none of git's.
func ExitStatus(err error) int {
	if err == nil {
		return 0
	}
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Code
	}
	return -1
}

// Run returns what git printed on standard output, without the last newline, also when it failed.
func (g Git) Run(ctx context.Context, args ...string) (string, error) {
	return g.RunInput(ctx, nil, args...)
}

// RunInput is Run with bytes for git's standard input.
func (g Git) RunInput(ctx context.Context, input []byte, args ...string) (string, error) {
	out, _, err := g.RunHeard(ctx, input, args...)
	return out, err
}

// RunHeard is RunInput for a command whose helpers' complaints do not make it fail: said is its standard error, in one line.
func (g Git) RunHeard(ctx context.Context, input []byte, args ...string) (out, said string, err error) {
	cmd := g.command(ctx, args)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if input != nil {
		cmd.Stdin = bytes.NewReader(input)
	}
	err = cmd.Run()
	out, said = strings.TrimSuffix(stdout.String(), "\n"), saidOn(stderr.String())
	if err == nil || errors.Is(err, exec.ErrWaitDelay) { // git succeeded; an ssh that stays behind holds the pipe
		return out, said, nil
	}
	if ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	return out, said, &Error{Verb: verb(args), Code: cmd.ProcessState.ExitCode(), Stderr: stderr.String(), cause: err}
}

// Open runs git without any of its streams, for a command whose children may outlive it, such as a browser.
func (g Git) Open(ctx context.Context, args ...string) error {
	cmd := g.command(ctx, args)
	if err := cmd.Run(); err != nil {
		return &Error{Verb: verb(args), Code: cmd.ProcessState.ExitCode(), cause: err}
	}
	return nil
}

func (g Git) command(ctx context.Context, args []string) *exec.Cmd {
	if g.Trace != nil {
		g.Trace(userinfo.ReplaceAllString("git "+strings.Join(args, " "), "://"))
	}
	cmd := exec.CommandContext(ctx, "git", args...)
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.WaitDelay = 2 * time.Second // git's own children may hold the pipes
	cmd.Env = g.environ(cmd.Environ())
	return cmd
}

// environ adds to the caller's environment, and to the values that git -c put there. Git 2.30 does not know
// GIT_CONFIG_COUNT; every git reads this form of GIT_CONFIG_PARAMETERS.
func (g Git) environ(env []string) []string {
	var params []string
	kept := env[:0:0]
	for _, entry := range env {
		name, value, _ := strings.Cut(entry, "=")
		switch {
		case slices.Contains(g.Without, name):
		case name == "GIT_CONFIG_PARAMETERS" && len(g.config) > 0:
			params = []string{value}
		default:
			kept = append(kept, entry)
		}
	}
	kept = append(kept, g.Env...)
	kept = append(kept, "GIT_NO_REPLACE_OBJECTS=1") // a ledger is what was pushed, not what refs/replace makes of it
	for _, c := range g.config {
		params = append(params, Quote(c[0]+"="+c[1]))
	}
	if len(g.config) > 0 {
		kept = append(kept, "GIT_CONFIG_PARAMETERS="+strings.Join(params, " "))
	}
	return kept
}

// Quote puts a word into single quotes, as a shell and git's own environment variables have it.
func Quote(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }

// verb is the subcommand after the options, for messages.
func verb(args []string) string {
	for len(args) > 2 && args[0] == "-c" {
		args = args[2:]
	}
	return args[0]
}
