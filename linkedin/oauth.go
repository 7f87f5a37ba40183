package linkedin

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// DefaultOAuthURL is where members grant access tokens.
const DefaultOAuthURL = "https://www.linkedin.com"

// An App is a program that LinkedIn knows. Members grant it access tokens by the three-legged flow of OAuth 2.0, with the
// app's secret. LinkedIn offers PKCE in the secret's place, to some apps on request, and not beside it; an intercepted code is
// worthless without the secret.
type App struct {
	BaseURL string // DefaultOAuthURL if empty
	ID      string
	Secret  string
	Timeout time.Duration // of one request; 30 seconds if zero
}

// A Grant is what a member allowed.
type Grant struct {
	Token   string
	Scopes  []string  // empty if LinkedIn did not say
	Expires time.Time // zero if LinkedIn did not say
}

// Exchange returns an error that wraps one of these when LinkedIn itself gave the evidence.
var (
	ErrApp  = errors.New("LinkedIn does not accept the client id with this client secret")
	ErrCode = errors.New("LinkedIn does not accept the code")
)

// AuthorizeURL returns the page on which a member allows or refuses. LinkedIn then sends the browser to the redirect
// address, which must be one that the app has registered.
func (a *App) AuthorizeURL(redirect, state string, scopes []string) string {
	query := url.Values{
		"response_type": {"code"},
		"client_id":     {a.ID},
		"redirect_uri":  {redirect},
		"state":         {state},
		"scope":         {strings.Join(scopes, " ")},
	}
	return a.base() + "/oauth/v2/authorization?" + strings.ReplaceAll(query.Encode(), "+", "%20")
}

// Exchange turns the code that came to the redirect address into a token. A code is good for one exchange, so it is sent
// once: after an error the member must allow again.
func (a *App) Exchange(ctx context.Context, code, redirect string) (*Grant, error) {
	status, body, err := a.post(ctx, "/oauth/v2/accessToken", url.Values{
		"grant_type":   {"authorization_code"},
		"code":         {code},
		"redirect_uri": {redirect},
	})
	if err != nil {
		return nil, errors.New(a.clean(err.Error(), code))
	}
	var answer struct {
		AccessToken string `json:"access_token"`
		ExpiresIn   int64  `json:"expires_in"`
		Scope       string
	}
	if status != http.StatusOK {
		return nil, a.refusal(status, body, code)
	}
	if err := json.Unmarshal(body, &answer); err != nil {
		return nil, errors.New("LinkedIn's answer to the code cannot be read")
	}
	if err := (&Client{Token: answer.AccessToken}).checkHeaders(); err != nil {
		return nil, err
	}
	grant := &Grant{Token: answer.AccessToken, Scopes: splitScopes(answer.Scope)}
	if answer.ExpiresIn > 0 {
		grant.Expires = time.Now().Add(time.Duration(answer.ExpiresIn) * time.Second)
	}
	return grant, nil
}

// Introspect asks LinkedIn what a token of this app may do, and until when. The error wraps ErrToken if it is dead.
func (a *App) Introspect(ctx context.Context, token string) (*Grant, error) {
	status, body, err := a.post(ctx, "/oauth/v2/introspectToken", url.Values{"token": {token}})
	if err != nil {
		return nil, errors.New(a.clean(err.Error(), token))
	}
	if status != http.StatusOK {
		return nil, a.refusal(status, body, token)
	}
	var answer struct {
		Active    bool
		Status    string
		Scope     string
		ExpiresAt int64 `json:"expires_at"`
	}
	if err := json.Unmarshal(body, &answer); err != nil {
		return nil, errors.New("LinkedIn's answer about the token cannot be read")
	}
	if !answer.Active {
		return nil, fmt.Errorf("%w: it is %s", ErrToken, a.clean(cmp.Or(answer.Status, "not this app's"), token))
	}
	grant := &Grant{Token: token, Scopes: splitScopes(answer.Scope)}
	if answer.ExpiresAt > 0 {
		grant.Expires = time.Unix(answer.ExpiresAt, 0)
	}
	return grant, nil
}

