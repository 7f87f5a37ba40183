package main

import (
	"bytes"
	"encoding/json"
	"testing"
)

func TestVisible(t *testing.T) {
	for s, want := range map[string]string{
		"":                         "",
		"plain text\n\twith a tab": "plain text\n\twith a tab",
		"naïve 日本語 👩‍💻 \u200f":     "naïve 日本語 👩‍💻 \u200f",
		"\x1b[31mred\x1b[0m":       "<U+001B>[31mred<U+001B>[0m",
		"title\x1b]0;x\a":          "title<U+001B>]0;x<U+0007>",
		"over\rwritten":            "over<U+000D>written",
		"back\b\x7f":               "back<U+0008><U+007F>",
		"nul\x00":                  "nul<U+0000>",
		"C1 \u009b31m \u0085":      "C1 <U+009B>31m <U+0085>",
		"\u202Etxet\u202C":         "<U+202E>txet<U+202C>",
		"\u2066a\u2069\u200b":      "<U+2066>a<U+2069>\u200b",
		"<U+001B>":                 "<U+001B>",
		"not UTF-8: \xff\x9b":      "not UTF-8: <0xFF><0x9B>",
	} {
		if got := visible(s); got != want {
			t.Errorf("%q: got %q, want %q", s, got, want)
		}
		if twice := visible(visible(s)); twice != want {
			t.Errorf("%q: made visible twice it is %q", s, twice)
		}
	}
}

// plain says that it wrote all that it was given, whatever it made of it, else writers stop.
func TestPlain(t *testing.T) {
	var out bytes.Buffer
	b := []byte("\x1b[2J")
	if n, err := (plain{&out}).Write(b); n != len(b) || err != nil || out.String() != "<U+001B>[2J" {
		t.Errorf("%d, %v, %q", n, err, out.String())
	}
}

func TestPrintJSON(t *testing.T) {
	var out bytes.Buffer
	if err := printJSON(&out, map[string]any{"reason": "a < b & c\x1b\u202e", "post": nil}); err != nil {
		t.Fatal(err)
	}
	if want := "{\n  \"post\": null,\n  \"reason\": \"a < b & c\\u001b\\u202e\"\n}\n"; out.String() != want {
		t.Errorf("got %q, want %q", out.String(), want)
	}
}

// What the terminal's rules do to JSON must leave it JSON that says the same.
func TestPrintJSONPlain(t *testing.T) {
	var out bytes.Buffer
	const text = "\u202etxet \u0085 \u007f 👩‍💻"
	if err := printJSON(plain{&out}, map[string]string{"text": text}); err != nil {
		t.Fatal(err)
	}
	var back map[string]string
	if err := json.Unmarshal(out.Bytes(), &back); err != nil || back["text"] != text {
		t.Errorf("%v, %q came back as %q", err, text, back["text"])
	}
}

// On GitHub's runner JSON says the same as elsewhere, to the byte.
func TestPrintJSONCommandless(t *testing.T) {
	for _, text := range []string{"#\u200d#[x]", "##[x]", "##\ufe0f\u200d[x]", "#\u202e#[x]", "::x", "\n::x::", "a##b[", "\u200d::x", "###[", "#\n#[x]"} {
		var desk, runner bytes.Buffer
		err1 := printJSON(plain{&desk}, map[string]string{text: text})
		err2 := printJSON(plain{&commandless{w: &runner}}, map[string]string{text: text})
		var back map[string]string
		if err := json.Unmarshal(runner.Bytes(), &back); err1 != nil || err2 != nil || err != nil || back[text] != text {
			t.Errorf("%v, %v, %v, %q came back as %q", err1, err2, err, text, back)
		}
		if desk.String() != runner.String() {
			t.Errorf("%s\nand on the runner\n%s", desk.String(), runner.String())
		}
	}
}

func TestIndent(t *testing.T) {
	if got := quoted("a\n\nb\n"); got != "    | a\n    | \n    | b" {
		t.Errorf("%q", got)
	}
	if got := oneLine(" a\n\tb \u2028 c\r\n"); got != "a b c" {
		t.Errorf("%q", got)
	}
}
