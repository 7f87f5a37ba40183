package main

import (
	"context"
	"errors"
	"os"
	"strings"
)

func (e *exam) checkHook(ctx context.Context) []finding {
	if e.repo.Bare || e.inCI() {
		return []finding{saw(fine, "nobody pushes from here, so no pre-push hook is needed")}
	}
	missing, err := e.hookMissing(ctx)
	switch {
	case err != nil:
		return []finding{failed(err)}
	case missing != nil:
		return []finding{saw(doubt, "%v", missing).to(hints(missing)...)}
	}
	return []finding{saw(fine, "a push from this clone shows the plan")}
}

// hookMissing says why git would not show the plan before a push from this clone.
func (e *exam) hookMissing(ctx context.Context) (missing, err error) {
	path, err := e.repo.Run(ctx, "rev-parse", "--git-path", "hooks/pre-push")
	if err != nil {
		return nil, err
	}
	script, err := os.ReadFile(path)
	info, statErr := os.Stat(path)
	switch {
	case err != nil || statErr != nil || !strings.Contains(string(script), "socialpost plan --pre-push"):
		return hinted(errors.New("a push from this clone does not show the plan: there is no pre-push hook that does"),
			`two lines in `+shell(path)+`, and chmod +x: #!/bin/sh and exec git socialpost plan --pre-push "$@"`), nil
	case info.Mode()&0o111 == 0:
		return hinted(errors.New("the pre-push hook is not executable, so git does not run it"), shell("chmod", "+x", path)), nil
	}
	return nil, nil
}
