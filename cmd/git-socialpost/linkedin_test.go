package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/git-socialpost/git-socialpost/ledger"
	"github.com/git-socialpost/git-socialpost/linkedin/sandbox"
)

func newLinkedIn(remote string) (*linkedIn, error) {
	li := &linkedIn{Server: sandbox.New(), remote: remote}
	li.DuplicateWindow = time.Nanosecond // a second post must not be hidden by the platform
	return li, li.plug()
}

// linkedIn is a sandbox that looks at the git remote whenever a POST arrives. It can be unplugged.
type linkedIn struct {
	*sandbox.Server
	remote string // the git remote
	addr   string

	mu       sync.Mutex
	server   *http.Server
	listener net.Listener
	unplugAt bool                // after the next read
	hold     func(*http.Request) // returns when it may be answered
	arrivals []arrival
}

// arrival is a POST, and the intent that was on the remote when it came: "" if there was none.
type arrival struct{ payload, key, nonce string }

func (li *linkedIn) plug() error {
	addr := li.addr
	if addr == "" {
		addr = "127.0.0.1:0"
	}
	listener, err := net.Listen("tcp", addr)
	if err != nil {
		return err
	}
	li.addr = listener.Addr().String()
	server := &http.Server{Handler: http.HandlerFunc(li.serve)}
	li.mu.Lock()
	li.server, li.listener, li.unplugAt = server, listener, false
	li.mu.Unlock()
	go server.Serve(listener)
	return nil
}

func (li *linkedIn) close() {
	li.mu.Lock()
	defer li.mu.Unlock()
	li.server.Close()
}

// await sets what holds the requests from now on, or nil.
func (li *linkedIn) await(hold func(*http.Request)) {
	li.mu.Lock()
	defer li.mu.Unlock()
	li.hold = hold
}

// know adds an access token.
func (li *linkedIn) know(value string, token sandbox.Token) {
	li.mu.Lock()
	defer li.mu.Unlock()
	li.Tokens[value] = token
}

func (li *linkedIn) serve(w http.ResponseWriter, r *http.Request) {
	li.mu.Lock()
	hold := li.hold // and what know wrote is read from now on
	li.mu.Unlock()
	if r.Method == http.MethodPost && r.URL.Path == "/rest/posts" {
		payload, _ := io.ReadAll(r.Body)
		r.Body = io.NopCloser(bytes.NewReader(payload))
		came := li.arrival(string(payload))
		li.mu.Lock()
		li.arrivals = append(li.arrivals, came)
		li.mu.Unlock()
	}
	if hold != nil {
		hold(r)
	}
	li.ServeHTTP(w, r)
	li.mu.Lock()
	defer li.mu.Unlock()
	if li.unplugAt && strings.HasPrefix(r.URL.Path, "/rest/posts/") {
		li.listener.Close() // this answer still goes out
	}
}

func (li *linkedIn) arrival(payload string) arrival {
	records, err := remoteRecords(li.remote)
	if err != nil {
		return arrival{payload: payload + " (" + err.Error() + ")"}
	}
	for key, rec := range records {
		if rec.State == ledger.Intended && string(rec.Payload) == payload {
			return arrival{payload, key, rec.Nonce()}
		}
	}
	return arrival{payload: payload}
}

// broken says which POST had no intent on the remote before it, or shared one with another POST.
func (li *linkedIn) broken() error {
	li.mu.Lock()
	defer li.mu.Unlock()
	seen := map[string]bool{}
	for _, a := range li.arrivals {
		switch {
		case a.nonce == "":
			return fmt.Errorf("this was POSTed before its intent was on the remote: %s", a.payload)
		case seen[a.nonce]:
			return fmt.Errorf("%s was POSTed twice for one intent, %s", a.key, a.nonce)
		}
		seen[a.nonce] = true
	}
	return nil
}

// remoteRecords reads all records of the ledger on a remote, past the program.
func remoteRecords(remote string) (map[string]*ledger.Record, error) {
	refs, err := gitIn(remote, "", "for-each-ref", "--format=%(objectname)", "refs/social/ledger/")
	if err != nil {
		return nil, err
	}
	var files strings.Builder
	tips := strings.Fields(refs)
	slices.Sort(tips)
	for _, tip := range slices.Compact(tips) { // most shards are at the first commit still
		list, err := gitIn(remote, "", "ls-tree", "-r", tip)
		if err != nil {
			return nil, err
		}
		for line := range strings.Lines(list) {
			if strings.HasSuffix(line, "/record.toml\n") || strings.HasSuffix(line, "/payload.json\n") {
				_, file, _ := strings.Cut(line, " blob ") // mode, type, object id, path
				files.WriteString(file)
			}
		}
	}
	out, err := gitIn(remote, files.String(), "cat-file", "--batch=%(objectsize) %(rest)")
	if err != nil {
		return nil, err
	}
	records, payload := map[string]*ledger.Record{}, []byte(nil) // a payload stands just before its record
	for len(out) > 0 {
		head, rest, _ := strings.Cut(out, "\n")
		var size int
		if _, err := fmt.Sscan(head, &size); err != nil {
			return nil, fmt.Errorf("%s: %w", head, err)
		}
		content := []byte(rest[:size])
		out = rest[size+1:]
		if strings.HasSuffix(head, "/payload.json") {
			payload = content
			continue
		}
		rec, err := ledger.Decode(content)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", head, err)
		}
		rec.Payload, records[rec.Key] = payload, rec
	}
	return records, nil
}

func gitIn(dir, input string, args ...string) (string, error) {
	cmd := exec.Command("git", append([]string{"-C", dir}, args...)...)
	cmd.Stdin = strings.NewReader(input)
	out, err := cmd.Output()
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		err = fmt.Errorf("git %s: %w: %s", args[0], err, exit.Stderr)
	}
	return string(out), err
}
