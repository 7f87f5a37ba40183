package linkedin

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"sync"
	"sync/atomic"
	"time"
)

// A wire is the one network connection of one request. It refuses to be dialed twice, which a re-send would need.
type wire struct {
	dialed atomic.Bool
	mu     sync.Mutex
	cut    bool
	conn   net.Conn
}

var errSecondDial = errors.New("a second connection for one request is refused")

func (w *wire) dial(ctx context.Context, network, addr string) (net.Conn, error) {
	if w.dialed.Swap(true) {
		return nil, errSecondDial
	}
	conn, err := new(net.Dialer).DialContext(ctx, network, addr)
	if err != nil {
		return nil, err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.cut {
		conn.Close()
		return nil, net.ErrClosed
	}
	w.conn = conn
	return conn, nil
}

// close cuts the connection below TLS and HTTP, so that nothing they still hold can leave.
func (w *wire) close() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.cut = true
	if w.conn != nil {
		w.conn.Close()
	}
}

const (
	maxBody  = 64 << 10
	bodyTime = 5 * time.Second
)

// readBody returns what arrives of an answer's body within a limit of size and time.
func (w *wire) readBody(res *http.Response) []byte {
	w.conn.SetReadDeadline(time.Now().Add(bodyTime))
	body, _ := io.ReadAll(io.LimitReader(res.Body, maxBody))
	return body
}

// transport speaks HTTP/1 only: over HTTP/2, net/http repeats a POST by itself.
func (w *wire) transport() *http.Transport {
	protocols := new(http.Protocols)
	protocols.SetHTTP1(true)
	return &http.Transport{
		Protocols:          protocols,
		DialContext:        w.dial,
		Proxy:              proxy,
		DisableKeepAlives:  true,
		DisableCompression: true,
	}
}

// proxy keeps the password of a malformed proxy address out of the error, and what is for this machine in this machine.
func proxy(req *http.Request) (*url.URL, error) {
	if isLoopback(req.URL.Hostname()) {
		return nil, nil
	}
	u, err := http.ProxyFromEnvironment(req)
	if err != nil {
		return nil, errors.New("the proxy address in the environment is not valid")
	}
	return u, nil
}
