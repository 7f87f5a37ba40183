package main

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// LinkedIn need not say what a token may do, nor until when. It is kept all the same, and nobody is told to write down a day
// that is not known; a token that LinkedIn calls dead is not kept.
func TestLoginUnsaid(t *testing.T) {
	w := newWorld(t)
	var mu sync.Mutex
	var grant, known string
	server := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		mu.Lock()
		grant, known := grant, known
		mu.Unlock()
		switch r.URL.Path {
		case "/oauth/v2/accessToken":
			raw("HTTP/1.1 200 OK\r\n\r\n"+grant)(rw, r)
		case "/oauth/v2/introspectToken":
			raw(known)(rw, r)
		default:
			w.linkedIn.ServeHTTP(rw, r)
		}
	}))
	t.Cleanup(server.Close)
	w.git("config", "--global", "credential.helper", "store")
	w.git("config", "--global", "web.browser", "member")
	w.git("config", "--global", "browser.member.cmd", "member allow follow")
	port, err := freePort()
	w.check(err)
	m := &machine{world: w, dir: t.TempDir(), env: []string{"SOCIALPOST_LINKEDIN_URL=" + server.URL, "LINKEDIN_ACCESS_TOKEN=", "LINKEDIN_CLIENT_SECRET=sandbox-secret"}}

	const token, ok = `"access_token":"sandbox-token"`, "HTTP/1.1 200 OK\r\n\r\n"
	for _, test := range []struct {
		name, grant, known string
		status             int
		stdout             string // after the author
		says               string
	}{
		{"introspection fails", `{` + token + `}`, "HTTP/1.1 500 no\r\n\r\n", 0, "scopes   unknown\nexpires  unknown\n", "LinkedIn does not tell more of the token: "},
		{"introspection tells all", `{` + token + `}`, ok + `{"active":true,"scope":"openid,profile","expires_at":4102444800}`, 0,
			"scopes   openid profile\nexpires  2100-01-01\n", "hint: write token_expires = 2100-01-01 below [linkedin]"},
		{"introspection tells nothing", `{` + token + `}`, ok + `{"active":true}`, 0, "scopes   unknown\nexpires  unknown\n", `hint: write client_id = "sandbox-client" below [linkedin]`},
		{"what the grant says stays", `{` + token + `,"scope":"openid"}`, ok + `{"active":true,"scope":"x","expires_at":4102444800}`, 0, "scopes   openid\nexpires  2100-01-01\n", ""},
		{"it is dead", `{` + token + `}`, ok + `{"active":false,"status":"revoked"}`, exitError, "", "hint: nothing was kept"},
	} {
		mu.Lock()
		grant, known = test.grant, test.known
		mu.Unlock()
		m.must(0, "logout")
		r := m.run("login", "--client-id", "sandbox-client", "--port", port)
		want := test.stdout
		if test.status == 0 {
			want = "author   urn:li:person:782bbtaQ\n" + want
		}
		if r.status != test.status || r.stdout != want || !strings.Contains(r.stderr, test.says) || strings.Contains(r.stderr, "token_expires") != strings.Contains(test.stdout, "2100") {
			t.Errorf("%s: exit status %d\n%s%s", test.name, r.status, r.stdout, r.stderr)
		}
		data, err := os.ReadFile(filepath.Join(w.dir, "home", ".git-credentials"))
		if kept := strings.Contains(string(data), ":sandbox-token@api.linkedin.com"); kept != (test.status == 0) {
			t.Errorf("%s: kept: %v, %v", test.name, kept, err)
		}
	}
}
