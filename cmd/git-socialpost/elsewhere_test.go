package main

import (
	"bufio"
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"io"
	"log"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/git-socialpost/git-socialpost/linkedin/sandbox"
)

// The token goes to LinkedIn's address alone: not to a peer whose certificate is bad, not in the clear to a proxy or
// another host, not where an answer redirects to, and not where a committed file points. Whoever else listens, the trap,
// never sees it, and what is not sent leaves no intent.

// A trap writes down all that reaches it, and is a proxy: a CONNECT leads to target.
type trap struct {
	addr   string
	target string // "" for none
	mu     sync.Mutex
	heard  bytes.Buffer
}

func newTrap(t testing.TB, target string) *trap {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	trap := &trap{addr: l.Addr().String(), target: target}
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			go trap.serve(conn)
		}
	}()
	return trap
}

func (t *trap) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.heard.Write(b)
}

func (t *trap) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.heard.String()
}

func (t *trap) serve(conn net.Conn) {
	defer conn.Close()
	in := bufio.NewReader(io.TeeReader(conn, t))
	r, err := http.ReadRequest(in)
	if err != nil {
		return
	}
	if r.Method != http.MethodConnect || t.target == "" {
		io.WriteString(conn, "HTTP/1.1 201 Created\r\nX-RestLi-Id: urn:li:share:666\r\nContent-Length: 0\r\n\r\n")
		return
	}
	far, err := net.Dial("tcp", t.target)
	if err != nil {
		return
	}
	defer far.Close()
	io.WriteString(conn, "HTTP/1.1 200 OK\r\n\r\n")
	go io.Copy(conn, far)
	io.Copy(far, in)
}

// refuses runs deliver, which must send nothing to anybody and record nothing.
func (m *machine) refuses(t testing.TB, trap *trap, says string) {
	t.Helper()
	r := m.run("deliver")
	if r.status != exitError || !strings.Contains(r.stderr, says) || !strings.Contains(r.stderr, "hint: ") {
		t.Errorf("exit status %d, want %d and %q\n%s", r.status, exitError, says, r.stderr)
	}
	if m.Received() != 0 || len(m.records()) != 0 {
		t.Errorf("%d POSTs, %d records", m.Received(), len(m.records()))
	}
	m.unheard(t, trap)
}

func (m *machine) unheard(t testing.TB, trap *trap) {
	t.Helper()
	if heard := trap.String(); strings.Contains(heard, sandbox.DefaultToken) {
		t.Errorf("the token was sent elsewhere: %q", heard)
	}
}

// certificate makes one for a host, and a file that trusts it.
func certificate(t testing.TB, host string, end time.Time) (tls.Certificate, string) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	form := &x509.Certificate{SerialNumber: big.NewInt(1), NotBefore: end.Add(-48 * time.Hour), NotAfter: end, IsCA: true, BasicConstraintsValid: true}
	if ip := net.ParseIP(host); ip != nil {
		form.IPAddresses = []net.IP{ip}
	} else {
		form.DNSNames = []string{host}
	}
	der, err := x509.CreateCertificate(rand.Reader, form, form, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "roots.pem")
	if err := os.WriteFile(file, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), 0o666); err != nil {
		t.Fatal(err)
	}
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, file
}

// secure serves the sandbox by TLS.
func (m *machine) secure(c tls.Certificate) (addr string) {
	server := httptest.NewUnstartedServer(http.HandlerFunc(m.serve))
	server.TLS = &tls.Config{Certificates: []tls.Certificate{c}}
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	server.StartTLS()
	m.Cleanup(server.Close)
	return server.Listener.Addr().String()
}

func TestCertificates(t *testing.T) {
	soon, over := time.Now().Add(time.Hour), time.Now().Add(-time.Hour)
	for name, tt := range map[string]struct {
		host    string
		end     time.Time
		trusted bool
		proxied bool
		says    string // "": it is delivered
	}{
		"good":               {"127.0.0.1", soon, true, false, ""},
		"nobody's":           {"127.0.0.1", soon, false, false, "unknown authority"},
		"expired":            {"127.0.0.1", over, true, false, "expired"},
		"of another host":    {"linkedin.example", soon, true, false, "cannot validate certificate for 127.0.0.1"},
		"good, by proxy":     {"linkedin.example", soon, true, true, ""},
		"nobody's, by proxy": {"linkedin.example", soon, false, true, "unknown authority"},
		"another, by proxy":  {"evil.example", soon, true, true, "evil.example"},
		"expired, by proxy":  {"linkedin.example", over, true, true, "expired"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := newWorld(t, "note:linkedin-en").clone("m")
			c, roots := certificate(t, tt.host, tt.end)
			addr := m.secure(c)
			if !tt.trusted {
				_, roots = certificate(t, tt.host, tt.end)
			}
			m.env = []string{"SSL_CERT_FILE=" + roots, "SSL_CERT_DIR=" + m.world.dir, "SOCIALPOST_LINKEDIN_URL=https://" + addr}
			proxy := newTrap(t, addr)
			if tt.proxied {
				m.env = append(m.env, "HTTPS_PROXY=http://"+proxy.addr, "SOCIALPOST_LINKEDIN_URL=https://linkedin.example")
			}
			if tt.says != "" {
				m.refuses(t, proxy, tt.says)
				return
			}
			m.must(0, "deliver")
			m.unheard(t, proxy)
			m.audit()
			if heard := proxy.String(); tt.proxied != strings.Contains(heard, "CONNECT linkedin.example:443 ") {
				t.Errorf("the proxy heard %q", heard)
			}
		})
	}
}

