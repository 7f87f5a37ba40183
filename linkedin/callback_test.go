package linkedin

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"
)

func freePort(t *testing.T) int {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	return listener.Addr().(*net.TCPAddr).Port
}

type waited struct {
	code string
	err  error
}

// await starts a Callback that waits for the state S1, and tells what it ignores.
func await(t *testing.T) (base string, result chan waited, ignored chan error) {
	t.Helper()
	port := freePort(t)
	c, err := ListenCallback(port)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	result, ignored = make(chan waited, 1), make(chan error, 10)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	t.Cleanup(cancel)
	go func() {
		code, err := c.Wait(ctx, "S1", func(err error) { ignored <- err })
		result <- waited{code, err}
	}()
	return strings.TrimSuffix(CallbackURL(port), "/callback"), result, ignored
}

func get(t *testing.T, address string) (status int, page string) {
	t.Helper()
	return ask(t, http.MethodGet, "", address)
}

// Requests that prove nothing are refused and told, and the right one still counts.
func TestCallback(t *testing.T) {
	base, result, ignored := await(t)
	for path, want := range map[string]error{"/callback?code=evil&state=S2": ErrState, "/callback?code=evil": ErrState, "/callback?error=x&state=S2": ErrState, "/callback?state=S1": errNoCode} {
		if status, page := get(t, base+path); status != http.StatusBadRequest || strings.Contains(page, "evil") {
			t.Errorf("%s: HTTP %d\n%s", path, status, page)
		}
		if err := <-ignored; !errors.Is(err, want) {
			t.Errorf("%s: %v", path, err)
		}
	}
	for _, path := range []string{"/favicon.ico", "/", "/callback/x?code=evil&state=S1"} {
		if status, _ := get(t, base+path); status != http.StatusNotFound {
			t.Errorf("%s: HTTP %d", path, status)
		}
	}
	for method, want := range map[string]int{"POST": 405, "HEAD": 405, "OPTIONS": 405, "PUT": 405} {
		if status, page := ask(t, method, "", base+"/callback?code=evil&state=S1"); status != want || strings.Contains(page, "evil") {
			t.Errorf("%s: HTTP %d\n%s", method, status, page)
		}
	}
	for _, host := range []string{"evil.example:8910", "evil.example", "localhost.evil.example", "127.0.0.1.evil.example:1", "[::2]:1"} {
		if status, page := ask(t, "GET", host, base+"/callback?code=evil&state=S1"); status != http.StatusNotFound || strings.Contains(page, "evil") {
			t.Errorf("host %s: HTTP %d\n%s", host, status, page)
		}
	}
	if len(ignored) > 0 {
		t.Errorf("a stranger's request is worth a word: %v", <-ignored)
	}
	status, page := get(t, base+"/callback?code=A%2BB&state=S1")
	if status != 200 || !strings.Contains(page, "LinkedIn&#39;s answer is here") && !strings.Contains(page, "LinkedIn's answer is here") {
		t.Errorf("HTTP %d\n%s", status, page)
	}
	if got := <-result; got.code != "A+B" || got.err != nil {
		t.Errorf("%+v", got)
	}
}

func ask(t *testing.T, method, host, address string) (status int, page string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, address, nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Host = host
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return res.StatusCode, string(body)
}

// A browser may resolve localhost to either address, and leaves out port 80.
func TestCallbackHosts(t *testing.T) {
	for _, host := range []string{"localhost", "localhost:8910", "127.0.0.1:8910", "[::1]:8910"} {
		base, result, _ := await(t)
		if status, _ := ask(t, "GET", host, base+"/callback?code=A1&state=S1"); status != http.StatusOK {
			t.Errorf("host %s: HTTP %d", host, status)
		}
		if got := <-result; got.code != "A1" || got.err != nil {
			t.Errorf("host %s: %+v", host, got)
		}
	}
}

func TestCallbackDenied(t *testing.T) {
	base, result, _ := await(t)
	status, page := get(t, base+"/callback?error=user_cancelled_login&error_description=%3Cscript%3E%1B&state=S1")
	if status != 200 || !strings.Contains(page, "LinkedIn granted nothing: user_cancelled_login") || strings.Contains(page, "<script>") {
		t.Errorf("HTTP %d\n%s", status, page)
	}
	got := <-result
	if denied, ok := errors.AsType[*DeniedError](got.err); !ok || denied.Code != "user_cancelled_login" || denied.Description != `<script>\x1b` {
		t.Errorf("%+v", got)
	}
}

// The port is taken on every address of localhost, or not at all; other machines cannot reach it.
func TestListenCallback(t *testing.T) {
	for _, host := range []string{"127.0.0.1", "::1"} {
		other, err := net.Listen("tcp", net.JoinHostPort(host, "0"))
		if err != nil {
			t.Logf("%s is left out: %v", host, err)
			continue
		}
		port := other.Addr().(*net.TCPAddr).Port
		if c, err := ListenCallback(port); err == nil {
			c.Close()
			t.Errorf("%s:%d was taken twice", host, port)
		}
		other.Close()
		c, err := ListenCallback(port)
		if err != nil {
			t.Errorf("after a failure the port is not free: %v", err)
			continue
		}
		for _, listener := range c.listeners {
			if !listener.Addr().(*net.TCPAddr).IP.IsLoopback() {
				t.Errorf("listens on %v", listener.Addr())
			}
		}
		c.Close()
		if conn, err := net.Dial("tcp", net.JoinHostPort(host, strconv.Itoa(port))); err == nil {
			conn.Close()
			t.Errorf("%s:%d is open after Close", host, port)
		}
	}
	port := freePort(t)
	c, err := ListenCallback(port)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := c.Wait(ctx, "S1", func(error) {}); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}

func TestParseCallback(t *testing.T) {
	for pasted, want := range map[string]string{
		"http://localhost:8910/callback?code=A1&state=S1\n":   "A1",
		" localhost:8910/callback?state=S1&code=A%2B1 ":       "A+1",
		"http://localhost:8910/callback?code=A1&state=S1#_=_": "A1",
		"http://localhost:8910/callback?code=A1&state=S2":     "another login",
		"http://localhost:8910/callback?code=A1":              "not the whole address",
		"http://localhost:8910/callback?code=A1&state=S":      "not the whole address",
		"http://localhost:8910/callback?code=A1&state=S11":    "another login",
		"A1_-x\r\n": "not the whole address",
		"http://localhost:8910/callback?state=S1":                 "no code",
		"http://localhost:8910/callback?error=x&code=A1&state=S1": "granted nothing: x",
		"http://localhost:8910/callback?code=%zz&state=S1":        "cannot be read",
		"http://localhost:8910/callback":                          "not the whole address",
		"":                                                        "not the whole address",
		"what do you want":                                        "not the whole address",
	} {
		code, err := ParseCallback(pasted, "S1")
		if err != nil && (code != "" || !strings.Contains(err.Error(), want)) || err == nil && code != want {
			t.Errorf("%q: %q, %v, want %q", pasted, code, err, want)
		}
	}
}
