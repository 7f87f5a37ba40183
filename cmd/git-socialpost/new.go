package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/git-socialpost/git-socialpost/ledger"
)

func (t *tool) newCommand() *cli.Command {
	return &cli.Command{
		Name:      "new",
		Usage:     "begin a post: write its front matter, and open the editor",
		ArgsUsage: "SLUG CHANNEL",
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "no-edit", Usage: "do not open the editor", DisableDefaultText: true},
		},
		Action: t.newPost,
	}
}

func (t *tool) newPost(c *cli.Context) error {
	slug, channel := c.Args().Get(0), c.Args().Get(1)
	if before, after, found := strings.Cut(slug, ":"); found && c.NArg() == 1 {
		slug, channel = before, after
	} else if c.NArg() != 2 {
		return usagef("new takes a slug and a channel, such as: git socialpost new note linkedin-en")
	}
	if err := ledger.CheckSlug(slug); err != nil {
		return usageError{err.Error()}
	}
	defer t.close()
	if err := t.open(c.Context); err != nil {
		return err
	}
	top, err := t.configureDrafts(c.Context, "new needs a work tree: run it in a clone that is not bare")
	if err != nil {
		return err
	}
	if message, near := t.cfg.unknownChannel(channel); message != "" {
		return hinted(errors.New(message), orMeant(near, declareChannel(channel, "take the name of a channel")))
	}
	name := t.cfg.Posts + "/" + slug + "/" + channel + postEnding
	path := filepath.Join(top, filepath.FromSlash(name))
	if err := inside(top, name); err != nil {
		return err
	}
	if err := t.writeSkeleton(path, slug); err != nil {
		return err
	}
	fmt.Fprintln(t.stdout, name)
	if !t.terminal || c.Bool("no-edit") {
		if t.watched {
			t.remark("to see what would be posted: git socialpost plan --worktree")
		}
		return nil
	}
	if err := t.repo.Edit(c.Context, path, t.stdin, device(t.stdout), device(t.stderr)); err != nil {
		return hinted(err, "the file is there; git var GIT_EDITOR tells which editor git runs")
	}
	t.remark("to see what would be posted: git socialpost plan --worktree")
	return nil
}

// inside refuses what plan would not read: a way through a symbolic link or into another repository.
func inside(top, name string) error {
	path := top
	for part := range strings.SplitSeq(name, "/") {
		path = filepath.Join(path, part)
		info, err := os.Lstat(path)
		if err != nil {
			return nil // not there yet; what else is wrong, writing it tells
		}
		if info.Mode().Type()&(fs.ModeSymlink|fs.ModeIrregular) != 0 {
			return hinted(fmt.Errorf("%s is a symbolic link, which is never followed", path), "put the thing itself there, or name another one as posts in "+configFile)
		}
		if _, err := os.Lstat(filepath.Join(path, ".git")); err == nil {
			return hinted(fmt.Errorf("%s is another repository, whose files are not committed here", path), "write the post there, or name another folder as posts in "+configFile)
		}
	}
	return nil
}

// writeSkeleton never overwrites: what is there may be somebody's text.
func (t *tool) writeSkeleton(path, slug string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return hinted(err, "look at the folder's owner, and at what stands in its way")
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if errors.Is(err, fs.ErrExist) {
		return hinted(fmt.Errorf("%s is there already", path), "edit it; to post it once more, set edition = 2 in it")
	}
	if err != nil {
		return hinted(err, "look at the folder's owner, and at free space")
	}
	_, err = fmt.Fprintf(f, skeleton, slug, t.now().AddDate(0, 0, 1).Format("2006-01-02T09:00:00-07:00"))
	return errors.Join(err, f.Close())
}

// skeleton takes the slug, and a time.
const skeleton = `+++
# link = "https://example.com/%s/"
# title = "The link card's title"
# description = "One line below it"
# publish_after = %s
+++

`
