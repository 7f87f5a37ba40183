package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/git-socialpost/git-socialpost/ledger"
)

func (t *tool) initCommand() *cli.Command {
	return &cli.Command{
		Name:      "init",
		Usage:     "create the ledger on the remote, or adopt the one there",
		ArgsUsage: " ",
		Flags: []cli.Flag{
			&cli.IntFlag{Name: "shards", Usage: "make a ledger of `16 or 256` shards; 256 is for very large sites", Value: 16},
			&cli.StringFlag{Name: "remote", Usage: "keep the ledger on `REMOTE`, and write that into the configuration", DefaultText: "the configuration's"},
			&cli.BoolFlag{Name: "repin", Usage: "accept the remote's ledger after it was restored on purpose", DisableDefaultText: true},
			&cli.BoolFlag{Name: "yes", Usage: "do not ask", DisableDefaultText: true},
		},
		Action: t.init,
	}
}

func (t *tool) init(c *cli.Context) error {
	switch n := c.Int("shards"); {
	case c.Args().Present():
		return usagef("init takes no arguments, got %q", c.Args().First())
	case n != 16 && n != 256:
		return usagef("--shards must be 16 or 256, got %d", n)
	}
	defer t.close()
	if err := t.open(c.Context); err != nil {
		return err
	}
	path, read, err := t.findConfig(c.Context)
	if err != nil {
		return err
	}
	data, err := read(configFile)
	if err != nil {
		return err
	}
	if err := t.use(data, read); err != nil {
		return err
	}
	if err := t.takeRemote(c.String("remote")); err != nil {
		return err
	}
	if err := t.lock(c.Context); err != nil {
		return err
	}
	how, err := t.adoptOrCreate(c)
	if err != nil {
		return t.namingRemotes(c.Context, err)
	}
	if n := len(t.ledger.Tips()); c.IsSet("shards") && n != c.Int("shards") {
		return hinted(fmt.Errorf("the ledger on %q has %d shards, for all its life", t.cfg.Remote, n), "run init without --shards")
	}
	if err := t.writePin(c.Context, path, data); err != nil {
		return err
	}
	if err := t.showNotes(c.Context); err != nil {
		return err
	}
	fmt.Fprintf(t.stdout, "ledger %.12s on %q: %s\n", t.ledger.Pin, t.cfg.Remote, how)
	if t.ledger.Pin != t.cfg.Ledger {
		t.printNext(path)
	}
	return nil
}

// findConfig returns the configuration's path on the disk, and how to read it and what it names; in a bare repository no
// path, and what is committed.
func (t *tool) findConfig(ctx context.Context) (path string, read func(string) ([]byte, error), err error) {
	if t.repo.Bare {
		return "", func(name string) ([]byte, error) { return t.objects.Blob("HEAD:" + name) }, nil
	}
	top, err := t.repo.Run(ctx, "rev-parse", "--show-toplevel")
	return filepath.Join(top, configFile), inFolder(top), err
}

// adoptOrCreate leaves a verified ledger, and says where it came from.
func (t *tool) adoptOrCreate(c *cli.Context) (how string, err error) {
	ctx := c.Context
	if t.cfg.Ledger != "" && !c.Bool("repin") {
		return "already set up", t.ledger.Fetch(ctx)
	}
	pin, err := t.ledger.Peek(ctx)
	if errors.Is(err, ledger.ErrAbsent) && !c.Bool("repin") {
		err = t.ledger.Create(ctx, c.Int("shards"))
		if !errors.Is(err, ledger.ErrExists) {
			return "created", err
		}
		pin, err = t.ledger.Peek(ctx) // somebody else's was there a moment earlier
	}
	if err != nil {
		return "", err
	}
	if c.Bool("repin") {
		if err := t.confirmRepin(c, pin); err != nil {
			return "", err
		}
		t.ledger.Pin = pin
		return "adopted", t.ledger.Accept(ctx)
	}
	t.ledger.Pin = pin
	return "adopted", t.ledger.Fetch(ctx)
}

func (t *tool) confirmRepin(c *cli.Context, pin string) error {
	switch {
	case c.Bool("yes"):
		return nil
	case !t.terminal:
		return usagef("init --repin asks before it forgets, and standard input is no terminal; add --yes")
	}
	t.note("what the ledger on %q does not know will be posted again", t.cfg.Remote)
	return t.ask(c.Context, fmt.Sprintf("Accept ledger %.12s, in place of %.12s and of all that this clone has seen?", pin, t.cfg.Ledger))
}

