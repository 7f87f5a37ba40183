package ledger

import (
	"context"
	"errors"
	"fmt"
	"path"
	"strings"

	"github.com/git-socialpost/git-socialpost/gitexec"
)

// Ledger is the ledger on one remote, as it was fetched last. Call Fetch, or Recall, before anything else.
type Ledger struct {
	Repo    *gitexec.Repo
	Objects *gitexec.Objects
	Remote  string   // a configured remote's name
	Pin     string   // object id of the first commit
	Branch  string   // if set, the first Fetch also brings the remote's branch, for OnBranch
	Signing *Signing // nil: transitions need no signature
	Deep    bool     // fetch the whole history even in a shallow clone, to compare a saved plan's tips

	fetcher  fetcher
	tips     map[string]*commit // by shard: 0 to f, or 00 to ff; nil where it could not be read or verified
	width    int                // hex digits of a shard's name
	branch   string
	identity string
	walked   []transition // verified but for their signatures
	anew     bool         // what this clone remembers was verified by other rules for signatures
}

// errUnread keeps a ledger that could not be fetched or verified from being taken for empty.
var errUnread = errors.New("the ledger was not read")

// Tips returns the verified tip of every shard.
func (l *Ledger) Tips() map[string]string {
	ids := map[string]string{}
	for name, tip := range l.tips {
		ids[name] = tip.id
	}
	return ids
}

// Record returns what the ledger says about a delivery, nil if it says nothing.
func (l *Ledger) Record(k Key) (*Record, error) {
	if l.tips == nil {
		return nil, errUnread
	}
	name := l.shardOf(k)
	rec, err := l.recordIn(l.tips[name], k)
	return rec, inShard(name, err)
}

// inShard names the shard in which something does not read. Git's own failures are none of the ledger's.
func inShard(name string, err error) error {
	_, named := errors.AsType[*DamageError](err)
	_, gits := errors.AsType[*gitexec.Error](err)
	if err == nil || named || gits {
		return err
	}
	return &DamageError{Shard: name, Reason: "does not read", Err: err}
}

// recordIn is Record as of any commit.
func (l *Ledger) recordIn(c *commit, k Key) (*Record, error) {
	for _, dir := range []string{openDir(k), l.settledDir(k)} {
		rec, err := l.recordAt(c.tree+":"+dir, k.String())
		if rec != nil || err != nil {
			return rec, err
		}
	}
	return nil, nil
}

// recordAt reads the record and the payload in one folder, nil if there is none.
func (l *Ledger) recordAt(dir, key string) (*Record, error) {
	data, err := l.Objects.Blob(dir + recordFile)
	if err != nil || data == nil {
		return nil, err
	}
	rec, err := Decode(data)
	if err != nil {
		return nil, &DamageError{Reason: "holds a record that does not read", Err: fmt.Errorf("%s: %w", key, err)}
	}
	rec.Payload, err = l.Objects.Blob(dir + payloadFile)
	switch {
	case err != nil:
		return nil, err
	case rec.Key != key:
		return nil, &DamageError{Reason: fmt.Sprintf("holds the record of %s where %s belongs", rec.Key, key)}
	case rec.Attempt == 0 && rec.Payload != nil, rec.Attempt > 0 && SHA256(rec.Payload) != rec.PayloadSHA256:
		return nil, &DamageError{Reason: "holds a payload that is not the one of its record: " + key}
	}
	return rec, nil
}

// SameText returns the open and delivered records that hold a text, given by its id as a git blob, under any key; and
// those that were abandoned without an attempt, as a back catalogue is.
func (l *Ledger) SameText(text string) ([]*Record, error) {
	if l.tips == nil {
		return nil, errUnread
	}
	var same []*Record
	for _, name := range sortedKeys(l.tips) {
		note, err := l.Objects.Blob(l.tips[name].tree + ":" + notePath(text))
		if err != nil {
			return nil, inShard(name, err)
		}
		for _, line := range strings.Fields(string(note)) {
			k, err := ParseKey(line)
			if err != nil {
				return nil, &DamageError{Shard: name, Reason: "holds a note that names no delivery", Err: err}
			}
			rec, err := l.Record(k)
			if err != nil {
				return nil, err
			}
			if rec != nil && (rec.State.Open() || rec.State == Delivered || rec.Attempt == 0) {
				same = append(same, rec)
			}
		}
	}
	return same, nil
}

