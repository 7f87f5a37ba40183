//go:build unix

package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"

	"github.com/git-socialpost/git-socialpost/linkedin/sandbox"
)

// These tests hold what is made for a CI against the programs of those who run it.
var ciTools = flag.Bool("ci-tools", false, "run the tests with gh and cmark-gfm, which must be installed")

func needCITools(t *testing.T) {
	if !*ciTools {
		t.Skip("without -ci-tools")
	}
}

// comments are those of a pull request, as GitHub's API has them.
type comments struct {
	mu     sync.Mutex
	bodies []string
	users  []string
	broken []string
}

const commentsPath = "/repos/example/blog/issues/7/comments"

func (c *comments) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if got := r.Header.Get("Authorization"); got != "token job-token" {
		c.broken = append(c.broken, "Authorization: "+got)
	}
	w.Header().Set("Content-Type", "application/json")
	var sent struct{ Body string }
	if r.Method != http.MethodGet {
		data, _ := io.ReadAll(r.Body)
		if err := json.Unmarshal(data, &sent); err != nil || utf8.RuneCountInString(sent.Body) > 65536 || sent.Body == "" {
			http.Error(w, `{"message":"Validation Failed"}`, http.StatusUnprocessableEntity)
			return
		}
	}
	var id int
	switch _, err := fmt.Sscanf(r.URL.Path, "/repos/example/blog/issues/comments/%d", &id); {
	case r.Method == http.MethodGet && r.URL.Path == commentsPath:
		all := []map[string]any{}
		for i := range c.bodies {
			all = append(all, map[string]any{"id": i, "url": fmt.Sprintf("http://api.github.localhost/repos/example/blog/issues/comments/%d", i),
				"body": c.bodies[i], "user": map[string]string{"login": c.users[i]}})
		}
		json.NewEncoder(w).Encode(all)
	case r.Method == http.MethodPost && r.URL.Path == commentsPath:
		c.bodies, c.users = append(c.bodies, sent.Body), append(c.users, "github-actions[bot]")
		w.WriteHeader(http.StatusCreated)
		io.WriteString(w, "{}")
	case r.Method == http.MethodPatch && err == nil && id < len(c.bodies):
		c.bodies[id] = sent.Body
		io.WriteString(w, "{}")
	default:
		http.NotFound(w, r)
	}
}

// TestPreviewComment runs the preview's job of docs/ci/github.yml with GitHub's own gh: one comment, kept up to date.
func TestPreviewComment(t *testing.T) {
	needCITools(t)
	t.Parallel()
	workflow := readYAML(t, "../../docs/ci/github.yml")
	w := newWorld(t, noteKey)
	// A person has quoted the mark, and somebody has said something.
	api := &comments{bodies: []string{previewMark + "\nquoted", "LGTM"}, users: []string{"stranger", "github-actions[bot]"}}
	server := httptest.NewServer(api)
	t.Cleanup(server.Close)
	for i, text := range []string{"First draft.", "@everyone ::add-mask::x", strings.Repeat("::\n", 900)} {
		blog := w.clone(fmt.Sprint("author", i))
		blog.write(postPath(fmt.Sprintf("post%d:linkedin-en", i)), "+++\n+++\n"+text+"end\n")
		for more := range 20 * (i / 2) {
			blog.write(postPath(fmt.Sprintf("post%d-%d:linkedin-en", i, more)), "+++\n+++\n"+text+"end\n")
		}
		blog.git("add", "-A")
		blog.git("commit", "-q", "-m", text)
		blog.git("push", "-q", "--force", "origin", "HEAD:refs/pull/7/merge")
		r := w.newRunner(fmt.Sprint("runner", i), "refs/pull/7/merge", map[string]string{"github.event_name": "pull_request", "github.ref_name": "7/merge",
			"github.event.pull_request.head.repo.full_name": "example/blog", "github.event.pull_request.number": "7", "github.token": "job-token"})
		// gh takes github.localhost for a server without TLS; the proxy's address is ours.
		r.env = []string{"GH_HOST=github.localhost", "GH_ENTERPRISE_TOKEN=job-token", "HTTP_PROXY=" + server.URL, "GH_NO_UPDATE_NOTIFIER=1"}
		if jobs, ok := r.event(workflow); strings.Join(jobs, " ") != "preview" || !ok {
			t.Fatalf("%q, %v\n%s", jobs, ok, r.log)
		}
		api.mu.Lock()
		if len(api.bodies) != 3 || !strings.Contains(api.bodies[2], "linkedin-en</code>: send") || strings.Contains(api.bodies[2], "First draft") != (i == 0) {
			t.Errorf("the comments are %q\n%s", api.bodies, r.log)
		}
		if i == 2 && (!strings.Contains(api.bodies[2], "more did not fit here") || utf8.RuneCountInString(api.bodies[2]) < 50000) {
			t.Errorf("a comment of %d characters does not say what it lacks", utf8.RuneCountInString(api.bodies[2]))
		}
		if api.bodies[0] != previewMark+"\nquoted" || api.bodies[1] != "LGTM" || len(api.broken) > 0 {
			t.Errorf("%q, %q", api.bodies[:2], api.broken)
		}
		api.mu.Unlock()
	}
}

