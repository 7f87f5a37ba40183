package ledger

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/git-socialpost/git-socialpost/gitexec"
)

// networkLimit bounds one fetch or push.
const networkLimit = 2 * time.Minute

// fetcher is the git, and the remote's name in it, with which the ledger is read.
type fetcher struct {
	git    gitexec.Git
	remote string
}

// Fetch brings the ledger from the remote, verifies it, and remembers it in this clone. After an error nothing may be
// decided: neither a failed fetch nor a damaged ledger is ever replaced by what is remembered.
func (l *Ledger) Fetch(ctx context.Context) error {
	memory, err := l.fetchTwice(ctx)
	if err != nil {
		return err
	}
	return l.admit(ctx, memory, memory)
}

// fetchTwice fetches once more if a shard seems older than another's witness: a fetch is no snapshot across refs, and
// another runner may have written between two of them.
func (l *Ledger) fetchTwice(ctx context.Context) (memory map[string]string, err error) {
	if err := l.prepare(ctx); err != nil {
		return nil, err
	}
	memory, err = l.fetch(ctx)
	if err == nil && l.ahead() != nil {
		memory, err = l.fetch(ctx)
	}
	return memory, err
}

// admit verifies what was fetched, against what this clone is to hold it to, and remembers it in place of its memory.
func (l *Ledger) admit(ctx context.Context, heldTo, memory map[string]string) error {
	if err := l.verify(ctx, heldTo); err != nil {
		l.tips = nil
		return err
	}
	return l.remember(ctx, memory)
}

// Recall takes what this clone remembers of the ledger, without the network.
func (l *Ledger) Recall() error {
	memory, err := l.memory()
	if err != nil {
		return err
	}
	if err := l.load(memory); err != nil {
		return err
	}
	for name, tip := range l.tips {
		if err := l.checkPin(name, tip); err != nil {
			return err
		}
	}
	return nil
}

// prepare finds out where to read from. A push goes to the remote's push URL, so the ledger is read there, too.
func (l *Ledger) prepare(ctx context.Context) error {
	if l.fetcher.remote != "" {
		return nil
	}
	fetchURL, err := l.Repo.Run(ctx, "remote", "get-url", l.Remote)
	if err != nil {
		return &RemoteError{Remote: l.Remote, Err: err}
	}
	pushURL, err := l.Repo.Run(ctx, "remote", "get-url", "--push", "--all", l.Remote)
	if err != nil {
		return &RemoteError{Remote: l.Remote, Err: err}
	}
	if strings.Contains(pushURL, "\n") {
		return fmt.Errorf("remote %q has several push URLs; the ledger must live in one place", l.Remote)
	}
	l.fetcher = fetcher{git: l.Repo.Git, remote: l.Remote}
	if fetchURL == pushURL {
		return nil
	}
	return l.readFromPushURL(ctx, pushURL)
}

// readFromPushURL makes a remote, for our commands only, whose URL is the push URL. Its configured form is used,
// since git would rewrite (url.*.insteadOf) an expanded one once more.
func (l *Ledger) readFromPushURL(ctx context.Context, pushURL string) error {
	const name = "socialpost-ledger"
	raw, err := l.Repo.Run(ctx, "config", "--get", "remote."+l.Remote+".pushurl")
	if err != nil {
		raw = pushURL // url.*.pushInsteadOf made it
	}
	l.fetcher = fetcher{git: l.Repo.With("remote."+name+".url", raw), remote: name}
	got, err := l.fetcher.git.Run(ctx, "ls-remote", "--get-url", name) // asks nobody
	if err == nil && got != pushURL {
		err = fmt.Errorf("remote %q: its push URL cannot be read from, since git rewrites it (url.*.insteadOf); set remote.%s.pushurl", l.Remote, l.Remote)
	}
	return err
}

// fetch brings the shards, and what this clone remembers of them: an exact picture, deletions included.
func (l *Ledger) fetch(ctx context.Context) (memory map[string]string, err error) {
	l.tips = nil
	args := []string{"fetch", "--quiet", "--no-tags", "--prune", "--refmap=", "--no-recurse-submodules", "--no-auto-maintenance", "--no-write-fetch-head"}
	shards := "+" + remoteRefs + "*:" + fetchRefs + "*"
	depth, err := l.depth(ctx)
	if err != nil {
		return nil, err
	}
	if wantBranch := l.Branch != "" && l.branch == ""; wantBranch {
		err = l.fetchBranch(ctx, args, depth, shards)
	} else {
		err = l.fetchShards(ctx, args, depth, shards)
	}
	if err != nil {
		return nil, err
	}
	refs, err := l.refs(ctx)
	if err != nil {
		return nil, err
	}
	l.branch = refs[branchRef][""]
	if memory, err = l.memory(); err != nil {
		return nil, err
	}
	return memory, l.lost(l.load(refs[fetchRefs]), memory)
}

