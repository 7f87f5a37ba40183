package main

import "testing"

// A key is proposed for its slug: another article is none that was meant, whatever both keys share.
func TestNearestKey(t *testing.T) {
	keys := []string{"old1:linkedin-en", "note:linkedin-en", "release-notes:linkedin-en", "a:linkedin-en"}
	for key, want := range map[string]string{
		"nope:linkedin-en":          "note:linkedin-en",
		"old:linkedin-en":           "old1:linkedin-en",
		"note:linkedin-em":          "note:linkedin-en",
		"note:linkedin":             "note:linkedin-en",
		"release-ntoes:linkedin-en": "release-notes:linkedin-en",
		"first:linkedin-en":         "",
		"bcd:linkedin-en":           "",
		"x:linkedin-en":             "a:linkedin-en",
	} {
		if got := nearestKey(key, keys); got != want {
			t.Errorf("%s: %q, want %q", key, got, want)
		}
	}
	if got := nearestKey("nope:linkedin-en", keys[:1]); got != "" {
		t.Errorf("nope: %q, another article", got)
	}
}
