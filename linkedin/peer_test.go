package linkedin

import (
	"bufio"
	"context"
	"crypto/tls"
	"encoding/pem"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// certificate is httptest's own, for 127.0.0.1. TestMain makes it the only one that this process trusts.
var certificate tls.Certificate

func TestMain(m *testing.M) {
	os.Exit(func() int {
		server := httptest.NewTLSServer(nil)
		certificate = server.TLS.Certificates[0]
		server.Close()
		dir, err := os.MkdirTemp("", "linkedin")
		if err != nil {
			panic(err)
		}
		defer os.RemoveAll(dir)
		file := filepath.Join(dir, "roots.pem")
		block := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: certificate.Certificate[0]})
		if err := os.WriteFile(file, block, 0o600); err != nil {
			panic(err)
		}
		os.Setenv("SSL_CERT_FILE", file)
		os.Setenv("SSL_CERT_DIR", dir)
		os.Setenv("HTTPS_PROXY", "http://"+startProxy()) // net/http reads it once, and never uses it for loopback
		return m.Run()
	}())
}

var proxied struct {
	target   atomic.Value // the address that every CONNECT leads to
	connects atomic.Int32
}

func startProxy() (addr string) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		proxied.connects.Add(1)
		target, err := net.Dial("tcp", proxied.target.Load().(string))
		if err != nil || r.Method != http.MethodConnect {
			panic(http.ErrAbortHandler)
		}
		defer target.Close()
		w.WriteHeader(http.StatusOK)
		client, buffered, err := http.NewResponseController(w).Hijack()
		if err != nil {
			panic(err)
		}
		defer client.Close()
		go io.Copy(client, target)
		io.Copy(target, buffered)
	}))
	return server.Listener.Addr().String()
}

var post = Post{Author: "urn:li:person:782bbtaQ", Visibility: "PUBLIC", Text: "Hello"}.Payload()

// send sends one post, and checks the promises that hold for every outcome.
func send(t *testing.T, c *Client) (o, head Outcome) {
	t.Helper()
	return sendReady(t, c, func(context.Context) error { return nil })
}

func sendReady(t *testing.T, c *Client, ready func(context.Context) error) (o, head Outcome) {
	t.Helper()
	goroutines := runtime.NumGoroutine()
	readies, answers := 0, 0
	o = c.Send(t.Context(), post, func(ctx context.Context) error {
		readies++
		return ready(ctx)
	}, func(known Outcome) {
		answers++
		head = known
	})
	if readies > 1 || answers > readies || (answers == 1) != (o.Status != 0) {
		t.Errorf("ready was called %d times, answered %d times, for %+v", readies, answers, o)
	}
	if c.Token != "" && strings.Contains(o.Code+o.Message+o.RequestID, c.Token) {
		t.Errorf("the token shows in %+v", o)
	}
	for deadline := time.Now().Add(2 * time.Second); runtime.NumGoroutine() > goroutines; time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Errorf("%d goroutines before, %d after", goroutines, runtime.NumGoroutine())
			break
		}
	}
	return o, head
}

// A peer is a server below HTTP: it counts what arrives, act does what a complete request gets.
type peer struct {
	addr         string
	conns, posts atomic.Int32
	bytes        atomic.Int64
	closed       chan struct{} // after the end of every connection
	stop         func() error
}

func listen(t *testing.T, config *tls.Config, act func(net.Conn)) *peer {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	p := &peer{addr: l.Addr().String(), closed: make(chan struct{}, 100), stop: l.Close}
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			p.conns.Add(1)
			go p.serve(conn, config, act)
		}
	}()
	return p
}

func (p *peer) serve(conn net.Conn, config *tls.Config, act func(net.Conn)) {
	defer func() { p.closed <- struct{}{} }()
	defer conn.Close()
	if config != nil {
		conn = tls.Server(conn, config)
	}
	in := bufio.NewReader(io.TeeReader(conn, counter{&p.bytes}))
	for {
		req, err := http.ReadRequest(in)
		if err != nil {
			return
		}
		if _, err := io.Copy(io.Discard, req.Body); err != nil {
			return
		}
		p.posts.Add(1)
		act(conn)
	}
}

type counter struct{ n *atomic.Int64 }

func (c counter) Write(b []byte) (int, error) {
	c.n.Add(int64(len(b)))
	return len(b), nil
}

var tlsConfig = &tls.Config{NextProtos: []string{"h2", "http/1.1"}}

func reply(text string) func(net.Conn) {
	return func(conn net.Conn) {
		io.WriteString(conn, text)
		conn.Close()
	}
}

func leaveOpen(text string) func(net.Conn) {
	return func(conn net.Conn) { io.WriteString(conn, text) }
}

func reset(conn net.Conn) {
	if t, ok := conn.(*tls.Conn); ok {
		conn = t.NetConn()
	}
	conn.(*net.TCPConn).SetLinger(0)
	conn.Close()
}
