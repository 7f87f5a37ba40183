package ledger

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// Signing is the rule of a ledger whose transitions are signed, each by somebody who may.
type Signing struct {
	SSH      string         // a file in the form of ssh-keygen's ALLOWED SIGNERS
	OpenPGP  []string       // fingerprints of primary keys, in upper-case hex
	Unsigned map[string]int // by shard: the last Seq that needs no signature, since signing began after it
	Rules    string         // a hash of all of it: what was verified by other rules is verified anew
}

// SignatureError says that a transition is not signed by somebody who may.
type SignatureError struct {
	Shard, Commit string
	Reason        string
	Begin         string // if nothing in the ledger is signed: what all of it would be as Signing.Unsigned
}

func (e *SignatureError) Error() string {
	return fmt.Sprintf("ledger shard %s (commit %.12s) %s", e.Shard, e.Commit, e.Reason)
}

const (
	notSigned   = "is not signed"
	notAllowed  = "is not signed by anybody who may"
	notVerified = "is signed, and git cannot verify it here (a missing ssh-keygen or gpg, or a public key that is not in the keyring)"
)

// SigningError says that this machine does not sign as the ledger demands. Nothing was written.
type SigningError struct{ Err error }

func (e *SigningError) Error() string {
	return "the ledger must be signed, and this machine cannot: " + e.Err.Error()
}

func (e *SigningError) Unwrap() error { return e.Err }

// sign makes a transition's commit once more, signed as git is set up to sign (gpg.format, user.signingKey).
// It checks at once that everybody will accept it.
func (l *Ledger) sign(ctx context.Context, shard, draft, parent, message string) (*commit, error) {
	name, email, _ := strings.Cut(strings.TrimSuffix(l.committer(ctx), ">"), " <")
	git := l.Repo.With("i18n.commitEncoding", "UTF-8")
	for _, who := range []string{"GIT_AUTHOR_", "GIT_COMMITTER_"} {
		git.Env = append(slices.Clip(git.Env), who+"NAME="+name, who+"EMAIL="+email)
	}
	id, err := git.RunInput(ctx, []byte(message), "commit-tree", "-S", "-p", parent, draft+"^{tree}")
	if err != nil {
		return nil, &SigningError{err}
	}
	c, err := l.commit(id)
	if err != nil {
		return nil, err
	}
	err = l.checkSignatures(ctx, []transition{{shard, c}})
	if bad, ok := errors.AsType[*SignatureError](err); ok && bad.Reason == notAllowed {
		err = errors.New("the key that signs here is not listed")
	}
	if err != nil {
		return nil, &SigningError{err}
	}
	return c, nil
}

// due reports whether a transition must be signed.
func (s *Signing) due(shard string, seq int) bool { return s != nil && seq > s.Unsigned[shard] }

// transition is a commit in its shard.
type transition struct {
	shard string
	*commit
}

// fault says what is wrong with a signature. Git's letter is N also where its helper program failed.
func (t transition) fault(letter string) string {
	switch {
	case !t.signed:
		return notSigned
	case letter == "N" || letter == "E":
		return notVerified
	}
	return notAllowed
}

var fingerprint = regexp.MustCompile(`^[0-9A-F]{40,64}$`)

// checkSignatures demands that each of some transitions is signed by somebody who may.
func (l *Ledger) checkSignatures(ctx context.Context, all []transition) error {
	if len(all) == 0 {
		return nil
	}
	var ids strings.Builder
	for _, t := range all {
		ids.WriteString(t.id + "\n")
	}
	git := l.Repo.With("gpg.ssh.allowedSignersFile", l.Signing.SSH).With("log.showSignature", "false").With("i18n.logOutputEncoding", "UTF-8")
	out, err := git.RunInput(ctx, []byte(ids.String()), "log", "--no-walk=unsorted", "--no-notes", "--stdin", "--format=%H %G? %GP")
	if err != nil {
		return err
	}
	verdicts := map[string]string{} // by commit: git's letter, and the key's fingerprint if it is an OpenPGP key
	for line := range strings.Lines(out) {
		id, verdict, _ := strings.Cut(strings.TrimSpace(line), " ")
		verdicts[id] = verdict
	}
	var bad []*SignatureError
	for _, t := range all {
		letter, key, _ := strings.Cut(verdicts[t.id], " ")
		if !l.Signing.allows(letter, key) {
			bad = append(bad, &SignatureError{Shard: t.shard, Commit: t.id, Reason: t.fault(letter)})
		}
	}
	if len(bad) == 0 {
		return nil
	}
	signed := func(e *SignatureError) bool { return e.Reason != notSigned }
	if len(bad) == len(all) && len(l.Signing.Unsigned) == 0 && !slices.ContainsFunc(bad, signed) {
		bad[0].Begin = witnesses(l.seqs(""))
	}
	return bad[0]
}

// allows judges what git's %G? and %GP say. Git checks an SSH key against the file; of an OpenPGP key it only knows how
// far its keyring trusts it, which is not what is asked here.
func (s *Signing) allows(letter, key string) bool {
	if fingerprint.MatchString(key) {
		return (letter == "G" || letter == "U") && slices.Contains(s.OpenPGP, key)
	}
	return letter == "G"
}
