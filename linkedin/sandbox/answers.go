package sandbox

import (
	"crypto/rand"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
)

// An answer is a response of LinkedIn's gateway or API, JSON or, if the body begins with <, HTML.
type answer struct {
	status int
	body   string
}

func (a answer) write(w http.ResponseWriter) {
	platformHeader(w.Header())
	if a.status >= 400 {
		w.Header().Set("x-restli-error-response", "true")
	}
	switch {
	case strings.HasPrefix(a.body, "<"):
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
	case a.body != "":
		w.Header().Set("Content-Type", "application/json")
	}
	w.WriteHeader(a.status)
	fmt.Fprint(w, a.body)
}

func platformHeader(h http.Header) {
	h.Set("x-li-uuid", rand.Text())
	h.Set("x-li-fabric", "prod-ltx1")
	h.Set("x-li-proto", "http/1.1")
	h.Set("x-restli-protocol-version", "2.0.0")
}

// created is the answer that confirms a post: an empty body, and the id in a header.
func created(w http.ResponseWriter, id string) {
	w.Header().Set("X-RestLi-Id", id)
	answer{status: http.StatusCreated}.write(w)
}

func refuse(status int, code, message string) *answer {
	return &answer{status, encode(map[string]any{"status": status, "code": code, "message": message})}
}

func unauthorized(service int, code, message string) *answer {
	return &answer{http.StatusUnauthorized, encode(map[string]any{
		"status": http.StatusUnauthorized, "serviceErrorCode": service, "code": code, "message": message,
	})}
}

func denied(resource string) *answer {
	return &answer{http.StatusForbidden, encode(map[string]any{
		"status": http.StatusForbidden, "serviceErrorCode": 100, "code": "ACCESS_DENIED",
		"message": "Not enough permissions to access: " + resource,
	})}
}

func invalid(code, format string, args ...any) *answer {
	return refuse(http.StatusBadRequest, code, fmt.Sprintf(format, args...))
}

func deadVersion(status int, version string) *answer {
	return refuse(status, "NONEXISTENT_VERSION", "Requested version "+version+"01 is not active")
}

var (
	notFound = refuse(http.StatusNotFound, "NOT_FOUND", "Could not find entity")
	revoked  = unauthorized(65601, "REVOKED_ACCESS_TOKEN", "The token used in the request has been revoked by the user")

	throttled = &answer{http.StatusTooManyRequests,
		`{"serviceErrorCode":101,"message":"Resource level throttle limit for calls to this resource is reached.","status":429}`}
)

// duplicate is a verbatim answer of the real API, but for the post it names.
func duplicate(id string) *answer {
	return &answer{http.StatusUnprocessableEntity, `{"errorDetailType":"com.linkedin.common.error.BadRequest",` +
		`"message":"com.linkedin.content.common.exception.BadRequestResponseException: Content is a duplicate of ` + id + `",` +
		`"errorDetails":{"inputErrors":[{"description":"Duplicate post is detected","input":{},"code":"DUPLICATE_POST"}]},"status":422}`}
}

func htmlError(status int) *answer {
	text := fmt.Sprintf("%d %s", status, http.StatusText(status))
	return &answer{status, "<html><head><title>" + text + "</title></head><body><h1>" + text + "</h1></body></html>\n"}
}

func encode(v any) string {
	body, err := json.Marshal(v)
	if err != nil {
		panic(err) // maps of strings and numbers always encode
	}
	return string(body)
}
