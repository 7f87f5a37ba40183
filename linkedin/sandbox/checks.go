package sandbox

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/git-socialpost/git-socialpost/linkedin"
)

// request is what POST /rest/posts takes of the schema; pointers tell a missing field from a blank one.
type request struct {
	Author       *string
	Commentary   *string
	Visibility   *string
	Distribution *struct {
		FeedDistribution               *string
		TargetEntities                 []json.RawMessage
		ThirdPartyDistributionChannels []json.RawMessage
	}
	Content *struct {
		Article *article
	}
	LifecycleState            *string
	IsReshareDisabledByAuthor bool
}

type article struct {
	Source, Title, Description, Thumbnail *string
}

// admit makes the checks of the gateway, which come before any look at the request's body.
func (s *Server) admit(r *http.Request) (Token, *answer) {
	token, refusal := s.authenticate(r)
	if refusal != nil {
		return token, refusal
	}
	version := r.Header.Get("LinkedIn-Version")
	switch {
	case version == "":
		refusal = invalid("VERSION_MISSING", "A version must be present. Please specify a version by adding the Linkedin-Version header.")
	case !slices.Contains(s.Versions, version):
		refusal = deadVersion(http.StatusUpgradeRequired, version)
	case r.Header.Get("X-Restli-Protocol-Version") != "2.0.0":
		refusal = invalid("ILLEGAL_ARGUMENT", "X-RestLi-Protocol-Version 2.0.0 is required")
	}
	return token, refusal
}

func (s *Server) authenticate(r *http.Request) (Token, *answer) {
	bearer, found := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	if !found || bearer == "" {
		return Token{}, unauthorized(65604, "EMPTY_ACCESS_TOKEN", "Empty or missing OAuth2 access token")
	}
	token, known := s.find(bearer)
	switch {
	case !known:
		return token, unauthorized(65600, "INVALID_ACCESS_TOKEN", "Invalid access token")
	case token.Revoked:
		return token, revoked
	case token.Expired:
		return token, unauthorized(65602, "EXPIRED_ACCESS_TOKEN", "The token used in the request has expired")
	}
	return token, nil
}

func (t Token) may(scope string) bool { return slices.Contains(t.Scopes, scope) }

func (t Token) mayPostAs(author string) bool {
	if strings.HasPrefix(author, "urn:li:organization:") {
		return t.may("w_organization_social")
	}
	return t.may("w_member_social") && author == "urn:li:person:"+t.Sub
}

// checkPath refuses a URN whose colons are not encoded, as LinkedIn does.
func checkPath(r *http.Request) *answer {
	if strings.Contains(r.URL.EscapedPath(), ":") {
		return invalid("ILLEGAL_ARGUMENT", "Resource method could not be resolved from request parameters.")
	}
	return nil
}

// check returns the post that readers would see.
func (t Token) check(r *http.Request, payload []byte) (*Stored, *answer) {
	create := "partnerApiPostsExternal.CREATE." + r.Header.Get("LinkedIn-Version") + "01"
	if !t.may("w_member_social") && !t.may("w_organization_social") {
		return nil, denied(create)
	}
	if r.ContentLength < 0 {
		return nil, refuse(http.StatusLengthRequired, "LENGTH_REQUIRED", "A Content-Length is required")
	}
	if media, _, _ := strings.Cut(r.Header.Get("Content-Type"), ";"); media != "application/json" {
		return nil, refuse(http.StatusUnsupportedMediaType, "UNSUPPORTED_MEDIA_TYPE", "Content-Type must be application/json")
	}
	req, refusal := parse(payload)
	if refusal == nil {
		refusal = req.check()
	}
	if refusal != nil {
		return nil, refusal
	}
	if !t.mayPostAs(*req.Author) {
		return nil, denied(create)
	}
	return req.post()
}

func parse(payload []byte) (*request, *answer) {
	var req request
	dec := json.NewDecoder(bytes.NewReader(payload))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&req); err != nil {
		return nil, invalid("ILLEGAL_ARGUMENT", "the body cannot be parsed: %v", err)
	}
	if _, err := dec.Token(); err != io.EOF {
		return nil, invalid("ILLEGAL_ARGUMENT", "the body holds more than one JSON value")
	}
	return &req, nil
}

func (req *request) check() *answer {
	if req.Distribution == nil {
		return invalid("MISSING_FIELD", "distribution is required but missing")
	}
	for _, field := range []struct {
		name    string
		value   *string
		allowed []string
	}{
		{"author", req.Author, nil},
		{"commentary", req.Commentary, nil},
		{"visibility", req.Visibility, []string{"PUBLIC", "CONNECTIONS", "LOGGED_IN"}},
		{"distribution/feedDistribution", req.Distribution.FeedDistribution, []string{"MAIN_FEED", "NONE"}},
		{"lifecycleState", req.LifecycleState, []string{"PUBLISHED"}},
	} {
		if refusal := checkField(field.name, field.value, field.allowed...); refusal != nil {
			return refusal
		}
	}
	if refusal := checkAuthor(*req.Author); refusal != nil || req.Content == nil {
		return refusal
	}
	return req.Content.Article.check()
}

func checkField(name string, value *string, allowed ...string) *answer {
	switch {
	case value == nil:
		return invalid("MISSING_FIELD", "%s is required but missing", name)
	case strings.TrimSpace(*value) == "":
		return invalid("INVALID_VALUE_BLANK_FIELD", "%s can't be blank", name)
	case len(allowed) > 0 && !slices.Contains(allowed, *value):
		return invalid("INVALID_VALUE_FOR_FIELD", "%s can't be set to %s", name, *value)
	}
	return nil
}

func checkAuthor(urn string) *answer {
	switch {
	case !strings.HasPrefix(urn, "urn:li:person:") && !strings.HasPrefix(urn, "urn:li:organization:"):
		return invalid("INVALID_URN_TYPE", "author value %s must be a person or organization URN", urn)
	case linkedin.CheckAuthor(urn) != nil:
		return invalid("INVALID_URN_ID", "The URN ID provided is invalid")
	}
	return nil
}

func (a *article) check() *answer {
	if a == nil {
		return invalid("MISSING_FIELD", "content/article is required but missing")
	}
	if refusal := checkField("content/article/source", a.Source); refusal != nil {
		return refusal
	}
	u, err := url.Parse(*a.Source)
	if err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" {
		return invalid("INVALID_VALUE_FOR_FIELD", "content/article/source can't be set to %s", *a.Source)
	}
	if a.Title == nil { // whether LinkedIn requires one is not documented
		return nil
	}
	return checkField("content/article/title", a.Title)
}

// post cuts the text off where its grammar breaks, and accepts it, as LinkedIn does.
func (req *request) post() (*Stored, *answer) {
	text, _ := linkedin.Unescape(*req.Commentary)
	if n := linkedin.Length(text); n > linkedin.MaxLength {
		return nil, invalid("FIELD_LENGTH_TOO_LONG", "commentary length %d can't exceeded maximum %d length", n, linkedin.MaxLength)
	}
	post := &Stored{Author: *req.Author, Text: text}
	if req.Content != nil {
		a := req.Content.Article
		post.Link, post.Title, post.Description = *a.Source, value(a.Title), value(a.Description)
	}
	return post, nil
}

func value(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}
