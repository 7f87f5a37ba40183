package gitexec

import (
	"bytes"
	"os"
	"strings"
	"syscall"
	"testing"
)

func store(t *testing.T, data []byte) string {
	t.Helper()
	id, err := Git{}.RunInput(t.Context(), data, "hash-object", "-w", "--stdin")
	if err != nil {
		t.Fatal(err)
	}
	return id
}

func TestObjects(t *testing.T) {
	in(t)
	o := Git{}.Objects()
	defer o.Close()
	files := map[string][]byte{"empty": {}, "line": []byte("line\n"), "no end": []byte("no end"), "binary": []byte("a\x00b\nc missing\n\n")}
	for name, data := range files {
		if err := os.WriteFile(name, data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	run(t, "add", ".")
	run(t, "commit", "-q", "-m", "first")
	for name, data := range files {
		got, err := o.Blob("HEAD:" + name)
		if err != nil || !bytes.Equal(got, data) || got == nil {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}

	// What is not there is an answer, whatever its name, and the stream stays in step.
	for _, name := range []string{"HEAD:nothing", "HEAD:no/thing at all", "nothing", "", strings.Repeat("0", 40), strings.Repeat("f", 40), "HEAD^9", "x missing"} {
		if obj, err := o.Read(name); obj != nil || err != nil {
			t.Errorf("%q: %+v, %v", name, obj, err)
		}
	}
	if got, err := o.Blob("HEAD:line"); string(got) != "line\n" || err != nil {
		t.Errorf("then: %q, %v", got, err)
	}

	// An object that arrives later is seen.
	if got, err := o.Blob(store(t, []byte("later"))); string(got) != "later" || err != nil {
		t.Errorf("later: %q, %v", got, err)
	}

	// What is no file is no file, and what is no folder no folder.
	if got, err := o.Blob("HEAD"); err == nil {
		t.Errorf("a commit as a file: %q", got)
	}
	if got, err := o.Blob("HEAD:"); err == nil {
		t.Errorf("a folder as a file: %q", got)
	}
	if got, err := o.Tree("HEAD:line"); err == nil {
		t.Errorf("a file as a folder: %v", got)
	}
	if got, err := o.Tree("HEAD:nothing"); got != nil || err != nil {
		t.Errorf("no folder: %v, %v", got, err)
	}
	if entries, err := o.Tree("HEAD:"); len(entries) != len(files) || err != nil {
		t.Errorf("the folder: %v, %v", entries, err)
	}

	// No name smuggles a second question in.
	for _, name := range []string{"HEAD:a\nHEAD:line", "HEAD\x00"} {
		if obj, err := o.Read(name); err == nil {
			t.Errorf("%q: %+v", name, obj)
		}
	}
}

func TestObjectsAmbiguous(t *testing.T) {
	in(t)
	o := Git{}.Objects()
	defer o.Close()
	seen, short := map[string]bool{}, ""
	for i := 0; short == ""; i++ {
		id := store(t, []byte{byte(i), byte(i >> 8)})
		if seen[id[:4]] {
			short = id[:4]
		}
		seen[id[:4]] = true
		if i > 2000 {
			t.Skip("no two ids begin alike")
		}
	}
	if obj, err := o.Read(short); obj != nil || err == nil {
		t.Errorf("%s, which may be one of two, is %+v, %v", short, obj, err)
	}
}

func TestLargeObject(t *testing.T) {
	in(t)
	o := Git{}.Objects()
	defer o.Close()
	small := store(t, []byte("small"))
	if obj, err := o.Read(store(t, make([]byte, MaxObject))); err != nil || len(obj.Data) != MaxObject {
		t.Errorf("the largest: %v", err)
	}
	if obj, err := o.Read(store(t, make([]byte, MaxObject+1))); obj != nil || err == nil || !strings.Contains(err.Error(), "16777217 bytes") {
		t.Errorf("one byte more: %v", err)
	}
	if got, err := o.Blob(small); string(got) != "small" || err != nil {
		t.Errorf("then: %q, %v", got, err)
	}
}

// The process may be killed at any time, by a Ctrl-C that was meant for us; the next question starts another.
func TestObjectsDies(t *testing.T) {
	in(t)
	o := Git{}.Objects()
	defer o.Close()
	id := store(t, []byte("text"))
	for range 5 {
		if got, err := o.Blob(id); string(got) != "text" || err != nil {
			t.Fatalf("%q, %v", got, err)
		}
		if err := o.cmd.Process.Signal(syscall.SIGKILL); err != nil {
			t.Fatal(err)
		}
	}
	o.Close()
	o.Close()
	if got, err := o.Blob(id); string(got) != "text" || err != nil {
		t.Errorf("after Close: %q, %v", got, err)
	}
}

func TestParseTree(t *testing.T) {
	entry := func(mode, name string) string { return mode + " " + name + "\x00" + strings.Repeat("\x01", 20) }
	for _, good := range []string{
		"",
		entry("100644", "a") + entry("40000", "b"),
		entry("100644", "a.b") + entry("40000", "a") + entry("100644", "a0"), // a folder counts as "a/"
		entry("100644", "a") + entry("100644", "a.b"),
		entry("160000", "m") + entry("120000", "n") + entry("100755", "o"),
		entry("100644", "with blank") + entry("100644", "тест"),
	} {
		if got, err := parseTree([]byte(good), 20); err != nil {
			t.Errorf("%q: %v, %v", good, got, err)
		}
	}
	for name, bad := range map[string]string{
		"no id":                     "100644 a\x00",
		"short id":                  "100644 a\x00" + strings.Repeat("\x01", 19),
		"no name":                   "100644",
		"empty name":                entry("100644", ""),
		"slash":                     entry("100644", "a/b"),
		"twice":                     entry("100644", "a") + entry("100644", "a"),
		"file and folder":           entry("100644", "a") + entry("40000", "a"),
		"file and folder, between":  entry("100644", "a") + entry("100644", "a.b") + entry("40000", "a"),
		"out of order":              entry("100644", "b") + entry("100644", "a"),
		"folders out of order":      entry("40000", "b") + entry("40000", "a"),
		"as if folders were files":  entry("40000", "a") + entry("100644", "a.b"),
		"as if files were folders":  entry("100644", "a.b") + entry("100644", "a"),
		"rest of another tree":      entry("100644", "a") + "1",
		"modes that begin with a 0": entry("040000", "a") + entry("40000", "a"),
	} {
		if got, err := parseTree([]byte(bad), 20); err == nil {
			t.Errorf("%s: %v", name, got)
		}
	}
}
