package ledger

import (
	"errors"
	"reflect"
	"strings"
	"testing"
	"time"
)

// goldenRecord is format 1 with every field there is. Ledgers are full of it: it must be read for ever, and be written
// back byte for byte.
const goldenRecord = `format = 1
key = "example-note:linkedin-pt-br@2"
state = "delivered"
attempt = 2
nonces = ["0123456789abcdef0123456789abcdef", "00000000000000000000000000000001"]
revision = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
path = "social/example-note/linkedin-pt-br.md"
text = "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"
payload_sha256 = "cccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccc"
author = "urn:li:person:782bbtaQ"
intended_at = 2026-11-30T23:59:58Z
updated_at = 2026-12-01T00:20:00Z
run = "https://ci.example.com/job/7"

[outcome]
kind = "unknown"
status = 500
code = "SERVER_ERROR"
message = "a \"quoted\" message\nin two lines"
request_id = "ABC"
duplicate = "urn:li:share:1"
at = 2026-12-01T00:00:00Z

[post]
id = "urn:li:share:7000000000000000000"
url = "https://www.linkedin.com/feed/update/urn:li:share:7000000000000000000/"

[resolution]
decision = "released"
by = "Zoë <zoe@example.com>"
reason = "not in the feed"
of = "unknown"
at = 2026-12-01T00:10:00Z
[resolution.post]
id = "urn:li:share:2"
url = "https://www.linkedin.com/feed/update/urn:li:share:2/"

[[late]]
attempt = 1
run = "https://ci.example.com/job/6"
[late.outcome]
kind = "delivered"
status = 201
request_id = "DEF"
at = 2026-12-01T00:20:00Z
[late.post]
id = "urn:li:share:7000000000000000000"
url = "https://www.linkedin.com/feed/update/urn:li:share:7000000000000000000/"
`

func golden() *Record {
	post := &Post{ID: "urn:li:share:7000000000000000000", URL: "https://www.linkedin.com/feed/update/urn:li:share:7000000000000000000/"}
	at := func(minute int) time.Time { return time.Date(2026, 12, 1, 0, minute, 0, 0, time.UTC) }
	return &Record{
		Format: 1, Key: "example-note:linkedin-pt-br@2", State: Delivered, Attempt: 2,
		Nonces:   []string{"0123456789abcdef0123456789abcdef", "00000000000000000000000000000001"},
		Revision: strings.Repeat("a", 40), Path: "social/example-note/linkedin-pt-br.md", Text: strings.Repeat("b", 40),
		PayloadSHA256: strings.Repeat("c", 64), Author: "urn:li:person:782bbtaQ",
		IntendedAt: at(0).Add(-2 * time.Second), UpdatedAt: at(20), Run: "https://ci.example.com/job/7",
		Outcome: &Outcome{Kind: "unknown", Status: 500, Code: "SERVER_ERROR", Message: "a \"quoted\" message\nin two lines",
			RequestID: "ABC", Duplicate: "urn:li:share:1", At: at(0)},
		Post: post,
		Resolution: &Resolution{Decision: Released, By: "Zoë <zoe@example.com>", Reason: "not in the feed",
			Post: &Post{ID: "urn:li:share:2", URL: "https://www.linkedin.com/feed/update/urn:li:share:2/"}, Of: Unknown, At: at(10)},
		Late: []Late{{Attempt: 1, Run: "https://ci.example.com/job/6",
			Outcome: Outcome{Kind: "delivered", Status: 201, RequestID: "DEF", At: at(20)}, Post: post}},
	}
}

func TestGoldenRecord(t *testing.T) {
	got, err := Decode([]byte(goldenRecord))
	if err != nil {
		t.Fatal(err)
	}
	if again := string(got.Encode()); again != goldenRecord {
		t.Errorf("it is written back as\n%s", again)
	}
	got.raw = nil
	if want := golden(); !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
}

// A shorter record has no trace of what it does not have.
func TestIntentRecord(t *testing.T) {
	head, _, _ := strings.Cut(goldenRecord, "\n[outcome]")
	head = strings.Replace(head, `"delivered"`, `"intended"`, 1)
	got, err := Decode([]byte(head))
	if err != nil {
		t.Fatal(err)
	}
	if got.Outcome != nil || got.Post != nil || got.Resolution != nil || got.Late != nil {
		t.Errorf("an intent that knows its outcome: %+v", got)
	}
	if again := string(got.Encode()); again != head {
		t.Errorf("it is written back as\n%s", again)
	}
}

