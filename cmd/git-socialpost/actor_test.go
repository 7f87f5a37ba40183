//go:build unix

package main

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"syscall"
	"time"

	"github.com/git-socialpost/git-socialpost/ledger"
	"github.com/git-socialpost/git-socialpost/linkedin/sandbox"
)

// actor is somebody who acts at random, in clones of his own.
type actor struct {
	*history
	*rand.Rand
	name   string
	clones []*machine
	made   int
}

// rest waits for a random time, or for the end.
func (a *actor) rest(limit time.Duration) {
	select {
	case <-a.over:
	case <-time.After(a.within(limit)):
	}
}

func (a *actor) within(limit time.Duration) time.Duration {
	return time.Duration(a.Int64N(int64(limit)))
}

func (a *actor) often(chance float64) bool { return a.Float64() < chance }

func drawn[T any](a *actor, from ...T) T { return from[a.IntN(len(from))] }

// watch samples the remote all the time.
func (a *actor) watch() {
	a.judge.look()
	a.rest(100 * time.Millisecond)
}

// fault arms LinkedIn with a fault of any kind.
func (a *actor) fault() {
	f := sandbox.Fault{Kind: drawn(a, sandbox.Kinds()...), When: drawn(a, "", "", sandbox.Before, sandbox.After)}
	_ = a.Arm(f) // not every kind comes at both times
	a.rest(4 * time.Second)
}

// tend packs the remote, and asks harmless questions.
func (a *actor) tend() {
	a.git(append([]string{"-C", a.remote}, drawn(a, []string{"gc", "--quiet"}, []string{"repack", "-adq"}, []string{"pack-refs", "--all"})...)...)
	a.run(a.machine(), mishap{}, "fsck")
	a.run(a.machine(), mishap{}, "status", "--json")
	a.rest(2 * time.Second)
}

// machine is a fresh clone of some depth, or one that was used before and may be stale.
func (a *actor) machine() *machine {
	if len(a.clones) > 0 && a.often(0.6) {
		m := drawn(a, a.clones...)
		if a.often(0.5) {
			m.git("fetch", "-q", "--update-head-ok", a.url, "+main:main")
		}
		return m
	}
	if len(a.clones) == 3 {
		a.check(os.RemoveAll(a.clones[0].dir))
		a.clones = a.clones[1:]
	}
	a.made++
	m := a.clone(fmt.Sprintf("%s.%d", a.name, a.made), drawn(a, nil, []string{"--depth=1"}, []string{"--bare"}, []string{"--depth=2", "--bare"})...)
	m.git("remote", "set-url", "origin", a.http)
	a.clones = append(a.clones, m)
	return m
}

// run runs git-socialpost on a machine. Its token, its run's URL and its git's user agent tell which run it is.
func (a *actor) run(m *machine, harm mishap, args ...string) *operation {
	op := a.judge.begin(&operation{actor: a.name, args: args, mishap: harm.name, cut: harm.cut, hurt: harm.env != nil})
	if i := slices.Index(args, "--from"); i >= 0 {
		op.merges, _ = loadRecovery(args[i+1])
	}
	op.clock = filepath.Join(a.dir, "clock."+op.run)
	a.setClock(op, harm.clock)
	defer os.Remove(op.clock)
	cmd := m.command(args...)
	cmd.Path, cmd.Args[0] = a.program, a.program
	cmd.Env = append(cmd.Env, "CI_JOB_URL="+op.run, "LINKEDIN_ACCESS_TOKEN=token-of-"+op.run, "GIT_HTTP_USER_AGENT="+op.run,
		"SOCIALPOST_LINKEDIN_URL="+a.linkedIn, "CLOCK="+op.clock)
	cmd.Env = append(cmd.Env, harm.env...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr, cmd.WaitDelay = &stdout, &stderr, 20*time.Second
	a.check(cmd.Start())
	a.judge.mu.Lock()
	op.group = cmd.Process.Pid
	a.judge.mu.Unlock()
	dead, harmed := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(harmed)
		harm.strike(a, op, dead)
	}()
	err := cmd.Wait()
	close(dead)
	<-harmed
	if err != nil && !errors.As(err, new(*exec.ExitError)) && !errors.Is(err, exec.ErrWaitDelay) {
		a.Errorf("%s: %v", op, err)
	}
	a.judge.finish(op, result{cmd.ProcessState.ExitCode(), stdout.String(), stderr.String()})
	return op
}

