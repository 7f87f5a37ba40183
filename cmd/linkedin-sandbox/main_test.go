package main

import (
	"bufio"
	"context"
	"io"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/git-socialpost/git-socialpost/linkedin"
)

func TestServesUntilItIsStopped(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	out, stdout := io.Pipe()
	var stderr strings.Builder
	status := make(chan int, 1)
	go func() {
		status <- run(ctx, []string{"-addr", "127.0.0.1:0", "-token", "T1", "-fault", "502", "-fault=hang:after:2", "-duplicate-window", "0s"}, stdout, &stderr)
	}()
	printed := bufio.NewReader(out)
	line, err := printed.ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	if login, err := printed.ReadString('\n'); login != "# login: LINKEDIN_CLIENT_SECRET=sandbox-secret git socialpost login --client-id sandbox-client\n" {
		t.Errorf("printed %q, %v", login, err)
	}
	if author, err := printed.ReadString('\n'); author != "# author: urn:li:person:782bbtaQ, or any urn:li:organization:NUMBER\n" {
		t.Errorf("printed %q, %v", author, err)
	}
	m := regexp.MustCompile(`^export SOCIALPOST_LINKEDIN_URL=(http://127\.0\.0\.1:\d+) LINKEDIN_ACCESS_TOKEN=T1 # feed: http://\S+/\n$`).FindStringSubmatch(line)
	if m == nil {
		t.Fatalf("printed %q", line)
	}

	client := &linkedin.Client{BaseURL: m[1], Token: "T1", Version: "202609", Timeout: 300 * time.Millisecond}
	if err := client.Check(ctx, "urn:li:person:782bbtaQ"); err != nil {
		t.Error(err)
	}
	send := func() linkedin.Outcome {
		payload := linkedin.Post{Author: "urn:li:person:782bbtaQ", Visibility: "PUBLIC", Text: "Hello"}.Payload()
		return client.Send(ctx, payload, func(context.Context) error { return nil }, func(linkedin.Outcome) {})
	}
	if o := send(); o.Status != 502 || o.Kind != linkedin.Unknown {
		t.Errorf("first: %+v", o)
	}
	if o := send(); o.Status != 0 || o.Kind != linkedin.Unknown {
		t.Errorf("second: %+v", o)
	}
	res, err := http.Get(m[1] + "/sandbox/stats")
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	stats, _ := io.ReadAll(res.Body)
	if !strings.Contains(string(stats), `"received":2,"stored":1`) {
		t.Errorf("stats: %s", stats)
	}

	client.Timeout = time.Minute
	hung := make(chan linkedin.Outcome, 1)
	go func() { hung <- send() }()
	time.Sleep(50 * time.Millisecond)
	cancel()
	select {
	case got := <-status:
		if got != 0 {
			t.Errorf("exit status %d: %s", got, stderr.String())
		}
	case <-time.After(5 * time.Second):
		t.Fatal("still running")
	}
	if o := <-hung; o.Kind != linkedin.Unknown {
		t.Errorf("third: %+v", o)
	}
	if strings.Count(stderr.String(), "POST ") != 3 || !strings.Contains(stderr.String(), "POST 1: 502, nothing stored") {
		t.Errorf("log:\n%s", stderr.String())
	}
}

func TestUsage(t *testing.T) {
	for args, says := range map[string]string{
		"-addr :8425":            "want a loopback address",
		"-addr 0.0.0.0:0":        "want a loopback address",
		"-addr example.com:0":    "want a loopback address",
		"-addr 127.0.0.1":        "missing port",
		"-fault nonsense":        "want one of none, close, reset,",
		"-fault close:sometimes": "want before or after",
		"-fault slow:before":     "want after",
		"-fault close:after:x":   `count "x"`,
		"-fault close:after:-1":  "want 1 or more",
		"-token a$b":             "want letters",
		"-nonsense":              "not defined",
		"now":                    `unexpected argument "now"`,
	} {
		var stdout, stderr strings.Builder
		status := run(t.Context(), strings.Fields(args), &stdout, &stderr)
		if status != exitUsage || !strings.Contains(stderr.String(), says) || stdout.Len() > 0 {
			t.Errorf("%s: exit status %d, %q, %q", args, status, stderr.String(), stdout.String())
		}
	}
	var stdout strings.Builder
	if status := run(t.Context(), []string{"-h"}, &stdout, io.Discard); status != 0 || !strings.Contains(stdout.String(), "-duplicate-window") || !strings.Contains(stdout.String(), "curl -L -d answer=allow") {
		t.Errorf("-h: exit status %d, %q", status, stdout.String())
	}
	if status := run(t.Context(), []string{"-addr", "127.0.0.1:99999"}, &stdout, io.Discard); status != exitError {
		t.Errorf("a port out of range: exit status %d", status)
	}
}
