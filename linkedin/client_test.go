package linkedin

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

func TestSendOnce(t *testing.T) {
	const created = "HTTP/1.1 201 Created\r\nX-RestLi-Id: urn:li:share:12\r\n"
	for _, tt := range []struct {
		name string
		act  func(net.Conn)
		want Outcome
	}{
		{"answers", reply(created + "Content-Length: 0\r\n\r\n"), Outcome{Kind: Delivered, Status: 201}},
		{"closes without an answer", reply(""), Outcome{Kind: Unknown}},
		{"resets", reset, Outcome{Kind: Unknown}},
		{"speaks no HTTP", reply("220 mail.example.com ESMTP\r\n"), Outcome{Kind: Unknown}},
		{"cuts the status line", reply("HTTP/1.1 201 Cre"), Outcome{Kind: Unknown}},
		{"cuts the head after the id", reply(created), Outcome{Kind: Unknown}},
		{"cuts the body", reply(created + "Content-Length: 100\r\n\r\n{"), Outcome{Kind: Delivered, Status: 201}},
		{"cuts the body of an error", reply("HTTP/1.1 500 Oops\r\nContent-Length: 100\r\n\r\n{"), Outcome{Kind: Unknown, Status: 500}},
		{"hangs", leaveOpen(""), Outcome{Kind: Unknown}},
		{"hangs in the head", leaveOpen(created), Outcome{Kind: Unknown}},
		{"hangs in the body", leaveOpen(created + "Content-Length: 100\r\n\r\n{"), Outcome{Kind: Delivered, Status: 201}},
		{"never ends the body", reply(created + "\r\n" + strings.Repeat("x", 1<<20)), Outcome{Kind: Delivered, Status: 201}},
		{"keeps the connection", leaveOpen(created + "Content-Length: 0\r\n\r\n"), Outcome{Kind: Delivered, Status: 201}},
		{"says continue first", reply("HTTP/1.1 100 Continue\r\n\r\n" + created + "\r\n"), Outcome{Kind: Delivered, Status: 201}},
		{"redirects to itself", leaveOpen("HTTP/1.1 307 Temporary Redirect\r\nLocation: /rest/posts\r\nContent-Length: 0\r\n\r\n"), Outcome{Kind: Unknown, Status: 307}},
		{"times out as if idle", reply("HTTP/1.1 408 Request Timeout\r\nConnection: close\r\n\r\n"), Outcome{Kind: Unknown, Status: 408}},
	} {
		for scheme, config := range map[string]*tls.Config{"http": nil, "https": tlsConfig} {
			t.Run(tt.name+" over "+scheme, func(t *testing.T) {
				p := listen(t, trusted(config), tt.act)
				c := &Client{BaseURL: scheme + "://" + p.addr, Token: token, Version: "202609", Timeout: 400 * time.Millisecond}
				o, head := send(t, c)
				if o.Kind != tt.want.Kind || o.Status != tt.want.Status || head.Kind != headKind(tt.want) {
					t.Errorf("outcome %+v, from the head %+v, want %s %d", o, head, tt.want.Kind, tt.want.Status)
				}
				<-p.closed
				if p.posts.Load() != 1 || p.conns.Load() != 1 {
					t.Errorf("%d POSTs on %d connections, want one", p.posts.Load(), p.conns.Load())
				}
			})
		}
	}
}

func trusted(config *tls.Config) *tls.Config {
	if config == nil {
		return nil
	}
	config = config.Clone()
	config.Certificates = []tls.Certificate{certificate}
	return config
}

func headKind(o Outcome) Kind {
	if o.Status == 0 {
		return ""
	}
	return o.Kind
}

