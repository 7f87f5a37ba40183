//go:build unix

package main

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/git-socialpost/git-socialpost/ledger"
)

// draft is a post on the branch.
type draft struct {
	key, text string
	edition   int
	edits     int
	slug      string // in the front matter
	invalid   bool
	scheduled bool
	twin      bool // of a delivery under another key
}

func (d *draft) String() string {
	var b strings.Builder
	b.WriteString("+++\n")
	if d.edits > 0 {
		fmt.Fprintf(&b, "link = \"https://example.com/%d\"\ntitle = \"Edit %d\"\n", d.edits, d.edits)
	}
	if d.edition > 0 {
		fmt.Fprintf(&b, "edition = %d\n", d.edition)
	}
	if d.slug != "" {
		fmt.Fprintf(&b, "slug = %q\n", d.slug)
	}
	if d.scheduled {
		fmt.Fprintf(&b, "publish_after = %s\n", time.Now().Add(time.Hour).Format(time.RFC3339))
	}
	if d.invalid {
		b.WriteString("surprise = true\n")
	}
	return b.String() + "+++\n" + d.text + "\n"
}

// keys are those on the branch, and one that is not.
func (h *history) keys() []string {
	h.mu.Lock()
	defer h.mu.Unlock()
	keys := []string{"none:linkedin-en"}
	for _, path := range slices.Sorted(maps.Keys(h.drafts)) {
		keys = append(keys, h.drafts[path].key)
	}
	return keys
}

// write is what the author does: a new post, or a change to an old one; and a push of it.
func (a *actor) write() {
	a.edit()
	blog := &machine{world: a.world, dir: filepath.Join(a.dir, "blog")}
	blog.git("add", "-A")
	blog.git("commit", "-q", "--allow-empty", "-m", "posts")
	blog.git("push", "-q", "origin", "HEAD:main")
	a.rest(1500 * time.Millisecond)
}

func (a *actor) edit() {
	a.mu.Lock()
	defer a.mu.Unlock()
	path := drawn(a, slices.Sorted(maps.Keys(a.drafts))...)
	d := a.drafts[path]
	slug, rest, _ := strings.Cut(d.key, ":")
	channel, _, _ := strings.Cut(rest, "@")
	put := func(path string, d *draft) {
		a.drafts[path] = d
		(&machine{world: a.world, dir: filepath.Join(a.dir, "blog")}).write(path, d.String())
	}
	remove := func() {
		delete(a.drafts, path)
		a.check(os.RemoveAll(filepath.Join(a.dir, "blog", path)))
	}
	a.serial++
	fresh := fmt.Sprintf("n%d:%s", a.serial, channel)
	switch a.IntN(16) {
	case 0:
		d.edits++
		put(path, d)
	case 1: // to another folder; its slug stays
		remove()
		d.slug = slug
		put(postPath(fresh), d)
	case 2, 3: // to another folder, and nothing says that it is the same
		if a.isDelivered(d.key) {
			remove()
			put(postPath(fresh), &draft{key: fresh, text: d.text, twin: true})
		}
	case 4:
		if len(a.drafts) > 1 {
			remove()
		}
	case 5, 6:
		if !d.twin {
			d.edition = max(2, d.edition+1)
			d.key = fmt.Sprintf("%s:%s@%d", slug, channel, d.edition)
			d.text = textOf(d.key)
			put(path, d)
		}
	case 7:
		d.invalid = !d.invalid
		put(path, d)
	case 8:
		put(postPath(fresh), &draft{key: fresh, text: textOf(fresh), scheduled: true})
	default:
		put(postPath(fresh), &draft{key: fresh, text: textOf(fresh)})
	}
}

func (h *history) isDelivered(key string) bool {
	h.judge.mu.Lock()
	defer h.judge.mu.Unlock()
	rec := h.judge.last[key]
	return rec != nil && rec.State == ledger.Delivered
}
