package main

import (
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"sync"
	"testing"
	"time"
)

// A proxy stands between the program and a server. It numbers the connections and counts their bytes, both from 0, and
// at one point it does what networks do.
type proxy struct {
	addr     string
	target   string
	server   *workload
	patience time.Duration // how long it holds a connection on which nothing arrives any more

	mu     sync.Mutex
	fault  fault
	struck bool
	dead   bool // nobody answers any more
	links  []*link
}

type direction int

const (
	request direction = iota
	response
)

func (d direction) String() string { return [...]string{"request", "response"}[d] }

// fault is what happens when so many bytes have passed on one connection in one direction.
type fault struct {
	action string // "": nothing
	link   int
	dir    direction
	at     int
}

// The actions, and whether the bytes of their direction flow on.
var actions = map[string]func(*link, direction) bool{
	"cut":       func(l *link, _ direction) bool { l.reset(); return false },
	"close":     (*link).hangUp,
	"lose":      (*link).lose,
	"swallow":   (*link).swallow,
	"delay":     func(*link, direction) bool { time.Sleep(50 * time.Millisecond); return true },
	"duplicate": func(l *link, d direction) bool { l.twice[d] = true; return true },
	"replay":    (*link).repeat,
	"outage":    (*link).die,
}

// link is one connection through the proxy.
type link struct {
	*proxy
	number         int
	client, server *net.TCPConn
	done           chan struct{}

	mu     sync.Mutex
	bytes  [2][]byte // that have passed
	muted  [2]bool   // bytes are taken and thrown away
	twice  [2]bool   // the next chunk goes out twice
	late   bool      // all requests go out once more when the client has left
	before int       // requests that the server had finished when the last bytes of one went out
}

func newProxy(t testing.TB, target string, server *workload, patience time.Duration) *proxy {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { listener.Close() })
	p := &proxy{addr: listener.Addr().String(), target: target, server: server, patience: patience}
	go p.accept(listener)
	return p
}

func (p *proxy) accept(listener net.Listener) {
	for {
		client, err := listener.Accept()
		if err != nil {
			return
		}
		server, err := net.Dial("tcp", p.target)
		if err != nil {
			client.Close()
			continue
		}
		l := &link{proxy: p, client: client.(*net.TCPConn), server: server.(*net.TCPConn), done: make(chan struct{})}
		p.mu.Lock()
		l.number = len(p.links)
		p.links = append(p.links, l)
		dead := p.dead
		p.mu.Unlock()
		if dead {
			l.reset()
		}
		go l.run()
	}
}

// arm numbers the connections anew, and sets what is to happen on one of them.
func (p *proxy) arm(f fault) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.fault, p.struck, p.dead, p.links = f, false, false, nil
}

// quiet waits for the end of all connections and of all that the server has in hand. It reports what passed since arm,
// and whether the fault struck.
func (p *proxy) quiet() (links []*link, struck bool) {
	p.mu.Lock()
	links, struck = p.links, p.struck
	p.mu.Unlock()
	for _, l := range links {
		<-l.done
	}
	p.server.wait(nil, func(inHand, _ int) bool { return inHand == 0 })
	return links, struck
}

// left is how many bytes may pass before the fault strikes: -1 if it does not on this link.
func (l *link) left(d direction) int {
	l.proxy.mu.Lock()
	defer l.proxy.mu.Unlock()
	if f := l.fault; f.action == "" || l.struck || f.link != l.number || f.dir != d {
		return -1
	}
	return l.fault.at - len(l.bytes[d])
}

func (l *link) run() {
	var both sync.WaitGroup
	both.Go(func() { l.pump(request, l.client, l.server) })
	both.Go(func() { l.pump(response, l.server, l.client) })
	both.Wait()
	l.client.Close()
	l.server.Close()
	if l.late {
		l.replay()
	}
	close(l.done)
}

