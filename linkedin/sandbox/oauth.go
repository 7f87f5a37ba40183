package sandbox

import (
	"crypto/rand"
	"html/template"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"time"
)

// The app that a new Server knows.
const (
	DefaultClientID     = "sandbox-client"
	DefaultClientSecret = "sandbox-secret"
)

// The member who sits at the browser.
const member = "782bbtaQ"

const (
	codeLife  = 30 * time.Minute
	tokenLife = 60 * 24 * time.Hour
)

var knownScopes = []string{"openid", "profile", "email", "w_member_social", "w_organization_social"}

// grant is what the member allowed. It is found by its code, until that is spent, and then by its token.
type grant struct {
	scopes   []string
	redirect string
	at       time.Time // when the code, then the token was made
	revoked  bool
}

func (g *grant) token() Token {
	return Token{Sub: member, Scopes: g.scopes, Expired: time.Since(g.at) > tokenLife, Revoked: g.revoked}
}

func (s *Server) handleOAuth() {
	s.codes, s.granted = map[string]*grant{}, map[string]*grant{}
	s.mux.HandleFunc("GET /oauth/v2/authorization", s.consent)
	s.mux.HandleFunc("POST /oauth/v2/authorization", s.decide)
	s.mux.HandleFunc("POST /oauth/v2/accessToken", s.accessToken)
	s.mux.HandleFunc("POST /oauth/v2/introspectToken", s.introspect)
}

