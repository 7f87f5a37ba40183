package ledger

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
)

const (
	recordFile  = "/record.toml"
	payloadFile = "/payload.json"
)

// edits returns the files that one transition writes on top of a commit, by path; nil deletes. The writer makes a commit
// of them, and the verifier demands of a commit just them.
func (l *Ledger) edits(parent *commit, k Key, old, next *Record) (map[string][]byte, error) {
	files := map[string][]byte{}
	if old != nil {
		dir := l.dirOf(k, old.State)
		files[dir+recordFile], files[dir+payloadFile] = nil, nil
	}
	dir := l.dirOf(k, next.State)
	files[dir+recordFile], files[dir+payloadFile] = next.raw, next.Payload
	var object, line string
	switch {
	case next.Attempt == 0 && next.Text == "":
		return files, nil
	case next.Attempt == 0 || next.State == Intended:
		object, line = next.Text, next.Key
	case next.Post != nil:
		object, line = next.Revision, next.Key+" "+next.Post.URL
	default:
		return files, nil
	}
	before, err := l.Objects.Blob(parent.tree + ":" + notePath(object))
	if err != nil {
		return nil, err
	}
	files[notePath(object)] = addLine(before, line)
	return files, nil
}

// addLine appends a line to a note that does not hold it yet.
func addLine(note []byte, line string) []byte {
	if slices.Contains(strings.Split(string(note), "\n"), line) {
		return note
	}
	return append(bytes.Clone(note), line+"\n"...)
}

// stream writes edits as git fast-import reads them. All paths are made of characters that need no quotes.
func stream(b *bytes.Buffer, files map[string][]byte) {
	for _, path := range sortedKeys(files) {
		if content := files[path]; content == nil {
			fmt.Fprintf(b, "D %s\n", path)
		} else {
			fmt.Fprintf(b, "M 100644 inline %s\ndata %d\n%s\n", path, len(content), content)
		}
	}
}
