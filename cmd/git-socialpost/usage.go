package main

import (
	"context"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/git-socialpost/git-socialpost/ledger"
)

// usageError is a command line that this program does not understand.
type usageError struct{ message string }

func (e usageError) Error() string { return e.message }

func usagef(format string, args ...any) error { return usageError{fmt.Sprintf(format, args...)} }

const usageHint = "git socialpost -h lists the commands; git socialpost --help is the manual"

// onUsageError takes the flag package's errors; what they say is all that they tell.
func onUsageError(c *cli.Context, err error, _ bool) error {
	name, unknown := strings.CutPrefix(err.Error(), "flag provided but not defined: -")
	err = usageError{err.Error()}
	if near := nearest(name, longFlags(c.Command)); unknown && near != "" {
		return hinted(err, "did you mean: --"+near)
	}
	return err
}

// aboutCommand names the command's own help after a wrong command line that has no hint of its own.
func aboutCommand(app *cli.App, args []string, err error) error {
	_, bare := err.(usageError)
	first := slices.IndexFunc(args[1:], func(arg string) bool { return !slices.Contains(commonNames, arg) })
	if !bare || first < 0 {
		return err
	}
	cmd := app.Command(args[1+first])
	if cmd == nil || cmd.Hidden {
		return err
	}
	return hinted(err, usageHint, "git socialpost "+cmd.Name+" -h lists its options")
}

func unknownCommand(app *cli.App, name string) error {
	var names []string
	for _, cmd := range app.VisibleCommands() {
		names = append(names, cmd.Name)
	}
	near := nearest(name, names)
	if slices.Contains([]string{"post", "publish", "send"}, name) {
		near = "deliver"
	}
	err := usagef("%q is not a git-socialpost command", name)
	if near != "" {
		return hinted(err, "did you mean: git socialpost "+near)
	}
	return err
}

// planOfOne refuses an argument of plan, and tells a key's plan.
func planOfOne(arg string) error {
	err := usagef("plan takes no arguments, got %q", arg)
	if _, bad := ledger.ParseKey(arg); bad != nil {
		return err
	}
	return hinted(err, usageHint, "what would become of one delivery: git socialpost deliver "+arg+" --dry-run")
}

// parseKeys returns a command's arguments, which must be keys.
func (t *tool) parseKeys(c *cli.Context) ([]string, error) {
	args := c.Args().Slice()
	for _, arg := range args {
		if _, err := ledger.ParseKey(arg); err != nil {
			return nil, t.noKey(c.Context, arg, err)
		}
	}
	return args, nil
}

// noKey is for an argument that may be a post's folder or file, as the shell completes it.
func (t *tool) noKey(ctx context.Context, arg string, reason error) error {
	err := usageError{reason.Error()}
	if meant := t.keysOf(ctx, arg); len(meant) > 0 {
		return hinted(err, usageHint, "did you mean "+strings.Join(meant, " or ")+"?")
	}
	return err
}

// keysOf returns the keys of the posts in a folder or a file; without a repository, that of the file's usual place.
func (t *tool) keysOf(ctx context.Context, arg string) (keys []string) {
	name := path.Clean(filepath.ToSlash(arg))
	defer t.close()
	if src, err := t.readHead(ctx); err == nil {
		for _, p := range src.posts {
			if p.Key != (ledger.Key{}) && (p.Key.Slug == name || sameEnd(p.Path, name) || sameEnd(path.Dir(p.Path), name)) {
				keys = append(keys, p.Key.String())
			}
		}
	}
	if channel, isPost := strings.CutSuffix(path.Base(name), postEnding); isPost && len(keys) == 0 {
		if k, err := ledger.ParseKey(path.Base(path.Dir(name)) + ":" + channel); err == nil {
			keys = append(keys, k.String())
		}
	}
	const most = 5 // the languages of an article
	if len(keys) > most {
		return nil
	}
	return keys
}

// sameEnd tells whether two paths can be one, told from different folders.
func sameEnd(a, b string) bool {
	a, b = "/"+a, "/"+b
	return strings.HasSuffix(a, b) || strings.HasSuffix(b, a)
}
