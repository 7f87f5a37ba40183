package sandbox_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/git-socialpost/git-socialpost/linkedin"
	"github.com/git-socialpost/git-socialpost/linkedin/sandbox"
)

func get(t *testing.T, url string) string {
	t.Helper()
	res, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil || res.StatusCode != 200 {
		t.Fatalf("%s: %s, %v", url, res.Status, err)
	}
	return string(body)
}

func TestPage(t *testing.T) {
	s := sandbox.New()
	c := start(t, s)
	if empty := get(t, c.BaseURL+"/"); !strings.Contains(empty, "Nothing has been posted.") {
		t.Errorf("the empty page:\n%s", empty)
	}
	post := hello("<script>alert(1)</script>\nC# (#go) #café!")
	post.Link, post.Title, post.Description = "https://www.example.com/?a=1&b=2", "<b>Title", "Desc & more"
	o := send(t, c, post.Payload())
	s.Arm(sandbox.Fault{Kind: "close", When: sandbox.After, Count: 3})
	page := get(t, c.BaseURL+"/")
	for _, want := range []string{
		"1 POSTs received, 1 posts stored",
		"<strong>" + me + "</strong>",
		"&lt;script&gt;alert(1)&lt;/script&gt;\nC# (<span class=\"tag\">#go</span>) <span class=\"tag\">#café</span>!</div>",
		`<a class="card" href="https://www.example.com/?a=1&amp;b=2"><strong>&lt;b&gt;Title</strong><span>Desc &amp; more</span><span class="host">example.com</span></a>`,
		"<footer>" + o.PostID + "</footer>",
		"3 × close, after the post is stored",
		`<button name="kind" value="dead-version-400">`,
	} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %s", want)
		}
	}
	if strings.Contains(page, "<script") || strings.Contains(page, "<b>") {
		t.Errorf("unescaped text in the page:\n%s", page)
	}
}

func TestControl(t *testing.T) {
	s := sandbox.New()
	c := start(t, s)
	arm := func(accept string, form url.Values) *http.Response {
		t.Helper()
		req, _ := http.NewRequest("POST", c.BaseURL+"/sandbox/fault", strings.NewReader(form.Encode()))
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		req.Header.Set("Accept", accept)
		res, err := http.DefaultTransport.RoundTrip(req)
		if err != nil {
			t.Fatal(err)
		}
		res.Body.Close()
		return res
	}
	if res := arm("*/*", url.Values{"kind": {"502"}, "when": {"after"}, "count": {"2"}}); res.StatusCode != 204 {
		t.Errorf("curl: %s", res.Status)
	}
	if res := arm("text/html,*/*", url.Values{"kind": {"409"}, "when": {""}}); res.StatusCode != 303 || res.Header.Get("Location") != "/" {
		t.Errorf("browser: %s", res.Status)
	}
	if res := arm("*/*", url.Values{"kind": {"nonsense"}}); res.StatusCode != 400 {
		t.Errorf("unknown kind: %s", res.Status)
	}
	if res := arm("*/*", url.Values{"kind": {"500"}, "count": {"x"}}); res.StatusCode != 400 {
		t.Errorf("count x: %s", res.Status)
	}
	for _, want := range []int{502, 502, 409, 201} {
		if o := send(t, c, linkedin.Post{Author: me, Visibility: "PUBLIC", Text: strings.Repeat("x", s.Received()+1)}.Payload()); o.Status != want {
			t.Errorf("%+v, want %d", o, want)
		}
	}
	var stats struct {
		Received, Stored int
		Posts            []struct{ ID, Author, Text, At string }
	}
	if err := json.Unmarshal([]byte(get(t, c.BaseURL+"/sandbox/stats")), &stats); err != nil {
		t.Fatal(err)
	}
	if stats.Received != 4 || stats.Stored != 3 || len(stats.Posts) != 3 || stats.Posts[1].Text != "xx" || stats.Posts[0].Author != me {
		t.Errorf("%+v", stats)
	}
}
