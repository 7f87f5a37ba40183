package ledger

import (
	"errors"
	"reflect"
	"strings"
	"testing"
)

func TestTrailers(t *testing.T) {
	want := trailers{pin: strings.Repeat("5f", 20), seq: 12, delivery: "example-note:linkedin-pt-br@2", state: Delivered, attempt: 3,
		run: "https://ci.example.com/job: 7", witness: map[string]int{"3": 17, "c": 2}}
	text := want.String()
	if text != "Ledger: "+want.pin+"\nSeq: 12\nDelivery: example-note:linkedin-pt-br@2\nState: delivered\nAttempt: 3\nRun: https://ci.example.com/job: 7\nWitness: 3=17 c=2\n" {
		t.Errorf("they read\n%s", text)
	}
	for _, message := range []string{text, "Subject\n\n" + text, "Subject\n\nBody\nSeq: 99\nDelivery: other:x\n\n" + text, "Subject\n\n" + strings.TrimSpace(text) + "\n\n\n"} {
		got, err := parseTrailers(message)
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%q\nbecame %+v, %v", message, got, err)
		}
	}
}

func TestTrailersOfFirstCommit(t *testing.T) {
	got, err := parseTrailers("Ledger of social posts\n\nShards: 16\nNonce: 00\nSeq: 0\n")
	if err != nil || !reflect.DeepEqual(got, trailers{shards: 16}) {
		t.Errorf("got %+v, %v", got, err)
	}
}

func TestTrailersRefused(t *testing.T) {
	for _, message := range []string{
		"", "Subject", "Subject\n\nBody only\n", "Subject\n\nSeq: 1\n\nNo trailers in the last paragraph\n",
		"S\n\nSeq:\n", "S\n\nSeq: \n", "S\n\nSeq: -1\n", "S\n\nSeq: +1\n", "S\n\nSeq: 01\n", "S\n\nSeq: 1.0\n", "S\n\nSeq: 0x1\n", "S\n\nSeq: ١\n",
		"S\n\nSeq: 99999999999999999999\n", "S\n\nSeq: 4294967296\n", "S\n\nSeq: 1 2\n",
		"S\n\nSeq: 1\nAttempt: one\n", "S\n\nSeq: 1\nAttempt: -1\n",
		"S\n\nSeq: 1\nWitness: 3\n", "S\n\nSeq: 1\nWitness: 3=\n", "S\n\nSeq: 1\nWitness: 3=x\n", "S\n\nSeq: 1\nWitness: 3=-1\n", "S\n\nSeq: 1\nWitness: 3=1,c=2\n",
	} {
		if got, err := parseTrailers(message); err == nil {
			t.Errorf("%q became %+v", message, got)
		}
	}
}

func FuzzParseTrailers(f *testing.F) {
	f.Add("Subject\n\nBody\n\n" + trailers{pin: "5f", seq: 12, delivery: "a:b", state: Intended, attempt: 1, run: "r", witness: map[string]int{"3": 1}}.String())
	f.Add("S\n\nSeq: 1\nWitness: 3=1 c=2\n")
	f.Add("S\n\nSeq: 01\n")
	f.Fuzz(func(t *testing.T, message string) {
		got, err := parseTrailers(message)
		if err != nil {
			return
		}
		if got.seq < 0 || got.attempt < 0 {
			t.Errorf("%q became %+v", message, got)
		}
		again, err := parseTrailers(got.String())
		if err != nil {
			t.Fatalf("%q became %q, which does not parse: %v", message, got, err)
		}
		again.shards = got.shards // of the first commit, which has no other trailers
		if len(again.witness) == 0 && len(got.witness) == 0 {
			again.witness = got.witness
		}
		if !reflect.DeepEqual(again, got) {
			t.Errorf("%+v became %+v", got, again)
		}
	})
}

func TestComplete(t *testing.T) {
	whole := func(n int, change ...string) map[string]string {
		found := map[string]string{}
		for _, name := range names(n) {
			found[name] = "id"
		}
		for _, name := range change {
			if _, there := found[name]; there {
				delete(found, name)
			} else {
				found[name] = "id"
			}
		}
		return found
	}
	for _, n := range []int{16, 256} {
		if order, err := (&Ledger{Remote: "origin"}).complete(whole(n)); err != nil || !reflect.DeepEqual(order, names(n)) {
			t.Errorf("%d shards: %v, %v", n, order, err)
		}
	}
	if _, err := (&Ledger{Remote: "origin"}).complete(nil); !errors.Is(err, ErrAbsent) {
		t.Errorf("no shards: %v", err)
	}
	for _, tc := range []struct {
		found       map[string]string
		shard, says string
	}{
		{whole(16, "0"), "0", "missing"},
		{whole(16, "f"), "f", "missing"},
		{whole(256, "00"), "00", "missing"},
		{whole(256, "ff"), "ff", "missing"},
		{whole(16, "junk"), "junk", "no shard"},
		{whole(16, "g"), "g", "no shard"},
		{whole(16, "A"), "A", "no shard"},
		{whole(16, "0/1"), "0/1", "no shard"},
		{whole(16, "00"), "00", "no shard"},
		{whole(256, "000"), "000", "no shard"},
	} {
		_, err := (&Ledger{Remote: "origin"}).complete(tc.found)
		var damage *DamageError
		if !errors.As(err, &damage) || damage.Shard != tc.shard || !strings.Contains(damage.Reason, tc.says) {
			t.Errorf("%d shards: %v; want shard %s, %q", len(tc.found), err, tc.shard, tc.says)
		}
	}
}
