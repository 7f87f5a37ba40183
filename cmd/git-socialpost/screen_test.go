package main

import (
	"bytes"
	"regexp"
	"strings"
	"testing"
)

// A line that a terminal has no room for goes on below: between words, under its own column where that is wide enough.
func TestFold(t *testing.T) {
	for name, test := range map[string]struct {
		columns      int
		before, last string
		want         string
	}{
		"elsewhere":         {0, "a  ", strings.Repeat("word ", 50) + "end", "a  " + strings.Repeat("word ", 50) + "end"},
		"it fits":           {40, "key  ", "a reason that fits", "key  a reason that fits"},
		"it just fits":      {40, "key  ", strings.Repeat("x", 35), "key  " + strings.Repeat("x", 35)},
		"its own column":    {40, "key  ", "a reason that is longer than the line has room for", "key  a reason that is longer than the\n     line has room for"},
		"a narrow column":   {40, "key-of-note  send  now  ", "a reason that does not fit there", "key-of-note  send  now\n    a reason that does not fit there"},
		"an address":        {40, "key  ", "see https://example.com/a/long/address/that/is/whole now", "key  see\n     https://example.com/a/long/address/that/is/whole\n     now"},
		"letters not byte":  {40, "ключ  ", strings.Repeat("щ", 34), "ключ  " + strings.Repeat("щ", 34)},
		"nothing":           {40, strings.Repeat("x", 38) + "    ", "", strings.Repeat("x", 38) + "    "},
		"nothing, and long": {40, strings.Repeat("x", 44) + "  ", "", strings.Repeat("x", 44)},
	} {
		t.Run(name, func(t *testing.T) {
			s := &screen{columns: test.columns}
			if got := s.fold(test.before+test.last, test.last); strings.TrimRight(got, " ") != strings.TrimRight(test.want, " ") {
				t.Errorf("got\n%s\nwant\n%s", got, test.want)
			}
		})
	}
}

// The colours change nothing but the colours, whatever the cells hold: also the word in colour, and what would be a colour.
func TestTable(t *testing.T) {
	rows := []tableRow{
		{cells: []string{"DECISION", "KEY", "REASON"}},
		{cells: []string{"delivered", cell("delivered:x"), cell("it was delivered " + poison)}},
		{cells: []string{"open", "ключ", ""}},
		{cells: []string{"open", "", "open"}},
	}
	keyed := []tableRow{{[]string{"unknown:x", "unknown", "unknown"}, 1}, {[]string{"x", "not in the ledger"}, 1}, {[]string{"n", "", "x"}, 1}}
	for _, rows := range [][]tableRow{rows, keyed} {
		for _, columns := range []int{0, 20, 80} {
			var bare, tinted bytes.Buffer
			err1 := (&screen{w: plain{&bare}, columns: columns}).table(rows)
			err2 := (&screen{w: plain{&tinted}, columns: columns, colours: palette}).table(rows)
			if err1 != nil || err2 != nil {
				t.Fatal(err1, err2)
			}
			without := ownColours.ReplaceAllString(tinted.String(), "")
			if without != bare.String() || without == tinted.String() {
				t.Errorf("in colour\n%q, and without\n%q", tinted.String(), bare.String())
			}
			checkPrinted(t, without)
		}
	}
}

var ownColours = regexp.MustCompile("\x1b\\[(3[123])?m")

// Only words that there are have a colour, and each of those has one: what is new must be thought of.
func TestPalette(t *testing.T) {
	for _, d := range []decision{send, delivered, open, blocked, held, scheduled, invalid} {
		if palette[string(d)] == "" {
			t.Errorf("the decision %s has no colour", d)
		}
	}
	for _, s := range []string{"intended", "delivered", "rejected", "unknown", "released"} {
		if palette[s] == "" {
			t.Errorf("the state %s has no colour", s)
		}
	}
	if palette[string(abandoned)] != "" {
		t.Error("what is abandoned asks for no attention")
	}
}

// With colours forced, too, text from outside reaches the terminal harmless: what is left when our own colours are taken
// away is what is printed without them.
func TestTerminalColours(t *testing.T) {
	m := newWorld(t, "note:linkedin-en").clone("m")
	poisonedAnswers(m)
	for _, line := range []string{"plan", "status", "log note:linkedin-en", "fsck"} {
		m.env = nil
		bare := m.see(strings.Fields(line)...)
		m.env = []string{"GIT_CONFIG_PARAMETERS='color.ui=always'"}
		tinted := m.run(strings.Fields(line)...)
		if !strings.Contains(tinted.stdout, "\x1b[") || ownColours.ReplaceAllString(tinted.stdout, "") != bare.stdout {
			t.Errorf("%s prints\n%q, and in colour\n%q", line, bare.stdout, tinted.stdout)
		}
	}
}

// A line in colour is harmless whatever it is made of.
func TestTinted(t *testing.T) {
	var out bytes.Buffer
	if err := (&screen{w: plain{&out}, colours: palette}).tinted(escapes, "damaged", escapes, escapes); err != nil {
		t.Fatal(err)
	}
	if want := visible(escapes) + red + visible(escapes) + uncoloured + visible(escapes); out.String() != want {
		t.Errorf("got %q, want %q", out.String(), want)
	}
}
