package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/git-socialpost/git-socialpost/linkedin"
)

// unfinished is what a run of deliver leaves for somebody to do, by key. Its exit status is that of the worst.
type unfinished struct {
	unrecorded []error     // posted, but the receipt is not on the remote
	open       []*delivery // wait for git socialpost resolve
	refused    []*delivery // by the platform, in this run
	failed     []string    // not sent, running again is safe
	halted     *delivery   // after it, nothing more was sent
	errs       []error
}

func (u *unfinished) fail(err error) {
	if err != nil {
		u.errs = append(u.errs, err)
	}
}

// err is nil if nothing is left.
func (u *unfinished) err() error {
	if len(u.unrecorded)+len(u.open)+len(u.refused)+len(u.failed)+len(u.errs) == 0 {
		return nil
	}
	return u
}

func (u *unfinished) exitStatus() int {
	switch {
	case len(u.unrecorded) > 0:
		return exitUnrecorded
	case len(u.open) > 0:
		return exitOpen
	case len(u.refused) > 0:
		return exitRefused
	}
	return exitError
}

func (u *unfinished) Error() string { return errors.Join(u.Unwrap()...).Error() }

// Unwrap returns an error, with its hints, for everything that is left, the worst first.
func (u *unfinished) Unwrap() []error {
	all := slices.Clone(u.unrecorded)
	for _, d := range u.open {
		all = append(all, hinted(fmt.Errorf("%s waits for a maintainer: %s", d.Key, d.Reason),
			"look at the evidence, then settle it: git socialpost resolve "+d.Key))
	}
	for _, d := range u.refused {
		remedy := "mend the cause, then allow another attempt: git socialpost resolve " + d.Key + " --not-posted"
		if urn := d.record.Outcome.Duplicate; urn != "" {
			remedy = "look at " + linkedin.PublicURL(urn) + "; if it is this post: git socialpost resolve " + d.Key + " --posted " + urn
		}
		all = append(all, hinted(fmt.Errorf("%s was refused by the platform: %s", d.Key, d.Reason), remedy))
	}
	if len(u.failed) > 0 {
		lines := []string{"the reasons are above; git socialpost plan tells what will be sent when"}
		if u.halted != nil {
			lines = append(lines, u.halted.haltedBy()+"; git socialpost deliver again sends the others")
		}
		all = append(all, hinted(fmt.Errorf("not sent: %s", strings.Join(u.failed, ", ")), lines...))
	}
	return append(all, u.errs...)
}

// haltedBy says why a run sends nothing after a delivery.
func (d *delivery) haltedBy() string {
	if d.Decision == open {
		return d.Key + " waits for a maintainer, and a run sends nothing more after that"
	}
	return "the run ended at " + d.Key
}
