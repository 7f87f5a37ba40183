package main

import (
	"strings"
	"testing"
	"time"

	"github.com/git-socialpost/git-socialpost/linkedin"
)

func instant(s string) time.Time {
	t, err := time.Parse(time.RFC3339, s)
	if err != nil {
		panic(err)
	}
	return t
}

func TestDaysUntil(t *testing.T) {
	now := instant("2026-11-30T12:00:00Z")
	for _, test := range []struct {
		end  string
		want int
	}{
		{"2026-11-30T11:59:59Z", 0},
		{"2026-11-30T12:00:00Z", 0},
		{"2026-11-30T12:00:01Z", 1},
		{"2026-12-01T12:00:00Z", 1},
		{"2026-12-01T12:00:01Z", 2},
		{"2026-11-28T12:00:00Z", -2},
		{"2027-11-30T12:00:00Z", 365},
		{"2026-12-01T14:00:00+02:00", 1},
	} {
		if got := daysUntil(now, instant(test.end)); got != test.want {
			t.Errorf("until %s: %d days, want %d", test.end, got, test.want)
		}
	}
}

func TestJudgeVersion(t *testing.T) {
	for _, test := range []struct {
		version, now string
		tried        bool
		want         status
		found        string
	}{
		{"202609", "2026-11-30T00:00:00Z", true, fine, "202609 is alive; it ends on 2027-09-15, in 41 weeks (as announced by 2026-09-19)"},
		{"202609", "2026-11-30T00:00:00Z", false, unseen, "202609 could not be tried; it ends on 2027-09-15"},
		{"202609", "2027-08-25T00:00:00Z", true, fine, "in 3 weeks"},
		{"202609", "2027-08-25T00:00:01Z", true, fine, "in 3 weeks"},
		{"202609", "2027-08-26T00:00:00Z", true, doubt, "in 2 weeks"},
		{"202609", "2027-09-14T00:00:00Z", false, doubt, "in 1 day"},
		{"202609", "2027-09-15T00:00:00Z", true, doubt, "202609 is alive, though it was to end on 2027-09-15"},
		{"202609", "2027-09-15T00:00:00Z", false, wrong, "202609 could not be tried; it ended on 2027-09-15"},
		{"202512", "2026-11-30T00:00:00Z", true, fine, "when it ends is not known here (as of 2026-09-19)"},
		{"202701", "2027-02-01T00:00:00Z", false, unseen, "when it ends is not known here"},
	} {
		got := judgeVersion(test.version, test.tried, instant(test.now), 21)
		if got.Status != test.want || !strings.Contains(got.Found, test.found) {
			t.Errorf("%s on %s: %s %q, want %s %q", test.version, test.now, got.Status, got.Found, test.want, test.found)
		}
		if needs := got.Status == doubt || got.Status == wrong; needs != (got.Remedy != "") {
			t.Errorf("%s on %s: %s with the remedy %q", test.version, test.now, got.Status, got.Remedy)
		}
	}
}

func TestJudgeLife(t *testing.T) {
	now := instant("2026-11-30T00:00:00Z")
	for _, test := range []struct {
		ends  string
		look  error
		want  status
		found string
	}{
		{"2027-01-29T00:00:00Z", nil, fine, "a: the token ends on 2027-01-29, in 60 days, says a friend"},
		{"2026-12-21T00:00:00Z", nil, fine, "in 21 days"},
		{"2026-12-20T00:00:00Z", nil, doubt, "in 20 days"},
		{"2026-11-30T00:00:01Z", nil, doubt, "in 1 day,"},
		{"2026-11-30T00:00:00Z", nil, doubt, "the token works, though it ended on 2026-11-30"},
		{"2026-11-30T00:00:00Z", linkedin.ErrToken, wrong, "the token ended on 2026-11-30"},
	} {
		a := &account{channel: &channel{}, channels: []string{"a"}, where: "THERE", look: linkedin.Look{Token: test.look},
			life: tokenLife{ends: instant(test.ends), source: "a friend"}}
		got := a.judgeLife(now, 21)
		if got.Status != test.want || !strings.Contains(got.Found, test.found) {
			t.Errorf("%s: %s %q, want %s %q", test.ends, got.Status, got.Found, test.want, test.found)
		}
	}
	nobody := (&account{channel: &channel{}, channels: []string{"a"}}).judgeLife(now, 21)
	if nobody.Status != doubt || !strings.Contains(nobody.Found, "nobody here knows") {
		t.Errorf("without an end: %+v", nobody)
	}
}

func TestJudgeClock(t *testing.T) {
	for _, test := range []struct {
		ahead time.Duration
		want  status
		found string
	}{
		{0, fine, "agree"},
		{30 * time.Second, fine, "agree"},
		{-30 * time.Second, fine, "agree"},
		{31 * time.Second, doubt, "31s ahead of LinkedIn's"},
		{-60 * time.Second, doubt, "1m0s behind LinkedIn's"},
		{61 * time.Second, wrong, "1m1s ahead of"},
		{-time.Hour, wrong, "1h0m0s behind"},
	} {
		got := judgeClock(test.ahead)
		if got.Status != test.want || !strings.Contains(got.Found, test.found) {
			t.Errorf("%v: %s %q, want %s %q", test.ahead, got.Status, got.Found, test.want, test.found)
		}
	}
}

func TestSpan(t *testing.T) {
	for d, want := range map[time.Duration]string{
		-time.Hour: "less than a minute", 59 * time.Second: "less than a minute", time.Minute: "1 minute", 119 * time.Minute: "119 minutes",
		2 * time.Hour: "2 hours", 47 * time.Hour: "47 hours", 48 * time.Hour: "2 days", 400 * 24 * time.Hour: "400 days",
	} {
		if got := span(d); got != want {
			t.Errorf("%v: %q, want %q", d, got, want)
		}
	}
}

func TestVerdict(t *testing.T) {
	for _, test := range []struct {
		found           []status
		lenient, strict string
	}{
		{[]status{fine, unseen}, "", ""},
		{[]status{fine, doubt}, "", "1 warning"},
		{[]status{doubt, doubt, unseen}, "", "2 warnings"},
		{[]status{wrong}, "1 check failed", "1 check failed"},
		{[]status{wrong, doubt, wrong}, "2 checks failed", "2 checks failed, and 1 warning"},
	} {
		var found []finding
		for _, s := range test.found {
			found = append(found, finding{Status: s})
		}
		for strict, want := range map[bool]string{false: test.lenient, true: test.strict} {
			got := ""
			if err := verdict(found, strict); err != nil {
				got = err.Error()
			}
			if got != want {
				t.Errorf("%v, strict %v: %q, want %q", test.found, strict, got, want)
			}
		}
	}
}

// A page that leaves a check out would be read as if all were well.
func TestSkippedChecksAreNamed(t *testing.T) {
	e := &exam{blind: map[string]string{"config": "it is not there"}}
	for _, c := range e.checks() {
		for _, need := range c.needs {
			if need != "config" {
				continue
			}
			got := e.look(t.Context(), c)
			if len(got) != 1 || got[0].Status != unseen || got[0].Found != "not looked at: it is not there" {
				t.Errorf("%s: %+v", c.name, got)
			}
		}
	}
}
