package linkedin

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
	"unicode/utf8"
)

const token = "AQX-secret-token"

const (
	duplicateBody = `{"errorDetailType":"com.linkedin.common.error.BadRequest",` +
		`"message":"com.linkedin.content.common.exception.BadRequestResponseException: Content is a duplicate of urn:li:share:7141138937766391808",` +
		`"errorDetails":{"inputErrors":[{"description":"Duplicate post is detected","input":{},"code":"DUPLICATE_POST"}]},"status":422}`
	html = "<html><body>Bad Gateway</body></html>"
)

func TestEveryAnswer(t *testing.T) {
	for _, tt := range []struct {
		name   string
		status int
		header string // name=value
		body   string
		kind   Kind
		code   string
		says   string // part of the message; "" for no message at all
	}{
		{"created", 201, "X-RestLi-Id=urn:li:share:12", "", Delivered, "", ""},
		{"created, legacy header", 201, "x-linkedin-id=urn:li:ugcPost:12", "", Delivered, "", ""},
		{"created, id in the body", 201, "", `{"id":"urn:li:share:12"}`, Delivered, "", ""},
		{"created without id", 201, "", "", Unknown, "", "published, but the answer gave no id"},
		{"created, HTML", 201, "", html, Unknown, "", "published, but the answer gave no id"},
		{"created, an activity", 201, "X-RestLi-Id=urn:li:activity:12", "", Unknown, "", "no id"},
		{"created, a number", 201, "x-linkedin-id=12", "", Unknown, "", "no id"},
		{"created, half an id", 201, "X-RestLi-Id=urn:li:share:", "", Unknown, "", "no id"},
		{"200 with an id", 200, "X-RestLi-Id=urn:li:share:12", "", Unknown, "", "does not confirm a post: urn:li:share:12"},
		{"202", 202, "", "", Unknown, "", "Accepted does not confirm"},
		{"204", 204, "", "", Unknown, "", "does not confirm"},
		{"301", 301, "Location=/elsewhere", "", Unknown, "", "redirect is not followed"},
		{"307", 307, "Location=/elsewhere", "", Unknown, "", "redirect is not followed"},
		{"missing field", 400, "", `{"status":400,"code":"MISSING_FIELD","message":"author is required but missing"}`, Rejected, "MISSING_FIELD",
			"Bad Request: author is required but missing"},
		{"too long", 400, "", `{"message":"…: ShareCommentary text length (4318 characters) exceeded the maximum allowed (4000 characters)","status":400}`, Rejected, "", "4318"},
		{"version missing", 400, "", `{"status":400,"code":"VERSION_MISSING","message":"A version must be present."}`, Rejected, "VERSION_MISSING", "must be present"},
		{"dead version", 426, "", `{"status":426,"code":"NONEXISTENT_VERSION","message":"Requested version 20250701 is not active"}`, Rejected, "NONEXISTENT_VERSION", "retired"},
		{"dead version as 400", 400, "", `{"message":"Requested version 202507 is not active"}`, Rejected, "", "retired"},
		{"dead version as 410", 410, "", `{"message":"Requested version 20250701 is not active"}`, Rejected, "", "retired"},
		{"dead version as 500", 500, "", `{"message":"Requested version 20250701 is not active"}`, Unknown, "", "may exist"},
		{"classic 401", 401, "", `{"message":"Empty oauth2_access_token","serviceErrorCode":401,"status":401}`, Rejected, "401", "does not accept the access token"},
		{"invalid token", 401, "", `{"serviceErrorCode":65600,"message":"Invalid access token","status":401}`, Rejected, "65600", "Invalid access token"},
		{"revoked", 401, "", `{"status":401,"serviceErrorCode":65601,"code":"REVOKED_ACCESS_TOKEN","message":"revoked by the user"}`, Rejected, "REVOKED_ACCESS_TOKEN", "revoked"},
		{"token in the answer", 401, "", `{"status":401,"code":"` + token + `","message":"no ` + token + `"}`, Rejected, "[token]", "no [token]"},
		{"denied", 403, "", `{"status":403,"serviceErrorCode":100,"code":"ACCESS_DENIED","message":"Not enough permissions to access: POST /posts"}`, Rejected, "ACCESS_DENIED", "may not post as this author: Not enough"},
		{"404", 404, "", `{"code":"NOT_FOUND","message":"Could not find entity"}`, Rejected, "NOT_FOUND", "Not Found"},
		{"405", 405, "", "", Rejected, "", "Method Not Allowed"},
		{"408", 408, "", "", Unknown, "", "may exist"},
		{"conflict", 409, "", `{"code":"CONFLICT","message":"A write conflict occurred."}`, Unknown, "CONFLICT", "may exist: A write conflict"},
		{"411", 411, "", "", Rejected, "", "Length Required"},
		{"413", 413, "", "", Rejected, "", "Request Entity Too Large"},
		{"415", 415, "", `{"code":"UNSUPPORTED_MEDIA_TYPE"}`, Rejected, "UNSUPPORTED_MEDIA_TYPE", "Unsupported Media Type"},
		{"418", 418, "", "", Unknown, "", "may exist"},
		{"duplicate", 422, "", duplicateBody, Rejected, "DUPLICATE_POST", "identical post exists"},
		{"other 422", 422, "", `{"code":"UNPROCESSABLE_ENTITY","message":"no"}`, Rejected, "UNPROCESSABLE_ENTITY", "Unprocessable Entity"},
		{"throttled", 429, "", `{"serviceErrorCode":101,"message":"Resource level throttle limit","status":429}`, Rejected, "101", "too many requests"},
		{"500", 500, "", `{"code":"INTERNAL_SERVER_ERROR","message":"oops"}`, Unknown, "INTERNAL_SERVER_ERROR", "may exist: oops"},
		{"502", 502, "", html, Unknown, "", "Bad Gateway: the post may exist"},
		{"503", 503, "", "", Unknown, "", "may exist"},
		{"504", 504, "", html, Unknown, "", "may exist"},
		{"599", 599, "", "", Unknown, "", ": the post may exist"},
		{"terminal escapes", 400, "", `{"code":"A\u001b[2J","message":"a\u001b[31m\n\u202eb"}`, Rejected, `A\x1b[2J`, `a\x1b[31m\n\u202eb`},
		{"wrong types", 400, "", `{"code":7,"message":"m","errorDetails":"x"}`, Rejected, "", "m"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			posts := 0
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				posts++
				w.Header().Set("x-li-uuid", "AAYM")
				if name, value, found := strings.Cut(tt.header, "="); found {
					w.Header().Set(name, value)
				}
				w.WriteHeader(tt.status)
				w.Write([]byte(tt.body))
			}))
			defer server.Close()
			o, head := send(t, &Client{BaseURL: server.URL, Token: token, Version: "202609", Timeout: 5 * time.Second})
			if posts != 1 || o.Kind != tt.kind || o.Status != tt.status || o.Code != tt.code || o.RequestID != "AAYM" {
				t.Errorf("%d POSTs, %+v, want one, %s %d %q", posts, o, tt.kind, tt.status, tt.code)
			}
			if !strings.Contains(o.Message, tt.says) || (tt.says == "") != (o.Message == "") {
				t.Errorf("message %q, want %q", o.Message, tt.says)
			}
			if (o.Kind == Delivered) != IsPost(o.PostID) {
				t.Errorf("%s with the id %q", o.Kind, o.PostID)
			}
			if head.Status != tt.status || head.RequestID != "AAYM" {
				t.Errorf("the head alone gave %+v", head)
			}
		})
	}
}

func TestDuplicateNamesPost(t *testing.T) {
	for body, want := range map[string]string{
		duplicateBody: "urn:li:share:7141138937766391808",
		strings.Replace(duplicateBody, "share", "ugcPost", 1): "urn:li:ugcPost:7141138937766391808",
		strings.Replace(duplicateBody, "share", "person", 1):  "",
		strings.Replace(duplicateBody, "DUPLICATE", "X", 1):   "",
		strings.Replace(duplicateBody, "6391808", "xyz", 1):   "",
	} {
		o := classify(422, http.Header{}, []byte(body))
		if o.Kind != Rejected || o.Duplicate != want || o.PostID != "" {
			t.Errorf("%s:\n%+v, want the duplicate %q", body, o, want)
		}
	}
}

func TestPrintable(t *testing.T) {
	long := printable(strings.Repeat("я\x00", 400))
	if len(long) > maxMessage || len(long) < maxMessage-10 || !utf8.ValidString(long) || !strings.HasSuffix(long, "…") {
		t.Errorf("%d bytes: %q", len(long), long)
	}
	if got := printable("é – \xff\t\u0085"); got != `é – �\t\u0085` {
		t.Errorf("got %q", got)
	}
}
