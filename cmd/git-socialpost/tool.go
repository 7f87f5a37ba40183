package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/rogpeppe/go-internal/lockedfile"

	"github.com/git-socialpost/git-socialpost/gitexec"
	"github.com/git-socialpost/git-socialpost/ledger"
)

const (
	defaultTokenEnv = "LINKEDIN_ACCESS_TOKEN"
	clientSecretEnv = "LINKEDIN_CLIENT_SECRET"
	linkedInURL     = "SOCIALPOST_LINKEDIN_URL" // replaces LinkedIn's addresses
)

// tool is the program's surroundings and, once open was called, the repository that it works in.
type tool struct {
	stdin          io.Reader
	stdout, stderr io.Writer
	raw            io.Writer // standard error, for commands to the CI's log alone
	ci             ci
	folds          int  // of the CI's log, so far
	terminal       bool // standard input is one
	watched        bool // standard error is one: somebody waits, and wants to see how it goes
	columns        int  // of standard output, if that is one; else 0
	verbose, quiet bool
	getenv         func(string) string
	now            func() time.Time

	repo    *gitexec.Repo
	objects *gitexec.Objects
	cfg     *config
	ledger  *ledger.Ledger
	unlock  func()
	summary summary
}

// open looks at the repository. No git process gets to see the usual token or an app's secret, and none that talks to others any token.
func (t *tool) open(ctx context.Context) error {
	git := withoutSecrets()
	git.Trace = t.trace()
	repo, err := gitexec.Open(ctx, git)
	switch {
	case ctx.Err() != nil:
		return stopped(ctx)
	case errors.Is(err, gitexec.ErrOld):
		return err
	case gitexec.ExitStatus(err) < 0:
		return hinted(err, "git must be installed, and in PATH")
	case err != nil:
		return hinted(err, "run this inside the blog's git repository, or with: git -C FOLDER socialpost")
	}
	t.repo, t.objects = repo, repo.Objects()
	return nil
}

func withoutSecrets() gitexec.Git {
	return gitexec.Git{Without: []string{defaultTokenEnv, clientSecretEnv}}
}

// stopped is for a signal that came before anything was done.
func stopped(ctx context.Context) error {
	return hinted(context.Cause(ctx), "nothing was sent; run this again when you like")
}

// close ends what open and lock began.
func (t *tool) close() {
	if t.objects != nil {
		t.objects.Close()
	}
	if t.unlock != nil {
		t.unlock()
		t.unlock = nil
	}
}

// revision returns the commit that a revision names.
func (t *tool) revision(ctx context.Context, rev string) (string, error) {
	id, err := t.repo.Run(ctx, "rev-parse", "--verify", "--quiet", "--end-of-options", rev+"^{commit}")
	if ctx.Err() != nil {
		return "", stopped(ctx)
	}
	if err != nil {
		if rev == "HEAD" {
			return "", hinted(errors.New("nothing is committed here yet"), "git socialpost init makes "+configFile+"; only what is committed counts: git add "+configFile+" && git commit")
		}
		return "", hinted(fmt.Errorf("%q names no commit here", rev), "name a branch, a tag or a commit that this clone has")
	}
	return id, nil
}

// configure reads the configuration of a commit, and takes it for this run.
func (t *tool) configure(ctx context.Context, commit string) error {
	data, err := t.objects.Blob(commit + ":" + configFile)
	switch {
	case err != nil:
		return err
	case data == nil:
		return hinted(fmt.Errorf("%s is not in commit %.12s", configFile, commit),
			t.orCommit(ctx, "the committed configuration counts; run git socialpost init, then commit "+configFile)...)
	}
	return t.use(data, func(name string) ([]byte, error) { return t.objects.Blob(commit + ":" + name) })
}

// use takes a configuration, and reads what it names by a function that returns nil for a file that is not there.
func (t *tool) use(data []byte, read func(name string) ([]byte, error)) error {
	cfg, err := parseConfig(configFile, data)
	if err != nil {
		return err
	}
	t.cfg = cfg
	for _, ch := range cfg.Channels {
		t.withhold(ch.TokenEnv)
	}
	t.ledger = &ledger.Ledger{Repo: t.repo, Objects: t.objects, Remote: cfg.Remote, Pin: cfg.Ledger}
	if cfg.Sign {
		t.ledger.Signing, err = t.signing(read)
	}
	return err
}

