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

// pipeline is a committed file, with those that it includes, that makes a CI deliver.
type pipeline struct {
	path string
	top  []yamlBlock
	jobs []yamlBlock // that deliver
}

var (
	deliverRun = regexp.MustCompile(`\bsocialpost\S*\s+(?:-\S+\s+)*deliver(?:[^\w:.-]|$)`)
	// An action's name is the repository's, below whatever owner.
	actionUse     = regexp.MustCompile(`(?:^|[\s{,"'-])uses["']?:\s*["']?\S*git-socialpost\S*`)
	actionCommand = regexp.MustCompile(`\b(?:command|args)["']?:\s*["']?([^\s"',}]+)`)

	cancels  = regexp.MustCompile(`\bcancel-in-progress["']?\s*:\s*["']?([^\s,}"']+)`)
	stops    = regexp.MustCompile(`\binterruptible["']?\s*:\s*["']?(true|false)\b`)
	extends  = regexp.MustCompile(`[^\s"',\[\]{}]+`)
	permits  = regexp.MustCompile(`(?:^|[\s{,"'])permissions["']?\s*:`)
	writes   = regexp.MustCompile(`\bcontents["']?\s*:\s*["']?write\b|\bpermissions["']?\s*:\s*["']?write-all\b`)
	repeats  = regexp.MustCompile(`\bcron["']?\s*:`)
	included = regexp.MustCompile(`(?:(\w+)["']?\s*:\s*)?["']?([^\s"',\[\]{}]+\.ya?ml)\b`)
)

const gitLabFile = ".gitlab-ci.yml"

// checkCI reads the committed workflows by their lines: what it looks for is written in one way or two, and what it does
// not find it asks for.
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
		if p.onGitLab() {
			found = append(found, p.checkGitLab()...)
		} else {
			found = append(found, p.checkGitHub()...)
		}
	}
	if f := e.checkSchedule(all); f != nil {
		found = append(found, *f)
	}
	if found == nil {
		found = append(found, saw(fine, "%s runs git socialpost deliver", strings.Join(names, ", ")))
	}
	return found
}

// pipelines returns those that run deliver.
func (e *exam) pipelines() (all []pipeline, err error) {
	keep := func(p pipeline) {
		if len(p.jobs) > 0 {
			all = append(all, p)
		}
	}
	top, err := e.gitLabBlocks()
	if err != nil {
		return nil, err
	}
	keep(pipeline{gitLabFile, top, slices.DeleteFunc(slices.Clone(top), func(b yamlBlock) bool { return !b.delivers() })})
	for _, folder := range []string{".github/workflows", ".gitea/workflows", ".forgejo/workflows"} {
		entries, err := e.objects.Tree(e.head + ":" + folder)
		if err != nil {
			return nil, err
		}
		for _, entry := range entries {
			if ext := path.Ext(entry.Name); ext != ".yml" && ext != ".yaml" {
				continue
			}
			name := folder + "/" + entry.Name
			data, err := e.objects.Blob(e.head + ":" + name)
			if err != nil {
				return nil, err
			}
			top := readYAML(name, data)
			keep(pipeline{name, top.children(), top.deliveringJobs()})
		}
	}
	return all, nil
}

