package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"regexp"
	"runtime"
	"syscall"

	"github.com/git-socialpost/git-socialpost/ledger"
)

// asideSuffix is the end of the name under which install --chain keeps the hook that was there before.
const asideSuffix = ".before-socialpost"

const (
	scriptOrigin = `# by "git socialpost hook install"; "git socialpost hook uninstall" removes it unless it was edited: `

	// A machine without the program must be able to push.
	withoutTool = "git-socialpost is not installed here, so the posts are neither checked nor planned"

	plainScript = `if ! command -v git-socialpost >/dev/null; then
	echo "` + withoutTool + `" >&2
	exit 0
fi
exec git socialpost plan --pre-push "$@"
`
	// The lines go to both byte for byte: $(…) would eat a last line end, and a pipe can be read once.
	chainScript = `lines=$(cat; echo .)
lines=${lines%.}
if [ -x "$0` + asideSuffix + `" ]; then
	printf %s "$lines" 2>/dev/null | "$0` + asideSuffix + `" "$@" || exit
fi
if ! command -v git-socialpost >/dev/null; then
	echo "` + withoutTool + `" >&2
	exit 0
fi
printf %s "$lines" | git socialpost plan --pre-push "$@"
`
)

var (
	scriptMark = regexp.MustCompile(`(?m)^` + regexp.QuoteMeta(scriptOrigin) + `([0-9a-f]{16})\n`)
	planLine   = regexp.MustCompile(`(?m)^[^#\n]*\bsocialpost\s+plan\b[^#\n]*--pre-push\b`)
)

// hookScript is a hook as install writes it. Its mark holds the sum of all the rest, so that a later version of this
// program, too, can tell whether somebody has edited it.
func hookScript(chained bool) string {
	body := plainScript
	if chained {
		body = chainScript
	}
	return "#!/bin/sh\n" + scriptOrigin + scriptSum("#!/bin/sh\n"+body) + "\n" + body
}

func scriptSum(text string) string { return ledger.SHA256([]byte(text))[:16] }

// untouched tells whether a marked script is as install wrote it.
func untouched(script string) bool {
	at := scriptMark.FindStringSubmatchIndex(script)
	return at != nil && scriptSum(script[:at[0]]+script[at[1]:]) == script[at[2]:at[3]]
}

// hookFile is a hook on the disk.
type hookFile struct {
	there bool
	runs  bool // git runs it: it can be executed
	text  string
}

// readHook reads a hook. A symbolic link that leads nowhere is there: it is somebody's.
func readHook(path string) (hookFile, error) {
	if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) {
		return hookFile{}, nil
	}
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return hookFile{there: true}, nil
	}
	if err != nil {
		return hookFile{}, err
	}
	data, err := os.ReadFile(path)
	return hookFile{there: true, runs: runtime.GOOS == "windows" || info.Mode()&0o111 != 0, text: string(data)}, err
}

// writeHook puts a script in a hook's place, whole or not at all.
func writeHook(path, script string) error {
	draft := path + ".new"
	os.Remove(draft) // left over, its mode unknown
	if err := os.WriteFile(draft, []byte(script), 0o777); err != nil {
		return err
	}
	defer os.Remove(draft)
	return os.Rename(draft, path)
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// oneScriptLine is the plan for a script that others share, who may not have the program.
func oneScriptLine(then string) string {
	return fmt.Sprintf(`if command -v git-socialpost >/dev/null; then %s; else echo "%s" >&2; fi`, then, withoutTool)
}