func TestSendSpeaksHTTP1(t *testing.T) {
	var posts atomic.Int32
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		posts.Add(1)
		body, _ := io.ReadAll(r.Body)
		got := []string{r.Method, r.URL.Path, r.Proto, string(body), r.Header.Get("Authorization"), r.Header.Get("LinkedIn-Version"),
			r.Header.Get("X-Restli-Protocol-Version"), r.Header.Get("Content-Type"), r.Header.Get("User-Agent"),
			r.Header.Get("Idempotency-Key"), r.Header.Get("Accept-Encoding"), r.Header.Get("Transfer-Encoding")}
		want := []string{"POST", "/rest/posts", "HTTP/1.1", string(post), "Bearer " + token, "202609", "2.0.0", "application/json", "git-socialpost", "", "", ""}
		if !slices.Equal(got, want) || r.ContentLength != int64(len(post)) {
			t.Errorf("the request was %q, %d bytes, want %q", got, r.ContentLength, want)
		}
		w.Header().Set("X-RestLi-Id", "urn:li:share:12")
		w.WriteHeader(201)
	}))
	server.EnableHTTP2 = true
	server.StartTLS()
	defer server.Close()
	o, _ := send(t, &Client{BaseURL: server.URL + "/", Token: token, Version: "202609"})
	if o.Kind != Delivered || o.PostID != "urn:li:share:12" || posts.Load() != 1 {
		t.Errorf("%d POSTs, %+v", posts.Load(), o)
	}
}

// Not a byte may leave when ready refuses, or when its caller's time is up by the time that ready allows.
func TestReadyRefuses(t *testing.T) {
	ends := map[string]struct {
		ready func(context.Context) error
		says  string
	}{
		"error": {func(context.Context) error { return errors.New("the machine slept") }, "the machine slept"},
		"pause": {func(ctx context.Context) error { <-ctx.Done(); return nil }, "time limit of 200ms"},
	}
	for name, end := range ends {
		for scheme, config := range map[string]*tls.Config{"http": nil, "https": tlsConfig} {
			t.Run(name+" over "+scheme, func(t *testing.T) {
				p := listen(t, trusted(config), reply("HTTP/1.1 201 Created\r\nX-RestLi-Id: urn:li:share:12\r\n\r\n"))
				c := &Client{BaseURL: scheme + "://" + p.addr, Token: token, Version: "202609", Timeout: 200 * time.Millisecond}
				if name == "error" {
					c.Timeout = 5 * time.Second
				}
				o, _ := sendReady(t, c, end.ready)
				if o.Kind != Unsent || o.Status != 0 || !strings.Contains(o.Message, end.says) {
					t.Errorf("outcome %+v, want unsent: %s", o, end.says)
				}
				<-p.closed
				if p.conns.Load() != 1 || p.bytes.Load() != 0 {
					t.Errorf("%d bytes arrived on %d connections, want none on one", p.bytes.Load(), p.conns.Load())
				}
			})
		}
	}
}

func TestSendThroughProxy(t *testing.T) {
	p := listen(t, trusted(tlsConfig), reply("HTTP/1.1 201 Created\r\nX-RestLi-Id: urn:li:share:12\r\n\r\n"))
	proxied.target.Store(p.addr)
	proxied.connects.Store(0)
	c := &Client{BaseURL: "https://example.com", Token: token, Version: "202609", Timeout: 5 * time.Second}
	stop := func(context.Context) error { return errors.New("stop") }
	if o, _ := sendReady(t, c, stop); o.Kind != Unsent || o.Message != "stop" {
		t.Errorf("ready refuses: %+v", o)
	}
	<-p.closed
	if p.bytes.Load() != 0 {
		t.Errorf("%d bytes arrived", p.bytes.Load())
	}
	if o, _ := send(t, c); o.Kind != Delivered {
		t.Errorf("ready allows: %+v", o)
	}
	p.stop()
	if o, _ := send(t, c); o.Kind != Unsent {
		t.Errorf("nobody behind the proxy: %+v", o)
	}
	if p.posts.Load() != 1 || proxied.connects.Load() != 3 {
		t.Errorf("%d POSTs, %d CONNECTs", p.posts.Load(), proxied.connects.Load())
	}
}

// An answer that nobody asked for must not count as one.
func TestReadyRefusesAndServerSpeaksFirst(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	go func() {
		conn, err := l.Accept()
		if err == nil {
			reply("HTTP/1.1 201 Created\r\nX-RestLi-Id: urn:li:share:12\r\n\r\n")(conn)
		}
	}()
	o, _ := sendReady(t, &Client{BaseURL: "http://" + l.Addr().String(), Token: token}, func(context.Context) error {
		return errors.New("stop")
	})
	if o.Kind != Unsent || o.Message != "stop" {
		t.Errorf("outcome %+v", o)
	}
}

