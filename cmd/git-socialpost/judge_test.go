//go:build unix

package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/git-socialpost/git-socialpost/ledger"
	"github.com/git-socialpost/git-socialpost/linkedin"
)

// A judge watches the ledger's refs on a remote, every POST, and every run of git-socialpost. Of all this must hold:
//   - ledger refs are only ever fast-forwarded;
//   - each transition is a lawful one, no nonce is used twice, and no receipt is ever lost;
//   - each run makes at most one attempt at a delivery and sends it at most once, when its intent is on the remote;
//   - a delivery that a run has printed as delivered is so on the remote, when the run ends and ever after;
//   - each run ends with a documented status that it explains, and none leaves its outcome unrecorded that git served well;
//   - each delivery's history is linearizable.
type judge struct {
	remote string
	began  time.Time

	looking sync.Mutex
	tips    map[string]string // of the shards' refs, as they were looked at last

	mu         sync.Mutex
	last       map[string]*ledger.Record
	nonces     map[string]bool
	journal    []transition
	sent       []sending
	operations []*operation
	broken     []error
}

type transition struct {
	at       time.Duration // when it was seen, since the judge began
	old, new *ledger.Record
}

// sending is a POST.
type sending struct {
	at       time.Duration
	run, key string
}

// operation is one run of git-socialpost. What happens to it is told by its mishap.
type operation struct {
	id         int
	actor, run string
	args       []string
	mishap     string
	start, end time.Duration
	result

	posted chan struct{} // closed when its first POST arrives
	sends  bool
	hurt   bool // git failed it
	cut    bool // git fails it from its first POST on
	frozen bool // stopped, and its clock has been moved on so far that it may not send what it intended before
	group  int  // of processes; 0 before it has begun
	clock  string
	merges *recovery // of resolve --from
}

func newJudge(remote string) *judge {
	return &judge{remote: remote, began: time.Now(), tips: map[string]string{}, last: map[string]*ledger.Record{}, nonces: map[string]bool{}}
}

func (j *judge) now() time.Duration { return time.Since(j.began) }

// accuse notes what must not be. The caller holds j.mu.
func (j *judge) accuse(key, format string, args ...any) {
	err := fmt.Errorf(format, args...)
	j.broken = append(j.broken, fmt.Errorf("%w\n%s", err, j.tell(key)))
}

func (j *judge) begin(op *operation) *operation {
	j.mu.Lock()
	defer j.mu.Unlock()
	op.id = len(j.operations)
	op.run, op.start, op.posted = fmt.Sprintf("run-%d", op.id), j.now(), make(chan struct{})
	op.end = math.MaxInt64
	j.operations = append(j.operations, op)
	return op
}

// receive is told of every POST before it has an effect.
func (j *judge) receive(run string, payload []byte) {
	j.look()
	text, _ := linkedin.Text(payload)
	key := keyOf(text)
	j.mu.Lock()
	defer j.mu.Unlock()
	if op := j.byRun(run); op != nil && !op.sends {
		op.sends = true
		close(op.posted)
	}
	switch {
	case j.attempts(run)[key] == 0:
		j.accuse(key, "%s sent %s before its intent was on the remote", run, key)
	case slices.ContainsFunc(j.sent, func(old sending) bool { return old.run == run && old.key == key }):
		j.accuse(key, "%s sent %s twice", run, key)
	}
	j.sent = append(j.sent, sending{j.now(), run, key})
}

func (j *judge) byRun(run string) *operation {
	var id int
	if n, _ := fmt.Sscanf(run, "run-%d", &id); n == 0 || id >= len(j.operations) {
		return nil
	}
	return j.operations[id]
}

// finish is told of every run that has ended.
func (j *judge) finish(op *operation, r result) {
	j.look()
	j.mu.Lock()
	defer j.mu.Unlock()
	op.result, op.end = r, j.now()
	switch {
	case r.status == -1 && op.mishap == "":
		j.accuse("", "%s was killed by nobody\n%s", op, r.stderr)
	case r.status == -1:
		return
	}
	if err := r.unexplained(); err != nil {
		j.accuse("", "%s: %w", op, err)
	}
	if !op.hurt && strings.Contains(r.stderr, "is not on the remote: ") {
		j.accuse("", "%s did not record an outcome though nothing kept it from it\n%s", op, r.stderr)
	}
	for key, id := range op.promises() {
		if rec := j.last[key]; rec == nil || !knows(rec, id) {
			j.accuse(key, "%s printed %s as delivered, and the remote says %+v", op, id, rec)
		}
	}
}

