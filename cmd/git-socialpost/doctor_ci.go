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

// pipeline is a committed file that delivers, itself or by those that it includes.
type pipeline struct {
	path string
	cron bool // it runs by a schedule; GitLab keeps its schedules elsewhere
}

// ciJob is a job, and the file that it stands in.
type ciJob struct {
	path  string
	node  *yamlNode
	steps []*yamlNode // of GitHub's: those that deliver
}

const killed = "can kill a run between its request and its receipt"

// checkCI reads the committed workflows.
func (e *exam) checkCI(ctx context.Context) (found []finding) {
	github, flawed, err := e.checkWorkflows()
	if err != nil {
		return []finding{failed(err)}
	}
	gitlab, flawedToo, err := e.checkGitLab()
	if err != nil {
		return []finding{failed(err)}
	}
	all := append(gitlab, github...)
	found = append(flawedToo, flawed...)
	if len(all) == 0 && len(found) == 0 {
		return []finding{e.noPipeline(ctx)}
	}
	if f := e.checkSchedule(all); f != nil {
		found = append(found, *f)
	}
	if len(found) > 0 {
		return found
	}
	var names []string
	for _, p := range all {
		names = append(names, p.path)
	}
	return []finding{saw(fine, "%s runs git socialpost deliver", strings.Join(names, ", "))}
}

func (e *exam) noPipeline(ctx context.Context) finding {
	remedy := []string{"the README has a workflow to copy, and to commit; another CI cannot be seen from here"}
	if names := e.uncommitted(ctx); len(names) > 0 {
		remedy = slices.Insert(remedy, 0, "commit it: "+shell(append([]string{"git", "add"}, names...)...)+" && git commit, and push")
	}
	return saw(doubt, "no committed workflow in .github/workflows, and no %s, runs git socialpost deliver", gitLabFile).
		to(remedy...)
}

// uncommitted are the files on the disk that deliver, for git add from anywhere.
func (e *exam) uncommitted(ctx context.Context) (names []string) {
	_, read, err := e.findConfig(ctx)
	if err != nil || e.repo.Bare {
		return nil
	}
	out, err := e.repo.Run(ctx, "ls-files", "-z", "--full-name", "--cached", "--others", "--",
		":(top).github/workflows", ":(top).gitea/workflows", ":(top).forgejo/workflows", ":(top)"+gitLabFile)
	for name := range strings.SplitSeq(out, "\x00") {
		if err != nil || name == "" {
			continue
		}
		data, err := read(name)
		if top, yamlErr := parseYAML(data); err == nil && yamlErr == nil && delivers(top) {
			names = append(names, ":/"+name)
		}
	}
	return slices.Compact(names)
}

// delivers tells whether a workflow of GitHub's, or GitLab's file, has a step that does.
func delivers(top *yamlNode) bool {
	for _, job := range top.get("jobs").in {
		if slices.ContainsFunc(job.get("steps").items(), stepDelivers) {
			return true
		}
	}
	return slices.ContainsFunc(top.keys, func(name string) bool { return runsDeliver(strings.Join(top.get(name, "script").strings(), "\n")) })
}

// readPipeline reads a file; of one that cannot be read it returns what is wrong if it has to do with this program.
func (e *exam) readPipeline(name string) (*yamlNode, *finding, error) {
	data, err := e.objects.Blob(e.head + ":" + name)
	if err != nil {
		return nil, nil, err
	}
	top, err := parseYAML(data)
	if err == nil {
		return top, nil, nil
	}
	if !strings.Contains(string(data), "socialpost") {
		return new(yamlNode), nil, nil
	}
	f := saw(doubt, "%s cannot be read, so nothing runs: %s", name, strings.TrimPrefix(err.Error(), "yaml: ")).
		to("mend the YAML, and commit it")
	return new(yamlNode), &f, nil
}

var (
	// The program may stand behind a path, or in a container's name, and options before the command.
	deliverRun   = regexp.MustCompile(`\bsocialpost\S*\s+(?:-\S+\s+)*deliver(?:[^\w:.-]|$)`)
	dryRun       = regexp.MustCompile(`\s--?dry-run(?:=(?:true|1))?(?:\s|$)`)
	shellEnd     = regexp.MustCompile(`[;&|\n]`)
	shellComment = regexp.MustCompile(`(?m)(^|\s)#.*$`)
)

func runsDeliver(script string) bool {
	script = strings.ReplaceAll(shellComment.ReplaceAllString(script, ""), "\\\n", " ")
	for _, at := range deliverRun.FindAllStringIndex(script, -1) {
		command, _, _ := strings.Cut(shellEnd.ReplaceAllString(script[at[0]:], "\n"), "\n")
		if strings.Contains(script[at[0]:at[1]], "\n") { // folded in the YAML, or by hand
			command = script[at[0]:at[1]]
		}
		if !dryRun.MatchString(command) {
			return true
		}
	}
	return false
}

// checkSchedule is nil unless a post waits for a time at which nothing would run.
func (e *exam) checkSchedule(all []pipeline) *finding {
	if e.src == nil || len(all) == 0 || slices.ContainsFunc(all, func(p pipeline) bool { return p.cron }) {
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

// workflows returns the files that a forge takes for workflows in GitHub's language.
func (e *exam) workflows() (names []string, err error) {
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
	return names, nil
}
