package linkedin

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"
)

// The table is dates, in the order of the versions, each about a year after its version.
func TestSunsets(t *testing.T) {
	for version := range sunsets {
		day, known := Sunset(version)
		from, err := time.Parse("200601", version)
		if !known || err != nil {
			t.Errorf("%s: no date: %v", version, err)
		}
		if life := day.Sub(from); life < 365*24*time.Hour || life > 400*24*time.Hour {
			t.Errorf("%s ends on %s, after %v", version, day.Format(time.DateOnly), life)
		}
	}
	if day, known := Sunset("202512"); known {
		t.Errorf("there was no 202512, and it ends on %v", day)
	}
	if _, err := time.Parse(time.DateOnly, SunsetsAsOf); err != nil {
		t.Error(err)
	}
}

func TestLook(t *testing.T) {
	at := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	for _, test := range []struct {
		name              string
		identity, version int
		date              bool
		want              Look
	}{
		{"alive", 200, 403, true, Look{Owner: "urn:li:person:a", Ahead: 40 * time.Second, Dated: true}},
		{"silent about its owner", 403, 403, true, Look{Ahead: 40 * time.Second, Dated: true}},
		{"without a clock", 200, 403, false, Look{Owner: "urn:li:person:a"}},
		{"dead", 401, 401, true, Look{Token: ErrToken, Version: ErrToken, Ahead: 40 * time.Second, Dated: true}},
		{"dead for the second read only", 200, 401, true, Look{Owner: "urn:li:person:a", Token: ErrToken, Version: ErrToken, Ahead: 40 * time.Second, Dated: true}},
		{"old version", 200, 426, true, Look{Owner: "urn:li:person:a", Version: ErrVersion, Ahead: 40 * time.Second, Dated: true}},
	} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header()["Date"] = nil
			if test.date {
				w.Header().Set("Date", at.Format(http.TimeFormat))
			}
			status := test.version
			if r.URL.Path == "/v2/userinfo" {
				status = test.identity
			}
			w.WriteHeader(status)
			w.Write([]byte(`{"sub":"a"}`))
		}))
		c := &Client{BaseURL: server.URL, Token: "t", Version: "202609"}
		got := c.Look(t.Context(), func() time.Time { return at.Add(40*time.Second + time.Millisecond) })
		server.Close()
		if !errors.Is(got.Token, test.want.Token) || (got.Token == nil) != (test.want.Token == nil) {
			t.Errorf("%s: token %v", test.name, got.Token)
		}
		if !errors.Is(got.Version, test.want.Version) || (got.Version == nil) != (test.want.Version == nil) {
			t.Errorf("%s: version %v", test.name, got.Version)
		}
		if got.Owner != test.want.Owner || got.Ahead != test.want.Ahead || got.Dated != test.want.Dated {
			t.Errorf("%s: %+v", test.name, got)
		}
	}
}
