package sandbox

import (
	"fmt"
	"net"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
)

// A Fault is what happens to the next POSTs instead of a proper answer.
type Fault struct {
	Kind  string // one of Kinds
	When  string // Before or After the post is stored; the kind's usual one if empty
	Count int    // for how many POSTs; one if zero
}

// A fault strikes before anything is checked, or after a post has passed all checks and is in the feed. A post that is
// refused gets its refusal.
const (
	Before = "before"
	After  = "after"
)

// An act answers in place of the server, or does not. id is empty if the post was not stored.
type act func(s *Server, w http.ResponseWriter, r *http.Request, id string)

var either = []string{Before, After}

var acts = []struct {
	kind string
	when []string // the first is the usual one
	act  act
}{
	{"none", []string{After}, proper},
	{"close", either, hangUp},
	{"reset", either, reset},
	{"cut-head", either, cutHead},
	{"cut-body", either, cutBody},
	{"hang", either, hang},
	{"slow", []string{After}, slow},
	{"500", either, say(htmlError(500))},
	{"502", either, say(htmlError(502))},
	{"503", either, say(htmlError(503))},
	{"504", either, say(htmlError(504))},
	{"429", either, say(throttled)},
	{"401", either, say(revoked)},
	{"403", either, say(denied("partnerApiPostsExternal.CREATE"))},
	{"409", either, say(refuse(409, "CONFLICT", "A write conflict occurred. Retry the request."))},
	{"422", either, ghost},
	{"426", either, died(426)},
	{"dead-version-400", either, died(400)},
	{"307", either, redirect},
	{"200", []string{After, Before}, ok},
	{"201-no-id", []string{After}, say(&answer{status: 201})},
	{"ugcpost", []string{After}, proper}, // the id was made by newID
}

// Kinds returns the kinds of faults.
func Kinds() []string {
	var kinds []string
	for _, a := range acts {
		kinds = append(kinds, a.kind)
	}
	return kinds
}

// Arm queues a fault behind those that are armed already.
func (s *Server) Arm(f Fault) error {
	i := slices.Index(Kinds(), f.Kind)
	if i < 0 {
		return fmt.Errorf("fault %q: want one of %s", f.Kind, strings.Join(Kinds(), ", "))
	}
	if f.When == "" {
		f.When = acts[i].when[0]
	}
	if !slices.Contains(acts[i].when, f.When) {
		return fmt.Errorf("fault %q: when %q: want %s", f.Kind, f.When, strings.Join(acts[i].when, " or "))
	}
	if f.Count == 0 {
		f.Count = 1
	}
	if f.Count < 0 {
		return fmt.Errorf("fault %q: count %d: want 1 or more", f.Kind, f.Count)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.faults = append(s.faults, f)
	return nil
}

func (s *Server) act(f Fault, w http.ResponseWriter, r *http.Request, id string) {
	if f.Kind == "" {
		created(w, id)
		return
	}
	acts[slices.Index(Kinds(), f.Kind)].act(s, w, r, id)
}

// proper is an answer without fault: before a fault it is for a later POST.
func proper(_ *Server, w http.ResponseWriter, _ *http.Request, id string) { created(w, id) }

func say(a *answer) act {
	return func(_ *Server, w http.ResponseWriter, _ *http.Request, _ string) { a.write(w) }
}

func died(status int) act {
	return func(_ *Server, w http.ResponseWriter, r *http.Request, _ string) {
		deadVersion(status, r.Header.Get("LinkedIn-Version")).write(w)
	}
}

func hangUp(*Server, http.ResponseWriter, *http.Request, string) {
	panic(http.ErrAbortHandler)
}

func reset(_ *Server, w http.ResponseWriter, _ *http.Request, _ string) {
	conn := takeOver(w)
	if t, ok := conn.(*net.TCPConn); ok {
		t.SetLinger(0)
	}
	conn.Close()
}

func cutHead(_ *Server, w http.ResponseWriter, _ *http.Request, _ string) {
	conn := takeOver(w)
	fmt.Fprint(conn, "HTTP/1.1 201 Created\r\nX-RestLi-I")
	conn.Close()
}

// takeOver takes the connection away from the HTTP server. Where that is impossible the connection ends.
func takeOver(w http.ResponseWriter) net.Conn {
	conn, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	return conn
}

func cutBody(_ *Server, w http.ResponseWriter, _ *http.Request, id string) {
	w.Header().Set("Content-Length", "100")
	if id == "" {
		answer{http.StatusInternalServerError, "<html>"}.write(w)
	} else {
		w.Header().Set("X-RestLi-Id", id)
		answer{http.StatusCreated, "{"}.write(w)
	}
	http.NewResponseController(w).Flush()
	panic(http.ErrAbortHandler)
}

func hang(_ *Server, _ http.ResponseWriter, r *http.Request, _ string) {
	<-r.Context().Done()
	panic(http.ErrAbortHandler)
}

func slow(s *Server, w http.ResponseWriter, r *http.Request, id string) {
	select {
	case <-r.Context().Done():
	case <-time.After(s.Delay):
	}
	created(w, id)
}

// ghost names a post that does not exist, which LinkedIn was seen to do.
func ghost(s *Server, w http.ResponseWriter, _ *http.Request, _ string) {
	s.mu.Lock()
	id := s.newID(Fault{})
	s.mu.Unlock()
	duplicate(id).write(w)
}

// redirect leads back here, so that a client which follows is counted and its post is stored.
func redirect(_ *Server, w http.ResponseWriter, r *http.Request, _ string) {
	w.Header().Set("Location", r.URL.Path+"?redirected="+strconv.Itoa(http.StatusTemporaryRedirect))
	answer{status: http.StatusTemporaryRedirect}.write(w)
}

func ok(_ *Server, w http.ResponseWriter, _ *http.Request, id string) {
	if id != "" {
		w.Header().Set("X-RestLi-Id", id)
	}
	answer{http.StatusOK, "{}"}.write(w)
}
