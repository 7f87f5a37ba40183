package main

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/git-socialpost/git-socialpost/ledger"
)

const postEnding = ".md"

// textEndings are those of files that may be meant as posts, in small letters.
var textEndings = []string{"", ".txt", ".text", ".markdown", postEnding}

// A file is one file of the posts folder, as git or the disk has it.
type file struct {
	Path string // from the repository's top, with slashes
	Mode string // as git writes it: 100644, 100755, 120000 for a symbolic link, 160000 for a submodule
	Data []byte
}

func (f file) linked() bool { return !strings.HasPrefix(f.Mode, "100") }

// readPosts reads the posts, sorted by path, and warns of every file that is none. Files whose names begin with a dot,
// such as .gitkeep, are left alone.
func readPosts(cfg *config, files []file) (posts []*post, warnings []problem) {
	for _, f := range files {
		if strings.HasPrefix(path.Base(f.Path), ".") {
			continue
		}
		if message, remedy := notPost(cfg.Posts, f); message != "" {
			warnings = append(warnings, problem{Path: f.Path, Message: message, Remedy: remedy})
			continue
		}
		posts = append(posts, readPost(cfg, f))
	}
	slices.SortFunc(posts, func(a, b *post) int { return cmp.Compare(a.Path, b.Path) })
	slices.SortFunc(warnings, func(a, b problem) int { return cmp.Compare(a.Path, b.Path) })
	refuseSharedKeys(posts)
	return posts, warnings
}

// notPost says why a file is no post, and what would make it one; the message is empty for <folder>/<slug>/<channel>.md.
func notPost(folder string, f file) (message, remedy string) {
	form := path.Join(folder, "<slug>", "<channel>"+postEnding)
	rightDepth := path.Dir(path.Dir(f.Path)) == folder
	switch {
	case rightDepth && path.Ext(f.Path) == postEnding:
		return "", ""
	case f.linked():
		return "is no post: a symbolic link or a submodule, which is never followed", "put the files themselves here, as " + form
	case !rightDepth:
		return "is no post: it lies at the wrong depth", "move it to " + form
	}
	remedy = "rename it to " + strings.TrimSuffix(f.Path, path.Ext(f.Path)) + postEnding
	if !slices.Contains(textEndings, strings.ToLower(path.Ext(f.Path))) {
		remedy += ", or move it out of " + folder + "/: only posts belong there"
	}
	return fmt.Sprintf("is no post: its name does not end in %s", postEnding), remedy
}

func refuseSharedKeys(posts []*post) {
	paths := map[ledger.Key][]string{}
	for _, p := range posts {
		paths[p.Key] = append(paths[p.Key], p.Path)
	}
	delete(paths, ledger.Key{})
	for _, p := range posts {
		if same := paths[p.Key]; len(same) > 1 {
			others := slices.DeleteFunc(slices.Clone(same), func(other string) bool { return other == p.Path })
			p.fail(0, fmt.Sprintf("has the same key %s as %s", p.Key, strings.Join(others, ", ")), "keep one of them, or set edition to republish on purpose")
			p.Payload = nil
		}
	}
}