// setClock makes a run's clock wrong from now on.
func (a *actor) setClock(op *operation, wrong time.Duration) {
	a.check(os.WriteFile(op.clock+".new", []byte(wrong.String()), 0o666))
	a.check(os.Rename(op.clock+".new", op.clock))
}

// deliver is what a runner does: most of the time it delivers all.
func (a *actor) deliver() {
	m := a.machine()
	recovery := filepath.Join(a.dir, "recovery", fmt.Sprint(a.Uint32()))
	args := []string{"deliver", "--json", "--limit=1000", "--recovery=" + recovery}
	saved := m.dir + ".plan"
	switch a.IntN(8) {
	case 0:
		a.run(m, mishap{}, "status", "--json")
	case 1:
		a.run(m, mishap{}, "plan", "--json", "--out="+saved)
	case 2, 3:
		if _, err := os.Stat(saved); err == nil {
			args = append(args, "--plan="+saved)
		}
		a.run(m, a.mishap(), args...)
	case 4:
		a.run(m, a.mishap(), append(args, drawn(a, a.keys()...), drawn(a, a.keys()...))...)
	default:
		a.run(m, a.mishap(), args...)
	}
	a.rest(300 * time.Millisecond)
}

// maintain resolves an open delivery, whose runner cannot send it any more.
func (a *actor) maintain(careless bool) {
	defer a.rest(time.Second)
	a.resolve.Lock()
	defer a.resolve.Unlock()
	m := a.machine()
	if files, _ := filepath.Glob(filepath.Join(a.dir, "recovery", "*", "*.toml")); len(files) > 0 && a.often(0.2) {
		file := drawn(a, files...)
		if saved, err := loadRecovery(file); err == nil {
			a.run(m, mishap{}, "resolve", saved.Key, "--from", file, "--yes")
		}
		return
	}
	open := a.judge.open()
	if len(open) == 0 {
		return
	}
	rec := drawn(a, open...)
	if !a.settled(rec, 5*time.Second) {
		return
	}
	way := a.decision(rec)
	if careless {
		way = drawn(a, []string{"--not-posted"}, []string{"--not-posted"}, []string{"--abandon"}, []string{"--posted", "urn:li:share:7000000000000000001"})
	}
	harm := mishap{}
	if a.often(0.7) && !careless {
		harm.clock = a.later(rec)
	}
	a.run(m, harm, append([]string{"resolve", rec.Key}, append(way, "--reason="+a.name, "--yes")...)...)
}

// open are the deliveries that are open, as they were seen last.
func (j *judge) open() (open []*ledger.Record) {
	j.mu.Lock()
	defer j.mu.Unlock()
	for _, key := range slices.Sorted(maps.Keys(j.last)) {
		if rec := j.last[key]; rec.State.Open() {
			open = append(open, rec)
		}
	}
	return open
}

// later is how far the clock moves until a quarter of an hour after the intent.
func (a *actor) later(rec *ledger.Record) time.Duration {
	return max(0, time.Until(rec.IntendedAt.Add(aliveFor+2*time.Minute)))
}

// settled waits until nothing of an attempt is under way. It reports false if its runner may still send, or if the
// delivery is not any more what it was.
func (h *history) settled(rec *ledger.Record, limit time.Duration) bool {
	if rec.State == ledger.Intended && !h.harmless(rec.Run) {
		return false
	}
	h.ping()
	if !h.gits.drained(limit) || !h.posts.drained(limit) {
		return false
	}
	h.judge.look()
	h.judge.mu.Lock()
	defer h.judge.mu.Unlock()
	now := h.judge.last[rec.Key]
	return now.State == rec.State && now.Nonce() == rec.Nonce()
}

// ping sees to it that every connection that stands has been noticed.
func (h *history) ping() {
	if res, err := http.Get(h.linkedIn); err == nil {
		res.Body.Close()
	}
	http.DefaultClient.CloseIdleConnections()
}

// harmless reports whether a run, to the last of its processes, has ended, or is frozen.
func (h *history) harmless(run string) bool {
	h.judge.mu.Lock()
	defer h.judge.mu.Unlock()
	op := h.judge.byRun(run)
	return op != nil && (op.frozen || op.group != 0 && errors.Is(syscall.Kill(-op.group, 0), syscall.ESRCH))
}

// decision is the truth about a delivery: what the feed says.
func (a *actor) decision(rec *ledger.Record) []string {
	for _, post := range a.Stored() {
		if post.Text == textOf(rec.Key) {
			return []string{"--posted", post.ID}
		}
	}
	if a.often(0.2) {
		return []string{"--abandon"}
	}
	return []string{"--not-posted"}
}