// writePin puts the pin, and what else the configuration lacks, into it and leaves every other byte alone.
func (t *tool) writePin(ctx context.Context, path string, data []byte) error {
	if t.ledger.Pin == t.cfg.Ledger {
		return nil
	}
	line := fmt.Sprintf("ledger = %q", t.ledger.Pin)
	more := t.lacking(ctx, data)
	if path == "" {
		t.note("a bare repository has no work tree; put this line at the top of %s and commit it: %s", configFile, line)
		t.noteLines(more)
		return nil
	}
	if data == nil {
		data = fmt.Appendf(nil, template, t.ledger.Pin, t.cfg.Remote, t.branch(ctx))
	} else {
		for _, s := range slices.Backward(more) {
			data = s.put(data)
		}
		data = setting{"ledger", t.ledger.Pin}.put(data)
	}
	if cfg, err := parseConfig(configFile, data); err != nil || cfg.Ledger != t.ledger.Pin || cfg.Remote != t.cfg.Remote {
		t.note("%s is left alone, since its ledger line is written in an unusual way; make it: %s", configFile, line)
		t.noteLines(more)
		return nil
	}
	return os.WriteFile(path, data, 0o666)
}

// insertTop keeps a byte order mark first, and the file's kind of line ends.
func insertTop(data []byte, line string) []byte {
	const bom = "\uFEFF"
	first, _, _ := bytes.Cut(data, []byte("\n"))
	end := "\n"
	if bytes.HasSuffix(first, []byte("\r")) {
		end = "\r\n"
	}
	rest, marked := bytes.CutPrefix(data, []byte(bom))
	if marked {
		line = bom + line
	}
	return append([]byte(line+end), rest...)
}

// branch is the branch that a new configuration plans: the one that is checked out.
func (t *tool) branch(ctx context.Context) string {
	name, err := t.repo.Run(ctx, "symbolic-ref", "--quiet", "--short", "HEAD")
	if err != nil {
		return "main"
	}
	return name
}

// showNotes makes git log show where articles were posted.
func (t *tool) showNotes(ctx context.Context) error {
	shown, _ := t.repo.Run(ctx, "config", "--get-all", "notes.displayRef")
	if slices.Contains(strings.Split(shown, "\n"), ledger.DisplayRef) {
		return nil
	}
	_, err := t.repo.Run(ctx, "config", "--add", "notes.displayRef", ledger.DisplayRef)
	return err
}

func (t *tool) printNext(path string) {
	files := configFile
	if t.cfg.Sign {
		files += " " + shell(t.cfg.Signers)
	}
	next := []string{"git add " + files + " && git commit && git push"}
	if len(t.cfg.Channels) == 0 {
		next = slices.Insert(next, 0, "edit "+configFile+": declare a channel, with its author")
	}
	if path == "" {
		next = nil
	}
	next = append(next, "write a post: "+t.cfg.Posts+"/<slug>/<channel>.md; look at it: git socialpost plan --worktree",
		`let it go: set mode = "pilot" or "live", commit and push, and run git socialpost deliver in CI`)
	fmt.Fprintln(t.stdout, "next:")
	for _, line := range next {
		fmt.Fprintln(t.stdout, "  "+line)
	}
}

const template = `# What git socialpost posts, and where. Only the committed version of this file counts.
ledger = %q # the ledger's first commit
remote = %q  # where the ledger lives
branch = %q        # the branch whose texts are approved
posts  = "social"  # posts are social/<slug>/<channel>.md
mode   = "plan"    # plan: nothing is ever sent; pilot: only the keys below; live: everything due
# pilot = ["example-note:linkedin-en"]
limit  = 5         # refuse a run in which more than this is due

# A channel is a platform, a language and an author.
# [channel.linkedin-en]
# platform   = "linkedin"
# language   = "en"
# author     = "urn:li:person:..."   # as git socialpost login prints it; or urn:li:organization:...
# visibility = "PUBLIC"
# token_env  = "LINKEDIN_ACCESS_TOKEN"   # the environment variable that holds the token

[linkedin]
version = "202609" # LinkedIn retires a version about a year after its month
timeout = "30s"
`
