package ledger

import (
	"bytes"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/BurntSushi/toml"

	"github.com/git-socialpost/git-socialpost/gitexec"
)

// State is where a delivery stands.
type State string

// Intended, Rejected and Unknown are open: they wait for a receipt or for a maintainer.
const (
	Intended  State = "intended"  // this attempt may be sent from now on; nothing says that it was
	Delivered State = "delivered" // the platform confirmed it, or a maintainer saw the post
	Rejected  State = "rejected"  // the platform refused it
	Unknown   State = "unknown"   // the request left, and no answer tells what became of it
	Released  State = "released"  // proved or declared not to be posted: the next attempt is allowed
	Abandoned State = "abandoned" // a maintainer decided that it is never to be sent
)

// Unsent is the kind of an outcome that proves that no byte of the request left; its delivery is Released.
const Unsent = "unsent"

// Open reports whether a delivery in this state waits for a receipt or for a maintainer.
func (s State) Open() bool { return s == Intended || s == Rejected || s == Unknown }

// Format is the version of the records that this program writes, and the newest that it reads.
const Format = 1

// Record is everything that the ledger says about one delivery.
type Record struct {
	Format        int         `toml:"format"`
	Key           string      `toml:"key"`
	State         State       `toml:"state"`
	Attempt       int         `toml:"attempt"` // 1 for the first, 0 if there was none: see Adopt
	Nonces        []string    `toml:"nonces"`  // of all attempts, 128 random bits each in hex
	Revision      string      `toml:"revision"`
	Path          string      `toml:"path"`           // "" where no attempt was made and the file was gone
	Text          string      `toml:"text"`           // id that the normalised text has as a git blob; "" likewise
	PayloadSHA256 string      `toml:"payload_sha256"` // "" where no attempt was made
	Author        string      `toml:"author"`
	IntendedAt    time.Time   `toml:"intended_at"` // by the runner's clock
	UpdatedAt     time.Time   `toml:"updated_at"`
	Run           string      `toml:"run"` // the CI run's URL, or the host
	Outcome       *Outcome    `toml:"outcome,omitempty"`
	Post          *Post       `toml:"post,omitempty"`
	Resolution    *Resolution `toml:"resolution,omitempty"`
	Late          []Late      `toml:"late,omitempty"`

	Payload []byte `toml:"-"` // the exact request body, stored beside the record
	raw     []byte // the record as it is stored
}

// Outcome is the evidence about an attempt.
type Outcome struct {
	Kind      string    `toml:"kind"` // delivered, rejected, unknown or unsent
	Status    int       `toml:"status,omitempty"`
	Code      string    `toml:"code,omitempty"`
	Message   string    `toml:"message,omitempty"`
	RequestID string    `toml:"request_id,omitempty"`
	Duplicate string    `toml:"duplicate,omitempty"` // the post of which the platform said that this is a duplicate
	At        time.Time `toml:"at"`
}

// Post is where the delivery can be seen.
type Post struct {
	ID  string `toml:"id" json:"id"`
	URL string `toml:"url" json:"url"`
}

// Resolution is a maintainer's decision about an open delivery.
type Resolution struct {
	Decision State     `toml:"decision"` // delivered, released or abandoned
	By       string    `toml:"by"`
	Reason   string    `toml:"reason"`
	Post     *Post     `toml:"post,omitempty"` // what the maintainer saw, with the decision delivered
	Of       State     `toml:"of"`             // the state that was resolved
	At       time.Time `toml:"at"`
}

// Late is an outcome that arrived after its attempt had been resolved, or after another one had been made.
type Late struct {
	Attempt int     `toml:"attempt"`
	Run     string  `toml:"run"`
	Outcome Outcome `toml:"outcome"`
	Post    *Post   `toml:"post,omitempty"`
}

// NewNonce returns 128 random bits in hex. They make the objects of two runners differ: git calls a push of the very
// object that is there "up to date", and both would think that they had won.
func NewNonce() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails, says its documentation
	return hex.EncodeToString(b[:])
}

// SHA256 is the hash of a payload, its identity, in hex.
func SHA256(payload []byte) string { return fmt.Sprintf("%x", sha256.Sum256(payload)) }

// Nonce is the current attempt's, "" if there was none.
func (r *Record) Nonce() string {
	if r.Attempt == 0 {
		return ""
	}
	return r.Nonces[r.Attempt-1]
}

// ID is the record's key, parsed.
func (r *Record) ID() (Key, error) { return ParseKey(r.Key) }

// Confirmed reports whether the platform itself confirmed a post, rather than a maintainer.
func (r *Record) Confirmed() bool {
	if r.Outcome != nil && r.Outcome.Kind == string(Delivered) {
		return true
	}
	return slices.ContainsFunc(r.Late, func(l Late) bool { return l.Post != nil })
}

