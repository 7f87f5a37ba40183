package sandbox_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/git-socialpost/git-socialpost/linkedin"
	"github.com/git-socialpost/git-socialpost/linkedin/sandbox"
)

type faultTest struct {
	fault  string
	whens  string
	kind   linkedin.Kind
	status int
}

func TestEveryFault(t *testing.T) {
	tests := []faultTest{
		{"close", "before after", linkedin.Unknown, 0},
		{"reset", "before after", linkedin.Unknown, 0},
		{"cut-head", "before after", linkedin.Unknown, 0},
		{"cut-body", "before", linkedin.Unknown, 500},
		{"cut-body", "after", linkedin.Delivered, 201},
		{"hang", "before after", linkedin.Unknown, 0},
		{"slow", "after", linkedin.Delivered, 201},
		{"500", "before after", linkedin.Unknown, 500},
		{"502", "before after", linkedin.Unknown, 502},
		{"503", "before after", linkedin.Unknown, 503},
		{"504", "before after", linkedin.Unknown, 504},
		{"429", "before after", linkedin.Rejected, 429},
		{"401", "before after", linkedin.Rejected, 401},
		{"403", "before after", linkedin.Rejected, 403},
		{"409", "before after", linkedin.Unknown, 409},
		{"422", "before after", linkedin.Rejected, 422},
		{"426", "before after", linkedin.Rejected, 426},
		{"dead-version-400", "before after", linkedin.Rejected, 400},
		{"307", "before after", linkedin.Unknown, 307},
		{"200", "after before", linkedin.Unknown, 200},
		{"201-no-id", "after", linkedin.Unknown, 201},
		{"ugcpost", "after", linkedin.Delivered, 201},
		{"none", "after", linkedin.Delivered, 201},
	}
	for _, kind := range sandbox.Kinds() {
		if !slices.ContainsFunc(tests, func(tt faultTest) bool { return tt.fault == kind }) {
			t.Errorf("fault %s is not tested", kind)
		}
	}
	for _, tt := range tests {
		for when := range strings.FieldsSeq(tt.whens) {
			t.Run(tt.fault+" "+when, func(t *testing.T) {
				t.Parallel()
				s := sandbox.New()
				s.Delay = 10 * time.Millisecond
				if err := s.Arm(sandbox.Fault{Kind: tt.fault, When: when}); err != nil {
					t.Fatal(err)
				}
				c := start(t, s)
				if tt.fault == "hang" {
					c.Timeout = 100 * time.Millisecond
				}
				o := send(t, c, hello("Hello").Payload())
				if o.Kind != tt.kind || o.Status != tt.status {
					t.Errorf("%+v, want %s %d", o, tt.kind, tt.status)
				}
				stored := 0
				if when == sandbox.After {
					stored = 1
				}
				if s.Received() != 1 || len(s.Stored()) != stored {
					t.Errorf("%d received, %d stored, want 1, %d", s.Received(), len(s.Stored()), stored)
				}
				if o := send(t, c, hello("another").Payload()); o.Kind != linkedin.Delivered {
					t.Errorf("the next post: %+v", o)
				}
			})
		}
	}
}

func TestFaultDetails(t *testing.T) {
	s := sandbox.New()
	c := start(t, s)
	for _, f := range []sandbox.Fault{{Kind: "ugcpost"}, {Kind: "422", Count: 2}, {Kind: "slow"}, {Kind: "reset"}} {
		if err := s.Arm(f); err != nil {
			t.Fatal(err)
		}
	}
	s.Delay = 100 * time.Millisecond
	if o := send(t, c, hello("1").Payload()); !strings.HasPrefix(o.PostID, "urn:li:ugcPost:") {
		t.Errorf("ugcpost: %+v", o)
	}
	for range 2 {
		o := send(t, c, hello("2").Payload())
		if at, ok := linkedin.CreatedAt(o.Duplicate); !ok || time.Since(at) > time.Minute {
			t.Errorf("422 names %q: %+v", o.Duplicate, o)
		}
	}
	begin := time.Now()
	if o := send(t, c, hello("3").Payload()); o.Kind != linkedin.Delivered || time.Since(begin) < s.Delay {
		t.Errorf("slow: %+v after %v", o, time.Since(begin))
	}
	if o := send(t, c, hello("4").Payload()); !strings.Contains(o.Message, "reset") {
		t.Errorf("reset: %+v", o)
	}
}

func TestRefusedPostGetsItsRefusal(t *testing.T) {
	s := sandbox.New()
	c := start(t, s)
	s.Arm(sandbox.Fault{Kind: "close", When: sandbox.After})
	if o := send(t, c, hello("").Payload()); o.Code != "INVALID_VALUE_BLANK_FIELD" || len(s.Stored()) != 0 {
		t.Errorf("%+v", o)
	}
}

func TestArmRefuses(t *testing.T) {
	s := sandbox.New()
	for says, fault := range map[string]sandbox.Fault{
		fmt.Sprintf("want one of %s", strings.Join(sandbox.Kinds(), ", ")): {Kind: "nonsense"},
		"want before or after": {Kind: "close", When: "later"},
		"want after":           {Kind: "slow", When: sandbox.Before},
		"count -1":             {Kind: "close", Count: -1},
	} {
		if err := s.Arm(fault); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%+v: %v, want %s", fault, err, says)
		}
	}
	if o := send(t, start(t, s), hello("Hello").Payload()); o.Kind != linkedin.Delivered {
		t.Errorf("a refused fault struck: %+v", o)
	}
}
