package sandbox

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/git-socialpost/git-socialpost/linkedin"
)

// What is written is what readers see: any text goes through the request's body and this server's checks unchanged, and
// comes back out of the payload that it stores.
func FuzzReadersSee(f *testing.F) {
	for _, text := range []string{"Hello", `|{}@[]()<>#\*_~`, "#a#b ##c #d_e C# #1 #релиз", "https://example.com/#x_y", "{hashtag|\\#|x}", "@[N](urn:li:person:x)",
		"\u2028 \x00 <&> \" \\u0041 ＃x 🙂 👩‍💻"} {
		f.Add(text, "https://example.com/a?b=c&d", text)
	}
	f.Fuzz(func(t *testing.T, text, link, title string) {
		if !utf8.ValidString(text) || !utf8.ValidString(link) || !utf8.ValidString(title) || strings.TrimSpace(text) == "" || strings.TrimSpace(title) == "" || linkedin.Length(text) > linkedin.MaxLength {
			t.Skip()
		}
		p := linkedin.Post{Author: "urn:li:person:782bbtaQ", Visibility: "PUBLIC", Text: text, Link: link, Title: title, Description: title}
		body := string(p.Payload())
		if back, err := linkedin.Text([]byte(body)); err != nil || back != text {
			t.Fatalf("%q came back as %q, %v", text, back, err)
		}
		s := New()
		r := httptest.NewRequest(http.MethodPost, "/rest/posts", strings.NewReader(body))
		r.Header.Set("Authorization", "Bearer "+DefaultToken)
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("LinkedIn-Version", s.Versions[0])
		r.Header.Set("X-Restli-Protocol-Version", "2.0.0")
		w := httptest.NewRecorder()
		s.ServeHTTP(w, r)
		if w.Code != http.StatusCreated {
			if link == "" || !strings.Contains(w.Body.String(), "article/source") {
				t.Fatalf("%s is answered %d %s", body, w.Code, w.Body)
			}
			return // no address
		}
		seen := s.Stored()[0]
		if link == "" {
			title = ""
		}
		if seen.Text != text || seen.Link != link || seen.Title != title || seen.Description != title || seen.ID != w.Header().Get("X-RestLi-Id") {
			t.Errorf("of %s readers see %+v", body, seen)
		}
	})
}
