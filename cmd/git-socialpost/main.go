// Git-socialpost posts prepared texts from a git repository to social networks, each at most once. It stores an
// intent on the git remote before its one request and a receipt after it; when it cannot know what became of a
// request it stops and asks. "git socialpost --help" is the manual.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"os"
	"os/signal"
	"runtime/debug"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/urfave/cli/v2"
	"golang.org/x/term"

	"github.com/git-socialpost/git-socialpost/gitexec"
	"github.com/git-socialpost/git-socialpost/ledger"
)

// The exit statuses. Those of a delivery that is left undone are ranked: see unfinished.
const (
	exitError      = 1
	exitOpen       = 3
	exitUnrecorded = 4
	exitRefused    = 5
	exitUsage      = 129
)

func main() { os.Exit(process(time.Now)) }

// process is the program by one clock. It returns the exit status.
func process(now func() time.Time) int {
	log.SetOutput(io.Discard)                               // net/http's remarks are no answer of ours
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE) // a reader that left must not end a delivery
	signals := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) { // by nohup
		signals = append(signals, syscall.SIGHUP)
	}
	ctx, stop := signal.NotifyContext(context.Background(), signals...)
	out := &answerWriter{w: os.Stdout}
	t := &tool{
		stdin:    os.Stdin,
		stdout:   plain{out},
		stderr:   plain{os.Stderr},
		raw:      os.Stderr,
		ci:       ciOf(os.Getenv),
		terminal: isTerminal(os.Stdin),
		watched:  isTerminal(os.Stderr),
		columns:  columns(os.Stdout, os.Getenv("COLUMNS")),
		getenv:   os.Getenv,
		now:      now,
	}
	if t.ci == github {
		t.stdout, t.stderr = plain{&commandless{w: out}}, plain{&commandless{w: os.Stderr}}
	}
	err := t.run(ctx, os.Args)
	stop()
	if out.err != nil {
		err = errors.Join(err, out.err)
	}
	t.report(err)
	t.publish(err)
	return exitStatus(err)
}

func isTerminal(f *os.File) bool { return term.IsTerminal(int(f.Fd())) }

// columns is the width of a terminal, as git takes it; 0 of anything else.
func columns(f *os.File, set string) int {
	if !isTerminal(f) {
		return 0
	}
	if n, err := strconv.Atoi(set); err == nil && n > 0 {
		return n
	}
	if n, _, err := term.GetSize(int(f.Fd())); err == nil && n > 0 {
		return n
	}
	return 80
}

// run is the program without the process around it.
func (t *tool) run(ctx context.Context, args []string) error {
	app := t.app()
	arranged, err := arrange(app, args)
	if err == nil {
		err = app.RunContext(ctx, arranged)
	}
	return aboutCommand(app, args, err)
}

func (t *tool) app() *cli.App {
	cli.VersionFlag = &cli.BoolFlag{Name: "version", Usage: "print the version", DisableDefaultText: true}
	app := &cli.App{
		Name:      "git-socialpost",
		HelpName:  "git socialpost",
		Usage:     "post prepared texts from a git repository, each at most once",
		UsageText: "git socialpost <command> [options]",
		Version:   version(),
		Commands: []*cli.Command{
			t.initCommand(), t.planCommand(), t.deliverCommand(), t.resolveCommand(), t.statusCommand(), t.logCommand(), t.fsckCommand(), t.doctorCommand(),
			t.newCommand(), t.seedCommand(), t.importCommand(), t.hookCommand(), t.loginCommand(), t.logoutCommand(), t.helpCommand(),
			t.completeCommand(),
		},
		Action: func(c *cli.Context) error {
			if c.Args().Present() {
				return unknownCommand(c.App, c.Args().First())
			}
			return cli.ShowAppHelp(c)
		},
		Writer:                    t.stdout,
		ErrWriter:                 t.stderr,
		HideHelpCommand:           true,
		Flags:                     []cli.Flag{cli.HelpFlag}, // which cli/v2 leaves out where a command is called help
		CustomAppHelpTemplate:     strings.TrimRight(cli.AppHelpTemplate, "\n") + "\n" + topicList(),
		DisableSliceFlagSeparator: true,
		ExitErrHandler:            func(*cli.Context, error) {}, // main alone ends the process
		OnUsageError:              onUsageError,
	}
	for _, cmd := range app.Commands {
		cmd.HideHelpCommand = true
		cmd.OnUsageError = onUsageError
		cmd.Flags = append(cmd.Flags, t.commonFlags()...)
		cmd.Before = t.checkCommon
	}
	return app
}

func version() string {
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return info.Main.Version
	}
	return "(devel)"
}

// exitStatus maps every kind of error to the documented exit status.
func exitStatus(err error) int {
	if err == nil {
		return 0
	}
	if _, ok := errors.AsType[usageError](err); ok {
		return exitUsage
	}
	if left, ok := errors.AsType[*unfinished](err); ok {
		return left.exitStatus()
	}
	return exitError
}

