package main

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"net/http"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"
)

var withBrowser = flag.Bool("browser", false, "log in through Chromium, which chromedriver drives")

// TestBrowser is a member with a real browser, which presses the buttons of the consent page.
func TestBrowser(t *testing.T) {
	if !*withBrowser {
		t.Skip("without -browser")
	}
	b := startBrowser(t)
	w := newWorld(t, noteKey)
	m := w.clone("m")
	m.git("config", "--global", "credential.helper", "store")
	m.git("config", "--global", "web.browser", "none")
	m.env = []string{"LINKEDIN_ACCESS_TOKEN=", "LINKEDIN_CLIENT_SECRET=sandbox-secret"}

	r, page := b.login(m, "cancel")
	if r.status != exitError || r.stdout != "" || !strings.Contains(r.stderr, "LinkedIn granted nothing: user_cancelled_authorize") {
		t.Errorf("cancel: exit status %d\n%s%s", r.status, r.stdout, r.stderr)
	}
	if !strings.Contains(page, "LinkedIn granted nothing") {
		t.Errorf("cancel: the page says %q", page)
	}
	m.must(exitError, "deliver")

	r, page = b.login(m, "allow")
	if r.status != 0 || !strings.Contains(r.stdout, "author   urn:li:person:782bbtaQ\n") {
		t.Errorf("allow: exit status %d\n%s%s", r.status, r.stdout, r.stderr)
	}
	if !strings.Contains(page, "LinkedIn's answer is here") {
		t.Errorf("allow: the page says %q", page)
	}
	m.must(0, "deliver")
	w.audit()
}

// browser is a session of chromedriver's.
type browser struct {
	testing.TB
	session string
}

func startBrowser(t testing.TB) *browser {
	port, err := freePort()
	if err != nil {
		t.Fatal(err)
	}
	driver := exec.Command("chromedriver", "--port="+port)
	if err := driver.Start(); err != nil {
		t.Fatal(err)
	}
	b := &browser{t, "http://127.0.0.1:" + port + "/session"}
	t.Cleanup(func() {
		if err := b.call("DELETE", "", nil, nil); err != nil { // which ends Chromium
			t.Error(err)
		}
		driver.Process.Kill()
		driver.Wait()
	})
	if !eventually(time.Minute, func() bool {
		res, err := http.Get("http://127.0.0.1:" + port + "/status")
		if err == nil {
			res.Body.Close()
		}
		return err == nil
	}) {
		t.Fatal("chromedriver does not start")
	}
	args := []string{"--headless=new", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
		"--disable-component-update", "--disable-sync", "--disable-dev-shm-usage", "--user-data-dir=" + filepath.Join(t.TempDir(), "chromium")}
	var created struct{ SessionID string }
	b.must("POST", "", map[string]any{"capabilities": map[string]any{"alwaysMatch": map[string]any{
		"browserName": "chrome", "goog:chromeOptions": map[string]any{"args": args}}}}, &created)
	b.session += "/" + created.SessionID
	b.must("POST", "/timeouts", map[string]any{"implicit": 30000}, nil)
	return b
}

// call is one command of WebDriver.
func (b *browser) call(method, path string, body, value any) error {
	var content bytes.Buffer
	if body != nil {
		if err := json.NewEncoder(&content).Encode(body); err != nil {
			return err
		}
	}
	req, err := http.NewRequest(method, b.session+path, &content)
	if err != nil {
		return err
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	var answer struct{ Value json.RawMessage }
	if err := json.NewDecoder(res.Body).Decode(&answer); err != nil {
		return err
	}
	if res.StatusCode != http.StatusOK {
		return fmt.Errorf("%s %s: HTTP %d %s", method, path, res.StatusCode, answer.Value)
	}
	if value == nil {
		return nil
	}
	return json.Unmarshal(answer.Value, value)
}

func (b *browser) must(method, path string, body, value any) {
	b.Helper()
	if err := b.call(method, path, body, value); err != nil {
		b.Fatal(err)
	}
}

// find returns the path of an element, for which it waits.
func (b *browser) find(selector string) string {
	b.Helper()
	var element map[string]string
	b.must("POST", "/element", map[string]any{"using": "css selector", "value": selector}, &element)
	for _, id := range element {
		return "/element/" + id
	}
	b.Fatalf("%s: no element", selector)
	return ""
}

// spoken is what a program has said so far.
type spoken struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (s *spoken) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.Write(p)
}

func (s *spoken) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.String()
}

// login opens the address that login prints, presses a button, and returns how login ended and what the last page says.
func (b *browser) login(m *machine, button string) (r result, page string) {
	b.Helper()
	port, err := freePort()
	m.check(err)
	cmd := m.command("login", "--client-id", "sandbox-client", "--port", port)
	var stdout, stderr spoken
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	m.check(cmd.Start())
	defer cmd.Process.Kill() // no harm after Wait
	address := regexp.MustCompile(`(?m)^  (http\S+)\n`)
	if !eventually(time.Minute, func() bool { return address.MatchString(stderr.String()) }) {
		b.Fatalf("no address:\n%s", stderr.String())
	}
	b.must("POST", "/url", map[string]any{"url": address.FindStringSubmatch(stderr.String())[1]}, nil)
	b.must("POST", b.find("#"+button)+"/click", map[string]any{}, nil)
	b.must("GET", b.find("#answer")+"/text", nil, &page)
	timer := time.AfterFunc(time.Minute, func() { cmd.Process.Kill() })
	defer timer.Stop()
	_ = cmd.Wait()
	return result{cmd.ProcessState.ExitCode(), stdout.String(), stderr.String()}, page
}
