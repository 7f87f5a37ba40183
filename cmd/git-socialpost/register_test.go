//go:build unix

package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/anishathalye/porcupine"

	"github.com/git-socialpost/git-socialpost/ledger"
)

// The model of one delivery is a register. A run that sends is an intent and, later, an outcome; a resolution is an
// intent's other end; what a run printed of the deliveries of others is a read. What a killed or failed run did may
// have happened at any time after, or never.

// spot is where a delivery stands.
type spot struct {
	state   ledger.State
	attempt int
	post    string // "?" if it was posted and nobody was told the id
}

// claim leads a delivery from one spot to those that are possible after; to none if it cannot have happened there.
type claim struct {
	key, said string
	to        func(spot) []spot
}

func intending(n int) func(spot) []spot {
	return func(s spot) []spot {
		if s.attempt == n-1 && (n == 1 || s.state == ledger.Released) {
			return []spot{{ledger.Intended, n, ""}}
		}
		return nil
	}
}

// settling is an outcome of attempt n. A late one changes nothing, but for a receipt.
func settling(n int, state ledger.State, post string) func(spot) []spot {
	return func(s spot) []spot {
		switch {
		case s.attempt < n:
			return nil
		case state == ledger.Delivered:
			then := []spot{{state, s.attempt, post}}
			if s.state == ledger.Delivered {
				then = append(then, s)
			}
			return then
		case s.attempt == n && s.state == ledger.Intended:
			return []spot{{state, n, ""}}
		}
		return []spot{s}
	}
}

func resolving(state ledger.State, post string) func(spot) []spot {
	return func(s spot) []spot {
		if s.state.Open() {
			return []spot{{state, s.attempt, post}}
		}
		return nil
	}
}

// reading is what was printed of a delivery; the attempt is 0 where it was not.
func reading(attempt int, post string, states ...ledger.State) func(spot) []spot {
	return func(s spot) []spot {
		if !slices.Contains(states, s.state) || attempt != 0 && attempt != s.attempt || s.post != post && s.post != "?" {
			return nil
		}
		s.post = post
		return []spot{s}
	}
}

// anyOf is for what may have been one of several, or nothing.
func anyOf(moves ...func(spot) []spot) func(spot) []spot {
	return func(s spot) []spot {
		then := []spot{s}
		for _, to := range moves {
			then = append(then, to(s)...)
		}
		return then
	}
}

var register = porcupine.NondeterministicModel{
	Partition: func(history []porcupine.Operation) [][]porcupine.Operation {
		byKey := map[string][]porcupine.Operation{}
		for _, o := range history {
			key := o.Input.(claim).key
			byKey[key] = append(byKey[key], o)
		}
		return slices.Collect(maps.Values(byKey))
	},
	Init: func() []any { return []any{spot{}} },
	Step: func(state, input, _ any) (then []any) {
		for _, s := range input.(claim).to(state.(spot)) {
			then = append(then, s)
		}
		return then
	},
	Equal:             func(a, b any) bool { return a == b },
	DescribeOperation: func(input, _ any) string { return input.(claim).said },
	DescribeState:     func(state any) string { return fmt.Sprint(state) },
}

const never = math.MaxInt64 / 2

func (j *judge) checkLinear(w *world) {
	history := j.moves()
	model := register.ToModel()
	result, info := porcupine.CheckOperationsVerbose(model, history, time.Minute)
	switch result {
	case porcupine.Unknown:
		w.Log("nobody knows whether this history is linearizable: it takes more than a minute to find out")
	case porcupine.Illegal:
		path := filepath.Join(w.dir, "history.html")
		w.check(porcupine.VisualizePath(model, info, path))
		j.accuse("", "not linearizable, as %s shows: %s", path, j.culprits(model, history))
	}
}

// culprits tells the stories of the deliveries whose histories are not linearizable.
func (j *judge) culprits(model porcupine.Model, history []porcupine.Operation) string {
	var b strings.Builder
	for _, part := range model.Partition(history) {
		if porcupine.CheckOperationsTimeout(model, part, time.Minute) == porcupine.Illegal {
			key := part[0].Input.(claim).key
			fmt.Fprintf(&b, "%s\n", key)
			for _, o := range part {
				fmt.Fprintf(&b, "    %8.3f to %8.3f %s\n", time.Duration(o.Call).Seconds(), time.Duration(o.Return).Seconds(), o.Input.(claim).said)
			}
			b.WriteString(j.tell(key))
		}
	}
	return b.String()
}

