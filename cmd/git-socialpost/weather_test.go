//go:build unix

package main

import (
	"bytes"
	"io"
	"maps"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/git-socialpost/git-socialpost/linkedin/sandbox"
)

// receive is LinkedIn for runs that tell who they are by their token.
func (h *history) receive(w http.ResponseWriter, r *http.Request) {
	run := strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer token-of-")
	r.Header.Set("Authorization", "Bearer "+sandbox.DefaultToken)
	if r.Method == http.MethodPost {
		payload, _ := io.ReadAll(r.Body)
		r.Body = io.NopCloser(bytes.NewReader(payload))
		h.judge.receive(run, payload)
	}
	h.Server.ServeHTTP(w, r)
}

// weather strikes some of git's requests: they are cut before they arrive, or their answers are lost, whole or half.
func (h *history) weather(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		leave := h.gits.enter(r)
		defer leave()
		switch h.fate(r) {
		case "cut":
			panic(http.ErrAbortHandler)
		case "lost":
			next.ServeHTTP(httptest.NewRecorder(), r)
			panic(http.ErrAbortHandler)
		case "half":
			answer := httptest.NewRecorder()
			next.ServeHTTP(answer, r)
			maps.Copy(w.Header(), answer.Header())
			w.WriteHeader(answer.Code)
			w.Write(answer.Body.Bytes()[:answer.Body.Len()/2])
			http.NewResponseController(w).Flush()
			panic(http.ErrAbortHandler)
		}
		next.ServeHTTP(w, r)
	})
}

func (h *history) fate(r *http.Request) string {
	h.judge.mu.Lock()
	defer h.judge.mu.Unlock()
	op := h.judge.byRun(r.UserAgent())
	if op == nil || h.calm {
		return ""
	}
	chance := h.storm / 5
	if strings.HasSuffix(r.URL.Path, "/git-receive-pack") {
		chance = h.storm
	}
	fate := ""
	switch {
	case op.cut && op.sends:
		fate = "cut"
	case rand.Float64() < chance:
		fate = []string{"cut", "lost", "half"}[rand.IntN(3)]
	}
	op.hurt = op.hurt || fate != ""
	return fate
}

// pending is what is under way at a server.
type pending struct {
	mu   sync.Mutex
	live map[any]bool
}

func (t *pending) enter(x any) (leave func()) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.live == nil {
		t.live = map[any]bool{}
	}
	t.live[x] = true
	return func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		delete(t.live, x)
	}
}

func (t *pending) connection(conn net.Conn, state http.ConnState) {
	leave := t.enter(conn)
	if state == http.StateClosed || state == http.StateHijacked {
		leave()
	}
}

// drained waits until all that is under way now has ended, and gives up after a while.
func (t *pending) drained(limit time.Duration) bool {
	t.mu.Lock()
	waiting := slices.Collect(maps.Keys(t.live))
	t.mu.Unlock()
	return eventually(limit, func() bool {
		t.mu.Lock()
		defer t.mu.Unlock()
		return !slices.ContainsFunc(waiting, func(x any) bool { return t.live[x] })
	})
}