func TestSendUnsent(t *testing.T) {
	p := listen(t, trusted(tlsConfig), reply(""))
	refused := listen(t, nil, nil)
	refused.stop()
	silent, err := net.Listen("tcp", "127.0.0.1:0") // accepts nothing, so that no greeting is answered
	if err != nil {
		t.Fatal(err)
	}
	defer silent.Close()
	_, port, _ := net.SplitHostPort(p.addr)
	for name, tt := range map[string]struct {
		client Client
		says   string
	}{
		"refused":            {Client{BaseURL: "http://" + refused.addr, Token: token}, "connection refused"},
		"bad certificate":    {Client{BaseURL: "https://localhost:" + port, Token: token}, "certificate"},
		"no TLS":             {Client{BaseURL: "https://" + silent.Addr().String(), Token: token, Timeout: 200 * time.Millisecond}, "time limit of 200ms"},
		"no token":           {Client{BaseURL: "https://" + p.addr}, "it is empty"},
		"token with newline": {Client{BaseURL: "https://" + p.addr, Token: token + "\n"}, "line end"},
		"bad version":        {Client{BaseURL: "https://" + p.addr, Token: token, Version: "2026\r\nX: y"}, `want YYYYMM`},
		"plain http":         {Client{BaseURL: "http://example.com", Token: token}, "want https"},
	} {
		t.Run(name, func(t *testing.T) {
			o, _ := send(t, &tt.client)
			if o.Kind != Unsent || o.Status != 0 || !strings.Contains(o.Message, tt.says) || strings.Contains(o.Message, token) {
				t.Errorf("outcome %+v, want unsent: %s", o, tt.says)
			}
		})
	}
	if p.posts.Load() != 0 {
		t.Error("a POST arrived")
	}
}

func TestSendCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	p := listen(t, nil, func(net.Conn) { cancel() })
	c := &Client{BaseURL: "http://" + p.addr, Token: token}
	never := func(Outcome) { t.Error("there was no answer") }
	ready := func(context.Context) error { return nil }
	if o := c.Send(ctx, post, ready, never); o.Kind != Unknown || p.posts.Load() != 1 {
		t.Errorf("cancelled after the request: %+v", o)
	}
	if o := c.Send(ctx, post, ready, never); o.Kind != Unsent || p.posts.Load() != 1 {
		t.Errorf("cancelled before: %+v", o)
	}
}

// Each of these alone keeps net/http from sending twice, so that no server can show that one is missing.
func TestOneShot(t *testing.T) {
	c := &Client{Token: token, Version: "202609"}
	req, err := c.newPost(t.Context(), post)
	if err != nil || req.GetBody != nil || req.ContentLength != int64(len(post)) || req.URL.String() != "https://api.linkedin.com/rest/posts" {
		t.Errorf("%+v, %v", req, err)
	}
	tr := new(wire).transport()
	if !tr.DisableKeepAlives || !tr.Protocols.HTTP1() || tr.Protocols.HTTP2() || tr.Protocols.UnencryptedHTTP2() {
		t.Errorf("%+v", tr)
	}
}

func TestReadBodyIsBounded(t *testing.T) {
	near, far := net.Pipe()
	defer near.Close()
	defer far.Close()
	w := &wire{conn: near}
	if body := w.readBody(&http.Response{Body: io.NopCloser(zeros{})}); len(body) != maxBody {
		t.Errorf("read %d bytes", len(body))
	}
}

type zeros struct{}

func (zeros) Read(b []byte) (int, error) { return len(b), nil }

func TestWire(t *testing.T) {
	p := listen(t, nil, reply(""))
	w := new(wire)
	conn, err := w.dial(t.Context(), "tcp", p.addr)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.dial(t.Context(), "tcp", p.addr); err != errSecondDial {
		t.Errorf("second dial: %v", err)
	}
	w.close()
	if _, err := conn.Write([]byte("x")); !errors.Is(err, net.ErrClosed) {
		t.Errorf("write after close: %v", err)
	}
	late := new(wire)
	late.close()
	if _, err := late.dial(t.Context(), "tcp", p.addr); !errors.Is(err, net.ErrClosed) {
		t.Errorf("dial after close: %v", err)
	}
}