// report prints an error once, and what to type next; several errors one after the other.
func (t *tool) report(err error) {
	if err == nil {
		return
	}
	if several, ok := err.(interface{ Unwrap() []error }); ok {
		for _, err := range several.Unwrap() {
			t.report(err)
		}
		return
	}
	lines := []string{"git-socialpost: " + brief(err.Error())}
	for _, line := range hints(err) {
		lines = append(lines, "hint: "+oneLine(line))
	}
	at, _ := errors.AsType[problem](err)
	t.annotate("error", at.Path, at.Line, lines...)
}

// hint is an error that knows what to type next.
type hint struct {
	error
	lines []string
}

func (h hint) Unwrap() error { return h.error }

func hinted(err error, lines ...string) error { return hint{err, lines} }

// hints returns the remedies for an error: its own, or those of its kind.
func hints(err error) []string {
	if h, ok := errors.AsType[hint](err); ok {
		return h.lines
	}
	if p, ok := errors.AsType[problem](err); ok && p.Remedy != "" {
		return p.remedies()
	}
	if _, ok := errors.AsType[usageError](err); ok {
		return []string{usageHint}
	}
	if _, ok := errors.AsType[*ledger.UnreachableError](err); ok {
		return []string{"nothing is decided without a fresh look at the ledger; run this again when it can be had",
			"check the network and your access; and here, free space and left-over .lock files in .git"}
	}
	if e, ok := errors.AsType[*ledger.RemoteError](err); ok {
		return []string{shell("git", "remote", "add", e.Remote) + " URL, or name another remote in " + configFile}
	}
	if _, ok := errors.AsType[*ledger.BranchError](err); ok {
		return []string{"branch in " + configFile + " must name a branch that the remote has; push it first"}
	}
	if _, ok := errors.AsType[*ledger.RefusedError](err); ok {
		return []string{"the server must let this user create and fast-forward refs/social/* in an atomic push",
			"look for a hook, a hidden ref (transfer.hideRefs), receive.advertiseAtomic=false, a stale lock or a full disk on the server"}
	}
	switch {
	case errors.Is(err, ledger.ErrAbsent):
		return []string{"in a fork this is right: only the repository itself posts",
			"a lost ledger must be restored from a clone or backup; a hidden one must be shown (transfer.hideRefs, uploadpack.hideRefs)",
			"a fork that shall post on its own: remove the ledger line from " + configFile + ", then run git socialpost init"}
	case errors.Is(err, ledger.ErrNewer):
		return []string{"install the newest git-socialpost and run this again"}
	case errors.Is(err, gitexec.ErrOld):
		return []string{"install a newer git; git --version tells which one runs"}
	}
	if _, ok := errors.AsType[*ledger.SigningError](err); ok {
		return []string{"git config user.signingKey names the key, gpg.format its kind: openpgp or ssh",
			"the file that signers in " + configFile + " names (default .socialpost.signers) must list the key: " + signerForm}
	}
	if e, ok := errors.AsType[*ledger.SignatureError](err); ok {
		return signatureHints(e)
	}
	if e, ok := errors.AsType[*ledger.DamageError](err); ok {
		return damageHints(e)
	}
	if _, ok := errors.AsType[*gitexec.Error](err); ok {
		return []string{"this is git's own error; mend its cause, and run this again"}
	}
	return []string{"mend that, and run this again; whatever was posted is recorded, and is not posted twice"}
}

func signatureHints(e *ledger.SignatureError) []string {
	lines := []string{fmt.Sprintf("nothing was sent; look at it: git show --show-signature %.12s", e.Commit),
		"if its writer may write the ledger, list the key in the file that signers names, and commit that; else restore the shard"}
	if e.Begin != "" {
		lines = append(lines, fmt.Sprintf("if all of it was written before signing began, say so in %s: unsigned_until = %q", configFile, e.Begin))
	}
	return lines
}

func damageHints(e *ledger.DamageError) []string {
	lines := []string{"nothing was sent; look with: git socialpost fsck"}
	if e.Remedy != nil {
		lines = append(lines, "this mends it: "+shell(e.Remedy...))
	}
	return append(lines, "after the remote was restored on purpose: git socialpost init --repin")
}

// plain makes the control characters of texts from outside visible, but for line ends and tabs.
type plain struct{ w io.Writer }

// answerWriter remembers the first error of standard output for process, and keeps it from the commands: none stops half-way
// for it, and none has to look. A reader that has seen enough is no error.
type answerWriter struct {
	w   io.Writer
	err error
}

func (a *answerWriter) Write(b []byte) (int, error) {
	if _, err := a.w.Write(b); a.err == nil && !errors.Is(err, syscall.EPIPE) {
		a.err = err
	}
	return len(b), nil
}

// device is direct for a program that takes the terminal over, and needs it as a file.
func device(w io.Writer) io.Writer {
	w = direct(w)
	if a, ok := w.(*answerWriter); ok {
		return a.w
	}
	return w
}

// direct is where a writer's bytes go unchanged.
func direct(w io.Writer) io.Writer {
	if p, ok := w.(plain); ok {
		return p.w
	}
	return w
}

func (p plain) Write(b []byte) (int, error) {
	if _, err := io.WriteString(p.w, visible(string(b))); err != nil {
		return 0, err
	}
	return len(b), nil
}
