package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/git-socialpost/git-socialpost/gitexec"
)

// hookKind is what stands in the place of the pre-push hook.
type hookKind string

const (
	hookAbsent    hookKind = "absent"
	hookInstalled hookKind = "installed" // ours
	hookChained   hookKind = "chained"   // ours, which runs the one that was there before, too
	hookForeign   hookKind = "foreign"
	hookManaged   hookKind = "managed" // by another program, which would overwrite what we write
)

// prePushHook is the hook that git runs before a push from this clone, as it was found.
type prePushHook struct {
	path    string
	home    string // where this repository's own hooks are, unless core.hooksPath says otherwise
	scope   string // of core.hooksPath, as git names it; "" where that is not set
	kind    hookKind
	edited  bool         // ours, and somebody has changed it
	idle    bool         // git does not run it: it is not executable
	hasLine bool         // the plan's line is in it
	aside   string       // the hook that install --chain has put aside, "" if there is none
	manager *hookManager // of a managed one
	script  string
}

// prePushHook looks at the pre-push hook of this clone. It wants an open repository, and no configuration.
func (t *tool) prePushHook(ctx context.Context) (*prePushHook, error) {
	top, err := t.repo.Run(ctx, "rev-parse", "--show-toplevel")
	if err != nil {
		top = "" // a bare repository, or the inside of a .git
	}
	h := &prePushHook{kind: hookAbsent, home: filepath.Join(t.repo.CommonDir, "hooks")}
	if h.path, h.scope, err = t.hookPlace(ctx, top); err != nil {
		return nil, err
	}
	hook, err := readHook(h.path)
	if err != nil {
		return nil, hinted(err, "look at what is in the place of the pre-push hook")
	}
	if exists(h.path + asideSuffix) {
		h.aside = h.path + asideSuffix
	}
	h.script, h.idle, h.hasLine = hook.text, hook.there && !hook.runs, planLine.MatchString(hook.text)
	if scriptMark.MatchString(hook.text) {
		h.kind, h.edited = hookInstalled, !untouched(hook.text)
		if strings.Contains(hook.text, asideSuffix) {
			h.kind = hookChained
		}
		return h, nil
	}
	if h.manager, err = h.findManager(hook, top); err != nil {
		return nil, hinted(err, "look at what is in the place of the hook manager's file")
	}
	switch {
	case h.manager != nil:
		h.kind = hookManaged
	case hook.there:
		h.kind = hookForeign
	}
	return h, nil
}

// hookPlace is git's rev-parse --git-path hooks/pre-push, absolute; git's own answer is wrong in a subdirectory of a bare
// repository. A relative core.hooksPath counts from where hooks run: the work tree's top, or the bare repository.
func (t *tool) hookPlace(ctx context.Context, top string) (path, scope string, err error) {
	out, err := t.repo.Run(ctx, "config", "-z", "--show-scope", "--type=path", "--get", "core.hooksPath")
	if gitexec.ExitStatus(err) == 1 { // not set
		return filepath.Join(t.repo.CommonDir, "hooks", "pre-push"), "", nil
	}
	if err != nil {
		return "", "", err
	}
	scope, folder, _ := strings.Cut(strings.TrimSuffix(out, "\x00"), "\x00")
	if folder == "" { // git takes that for the root of the file system
		return "", "", hinted(fmt.Errorf("core.hooksPath is empty (%s configuration), so git finds no hooks", scope),
			"git config --show-origin --get-all core.hooksPath shows where; remove that line, or give it a folder")
	}
	if folder = filepath.FromSlash(folder); !filepath.IsAbs(folder) {
		switch {
		case t.repo.Bare:
			top = t.repo.CommonDir
		case top == "":
			return "", "", hinted(fmt.Errorf("core.hooksPath is %q, which counts from the top of a work tree", folder), "run this in the work tree")
		}
		folder = filepath.Join(top, folder)
	}
	return filepath.Join(folder, "pre-push"), scope, nil
}

// shared tells whether the place of the hook is not this repository's own.
func (h *prePushHook) shared() bool {
	return !slices.Contains([]string{"", "local", "worktree"}, h.scope)
}

// runs tells whether a push from this clone shows the plan.
func (h *prePushHook) runs() bool {
	if h.manager != nil {
		return h.manager.active && h.manager.hasLine
	}
	return h.hasLine && !h.idle
}

// String is the state in one line.
func (h *prePushHook) String() string {
	said := string(h.kind)
	switch {
	case h.manager != nil:
		said = fmt.Sprintf("managed by %s: the plan's line is %s %s", h.manager.name, presence(h.manager.hasLine, "in", "not in"), h.manager.file)
		if !h.manager.active {
			said += ", and " + h.manager.name + "'s hook is not " + h.path
		}
		return said
	case h.kind == hookForeign:
		said += ", " + presence(h.hasLine, "with", "without") + " the plan's line"
	case h.edited:
		said += ", and edited since"
	}
	if h.idle {
		said += ", not executable"
	}
	if h.scope != "" {
		said += fmt.Sprintf(", by core.hooksPath (%s)", h.scope)
	}
	return said + ": " + h.path
}

func presence(yes bool, then, otherwise string) string {
	if yes {
		return then
	}
	return otherwise
}

// missing is why a push does not show the plan, with what to type; nil if it does.
func (h *prePushHook) missing() error {
	switch {
	case h.runs():
		return nil
	case h.shared() && h.manager == nil:
		return h.sharedError()
	case h.manager != nil:
		return h.managerError()
	case h.hasLine:
		return hinted(fmt.Errorf("%s is not executable, so git does not run it", h.path), shell("chmod", "+x", h.path))
	case h.kind == hookForeign:
		return hinted(fmt.Errorf("another pre-push hook is there: %s", h.path),
			"to run both: git socialpost hook install --chain",
			"or, if it does not read its standard input, add this line to it: "+oneScriptLine(`git socialpost plan --pre-push "$@" || exit`))
	case h.edited:
		return hinted(fmt.Errorf("the hook was edited, and shows no plan any more: %s", h.path),
			"add this line to it: "+oneScriptLine(`git socialpost plan --pre-push "$@" || exit`),
			"or remove it: "+shell("rm", h.path)+", then run git socialpost hook install")
	}
	return hinted(errors.New("a push from this clone does not show the plan"), "git socialpost hook install")
}

func (h *prePushHook) sharedError() error {
	folder := filepath.Dir(h.path)
	if h.scope == "command" {
		return hinted(fmt.Errorf("core.hooksPath is %s for this one command only", folder), "run this without git -c core.hooksPath=…, and without it in the environment")
	}
	return hinted(fmt.Errorf("core.hooksPath is %s for all repositories (%s configuration); nothing is written there", folder, h.scope),
		"to give this repository hooks of its own, in place of those: "+shell("git", "config", "core.hooksPath", h.home)+" && git socialpost hook install",
		"or, for all repositories, add this line to "+shell(h.path)+": "+oneScriptLine(`git socialpost plan --pre-push "$@" || exit`))
}

func (h *prePushHook) managerError() error {
	m := h.manager
	var lines []string
	if !m.hasLine {
		lines = append(lines, "git socialpost hook install prints what to add to "+shell(m.file))
	}
	if !m.active {
		lines = append(lines, m.begin...)
	}
	return hinted(fmt.Errorf("the hooks of this repository are %s's, which %s", m.name,
		presence(m.hasLine, "are not active in this clone", "do not show the plan")), lines...)
}
