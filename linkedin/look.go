package linkedin

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"time"
)

// A Look is what harmless reads tell of a token, an API version and a clock.
type Look struct {
	Token   error         // nil: alive; else ErrToken, or trouble on the way to LinkedIn
	Version error         // nil: alive; else ErrVersion, or why that was not seen
	Owner   string        // urn:li:person:…; "" where the token may not read whose it is
	Ahead   time.Duration // how far this machine's clock is ahead of LinkedIn's, to a second
	Dated   bool          // Ahead is known
}

// Look is Check with everything that can be seen told apart. Now is this machine's clock.
func (c *Client) Look(ctx context.Context, now func() time.Time) Look {
	var l Look
	who, r, err := c.identity(ctx)
	l.date(r, now())
	l.Owner, l.Token = who, err
	r, l.Version = c.version(ctx)
	l.date(r, now())
	if errors.Is(l.Version, ErrToken) && l.Token == nil {
		l.Token = l.Version
	}
	return l
}

// date takes the clock of LinkedIn from an answer that has just arrived.
func (l *Look) date(r response, arrived time.Time) {
	if at, err := http.ParseTime(r.date); err == nil {
		l.Ahead, l.Dated = arrived.Sub(at).Truncate(time.Second), true
	}
}

// ScopeFor is the scope that a token needs to post as an author.
func ScopeFor(author string) string {
	if strings.HasPrefix(author, "urn:li:organization:") {
		return "w_organization_social"
	}
	return "w_member_social"
}
