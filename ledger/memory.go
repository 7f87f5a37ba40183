package ledger

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/git-socialpost/git-socialpost/gitexec"
)

// What this clone remembers is the tip of every shard that it has verified. The refs below memoryRefs keep those commits
// and are what git log shows; which of them were verified here is in a file beside them, since a mirror's refspec takes
// refs of any name from the remote.
func (l *Ledger) memoryFile() string {
	return filepath.Join(l.Repo.CommonDir, "socialpost", "verified")
}

// memory reads what this clone remembers, by shard: nothing before its first fetch.
func (l *Ledger) memory() (map[string]string, error) {
	data, err := os.ReadFile(l.memoryFile())
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	memory, rules := map[string]string{}, ""
	for line := range strings.Lines(string(data)) {
		name, id, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		if name == "rules" {
			rules = id
			continue
		}
		if !isHex(name, 1, 2) || !gitexec.IsID(id) {
			return nil, fmt.Errorf("%s: %q is no shard and its verified commit; remove the file to verify all anew", l.memoryFile(), line)
		}
		memory[name] = id
	}
	l.anew = rules != l.rules()
	return memory, nil
}

// remember advances this clone's memory of the ledger to what was verified.
func (l *Ledger) remember(ctx context.Context, memory map[string]string) error {
	var input strings.Builder
	for _, name := range sortedKeys(l.tips) {
		if tip := l.tips[name].id; memory[name] != tip {
			fmt.Fprintf(&input, "update %s%s %s\n", memoryRefs, name, tip)
		}
	}
	for _, name := range sortedKeys(memory) {
		if l.tips[name] == nil {
			fmt.Fprintf(&input, "delete %s%s\n", memoryRefs, name)
		}
	}
	if input.Len() == 0 {
		if l.anew {
			return l.writeMemory()
		}
		return nil
	}
	if _, err := l.Repo.RunInput(ctx, []byte(input.String()), "update-ref", "--stdin"); err != nil {
		return err
	}
	return l.writeMemory()
}

func (l *Ledger) writeMemory() error {
	var b strings.Builder
	if rules := l.rules(); rules != "" {
		fmt.Fprintf(&b, "rules %s\n", rules)
	}
	for _, name := range sortedKeys(l.tips) {
		fmt.Fprintf(&b, "%s %s\n", name, l.tips[name].id)
	}
	return gitexec.WriteFile(l.memoryFile(), []byte(b.String()))
}

// rules tells by which rules this clone verifies signatures, "" if by none.
func (l *Ledger) rules() string {
	if l.Signing == nil {
		return ""
	}
	return l.Signing.Rules
}