// OpenRecords returns all open deliveries, sorted by key within their shards.
func (l *Ledger) OpenRecords() ([]*Record, error) {
	if l.tips == nil {
		return nil, errUnread
	}
	var open []*Record
	for _, name := range sortedKeys(l.tips) {
		recs, err := l.records(l.tips[name].tree + ":open")
		if err != nil {
			return nil, inShard(name, err)
		}
		open = append(open, recs...)
	}
	return open, nil
}

// Records returns all deliveries.
func (l *Ledger) Records() ([]*Record, error) {
	all, err := l.OpenRecords()
	if err != nil {
		return nil, err
	}
	for _, name := range sortedKeys(l.tips) {
		settled := l.tips[name].tree + ":settled"
		folders, err := l.Objects.Tree(settled)
		if err != nil {
			return nil, inShard(name, err)
		}
		for _, hh := range folders {
			recs, err := l.records(settled + "/" + hh.Name)
			if err != nil {
				return nil, inShard(name, err)
			}
			all = append(all, recs...)
		}
	}
	return all, nil
}

// OtherEditions returns the records of the same article and channel under other editions.
func (l *Ledger) OtherEditions(k Key) ([]*Record, error) {
	if l.tips == nil {
		return nil, errUnread
	}
	var others []*Record
	tip := l.tips[l.shardOf(k)]
	for _, dir := range []string{openDir(k), l.settledDir(k)} {
		recs, err := l.article(tip.tree + ":" + path.Dir(dir))
		if err != nil {
			return nil, inShard(l.shardOf(k), err)
		}
		for _, r := range recs {
			if id, _ := r.ID(); id.Channel == k.Channel && id.Edition != k.Edition {
				others = append(others, r)
			}
		}
	}
	return others, nil
}

// records reads <dir>/<slug>/<channel>/.
func (l *Ledger) records(dir string) ([]*Record, error) {
	var recs []*Record
	slugs, err := l.Objects.Tree(dir)
	if err != nil {
		return nil, err
	}
	for _, slug := range slugs {
		of, err := l.article(dir + "/" + slug.Name)
		if err != nil {
			return nil, err
		}
		recs = append(recs, of...)
	}
	return recs, nil
}

// article reads <slug>/<channel>/ of one slug.
func (l *Ledger) article(dir string) ([]*Record, error) {
	var recs []*Record
	channels, err := l.Objects.Tree(dir)
	if err != nil {
		return nil, err
	}
	for _, channel := range channels {
		key := path.Base(dir) + ":" + channel.Name
		rec, err := l.recordAt(dir+"/"+channel.Name, key)
		if err == nil && rec == nil {
			err = &DamageError{Reason: "holds a delivery without a record: " + key}
		}
		if err != nil {
			return nil, err
		}
		recs = append(recs, rec)
	}
	return recs, nil
}

// OnBranch reports whether a commit is on the remote's branch, as the first Fetch found it.
func (l *Ledger) OnBranch(ctx context.Context, commit string) (bool, error) {
	if l.branch == commit {
		return true, nil
	}
	_, err := l.Repo.Run(ctx, "merge-base", "--is-ancestor", commit, l.branch)
	if gitexec.ExitStatus(err) == 1 {
		return false, nil
	}
	return err == nil, err
}

// Contains checks that the ledger holds every tip that a saved plan saw.
func (l *Ledger) Contains(ctx context.Context, tips map[string]string) error {
	if len(tips) != len(l.tips) {
		return &DamageError{Reason: fmt.Sprintf("has %d shards, the saved plan %d", len(l.tips), len(tips))}
	}
	for _, name := range sortedKeys(tips) {
		tip := l.tips[name]
		if tip == nil {
			return &DamageError{Shard: name, Reason: "is in the saved plan only"}
		}
		err := l.descends(tip, tips[name])
		if errors.Is(err, errShallow) {
			return fmt.Errorf("ledger shard %s: %w", name, err)
		}
		if err != nil {
			return &DamageError{Shard: name, Reason: "does not continue the saved plan's", Err: err}
		}
	}
	return nil
}

var errShallow = errors.New("the history is cut off here; run: git fetch --unshallow")

// descends walks from a tip down to an ancestor.
func (l *Ledger) descends(tip *commit, ancestor string) error {
	for c := tip; c.id != ancestor; {
		if c.parent == "" {
			return fmt.Errorf("%.12s is not in its history: it was rolled back or replaced", ancestor)
		}
		parent, err := l.commit(c.parent)
		if err != nil {
			return err
		}
		if parent == nil {
			return errShallow
		}
		c = parent
	}
	return nil
}