// An address in the clear is this machine's own, or refused; and no proxy gets to see a request to this machine.
func TestAddresses(t *testing.T) {
	m := newWorld(t).clone("m")
	proxy := newTrap(t, "")
	_, port, _ := net.SplitHostPort(m.addr)
	posts := 0
	for address, good := range map[string]bool{
		"http://127.0.0.1:PORT": true, "HTTP://127.0.0.1:PORT/": true, "http://localhost:PORT": true, "http://LOCALHOST:PORT": true, "http://LocalHost:PORT": true,
		"http://127.0.0.2:PORT": false, "http://[::1]:PORT": false, "http://[::ffff:127.0.0.1]:PORT": true, "http://[::ffff:7f00:1]:PORT": true, // nobody listens at the first two
		"http://127.0.0.1.evil.example:PORT": false, "http://127.0.0.1@evil.example:PORT": false, "http://127.0.0.1:PORT@evil.example": false,
		"http://evil.example#@127.0.0.1:PORT": false, "http://evil.example\\@127.0.0.1:PORT": false, "http://evil.example?@127.0.0.1:PORT": false,
		"http://[::ffff:192.0.2.1]:PORT": false, "http://[::1].evil.example:PORT": false, "http://[fe80::1%25lo]:PORT": false, "http://0.0.0.0:PORT": false, "http://[::]:PORT": false,
		"http://127.1:PORT": false, "http://2130706433:PORT": false, "http://0x7f000001:PORT": false, "http://0177.0.0.1:PORT": false, "http://0:PORT": false,
		"http://localhost.:PORT": false, "http://localhost.evil.example:PORT": false, "http://evil-localhost:PORT": false, "http://127.0.0.1%2eevil.example:PORT": false,
		"http://①②⑦.0.0.1:PORT": false, "http://ⓛocalhost:PORT": false, "http:127.0.0.1:PORT": false, "http:///127.0.0.1:PORT": false, "//127.0.0.1:PORT": false,
		"127.0.0.1:PORT": false, "unix:///tmp/x": false, "https://": false, " http://127.0.0.1:PORT": false, "http://127.0.0.1:PORT ": false, "https://u@127.0.0.1:PORT": false,
	} {
		posts++
		key := fmt.Sprintf("n%d:linkedin-en", posts)
		m.write(postPath(key), "+++\n+++\n"+textOf(key))
		m.publish("next")
		m.env = []string{"NO_PROXY=", "no_proxy=", "HTTP_PROXY=http://" + proxy.addr, "HTTPS_PROXY=http://" + proxy.addr, "http_proxy=http://" + proxy.addr,
			"SOCIALPOST_LINKEDIN_URL=" + strings.ReplaceAll(address, "PORT", port)}
		before := m.Received()
		r := m.run("deliver", key)
		if delivered := m.Received() > before; good != delivered || good != (r.status == 0) || len(m.records()) != m.Received() {
			t.Errorf("%s: exit status %d, %d POSTs, %d records\n%s", address, r.status, m.Received()-before, len(m.records()), r.stderr)
		}
		nobody := strings.Contains(address, "127.0.0.2") || strings.Contains(address, "[::1]:")
		if refused := strings.Contains(r.stderr, linkedInURL+": base URL"); refused == (good || nobody) {
			t.Errorf("%s: refused: %v\n%s", address, refused, r.stderr)
		}
		if heard := proxy.String(); heard != "" && !strings.HasPrefix(heard, "CONNECT ") {
			t.Fatalf("%s: the proxy heard %q", address, heard)
		}
	}
	m.unheard(t, proxy)
}

