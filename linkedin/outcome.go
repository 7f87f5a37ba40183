package linkedin

import (
	"cmp"
	"encoding/json"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Kind says what is known about the post after an attempt to send it.
type Kind string

const (
	Unsent    Kind = "unsent"    // proved: no byte of the request left
	Delivered Kind = "delivered" // HTTP 201 and a well-formed id
	Rejected  Kind = "rejected"  // the platform refused it and created nothing
	Unknown   Kind = "unknown"   // everything else: the post may exist
)

// An Outcome is the evidence about one attempt.
type Outcome struct {
	Kind      Kind
	Status    int    // HTTP status; 0 without an answer
	Code      string // LinkedIn's code, such as DUPLICATE_POST, else its serviceErrorCode
	Message   string // in plain words, then LinkedIn's own; printable, about 300 bytes at most
	RequestID string // what LinkedIn's support asks for
	PostID    string // Delivered: urn:li:(share|ugcPost):<digits>
	Duplicate string // the post that a DUPLICATE_POST answer named. Evidence, no proof: LinkedIn has named posts that did not exist
}

// answer holds what the several shapes of LinkedIn's bodies have in common.
type answer struct {
	ID               string      `json:"id"`
	Code             string      `json:"code"`
	Message          string      `json:"message"`
	ServiceErrorCode json.Number `json:"serviceErrorCode"`
	ErrorDetails     struct {
		InputErrors []struct {
			Code string `json:"code"`
		} `json:"inputErrors"`
	} `json:"errorDetails"`
}

// parseAnswer never fails: a body may be HTML, cut or empty.
func parseAnswer(body []byte) answer {
	var a answer
	_ = json.Unmarshal(body, &a)
	for _, e := range a.ErrorDetails.InputErrors {
		a.Code = cmp.Or(a.Code, e.Code)
	}
	a.Code = cmp.Or(a.Code, a.ServiceErrorCode.String())
	return a
}

var (
	// A dead version has been reported with other statuses than the 426 of the documentation.
	deadVersion = regexp.MustCompile(`Requested version \d{6,8} is not active`)
	duplicateOf = regexp.MustCompile(`duplicate of (urn:li:(?:share|ugcPost):[0-9]+)\b`)
)

func (a answer) versionDead(status int) bool {
	return status == http.StatusUpgradeRequired || status/100 == 4 && deadVersion.MatchString(a.Message)
}

// refusals are the statuses with which LinkedIn refuses before it creates anything. 409 is not among them: whether a
// "write conflict" leaves a post behind is not documented.
var refusals = []int{400, 401, 403, 404, 405, 411, 413, 415, 422, 426, 429}

// classify weighs an answer. It is used twice, with the head alone and with the body.
func classify(status int, header http.Header, body []byte) Outcome {
	a := parseAnswer(body)
	o := Outcome{
		Kind:      Unknown,
		Status:    status,
		Code:      a.Code,
		RequestID: cmp.Or(header.Get("X-Li-Uuid"), header.Get("X-Li-Request-Id")),
	}
	id := postID(header, a)
	switch {
	case status == http.StatusCreated && id != "":
		o.Kind, o.PostID = Delivered, id
		return o
	case slices.Contains(refusals, status), a.versionDead(status):
		o.Kind = Rejected
	}
	if a.Code == "DUPLICATE_POST" {
		if m := duplicateOf.FindStringSubmatch(a.Message); m != nil {
			o.Duplicate = m[1]
		}
	}
	o.Message = explain(o, a.versionDead(status))
	if detail := cmp.Or(a.Message, id); detail != "" {
		o.Message += ": " + detail
	}
	return o
}

func postID(header http.Header, a answer) string {
	for _, id := range []string{header.Get("X-Restli-Id"), header.Get("X-Linkedin-Id"), a.ID} {
		if IsPost(id) {
			return id
		}
	}
	return ""
}

func explain(o Outcome, versionDead bool) string {
	answered := cmp.Or(http.StatusText(o.Status), "an unknown status")
	switch {
	case o.Status == http.StatusCreated:
		return "published, but the answer gave no id"
	case versionDead:
		return "LinkedIn has retired this version of its API"
	case o.Status == http.StatusUnauthorized:
		return "LinkedIn does not accept the access token"
	case o.Status == http.StatusForbidden:
		return "the access token may not post as this author"
	case o.Code == "DUPLICATE_POST":
		return "LinkedIn says that an identical post exists"
	case o.Status == http.StatusTooManyRequests:
		return "too many requests, LinkedIn posted nothing"
	case o.Kind == Rejected:
		return answered
	case o.Status/100 == 2:
		return answered + " does not confirm a post"
	case o.Status/100 == 3:
		return answered + ": a redirect is not followed, the post may exist"
	}
	return answered + ": the post may exist"
}

const maxMessage = 300

// printable shows control characters, and everything else that a terminal would act on, as escapes.
func printable(s string) string {
	var b strings.Builder
	for _, r := range s {
		shown := string(r)
		if !unicode.IsPrint(r) {
			quoted := strconv.QuoteRune(r)
			shown = quoted[1 : len(quoted)-1]
		}
		if b.Len()+len(shown) > maxMessage-utf8.RuneLen('…') {
			return b.String() + "…"
		}
		b.WriteString(shown)
	}
	return b.String()
}
