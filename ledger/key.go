package ledger

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// Key is the identity of a delivery: an article's slug, a channel, and an edition for a deliberate republication.
type Key struct {
	Slug    string // [a-z0-9][a-z0-9._-]*, at most 100 characters, no "..", no ".lock" at the end
	Channel string // <platform> or <platform>-<language>, such as linkedin-pt-br
	Edition int    // 1 for the first publication, which is written without it
}

const maxSlug = 100

var (
	slugForm    = regexp.MustCompile(`^[a-z0-9][a-z0-9._-]*$`)
	channelForm = regexp.MustCompile(`^[a-z][a-z0-9]*(-[a-z]{2,8}(-[a-z0-9]{1,8})*)?$`)
	editionForm = regexp.MustCompile(`^[1-9][0-9]{0,5}$`)
)

// ParseKey reads <slug>:<channel> or <slug>:<channel>@<edition>, with an edition of 2 or more.
func ParseKey(s string) (Key, error) {
	slug, rest, found := strings.Cut(s, ":")
	if !found {
		return Key{}, fmt.Errorf("key %q: want <slug>:<channel>, such as example-note:linkedin-en", s)
	}
	k := Key{Slug: slug, Channel: rest, Edition: 1}
	if channel, edition, found := strings.Cut(rest, "@"); found {
		n, err := strconv.Atoi(edition)
		if err != nil || !editionForm.MatchString(edition) || n < 2 {
			return Key{}, fmt.Errorf("key %q: edition %q: want a number from 2 to 999999", s, edition)
		}
		k.Channel, k.Edition = channel, n
	}
	if err := CheckSlug(k.Slug); err != nil {
		return Key{}, fmt.Errorf("key %q: %w", s, err)
	}
	if err := CheckChannel(k.Channel); err != nil {
		return Key{}, fmt.Errorf("key %q: %w", s, err)
	}
	return k, nil
}

// CheckSlug says why a slug cannot be part of a key, and which one could.
func CheckSlug(slug string) error {
	var why string
	switch {
	case slug == "":
		return fmt.Errorf("the slug is empty")
	case len(slug) > maxSlug:
		why = fmt.Sprintf("is %d characters long, at most %d are allowed", len(slug), maxSlug)
	case !slugForm.MatchString(slug):
		why = "may hold only a-z, 0-9, '.', '_' and '-', and starts with a letter or digit"
	case strings.Contains(slug, ".."):
		why = `must not hold ".."`
	case strings.HasSuffix(slug, ".lock"):
		why = `must not end in ".lock"`
	default:
		return nil
	}
	if s := suggestSlug(slug); s != "" {
		return fmt.Errorf("slug %q %s; try %q", slug, why, s)
	}
	return fmt.Errorf("slug %q %s", slug, why)
}

func suggestSlug(slug string) string {
	s := regexp.MustCompile(`[^a-z0-9_.]+|\.\.+`).ReplaceAllString(strings.ToLower(slug), "-")
	s = strings.TrimLeft(s, "-._")
	s = strings.TrimRight(s[:min(len(s), maxSlug)], "-._")
	for strings.HasSuffix(s, ".lock") {
		s = strings.TrimRight(strings.TrimSuffix(s, ".lock"), "-._")
	}
	return s
}

// CheckChannel says why a channel's name is not <platform> or <platform>-<language>.
func CheckChannel(channel string) error {
	if channelForm.MatchString(channel) {
		return nil
	}
	if lower := strings.ReplaceAll(strings.ToLower(channel), "_", "-"); channelForm.MatchString(lower) {
		return fmt.Errorf("channel %q: want lower case and '-'; try %q", channel, lower)
	}
	return fmt.Errorf("channel %q: want <platform> or <platform>-<language>, such as linkedin-en", channel)
}

func (k Key) String() string {
	if k.Edition > 1 {
		return fmt.Sprintf("%s:%s@%d", k.Slug, k.Channel, k.Edition)
	}
	return k.Slug + ":" + k.Channel
}

// Legacy returns the key without language of the same article, under which older journals kept one receipt for all
// languages. It reports false for a key that has no language itself.
func (k Key) Legacy() (Key, bool) {
	platform, _, found := strings.Cut(k.Channel, "-")
	return Key{Slug: k.Slug, Channel: platform, Edition: 1}, found
}

// dir is the delivery's folder below open/<slug>/ or settled/<hh>/<slug>/.
func (k Key) dir() string { return strings.Replace(k.String(), ":", "/", 1) }

// hash is SHA-256 of the slug in hex: its first digits name the shard, the next two the folder below settled/. All
// languages and editions of an article share a shard, so that one compare-and-swap covers them.
func (k Key) hash() string { return SHA256([]byte(k.Slug)) }
