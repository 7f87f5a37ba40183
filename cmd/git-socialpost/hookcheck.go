package main

import "context"

func (e *exam) checkHook(ctx context.Context) []finding {
	if e.repo.Bare || e.inCI() {
		return []finding{saw(fine, "nobody pushes from here, so no pre-push hook is needed")}
	}
	hook, err := e.prePushHook(ctx)
	switch {
	case err != nil:
		return []finding{saw(doubt, "%v", err).to(hints(err)...)}
	case !hook.runs():
		missing := hook.missing()
		return []finding{saw(doubt, "%v", missing).to(hints(missing)...)}
	}
	return []finding{saw(fine, "a push from this clone shows the plan")}
}
