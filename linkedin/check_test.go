package linkedin

import (
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

const me = "urn:li:person:782bbtaQ"

// platform answers Check's two reads with a status and a body each, and counts them.
func platform(t *testing.T, identity, version reading) (*Client, *atomic.Int32) {
	t.Helper()
	reads := new(atomic.Int32)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		reads.Add(1)
		answer, versioned := identity, false
		if r.URL.Path != "/v2/userinfo" {
			answer, versioned = version, true
			if r.URL.EscapedPath() != "/rest/posts/urn%3Ali%3Ashare%3A1" {
				t.Errorf("read of %s", r.URL.EscapedPath())
			}
		}
		if r.Method != "GET" || r.Header.Get("Authorization") != "Bearer "+token || (r.Header.Get("LinkedIn-Version") == "202609") != versioned {
			t.Errorf("%s %s with %v", r.Method, r.URL, r.Header)
		}
		if answer.status/100 == 3 {
			w.Header().Set("Location", "/elsewhere")
		}
		w.WriteHeader(answer.status)
		w.Write([]byte(answer.body))
	}))
	t.Cleanup(server.Close)
	return &Client{BaseURL: server.URL, Token: token, Version: "202609", Timeout: 5 * time.Second}, reads
}

type reading struct {
	status int
	body   string
}

func TestCheck(t *testing.T) {
	mine := reading{200, `{"sub":"782bbtaQ","name":"A Member"}`}
	denied := reading{403, `{"code":"ACCESS_DENIED"}`}
	dead := `{"status":426,"code":"NONEXISTENT_VERSION","message":"Requested version 20250701 is not active"}`
	for name, tt := range map[string]struct {
		identity, version reading
		author            string
		want              error
		says              string
		reads             int32
	}{
		"alive":                    {mine, denied, me, nil, "", 2},
		"alive, 200":               {mine, reading{200, "{}"}, me, nil, "", 2},
		"alive, 400":               {mine, reading{400, "{}"}, me, nil, "", 2},
		"alive, 404":               {mine, reading{404, ""}, me, nil, "", 2},
		"organization":             {mine, denied, "urn:li:organization:12", nil, "", 2},
		"no openid scope":          {denied, denied, me, nil, "", 2},
		"identity is HTML":         {reading{200, html}, denied, me, nil, "", 2},
		"identity redirects":       {reading{302, ""}, denied, me, nil, "", 2},
		"identity is throttled":    {reading{429, ""}, denied, me, nil, "", 4},
		"another member":           {reading{200, `{"sub":"zzz"}`}, denied, me, ErrAuthor, "it is of urn:li:person:zzz, want " + me, 1},
		"member shows the token":   {reading{200, `{"sub":"` + token + `"}`}, denied, me, ErrAuthor, "person:[token]", 1},
		"token revoked":            {reading{401, `{"message":"revoked ` + token + `\u001b"}`}, denied, me, ErrToken, `revoked [token]\x1b`, 1},
		"token refused by version": {denied, reading{401, ""}, me, ErrToken, "", 2},
		"version dead":             {mine, reading{426, dead}, me, ErrVersion, "not active", 2},
		"version dead as 400":      {mine, reading{400, dead}, me, ErrVersion, "not active", 2},
		"426 without a body":       {mine, reading{426, ""}, me, ErrVersion, "", 2},
		"version missing":          {mine, reading{400, `{"code":"VERSION_MISSING","message":"must be present"}`}, me, ErrVersion, "must be present", 2},
		"server trouble":           {mine, reading{503, html}, me, nil, "http://127.0.0.1", 4},
		"throttled":                {mine, reading{429, ""}, me, nil, "HTTP 429", 4},
		"version redirects":        {mine, reading{307, ""}, me, nil, "HTTP 307", 2},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c, reads := platform(t, tt.identity, tt.version)
			err := c.Check(t.Context(), tt.author)
			if (err != nil) != (tt.want != nil || tt.says != "") || tt.want != nil && !errors.Is(err, tt.want) {
				t.Fatalf("error %v, want %v %s", err, tt.want, tt.says)
			}
			if err != nil && (!strings.Contains(err.Error(), tt.says) || strings.Contains(err.Error(), token)) {
				t.Errorf("error %v, want %q", err, tt.says)
			}
			if tt.want == nil && (errors.Is(err, ErrToken) || errors.Is(err, ErrVersion) || errors.Is(err, ErrAuthor)) {
				t.Errorf("error %v claims evidence", err)
			}
			if reads.Load() != tt.reads {
				t.Errorf("%d reads, want %d", reads.Load(), tt.reads)
			}
		})
	}
}

func TestCheckRetriesNetworkErrors(t *testing.T) {
	var reads atomic.Int32
	p := listen(t, nil, func(conn net.Conn) {
		text := "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n"
		if reads.Add(1) == 1 {
			text = ""
		}
		reply(text)(conn)
	})
	c := &Client{BaseURL: "http://" + p.addr, Token: token, Version: "202609"}
	if err := c.Check(t.Context(), me); err != nil || reads.Load() != 3 {
		t.Errorf("%d reads, %v", reads.Load(), err)
	}
	p.stop()
	err := c.Check(t.Context(), me)
	if err == nil || !strings.Contains(err.Error(), p.addr) || strings.Contains(err.Error(), token) || errors.Is(err, ErrToken) {
		t.Errorf("a refused connection gives %v", err)
	}
}

func TestCheckRefusesUnfitToken(t *testing.T) {
	c := &Client{BaseURL: "http://127.0.0.1:1", Token: token + "\n"}
	if err := c.Check(t.Context(), me); !errors.Is(err, ErrToken) || strings.Contains(err.Error(), token) {
		t.Errorf("error %v", err)
	}
}