// No redirect is followed, whichever request gets it, wherever it leads.
func TestRedirects(t *testing.T) {
	for name, tt := range map[string]struct {
		match  func(*http.Request) bool
		status int
	}{
		"identity": {func(r *http.Request) bool { return r.URL.Path == "/v2/userinfo" }, 0}, // proves nothing
		"version":  {func(r *http.Request) bool { return r.Method == http.MethodGet && r.URL.Path != "/v2/userinfo" }, exitError},
		"post":     {func(r *http.Request) bool { return r.Method == http.MethodPost }, exitOpen},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			statuses := []int32{301, 302, 303, 307, 308}
			var keys []string
			for _, status := range statuses {
				keys = append(keys, fmt.Sprintf("n%d:linkedin-en", status))
			}
			m, trap := newWorld(t, keys...).clone("m"), newTrap(t, "")
			var status atomic.Int32
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if !tt.match(r) {
					m.serve(w, r)
					return
				}
				w.Header().Set("Location", "http://"+trap.addr+r.URL.Path)
				w.WriteHeader(int(status.Load()))
			}))
			defer server.Close()
			m.env = []string{"SOCIALPOST_LINKEDIN_URL=" + server.URL}
			for i, key := range keys {
				status.Store(statuses[i])
				if r := m.run("deliver", key); r.status != tt.status || trap.String() != "" {
					t.Errorf("HTTP %d: exit status %d, want %d; elsewhere: %q\n%s", statuses[i], r.status, tt.status, trap.String(), r.stderr)
				}
			}
			if name != "identity" && m.Received() != 0 {
				t.Errorf("%d POSTs", m.Received())
			}
		})
	}
}

// What is committed names no address: such files are not read, or refused.
func TestCommittedAddresses(t *testing.T) {
	m := newWorld(t, "note:linkedin-en").clone("m")
	trap := newTrap(t, "")
	const channel = "[channel.linkedin-en]\nplatform = \"linkedin\"\nauthor = \"urn:li:person:782bbtaQ\"\n"
	for line, says := range map[string]string{
		"url = \"URL\"\n" + channel:                `unknown key "url"`,
		"remote = \"URL\"\n" + channel:             "remote: want",
		"remote = \"evil/x\"\n" + channel:          `remote "evil/x"`,
		"remote = \"ext::sh -c x\"\n" + channel:    "remote: want",
		"remote = \"-u\"\n" + channel:              "remote: want",
		channel + "[linkedin]\nurl = \"URL\"":      `unknown key "url"`,
		channel + "[linkedin]\nbase_url = \"URL\"": `unknown key "base_url"`,
		channel + "url = \"URL\"":                  `unknown key "url"`,
		channel + "[remote.origin]\nurl = \"URL\"": "remote: ",
		channel + "[proxy]\nhttp = \"URL\"":        `unknown key "proxy"`,
	} {
		pin := "ledger = \"" + m.config().Ledger + "\"\n"
		m.write(configFile, pin+"mode = \"live\"\n"+strings.ReplaceAll(line, "URL", "http://"+trap.addr)+"\n")
		m.publish("config")
		m.refuses(t, trap, says)
		m.git("revert", "--no-edit", "HEAD")
	}
	for name, content := range map[string]string{
		".gitconfig":                   "[remote \"origin\"]\n\turl = URL/r\n[url \"URL/\"]\n\tinsteadOf = file://\n[http]\n\tproxy = URL\n[credential]\n\thelper = !touch evil\n",
		".gitmodules":                  "[submodule \"x\"]\n\tpath = social/x\n\turl = URL/r\n",
		".lfsconfig":                   "[lfs]\n\turl = URL\n[remote \"origin\"]\n\tlfsurl = URL\n",
		".netrc":                       "machine api.linkedin.com login x password evil-token\n",
		".git-credentials":             "https://x:evil-token@api.linkedin.com\n",
		".gitattributes":               "* filter=evil diff=evil merge=evil\n",
		".mailmap":                     "X <x@example.com> <test@example.com>\n",
		".env":                         "SOCIALPOST_LINKEDIN_URL=URL\nHTTPS_PROXY=URL\nLINKEDIN_ACCESS_TOKEN=evil-token\n",
		"config":                       "[core]\n\tbare = true\n\tfsmonitor = touch evil\n[remote \"origin\"]\n\turl = URL/r\n",
		"HEAD":                         "ref: refs/heads/main\n",
		"social/note/.socialpost.toml": "mode = \"live\"\n[linkedin]\nurl = \"URL\"\n",
	} {
		m.write(name, strings.ReplaceAll(content, "URL", "http://"+trap.addr))
	}
	m.publish("files")
	m.must(0, "deliver")
	m.audit()
	if m.Received() != 1 || trap.String() != "" {
		t.Errorf("%d POSTs; elsewhere: %q", m.Received(), trap.String())
	}
	if _, err := os.Stat(filepath.Join(m.dir, "evil")); err == nil {
		t.Error("a committed file was run")
	}
}
