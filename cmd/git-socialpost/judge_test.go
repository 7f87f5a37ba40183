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

func keyOf(text string) string { return strings.TrimSuffix(strings.TrimPrefix(text, "Text of "), ".") }

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
