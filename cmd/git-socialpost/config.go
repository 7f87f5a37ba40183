package main

import (
	"cmp"
	"fmt"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/git-socialpost/git-socialpost/ledger"
	"github.com/git-socialpost/git-socialpost/linkedin"
)

const configFile = ".socialpost.toml"

// config is the committed configuration. Nothing in it can send the token to another address.
type config struct {
	Ledger, Remote, Branch, Posts, Mode string
	Pilot                               []ledger.Key
	Limit                               int
	Channels                            map[string]*channel
	Sign                                bool
	Signers                             string // a file in the repository
	Unsigned                            map[string]int
	Version                             string
	Timeout                             time.Duration
	ClientID                            string // of the app that login asks LinkedIn with
}

type channel struct {
	Name, Platform, Language, Author, Visibility, TokenEnv string
	expiry
}

// A problem is something wrong with a file that the user can mend.
type problem struct {
	Path    string
	Line    int // 0: the whole file
	Message string
	Remedy  string // what to type; of a configuration's, a line each
}

func (p problem) remedies() []string { return strings.Split(p.Remedy, "\n") }

func (p problem) String() string {
	if p.Line == 0 {
		return p.Path + ": " + p.Message
	}
	return fmt.Sprintf("%s:%d: %s", p.Path, p.Line, p.Message)
}

func (p problem) Error() string { return p.String() }

var (
	ledgerForm   = regexp.MustCompile(`^([0-9a-f]{40}|[0-9a-f]{64})?$`)
	refForm      = regexp.MustCompile(`^[^-+./\s\pC:?*\[\\^~][^\s\pC:?*\[\\^~]*$`)
	versionForm  = regexp.MustCompile(`^20[0-9]{2}(0[1-9]|1[0-2])$`)
	tokenEnvForm = regexp.MustCompile(`^LINKEDIN_[A-Z0-9_]+$`) // no other secret of a CI's, and nothing that git reads
)

// A request must have ended long before resolve --not-posted believes that its runner is dead (see aliveFor).
const minTimeout, maxTimeout = 100 * time.Millisecond, 2 * time.Minute

// parseConfig reads the configuration; its error is the first problem in the file.
func parseConfig(name string, data []byte) (*config, error) {
	c, problems := readConfig(name, data)
	if len(problems) > 0 {
		return nil, problems[0]
	}
	return c, nil
}

// readConfig returns all problems of the file, in the order of its lines.
func readConfig(name string, data []byte) (*config, []problem) {
	var problems []problem
	t, ok := parseTable(name, unixLines(data), &problems)
	if !ok {
		return nil, problems
	}
	t.homes = homes
	c := &config{
		Ledger: t.text("ledger", "", `"…", as git socialpost init does`, "40 or 64 hex digits", ledgerForm.MatchString),
		Remote: t.text("remote", "origin", `"origin"`, "the name of a remote, not its address", refForm.MatchString),
		Branch: t.text("branch", "main", `"main"`, "the name of a branch", refForm.MatchString),
		Posts:  t.text("posts", "social", `"social"`, "a folder below the repository's top, without '..'", isFolder),
		Mode:   t.text("mode", "plan", `"plan"`, "plan, pilot or live", oneOf("plan", "pilot", "live")),
		Pilot:  t.pilot(),
		Limit:  t.limit(),
	}
	t.notGits("posts", c.Posts, `"social"`)
	c.Sign, c.Signers, c.Unsigned = t.signing()
	t.notGits("signers", c.Signers, `".socialpost.signers"`)
	var usual expiry
	c.Version, c.Timeout, c.ClientID, usual = t.linkedin()
	c.Channels = t.channels(usual)
	t.unknownKeys()
	slices.SortStableFunc(problems, byLine)
	return c, problems
}

// unknownChannel says that a channel is not declared, and which one may be meant; the message is empty for one that is.
func (c *config) unknownChannel(name string) (message, near string) {
	if c.Channels[name] != nil {
		return "", ""
	}
	names := slices.Sorted(maps.Keys(c.Channels))
	declared := cmp.Or(strings.Join(names, ", "), "none")
	return fmt.Sprintf("unknown channel %q; the channels in %s: %s", name, configFile, declared), nearest(name, names)
}

// languagesOf are the channels of a platform that are declared with a language.
func (c *config) languagesOf(platform string) (names []string) {
	for _, name := range slices.Sorted(maps.Keys(c.Channels)) {
		if strings.HasPrefix(name, platform+"-") {
			names = append(names, name)
		}
	}
	return names
}

// declareChannel is the remedy for an unknown channel, or another one where no channel can have the name.
func declareChannel(name, otherwise string) string {
	if ledger.CheckChannel(name) != nil {
		return otherwise
	}
	return fmt.Sprintf("declare [channel.%s] in %s", name, configFile)
}

// orMeant puts the name that may be meant before another remedy.
func orMeant(near, remedy string) string {
	if near == "" {
		return remedy
	}
	return "did you mean " + near + "? Else " + remedy
}

func (t *table) pilot() (keys []ledger.Key) {
	const example = `["example-note:linkedin-en"]`
	values, _ := take[[]any](t, "pilot", example)
	for _, v := range values {
		s, ok := v.(string)
		if !ok {
			t.fail("pilot", "pilot: want strings", "write pilot = "+example)
			continue
		}
		k, err := ledger.ParseKey(s)
		if err != nil {
			t.fail("pilot", "pilot: "+err.Error(), "write keys as git socialpost plan shows them")
		}
		keys = append(keys, k)
	}
	return keys
}

