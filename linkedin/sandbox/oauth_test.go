package sandbox_test

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/git-socialpost/git-socialpost/linkedin"
	"github.com/git-socialpost/git-socialpost/linkedin/sandbox"
)

const redirect = "http://localhost:8910/callback"

// consent is a sandbox, an app there, and the member's browser, which follows no redirect.
type consent struct {
	*testing.T
	app     linkedin.App
	browser http.Client
}

func newConsent(t *testing.T) *consent {
	server := httptest.NewServer(sandbox.New())
	t.Cleanup(server.Close)
	return &consent{t, linkedin.App{BaseURL: server.URL, ID: sandbox.DefaultClientID, Secret: sandbox.DefaultClientSecret, Timeout: 5 * time.Second},
		http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}}
}

// allow presses the button that grants, and returns the code.
func (c *consent) allow(scopes ...string) string {
	c.Helper()
	return c.answer(c.app.AuthorizeURL(redirect, "S1", scopes), "allow").Get("code")
}

// answer presses a button, and returns what the redirect address gets.
func (c *consent) answer(page, button string) url.Values {
	c.Helper()
	res, err := c.browser.PostForm(page, url.Values{"answer": {button}})
	return c.sentBack(res, err)
}

func (c *consent) sentBack(res *http.Response, err error) url.Values {
	c.Helper()
	if err != nil {
		c.Fatal(err)
	}
	res.Body.Close()
	to, err := res.Location()
	if err != nil || !strings.HasPrefix(to.String(), redirect+"?") {
		c.Fatalf("HTTP %d, sent to %v, %v", res.StatusCode, to, err)
	}
	if to.Query().Get("state") != "S1" {
		c.Errorf("state %q", to.Query().Get("state"))
	}
	return to.Query()
}

func (c *consent) exchange(code string) *linkedin.Grant {
	c.Helper()
	grant, err := c.app.Exchange(c.Context(), code, redirect)
	if err != nil {
		c.Fatal(err)
	}
	return grant
}

func (c *consent) client(token string) *linkedin.Client {
	return &linkedin.Client{BaseURL: c.app.BaseURL, Token: token, Version: "202609", Timeout: 5 * time.Second}
}

func TestGrant(t *testing.T) {
	c := newConsent(t)
	page := c.app.AuthorizeURL(redirect, "S1", []string{"openid", "profile", "w_member_social"})
	res, err := http.Get(page)
	if err != nil {
		t.Fatal(err)
	}
	content, _ := io.ReadAll(res.Body)
	res.Body.Close()
	for _, want := range []string{`id="allow"`, `id="cancel"`, "sandbox-client", "w_member_social", redirect} {
		if !strings.Contains(string(content), want) {
			t.Errorf("the page does not hold %s:\n%s", want, content)
		}
	}
	grant := c.exchange(c.allow("openid", "profile", "w_member_social"))
	if left := time.Until(grant.Expires); left < 59*24*time.Hour || left > 60*24*time.Hour || strings.Join(grant.Scopes, " ") != "openid profile w_member_social" {
		t.Errorf("%+v", grant)
	}
	urn, err := c.client(grant.Token).Identity(t.Context())
	if urn != me || err != nil {
		t.Errorf("%s, %v", urn, err)
	}
	if o := send(t, c.client(grant.Token), hello("granted").Payload()); o.Kind != linkedin.Delivered {
		t.Errorf("%+v", o)
	}
	known, err := c.app.Introspect(t.Context(), grant.Token)
	if err != nil || !slices.Equal(known.Scopes, grant.Scopes) || known.Expires.Sub(grant.Expires).Abs() > 5*time.Second {
		t.Errorf("%+v, %v", known, err)
	}
	if _, err := c.app.Introspect(t.Context(), sandbox.DefaultToken); !errors.Is(err, linkedin.ErrToken) {
		t.Errorf("another app's token: %v", err)
	}
}

