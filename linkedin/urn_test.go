package linkedin

import (
	"strings"
	"testing"
	"time"
)

func TestParseURN(t *testing.T) {
	for s, want := range map[string]string{
		"urn:li:share:7045020441609936898": "urn:li:share:7045020441609936898",
		" urn:li:ugcPost:1\n":              "urn:li:ugcPost:1",
		"https://www.linkedin.com/feed/update/urn:li:activity:6898694773406875648/":                        "urn:li:activity:6898694773406875648",
		"https://www.linkedin.com/feed/update/urn:li:share:12":                                             "urn:li:share:12",
		"https://www.linkedin.com/feed/update/urn%3Ali%3AugcPost%3A12/?utm=a&b#c":                          "urn:li:ugcPost:12",
		"https://de.linkedin.com/posts/jo-doe_release-share-price-activity-6898694773406875648-aB_9?utm=1": "urn:li:activity:6898694773406875648",
		"https://www.linkedin.com/posts/jo_share-7045020441609936898-abcd/":                                "urn:li:share:7045020441609936898",
		"https://www.linkedin.com/posts/jo_x-ugcPost-7045020441609936898-abcd":                             "urn:li:ugcPost:7045020441609936898",
		PublicURL("urn:li:share:12"): "urn:li:share:12",
	} {
		if got, err := ParseURN(s); err != nil || got != want {
			t.Errorf("ParseURN(%q) = %q, %v, want %q", s, got, err, want)
		}
	}
	for _, s := range []string{
		"", "7045020441609936898", "urn:li:share:", "urn:li:share:12x", "urn:li:person:12", "urn:li:share:1\nurn:li:share:2",
		"http://www.linkedin.com/feed/update/urn:li:share:12/", "https://linkedin.com.example.com/feed/update/urn:li:share:12/",
		"https://notlinkedin.com/feed/update/urn:li:share:12/", "https://www.linkedin.com/feed/update/urn:li:person:12/",
		"https://www.linkedin.com/in/jo/", "https://www.linkedin.com/posts/jo_activity-12",
	} {
		if got, err := ParseURN(s); err == nil || !strings.Contains(err.Error(), "urn:li:activity:<digits>") {
			t.Errorf("ParseURN(%q) = %q, %v, want an error that says what is accepted", s, got, err)
		}
	}
}

func TestCreatedAt(t *testing.T) {
	for urn, want := range map[string]string{
		"urn:li:share:7045020441609936898":    "2023-03-24T13:16:03.43Z",
		"urn:li:ugcPost:7431329065766260736":  "2026-02-22T13:28:36.117Z",
		"urn:li:activity:6898694773406875648": "2022-02-13T18:30:05.531Z",
	} {
		at, ok := CreatedAt(urn)
		if !ok || at.Truncate(time.Second) != mustTime(t, want).Truncate(time.Second) {
			t.Errorf("CreatedAt(%q) = %v, %v, want %s", urn, at, ok, want)
		}
	}
	for _, urn := range []string{"urn:li:share:1", "urn:li:share:99999999999999999999", "urn:li:person:7045020441609936898", ""} {
		if at, ok := CreatedAt(urn); ok {
			t.Errorf("CreatedAt(%q) = %v, want none", urn, at)
		}
	}
}

func mustTime(t *testing.T, s string) time.Time {
	t.Helper()
	at, err := time.Parse(time.RFC3339Nano, s)
	if err != nil {
		t.Fatal(err)
	}
	return at
}

func TestCheckAuthor(t *testing.T) {
	for urn, ok := range map[string]bool{
		"urn:li:person:782bbtaQ": true, "urn:li:person:a-B_9": true, "urn:li:organization:2414183": true,
		"": false, "782bbtaQ": false, "urn:li:person:": false, "urn:li:person:a b": false, "urn:li:organization:abc": false,
		"urn:li:share:1": false, "urn:li:person:x\n": false,
	} {
		if err := CheckAuthor(urn); (err == nil) != ok {
			t.Errorf("CheckAuthor(%q) = %v", urn, err)
		}
	}
}

func TestCheckBaseURL(t *testing.T) {
	for s, ok := range map[string]bool{
		DefaultBaseURL: true, "https://example.com/prefix/": true, "http://127.0.0.1:8425": true, "http://127.9.9.9": true,
		"http://[::1]:80": true, "http://LocalHost:1": true,
		"": false, "api.linkedin.com": false, "http://example.com": false, "http://0.0.0.0": false, "http://10.0.0.1": false,
		"http://localhost.example.com": false, "http://127.0.0.1.example.com": false, "ftp://127.0.0.1": false,
		"https://u:secret@example.com": false, "https://example.com?": false, "https://example.com?a=b": false,
		"https://example.com#x": false, "https://": false, "https:example.com": false, "https://u:secret@exa mple.com": false,
	} {
		err := CheckBaseURL(s)
		if (err == nil) != ok {
			t.Errorf("CheckBaseURL(%q) = %v", s, err)
		}
		if err != nil && strings.Contains(err.Error(), "secret") {
			t.Errorf("CheckBaseURL(%q) shows the password: %v", s, err)
		}
	}
}
