// Package linkedin writes posts in LinkedIn's format, sends them, and weighs the answers. It promises that one call of
// [Client.Send] sends at most one request, and that an outcome says no more than what was proved.
package linkedin

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptrace"
	"net/netip"
	"net/url"
	"strings"
	"time"
)

// DefaultBaseURL is the address of LinkedIn's API.
const DefaultBaseURL = "https://api.linkedin.com"

// A Client holds what a request to LinkedIn needs.
type Client struct {
	BaseURL string        // DefaultBaseURL if empty
	Token   string        // OAuth 2.0 access token
	Version string        // LinkedIn-Version, YYYYMM
	Timeout time.Duration // for one Send, or one of Check's reads; 30 seconds if zero
}

// Send makes the one POST that creates a post, within the client's Timeout up to ready and once more after it.
//
// It calls ready at most once, when the connection stands and before the first byte of the request; an error from ready
// means that nothing is sent. It calls answered once when the head of a response has been read, before the body, with
// what is known from the head alone.
func (c *Client) Send(ctx context.Context, payload []byte, ready func(context.Context) error, answered func(Outcome)) Outcome {
	timeout := c.timeout()
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	timer := time.AfterFunc(timeout, func() { cancel(limitError(timeout)) })
	defer timer.Stop()
	req, err := c.newPost(ctx, payload)
	if err != nil {
		return c.failed(Unsent, err)
	}
	w := new(wire)
	defer w.close()

	connected := false
	var stop error
	trace := &httptrace.ClientTrace{GotConn: func(httptrace.GotConnInfo) {
		connected = true
		if stop = cmp.Or(ready(ctx), context.Cause(ctx)); stop != nil {
			w.close()
		}
		timer.Reset(timeout) // the answer gets all of it, however long ready took
	}}
	res, err := w.transport().RoundTrip(req.WithContext(httptrace.WithClientTrace(ctx, trace)))
	if res != nil {
		defer res.Body.Close()
	}
	switch {
	case stop != nil:
		return c.failed(Unsent, stop)
	case err != nil && !connected:
		return c.failed(Unsent, fmt.Errorf("%s: %w", req.URL.Host, err))
	case err != nil:
		return c.failed(Unknown, fmt.Errorf("%s gave no answer, the post may exist: %w", req.URL.Host, err))
	}
	answered(c.clean(classify(res.StatusCode, res.Header, nil)))
	return c.clean(classify(res.StatusCode, res.Header, w.readBody(res)))
}

func (c *Client) newPost(ctx context.Context, payload []byte) (*http.Request, error) {
	req, err := c.newRequest(ctx, http.MethodPost, "/rest/posts", bytes.NewReader(payload))
	if err != nil {
		return nil, err
	}
	req.GetBody = nil // net/http repeats only what it can rewind
	req.Header.Set("Content-Type", "application/json")
	c.setVersion(req)
	return req, nil
}

func (c *Client) newRequest(ctx context.Context, method, path string, body io.Reader) (*http.Request, error) {
	if err := CheckBaseURL(c.base()); err != nil {
		return nil, err
	}
	if err := c.checkHeaders(); err != nil {
		return nil, err
	}
	req, err := http.NewRequestWithContext(ctx, method, c.base()+path, body)
	if err != nil {
		return nil, err
	}
	req.Header.Set("Authorization", "Bearer "+c.Token)
	req.Header.Set("User-Agent", "git-socialpost")
	return req, nil
}

func (c *Client) base() string {
	return strings.TrimRight(cmp.Or(c.BaseURL, DefaultBaseURL), "/")
}

func (c *Client) setVersion(req *http.Request) {
	req.Header.Set("LinkedIn-Version", c.Version)
	req.Header.Set("X-Restli-Protocol-Version", "2.0.0")
}

func (c *Client) checkHeaders() error {
	unfit := func(r rune) bool { return r <= ' ' || r > '~' }
	switch {
	case c.Token == "":
		return fmt.Errorf("%w: it is empty", ErrToken)
	case strings.ContainsFunc(c.Token, unfit):
		return fmt.Errorf("%w: it holds a space, a line end or another character that no token has", ErrToken)
	case strings.ContainsFunc(c.Version, unfit):
		return fmt.Errorf("%w: %q, want YYYYMM", ErrVersion, c.Version)
	}
	return nil
}

func (c *Client) timeout() time.Duration { return cmp.Or(c.Timeout, 30*time.Second) }

func limitError(limit time.Duration) error {
	return fmt.Errorf("the time limit of %v has passed", limit)
}

func (c *Client) failed(kind Kind, err error) Outcome {
	return c.clean(Outcome{Kind: kind, Message: err.Error()})
}

// clean makes an outcome fit to be printed and stored.
func (c *Client) clean(o Outcome) Outcome {
	for _, s := range []*string{&o.Code, &o.Message, &o.RequestID} {
		*s = printable(c.redact(*s))
	}
	return o
}

func (c *Client) redact(s string) string {
	if c.Token == "" {
		return s
	}
	return strings.ReplaceAll(s, c.Token, "[token]")
}

// CheckBaseURL says why a token must not be sent to an address: anything but https, except to this machine.
func CheckBaseURL(s string) error {
	u, err := url.Parse(s)
	switch {
	case err != nil || u.Hostname() == "":
		return errors.New("base URL: want an address such as " + DefaultBaseURL) // s may hold a password
	case u.User != nil || u.RawQuery != "" || u.ForceQuery || strings.Contains(s, "#"):
		return errors.New("base URL: must hold no user, query or fragment")
	case u.Scheme == "https" || u.Scheme == "http" && isLoopback(u.Hostname()):
		return nil
	}
	return fmt.Errorf("base URL %q: want https (or http on the loopback interface)", s)
}

func isLoopback(host string) bool {
	ip, err := netip.ParseAddr(host)
	return err == nil && ip.IsLoopback() || strings.EqualFold(host, "localhost")
}