// moves are all that the operations did to deliveries or saw of them, and how the ledger ends.
func (j *judge) moves() (history []porcupine.Operation) {
	for _, op := range j.operations {
		add := func(key string, from, until time.Duration, to func(spot) []spot, format string, args ...any) {
			said := op.run + " " + fmt.Sprintf(format, args...)
			history = append(history, porcupine.Operation{ClientId: op.id, Input: claim{key, said, to}, Call: int64(from), Return: int64(until)})
		}
		switch op.args[0] {
		case "resolve":
			j.movesOfResolve(op, add)
		case "status":
			op.movesOfStatus(add)
		default:
			j.movesOfDeliver(op, add)
		}
	}
	for key, rec := range j.last {
		to := reading(rec.Attempt, postID(rec.Post), rec.State)
		history = append(history, porcupine.Operation{Input: claim{key, "in the end: " + string(rec.State), to}, Call: never + 1, Return: never + 2})
	}
	return history
}

type adder func(key string, from, until time.Duration, to func(spot) []spot, format string, args ...any)

func postID(p *ledger.Post) string {
	if p == nil {
		return ""
	}
	return p.ID
}

// attempts are the keys that a run has intended, and their attempts' numbers. It never intends one twice.
func (j *judge) attempts(run string) map[string]int {
	made := map[string]int{}
	for _, t := range j.journal {
		if t.isIntent() && t.new.Run == run {
			made[t.new.Key] = t.new.Attempt
		}
	}
	return made
}

func (j *judge) movesOfDeliver(op *operation, add adder) {
	made := j.attempts(op.run)
	answers := map[string]*delivery{}
	for _, d := range op.decisions() {
		if op.status >= 0 {
			answers[d.Key] = d
		}
	}
	for key, n := range made {
		arrived := slices.IndexFunc(j.sent, func(s sending) bool { return s.run == op.run && s.key == key })
		if arrived < 0 {
			add(key, op.start, never, intending(n), "intends attempt %d", n)
			add(key, op.start, never, anyOf(settling(n, ledger.Released, "")), "may release attempt %d", n)
			continue
		}
		at := j.sent[arrived].at
		add(key, op.start, at, intending(n), "intends attempt %d", n)
		if post := op.promises()[key]; post != "" && op.status >= 0 {
			add(key, at, op.end, settling(n, ledger.Delivered, post), "settles attempt %d: %s", n, post)
			continue
		}
		add(key, at, never, anyOf(settling(n, ledger.Delivered, "?"), settling(n, ledger.Unknown, ""), settling(n, ledger.Rejected, "")), "may settle attempt %d", n)
	}
	for key, d := range answers {
		if made[key] == 0 {
			op.movesOfAnswer(d, add)
		}
	}
}

func (op *operation) movesOfAnswer(d *delivery, add adder) {
	switch d.Decision {
	case delivered:
		add(d.Key, op.start, op.end, reading(0, *d.Post, ledger.Delivered), "reads %s", *d.Post)
	case open:
		add(d.Key, op.start, op.end, reading(0, "", ledger.Intended, ledger.Unknown, ledger.Rejected), "reads open")
	case abandoned:
		add(d.Key, op.start, op.end, reading(0, "", ledger.Abandoned), "reads abandoned")
	}
}

func (op *operation) movesOfStatus(add adder) {
	var status struct{ Deliveries []statusLine }
	_ = json.Unmarshal([]byte(op.stdout), &status) // nothing, after an error
	for _, line := range status.Deliveries {
		post := ""
		if line.Post != nil {
			post = *line.Post
		}
		add(line.Key, op.start, op.end, reading(line.Attempt, post, line.State), "reads %s, attempt %d, %q", line.State, line.Attempt, post)
	}
}

func (j *judge) movesOfResolve(op *operation, add adder) {
	if len(op.args) < 3 {
		return
	}
	key, to, until := op.args[1], j.resolution(op), op.end
	if op.status != 0 {
		to, until = anyOf(to), never
	}
	add(key, op.start, until, to, "%s: exit status %d", strings.Join(op.args[2:], " "), op.status)
}

func (j *judge) resolution(op *operation) func(spot) []spot {
	switch op.args[2] {
	case "--not-posted":
		return resolving(ledger.Released, "")
	case "--abandon":
		return resolving(ledger.Abandoned, "")
	case "--posted":
		return resolving(ledger.Delivered, op.args[3])
	}
	if op.merges == nil {
		return anyOf() // the file was gone
	}
	kind := ledger.State(op.merges.Outcome.Kind)
	if kind == ledger.Unsent {
		kind = ledger.Released
	}
	return settling(op.merges.Attempt, kind, postID(op.merges.Post))
}
