package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"

	"github.com/git-socialpost/git-socialpost/ledger"
)

func (p *plan) save(path string) error {
	if old, err := os.ReadFile(path); err == nil && len(old) > 0 {
		if _, err := loadPlan(path); err != nil {
			return hinted(fmt.Errorf("%s is there already, and is no saved plan", path), "name another file")
		}
	}
	f, err := os.Create(path)
	if err != nil {
		return hinted(err, "name a file in a folder that is there and takes files")
	}
	return errors.Join(printJSON(f, p), f.Close())
}

// loadPlan reads a saved plan.
func loadPlan(path string) (*plan, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, hinted(err, "make one with: git socialpost plan --out plan.json")
	}
	var version struct{ Format int }
	if err := json.Unmarshal(data, &version); err == nil && version.Format > planFormat {
		return nil, fmt.Errorf("%s: format %d: %w", path, version.Format, ledger.ErrNewer)
	}
	p := &plan{}
	err = json.Unmarshal(data, p)
	if err != nil || p.Format != planFormat || p.Ledger == "" || p.Revision == "" || slices.ContainsFunc(p.Deliveries, isNoDelivery) {
		return nil, hinted(fmt.Errorf("%s: not a saved plan", path), "make one with: git socialpost plan --out plan.json")
	}
	return p, nil
}

// isNoDelivery tells what cannot have been planned: only a post too broken to have a key has none.
func isNoDelivery(d *delivery) bool {
	if d == nil || d.Key == "" {
		return d == nil || d.Decision != invalid
	}
	_, err := ledger.ParseKey(d.Key)
	return err != nil
}

// fitsSavedPlan refuses a run whose saved plan no longer describes what would be sent, and keeps back what the plan
// does not send.
func (r *run) fitsSavedPlan(ctx context.Context, path string, chosen []*delivery) error {
	if path == "" {
		return nil
	}
	saved, err := loadPlan(path)
	if err != nil {
		return err
	}
	replan := "make a new plan and look at it: git socialpost plan --out " + shell(path)
	if saved.Ledger != r.cfg.Ledger {
		return hinted(fmt.Errorf("%s: made for another ledger, %.12s", path, saved.Ledger), replan)
	}
	if err := r.ledger.Contains(ctx, saved.Tips); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	planned := map[string]string{}
	for _, d := range saved.Deliveries {
		if d.Decision == send {
			planned[d.Key] = d.PayloadSHA256
		}
	}
	for _, d := range chosen {
		sum, found := planned[d.Key]
		delete(planned, d.Key)
		switch {
		case d.Decision != send:
		case !found:
			d.Decision, d.Reason = held, "the saved plan does not send it"
		case sum != d.PayloadSHA256:
			return hinted(fmt.Errorf("%s: %s was edited after it was planned", path, d.Key), replan)
		}
	}
	return r.stillThere(path, planned, replan)
}

// stillThere refuses a saved plan that sends what is no post any more.
func (r *run) stillThere(path string, planned map[string]string, replan string) error {
	for _, key := range slices.Sorted(maps.Keys(planned)) {
		if slices.ContainsFunc(r.plan.Deliveries, func(d *delivery) bool { return d.Key == key }) {
			continue
		}
		if d, err := r.withoutFile(key); d == nil || err != nil {
			return hinted(fmt.Errorf("%s: %s is planned, but no post has this key any more", path, key), replan)
		}
	}
	return nil
}