func (t *table) limit() int {
	n, found := take[int64](t, "limit", "5")
	if !found {
		return 5
	}
	if n < 1 {
		t.fail("limit", fmt.Sprintf("limit: %d is less than 1", n), `write limit = 5; to send nothing, write mode = "plan"`)
	}
	return int(n)
}

func (t *table) signing() (sign bool, signers string, unsigned map[string]int) {
	const example = `"0=17 c=2"`
	sign, _ = take[bool](t, "sign", "true")
	signers = t.text("signers", ".socialpost.signers", `".socialpost.signers"`, "a file below the repository's top, without '..'", isFolder)
	unsigned, _ = ledger.ParseSeqs(t.text("unsigned_until", "", example, "the Seq of each shard at which signing began, such as "+example, func(s string) bool {
		_, err := ledger.ParseSeqs(s)
		return err == nil
	}))
	return sign, signers, unsigned
}

func (t *table) linkedin() (version string, timeout time.Duration, clientID string, usual expiry) {
	l := t.sub("linkedin")
	version = l.text("version", "202609", `"202609"`, "an API version, YYYYMM", versionForm.MatchString)
	s := l.text("timeout", "30s", `"30s"`, fmt.Sprintf("a duration from %v to %v", minTimeout, maxTimeout), func(s string) bool {
		d, err := time.ParseDuration(s)
		return err == nil && minTimeout <= d && d <= maxTimeout
	})
	clientID = l.text("client_id", "", `"86abc"`, clientIDWanted, clientIDForm.MatchString)
	usual = l.tokenExpires()
	l.unknownKeys()
	timeout, _ = time.ParseDuration(s)
	return version, timeout, clientID, usual
}

func (t *table) channels(usual expiry) map[string]*channel {
	tables, all := t.sub("channel"), map[string]*channel{}
	for _, name := range slices.Sorted(maps.Keys(tables.keys)) {
		if err := ledger.CheckChannel(name); err != nil {
			tables.fail(name, err.Error(), "rename the table, such as [channel.linkedin-en]")
			continue
		}
		ch := tables.sub(name).channel(name, tables.line(name))
		if ch.Expires.IsZero() && ch.TokenEnv == defaultTokenEnv {
			ch.expiry = usual
		}
		all[name] = ch
	}
	return all
}

func (t *table) channel(name string, line int) *channel {
	platform, language, _ := strings.Cut(name, "-")
	c := &channel{
		Name:       name,
		Platform:   t.text("platform", "", `"linkedin"`, "linkedin, the only platform there is", oneOf("linkedin")),
		Language:   t.text("language", language, `"en"`, "a language", func(s string) bool { return s != "" }),
		Author:     t.author(),
		expiry:     t.tokenExpires(),
		Visibility: t.text("visibility", "PUBLIC", `"PUBLIC"`, "PUBLIC, CONNECTIONS or LOGGED_IN", oneOf("PUBLIC", "CONNECTIONS", "LOGGED_IN")),
		TokenEnv: t.text("token_env", defaultTokenEnv, `"`+defaultTokenEnv+`"`,
			"the name of an environment variable, LINKEDIN_ and more of A-Z, 0-9 and '_', but "+clientSecretEnv, func(s string) bool {
				return tokenEnvForm.MatchString(s) && s != clientSecretEnv
			}),
	}
	t.required("platform", line, `"linkedin"`)
	t.required("author", line, `"urn:li:person:782bbtaQ"`+"\n"+ownURN)
	if c.Platform == "linkedin" && (platform != c.Platform || language != c.Language) {
		agreed := strings.TrimSuffix(c.Platform+"-"+c.Language, "-")
		t.failAt(line, fmt.Sprintf("channel %q: the platform and language below say %q", name, agreed), "make them agree; the name is part of every key")
	}
	t.unknownKeys()
	return c
}

const ownURN = "git socialpost login prints yours"

func (t *table) author() string {
	const example = `"urn:li:person:782bbtaQ"`
	urn, found := take[string](t, "author", example+"\n"+ownURN)
	if err := linkedin.CheckAuthor(urn); found && err != nil {
		t.fail("author", err.Error(), "write author = "+example+" or urn:li:organization:…\n"+ownURN)
	}
	return urn
}

func (t *table) required(key string, line int, example string) {
	if _, found := t.keys[key]; !found {
		t.failAt(line, key+" is missing", "add "+key+" = "+example)
	}
}

func isFolder(s string) bool {
	return s != "" && s != "." && s != ".." && s == path.Clean(s) && !path.IsAbs(s) && !strings.HasPrefix(s, "../") &&
		!strings.ContainsAny(s, `\:`) && !strings.ContainsFunc(s, unicode.IsControl)
}

// notGits refuses a name in git's own folder, from which nothing is committed.
func (t *table) notGits(key, name, example string) {
	for part := range strings.SplitSeq(name, "/") {
		if strings.EqualFold(part, ".git") {
			t.fail(key, fmt.Sprintf("%s: %q is git's own: nothing in it is committed", key, name), "write "+key+" = "+example)
			return
		}
	}
}

func oneOf(words ...string) func(string) bool {
	return func(s string) bool { return slices.Contains(words, s) }
}
