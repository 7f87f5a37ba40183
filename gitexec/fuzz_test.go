package gitexec

import (
	"bytes"
	"encoding/hex"
	"slices"
	"strings"
	"testing"
)

// A tree that is read holds what its bytes hold, nothing twice, in the order in which git looks names up: so git finds
// every entry that is listed, and no other under its name.
func FuzzParseTree(f *testing.F) {
	id := strings.Repeat("\x01", 20)
	f.Add([]byte("100644 a\x00"+id+"40000 b\x00"+id+"100644 b.c\x00"+id), false)
	f.Add([]byte("100644 b.c\x00"+id+"40000 b\x00"+id+"100644 b0\x00"+id), false)
	f.Add([]byte("100644 a\x00"+id+"40000 a\x00"+id), false)
	f.Add([]byte("100644 a\x00"+id+"100644 a-\x00"+id+"40000 a\x00"+id), false)
	f.Add([]byte("160000 a\x00"+strings.Repeat("\x02", 32)), true)
	f.Fuzz(func(t *testing.T, data []byte, sha256 bool) {
		length := map[bool]int{false: 20, true: 32}[sha256]
		entries, err := parseTree(data, length)
		if err != nil {
			return
		}
		var again bytes.Buffer
		for _, e := range entries {
			raw, _ := hex.DecodeString(e.ID)
			again.WriteString(e.Mode + " " + e.Name + "\x00" + string(raw))
			found := slices.DeleteFunc(slices.Clone(entries), func(other Entry) bool { return other.Name != e.Name })
			if len(found) != 1 || gitFinds(entries, e.Name, e.IsTree()) != e || strings.ContainsAny(e.Name, "/\x00") || e.Name == "" {
				t.Errorf("%q in %q: %v", e.Name, data, found)
			}
		}
		if !bytes.Equal(again.Bytes(), data) {
			t.Errorf("%q was read as %q", data, again.Bytes())
		}
	})
}

// gitFinds looks a name up as git does in a sorted tree: it gives up at the first entry that would stand behind.
func gitFinds(entries []Entry, name string, tree bool) Entry {
	place := func(name string, tree bool) string {
		if tree {
			return name + "/"
		}
		return name + "\x00"
	}
	for _, e := range entries {
		if e.Name == name {
			return e
		}
		if place(e.Name, e.IsTree()) > place(name, tree) {
			break
		}
	}
	return Entry{}
}
