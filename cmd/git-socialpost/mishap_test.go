//go:build unix

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"time"
)

// mishap is what happens to a run. Its moment is a random one, or shortly after the run's first POST.
type mishap struct {
	name  string
	env   []string
	clock time.Duration
	cut   bool
	act   func(a *actor, op *operation, dead <-chan struct{})

	early, late time.Duration
}

func (m mishap) strike(a *actor, op *operation, dead <-chan struct{}) {
	if m.act == nil {
		return
	}
	wait := m.early
	if m.late > 0 {
		select {
		case <-op.posted:
		case <-dead:
		}
		wait = m.late
	}
	select {
	case <-time.After(wait):
		m.act(a, op, dead)
	case <-dead:
	}
}

// signalled sends a signal to a run, or to all of its processes.
func signalled(s syscall.Signal, all bool) func(*actor, *operation, <-chan struct{}) {
	return func(_ *actor, op *operation, _ <-chan struct{}) { op.signal(s, all) }
}

func (op *operation) signal(s syscall.Signal, all bool) {
	if all {
		syscall.Kill(-op.group, s)
		return
	}
	syscall.Kill(op.group, s)
}

// mishaps are drawn from: most runs have none.
func (a *actor) mishap() mishap {
	if a.often(a.peace) {
		return mishap{}
	}
	all, wrong, jump := a.often(0.5), a.within(6*time.Hour)-3*time.Hour, a.within(4*time.Hour)-2*time.Hour
	if !a.honest {
		wrong = max(wrong, -10*time.Minute) // an older intent could be released while its runner is alive
	}
	if a.often(0.5) {
		jump = a.within(2*time.Minute) - time.Minute
	}
	m := drawn(a,
		mishap{name: "killed alone", act: signalled(syscall.SIGKILL, false)},
		mishap{name: "killed with its processes", act: signalled(syscall.SIGKILL, true)},
		mishap{name: "terminated", act: signalled(syscall.SIGTERM, all)},
		mishap{name: "paused", act: paused(all, a.within(3*time.Second))},
		mishap{name: "frozen", act: frozen(a.within(5 * time.Second))},
		a.cutOff(),
		mishap{name: fmt.Sprintf("clock wrong by %v", wrong), clock: wrong},
		mishap{name: fmt.Sprintf("clock jumps by %v", jump), act: func(a *actor, op *operation, _ <-chan struct{}) { a.setClock(op, jump) }},
		a.shimmed(),
	)
	m.early = a.within(1500 * time.Millisecond)
	if a.often(0.5) {
		m.late = 1 + a.within(200*time.Millisecond)
	}
	return m
}

// cutOff is a run whose remote is gone once it has posted. It tries for long, so it is a rare one.
func (a *actor) cutOff() mishap {
	if a.often(0.3) {
		return mishap{name: "cut off after its POST", cut: true}
	}
	return mishap{}
}

// shimmed is a run one of whose git commands is killed, or kills it.
func (a *actor) shimmed() mishap {
	a.made++
	home := filepath.Join(a.dir, fmt.Sprintf("home.%s.%d", a.name, a.made))
	a.check(os.Mkdir(home, 0o777))
	cut := fmt.Sprintf("%s:%d:%s:%s", drawn(a, "push", "push", "fetch"), 1+a.IntN(3), drawn(a, "before", "after"), drawn(a, "kill", "fail"))
	return mishap{name: "git " + cut, env: []string{"CUT=" + cut, "HOME=" + home, "GIT_CONFIG_GLOBAL=" + filepath.Join(a.dir, "home", ".gitconfig"),
		"PATH=" + filepath.Join(a.dir, "shim") + string(os.PathListSeparator) + os.Getenv("PATH")}}
}

func paused(all bool, length time.Duration) func(*actor, *operation, <-chan struct{}) {
	return func(a *actor, op *operation, dead <-chan struct{}) {
		op.signal(syscall.SIGSTOP, all)
		defer op.signal(syscall.SIGCONT, all)
		select {
		case <-time.After(length):
		case <-dead:
		}
	}
}

// frozen stops a whole run for what it and the maintainers take for more than a quarter of an hour.
func frozen(length time.Duration) func(*actor, *operation, <-chan struct{}) {
	return func(a *actor, op *operation, dead <-chan struct{}) {
		set := func(yes bool) {
			a.judge.mu.Lock()
			defer a.judge.mu.Unlock()
			op.frozen = yes
		}
		op.signal(syscall.SIGSTOP, true)
		defer op.signal(syscall.SIGCONT, true)
		a.setClock(op, 20*time.Minute)
		set(true)
		defer set(false)
		select {
		case <-time.After(length):
		case <-dead:
		}
	}
}
