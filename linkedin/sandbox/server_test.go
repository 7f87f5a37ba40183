package sandbox_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/git-socialpost/git-socialpost/linkedin"
	"github.com/git-socialpost/git-socialpost/linkedin/sandbox"
)

const me = "urn:li:person:782bbtaQ"

func start(t *testing.T, s *sandbox.Server) *linkedin.Client {
	t.Helper()
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	return &linkedin.Client{BaseURL: server.URL, Token: sandbox.DefaultToken, Version: "202609", Timeout: 5 * time.Second}
}

func hello(text string) linkedin.Post {
	return linkedin.Post{Author: me, Visibility: "PUBLIC", Text: text}
}

func send(t *testing.T, c *linkedin.Client, payload []byte) linkedin.Outcome {
	t.Helper()
	return c.Send(t.Context(), payload, func(context.Context) error { return nil }, func(linkedin.Outcome) {})
}

func TestCreate(t *testing.T) {
	s := sandbox.New()
	c := start(t, s)
	before := time.Now().Truncate(time.Millisecond)
	post := linkedin.Post{Author: "urn:li:organization:12", Visibility: "PUBLIC", Text: "A (b) #go\n🙂",
		Link: "https://example.com/", Title: "T", Description: "D"}
	o := send(t, c, post.Payload())
	if o.Kind != linkedin.Delivered || o.RequestID == "" || s.Received() != 1 || len(s.Stored()) != 1 {
		t.Fatalf("%+v, %d received, %d stored", o, s.Received(), len(s.Stored()))
	}
	got := s.Stored()[0]
	if got.ID != o.PostID || got.Author != post.Author || got.Text != post.Text || got.Link != post.Link || got.Title != "T" || got.Description != "D" {
		t.Errorf("stored %+v", got)
	}
	if at, ok := linkedin.CreatedAt(got.ID); !ok || at.Before(before) || at.After(time.Now()) {
		t.Errorf("%s was created at %v", got.ID, at)
	}
}

func TestCutsTextWhereGrammarBreaks(t *testing.T) {
	s := sandbox.New()
	payload := strings.Replace(string(hello("This is a test. X").Payload()), "X", "(This is also a test.)", 1)
	if o := send(t, start(t, s), []byte(payload)); o.Kind != linkedin.Delivered {
		t.Errorf("%+v", o)
	}
	if got := s.Stored()[0].Text; got != "This is a test. " {
		t.Errorf("stored %q", got)
	}
}

