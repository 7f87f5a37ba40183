package main

import (
	"bytes"
	"encoding/json"
	"io/fs"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// The client secret, the code and the token of a login, whatever goes wrong, are nowhere but where they must be: with
// LinkedIn, and with the credential helper. They are not in what any command prints, in another file, in an argument list,
// in git's traces, or in the environment of a git or of a browser.
func TestSecretsLogin(t *testing.T) {
	t.Parallel()
	l := newLoginKeeper(t)
	usual := l.machine.env
	l.loggedIn()
	l.asked()
	l.machine.env = usual

	const everything = `{"error":"E SECRET CODE","error_description":"SECRET CODE TOKEN","sub":"TOKEN","message":"TOKEN","access_token":"TOKEN SECRET CODE","scope":"TOKEN"}`
	for _, path := range []string{"/oauth/v2/accessToken", "/v2/userinfo"} {
		for _, head := range []string{"HTTP/1.1 401 TOKEN\r\n\r\n", "HTTP/1.1 200 OK\r\n\r\n", "HTTP/1.1 500 SECRET CODE\r\n\r\n", "HTTP/1.1 SECRET CODE TOKEN\r\n\r\n", "HTTP/1.1 200 OK\r\nTransfer-Encoding: SECRET CODE TOKEN\r\n\r\n"} {
			l.answer(map[string]string{path: head + everything})
			if r := l.run(l.login...); r.status != exitError {
				l.Errorf("exit status %d after %q\n%s%s", r.status, head, r.stdout, r.stderr)
			} else {
				l.keep(r)
			}
		}
	}
	l.answer(nil)
	l.dump()
	l.git("config", "--global", "credential.helper", "!tee /dev/stderr >/dev/null; false")
	l.keep(l.must(exitError, l.login...))
	l.keep(l.must(exitError, "login", "--client-id", "sandbox-client", "--paste"))
	l.search()
}

type loginKeeper struct {
	*keeper
	login []string

	mu      sync.Mutex
	echo    map[string]string // answers in LinkedIn's place, by path
	hang    chan struct{}     // if not nil, the exchange says that it has come, and gets no answer
	secrets map[string]string // what they are called, by what they are
	code    string            // the last one
	token   string
}

const clientSecret = "s3cret+Client/9d2f4=="

func newLoginKeeper(t *testing.T) *loginKeeper {
	w := newWorld(t)
	w.ClientSecret = clientSecret
	port, err := freePort()
	w.check(err)
	l := &loginKeeper{keeper: &keeper{machine: w.clone("m"), traces: filepath.Join(w.dir, "traces")},
		login: []string{"login", "--client-id", "sandbox-client", "--port", port}, secrets: map[string]string{clientSecret: "the client secret"}}
	l.check(os.Mkdir(l.traces, 0o777))
	server := httptest.NewServer(http.HandlerFunc(l.spy))
	t.Cleanup(server.Close)
	l.git("config", "--global", "credential.helper", "store")
	l.git("config", "--global", "web.browser", "member")
	l.git("config", "--global", "browser.member.cmd", "env >>"+l.traces+"/env; member allow follow")
	l.shim(`env >>` + l.traces + `/env; { printf '%s\n' "$@"; tr '\0' '\n' </proc/$PPID/cmdline; } >>` + l.traces + `/args`)
	l.machine.env = append(l.machine.env, "SOCIALPOST_LINKEDIN_URL="+server.URL, "LINKEDIN_ACCESS_TOKEN=", "LINKEDIN_CLIENT_SECRET="+clientSecret,
		"GOTRACEBACK=system", "GIT_TRACE=1", "GIT_TRACE_SETUP=1", "GIT_TRACE2_EVENT="+l.traces+"/events", "GIT_TRACE2_ENV_VARS=LINKEDIN_CLIENT_SECRET")
	return l
}

func (l *loginKeeper) answer(echo map[string]string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.echo = echo
}

// spy is LinkedIn, and writes down what it gives away.
func (l *loginKeeper) spy(w http.ResponseWriter, r *http.Request) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.hang != nil && r.URL.Path == "/oauth/v2/accessToken" {
		close(l.hang)
		l.hang = nil
		time.Sleep(time.Second) // until it is killed
	}
	if form := l.echo[r.URL.Path]; form != "" {
		bearer := strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ") // each server knows what it was sent
		raw(strings.NewReplacer("SECRET", r.PostFormValue("client_secret"), "CODE", r.PostFormValue("code"), "TOKEN", bearer).Replace(form))(w, r)
		return
	}
	rec := httptest.NewRecorder()
	l.linkedIn.ServeHTTP(rec, r)
	if to, err := rec.Result().Location(); err == nil && to.Query().Has("code") {
		l.code = to.Query().Get("code")
		l.secrets[l.code] = "a code"
	}
	var granted struct {
		AccessToken string `json:"access_token"`
	}
	if json.Unmarshal(rec.Body.Bytes(), &granted) == nil && granted.AccessToken != "" {
		l.token = granted.AccessToken
		l.secrets[l.token] = "a token"
	}
	maps.Copy(w.Header(), rec.Header())
	w.WriteHeader(rec.Code)
	w.Write(rec.Body.Bytes())
}

func (l *loginKeeper) loggedIn() {
	l.keep(l.must(0, l.login...))
	l.keep(l.must(0, "deliver"))
	l.keep(l.must(0, "logout", "--client-id", "sandbox-client"))
}

// asked gets the secret from git, which asks for it.
func (l *loginKeeper) asked() {
	askpass := filepath.Join(l.TempDir(), "askpass")
	l.check(os.WriteFile(askpass, []byte("#!/bin/sh\necho '"+clientSecret+"'\n"), 0o777))
	l.machine.env = append(slices.Clone(l.machine.env), "LINKEDIN_CLIENT_SECRET=", "GIT_ASKPASS="+askpass)
	l.loggedIn()
}

// dump ends the program, while it waits for the token, with a signal for which Go prints what every goroutine does.
func (l *loginKeeper) dump() {
	came := make(chan struct{})
	l.mu.Lock()
	l.hang = came
	l.mu.Unlock()
	cmd := l.command(l.login...)
	var said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &said, &said
	l.check(cmd.Start())
	select {
	case <-came:
	case <-time.After(time.Minute):
		l.Error("the exchange never came")
	}
	l.check(cmd.Process.Signal(syscall.SIGQUIT))
	if _ = cmd.Wait(); !strings.Contains(said.String(), "goroutine ") {
		l.Errorf("no goroutine dump:\n%s", said.String())
	}
	l.said.Write(said.Bytes())
}

func (l *loginKeeper) search() {
	l.mu.Lock()
	defer l.mu.Unlock()
	kinds := slices.Sorted(maps.Values(l.secrets))
	if l.token == "" || l.code == "" || len(kinds) < 10 {
		l.Errorf("only %q were given away", kinds)
	}
	secrets := slices.Collect(maps.Keys(l.secrets))
	l.look("what was printed", l.said.Bytes(), secrets...)
	l.check(filepath.WalkDir(l.world.dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() || d.Name() == ".git-credentials" {
			return err
		}
		data, err := os.ReadFile(path)
		l.look(strings.TrimPrefix(path, l.world.dir+"/"), data, secrets...)
		return err
	}))
	for _, name := range []string{"env", "args", "events"} {
		if data, err := os.ReadFile(filepath.Join(l.traces, name)); err != nil || len(data) < 1000 {
			l.Errorf("traces/%s: %d bytes, %v", name, len(data), err)
		}
	}
}
