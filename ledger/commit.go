package ledger

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"regexp"
	"strings"
	"time"

	"github.com/git-socialpost/git-socialpost/gitexec"
)

// commit reads a commit as it is stored; git's own idea of its parents ends where a clone is shallow. It returns nil
// if the object is not here.
func (l *Ledger) commit(id string) (*commit, error) {
	obj, err := l.Objects.Read(id)
	if err != nil || obj == nil {
		return nil, err
	}
	if obj.Type != "commit" {
		return nil, fmt.Errorf("%.12s is a %s, not a commit", id, obj.Type)
	}
	return parseCommit(id, string(obj.Data))
}

// present is commit for one that must be here.
func (l *Ledger) present(id string) (*commit, error) {
	c, err := l.commit(id)
	if err == nil && c == nil {
		err = fmt.Errorf("object %s is missing here", id)
	}
	return c, err
}

// parseCommit demands of a commit just the form that this program writes: one tree, at most one parent, author,
// committer, a signature or none. Git reads more forms than one, and could see another tree than the one verified here.
func parseCommit(id, data string) (*commit, error) {
	head, message, _ := strings.Cut(data, "\n\n")
	m := commitForm.FindStringSubmatch(head + "\n")
	if m == nil {
		return nil, fmt.Errorf("%.12s is a merge, or no commit as git writes it", id)
	}
	c := &commit{id: id, tree: m[1], parent: m[2], signed: m[3] != "", message: message}
	var err error
	if c.trailers, err = parseTrailers(message); err != nil {
		return nil, fmt.Errorf("%.12s: %w", id, err)
	}
	return c, nil
}

var commitForm = regexp.MustCompile(`\Atree ([0-9a-f]{40}|[0-9a-f]{64})\n` +
	`(?:parent ([0-9a-f]{40}|[0-9a-f]{64})\n)?` +
	`author [^\n]*\ncommitter [^\n]*\n` +
	`(gpgsig(?:-sha256)? [^\n]*\n(?: [^\n]*\n)*)?\z`)

// changes returns what everything that differs between two trees is now, by path; the zero Entry: it is gone. Trees are
// given by id, "" for none. Only folders on the way to the files that are due to change are opened: a tree can hold more
// files than anybody can list.
func changes(o *gitexec.Objects, oldTree, newTree, prefix string, due map[string][]byte) (map[string]gitexec.Entry, error) {
	before, err := entries(o, oldTree)
	if err != nil {
		return nil, err
	}
	after, err := entries(o, newTree)
	if err != nil {
		return nil, err
	}
	names := maps.Clone(before)
	maps.Copy(names, after)
	all := map[string]gitexec.Entry{}
	for name := range names {
		x, y := before[name], after[name]
		switch {
		case x == y:
		case x.Mode != "" && !x.IsTree() || y.Mode != "" && !y.IsTree() || !leads(prefix+name+"/", due):
			all[prefix+name] = y
		default:
			below, err := changes(o, x.ID, y.ID, prefix+name+"/", due)
			if err != nil {
				return nil, err
			}
			maps.Copy(all, below)
		}
	}
	return all, nil
}

func leads(folder string, due map[string][]byte) bool {
	for path := range due {
		if strings.HasPrefix(path, folder) {
			return true
		}
	}
	return false
}

func entries(o *gitexec.Objects, tree string) (map[string]gitexec.Entry, error) {
	byName := map[string]gitexec.Entry{}
	if tree == "" {
		return byName, nil
	}
	list, err := o.Tree(tree)
	for _, e := range list {
		byName[e.Name] = e
	}
	return byName, err
}

// write makes a commit on top of a parent, "" for a first commit, and returns its id. Nothing is pushed.
func (l *Ledger) write(ctx context.Context, parent, message string, files map[string][]byte) (string, error) {
	var b bytes.Buffer
	fmt.Fprintf(&b, "commit %s\nmark :1\ncommitter %s %d +0000\ndata %d\n%s\n", draftRef, l.committer(ctx), time.Now().Unix(), len(message), message)
	if parent != "" {
		fmt.Fprintf(&b, "from %s\n", parent)
	}
	stream(&b, files)
	b.WriteString("\nget-mark :1\ndone\n")
	out, err := l.Repo.RunInput(ctx, b.Bytes(), "fast-import", "--quiet", "--force", "--done", "--date-format=raw")
	if err == nil && !gitexec.IsID(out) {
		err = fmt.Errorf("git fast-import: no object id: %q", out)
	}
	return out, err
}

// committer is the user's identity, where git has one; a runner often has none.
func (l *Ledger) committer(ctx context.Context) string {
	if l.identity == "" {
		l.identity = "git-socialpost <git-socialpost@localhost>"
		if ident, err := l.Repo.Run(ctx, "var", "GIT_COMMITTER_IDENT"); err == nil {
			l.identity = ident[:strings.LastIndexByte(ident, '>')+1]
		}
	}
	return l.identity
}