// promises are the posts, by key, that a run printed as delivered. One that could not store its receipt promises nothing.
func (op *operation) promises() map[string]string {
	posts := map[string]string{}
	for _, d := range op.decisions() {
		if d.Decision == delivered && d.Post != nil && op.status != exitUnrecorded {
			posts[d.Key] = *d.Post
		}
	}
	return posts
}

// decisions are what deliver --json and plan --json print.
func (op *operation) decisions() []*delivery {
	p := &plan{}
	if op.args[0] == "deliver" || op.args[0] == "plan" {
		_ = json.Unmarshal([]byte(op.stdout), p) // nothing, after an error
	}
	return p.Deliveries
}

// knows reports whether a delivered record has a post; a maintainer's word gives way to the platform's, and stays.
func knows(rec *ledger.Record, id string) bool {
	known := receipts(rec)
	if rec.Post != nil {
		known = append(known, rec.Post.ID)
	}
	if rec.Resolution != nil && rec.Resolution.Post != nil {
		known = append(known, rec.Resolution.Post.ID)
	}
	return rec.State == ledger.Delivered && slices.Contains(known, id)
}

// verdict is asked when all runs have ended. With honest maintainers, no delivery may have been posted twice.
func (j *judge) verdict(w *world, honest bool) {
	w.Helper()
	j.look()
	j.mu.Lock()
	defer j.mu.Unlock()
	if honest {
		j.checkFeed(w)
	}
	for _, op := range j.operations {
		for key, id := range op.promises() {
			if rec := j.last[key]; op.status >= 0 && !knows(rec, id) {
				j.accuse(key, "%s printed %s as delivered, and in the end the remote says %+v", op, id, rec)
			}
		}
	}
	for key, rec := range w.records() {
		if last := j.last[key]; last == nil || !slices.Equal(last.Encode(), rec.Encode()) {
			j.accuse(key, "the tree of the ledger does not hold what its last transition wrote: %+v", rec)
		}
	}
	j.checkLinear(w)
	if err := errors.Join(j.broken...); err != nil {
		w.Fatal(err)
	}
}

func (j *judge) checkFeed(w *world) {
	times := map[string]int{}
	for _, post := range w.Stored() {
		if times[post.Text]++; times[post.Text] == 2 {
			j.accuse(keyOf(post.Text), "%q is in the feed twice", post.Text)
		}
	}
}

func (op *operation) String() string {
	said := fmt.Sprintf("%s by %s: git-socialpost %s", op.run, op.actor, strings.Join(op.args, " "))
	if op.mishap != "" {
		said += " (" + op.mishap + ")"
	}
	return said
}

// tell is the end of a delivery's story.
func (j *judge) tell(key string) string {
	type event struct {
		at   time.Duration
		said string
	}
	var events []event
	for _, op := range j.operations {
		if strings.Contains(op.stdout+op.stderr+strings.Join(op.args, " "), key) && op.end != math.MaxInt64 {
			events = append(events, event{op.end, fmt.Sprintf("%s, begun at %.3f: exit status %d\n%s", op, op.start.Seconds(), op.status, quoted(op.stderr))})
		}
	}
	for _, t := range j.journal {
		if t.new.Key == key {
			events = append(events, event{t.at, fmt.Sprintf("seen: %s, attempt %d of %s, post %+v, resolution %+v", t.new.State, t.new.Attempt, t.new.Run, t.new.Post, t.new.Resolution)})
		}
	}
	for _, s := range j.sent {
		if s.key == key {
			events = append(events, event{s.at, "POST by " + s.run})
		}
	}
	slices.SortStableFunc(events, func(a, b event) int { return int(a.at - b.at) })
	var b strings.Builder
	for _, e := range events[max(0, len(events)-25):] {
		fmt.Fprintf(&b, "  %8.3f %s\n", e.at.Seconds(), e.said)
	}
	return b.String()
}

// decisionsReached counts the decisions that runs have printed.
func (j *judge) decisionsReached() map[decision]int {
	reached := map[decision]int{}
	for _, op := range j.operations {
		for _, d := range op.decisions() {
			reached[d.Decision]++
		}
	}
	return reached
}