// gitLabBlocks are those of GitLab's file and of the files of this repository that it includes, which count as one.
func (e *exam) gitLabBlocks() (all []yamlBlock, err error) {
	names := []string{gitLabFile}
	for i := 0; i < len(names); i++ {
		data, err := e.objects.Blob(e.head + ":" + names[i])
		if err != nil {
			return nil, err
		}
		top := readYAML(names[i], data)
		all = append(all, top.children()...)
		for _, m := range included.FindAllStringSubmatch(top.child("include").text(), -1) {
			name := path.Clean(strings.TrimPrefix(m[2], "/"))
			if (m[1] == "" || m[1] == "local" || m[1] == "include") && !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	return all, nil
}

// deliveringJobs are GitHub's jobs that run deliver, or the whole file where no jobs can be told apart.
func (b yamlBlock) deliveringJobs() (jobs []yamlBlock) {
	all := b.child("jobs").children()
	if len(all) == 0 {
		all = []yamlBlock{b}
	}
	return slices.DeleteFunc(all, func(job yamlBlock) bool { return !job.delivers() })
}

func (b yamlBlock) delivers() bool {
	if b.has(deliverRun) {
		return true
	}
	for i, line := range b.lines {
		at := actionUse.FindStringIndex(line)
		if at == nil {
			continue
		}
		m := actionCommand.FindStringSubmatch(b.step(i))
		if m == nil || m[1] == "deliver" || strings.HasPrefix(m[1], "$") { // deliver is what it does unless told otherwise
			return true
		}
	}
	return false
}

// step is what belongs to the same step as line i: what is as deep as the key in that line, or deeper.
func (b yamlBlock) step(i int) string {
	deep := func(line string) int { return len(line) - len(strings.TrimLeft(line, " -")) }
	item := func(line string) bool { return strings.HasPrefix(strings.TrimLeft(line, " "), "- ") }
	from, to, depth := i, i+1, deep(b.lines[i])
	for from > 0 && !item(b.lines[from]) && (strings.TrimSpace(b.lines[from-1]) == "" || deep(b.lines[from-1]) >= depth) {
		from--
	}
	for to < len(b.lines) && (strings.TrimSpace(b.lines[to]) == "" || deep(b.lines[to]) >= depth && !(item(b.lines[to]) && deep(b.lines[to]) == depth)) {
		to++
	}
	return strings.Join(b.lines[from:to], "\n")
}

func (p pipeline) onGitLab() bool { return p.path == gitLabFile }

// block is a block at the file's top, without lines if there is none; of several the last counts.
func (p pipeline) block(key string) yamlBlock {
	for _, b := range slices.Backward(p.top) {
		if b.key() == key {
			return b
		}
	}
	return yamlBlock{}
}

const killed = "can kill a run between its request and its receipt"

func (p pipeline) checkGitHub() (found []finding) {
	for _, b := range append([]yamlBlock{p.block("concurrency")}, p.jobs...) {
		if n, m := b.find(cancels); n > 0 && m[1] != "false" {
			found = append(found, saw(doubt, "%s:%d: cancel-in-progress: %s %s", b.path, n, m[1], killed).to("write cancel-in-progress: false there"))
		}
	}
	for _, job := range p.jobs {
		rights := job
		if !job.has(permits) {
			rights = p.block("permissions")
		}
		if !rights.has(writes) {
			return append(found, saw(doubt, "%s: nothing gives the job's token the right to push the ledger", p.path).to("add permissions: { contents: write }"))
		}
	}
	return found
}

// checkGitLab goes by what a job says, else by what it extends, else by the default.
func (p pipeline) checkGitLab() (found []finding) {
	for _, job := range p.jobs {
		for _, b := range append(append([]yamlBlock{job}, p.extended(job)...), p.block("default")) {
			n, m := b.find(stops)
			if n == 0 {
				continue
			}
			if m[1] == "true" {
				found = append(found, saw(doubt, "%s:%d: interruptible: true %s", b.path, n, killed).to("write interruptible: false for the job that delivers"))
			}
			break
		}
	}
	return found
}

// extended are the blocks that a job extends, the nearest first.
func (p pipeline) extended(job yamlBlock) (all []yamlBlock) {
	seen := map[string]bool{}
	for queue := []yamlBlock{job}; len(queue) > 0; queue = queue[1:] {
		for _, name := range slices.Backward(extends.FindAllString(strings.TrimPrefix(strings.TrimSpace(queue[0].child("extends").text()), "extends:"), -1)) {
			if b := p.block(name); b.there() && !seen[name] {
				seen[name] = true
				all, queue = append(all, b), append(queue, b)
			}
		}
	}
	return all
}

// checkSchedule is nil unless a post waits for a time at which nothing would run. GitLab keeps its schedules elsewhere.
func (e *exam) checkSchedule(all []pipeline) *finding {
	if e.src == nil || slices.ContainsFunc(all, func(p pipeline) bool { return p.onGitLab() || p.repeats() }) {
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

func (p pipeline) repeats() bool {
	return slices.ContainsFunc(p.top, func(b yamlBlock) bool { return b.has(repeats) })
}