// hostileTexts try to be more in a comment than a text that is shown.
var hostileTexts = []string{
	"```\n@everyone\n", "~~~\n<img src=x onerror=alert(1)>\n~~~\n", "</code></pre><script>alert(1)</script>", "[click](https://evil.example/) ![i](https://evil.example/i.png)",
	"| a | b |\n|---|---|\n| @everyone | #1 |", "````text\n```\n@everyone https://evil.example/", "<!-- git-socialpost plan -->", "# heading\n- list\n> quote\n***",
	"    ```\n@everyone", "\t```\n@everyone", "`@everyone` ``https://evil.example/``", "&lt;img&gt; &#64;everyone", "https://evil.example/ www.evil.example evil@evil.example", "-->\n\n@everyone",
	"$$\\href{https://evil.example/}{x}$$", "\\`\\`\\`\n@everyone", "```\n```\n````\n@everyone\n`````", "<details><summary>x</summary>\n\n@everyone", "a\n\n\n```mermaid\ngraph TD\n```\n",
}

var (
	harmlessTags = regexp.MustCompile(`^</?(h2|h3|h4|p|code|pre|pre lang="text"|code class="language-text"|br|br /|wbr|ul|li|table|thead|tbody|tr|th|td|a|a href="https://www\.linkedin\.com/feed/update/urn:li:(share|ugcPost):[0-9]+/")>$`)
	tags         = regexp.MustCompile(`<!--.*?-->|<[^>]*>`)
	tableRows    = regexp.MustCompile(`<tr>\n<td><code>.*</code></td>\n<td>(invalid|open|send|delivered|held)</td>\n<td>.*</td>\n</tr>`)
	codes        = regexp.MustCompile(`(?s)<pre.*?</pre>|<code>.*?</code>`)
)

// TestPreviewRendered renders hostile posts as GitHub does: all that is theirs stands in code.
func TestPreviewRendered(t *testing.T) {
	needCITools(t)
	t.Parallel()
	w := newWorld(t, noteKey)
	m := w.clone("m")
	m.must(0, "deliver")
	for i, text := range hostileTexts {
		line := strings.ReplaceAll(text, "\n", " ")
		m.write(fmt.Sprintf("social/h%d/linkedin-en.md", i), "+++\nlink = \"https://example.com/\"\ntitle = "+tomlString(line)+"\n+++\n"+text+"\n")
		m.write(fmt.Sprintf("social/i%d/linkedin-en.md", i), "+++\nslug = "+tomlString(line)+"\n+++\n"+text+"\n")
		m.write(filepath.Join("social", strings.ReplaceAll(line, "/", "÷"), "linkedin-en.md"), "+++\n+++\nx\n")
	}
	m.publish("hostile")
	for _, env := range []string{"GITHUB_ACTIONS=", "GITHUB_ACTIONS=true"} {
		m.env = []string{env}
		preview := m.run("plan", "--markdown").stdout
		html := rendered(t, preview)
		if n := strings.Count(html, "<h4>"); n < 3*len(hostileTexts)-2 || strings.Contains(preview, "did not fit") || strings.Count(html, previewMark) != 1 {
			t.Errorf("only %d deliveries are shown, or the mark is not there once\n%s", n, preview)
		}
		checkRendered(t, html)
	}
	// So does the summary of a run that loses an answer.
	summary := filepath.Join(w.dir, "summary.md")
	m.env = []string{"GITHUB_ACTIONS=true", "GITHUB_STEP_SUMMARY=" + summary}
	w.check(w.Arm(sandbox.Fault{Kind: "500"}))
	m.must(exitOpen, "deliver", "--limit", "99")
	data, err := os.ReadFile(summary)
	w.check(err)
	html := rendered(t, string(data))
	if n := len(tableRows.FindAllString(html, -1)); n < 3*len(hostileTexts) || n != strings.Count(html, "<tr>")-1 || !strings.Contains(html, "git socialpost resolve ") {
		t.Errorf("%d rows are as they should be\n%s", n, html)
	}
	checkRendered(t, html)
}

func rendered(t *testing.T, markdown string) string {
	t.Helper()
	cmark := exec.Command("cmark-gfm", "--unsafe", "--extension", "table", "--extension", "autolink", "--extension", "strikethrough", "--extension", "tasklist")
	cmark.Stdin = strings.NewReader(markdown)
	html, err := cmark.Output()
	if err != nil {
		t.Fatal(err)
	}
	return string(html)
}

func checkRendered(t *testing.T, html string) {
	t.Helper()
	for _, tag := range tags.FindAllString(html, -1) {
		if !harmlessTags.MatchString(tag) && tag != previewMark {
			t.Errorf("the page has %s", tag)
		}
	}
	outside := codes.ReplaceAllString(html, "")
	for _, word := range []string{"@", "evil", "#1", "onerror", "$$"} {
		if strings.Contains(outside, word) {
			t.Errorf("outside of code there is %q:\n%s", word, outside)
		}
	}
}
