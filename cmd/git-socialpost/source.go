package main

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
)

// source is the posts of one revision, or of the work tree.
type source struct {
	revision string // "" for the work tree
	posts    []*post
	warnings []problem
}

// readRevision reads configuration and posts as they are in a commit.
func (t *tool) readRevision(ctx context.Context, commit string) (*source, error) {
	if err := t.configure(ctx, commit); err != nil {
		return nil, err
	}
	files, err := t.readTree(commit+":"+t.cfg.Posts, t.cfg.Posts)
	if err != nil {
		return nil, err
	}
	src := &source{revision: commit}
	src.posts, src.warnings = readPosts(t.cfg, files)
	return src, nil
}

// readTree lists the files below a folder, with the content of those that can be posts.
func (t *tool) readTree(name, prefix string) ([]file, error) {
	entries, err := t.objects.Tree(name)
	if err != nil {
		return nil, err
	}
	var files []file
	for _, e := range entries {
		f := file{Path: prefix + "/" + e.Name, Mode: e.Mode}
		if e.IsTree() {
			below, err := t.readTree(e.ID, f.Path)
			if err != nil {
				return nil, err
			}
			files = append(files, below...)
			continue
		}
		if path.Ext(e.Name) == postEnding && !f.linked() {
			if f.Data, err = t.objects.Blob(e.ID); err != nil {
				return nil, err
			}
		}
		files = append(files, f)
	}
	return files, nil
}

// readHead opens the repository and reads what is checked out, as it was committed.
func (t *tool) readHead(ctx context.Context) (*source, error) {
	if err := t.open(ctx); err != nil {
		return nil, err
	}
	head, err := t.revision(ctx, "HEAD")
	if err != nil {
		return nil, err
	}
	return t.readRevision(ctx, head)
}

// configureDrafts takes the configuration on the disk, committed or not, and returns the work tree's top. The remedy is
// for where there is none.
func (t *tool) configureDrafts(ctx context.Context, remedy string) (top string, err error) {
	if top, err = t.repo.Run(ctx, "rev-parse", "--show-toplevel"); err != nil {
		return "", hinted(err, remedy)
	}
	data, err := os.ReadFile(filepath.Join(top, configFile))
	if err != nil {
		return "", hinted(err, "run git socialpost init")
	}
	return top, t.use(data, inFolder(top))
}

// readWorktree reads configuration and posts from the disk, committed or not.
func (t *tool) readWorktree(ctx context.Context) (*source, error) {
	top, err := t.configureDrafts(ctx, "--worktree needs a work tree; use --rev in a bare repository")
	if err != nil {
		return nil, err
	}
	files, err := readFolder(top, t.cfg.Posts)
	if err != nil {
		return nil, err
	}
	src := &source{}
	src.posts, src.warnings = readPosts(t.cfg, files)
	return src, nil
}

// draft is the file of a key that the disk has and the commit has not, "" if there is none.
func (t *tool) draft(ctx context.Context, key string) string {
	top, err := t.repo.Run(ctx, "rev-parse", "--show-toplevel")
	if err != nil {
		return "" // a bare repository
	}
	files, err := readFolder(top, t.cfg.Posts)
	if err != nil {
		return ""
	}
	posts, _ := readPosts(t.cfg, files)
	for _, p := range posts {
		if p.Key.String() == key {
			return p.Path
		}
	}
	return ""
}

// inFolder reads files below a folder, nil for one that is not there.
func inFolder(top string) func(string) ([]byte, error) {
	return func(name string) ([]byte, error) {
		data, err := os.ReadFile(filepath.Join(top, name))
		if errors.Is(err, fs.ErrNotExist) {
			return nil, nil
		}
		return data, err
	}
}

func readFolder(top, folder string) (files []file, err error) {
	err = filepath.WalkDir(filepath.Join(top, folder), func(path string, d fs.DirEntry, err error) error {
		name, relErr := filepath.Rel(top, path)
		name = filepath.ToSlash(name)
		if err := errors.Join(err, relErr); err != nil || d.IsDir() {
			return ignoreMissing(err, name == folder)
		}
		f := file{Path: name, Mode: "120000"}
		if d.Type().IsRegular() {
			f.Mode = "100644"
			if strings.HasSuffix(name, postEnding) {
				f.Data, err = os.ReadFile(path)
			}
		}
		files = append(files, f)
		return err
	})
	return files, err
}

// ignoreMissing is for a posts folder that nobody has made yet.
func ignoreMissing(err error, top bool) error {
	if top && errors.Is(err, fs.ErrNotExist) {
		return fs.SkipAll
	}
	return err
}