// splitScopes takes LinkedIn's form, with commas, and OAuth's, with spaces.
func splitScopes(s string) []string {
	return strings.FieldsFunc(printable(s), func(r rune) bool { return r == ',' || r == ' ' })
}

// post sends a form once, with the app's id and secret.
func (a *App) post(ctx context.Context, path string, form url.Values) (status int, body []byte, err error) {
	if err := CheckBaseURL(a.base()); err != nil {
		return 0, nil, err
	}
	form.Set("client_id", a.ID)
	form.Set("client_secret", a.Secret)
	limit := cmp.Or(a.Timeout, 30*time.Second)
	ctx, cancel := context.WithTimeoutCause(ctx, limit, limitError(limit))
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, a.base()+path, strings.NewReader(form.Encode()))
	if err != nil {
		return 0, nil, err
	}
	req.GetBody = nil // net/http repeats only what it can rewind
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	req.Header.Set("User-Agent", "git-socialpost")
	w := new(wire)
	defer w.close()
	res, err := w.transport().RoundTrip(req)
	if err != nil {
		return 0, nil, fmt.Errorf("%s: %w", req.URL.Host, err)
	}
	defer res.Body.Close()
	return res.StatusCode, w.readBody(res), nil
}

func (a *App) base() string { return strings.TrimRight(cmp.Or(a.BaseURL, DefaultOAuthURL), "/") }

// refusal weighs an answer that is not 200. LinkedIn says invalid_client of a wrong secret.
func (a *App) refusal(status int, body []byte, sent string) error {
	var answer struct {
		Error            string
		ErrorDescription string `json:"error_description"`
	}
	_ = json.Unmarshal(body, &answer)
	said := a.clean(cmp.Or(answer.ErrorDescription, answer.Error, fmt.Sprintf("HTTP %d", status)), sent)
	switch {
	case answer.Error == "invalid_client":
		return fmt.Errorf("%w: %s", ErrApp, said)
	case status/100 == 4 && status != http.StatusTooManyRequests:
		return fmt.Errorf("%w: %s", ErrCode, said)
	}
	return fmt.Errorf("%s answered with HTTP %d: %s", a.base(), status, said)
}

// clean makes what came from outside fit to be printed.
func (a *App) clean(s, sent string) string {
	for _, secret := range []string{a.Secret, sent} {
		if secret != "" {
			s = strings.NewReplacer(secret, "[secret]", url.QueryEscape(secret), "[secret]").Replace(s)
		}
	}
	return printable(s)
}

const identityAttempts = 4

// Identity returns the URN of the member whose token it is, which must hold the scopes openid and profile. For some
// seconds a new token is not known everywhere at LinkedIn, so a 401 is not believed at once.
func (c *Client) Identity(ctx context.Context) (string, error) {
	for attempt := 1; ; attempt++ {
		r, err := c.read(ctx, "/v2/userinfo", func(*http.Request) {})
		if err != nil {
			return "", err
		}
		switch {
		case r.status == http.StatusOK:
			return c.memberURN(r.body)
		case r.status != http.StatusUnauthorized:
			return "", fmt.Errorf("LinkedIn does not tell whose token it is: HTTP %d %s", r.status, printable(c.redact(parseAnswer(r.body).Message)))
		case attempt == identityAttempts || pause(ctx, 2*time.Second) != nil:
			return "", c.evidence(ErrToken, r.body)
		}
	}
}

func (c *Client) memberURN(body []byte) (string, error) {
	var member struct{ Sub string }
	if err := json.Unmarshal(body, &member); err != nil {
		return "", errors.New("LinkedIn's answer about the token's owner cannot be read")
	}
	urn := "urn:li:person:" + member.Sub
	if CheckAuthor(urn) != nil || urn != c.redact(urn) {
		return "", errors.New("LinkedIn's answer about the token's owner names no member")
	}
	return urn, nil
}