// withhold keeps a token from every git from now on. The reader of objects, which fetches in a partial clone, was started
// with it.
func (t *tool) withhold(tokenEnv string) {
	if slices.Contains(t.repo.Without, tokenEnv) {
		return
	}
	t.repo.Without = append(t.repo.Without, tokenEnv)
	t.objects.Close()
	t.objects = t.repo.Objects()
}

// openLedger is for the commands that ask about the ledger only.
func (t *tool) openLedger(ctx context.Context) error {
	if err := t.openHead(ctx); err != nil {
		return err
	}
	return t.fetch(ctx)
}

// openHead takes the configuration of what is checked out.
func (t *tool) openHead(ctx context.Context) error {
	if err := t.open(ctx); err != nil {
		return err
	}
	head, err := t.revision(ctx, "HEAD")
	if err != nil {
		return err
	}
	return t.configure(ctx, head)
}

// fetch locks the repository and fetches the ledger.
func (t *tool) fetch(ctx context.Context) error {
	if err := t.pinned(ctx); err != nil {
		return err
	}
	if err := t.lock(ctx); err != nil {
		return err
	}
	t.progress("fetching the ledger from %s", t.cfg.Remote)
	return t.ledger.Fetch(ctx)
}

func (t *tool) pinned(ctx context.Context) error {
	if t.cfg.Ledger == "" {
		return hinted(errors.New(configFile+" names no ledger"), t.orCommit(ctx, "run git socialpost init, then commit "+configFile)...)
	}
	return nil
}

// lock keeps this clone's other git-socialpost processes out until close. It is a courtesy, so that two of them do not
// fetch into each other's refs; between runners, the pushes' leases are the guard.
func (t *tool) lock(ctx context.Context) error {
	if t.unlock != nil {
		return nil
	}
	path := filepath.Join(t.repo.CommonDir, "socialpost", "lock")
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return unwritable(path, err)
	}
	type locked struct {
		unlock func()
		err    error
	}
	got := make(chan locked, 1)
	go func() {
		unlock, err := lockedfile.MutexAt(path).Lock()
		got <- locked{unlock, err}
	}()
	notice := time.After(time.Second)
	for {
		select {
		case l := <-got:
			t.unlock = l.unlock
			return unwritable(path, l.err)
		case <-notice:
			t.note("waiting for another git-socialpost in this repository to end (%s)", path)
		case <-ctx.Done():
			go func() { // a lock that comes late is given back: whoever called goes on without
				if l := <-got; l.err == nil {
					l.unlock()
				}
			}()
			return fmt.Errorf("another git-socialpost is at work in this repository: %w", context.Cause(ctx))
		}
	}
}

func unwritable(path string, err error) error {
	if err == nil {
		return nil
	}
	return hinted(err, "nothing was sent; git-socialpost must be able to write in "+shell(filepath.Dir(path))+": look at its owner, at free space, and for a read-only disk")
}

// runURL tells the ledger where a run can be looked up: the CI's page of it, else the host.
func (t *tool) runURL() string {
	if id := t.getenv("GITHUB_RUN_ID"); id != "" {
		url := t.getenv("GITHUB_SERVER_URL") + "/" + t.getenv("GITHUB_REPOSITORY") + "/actions/runs/" + id
		if n := t.getenv("GITHUB_RUN_ATTEMPT"); n != "" {
			url += "/attempts/" + n
		}
		return oneLine(url)
	}
	for _, name := range []string{"CI_JOB_URL", "BUILD_URL"} { // GitLab, Jenkins
		if url := t.getenv(name); url != "" {
			return oneLine(url)
		}
	}
	host, err := os.Hostname()
	if err != nil {
		return "unknown host"
	}
	return "host " + oneLine(host)
}

// stamp is the time as records hold it.
func (t *tool) stamp() time.Time { return t.now().UTC().Truncate(time.Second) }

// person names whoever runs this, as the CI or git knows them.
func (t *tool) person(ctx context.Context) string {
	if name := t.ci.person(t.getenv); name != "" {
		return name
	}
	if ident, err := t.repo.Run(ctx, "var", "GIT_COMMITTER_IDENT"); err == nil {
		return visible(ident[:strings.LastIndexByte(ident, '>')+1])
	}
	if user := t.getenv("USER"); user != "" {
		return visible(user)
	}
	return "somebody without a git identity"
}

// note says something on standard error, in one line: what it quotes cannot speak for us in a line of its own.
func (t *tool) note(format string, args ...any) {
	fmt.Fprintf(t.stderr, "git-socialpost: %s\n", brief(fmt.Sprintf(format, args...)))
}
