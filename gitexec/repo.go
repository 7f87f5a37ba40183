package gitexec

import (
	"context"
	"crypto/sha1"
	"crypto/sha256"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
)

// Repo is what git says about the repository around the current directory.
type Repo struct {
	Git
	CommonDir string // absolute; shared by all linked worktrees
	Shallow   bool
	Bare      bool
	SHA256    bool // object format sha256, else sha1
}

// ErrOld says that git lacks what this tool needs.
var ErrOld = errors.New("this git is too old; 2.31 or newer is needed")

// Open asks git about the repository.
func Open(ctx context.Context, g Git) (*Repo, error) {
	out, err := g.Run(ctx, "rev-parse", "--path-format=absolute", "--git-common-dir",
		"--is-shallow-repository", "--is-bare-repository", "--show-object-format")
	if err != nil {
		return nil, err
	}
	lines := strings.Split(out, "\n")
	if len(lines) != 4 || !filepath.IsAbs(lines[0]) {
		return nil, ErrOld
	}
	return &Repo{Git: g, CommonDir: lines[0], Shallow: lines[1] == "true", Bare: lines[2] == "true", SHA256: lines[3] == "sha256"}, nil
}

// BlobID is the object id that git gives to a file of this content.
func (r *Repo) BlobID(content []byte) string {
	object := append(fmt.Appendf(nil, "blob %d\x00", len(content)), content...)
	if r.SHA256 {
		return fmt.Sprintf("%x", sha256.Sum256(object))
	}
	return fmt.Sprintf("%x", sha1.Sum(object))
}