func (l *link) pump(d direction, from, to *net.TCPConn) {
	chunk := make([]byte, 64<<10)
	for {
		left := l.left(d)
		if left == 0 {
			if !l.strike(d) {
				return
			}
			continue
		}
		n, err := from.Read(chunk[:min(uint(len(chunk)), uint(left))]) // -1 is a very large number
		l.pass(d, chunk[:n], to)
		if err != nil {
			to.CloseWrite()
			return
		}
	}
}

func (l *link) strike(d direction) (on bool) {
	l.proxy.mu.Lock()
	l.struck = true
	action := actions[l.fault.action]
	l.proxy.mu.Unlock()
	return action(l, d)
}

func (l *link) pass(d direction, chunk []byte, to io.Writer) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.muted[d] || len(chunk) == 0 {
		return
	}
	l.bytes[d] = append(l.bytes[d], chunk...)
	if d == request {
		l.before = l.proxy.server.count()
	}
	if l.twice[d] {
		l.twice[d] = false
		to.Write(chunk)
	}
	to.Write(chunk)
}

// passed is a copy of what has passed.
func (l *link) passed(d direction) []byte {
	l.mu.Lock()
	defer l.mu.Unlock()
	return bytes.Clone(l.bytes[d])
}

func (l *link) mute(directions ...direction) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, d := range directions {
		l.muted[d] = true
	}
}

func (l *link) reset() {
	l.mute(request, response)
	for _, end := range []*net.TCPConn{l.client, l.server} {
		end.SetLinger(0)
		end.Close()
	}
}

func (l *link) hangUp(direction) bool {
	l.mute(request, response)
	l.client.CloseWrite()
	l.server.CloseWrite()
	return true
}

// lose lets the request through, and cuts the connection when the server has done what it says.
func (l *link) lose(d direction) bool {
	l.mute(response)
	l.mu.Lock()
	before := l.before
	l.mu.Unlock()
	go func() {
		l.proxy.server.wait(l.done, func(inHand, finished int) bool {
			return inHand == 0 && (d == response || finished > before)
		})
		l.reset()
	}()
	return true
}

func (l *link) swallow(direction) bool {
	l.mute(request, response)
	time.AfterFunc(l.patience, l.reset)
	return true
}

func (l *link) die(direction) bool {
	l.proxy.mu.Lock()
	l.dead = true
	l.proxy.mu.Unlock()
	l.reset()
	return false
}

// repeat sends all requests to the server a second time: before its answer goes on, or when the client has left.
func (l *link) repeat(d direction) bool {
	if d == response {
		l.replay()
	}
	l.late = d == request
	return true
}

func (l *link) replay() {
	again, err := net.Dial("tcp", l.target)
	if err != nil {
		return
	}
	defer again.Close()
	again.Write(l.passed(request))
	again.(*net.TCPConn).CloseWrite()
	io.Copy(io.Discard, again)
}

// workload counts the requests that a server has in hand, and those that it has finished.
type workload struct {
	mu               sync.Mutex
	inHand, finished int
	changed          chan struct{} // closed with every change
}

func newWorkload() *workload { return &workload{changed: make(chan struct{})} }

func (w *workload) wrap(next http.Handler) http.Handler {
	return http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		w.change(1, 0)
		defer w.change(-1, 1)
		next.ServeHTTP(rw, r)
	})
}

func (w *workload) change(inHand, finished int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.inHand += inHand
	w.finished += finished
	close(w.changed)
	w.changed = make(chan struct{})
}

func (w *workload) count() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.finished
}

// wait returns when the server's work is as it should be, or when done is closed.
func (w *workload) wait(done <-chan struct{}, fine func(inHand, finished int) bool) {
	for {
		w.mu.Lock()
		enough, changed := fine(w.inHand, w.finished), w.changed
		w.mu.Unlock()
		if enough {
			return
		}
		select {
		case <-changed:
		case <-done:
			return
		}
	}
}

func (f fault) String() string { return fmt.Sprintf("%d-%s-%05d-%s", f.link, f.dir, f.at, f.action) }
