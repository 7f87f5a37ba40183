package ledger

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

const (
	remoteRefs = "refs/social/ledger/"     // on the remote
	fetchRefs  = "refs/socialpost/fetch/"  // what the last fetch brought, not yet verified
	memoryRefs = "refs/socialpost/ledger/" // what this clone has verified
	branchRef  = "refs/socialpost/branch"  // the remote's branch, to check revisions against
	draftRef   = "refs/socialpost/draft"   // keeps the commit that is about to be pushed
)

// DisplayRef is the value of git's notes.displayRef with which git log shows where an article was posted.
const DisplayRef = memoryRefs + "*"

// commit is one transition of one delivery, or the ledger's first commit.
type commit struct {
	id      string
	tree    string
	parent  string // "" for the first commit
	message string
	signed  bool // by whom is another question
	trailers
}

// trailers are the last lines of a commit's message.
type trailers struct {
	pin      string // "" in the first commit, whose id it is
	seq      int    // 0 in the first commit, then one more in each
	shards   int    // in the first commit only
	delivery string
	state    State
	attempt  int
	run      string
	witness  map[string]int // Seq of every other non-empty shard as the writer saw it
}

// names returns the names of all shards of a ledger of 16 or 256.
func names(shards int) []string {
	width := len(strconv.FormatInt(int64(shards-1), 16))
	all := make([]string, shards)
	for i := range all {
		all[i] = fmt.Sprintf("%0*x", width, i)
	}
	return all
}

// complete returns the shards' names in order if the refs found are those of a whole ledger.
func (l *Ledger) complete(found map[string]string) ([]string, error) {
	if len(found) == 0 {
		return nil, ErrAbsent
	}
	want := names(256)
	for _, name := range names(16) {
		if found[name] != "" {
			want = names(16)
		}
	}
	for _, name := range sortedKeys(found) {
		if !slices.Contains(want, name) {
			return nil, &DamageError{Shard: name, Reason: "is no shard of this ledger", Remedy: []string{"git", "push", l.Remote, ":" + remoteRefs + name}}
		}
	}
	for _, name := range want {
		if found[name] == "" {
			return nil, &DamageError{Shard: name, Reason: "is missing on the remote"}
		}
	}
	return want, nil
}

// shardOf names the shard of a delivery.
func (l *Ledger) shardOf(k Key) string { return k.hash()[:l.width] }

// openDir and settledDir are where a delivery's record and payload stand while it is open, and after.
func openDir(k Key) string { return "open/" + k.dir() }

func (l *Ledger) settledDir(k Key) string {
	return "settled/" + k.hash()[l.width:l.width+2] + "/" + k.dir()
}

func (l *Ledger) dirOf(k Key, s State) string {
	if s.Open() {
		return openDir(k)
	}
	return l.settledDir(k)
}

// notePath is where a note on an object stands: in a git notes tree of the fixed fan-out 2/38 (2/62 with SHA-256).
func notePath(object string) string { return object[:2] + "/" + object[2:] }

func (t trailers) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "Ledger: %s\nSeq: %d\nDelivery: %s\nState: %s\nAttempt: %d\nRun: %s\n", t.pin, t.seq, t.delivery, t.state, t.attempt, t.run)
	if len(t.witness) > 0 {
		fmt.Fprintf(&b, "Witness: %s\n", witnesses(t.witness))
	}
	return b.String()
}

// witnesses writes Seqs of shards as trailers have them: "3=17 c=2".
func witnesses(seqs map[string]int) string {
	var all []string
	for _, name := range sortedKeys(seqs) {
		all = append(all, fmt.Sprintf("%s=%d", name, seqs[name]))
	}
	return strings.Join(all, " ")
}

// seqs returns the Seq of every shard that is not empty, but for one.
func (l *Ledger) seqs(but string) map[string]int {
	seqs := map[string]int{}
	for name, tip := range l.tips {
		if name != but && tip.seq > 0 {
			seqs[name] = tip.seq
		}
	}
	return seqs
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

// parseTrailers reads the last paragraph of a message. Missing ones stay zero; whoever needs them checks.
func parseTrailers(message string) (trailers, error) {
	t := trailers{seq: -1}
	message = strings.TrimRight(message, "\n")
	last := message[strings.LastIndex(message, "\n\n")+1:]
	var err error
	for line := range strings.Lines(last) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), ": ")
		switch name {
		case "Ledger":
			t.pin = value
		case "Seq":
			t.seq, err = parseNumber(value)
		case "Shards":
			t.shards, err = parseNumber(value)
		case "Delivery":
			t.delivery = value
		case "State":
			t.state = State(value)
		case "Attempt":
			t.attempt, err = parseNumber(value)
		case "Run":
			t.run = value
		case "Witness":
			t.witness, err = ParseSeqs(value)
		}
		if err != nil {
			return t, fmt.Errorf("trailer %s: %w", name, err)
		}
	}
	if t.seq < 0 {
		return t, fmt.Errorf("no Seq trailer")
	}
	return t, nil
}

// ParseSeqs reads the Seqs of some shards: "3=17 c=2".
func ParseSeqs(value string) (map[string]int, error) {
	seen := map[string]int{}
	for _, field := range strings.Fields(value) {
		name, digits, _ := strings.Cut(field, "=")
		n, err := parseNumber(digits)
		if _, twice := seen[name]; err == nil && (twice || !isHex(name, 1, 2)) {
			err = fmt.Errorf("%q names no shard, or one twice", field)
		}
		if err != nil {
			return nil, err
		}
		seen[name] = n
	}
	return seen, nil
}

// parseNumber reads a number as this package writes it: no sign, no leading zero, nothing absurd.
func parseNumber(s string) (int, error) {
	n, err := strconv.Atoi(s)
	if err != nil || n < 0 || n > 1<<31 || strconv.Itoa(n) != s {
		return 0, fmt.Errorf("%q is no number", s)
	}
	return n, nil
}
