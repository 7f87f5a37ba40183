//go:build unix

package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/git-socialpost/git-socialpost/ledger"
)

// look reads what is new on the remote: every transition, in the order of its shard.
func (j *judge) look() {
	j.looking.Lock()
	defer j.looking.Unlock()
	records, err := j.news()
	j.mu.Lock()
	defer j.mu.Unlock()
	if err != nil {
		j.broken = append(j.broken, err)
	}
	for _, rec := range records {
		j.advance(rec)
	}
}

func (j *judge) news() ([]*ledger.Record, error) {
	out, err := gitIn(j.remote, "", "for-each-ref", "--format=%(refname) %(objectname)", "refs/social/ledger/")
	if err != nil {
		return nil, err
	}
	tips, moved, from := map[string]string{}, []string{}, []string{}
	for line := range strings.Lines(out) {
		ref, id, _ := strings.Cut(strings.TrimSpace(line), " ")
		tips[ref] = id
		if old := j.tips[ref]; old != id {
			moved = append(moved, id)
			if old != "" {
				from = append(from, old)
			}
		}
	}
	for ref := range j.tips {
		if tips[ref] == "" {
			return nil, fmt.Errorf("%s was deleted", ref)
		}
	}
	j.tips = tips
	if len(moved) == 0 {
		return nil, nil
	}
	if err := j.rewound(from, moved); err != nil {
		return nil, err
	}
	return j.written(slices.Concat(moved, []string{"--not"}, from))
}

func (j *judge) rewound(from, moved []string) error {
	if len(from) == 0 {
		return nil
	}
	lost, err := gitIn(j.remote, "", slices.Concat([]string{"rev-list"}, from, []string{"--not"}, moved)...)
	if err == nil && lost != "" {
		err = fmt.Errorf("a ledger ref was rewound; lost is %s", lost)
	}
	return err
}

// written are the records that some commits wrote, each as it wrote it.
func (j *judge) written(revisions []string) (records []*ledger.Record, err error) {
	raw, err := gitIn(j.remote, "", append([]string{"log", "--reverse", "--topo-order", "--format=", "--raw", "-r", "--no-abbrev", "--no-renames"}, revisions...)...)
	if err != nil {
		return nil, err
	}
	var blobs strings.Builder
	for line := range strings.Lines(raw) { // :<mode> <mode> <id> <id> <A, M or D>TAB<path>
		if fields := strings.Fields(line); len(fields) == 6 && fields[4] != "D" && strings.HasSuffix(fields[5], "/record.toml") {
			fmt.Fprintln(&blobs, fields[3])
		}
	}
	out, err := gitIn(j.remote, blobs.String(), "cat-file", "--batch=%(objectsize)")
	for err == nil && out != "" {
		var size int
		head, rest, _ := strings.Cut(out, "\n")
		if _, err = fmt.Sscan(head, &size); err != nil {
			return nil, fmt.Errorf("%s: %w", head, err)
		}
		var rec *ledger.Record
		if rec, err = ledger.Decode([]byte(rest[:size])); err == nil {
			records = append(records, rec)
		}
		out = rest[size+1:]
	}
	return records, err
}

func (j *judge) advance(rec *ledger.Record) {
	t := transition{j.now(), j.last[rec.Key], rec}
	j.journal, j.last[rec.Key] = append(j.journal, t), rec
	if err := t.unlawful(); err != nil {
		j.accuse(rec.Key, "%s: %w", rec.Key, err)
	}
	if t.isIntent() {
		if j.nonces[rec.Nonce()] {
			j.accuse(rec.Key, "%s: its nonce was used before", rec.Key)
		}
		if slices.ContainsFunc(j.journal[:len(j.journal)-1], func(t transition) bool { return t.isIntent() && t.new.Key == rec.Key && t.new.Run == rec.Run }) {
			j.accuse(rec.Key, "%s intended %s twice", rec.Run, rec.Key)
		}
		j.nonces[rec.Nonce()] = true
	}
}

func (t transition) isIntent() bool { return t.old == nil || len(t.new.Nonces) > len(t.old.Nonces) }

var lawful = map[ledger.State][]ledger.State{
	"":               {ledger.Intended},
	ledger.Intended:  {ledger.Delivered, ledger.Rejected, ledger.Unknown, ledger.Released, ledger.Abandoned},
	ledger.Rejected:  {ledger.Delivered, ledger.Released, ledger.Abandoned},
	ledger.Unknown:   {ledger.Delivered, ledger.Released, ledger.Abandoned},
	ledger.Released:  {ledger.Intended, ledger.Delivered},
	ledger.Abandoned: {ledger.Delivered},
}

// unlawful says what is wrong with a transition: its way, or that it forgets what was known.
func (t transition) unlawful() error {
	old, late := t.old, t.old != nil && len(t.new.Late) == len(t.old.Late)+1
	if old == nil {
		old = &ledger.Record{}
	}
	switch {
	case !(late && t.new.State == old.State) && !slices.Contains(lawful[old.State], t.new.State):
		return fmt.Errorf("from %q to %q", old.State, t.new.State)
	case len(t.new.Nonces) < len(old.Nonces) || !slices.Equal(t.new.Nonces[:len(old.Nonces)], old.Nonces):
		return errors.New("an attempt's nonce was changed")
	case t.isIntent() != (t.new.State == ledger.Intended && !late) || len(t.new.Nonces) > len(old.Nonces)+1:
		return fmt.Errorf("%d attempts became %d with %s", len(old.Nonces), len(t.new.Nonces), t.new.State)
	case len(t.new.Late) < len(old.Late):
		return errors.New("a late fact was lost")
	}
	for _, id := range receipts(old) {
		if !slices.Contains(receipts(t.new), id) {
			return fmt.Errorf("the receipt of %s was lost", id)
		}
	}
	return ungrounded(t.new)
}

// ungrounded says what a state lacks that it must rest on: the platform's answer, or a maintainer's word.
func ungrounded(rec *ledger.Record) error {
	kind, word := "", ledger.State("")
	if rec.Outcome != nil {
		kind = rec.Outcome.Kind
	}
	if rec.Resolution != nil {
		word = rec.Resolution.Decision
	}
	grounded := true
	switch rec.State {
	case ledger.Rejected, ledger.Unknown:
		grounded = kind == string(rec.State) && word == ""
	case ledger.Released:
		grounded = kind == ledger.Unsent || word == ledger.Released
	case ledger.Abandoned:
		grounded = word == ledger.Abandoned
	case ledger.Delivered:
		grounded = len(receipts(rec)) > 0 || word == ledger.Delivered
	}
	if !grounded {
		return fmt.Errorf("%s without a reason: outcome %q, resolution %q", rec.State, kind, word)
	}
	return nil
}
