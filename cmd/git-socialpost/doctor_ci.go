package main

import (
	"context"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"
	"time"
)

// pipeline is a committed file that makes a CI deliver.
type pipeline struct {
	path  string
	lines []string // without comments
}

var (
	// An action's name is the repository's, below whatever owner.
	delivers = regexp.MustCompile(`git[ -]socialpost\s+deliver\b|uses["']?:\s*["']?\S*git-socialpost\S*`)
	cancels  = regexp.MustCompile(`\bcancel-in-progress["']?\s*:\s*["']?([^\s,}"']+)`)
	stops    = regexp.MustCompile(`\binterruptible["']?\s*:\s*["']?true\b`)
	writes   = regexp.MustCompile(`\bcontents["']?\s*:\s*["']?write\b|\bpermissions["']?\s*:\s*["']?write-all\b`)
	repeats  = regexp.MustCompile(`\bcron["']?\s*:`)
	comment  = regexp.MustCompile(`(^|\s)#.*$`)
)

const gitLabFile = ".gitlab-ci.yml"

// checkCI reads the committed workflows as text: what it looks for is written in one way or two, and what it does not find
// it asks for.
func (e *exam) checkCI(context.Context) (found []finding) {
	all, err := e.pipelines()
	if err != nil {
		return []finding{failed(err)}
	}
	if len(all) == 0 {
		return []finding{saw(doubt, "no committed workflow in .github/workflows, and no %s, runs git socialpost deliver", gitLabFile).
			to("the README has a workflow to copy; another CI cannot be seen from here")}
	}
	var names []string
	for _, p := range all {
		names = append(names, p.path)
		found = append(found, p.check()...)
	}
	if f := e.checkSchedule(all); f != nil {
		found = append(found, *f)
	}
	if found == nil {
		found = append(found, saw(fine, "%s runs git socialpost deliver", strings.Join(names, ", ")))
	}
	return found
}

// pipelines returns the files that run deliver.
func (e *exam) pipelines() (all []pipeline, err error) {
	names := []string{gitLabFile}
	for _, folder := range []string{".github/workflows", ".gitea/workflows", ".forgejo/workflows"} {
		entries, err := e.objects.Tree(e.head + ":" + folder)
		if err != nil {
			return nil, err
		}
		for _, entry := range entries {
			if ext := path.Ext(entry.Name); ext == ".yml" || ext == ".yaml" {
				names = append(names, folder+"/"+entry.Name)
			}
		}
	}
	for _, name := range names {
		data, err := e.objects.Blob(e.head + ":" + name)
		if err != nil {
			return nil, err
		}
		p := pipeline{path: name}
		for line := range strings.SplitSeq(unixLines(data), "\n") {
			p.lines = append(p.lines, comment.ReplaceAllString(line, ""))
		}
		if p.find(delivers) > 0 {
			all = append(all, p)
		}
	}
	return all, nil
}

// find returns the number of the first line that matches, 0 if none does.
func (p pipeline) find(re *regexp.Regexp) int { return slices.IndexFunc(p.lines, re.MatchString) + 1 }

func (p pipeline) onGitLab() bool { return p.path == gitLabFile }

func (p pipeline) check() (found []finding) {
	const why = "can kill a run between its request and its receipt"
	for i, line := range p.lines {
		if m := cancels.FindStringSubmatch(line); m != nil && m[1] != "false" {
			found = append(found, saw(doubt, "%s:%d: cancel-in-progress: %s %s", p.path, i+1, m[1], why).to("write cancel-in-progress: false there"))
		}
	}
	if n := p.find(stops); p.onGitLab() && n > 0 {
		found = append(found, saw(doubt, "%s:%d: interruptible: true %s", p.path, n, why).to("write interruptible: false for the job that delivers"))
	}
	if !p.onGitLab() && p.find(writes) == 0 {
		found = append(found, saw(doubt, "%s: nothing gives the job's token the right to push the ledger", p.path).to("add permissions: { contents: write }"))
	}
	return found
}

// checkSchedule is nil unless a post waits for a time at which nothing would run. GitLab keeps its schedules elsewhere.
func (e *exam) checkSchedule(all []pipeline) *finding {
	if e.src == nil || slices.ContainsFunc(all, func(p pipeline) bool { return p.onGitLab() || p.find(repeats) > 0 }) {
		return nil
	}
	for _, p := range e.src.posts {
		if p.PublishAfter.After(e.now()) {
			f := saw(doubt, "%s waits for %s, and %s has no schedule, so nothing may run then", p.Path, p.PublishAfter.Format(time.RFC3339), all[0].path).
				to(fmt.Sprintf("add a schedule below on: in %s, such as schedule: [{ cron: \"7 * * * *\" }]", all[0].path))
			return &f
		}
	}
	return nil
}
