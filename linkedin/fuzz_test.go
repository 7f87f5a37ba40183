package linkedin

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"
)

// Whatever answers: an attempt is delivered only by HTTP 201 with a well-formed id, rejected only by a status that says
// so, and never unsent; and what is said of it is short, printable, and without the token.
func FuzzAnswer(f *testing.F) {
	f.Add(201, "urn:li:share:12", "", []byte(""))
	f.Add(201, "urn:li:share:", "urn:li:ugcPost:12", []byte(`{"id":"urn:li:share:7"}`))
	f.Add(200, "urn:li:share:12", "", []byte(`{"code":"`+token+`","message":"Requested version 202507 is not active"}`))
	f.Add(422, "", "", []byte(duplicateBody))
	f.Add(426, "x", "\x1b[31m\u202e\n", []byte("{\"message\":\"\u0000\\u001b\",\"serviceErrorCode\":1e9}"))
	f.Fuzz(func(t *testing.T, status int, id, other string, body []byte) {
		header := http.Header{"X-Restli-Id": {id}, "X-Linkedin-Id": {other}, "X-Li-Uuid": {other}}
		o := (&Client{Token: token}).clean(classify(status, header, body))
		var in struct{ ID, Message string }
		_ = json.Unmarshal(body, &in)
		checkOutcome(t, o, status, id, other, in.ID)
	})
}

var wellFormed = regexp.MustCompile(`\Aurn:li:(share|ugcPost):[0-9]+\z`)

// checkOutcome compares an outcome with what was in the answer.
func checkOutcome(t *testing.T, o Outcome, status int, ids ...string) {
	t.Helper()
	confirmed := false
	for _, id := range ids {
		confirmed = confirmed || status == 201 && wellFormed.MatchString(id)
	}
	switch {
	case (o.Kind == Delivered) != confirmed || confirmed != wellFormed.MatchString(o.PostID):
		t.Errorf("HTTP %d with the ids %q is %+v", status, ids, o)
	case o.Kind == Unsent, o.Kind == Rejected && (status < 400 || status > 499 || status == 408 || status == 409), o.Status != status:
		t.Errorf("HTTP %d is %+v", status, o)
	case o.Duplicate != "" && !wellFormed.MatchString(o.Duplicate):
		t.Errorf("duplicate %q", o.Duplicate)
	}
	for _, said := range []string{o.Code, o.Message, o.RequestID} {
		if len(said) > maxMessage || !utf8.ValidString(said) || strings.ContainsFunc(said, func(r rune) bool { return !unicode.IsPrint(r) }) ||
			strings.Contains(said, token) {
			t.Errorf("said %q", said)
		}
	}
}

// Whatever bytes come back, after however little of the request was read: the request left, so it is never unsent, and
// delivered only by a head that says so. Net/http's own reader of answers, given the same bytes, is the judge.
func FuzzWire(f *testing.F) {
	const created = "HTTP/1.1 201 Created\r\nX-RestLi-Id: urn:li:share:12\r\n"
	f.Add([]byte(created+"Content-Length: 2\r\n\r\n{}"), 1<<20)
	f.Add([]byte(created), 1<<20)
	f.Add([]byte(created+"\r\n"), 0)
	f.Add([]byte("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nX-RestLi-Id: urn:li:share:12\r\n\r\n"), 10)
	f.Add([]byte("HTTP/1.1 201 "+token+"\r\nTransfer-Encoding: "+token+"\r\n\r\n"), 1<<20)
	f.Add([]byte("HTTP/1.1 000\r\n\r\n"), 1)
	f.Add([]byte("HTTP/1.1 307 X\r\nLocation: http://127.0.0.1:1/\r\n\r\n"), 100)
	answers := make(chan wireAnswer, 1)
	addr := answerWith(f, answers)
	f.Fuzz(func(t *testing.T, answer []byte, reads int) {
		answers <- wireAnswer{answer, reads}
		c := &Client{BaseURL: "http://" + addr, Token: token, Version: "202609", Timeout: 5 * time.Second}
		answered := false
		o := c.Send(t.Context(), post, func(context.Context) error { return nil }, func(Outcome) { answered = true })
		if o.Kind == Unsent {
			t.Fatalf("%+v, though %d bytes were taken", o, reads)
		}
		if !answered {
			checkOutcome(t, o, 0)
			return
		}
		var ids []string
		in, status := bufio.NewReader(bytes.NewReader(answer)), 100
		for status/100 == 1 && status != 101 {
			res, err := http.ReadResponse(in, &http.Request{Method: "POST"})
			if err != nil {
				t.Fatalf("%q was taken for an answer: %+v; %v", answer, o, err)
			}
			status = res.StatusCode
			var body struct{ ID string }
			data, _ := io.ReadAll(io.LimitReader(res.Body, maxBody))
			_ = json.Unmarshal(data, &body)
			ids = []string{res.Header.Get("X-Restli-Id"), res.Header.Get("X-Linkedin-Id"), body.ID}
		}
		checkOutcome(t, o, status, ids...)
	})
}

type wireAnswer struct {
	bytes []byte
	reads int // so much of the request is read at least, if it has so much
}

// answerWith serves one answer on each connection, and closes it.
func answerWith(f *testing.F, answers <-chan wireAnswer) (addr string) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() { l.Close() })
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			a := <-answers
			if a.reads > 0 {
				buf := make([]byte, 1<<16)
				conn.SetReadDeadline(time.Now().Add(20 * time.Millisecond))
				io.ReadAtLeast(conn, buf, min(a.reads, len(buf), 200))
			}
			conn.Write(a.bytes)
			conn.Close()
		}
	}()
	return l.Addr().String()
}
