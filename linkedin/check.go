package linkedin

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
	"time"
)

// Check returns an error that wraps one of these when LinkedIn itself, or the value alone, gave the evidence.
var (
	ErrToken   = errors.New("the access token is not valid")
	ErrVersion = errors.New("the API version is not valid")
	ErrAuthor  = errors.New("the access token belongs to another author")
)

// Check finds out, by reads alone, whether the token and the API version are alive and the token is the author's. Other
// errors than ErrToken, ErrVersion and ErrAuthor are trouble on the way to LinkedIn.
func (c *Client) Check(ctx context.Context, author string) error {
	owner, _, err := c.identity(ctx)
	if err != nil {
		return err
	}
	if err := CheckOwner(owner, author); err != nil {
		return err
	}
	_, err = c.version(ctx)
	return err
}

// CheckOwner returns an error that wraps ErrAuthor if a token of owner, "" if that is not known, cannot be the author's.
func CheckOwner(owner, author string) error {
	if owner != "" && strings.HasPrefix(author, "urn:li:person:") && owner != author {
		return fmt.Errorf("%w: it is of %s, want %s", ErrAuthor, owner, author)
	}
	return nil
}

// identity returns the token's owner. It lets every answer pass that proves nothing: a token may post without being allowed
// to read its owner.
func (c *Client) identity(ctx context.Context) (owner string, r response, err error) {
	r, err = c.read(ctx, "/v2/userinfo", func(*http.Request) {})
	if err != nil {
		return "", r, err
	}
	var member struct{ Sub string }
	switch r.status {
	case http.StatusUnauthorized:
		return "", r, c.evidence(ErrToken, r.body)
	case http.StatusOK:
		_ = json.Unmarshal(r.body, &member)
	}
	if member.Sub == "" {
		return "", r, nil
	}
	return printable(c.redact("urn:li:person:" + member.Sub)), r, nil
}

// version asks for a post that nobody can read. The gateway looks at token and version first.
func (c *Client) version(ctx context.Context) (response, error) {
	r, err := c.read(ctx, "/rest/posts/urn%3Ali%3Ashare%3A1", c.setVersion)
	if err != nil {
		return r, err
	}
	a := parseAnswer(r.body)
	switch {
	case a.versionDead(r.status), a.Code == "VERSION_MISSING":
		return r, c.evidence(ErrVersion, r.body)
	case r.status == http.StatusUnauthorized:
		return r, c.evidence(ErrToken, r.body)
	case r.status == http.StatusTooManyRequests, r.status/100 == 3, r.status >= 500 && r.status != http.StatusNotImplemented:
		return r, fmt.Errorf("%s answered a harmless read with HTTP %d", c.base(), r.status)
	}
	return r, nil // to be refused this post is as good as to get it
}

func (c *Client) evidence(kind error, body []byte) error {
	if message := parseAnswer(body).Message; message != "" {
		return fmt.Errorf("%w: %s", kind, printable(c.redact(message)))
	}
	return kind
}

const readAttempts = 3

// response is the answer to a harmless read.
type response struct {
	status int
	date   string // the server's clock, as HTTP writes it
	body   []byte
}

// read repeats a GET while the answer is missing or may be a passing one. It follows no redirect.
func (c *Client) read(ctx context.Context, path string, prepare func(*http.Request)) (r response, err error) {
	req, err := c.newRequest(ctx, http.MethodGet, path, nil)
	if err != nil {
		return r, err
	}
	prepare(req)
	for attempt := 1; ; attempt++ {
		r, err = c.readOnce(req)
		passing := err != nil || r.status == http.StatusTooManyRequests || r.status >= 500
		if !passing || attempt == readAttempts {
			break
		}
		if pause(ctx, time.Duration(attempt)*200*time.Millisecond) != nil {
			break
		}
	}
	if err != nil {
		return r, fmt.Errorf("%s: %s", req.URL.Host, printable(c.redact(err.Error()))) // a peer can echo the token
	}
	return r, nil
}

func (c *Client) readOnce(req *http.Request) (response, error) {
	limit := c.timeout() / readAttempts
	ctx, cancel := context.WithTimeoutCause(req.Context(), limit, limitError(limit))
	defer cancel()
	w := new(wire)
	defer w.close()
	res, err := w.transport().RoundTrip(req.WithContext(ctx))
	if err != nil {
		return response{}, err
	}
	defer res.Body.Close()
	return response{res.StatusCode, res.Header.Get("Date"), w.readBody(res)}, nil
}

// pause waits between half and all of d.
func pause(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-time.After(d/2 + rand.N(d/2)):
		return nil
	}
}
