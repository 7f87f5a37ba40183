package main

import (
	"context"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/git-socialpost/git-socialpost/ledger"
)

// An offer without a value asks the shell to complete names of files, or of folders, by its own rules.
var (
	files   = offer{about: "files"}
	folders = offer{about: "folders"}
)

// values offers what may stand where help says such as KEY; what help writes in small letters and digits, as it is.
func (t *tool) values(ctx context.Context, kind string, toResolve bool) []offer {
	switch kind {
	case "FILE":
		return []offer{files}
	case "DIR":
		return []offer{folders}
	case "COMMAND|TOPIC":
		return topicOffers()
	case "DATE":
		return plainOffers("today", t.now().Format(time.DateOnly))
	case "KEY", "SLUG", "CHANNEL", "REVISION", "REMOTE":
		if !t.openOffline(ctx) {
			return nil
		}
	}
	switch kind {
	case "KEY":
		return t.keyOffers(ctx, toResolve)
	case "SLUG":
		return t.slugOffers(ctx)
	case "CHANNEL":
		return t.channelOffers(ctx)
	case "REVISION":
		return t.revisionOffers(ctx)
	case "REMOTE":
		return plainOffers("remote", t.remotes(ctx)...)
	}
	if kind == "" || kind != strings.ToLower(kind) {
		return nil
	}
	return plainOffers("", strings.Split(strings.ReplaceAll(kind, "|", " or "), " or ")...)
}

func plainOffers(about string, values ...string) (all []offer) {
	for _, value := range values {
		all = append(all, offer{value, about})
	}
	return all
}

func topicOffers() (all []offer) {
	for _, topic := range topics() {
		about := "topic"
		if topic.command {
			about = "command"
		}
		all = append(all, offer{topic.name, about})
	}
	return all
}

// openOffline is open for somebody who waits at the keyboard: silent, and a partial clone fetches nothing.
func (t *tool) openOffline(ctx context.Context) bool {
	t.stderr = io.Discard
	if t.open(ctx) != nil {
		return false
	}
	t.repo.Env = append(t.repo.Env, "GIT_NO_LAZY_FETCH=1", "GIT_ALLOW_PROTOCOL=none", "GIT_TERMINAL_PROMPT=0")
	t.objects = t.repo.Objects()
	return true
}

// keyOffers are the keys of the committed posts and of this clone's copy of the ledger. Only what is in the ledger can be
// resolved, above all what is open.
func (t *tool) keyOffers(ctx context.Context, toResolve bool) []offer {
	src, err := t.readRevision(ctx, "HEAD")
	if t.cfg == nil {
		return nil
	}
	about := map[string]string{}
	if err == nil && !toResolve {
		for _, p := range src.posts {
			about[p.Key.String()] = "not in the ledger"
		}
		delete(about, ledger.Key{}.String()) // of posts too broken to have one
	}
	waiting := t.recall(about)
	if !toResolve {
		waiting = nil
	}
	var all []offer
	for _, key := range waiting {
		all = append(all, offer{key, about[key]})
		delete(about, key)
	}
	for _, key := range slices.Sorted(maps.Keys(about)) {
		all = append(all, offer{key, about[key]})
	}
	return all
}

// recall notes what this clone remembers of each key, and returns those that are open.
func (t *tool) recall(about map[string]string) (waiting []string) {
	if t.ledger.Recall() != nil {
		return nil
	}
	keys, _ := t.ledger.SettledKeys()
	for _, k := range keys {
		about[k.String()] = "settled"
	}
	recs, _ := t.ledger.OpenRecords()
	for _, r := range recs {
		about[r.Key] = string(open) + ": " + string(r.State)
		waiting = append(waiting, r.Key)
	}
	slices.Sort(waiting)
	return waiting
}

// slugOffers are the articles that have posts, for one more channel.
func (t *tool) slugOffers(ctx context.Context) []offer {
	src, err := t.readRevision(ctx, "HEAD")
	if err != nil {
		return nil
	}
	slugs := map[string]bool{}
	for _, p := range src.posts {
		slugs[p.Key.Slug] = true
	}
	delete(slugs, "")
	return plainOffers("has posts", slices.Sorted(maps.Keys(slugs))...)
}

// channelOffers are the channels of the configuration on the disk, committed or not.
func (t *tool) channelOffers(ctx context.Context) (all []offer) {
	_, read, err := t.findConfig(ctx)
	if err != nil {
		return nil
	}
	data, err := read(configFile)
	if err != nil {
		return nil
	}
	cfg, err := parseConfig(configFile, data)
	if err != nil {
		return nil
	}
	for _, name := range slices.Sorted(maps.Keys(cfg.Channels)) {
		all = append(all, offer{name, cfg.Channels[name].Author})
	}
	return all
}

// refKinds are the refs that a user names in short.
var refKinds = []struct{ prefix, about string }{{"refs/heads/", "branch"}, {"refs/tags/", "tag"}, {"refs/remotes/", "branch of a remote"}}

func (t *tool) revisionOffers(ctx context.Context) []offer {
	all := []offer{{"HEAD", "what is checked out"}}
	for _, kind := range refKinds {
		out, err := t.repo.Run(ctx, "for-each-ref", "--format=%(refname:lstrip=2)", kind.prefix)
		if err != nil || out == "" {
			continue
		}
		all = append(all, plainOffers(kind.about, strings.Split(out, "\n")...)...)
	}
	return all
}
