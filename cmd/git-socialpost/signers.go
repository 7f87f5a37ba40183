package main

import (
	"encoding/base64"

	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/git-socialpost/git-socialpost/gitexec"
	"github.com/git-socialpost/git-socialpost/ledger"
)

const signerForm = `NAME namespaces="git" ssh-ed25519 AAAA…, as in ssh-keygen's ALLOWED SIGNERS, or NAME openpgp FINGERPRINT`

// signing reads who may sign the ledger's transitions, from the file that the configuration names. Git gets the SSH part of
// it as a file, in this clone's own folder.
func (t *tool) signing(read func(string) ([]byte, error)) (*ledger.Signing, error) {
	data, err := read(t.cfg.Signers)
	switch {
	case err != nil:
		return nil, err
	case data == nil:
		return nil, hinted(fmt.Errorf("%s says sign = true, and there is no %s", configFile, t.cfg.Signers),
			"list in it who may write the ledger, one to a line: "+signerForm, "then commit it: git add "+t.cfg.Signers)
	}
	ssh, openPGP, err := parseSigners(t.cfg.Signers, unixLines(data))
	if err != nil {
		return nil, err
	}
	rules := ledger.SHA256(fmt.Appendf(data, "\x00%v", t.cfg.Unsigned))
	path := filepath.Join(t.repo.CommonDir, "socialpost", "signers", rules) // another process may go by other rules
	return &ledger.Signing{SSH: path, OpenPGP: openPGP, Unsigned: t.cfg.Unsigned, Rules: rules},
		unwritable(path, gitexec.WriteFile(path, []byte(ssh)))
}

// parseSigners parts the lines that are ssh-keygen's from those that name an OpenPGP key.
func parseSigners(name, data string) (ssh string, openPGP []string, err error) {
	for i, line := range strings.Split(data, "\n") {
		words := strings.Fields(line)
		switch {
		case len(words) == 0 || words[0][0] == '#':
		case len(words) == 3 && words[1] == "openpgp" && fingerprintForm.MatchString(words[2]):
			openPGP = append(openPGP, strings.ToUpper(words[2]))
		case len(words) > 2 && slices.ContainsFunc(words[2:], isKey):
			ssh += line + "\n"
		default:
			return "", nil, problem{name, i + 1, "this names no key", "write " + signerForm}
		}
	}
	if ssh == "" && openPGP == nil {
		err = problem{name, 0, "it names nobody, so nobody could write the ledger", "write lines such as " + signerForm}
	}
	return ssh, openPGP, err
}

var fingerprintForm = regexp.MustCompile(`^([0-9A-Fa-f]{40}|[0-9A-Fa-f]{64})$`)

// isKey reports whether a word is a public key as OpenSSH writes it.
func isKey(word string) bool {
	blob, err := base64.StdEncoding.DecodeString(word)
	return err == nil && len(blob) > 32
}
