package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/git-socialpost/git-socialpost/gitexec"
)

func (t *tool) doctorCommand() *cli.Command {
	return &cli.Command{
		Name:      "doctor",
		Usage:     "say what would go wrong, before it does",
		ArgsUsage: " ",
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "json", Usage: "print the findings as JSON", DisableDefaultText: true},
			&cli.IntFlag{Name: "warn-days", Usage: "warn of what ends within `N` days: the token, the API version", Value: 21},
			&cli.BoolFlag{Name: "strict", Usage: "exit 1 for a warning, too", DisableDefaultText: true},
			&cli.StringFlag{Name: "recovery", Usage: "look for recovery records in `DIR`, too"},
		},
		Action: t.doctor,
	}
}

// finding is what one check saw.
type finding struct {
	Name   string `json:"name"`
	Status status `json:"status"`
	Found  string `json:"found"`
	Remedy string `json:"remedy"` // what to type, a line each; "" if there is nothing to do
}

type status string

const (
	fine   status = "ok"
	doubt  status = "warn"
	wrong  status = "fail"
	unseen status = "skip" // it could not be looked at
)

func saw(s status, format string, args ...any) finding {
	return finding{Status: s, Found: oneLine(fmt.Sprintf(format, args...))}
}

// to adds what to type. What a line quotes cannot begin another.
func (f finding) to(remedy ...string) finding {
	lines := []string{}
	for _, line := range remedy {
		lines = append(lines, strings.ReplaceAll(line, "\n", " "))
	}
	f.Remedy = strings.Join(lines, "\n")
	return f
}

func failed(err error) finding { return saw(wrong, "%v", err).to(hints(err)...) }

// A page that takes minutes is not read: whoever has not answered by now is said to be silent.
const (
	remotePatience   = time.Minute
	linkedInPatience = 10 * time.Second // for one read
)

// exam is one call of doctor, and what its checks hand on.
type exam struct {
	*tool
	warnDays  int
	recovery  string
	patience  time.Duration // with the remote, for each check that asks it
	head      string        // "" before the first commit
	src       *source
	fetchErr  error // about the ledger; the remote did answer
	branchErr error
	accounts  []*account

	blind map[string]string // what cannot be looked at, and why
}

// check is one line of the page, or a line for each of its findings.
type check struct {
	name  string
	needs []string // what must not be blind
	look  func(context.Context) []finding
}

func (e *exam) checks() []check {
	return []check{
		{"git", nil, e.checkGit},
		{"configuration", nil, e.checkConfig},
		{"posts", []string{"commit", "config"}, e.checkPosts},
		{"remote", []string{"config"}, e.checkRemote},
		{"clone", []string{"config", "remote"}, e.checkClone},
		{"push", []string{"config", "remote"}, e.checkPush},
		{"ledger", []string{"config", "remote"}, e.checkLedger},
		{"branch", []string{"commit", "config", "remote", "ledger"}, e.checkBranch},
		{"open", []string{"config", "remote", "ledger"}, e.checkOpen},
		{"silence", []string{"commit", "config", "posts", "remote", "ledger", "branch"}, e.checkSilence},
		{"recovery", []string{"config"}, e.checkRecovery},
		{"token", []string{"config", "channels"}, e.checkToken},
		{"author", []string{"config", "channels"}, e.checkAuthor},
		{"scopes", []string{"config", "channels"}, e.checkScopes},
		{"expiry", []string{"config", "channels"}, e.checkExpiry},
		{"version", []string{"config"}, e.checkVersion},
		{"clock", []string{"config", "channels"}, e.checkClock},
		{"ci", []string{"commit", "config"}, e.checkCI},
		{"hook", nil, e.checkHook},
		{"notes", nil, e.checkNotes},
	}
}

