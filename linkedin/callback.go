package linkedin

import (
	"context"
	"errors"
	"fmt"
	"html/template"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
)

// A Callback is the redirect address of an App on this machine: it waits for the browser that LinkedIn sends there.
type Callback struct{ listeners []net.Listener }

// CallbackURL is the redirect address for a port.
func CallbackURL(port int) string { return fmt.Sprintf("http://localhost:%d/callback", port) }

// ErrState says that an answer belongs to another question: an older one, or one of somebody else's.
var ErrState = errors.New("the answer belongs to another login")

// A DeniedError is a member's refusal, or LinkedIn's.
type DeniedError struct{ Code, Description string }

func (e *DeniedError) Error() string {
	return strings.TrimSuffix("LinkedIn granted nothing: "+e.Code+": "+e.Description, ": ")
}

// ListenCallback takes the port on every loopback address that localhost can mean, so that nobody else gets the answer.
func ListenCallback(port int) (*Callback, error) {
	c := new(Callback)
	for _, host := range []string{"127.0.0.1", "::1"} {
		probe, err := net.Listen("tcp", net.JoinHostPort(host, "0"))
		if err != nil {
			continue // this machine does not have it
		}
		probe.Close()
		listener, err := net.Listen("tcp", net.JoinHostPort(host, strconv.Itoa(port)))
		if err != nil {
			c.Close()
			return nil, err
		}
		c.listeners = append(c.listeners, listener)
	}
	if c.listeners == nil {
		return nil, errors.New("this machine has no loopback interface")
	}
	return c, nil
}

// Close frees the port.
func (c *Callback) Close() {
	for _, listener := range c.listeners {
		listener.Close()
	}
}

// Wait returns the code of the first answer that carries the state, or a *DeniedError. Other requests prove nothing; each
// is told to ignored, and Wait goes on.
func (c *Callback) Wait(ctx context.Context, state string, ignored func(error)) (code string, err error) {
	type answer struct {
		code string
		err  error
	}
	answers := make(chan answer, 1)
	handler := func(w http.ResponseWriter, r *http.Request) {
		if !isCallback(w, r) {
			return
		}
		code, err := readAnswer(r.URL.Query(), state)
		_, denied := errors.AsType[*DeniedError](err)
		writePage(w, err, denied)
		if err != nil && !denied {
			ignored(err)
			return
		}
		select {
		case answers <- answer{code, err}:
		default: // it was reloaded
		}
	}
	server := &http.Server{Handler: http.HandlerFunc(handler), ReadTimeout: 10 * time.Second, MaxHeaderBytes: 64 << 10}
	for _, listener := range c.listeners {
		go server.Serve(listener)
	}
	defer func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second) // the page is on its way
		defer cancel()
		server.Shutdown(ctx)
		server.Close()
	}()
	select {
	case a := <-answers:
		return a.code, a.err
	case <-ctx.Done():
		return "", context.Cause(ctx)
	}
}

// isCallback answers by itself, and tells nothing, whoever did not come from the redirect: a browser that looks for an icon, a
// page of a stranger's whose host name leads here.
func isCallback(w http.ResponseWriter, r *http.Request) bool {
	host := (&url.URL{Host: r.Host}).Hostname()
	switch {
	case r.URL.Path != "/callback" || !slices.Contains([]string{"localhost", "127.0.0.1", "::1"}, host):
		http.NotFound(w, r)
	case r.Method != http.MethodGet:
		w.Header().Set("Allow", http.MethodGet)
		http.Error(w, "method not allowed", http.StatusMethodNotAllowed)
	default:
		return true
	}
	return false
}

var page = template.Must(template.New("page").Parse(`<!DOCTYPE html>
<html lang="en">
<meta charset="utf-8">
<title>git socialpost login</title>
<style>body { font: 16px/1.45 system-ui, sans-serif; max-width: 36rem; margin: 3rem auto; padding: 0 1rem; }</style>
<h1>git socialpost</h1>
<p id="answer">{{if .}}{{.}}.{{else}}LinkedIn's answer is here.{{end}}
<p>The terminal says more; this page can be closed.
</html>
`))

func writePage(w http.ResponseWriter, err error, denied bool) {
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cache-Control", "no-store")
	h.Set("Connection", "close")
	if err != nil && !denied {
		w.WriteHeader(http.StatusBadRequest)
	}
	page.Execute(w, err)
}

// ErrPartial says that what a person copied is not the whole redirected address.
var ErrPartial = errors.New("this is not the whole address that the browser was sent to")

// ParseCallback finds the code in the redirected address, as a person copies it from a browser, which may leave out the scheme.
// The code alone will not do: without the state nothing shows that it answers this login, and a stranger's code would make
// a token of the stranger's.
func ParseCallback(pasted, state string) (code string, err error) {
	_, query, isAddress := strings.Cut(strings.TrimSpace(pasted), "?")
	if !isAddress {
		return "", ErrPartial
	}
	query, _, _ = strings.Cut(query, "#")
	values, err := url.ParseQuery(query)
	if err != nil {
		return "", errors.New("the address cannot be read")
	}
	if got := values.Get("state"); got != state && strings.HasPrefix(state, got) {
		return "", ErrPartial // LinkedIn puts the state last
	}
	return readAnswer(values, state)
}

var errNoCode = errors.New("this holds no code")

func readAnswer(query url.Values, state string) (code string, err error) {
	code, refusal := query.Get("code"), query.Get("error")
	switch {
	case query.Get("state") != state:
		return "", ErrState
	case refusal != "":
		return "", &DeniedError{printable(refusal), printable(query.Get("error_description"))}
	case code == "":
		return "", errNoCode
	}
	return code, nil
}