func TestRefusals(t *testing.T) {
	scopes := func(scopes ...string) sandbox.Token { return sandbox.Token{Sub: "782bbtaQ", Scopes: scopes} }
	tokens := map[string]sandbox.Token{
		"good":    scopes("w_member_social"),
		"org":     scopes("w_organization_social"),
		"reader":  scopes("openid", "profile"),
		"revoked": {Revoked: true},
		"expired": {Expired: true},
	}
	header := map[string]string{"Authorization": "Bearer good", "LinkedIn-Version": "202609", "X-Restli-Protocol-Version": "2.0.0", "Content-Type": "application/json"}
	card := linkedin.Post{Author: me, Visibility: "PUBLIC", Text: "Hello", Link: "https://example.com", Title: "T"}
	for _, tt := range []struct {
		header string // name=value that replaces the good one
		old    string // part of the body …
		new    string // … and what replaces it
		status int
		code   string
	}{
		{"Authorization=", "{", "", 401, "EMPTY_ACCESS_TOKEN"},
		{"Authorization=Bearer other", "", "", 401, "INVALID_ACCESS_TOKEN"},
		{"Authorization=Bearer revoked", "", "", 401, "REVOKED_ACCESS_TOKEN"},
		{"Authorization=Bearer expired", "", "", 401, "EXPIRED_ACCESS_TOKEN"},
		{"LinkedIn-Version=", "{", "", 400, "VERSION_MISSING"},
		{"LinkedIn-Version=202512", "{", "", 426, "NONEXISTENT_VERSION"},
		{"LinkedIn-Version=202509", "{", "", 426, "NONEXISTENT_VERSION"},
		{"X-Restli-Protocol-Version=1.0.0", "{", "", 400, "ILLEGAL_ARGUMENT"},
		{"Authorization=Bearer reader", "{", "", 403, "ACCESS_DENIED"},
		{"Authorization=Bearer org", "", "", 403, "ACCESS_DENIED"},
		{"Content-Type=text/plain", "", "", 415, "UNSUPPORTED_MEDIA_TYPE"},
		{"", "{", "", 400, "ILLEGAL_ARGUMENT"},
		{"", `"isReshare`, `"x":1,"isReshare`, 400, "ILLEGAL_ARGUMENT"},
		{"", `"source"`, `"x":1,"source"`, 400, "ILLEGAL_ARGUMENT"},
		{"", `ByAuthor":false}`, `ByAuthor":false}{}`, 400, "ILLEGAL_ARGUMENT"},
		{"", `"Hello"`, `7`, 400, "ILLEGAL_ARGUMENT"},
		{"", `"author":"` + me + `",`, "", 400, "MISSING_FIELD"},
		{"", `"commentary":"Hello",`, "", 400, "MISSING_FIELD"},
		{"", `"visibility":"PUBLIC",`, "", 400, "MISSING_FIELD"},
		{"", `"lifecycleState":"PUBLISHED",`, "", 400, "MISSING_FIELD"},
		{"", `"feedDistribution":"MAIN_FEED",`, "", 400, "MISSING_FIELD"},
		{"", `"source":"https://example.com",`, "", 400, "MISSING_FIELD"},
		{"", `"article":`, `"media":`, 400, "ILLEGAL_ARGUMENT"},
		{"", `"Hello"`, `" "`, 400, "INVALID_VALUE_BLANK_FIELD"},
		{"", `"T"`, `""`, 400, "INVALID_VALUE_BLANK_FIELD"},
		{"", `"PUBLIC"`, `"CONTAINER"`, 400, "INVALID_VALUE_FOR_FIELD"},
		{"", `"PUBLISHED"`, `"DRAFT"`, 400, "INVALID_VALUE_FOR_FIELD"},
		{"", `"MAIN_FEED"`, `"FEED"`, 400, "INVALID_VALUE_FOR_FIELD"},
		{"", `https://example.com`, `example.com`, 400, "INVALID_VALUE_FOR_FIELD"},
		{"", me, "782bbtaQ", 400, "INVALID_URN_TYPE"},
		{"", me, "urn:li:organization:abc", 400, "INVALID_URN_ID"},
		{"", me, "urn:li:person:another", 403, "ACCESS_DENIED"},
		{"", me, "urn:li:organization:12", 403, "ACCESS_DENIED"},
		{"", "Hello", strings.Repeat("🙂", 1500) + ".", 400, "FIELD_LENGTH_TOO_LONG"},
		{"", "Hello", strings.Repeat(`\\_`, 3001), 400, "FIELD_LENGTH_TOO_LONG"},
		{"", "Hello", strings.Repeat(`\\_`, 3000), 201, ""},
		{"", "Hello", strings.Repeat("🙂", 1500), 201, ""},
		{"Authorization=Bearer org", me, "urn:li:organization:12", 201, ""},
	} {
		s := sandbox.New()
		s.Tokens = tokens
		body := strings.Replace(string(card.Payload()), tt.old, tt.new, 1)
		req := httptest.NewRequest("POST", "/rest/posts", strings.NewReader(body))
		for name, value := range header {
			req.Header.Set(name, value)
		}
		if name, value, found := strings.Cut(tt.header, "="); found {
			req.Header.Set(name, value)
		}
		w := httptest.NewRecorder()
		s.ServeHTTP(w, req)
		var answer struct {
			Status int
			Code   string
		}
		json.Unmarshal(w.Body.Bytes(), &answer)
		if w.Code != tt.status || answer.Code != tt.code || w.Code >= 400 && answer.Status != w.Code || w.Header().Get("x-li-uuid") == "" {
			t.Errorf("%s %.60s -> %.60s: %d %s, want %d %s", tt.header, tt.old, tt.new, w.Code, w.Body, tt.status, tt.code)
		}
		if stored := len(s.Stored()); s.Received() != 1 || (stored == 1) != (tt.status == 201) {
			t.Errorf("%d: %d received, %d stored", tt.status, s.Received(), stored)
		}
	}
}

func TestRefusesUnknownLength(t *testing.T) {
	req := httptest.NewRequest("POST", "/rest/posts", strings.NewReader("{}"))
	req.ContentLength = -1
	req.Header.Set("Authorization", "Bearer "+sandbox.DefaultToken)
	req.Header.Set("LinkedIn-Version", "202609")
	req.Header.Set("X-Restli-Protocol-Version", "2.0.0")
	w := httptest.NewRecorder()
	if sandbox.New().ServeHTTP(w, req); w.Code != http.StatusLengthRequired {
		t.Errorf("%d %s", w.Code, w.Body)
	}
}