func TestDecodeRefuses(t *testing.T) {
	for _, tc := range []struct{ name, old, new, says string }{
		{"garbage", "format = 1", "format", ""},
		{"no format", "format = 1\n", "", "format 0"},
		{"format 0", "format = 1", "format = 0", "format 0"},
		{"format -1", "format = 1", "format = -1", "format -1"},
		{"format as text", "format = 1", `format = "1"`, "format"},
		{"another case", "format = 1", "Format = 1", "none that this program writes"},
		{"two cases", "attempt = 2\nnonces", "attempt = 2\nAttempt = 2\nnonces", "none that this program writes"},
		{"two cases of a table", "[resolution]", "[Post]\nid = \"x\"\nurl = \"x\"\n[resolution]", "none that this program writes"},
		{"unknown field", "attempt = 2", "attempt = 2\nsurprise = 1", "unknown field surprise"},
		{"unknown field in a table", "status = 500", "status = 500\nsurprise = 1", "unknown field outcome.surprise"},
		{"twice", "attempt = 2", "attempt = 2\nattempt = 2", "attempt"},
		{"bad key", `key = "example-note`, `key = "../example-note`, "slug"},
		{"no key", "key = ", "author2 = ", ""},
		{"unknown state", `state = "delivered"`, `state = "sent"`, `state "sent"`},
		{"upper-case state", `state = "delivered"`, `state = "Delivered"`, `state "Delivered"`},
		{"no state", `state = "delivered"` + "\n", "", `state ""`},
		{"attempt 0", "attempt = 2\nnonces", "attempt = 0\nnonces", "attempt 0"},
		{"attempt 1 of 2", "attempt = 2\nnonces", "attempt = 1\nnonces", "attempt 1 with 2 nonces"},
		{"no nonces", `nonces = ["0123456789abcdef0123456789abcdef", "00000000000000000000000000000001"]`, "nonces = []", "with 0 nonces"},
		{"short nonce", `"0123456789abcdef0123456789abcdef"`, `"0123456789abcdef"`, "nonce"},
		{"upper-case nonce", `"0123456789abcdef0123456789abcdef"`, `"0123456789ABCDEF0123456789abcdef"`, "none that this program writes"},
		{"short revision", strings.Repeat("a", 40), "aaaaaaa", "revision"},
		{"no text", strings.Repeat("b", 40), "", "text"},
		{"SHA-1 payload", strings.Repeat("c", 64), strings.Repeat("c", 40), "payload_sha256"},
		{"no time", "intended_at = 2026-11-30T23:59:58Z\n", "", "time"},
		{"time as text", "2026-11-30T23:59:58Z", `"2026-11-30"`, ""},
		{"state without its post", `state = "delivered"`, `state = "unknown"`, "do not agree"},
		{"post with a blank", "update/urn:li:share:7000000000000000000/\"\n\n[resolution]", "update/ urn:li:share:7000000000000000000/\"\n\n[resolution]", "printable ASCII"},
		{"number too big", "attempt = 2\nnonces", "attempt = 99999999999999999999\nnonces", ""},
	} {
		data := strings.Replace(goldenRecord, tc.old, tc.new, 1)
		if data == goldenRecord {
			t.Fatalf("%s: nothing was replaced", tc.name)
		}
		if r, err := Decode([]byte(data)); err == nil {
			t.Errorf("%s: accepted, as %s of %s", tc.name, r.State, r.Key)
		} else if !strings.Contains(err.Error(), tc.says) {
			t.Errorf("%s: %v; want it to say %q", tc.name, err, tc.says)
		} else if errors.Is(err, ErrNewer) {
			t.Errorf("%s: %v", tc.name, err)
		}
	}
}

// A newer format asks for an upgrade, whatever else there is in it.
func TestDecodeNewer(t *testing.T) {
	for _, data := range []string{"format = 2\n", strings.Replace(goldenRecord, "format = 1", "format = 2", 1),
		"format = 9\nkey = 7\nstate = [\"a\"]\nattempt = \"many\"\nsurprise = true\n"} {
		if _, err := Decode([]byte(data)); !errors.Is(err, ErrNewer) || !strings.Contains(err.Error(), "upgrade") {
			t.Errorf("%v", err)
		}
	}
}

func TestConfirmed(t *testing.T) {
	post := &Post{ID: "urn:li:share:1", URL: "https://example.com/"}
	for _, tc := range []struct {
		name string
		r    Record
		want bool
	}{
		{"an intent", Record{}, false},
		{"an outcome that is none", Record{Outcome: &Outcome{Kind: "unknown"}}, false},
		{"a maintainer's word", Record{Post: post, Resolution: &Resolution{Post: post}}, false},
		{"a receipt", Record{Post: post, Outcome: &Outcome{Kind: "delivered"}}, true},
		{"a late receipt", Record{Post: post, Late: []Late{{}, {Post: post}}}, true},
	} {
		if got := tc.r.Confirmed(); got != tc.want {
			t.Errorf("%s: %v", tc.name, got)
		}
	}
}

// FuzzDecode: what is accepted is written back as something that means the same, and is as good a record.
func FuzzDecode(f *testing.F) {
	f.Add([]byte(goldenRecord))
	f.Add([]byte("format = 1\n"))
	f.Add([]byte("format = 2\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		r, err := Decode(data)
		if err != nil {
			return
		}
		stored := r.Encode()
		again, err := Decode(stored)
		if err != nil {
			t.Fatalf("%q became %q, which does not decode: %v", data, stored, err)
		}
		if string(again.Encode()) != string(stored) {
			t.Errorf("%q became %q, then %q", data, stored, again.Encode())
		}
		if _, err := r.ID(); err != nil || len(r.Nonces) != r.Attempt || (r.State == Delivered) != (r.Post != nil) {
			t.Errorf("%q was accepted", data)
		}
	})
}
