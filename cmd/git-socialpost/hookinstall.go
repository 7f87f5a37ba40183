package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// installHook makes pushes from this clone show the plan. It overwrites nothing that it has not written itself.
func (t *tool) installHook(ctx context.Context, chain bool) error {
	h, err := t.prePushHook(ctx)
	if err != nil {
		return err
	}
	chained := h.kind == hookChained || h.kind == hookForeign || h.aside != "" && h.kind == hookAbsent
	ours := (h.kind == hookInstalled || h.kind == hookChained) && !h.edited
	switch {
	case h.runs() && (!ours || h.script == hookScript(chained)):
		fmt.Fprintln(t.stdout, h)
		return nil
	case h.manager != nil && !h.manager.hasLine:
		fmt.Fprintln(t.stdout, h.manager.add)
		return hinted(fmt.Errorf("%s writes the hooks of this repository, so nothing was installed", h.manager.name),
			append([]string{"add the lines above to " + shell(h.manager.file) + ", " + h.manager.where}, h.manager.inactive()...)...)
	case h.manager != nil, h.shared(), h.edited, h.kind == hookForeign && !chain:
		return h.missing()
	}
	if err := h.write(chained); err != nil {
		return hinted(err, "look at the owner and the mode of "+shell(filepath.Dir(h.path))+", and at core.hooksPath: git config --show-origin core.hooksPath")
	}
	return t.hookStatus(ctx)
}

// inactive is what to do where the manager's hook is not active.
func (m *hookManager) inactive() []string {
	if m.active {
		return nil
	}
	return m.begin
}

// write puts our hook in its place. A foreign one steps aside first, and comes back if ours cannot be written.
func (h *prePushHook) write(chained bool) error {
	if err := os.MkdirAll(filepath.Dir(h.path), 0o777); err != nil {
		return err
	}
	aside := h.path + asideSuffix
	if h.kind != hookForeign {
		return writeHook(h.path, hookScript(chained))
	}
	if h.aside != "" {
		return fmt.Errorf("two hooks cannot be put aside: %s is there already", aside)
	}
	if err := os.Rename(h.path, aside); err != nil {
		return err
	}
	if err := writeHook(h.path, hookScript(chained)); err != nil {
		return errors.Join(err, os.Rename(aside, h.path))
	}
	return nil
}

// uninstallHook takes away what installHook has written, and gives the hook that was put aside its place back.
func (t *tool) uninstallHook(ctx context.Context) error {
	h, err := t.prePushHook(ctx)
	if err != nil {
		return err
	}
	ours := h.kind == hookInstalled || h.kind == hookChained
	switch {
	case ours && h.edited:
		return hinted(fmt.Errorf("the hook was edited since it was installed, so it stays: %s", h.path),
			"look at it, then remove it yourself: "+shell("rm", h.path), "git socialpost hook uninstall brings back what was put aside")
	case h.manager != nil && h.manager.hasLine:
		return hinted(fmt.Errorf("the plan's line is in %s, which is yours", h.manager.file), "remove it there")
	case h.kind == hookForeign && h.hasLine:
		return hinted(fmt.Errorf("the plan's line is in a hook that is not git-socialpost's: %s", h.path), "remove it there")
	case h.aside != "" && !ours && h.kind != hookAbsent:
		return hinted(fmt.Errorf("another hook has taken the place of git-socialpost's: %s", h.path), "the one before it is still here: "+shell(h.aside))
	case h.aside != "" && h.kind != hookInstalled:
		err = os.Rename(h.aside, h.path)
	case ours:
		err = os.Remove(h.path)
	default:
		t.note("there is no hook of git-socialpost's in this clone")
		return nil
	}
	if err != nil {
		return hinted(err, "look at the owner and the mode of "+shell(filepath.Dir(h.path)))
	}
	return nil
}

func (t *tool) hookStatus(ctx context.Context) error {
	h, err := t.prePushHook(ctx)
	if err != nil {
		return err
	}
	fmt.Fprintln(t.stdout, h)
	return h.missing()
}