// Encode returns the stored form.
func (r *Record) Encode() []byte {
	var buf bytes.Buffer
	enc := toml.NewEncoder(&buf)
	enc.Indent = ""
	if err := enc.Encode(r); err != nil {
		panic(err) // only plain values in there
	}
	return buf.Bytes()
}

// ErrNewer says that a newer version of this program wrote to the ledger.
var ErrNewer = errors.New("written by a newer git-socialpost; upgrade this one")

// Decode reads a stored record and refuses what this program would not have written.
func Decode(data []byte) (*Record, error) {
	if err := CheckFormat(data, Format); err != nil {
		return nil, err
	}
	r := &Record{raw: data}
	if err := Unmarshal(data, r); err != nil {
		return nil, err
	}
	return r, r.check()
}

// CheckFormat returns ErrNewer if a file's first line, format = N, names a format newer than the newest known one.
func CheckFormat(data []byte, newest int) error {
	first, _, _ := strings.Cut(string(data), "\n")
	number, _ := strings.CutPrefix(first, "format = ")
	if n, err := strconv.Atoi(number); err == nil && n > newest {
		return fmt.Errorf("format %d: %w", n, ErrNewer)
	}
	return nil
}

const maxFile = 256 << 10 // bytes; a record has some hundred, and as many more with each late fact

// lineForm is a line as this program writes it. On nested and dotted keys the decoder takes hours, or all memory.
var lineForm = regexp.MustCompile(`^(?:\[{1,2}[a-z]+(?:\.[a-z]+)?\]{1,2}|[a-z0-9_]+ = (?:"(?:[^"\\]|\\.)*"|\[[0-9a-f", ]*\]|[0-9TZ:.+-]+))?$`)

// Unmarshal decodes TOML as this program writes it: no field that v does not have, and none in upper case, which the
// decoder by itself takes for the same, so that of two of them either may win.
func Unmarshal(data []byte, v any) error {
	if len(data) > maxFile {
		return fmt.Errorf("%d bytes, which is more than this program writes", len(data))
	}
	for i, line := range strings.Split(string(data), "\n") {
		if !lineForm.MatchString(line) {
			return fmt.Errorf("line %d is none that this program writes", i+1)
		}
	}
	meta, err := toml.Decode(string(data), v)
	if err != nil {
		return err
	}
	if unknown := meta.Undecoded(); len(unknown) > 0 {
		return fmt.Errorf("unknown field %s", unknown[0])
	}
	return nil
}

// check finds what no record of this program can be like, whatever happened before.
func (r *Record) check() error {
	if _, err := ParseKey(r.Key); err != nil {
		return err
	}
	switch {
	case r.Format != Format:
		return fmt.Errorf("format %d", r.Format)
	case !slices.Contains([]State{Intended, Delivered, Rejected, Unknown, Released, Abandoned}, r.State):
		return fmt.Errorf("state %q", r.State)
	case r.Attempt != len(r.Nonces):
		return fmt.Errorf("attempt %d with %d nonces", r.Attempt, len(r.Nonces))
	case r.Attempt == 0 && (r.Resolution == nil || r.State != Delivered && r.State != Abandoned):
		return fmt.Errorf("%s without an attempt", r.State)
	case !gitexec.IsID(r.Revision) || !gitexec.IsID(r.Text) && (r.Attempt > 0 || r.Text != ""):
		return errors.New("revision or text is no object id")
	case r.Attempt > 0 && !isHex(r.PayloadSHA256, 64) || r.Attempt == 0 && r.PayloadSHA256 != "":
		return errors.New("payload_sha256 is no hash, or one of nothing that was sent")
	case r.IntendedAt.IsZero() || r.UpdatedAt.IsZero():
		return errors.New("a time is missing")
	case (r.State == Delivered) != (r.Post != nil):
		return fmt.Errorf("state %s and the post do not agree", r.State)
	case r.State == Abandoned && r.Resolution == nil:
		return errors.New("abandoned by nobody")
	case r.Outcome != nil && !isWord(r.Outcome.Duplicate+"-"):
		return errors.New("the duplicate that it names is no post")
	}
	posts := []*Post{r.Post}
	if r.Resolution != nil {
		posts = append(posts, r.Resolution.Post)
	}
	for _, late := range r.Late {
		posts = append(posts, late.Post)
	}
	for _, post := range posts {
		if post != nil && (!isWord(post.ID) || !isWord(post.URL)) {
			return errors.New("post id or URL of other than printable ASCII characters")
		}
	}
	for _, nonce := range r.Nonces {
		if !isHex(nonce, 32) {
			return fmt.Errorf("nonce %q", nonce)
		}
	}
	return nil
}

// isWord reports whether a text is one that needs no quotes anywhere.
func isWord(s string) bool { return wordForm.MatchString(s) }

var wordForm = regexp.MustCompile(`^[!-~]+$`)

func isHex(s string, lengths ...int) bool {
	return slices.Contains(lengths, len(s)) && strings.Trim(s, "0123456789abcdef") == ""
}