func (t *tool) doctor(c *cli.Context) error {
	switch {
	case c.Args().Present():
		return usagef("doctor takes no arguments, got %q", c.Args().First())
	case c.Int("warn-days") < 0:
		return usagef("--warn-days must be at least 0")
	}
	defer t.close()
	e := &exam{tool: t, warnDays: c.Int("warn-days"), recovery: c.String("recovery"), patience: remotePatience, blind: map[string]string{}}
	found, err := e.findings(c.Context)
	if err != nil {
		return err
	}
	if c.Bool("json") {
		err = printJSON(t.stdout, struct {
			Format int       `json:"format"`
			Checks []finding `json:"checks"`
		}{1, found})
	} else {
		s := t.screen(c.Context)
		for _, f := range found {
			err = errors.Join(err, s.printFinding(f))
		}
	}
	return errors.Join(err, verdict(found, c.Bool("strict")))
}

// findings makes all checks, the later ones by what the earlier ones brought.
func (e *exam) findings(ctx context.Context) (all []finding, err error) {
	switch err := e.open(ctx); {
	case errors.Is(err, gitexec.ErrOld):
		f := failed(err)
		f.Name = "git"
		all = append(all, f)
		for _, c := range e.checks()[1:] {
			all = append(all, finding{Name: c.name, Status: unseen, Found: "not looked at: git is too old"})
		}
		return all, nil
	case err != nil:
		return nil, err
	}
	e.silenceGit(ctx)
	if e.head, err = e.revision(ctx, "HEAD"); err != nil {
		e.blind["commit"] = "nothing is committed here yet"
	}
	for _, c := range e.checks() {
		for _, f := range e.look(ctx, c) {
			f.Name = c.name
			all = append(all, f)
		}
		if ctx.Err() != nil {
			return nil, stopped(ctx)
		}
	}
	return all, nil
}

func (e *exam) look(ctx context.Context, c check) []finding {
	for _, need := range c.needs {
		if why := e.blind[need]; why != "" {
			return []finding{saw(unseen, "not looked at: %s", why)}
		}
	}
	return c.look(ctx)
}

// silenceGit keeps git, and the ssh that it starts, from asking anybody for anything.
func (e *exam) silenceGit(ctx context.Context) {
	e.repo.Env = append(e.repo.Env, "GIT_TERMINAL_PROMPT=0", "GIT_ASKPASS=true", "GCM_INTERACTIVE=never", "SSH_ASKPASS_REQUIRE=never")
	own, _ := e.repo.Run(ctx, "config", "core.sshCommand")
	if own == "" && e.getenv("GIT_SSH_COMMAND") == "" && e.getenv("GIT_SSH") == "" {
		e.repo.Env = append(e.repo.Env, "GIT_SSH_COMMAND=ssh -o BatchMode=yes")
	}
	e.objects.Close()
	e.objects = e.repo.Objects() // which fetches in a partial clone
}

// printFinding prints a line, and what to type below it, which can be pasted as long as it is not folded.
func (s *screen) printFinding(f finding) error {
	word, found := string(f.Status), brief(f.Found)
	line := s.fold(fmt.Sprintf("%-4s  %-13s  %s", word, f.Name, found), found)
	err := s.tinted("", word, word, strings.TrimPrefix(line, word)+"\n")
	if f.Remedy == "" {
		return err
	}
	for line := range strings.Lines(f.Remedy) {
		err = errors.Join(err, s.printf("      %s\n", strings.TrimSuffix(line, "\n")))
	}
	return err
}

// verdict is an error if a check failed or, for the strict, warned.
func verdict(found []finding, strict bool) error {
	failures, warnings := 0, 0
	for _, f := range found {
		switch f.Status {
		case wrong:
			failures++
		case doubt:
			warnings++
		}
	}
	switch strict = strict && warnings > 0; {
	case failures == 0 && !strict:
		return nil
	case failures == 0:
		return errors.New(count(warnings, "warning"))
	case strict:
		return fmt.Errorf("%s failed, and %s", count(failures, "check"), count(warnings, "warning"))
	}
	return fmt.Errorf("%s failed", count(failures, "check"))
}

// span is a time that has passed, for people.
func span(d time.Duration) string {
	switch {
	case d >= 48*time.Hour:
		return count(int(d.Hours()/24), "day")
	case d >= 2*time.Hour:
		return count(int(d.Hours()), "hour")
	case d >= time.Minute:
		return count(int(d.Minutes()), "minute")
	}
	return "less than a minute"
}

// count puts a number before a noun.
func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
