package ledger

import "testing"

func TestAddLine(t *testing.T) {
	for _, tc := range []struct{ note, line, want string }{
		{"", "a:x", "a:x\n"},
		{"a:x\n", "b:x", "a:x\nb:x\n"},
		{"a:x\nb:x\n", "a:x", "a:x\nb:x\n"},
		{"a:x\nb:x\n", "b:x", "a:x\nb:x\n"},
		{"a:xy\n", "a:x", "a:xy\na:x\n"}, // a beginning is not the line
		{"aa:x\n", "a:x", "aa:x\na:x\n"}, // nor is an end
		{"a:x https://example.com/\n", "a:x", "a:x https://example.com/\na:x\n"},
	} {
		note := []byte(tc.note)
		if got := string(addLine(note, tc.line)); got != tc.want {
			t.Errorf("%q and %q make %q, want %q", tc.note, tc.line, got, tc.want)
		}
		if string(note) != tc.note {
			t.Errorf("the note itself became %q", note)
		}
	}
	shared := append(make([]byte, 0, 64), "a:x\n"...)
	first, second := addLine(shared, "b:x"), addLine(shared, "c:x")
	if string(first) != "a:x\nb:x\n" || string(second) != "a:x\nc:x\n" {
		t.Errorf("two notes made of one: %q, %q", first, second)
	}
}