// find returns what is known of a token, given at the start or granted since.
func (s *Server) find(token string) (Token, bool) {
	if t, known := s.Tokens[token]; known {
		return t, true
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if g := s.granted[token]; g != nil {
		return g.token(), true
	}
	return Token{}, false
}

var consentPage = template.Must(template.New("consent").Parse(`<!DOCTYPE html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Sandbox LinkedIn: consent</title>
<style>
  body { margin: 0; background: #f4f2ee; color: #1f1f1f; font: 16px/1.45 system-ui, sans-serif; }
  form { background: #fff; border: 1px solid #dfdeda; border-radius: .6rem; max-width: 28rem; margin: 3rem auto; padding: 1rem 1.5rem; }
  button { border: 1px solid #0a66c2; border-radius: 1rem; background: #fff; color: #0a66c2; padding: .25rem 1rem; font: inherit; cursor: pointer; }
  #allow { background: #0a66c2; color: #fff; }
</style>
<form method="post">
<h1>{{.ClientID}} would like to</h1>
<ul>{{range .Scopes}}<li>{{.}}</li>{{end}}</ul>
<p>as urn:li:person:{{.Member}}. You will be sent to {{.Redirect}}.</p>
<p><button id="cancel" name="answer" value="cancel">Cancel</button> <button id="allow" name="answer" value="allow">Allow</button></p>
</form>
</html>
`))

// question is what an app asks of the member, in the query of the consent page's address.
type question struct {
	redirect, state string
	scopes          []string
}

// ask answers by itself, and reports false, where LinkedIn does: with a page if the browser cannot be sent back, else
// with an error at the redirect address.
func (s *Server) ask(w http.ResponseWriter, r *http.Request) (q question, ok bool) {
	query := r.URL.Query()
	q = question{query.Get("redirect_uri"), query.Get("state"), strings.Fields(query.Get("scope"))}
	switch {
	case query.Get("client_id") != s.ClientID:
		http.Error(w, "The passed in client_id is invalid", http.StatusBadRequest)
	case !isLoopbackURL(q.redirect):
		http.Error(w, "The redirect_uri does not match the registered value", http.StatusBadRequest)
	case query.Get("response_type") != "code":
		q.sendBack(w, r, "error", "unsupported_response_type", "error_description", "response_type must be code")
	case len(q.scopes) == 0 || slices.ContainsFunc(q.scopes, unknownScope):
		q.sendBack(w, r, "error", "unauthorized_scope_error", "error_description", "Scope is not authorized for your application")
	default:
		return q, true
	}
	return q, false
}

func unknownScope(scope string) bool { return !slices.Contains(knownScopes, scope) }

// isLoopbackURL keeps what the sandbox grants on this machine.
func isLoopbackURL(s string) bool {
	u, err := url.Parse(s)
	if err != nil || u.Scheme != "http" || u.User != nil || u.Fragment != "" {
		return false
	}
	ip, err := netip.ParseAddr(u.Hostname())
	_, _, splitErr := net.SplitHostPort(u.Host)
	return splitErr == nil && (u.Hostname() == "localhost" || err == nil && ip.IsLoopback())
}

func (q question) sendBack(w http.ResponseWriter, r *http.Request, pairs ...string) {
	u, _ := url.Parse(q.redirect) // ask parsed it
	values := url.Values{"state": {q.state}}
	for pair := range slices.Chunk(pairs, 2) {
		values.Set(pair[0], pair[1])
	}
	u.RawQuery = values.Encode()
	http.Redirect(w, r, u.String(), http.StatusSeeOther)
}

func (s *Server) consent(w http.ResponseWriter, r *http.Request) {
	q, ok := s.ask(w, r)
	if !ok {
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	err := consentPage.Execute(w, map[string]any{"ClientID": s.ClientID, "Scopes": q.scopes, "Member": member, "Redirect": q.redirect})
	if err != nil {
		s.logf("consent page: %v", err)
	}
}

func (s *Server) decide(w http.ResponseWriter, r *http.Request) {
	q, ok := s.ask(w, r)
	if !ok {
		return
	}
	if r.PostFormValue("answer") != "allow" {
		s.logf("the member refused")
		q.sendBack(w, r, "error", "user_cancelled_authorize", "error_description", "The user cancelled the authorization")
		return
	}
	code := "code-" + rand.Text()
	s.mu.Lock()
	s.codes[code] = &grant{scopes: q.scopes, redirect: q.redirect, at: time.Now()}
	s.mu.Unlock()
	s.logf("the member allowed %s", strings.Join(q.scopes, " "))
	q.sendBack(w, r, "code", code)
}

func oauthError(status int, code, description string) *answer {
	return &answer{status, encode(map[string]any{"error": code, "error_description": description})}
}

// checkApp demands a form with the app's id and secret.
func (s *Server) checkApp(r *http.Request, required ...string) *answer {
	if media, _, _ := strings.Cut(r.Header.Get("Content-Type"), ";"); media != "application/x-www-form-urlencoded" || r.URL.RawQuery != "" {
		return oauthError(http.StatusBadRequest, "invalid_request", "Content-Type must be application/x-www-form-urlencoded")
	}
	for _, name := range append(required, "client_id", "client_secret") {
		if r.PostFormValue(name) == "" {
			return oauthError(http.StatusBadRequest, "invalid_request", `A required parameter "`+name+`" is missing`)
		}
	}
	if r.PostFormValue("client_id") != s.ClientID || r.PostFormValue("client_secret") != s.ClientSecret {
		return oauthError(http.StatusUnauthorized, "invalid_client", "Client authentication failed")
	}
	return nil
}

func (s *Server) accessToken(w http.ResponseWriter, r *http.Request) {
	refusal := s.checkApp(r, "grant_type", "code", "redirect_uri")
	if refusal == nil && r.PostFormValue("grant_type") != "authorization_code" {
		refusal = oauthError(http.StatusBadRequest, "unsupported_grant_type", "grant_type must be authorization_code")
	}
	if refusal != nil {
		s.logf("no token: %s", refusal.body)
		refusal.write(w)
		return
	}
	token, g, refusal := s.spend(r.PostFormValue("code"), r.PostFormValue("redirect_uri"))
	if refusal != nil {
		s.logf("no token: %s", refusal.body)
		refusal.write(w)
		return
	}
	s.logf("granted a token for %s", strings.Join(g.scopes, " "))
	answer{http.StatusOK, encode(map[string]any{
		"access_token": token, "expires_in": int(tokenLife.Seconds()), "scope": strings.Join(g.scopes, ","), "token_type": "Bearer",
	})}.write(w)
}

// spend makes a token of a code, which is gone after that, whatever came of it. Other scopes than before end the tokens
// that were granted before.
func (s *Server) spend(code, redirect string) (token string, g *grant, refusal *answer) {
	s.mu.Lock()
	defer s.mu.Unlock()
	g = s.codes[code]
	delete(s.codes, code)
	switch {
	case g == nil:
		return "", nil, oauthError(http.StatusUnauthorized, "invalid_request", "Unable to retrieve access token: authorization code not found")
	case g.redirect != redirect || time.Since(g.at) > codeLife:
		return "", nil, oauthError(http.StatusBadRequest, "invalid_redirect_uri", "Unable to retrieve access token: appid/redirect uri/code verifier "+
			"does not match authorization code. Or authorization code expired. Or external member binding exists")
	}
	for _, old := range s.granted {
		old.revoked = old.revoked || !slices.Equal(slices.Sorted(slices.Values(old.scopes)), slices.Sorted(slices.Values(g.scopes)))
	}
	token, g.at = "token-"+rand.Text(), time.Now()
	s.granted[token] = g
	return token, g, nil
}

func (s *Server) introspect(w http.ResponseWriter, r *http.Request) {
	if refusal := s.checkApp(r, "token"); refusal != nil {
		refusal.write(w)
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	g := s.granted[r.PostFormValue("token")]
	if g == nil { // the tokens given at the start are of another app
		answer{http.StatusOK, encode(map[string]any{"active": false})}.write(w)
		return
	}
	status := "active"
	switch token := g.token(); {
	case token.Revoked:
		status = "revoked"
	case token.Expired:
		status = "expired"
	}
	answer{http.StatusOK, encode(map[string]any{
		"active": status == "active", "status": status, "client_id": s.ClientID, "scope": strings.Join(g.scopes, ","), "auth_type": "3L",
		"authorized_at": g.at.Unix(), "created_at": g.at.Unix(), "expires_at": g.at.Add(tokenLife).Unix(),
	})}.write(w)
}
