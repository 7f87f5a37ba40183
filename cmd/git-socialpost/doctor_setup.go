package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/git-socialpost/git-socialpost/ledger"
)

func (e *exam) checkGit(ctx context.Context) []finding {
	version, err := e.repo.Run(ctx, "version")
	if err != nil {
		return []finding{failed(err)}
	}
	return []finding{saw(fine, "%s", version)}
}

// checkConfig takes the committed configuration. Where there is none, the other checks go by the one on the disk, or by
// the defaults, as init does.
func (e *exam) checkConfig(ctx context.Context) (found []finding) {
	committed, onDisk, err := e.configFiles(ctx)
	if err != nil {
		e.blind["config"] = "the configuration cannot be read"
		return []finding{failed(err)}
	}
	data := committed
	switch {
	case committed == nil && onDisk == nil:
		f := saw(wrong, "there is no %s", configFile).to("git socialpost init")
		if e.repo.Bare {
			f = f.to("in a clone with a work tree: git socialpost init; then commit and push " + configFile)
		}
		found = append(found, f)
	case committed == nil:
		data = onDisk
		found = append(found, saw(wrong, "%s is not committed, and only what is committed counts", configFile).
			to(commitConfig))
	case onDisk == nil:
		found = append(found, saw(doubt, "%s is committed, and not on the disk", configFile).to("git checkout HEAD -- :/"+configFile))
	case unixLines(committed) != unixLines(onDisk):
		found = append(found, saw(doubt, "%s on the disk is not the committed one, which counts", configFile).
			to("git commit :/"+configFile, "or, to have the committed one back: git checkout HEAD -- :/"+configFile))
	}
	cfg, problems := readConfig(configFile, data)
	if len(problems) > 0 {
		e.blind["config"] = "the configuration is not valid"
		return append(found, problemFindings(problems)...)
	}
	if err := e.use(data, e.reader(ctx, committed != nil)); err != nil {
		e.blind["config"] = "the configuration is not valid"
		return append(found, failed(err))
	}
	if len(cfg.Channels) == 0 {
		e.blind["channels"] = "no channel is declared"
		if data != nil {
			found = append(found, saw(doubt, "no channel is declared, so nothing can be posted").to("declare one in "+configFile+", such as [channel.linkedin-en]"))
		}
	}
	if cfg.Mode == "pilot" && len(cfg.Pilot) == 0 {
		found = append(found, saw(doubt, "mode pilot with no key in pilot, so nothing can be posted").
			to("name the keys that shall go, such as pilot = [\"example-note:linkedin-en\"], or set another mode"))
	}
	if len(found) == 0 {
		f := saw(fine, "valid and committed; mode %s, %s", cfg.Mode, count(len(cfg.Channels), "channel"))
		if cfg.Mode == "plan" {
			f = f.to("mode plan: nothing is sent; pilot and live send")
		}
		found = append(found, f)
	}
	return found
}

// commitConfig works from a subdirectory, too.
const commitConfig = "git add :/" + configFile + " && git commit"

// configFiles reads the configuration as it is committed and as it is on the disk, nil where there is none.
func (e *exam) configFiles(ctx context.Context) (committed, onDisk []byte, err error) {
	if e.head != "" {
		if committed, err = e.objects.Blob(e.head + ":" + configFile); err != nil {
			return nil, nil, err
		}
	}
	_, read, err := e.findConfig(ctx)
	if err != nil || e.repo.Bare { // inside a .git there is no work tree either
		return committed, committed, ctx.Err()
	}
	onDisk, err = read(configFile)
	return committed, onDisk, err
}

// reader reads what the configuration names, from where the configuration is.
func (e *exam) reader(ctx context.Context, committed bool) func(string) ([]byte, error) {
	return func(name string) ([]byte, error) {
		if committed {
			return e.objects.Blob(e.head + ":" + name)
		}
		_, read, err := e.findConfig(ctx)
		if err != nil {
			return nil, err
		}
		return read(name)
	}
}

func problemFindings(problems []problem) (found []finding) {
	for _, p := range problems {
		found = append(found, saw(wrong, "%v", p).to(p.remedies()...))
	}
	return found
}

func (e *exam) checkPosts(context.Context) []finding {
	files, err := e.readTree(e.head+":"+e.cfg.Posts, e.cfg.Posts)
	if err != nil {
		e.blind["posts"] = "the posts cannot be read"
		return []finding{failed(err)}
	}
	e.src = &source{revision: e.head}
	e.src.posts, e.src.warnings = readPosts(e.cfg, files)
	return append(e.judgePosts(len(files) > 0), e.checkPilot()...)
}

func (e *exam) judgePosts(there bool) []finding {
	bad, warnings := []problem{}, slices.Clone(e.src.warnings)
	for _, p := range e.src.posts {
		warnings = append(warnings, p.Warnings...)
		if len(p.Problems) > 0 {
			bad = append(bad, p.Problems[0])
		}
	}
	all := count(len(e.src.posts), "committed post")
	const more = "git socialpost plan names file, line and remedy"
	switch {
	case !there: // git keeps no empty folder
		return []finding{saw(doubt, "%s: the folder %s is not in the commit", all, e.cfg.Posts).
			to("git socialpost new SLUG CHANNEL begins a post there; where they are in another folder, name it: posts in " + configFile)}
	case len(bad) > 0:
		return []finding{saw(wrong, "%s, %d invalid; %v", all, len(bad), bad[0]).to(bad[0].Remedy, more)}
	case len(warnings) > 0:
		return []finding{saw(doubt, "%s, %s; %v", all, count(len(warnings), "warning"), warnings[0]).to(warnings[0].Remedy, more)}
	}
	return []finding{saw(fine, "%s, all valid", all)}
}

func (e *exam) checkClone(context.Context) []finding {
	if e.repo.Shallow {
		return []finding{saw(fine, "shallow, and the remote's answer could be fetched into it")}
	}
	return []finding{saw(fine, "with all of its history")}
}

func (e *exam) checkNotes(ctx context.Context) []finding {
	shown, _ := e.repo.Run(ctx, "config", "--get-all", "notes.displayRef")
	switch {
	case slices.Contains(strings.Split(shown, "\n"), ledger.DisplayRef):
		return []finding{saw(fine, "git log shows where articles were posted")}
	case e.inCI():
		return []finding{saw(fine, "git log does not show where articles were posted; a CI need not")}
	}
	return []finding{saw(doubt, "git log does not show where articles were posted: notes.displayRef lacks %s", ledger.DisplayRef).
		to("git socialpost init", fmt.Sprintf("or: git config --add notes.displayRef '%s'", ledger.DisplayRef))}
}

// inCI reports whether this is a CI's clone, which nobody works in.
func (e *exam) inCI() bool { return e.getenv("CI") != "" }
