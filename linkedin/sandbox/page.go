package sandbox

import (
	"cmp"
	_ "embed"
	"fmt"
	"html/template"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

//go:embed page.html
var pageText string

var feed = template.Must(template.New("page").Funcs(template.FuncMap{"host": host, "pieces": pieces}).Parse(pageText))

// page shows the feed to a person, with a form that arms faults.
func (s *Server) page(w http.ResponseWriter, _ *http.Request) {
	s.mu.Lock()
	view := struct {
		Received int
		Posts    []Stored
		Armed    []Fault
		Kinds    []string
	}{s.received, slices.Clone(s.posts), slices.Clone(s.faults), Kinds()}
	s.mu.Unlock()
	slices.Reverse(view.Posts)
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	if err := feed.Execute(w, view); err != nil {
		s.logf("page: %v", err)
	}
}

func host(link string) string {
	u, err := url.Parse(link)
	if err != nil {
		return link
	}
	return strings.TrimPrefix(u.Hostname(), "www.")
}

type piece struct {
	Text  string
	IsTag bool
}

var hashtag = regexp.MustCompile(`(?:^|[^\p{L}\p{M}\p{N}_&/])(#[\p{M}\p{N}_]*\p{L}[\p{L}\p{M}\p{N}_]*)`)

// pieces parts a text at its hashtags.
func pieces(text string) []piece {
	var all []piece
	end := 0
	for _, at := range hashtag.FindAllStringSubmatchIndex(text, -1) {
		all = append(all, piece{text[end:at[2]], false}, piece{text[at[2]:at[3]], true})
		end = at[3]
	}
	return append(all, piece{text[end:], false})
}

func (s *Server) stats(w http.ResponseWriter, _ *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	w.Header().Set("Content-Type", "application/json")
	fmt.Fprintln(w, encode(map[string]any{"received": s.received, "stored": len(s.posts), "posts": append([]Stored{}, s.posts...)}))
}

// arm takes a fault from a form: kind, and optionally when and count. A browser goes back to the page.
func (s *Server) arm(w http.ResponseWriter, r *http.Request) {
	count, err := strconv.Atoi(cmp.Or(r.FormValue("count"), "1"))
	if err == nil {
		err = s.Arm(Fault{r.FormValue("kind"), r.FormValue("when"), count})
	}
	switch {
	case err != nil:
		http.Error(w, err.Error(), http.StatusBadRequest)
	case strings.Contains(r.Header.Get("Accept"), "text/html"):
		http.Redirect(w, r, "/", http.StatusSeeOther)
	default:
		w.WriteHeader(http.StatusNoContent)
	}
}