func TestDuplicates(t *testing.T) {
	s := sandbox.New()
	s.DuplicateWindow = 100 * time.Millisecond
	c := start(t, s)
	first := send(t, c, hello("Hello").Payload())
	o := send(t, c, hello("Hello").Payload())
	if o.Kind != linkedin.Rejected || o.Status != 422 || o.Code != "DUPLICATE_POST" || o.Duplicate != first.PostID {
		t.Errorf("%+v, want a duplicate of %s", o, first.PostID)
	}
	other := hello("Hello")
	other.Author = "urn:li:organization:12"
	for _, post := range []linkedin.Post{hello("Hello!"), other} {
		if o := send(t, c, post.Payload()); o.Kind != linkedin.Delivered {
			t.Errorf("%+v: %+v", post, o)
		}
	}
	time.Sleep(s.DuplicateWindow)
	if o := send(t, c, hello("Hello").Payload()); o.Kind != linkedin.Delivered {
		t.Errorf("after the window: %+v", o)
	}
	if s.Received() != 5 || len(s.Stored()) != 4 {
		t.Errorf("%d received, %d stored", s.Received(), len(s.Stored()))
	}
}

func TestManyPostsAtOnce(t *testing.T) {
	s := sandbox.New()
	c := start(t, s)
	var all sync.WaitGroup
	for i := range 20 {
		all.Go(func() { send(t, c, hello(fmt.Sprint("text ", i/2)).Payload()) })
	}
	all.Wait()
	ids := map[string]bool{}
	for _, post := range s.Stored() {
		ids[post.ID] = true
	}
	if s.Received() != 20 || len(s.Stored()) != 10 || len(ids) != 10 {
		t.Errorf("%d received, %d stored with %d ids", s.Received(), len(s.Stored()), len(ids))
	}
}

func TestClientChecks(t *testing.T) {
	s := sandbox.New()
	c := start(t, s)
	if err := c.Check(t.Context(), me); err != nil {
		t.Error(err)
	}
	c.Version = "202509"
	if err := c.Check(t.Context(), me); err == nil || !strings.Contains(err.Error(), "20250901 is not active") {
		t.Errorf("dead version: %v", err)
	}
	if s.Received() != 0 {
		t.Error("a check is a POST")
	}
}

func TestReadAndDelete(t *testing.T) {
	s := sandbox.New()
	s.Tokens["reader"] = sandbox.Token{Scopes: []string{"r_member_social"}}
	c := start(t, s)
	id := send(t, c, hello("Hello #go").Payload()).PostID
	encoded := strings.ReplaceAll(id, ":", "%3A")
	for _, tt := range []struct {
		method, path, token string
		status              int
		says                string
	}{
		{"GET", encoded, "sandbox-token", 403, "Not enough permissions to access: partnerApiPostsExternal.GET.20260901"},
		{"GET", id, "reader", 400, "ILLEGAL_ARGUMENT"},
		{"GET", encoded, "reader", 200, `{hashtag|\\#|go}`},
		{"GET", "urn%3Ali%3Ashare%3A1", "reader", 404, "NOT_FOUND"},
		{"DELETE", encoded, "reader", 403, "ACCESS_DENIED"},
		{"DELETE", id, "sandbox-token", 400, "ILLEGAL_ARGUMENT"},
		{"DELETE", encoded, "sandbox-token", 204, ""},
		{"DELETE", encoded, "sandbox-token", 204, ""},
		{"GET", encoded, "reader", 404, "NOT_FOUND"},
	} {
		req, _ := http.NewRequest(tt.method, c.BaseURL+"/rest/posts/"+tt.path, nil)
		req.Header.Set("Authorization", "Bearer "+tt.token)
		req.Header.Set("LinkedIn-Version", "202609")
		req.Header.Set("X-Restli-Protocol-Version", "2.0.0")
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		body, _ := io.ReadAll(res.Body)
		res.Body.Close()
		if res.StatusCode != tt.status || !strings.Contains(string(body), tt.says) {
			t.Errorf("%s %s as %s: %d %s, want %d %s", tt.method, tt.path, tt.token, res.StatusCode, body, tt.status, tt.says)
		}
	}
	if len(s.Stored()) != 0 {
		t.Error("the post is still there")
	}
}
