package main

import (
	"errors"
	"fmt"
	"strings"
)

// unfinished is what a run of deliver leaves for somebody to do, by key. Its exit status is that of the worst.
type unfinished struct {
	unrecorded []string // posted, but the receipt is not on the remote
	open       []string // wait for git socialpost resolve
	refused    []string // by the platform, in this run
	failed     []string // not sent, running again is safe
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

func (u *unfinished) Error() string {
	var parts []string
	add := func(keys []string, what string) {
		if len(keys) > 0 {
			parts = append(parts, fmt.Sprintf("%s: %s", what, strings.Join(keys, ", ")))
		}
	}
	add(u.unrecorded, "posted, but the receipt is not on the remote")
	add(u.open, "waits for a maintainer")
	add(u.refused, "refused by the platform")
	add(u.failed, "not sent")
	for _, err := range u.errs {
		parts = append(parts, err.Error())
	}
	return strings.Join(parts, "; ")
}

// Unwrap leads to the hints of the errors.
func (u *unfinished) Unwrap() []error {
	var all []error
	for _, key := range u.open {
		all = append(all, hinted(errors.New(key), "look at the evidence, then settle it: git socialpost resolve "+key))
	}
	for _, key := range u.refused {
		all = append(all, hinted(errors.New(key), "mend the cause, then allow another attempt: git socialpost resolve "+key+" --not-posted"))
	}
	return append(all, u.errs...)
}