// lost adds to the error about a ledger or a shard that is missing what this clone can give back.
func (l *Ledger) lost(err error, memory map[string]string) error {
	var damage *DamageError
	switch {
	case errors.Is(err, ErrAbsent) && len(memory) > 0:
		return &DamageError{Reason: fmt.Sprintf("is gone from %q, and this clone has seen it there", l.Remote), Remedy: l.giveBack("*")}
	case errors.As(err, &damage) && memory[damage.Shard] != "":
		damage.Remedy = l.giveBack(damage.Shard)
	}
	return err
}

// giveBack is the command that gives the remote what this clone has verified of a shard, or of all.
func (l *Ledger) giveBack(name string) []string {
	return []string{"git", "push", l.Remote, memoryRefs + name + ":" + remoteRefs + name}
}

// depth is one commit in a clone that is shallow and has no shard yet. Later, a second fetch of that depth would look
// like a rewrite and leave the clone's list of cut-off commits wrong.
func (l *Ledger) depth(ctx context.Context) ([]string, error) {
	if !l.Repo.Shallow || l.Deep {
		return nil, nil
	}
	refs, err := l.refs(ctx)
	if err != nil || len(refs[memoryRefs])+len(refs[fetchRefs]) > 0 {
		return nil, err
	}
	return []string{"--depth=1"}, nil
}

// fetchBranch brings shards and branch in one go where it can. Git dies of a branch that is not there just as of a
// dead network, so after a failure they are tried one by one, to name the one that is to blame.
func (l *Ledger) fetchBranch(ctx context.Context, args, depth []string, shards string) error {
	branch := "+refs/heads/" + l.Branch + ":" + branchRef
	if depth == nil && l.network(ctx, append(args, l.fetcher.remote, shards, branch)) == nil {
		return nil
	}
	if err := l.fetchShards(ctx, args, depth, shards); err != nil {
		return err
	}
	if err := l.network(ctx, append(args, l.fetcher.remote, branch)); err != nil {
		return &BranchError{Remote: l.Remote, Branch: l.Branch, Err: errors.Unwrap(err)}
	}
	return nil
}

// fetchShards tries once more without a depth: with one, git dies of shards that are not there as of a dead network.
func (l *Ledger) fetchShards(ctx context.Context, args, depth []string, shards string) error {
	err := l.network(ctx, slices.Concat(args, depth, []string{l.fetcher.remote, shards}))
	if err != nil && depth != nil {
		err = l.network(ctx, append(args, l.fetcher.remote, shards))
	}
	return err
}

func (l *Ledger) network(ctx context.Context, args []string) error {
	ctx, cancel := context.WithTimeoutCause(ctx, networkLimit, fmt.Errorf("no end after %v", networkLimit))
	defer cancel()
	if _, err := l.fetcher.git.Run(ctx, args...); err != nil {
		return &UnreachableError{Remote: l.Remote, Err: err}
	}
	return nil
}

// refs returns this clone's own refs: object ids by shard, for each of the namespaces.
func (l *Ledger) refs(ctx context.Context) (map[string]map[string]string, error) {
	out, err := l.Repo.Run(ctx, "for-each-ref", "--format=%(objectname) %(refname)", "refs/socialpost")
	if err != nil {
		return nil, err
	}
	refs := map[string]map[string]string{fetchRefs: {}, memoryRefs: {}, branchRef: {}}
	for line := range strings.Lines(out) {
		id, ref, _ := strings.Cut(strings.TrimSpace(line), " ")
		for space := range refs {
			if name, found := strings.CutPrefix(ref, space); found {
				refs[space][name] = id
			}
		}
	}
	return refs, nil
}

// load reads the tips of a whole ledger.
func (l *Ledger) load(found map[string]string) error {
	order, err := l.complete(found)
	if err != nil {
		return err
	}
	tips := map[string]*commit{}
	for _, name := range order {
		tip, err := l.present(found[name])
		if err != nil {
			return &DamageError{Shard: name, Reason: "has a tip that does not read", Err: err}
		}
		tips[name] = tip
	}
	l.tips, l.width = tips, len(order[0])
	return nil
}
