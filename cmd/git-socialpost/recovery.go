package main

import (
	"bytes"
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/BurntSushi/toml"

	"github.com/git-socialpost/git-socialpost/gitexec"
	"github.com/git-socialpost/git-socialpost/ledger"
	"github.com/git-socialpost/git-socialpost/linkedin"
)

const recoveryFormat = 1

// recovery is what a runner's disk keeps of an outcome until it is on the remote. It holds no secret.
type recovery struct {
	Format  int            `toml:"format"`
	Ledger  string         `toml:"ledger"`
	Key     string         `toml:"key"`
	Attempt int            `toml:"attempt"`
	Nonce   string         `toml:"nonce"`
	Run     string         `toml:"run"`
	Outcome ledger.Outcome `toml:"outcome"`
	Post    *ledger.Post   `toml:"post,omitempty"`
}

func (a *attempt) recoveryRecord() *recovery {
	return &recovery{Format: recoveryFormat, Ledger: a.cfg.Ledger, Key: a.Key, Attempt: a.intent.Attempt, Nonce: a.intent.Nonce(),
		Run: a.intent.Run, Outcome: a.outcome, Post: a.receipt}
}

// recoveryFile is where an attempt's record is kept: in a folder, or in this clone if that is "".
func (t *tool) recoveryFile(dir, key string, attempt int) string {
	dir, err := filepath.Abs(cmp.Or(dir, filepath.Join(t.repo.CommonDir, "socialpost", "recovery")))
	if err != nil {
		dir = "." // there is no current directory
	}
	return filepath.Join(dir, fmt.Sprintf("%s.attempt-%d.toml", strings.ReplaceAll(key, ":", "."), attempt))
}

// checkFolder proves, before anything is sent, that the folder which was named for recovery records takes files.
func checkFolder(dir string) error {
	if dir == "" {
		return nil
	}
	err := os.MkdirAll(dir, 0o777)
	if err == nil {
		var f *os.File
		if f, err = os.CreateTemp(dir, ".recovery-*"); err == nil {
			f.Close()
			err = os.Remove(f.Name())
		}
	}
	if err != nil {
		return hinted(fmt.Errorf("--recovery %s: %w", dir, err), "name a folder that takes files; nothing was sent")
	}
	return nil
}

// save writes the record so that it survives the machine's end.
func (r *recovery) save(path string) error {
	var buf bytes.Buffer
	enc := toml.NewEncoder(&buf)
	enc.Indent = ""
	if err := enc.Encode(r); err != nil {
		return err
	}
	return gitexec.WriteFile(path, buf.Bytes())
}

func loadRecovery(path string) (*recovery, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, hinted(err, "name the file that a run with exit status 4 told you to keep")
	}
	if err := ledger.CheckFormat(data, recoveryFormat); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	r := &recovery{}
	switch err := ledger.Unmarshal(data, r); {
	case err != nil:
		return nil, noRecovery(fmt.Errorf("%s: not a recovery record: %w", path, err))
	case r.Format != recoveryFormat || !r.plausible():
		return nil, noRecovery(fmt.Errorf("%s: not a recovery record", path))
	}
	return r, nil
}

func noRecovery(err error) error {
	return hinted(err, "name a file that a run with exit status 4 told you to keep; without one, look at the feed: git socialpost resolve")
}

// plausible reports whether the outcome is one that a runner can have had.
func (r *recovery) plausible() bool {
	kind := linkedin.Kind(r.Outcome.Kind)
	_, err := ledger.ParseKey(r.Key)
	if err != nil || r.Outcome.At.IsZero() || (kind == linkedin.Delivered) != (r.Post != nil) {
		return false
	}
	if r.Post != nil {
		return linkedin.IsPost(r.Post.ID) && r.Post.URL == linkedin.PublicURL(r.Post.ID)
	}
	return kind == linkedin.Rejected || kind == linkedin.Unknown || kind == linkedin.Unsent
}

// merge brings the outcome into the delivery's record.
func (r *recovery) merge(old *ledger.Record) (*ledger.Record, error) {
	if old == nil {
		return nil, fmt.Errorf("%s: the ledger has no such delivery", r.Key)
	}
	if r.Attempt < 1 || r.Attempt > len(old.Nonces) || old.Nonces[r.Attempt-1] != r.Nonce {
		return nil, fmt.Errorf("%s: the ledger knows no such attempt %d", r.Key, r.Attempt)
	}
	return ledger.Settle(old, r.Nonce, r.Run, r.Outcome, r.Post)
}