// Other scopes end the tokens that were granted before; the same ones, in whatever order, do not.
func TestOtherScopesEndTokens(t *testing.T) {
	c := newConsent(t)
	first := c.exchange(c.allow("openid", "profile", "w_member_social"))
	c.exchange(c.allow("profile", "w_member_social", "openid"))
	if _, err := c.app.Introspect(t.Context(), first.Token); err != nil {
		t.Error(err)
	}
	c.exchange(c.allow("openid", "profile"))
	if _, err := c.app.Introspect(t.Context(), first.Token); !errors.Is(err, linkedin.ErrToken) || !strings.Contains(err.Error(), "revoked") {
		t.Errorf("%v", err)
	}
	if o := send(t, c.client(first.Token), hello("x").Payload()); o.Status != http.StatusUnauthorized {
		t.Errorf("%+v", o)
	}
}

func TestConsentRefuses(t *testing.T) {
	c := newConsent(t)
	good := c.app.AuthorizeURL(redirect, "S1", []string{"openid"})
	change := func(name, value string) string {
		u, _ := url.Parse(good)
		q := u.Query()
		q.Set(name, value)
		u.RawQuery = q.Encode()
		return u.String()
	}
	for _, page := range []string{change("client_id", "x"), change("redirect_uri", "https://example.com/callback"), change("redirect_uri", "http://example.com:80/"),
		change("redirect_uri", "http://localhost.example.com:80/"), change("redirect_uri", "http://localhost@example.com:80/"), change("redirect_uri", "http://192.0.2.1:80/"),
		change("redirect_uri", "javascript:alert(1)"), change("redirect_uri", "http://localhost:1/#x"), change("redirect_uri", "")} {
		for _, method := range []string{"GET", "POST"} {
			req, _ := http.NewRequest(method, page, strings.NewReader("answer=allow"))
			req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
			res, err := c.browser.Do(req)
			if err != nil {
				t.Fatal(err)
			}
			res.Body.Close()
			if res.StatusCode != http.StatusBadRequest {
				t.Errorf("%s %s: HTTP %d", method, page, res.StatusCode)
			}
		}
	}
	for page, want := range map[string]string{change("response_type", "token"): "unsupported_response_type", change("scope", "r_all"): "unauthorized_scope_error", change("scope", ""): "unauthorized_scope_error"} {
		if got := c.sentBack(c.browser.Get(page)); got.Get("error") != want {
			t.Errorf("%s: %v", page, got)
		}
	}
	if got := c.answer(good, "cancel"); got.Get("error") != "user_cancelled_authorize" || got.Has("code") {
		t.Errorf("cancel: %v", got)
	}
	if got := c.answer(good, "nonsense"); got.Has("code") {
		t.Errorf("no button: %v", got)
	}
}

// A code is good once, for its app and its redirect address.
func TestExchangeRefuses(t *testing.T) {
	c := newConsent(t)
	code := c.allow("openid")
	c.exchange(code)
	if _, err := c.app.Exchange(t.Context(), code, redirect); !errors.Is(err, linkedin.ErrCode) || strings.Contains(err.Error(), code) {
		t.Errorf("a second time: %v", err)
	}
	code = c.allow("openid")
	if _, err := c.app.Exchange(t.Context(), code, "http://localhost:1/callback"); !errors.Is(err, linkedin.ErrCode) {
		t.Errorf("another redirect address: %v", err)
	}
	wrong := c.app
	wrong.Secret = "wrong-7f3a"
	if _, err := wrong.Exchange(t.Context(), c.allow("openid"), redirect); !errors.Is(err, linkedin.ErrApp) || strings.Contains(err.Error(), "7f3a") {
		t.Errorf("a wrong secret: %v", err)
	}
	if _, err := wrong.Introspect(t.Context(), sandbox.DefaultToken); !errors.Is(err, linkedin.ErrApp) {
		t.Errorf("a wrong secret: %v", err)
	}
	wrong.Secret = ""
	if _, err := wrong.Exchange(t.Context(), code, redirect); err == nil || !strings.Contains(err.Error(), `A required parameter "client_secret" is missing`) {
		t.Errorf("no secret: %v", err)
	}
}
