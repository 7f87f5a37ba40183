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
	if err := c.checkIdentity(ctx, author); err != nil {
		return err
	}
	return c.checkVersion(ctx)
}

// checkIdentity lets every answer pass that proves nothing: a token may post without being allowed to read its owner.
func (c *Client) checkIdentity(ctx context.Context, author string) error {
	status, body, err := c.read(ctx, "/v2/userinfo", func(*http.Request) {})
	if err != nil {
		return err
	}
	var member struct{ Sub string }
	switch status {
	case http.StatusUnauthorized:
		return c.evidence(ErrToken, body)
	case http.StatusOK:
		_ = json.Unmarshal(body, &member)
	}
	if owner := "urn:li:person:" + member.Sub; member.Sub != "" && strings.HasPrefix(author, "urn:li:person:") && owner != author {
		return fmt.Errorf("%w: it is of %s, want %s", ErrAuthor, printable(c.redact(owner)), author)
	}
	return nil
}

// checkVersion asks for a post that nobody can read. The gateway looks at token and version first.
func (c *Client) checkVersion(ctx context.Context) error {
	status, body, err := c.read(ctx, "/rest/posts/urn%3Ali%3Ashare%3A1", c.setVersion)
	if err != nil {
		return err
	}
	a := parseAnswer(body)
	switch {
	case a.versionDead(status), a.Code == "VERSION_MISSING":
		return c.evidence(ErrVersion, body)
	case status == http.StatusUnauthorized:
		return c.evidence(ErrToken, body)
	case status == http.StatusTooManyRequests, status/100 == 3, status >= 500 && status != http.StatusNotImplemented:
		return fmt.Errorf("%s answered a harmless read with HTTP %d", c.base(), status)
	}
	return nil // to be refused this post is as good as to get it
}

func (c *Client) evidence(kind error, body []byte) error {
	if message := parseAnswer(body).Message; message != "" {
		return fmt.Errorf("%w: %s", kind, printable(c.redact(message)))
	}
	return kind
}

const readAttempts = 3

// read repeats a GET while the answer is missing or may be a passing one. It follows no redirect.
func (c *Client) read(ctx context.Context, path string, prepare func(*http.Request)) (status int, body []byte, err error) {
	req, err := c.newRequest(ctx, http.MethodGet, path, nil)
	if err != nil {
		return 0, nil, err
	}
	prepare(req)
	for attempt := 1; ; attempt++ {
		status, body, err = c.readOnce(req)
		passing := err != nil || status == http.StatusTooManyRequests || status >= 500
		if !passing || attempt == readAttempts {
			break
		}
		if pause(ctx, time.Duration(attempt)*200*time.Millisecond) != nil {
			break
		}
	}
	if err != nil {
		return 0, nil, fmt.Errorf("%s: %s", req.URL.Host, printable(c.redact(err.Error()))) // a peer can echo the token
	}
	return status, body, nil
}

func (c *Client) readOnce(req *http.Request) (status int, body []byte, err error) {
	limit := c.timeout() / readAttempts
	ctx, cancel := context.WithTimeoutCause(req.Context(), limit, limitError(limit))
	defer cancel()
	w := new(wire)
	defer w.close()
	res, err := w.transport().RoundTrip(req.WithContext(ctx))
	if err != nil {
		return 0, nil, err
	}
	defer res.Body.Close()
	return res.StatusCode, w.readBody(res), nil
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
