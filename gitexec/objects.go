package gitexec

import (
	"bufio"
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"syscall"
)

// MaxObject is the largest object that Objects reads, in bytes. What this tool stores is far smaller; a larger one
// was put there by somebody else.
const MaxObject = 16 << 20

// Objects reads the repository's objects through one long-lived git cat-file, started when it is first asked and
// started again if it died: Ctrl-C on a terminal reaches it too, and a receipt must still be written then.
type Objects struct {
	git Git
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Reader
}

// Object is a git object; the type is blob, tree, commit or tag.
type Object struct {
	ID   string
	Type string
	Data []byte
}

// Entry is one line of a tree.
type Entry struct {
	Mode, Name, ID string
}

// IsTree reports whether the entry is a folder.
func (e Entry) IsTree() bool { return e.Mode == "40000" }

// Objects returns a reader of objects; it sees those that arrive later, too.
func (g Git) Objects() *Objects { return &Objects{git: g} }

func (o *Objects) start() error {
	cmd := o.git.command(context.Background(), []string{"cat-file", "--batch"})
	in, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	o.cmd, o.in, o.out = cmd, in, bufio.NewReader(out)
	return cmd.Start()
}

// Close ends the process.
func (o *Objects) Close() {
	if o.cmd == nil {
		return
	}
	o.in.Close()
	if o.cmd.Process != nil {
		_ = o.cmd.Process.Kill()
		_ = o.cmd.Wait()
	}
	o.cmd = nil
}

// Read returns the object that a name such as an id or <tree>:<path> stands for, nil if there is none. What a tree lists
// and this repository lacks is an error, since it is not absent but lost.
func (o *Objects) Read(name string) (*Object, error) {
	obj, err := o.read(name)
	if tree, path, found := strings.Cut(name, ":"); found && obj == nil && err == nil {
		err = o.confirmAbsent(tree, path)
	}
	return obj, err
}

// confirmAbsent looks up a path folder by folder: git says "missing" both of what is not listed and of what is lost.
func (o *Objects) confirmAbsent(root, path string) error {
	e := Entry{Mode: "40000", ID: root + "^{tree}"}
	if !IsID(root) {
		if obj, err := o.read(e.ID); err != nil || obj == nil {
			return err // a revision that there is not, such as HEAD before the first commit
		}
	}
	for name := range strings.SplitSeq(path, "/") {
		if !e.IsTree() {
			return nil // a file stands where a folder is looked for
		}
		entries, err := o.Tree(e.ID)
		if err != nil {
			return err
		}
		i := slices.IndexFunc(entries, func(e Entry) bool { return e.Name == name })
		if i < 0 {
			return nil
		}
		e = entries[i]
	}
	return lost(e.ID)
}

func lost(id string) error { return fmt.Errorf("object %s is missing here; git fsck tells more", id) }

// IsID reports whether a name is an object id in full.
func IsID(name string) bool {
	return (len(name) == 40 || len(name) == 64) && strings.Trim(name, "0123456789abcdef") == ""
}

func (o *Objects) read(name string) (*Object, error) {
	if strings.ContainsAny(name, "\n\x00") {
		return nil, fmt.Errorf("%q is no object's name", name)
	}
	obj, err := o.ask(name)
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, syscall.EPIPE) {
		obj, err = o.ask(name)
	}
	if err != nil {
		return nil, &Error{Verb: "cat-file", Code: -1, cause: fmt.Errorf("%s: %w", name, err)}
	}
	return obj, nil
}

// ask leaves no process behind whose stream is out of step.
func (o *Objects) ask(name string) (obj *Object, err error) {
	if o.cmd == nil {
		err = o.start()
	}
	if err == nil {
		obj, err = o.answer(name)
	}
	if err != nil {
		o.Close()
	}
	return obj, err
}

func (o *Objects) answer(name string) (*Object, error) {
	if _, err := io.WriteString(o.in, name+"\n"); err != nil {
		return nil, err
	}
	head, err := o.out.ReadString('\n')
	if err != nil {
		return nil, err
	}
	head = strings.TrimSuffix(head, "\n")
	if head == name+" missing" {
		return nil, nil
	}
	fields := strings.Fields(head)
	if len(fields) != 3 {
		return nil, errors.New(head)
	}
	size, err := strconv.Atoi(fields[2])
	if err != nil || size > MaxObject {
		return nil, fmt.Errorf("%s bytes are more than anything of ours", fields[2])
	}
	data := make([]byte, size+1)
	if _, err := io.ReadFull(o.out, data); err != nil {
		return nil, err
	}
	return &Object{ID: fields[0], Type: fields[1], Data: data[:size]}, nil
}

// find is Read for an object that must be here if the name is an id.
func (o *Objects) find(name string) (*Object, error) {
	obj, err := o.Read(name)
	if id := strings.TrimSuffix(name, "^{tree}"); obj == nil && err == nil && IsID(id) {
		err = lost(id)
	}
	return obj, err
}

// Blob returns a file's content, nil if the name stands for nothing, an error if it stands for anything but a file.
func (o *Objects) Blob(name string) ([]byte, error) {
	obj, err := o.find(name)
	if err != nil || obj == nil {
		return nil, err
	}
	if obj.Type != "blob" {
		return nil, fmt.Errorf("%s is a %s, not a file", name, obj.Type)
	}
	return obj.Data, nil
}

// Tree returns a folder's entries, none if the name stands for nothing.
func (o *Objects) Tree(name string) ([]Entry, error) {
	obj, err := o.find(name)
	if err != nil || obj == nil {
		return nil, err
	}
	if obj.Type != "tree" {
		return nil, fmt.Errorf("%s is a %s, not a folder", name, obj.Type)
	}
	return parseTree(obj.Data, len(obj.ID)/2)
}

// parseTree reads git's tree format: <mode> SP <name> NUL <id in binary>, again and again. It demands git's order, in
// which a folder's name counts with a slash at its end: in a tree that breaks it, git would not find what is listed here.
func parseTree(data []byte, idLength int) ([]Entry, error) {
	var entries []Entry
	last, seen := "", map[string]bool{}
	for len(data) > 0 {
		head, rest, found := bytes.Cut(data, []byte{0})
		mode, name, spaced := strings.Cut(string(head), " ")
		if !found || !spaced || len(rest) < idLength {
			return nil, errors.New("not a tree")
		}
		e := Entry{Mode: mode, Name: name, ID: hex.EncodeToString(rest[:idLength])}
		place := name
		if e.IsTree() {
			place += "/"
		}
		if name == "" || strings.Contains(name, "/") || place <= last || seen[name] {
			return nil, fmt.Errorf("a tree that git does not write: %q is out of place", name)
		}
		last, seen[name] = place, true
		entries = append(entries, e)
		data = rest[idLength:]
	}
	return entries, nil
}
