package linkedin

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

const (
	testSecret = "s3cret+/7f3a=="
	testCode   = "code+/5b2e=="
)

// authority answers every request with the same words, and counts them.
func authority(t *testing.T, status int, body string) (*App, *atomic.Int32) {
	t.Helper()
	requests := new(atomic.Int32)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		requests.Add(1)
		if got := r.PostFormValue("client_secret"); r.Method != "POST" || got != testSecret || r.URL.RawQuery != "" {
			t.Errorf("%s %s with secret %q", r.Method, r.URL, got)
		}
		switch {
		case status == 0:
			panic(http.ErrAbortHandler)
		case status/100 == 3:
			w.Header().Set("Location", "/elsewhere")
		}
		w.WriteHeader(status)
		io.WriteString(w, body)
	}))
	t.Cleanup(server.Close)
	return &App{BaseURL: server.URL, ID: "86abc", Secret: testSecret, Timeout: 5 * time.Second}, requests
}

func TestExchange(t *testing.T) {
	app, requests := authority(t, 200, `{"access_token":"AQtoken","expires_in":5184000,"scope":"openid,profile, w_member_social","token_type":"Bearer"}`)
	grant, err := app.Exchange(t.Context(), testCode, "http://localhost:1/callback")
	if err != nil {
		t.Fatal(err)
	}
	if days := time.Until(grant.Expires).Hours() / 24; grant.Token != "AQtoken" || !slices.Equal(grant.Scopes, []string{"openid", "profile", "w_member_social"}) || days < 59.9 || days > 60 {
		t.Errorf("%+v", grant)
	}
	if requests.Load() != 1 {
		t.Errorf("%d requests", requests.Load())
	}
	app, _ = authority(t, 200, `{"access_token":"AQtoken"}`)
	if grant, err := app.Exchange(t.Context(), testCode, "x"); err != nil || !grant.Expires.IsZero() || len(grant.Scopes) > 0 {
		t.Errorf("%+v, %v", grant, err)
	}
}

// Whatever the answer is, the code was sent once, and no secret is in the error.
func TestExchangeFails(t *testing.T) {
	echo := fmt.Sprintf(`{"error":"invalid_request","error_description":"%s %s %s %s"}`, testCode, testSecret, url.QueryEscape(testCode), url.QueryEscape(testSecret))
	for name, tt := range map[string]struct {
		status int
		body   string
		kind   error
		says   string
	}{
		"wrong secret":     {401, `{"error":"invalid_client","error_description":"Client authentication failed"}`, ErrApp, "Client authentication failed"},
		"no such code":     {401, `{"error":"invalid_request","error_description":"authorization code not found"}`, ErrCode, "not found"},
		"expired":          {400, `{"error":"invalid_redirect_uri","error_description":"Unable to retrieve"}`, ErrCode, "Unable"},
		"throttled":        {429, `{}`, nil, "HTTP 429"},
		"broken":           {500, "<html>", nil, "HTTP 500"},
		"redirect":         {307, "", nil, "HTTP 307"},
		"echo":             {400, echo, ErrCode, "[secret] [secret] [secret] [secret]"},
		"control":          {400, `{"error":"x","error_description":"\u001b[31m\n"}`, ErrCode, `\x1b[31m\n`},
		"no JSON":          {200, "<html>", nil, "cannot be read"},
		"no token":         {200, "{}", ErrToken, "it is empty"},
		"token of 2 lines": {200, `{"access_token":"a\nhost=example.com"}`, ErrToken, "line end"},
		"too long":         {200, `{"access_token":"` + strings.Repeat("a", maxBody) + `"}`, nil, "cannot be read"},
		"no answer":        {0, "", nil, "127.0.0.1"},
	} {
		app, requests := authority(t, tt.status, tt.body)
		_, err := app.Exchange(t.Context(), testCode, "http://localhost:1/callback")
		if err == nil || tt.kind != nil && !errors.Is(err, tt.kind) || !strings.Contains(err.Error(), tt.says) {
			t.Errorf("%s: %v", name, err)
		}
		if requests.Load() != 1 {
			t.Errorf("%s: %d requests", name, requests.Load())
		}
		for _, secret := range []string{testCode, testSecret, "7f3a", "5b2e"} {
			if err != nil && strings.Contains(err.Error(), secret) {
				t.Errorf("%s: the error holds %s: %v", name, secret, err)
			}
		}
		if _, err := app.Introspect(t.Context(), token); err == nil {
			t.Errorf("%s: introspection accepts it", name)
		}
	}
	app := &App{BaseURL: "http://example.com", ID: "86abc", Secret: testSecret}
	if _, err := app.Exchange(t.Context(), testCode, "x"); err == nil || !strings.Contains(err.Error(), "want https") {
		t.Errorf("http: %v", err)
	}
}

// A new token is not known everywhere at once; another answer than 401 is believed.
func TestIdentity(t *testing.T) {
	for name, tt := range map[string]struct {
		statuses []int
		body     string
		urn      string
		says     string
		reads    int32
	}{
		"at once":   {[]int{200}, `{"sub":"782bbtaQ"}`, me, "", 1},
		"later":     {[]int{401, 200}, `{"sub":"782bbtaQ"}`, me, "", 2},
		"denied":    {[]int{403}, `{"message":"Not enough permissions"}`, "", "HTTP 403 Not enough permissions", 1},
		"nobody":    {[]int{200}, `{}`, "", "names no member", 1},
		"two lines": {[]int{200}, `{"sub":"a\nhost=x"}`, "", "names no member", 1},
		"echo":      {[]int{200}, `{"sub":"` + token + `"}`, "", "names no member", 1},
		"no JSON":   {[]int{200}, `<html>`, "", "cannot be read", 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			reads := new(atomic.Int32)
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				n := int(reads.Add(1))
				w.WriteHeader(tt.statuses[min(n, len(tt.statuses))-1])
				io.WriteString(w, tt.body)
			}))
			defer server.Close()
			urn, err := (&Client{BaseURL: server.URL, Token: token}).Identity(t.Context())
			if urn != tt.urn || (err != nil) != (tt.says != "") || err != nil && !strings.Contains(err.Error(), tt.says) || reads.Load() != tt.reads {
				t.Errorf("%q, %v, %d reads", urn, err, reads.Load())
			}
		})
	}
	c, _ := platform(t, reading{401, `{"message":"Invalid access token"}`}, reading{})
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	if _, err := c.Identity(ctx); !errors.Is(err, ErrToken) {
		t.Errorf("a dead token: %v", err)
	}
}
