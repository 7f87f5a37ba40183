package gitexec

import (
	"context"
	"crypto/sha1"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
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
var ErrOld = errors.New("is too old; git 2.30 or newer is needed")

// Open asks git about the repository. An older git than 2.30 does not know --end-of-options and answers what stands
// behind it, too; so the version is asked for only where it matters.
func Open(ctx context.Context, g Git) (*Repo, error) {
	out, err := g.Run(ctx, "rev-parse", "--git-common-dir", "--is-shallow-repository", "--is-bare-repository",
		"--show-object-format", "--revs-only", "--end-of-options", "--is-bare-repository")
	if err != nil {
		return nil, err
	}
	lines := strings.Split(out, "\n")
	if len(lines) != 4 {
		return nil, g.old(ctx)
	}
	common, err := absolute(lines[0])
	if err != nil {
		return nil, err
	}
	return &Repo{Git: g, CommonDir: common, Shallow: lines[1] == "true", Bare: lines[2] == "true", SHA256: lines[3] == "sha256"}, nil
}

// old names the git that answers as none that is new enough does.
func (g Git) old(ctx context.Context) error {
	version, err := g.Run(ctx, "version")
	if err != nil {
		return err
	}
	return fmt.Errorf("%s %w", version, ErrOld)
}

// absolute is rev-parse --path-format=absolute, which git 2.30 does not have. Git's answer is relative to where a
// symbolic link on the way here leads, not to the link.
func absolute(path string) (string, error) {
	if filepath.IsAbs(path) {
		return path, nil
	}
	dir, err := os.Getwd()
	if err == nil {
		dir, err = filepath.EvalSymlinks(dir)
	}
	return filepath.Join(dir, path), err
}

// BlobID is the object id that git gives to a file of this content.
func (r *Repo) BlobID(content []byte) string {
	object := append(fmt.Appendf(nil, "blob %d\x00", len(content)), content...)
	if r.SHA256 {
		return fmt.Sprintf("%x", sha256.Sum256(object))
	}
	return fmt.Sprintf("%x", sha1.Sum(object))
}
