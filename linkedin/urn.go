package linkedin

import (
	"fmt"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"time"
)

var (
	anyURN    = regexp.MustCompile(`^urn:li:(?:share|ugcPost|activity):[0-9]+$`)
	postURN   = regexp.MustCompile(`^urn:li:(?:share|ugcPost):[0-9]+$`)
	authorURN = regexp.MustCompile(`^urn:li:(?:person:[A-Za-z0-9_-]+|organization:[0-9]+)$`)

	feedPath  = regexp.MustCompile(`^/feed/update/([^/]+)/?$`)
	postsPath = regexp.MustCompile(`^/posts/[^/]+[-_](share|ugcPost|activity)-([0-9]+)-[A-Za-z0-9_-]+/?$`)
)

// PublicURL returns the page of a post.
func PublicURL(urn string) string {
	return "https://www.linkedin.com/feed/update/" + urn + "/"
}

// IsPost reports whether a URN is of the form that a created post has: urn:li:share:<digits> or urn:li:ugcPost:<digits>.
func IsPost(urn string) bool { return postURN.MatchString(urn) }

// ParseURN finds the URN of a post in what a person copies: the URN itself or the post's address in the browser. An
// activity wraps a share or ugcPost and has another number, so the URN is returned as it was given.
func ParseURN(s string) (string, error) {
	s = strings.TrimSpace(s)
	if anyURN.MatchString(s) {
		return s, nil
	}
	if u, err := url.Parse(s); err == nil && u.Scheme == "https" && isLinkedIn(u.Hostname()) {
		if m := feedPath.FindStringSubmatch(u.Path); m != nil && anyURN.MatchString(m[1]) {
			return m[1], nil
		}
		if m := postsPath.FindStringSubmatch(u.Path); m != nil {
			return "urn:li:" + m[1] + ":" + m[2], nil
		}
	}
	return "", fmt.Errorf("%q: want urn:li:share:<digits>, urn:li:ugcPost:<digits> or urn:li:activity:<digits>, "+
		"or a post's address: https://www.linkedin.com/feed/update/… or https://www.linkedin.com/posts/…", s)
}

func isLinkedIn(host string) bool {
	host = strings.ToLower(host)
	return host == "linkedin.com" || strings.HasSuffix(host, ".linkedin.com")
}

// FirstYear is the one in which LinkedIn began.
const FirstYear = 2003

// CreatedAt reads the time of creation out of a post's number: number >> 22 is Unix time in milliseconds. LinkedIn does
// not document that. It reports false for a number that cannot be one of LinkedIn's, which began in 2003.
func CreatedAt(urn string) (time.Time, bool) {
	if !anyURN.MatchString(urn) {
		return time.Time{}, false
	}
	n, err := strconv.ParseInt(urn[strings.LastIndexByte(urn, ':')+1:], 10, 64)
	if err != nil {
		return time.Time{}, false
	}
	at := time.UnixMilli(n >> 22).UTC()
	return at, at.Year() >= FirstYear
}

// CheckAuthor says why a URN cannot be the author of a post.
func CheckAuthor(urn string) error {
	if !authorURN.MatchString(urn) {
		return fmt.Errorf("author %q: want urn:li:person:<id> or urn:li:organization:<digits>", urn)
	}
	return nil
}
