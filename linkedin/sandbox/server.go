// Package sandbox is a stand-in for LinkedIn: an http.Handler that checks a post as strictly as the real API, shows what
// a reader would see of it, and fails on demand. Like the real one it answers 201 to a post whose text it cuts off.
package sandbox

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"log"
	"net/http"
	"slices"
	"sync"
	"time"
)

// DefaultToken is the access token that a new Server accepts.
const DefaultToken = "sandbox-token"

// A Token is what LinkedIn knows of an access token.
type Token struct {
	Sub     string // the member's id: urn:li:person:<Sub> is the author
	Scopes  []string
	Expired bool
	Revoked bool
}

// Stored is a post in the feed.
type Stored struct {
	ID          string    `json:"id"`
	Author      string    `json:"author"`
	Text        string    `json:"text"` // as readers see it, cut off where its grammar breaks
	Link        string    `json:"link,omitempty"`
	Title       string    `json:"title,omitempty"`
	Description string    `json:"description,omitempty"`
	At          time.Time `json:"at"`

	payload []byte
}

// A Server is LinkedIn. Its exported fields are set before it serves.
type Server struct {
	Tokens          map[string]Token
	ClientID        string // of the one app that may ask for tokens
	ClientSecret    string
	Versions        []string      // the live ones
	DuplicateWindow time.Duration // how long an author cannot repeat a payload
	Delay           time.Duration // of the fault "slow"
	Log             *log.Logger   // gets a line for every POST; may be nil

	mux http.ServeMux

	mu       sync.Mutex
	received int
	posts    []Stored
	faults   []Fault
	serial   int64
	codes    map[string]*grant
	granted  map[string]*grant // by token
}

// New returns a Server that accepts the API versions that were live on 2026-11-30, and DefaultToken, whose member may
// post as itself and as every organization, and read nothing but its own identity.
func New() *Server {
	rights := Token{Sub: member, Scopes: []string{"openid", "profile", "w_member_social", "w_organization_social"}}
	s := &Server{
		Tokens:          map[string]Token{DefaultToken: rights},
		ClientID:        DefaultClientID,
		ClientSecret:    DefaultClientSecret,
		Versions:        []string{"202601", "202602", "202603", "202604", "202605", "202606", "202607", "202608", "202609"},
		DuplicateWindow: 10 * time.Minute,
		Delay:           2 * time.Second,
	}
	s.mux.HandleFunc("POST /rest/posts", s.create)
	s.mux.HandleFunc("GET /rest/posts/{urn}", s.read)
	s.mux.HandleFunc("DELETE /rest/posts/{urn}", s.remove)
	s.mux.HandleFunc("GET /v2/userinfo", s.identity)
	s.mux.HandleFunc("GET /{$}", s.page)
	s.mux.HandleFunc("GET /sandbox/stats", s.stats)
	s.mux.HandleFunc("POST /sandbox/fault", s.arm)
	s.handleOAuth()
	return s
}

func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.mux.ServeHTTP(w, r) }

// Received counts the POSTs to /rest/posts, whatever became of them.
func (s *Server) Received() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.received
}

// Stored returns the posts in the feed, the oldest first.
func (s *Server) Stored() []Stored {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.posts)
}

func (s *Server) create(w http.ResponseWriter, r *http.Request) {
	n, fault := s.receive()
	payload, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 1<<20))
	if err != nil {
		s.logf("POST %d: the request was cut or too large", n)
		refuse(http.StatusRequestEntityTooLarge, "REQUEST_ENTITY_TOO_LARGE", "the body is cut or too large").write(w)
		return
	}
	if fault.When == Before {
		s.logf("POST %d: %s, nothing stored", n, fault.Kind)
		s.act(fault, w, r, "")
		return
	}
	post, refusal := s.publish(r, payload, fault)
	if refusal != nil {
		s.logf("POST %d: %d %s", n, refusal.status, refusal.body)
		refusal.write(w)
		return
	}
	s.logf("POST %d: stored %s, %s", n, post.ID, cmp.Or(fault.Kind, "created"))
	s.act(fault, w, r, post.ID)
}

func (s *Server) logf(format string, args ...any) {
	if s.Log != nil {
		s.Log.Printf(format, args...)
	}
}

// receive counts a POST and takes the fault that is armed for it.
func (s *Server) receive() (n int, fault Fault) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.received++
	if len(s.faults) > 0 {
		fault = s.faults[0]
		if s.faults[0].Count--; s.faults[0].Count == 0 {
			s.faults = s.faults[1:]
		}
	}
	return s.received, fault
}

func (s *Server) publish(r *http.Request, payload []byte, fault Fault) (*Stored, *answer) {
	token, refusal := s.admit(r)
	if refusal != nil {
		return nil, refusal
	}
	post, refusal := token.check(r, payload)
	if refusal != nil {
		return nil, refusal
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	post.At = time.Now()
	for _, old := range s.posts { // the payload names its author
		if bytes.Equal(old.payload, payload) && post.At.Sub(old.At) < s.DuplicateWindow {
			return nil, duplicate(old.ID)
		}
	}
	post.ID, post.payload = s.newID(fault), payload
	s.posts = append(s.posts, *post)
	return post, nil
}

// newID numbers a post like LinkedIn: the time in milliseconds, then 22 bits that tell apart. The caller holds s.mu.
func (s *Server) newID(fault Fault) string {
	kind := "share"
	if fault.Kind == "ugcpost" {
		kind = "ugcPost"
	}
	s.serial++
	return fmt.Sprintf("urn:li:%s:%d", kind, time.Now().UnixMilli()<<22|s.serial&(1<<22-1))
}
