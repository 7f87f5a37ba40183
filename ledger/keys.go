package ledger

import (
	"fmt"

	"github.com/git-socialpost/git-socialpost/gitexec"
)

// SettledKeys returns the keys of all deliveries that are not open. It reads their names alone, far faster than Records.
func (l *Ledger) SettledKeys() ([]Key, error) {
	if l.tips == nil {
		return nil, errUnread
	}
	var keys []Key
	for _, name := range sortedKeys(l.tips) {
		err := l.eachFolder(l.tips[name].tree+":settled", func(hh gitexec.Entry) error {
			return l.eachFolder(hh.ID, func(slug gitexec.Entry) error {
				return l.eachFolder(slug.ID, func(channel gitexec.Entry) error {
					k, err := ParseKey(slug.Name + ":" + channel.Name)
					if err != nil {
						return fmt.Errorf("holds what is no delivery: %w", err)
					}
					keys = append(keys, k)
					return nil
				})
			})
		})
		if err != nil {
			return nil, inShard(name, err)
		}
	}
	return keys, nil
}

func (l *Ledger) eachFolder(tree string, visit func(gitexec.Entry) error) error {
	entries, err := l.Objects.Tree(tree)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if err := visit(e); err != nil {
			return err
		}
	}
	return nil
}
