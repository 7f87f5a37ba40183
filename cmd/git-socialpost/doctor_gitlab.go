package main

import (
	"path"
	"slices"
	"strings"
)

const gitLabFile = ".gitlab-ci.yml"

// gitLabCI is GitLab's file and those of this repository that it includes, which count as one; the includer's word is the
// last.
type gitLabCI struct {
	paths []string
	files []*yamlNode
}

func (e *exam) readGitLab() (ci gitLabCI, found []finding, err error) {
	ci.paths = []string{gitLabFile}
	for i := 0; i < len(ci.paths); i++ {
		top, flaw, err := e.readPipeline(ci.paths[i])
		if err != nil {
			return ci, nil, err
		}
		if flaw != nil {
			found = append(found, *flaw)
		}
		ci.files = append(ci.files, top)
		for _, item := range top.get("include").items() {
			name := item.text + item.get("local").text
			if name = path.Clean(strings.TrimPrefix(name, "/")); !strings.Contains(name, ":") && name != "." && !slices.Contains(ci.paths, name) {
				ci.paths = append(ci.paths, name)
			}
		}
	}
	return ci, found, nil
}

// job finds what a key stands for at the top of the files.
func (ci gitLabCI) job(name string) ciJob {
	for i, top := range ci.files {
		if top.has(name) {
			return ciJob{path: ci.paths[i], node: top.get(name)}
		}
	}
	return ciJob{node: new(yamlNode)}
}

// extended are a job and all that it extends, the nearest first, and the default.
func (ci gitLabCI) extended(name string) (all []ciJob) {
	seen := map[string]bool{}
	for queue := []string{name}; len(queue) > 0; queue = queue[1:] {
		if seen[queue[0]] {
			continue
		}
		seen[queue[0]] = true
		job := ci.job(queue[0])
		all = append(all, job)
		parents := job.node.get("extends").strings()
		slices.Reverse(parents) // the last has the last word
		queue = append(queue, parents...)
	}
	return append(all, ci.job("default"))
}

// checkGitLab returns GitLab's pipeline if it delivers, and what is wrong with it.
func (e *exam) checkGitLab() (all []pipeline, found []finding, err error) {
	ci, found, err := e.readGitLab()
	if err != nil {
		return nil, nil, err
	}
	delivering := map[string]bool{}
	for _, top := range ci.files {
		for _, name := range top.keys {
			script := ci.job(name).node.get("script").strings()
			if delivering[name] || !runsDeliver(strings.Join(script, "\n")) {
				continue
			}
			delivering[name] = true
			if f := ci.checkInterruptible(name); f != nil {
				found = append(found, *f)
			}
		}
	}
	if len(delivering) > 0 {
		all = append(all, pipeline{path: gitLabFile, cron: true})
	}
	return all, found, nil
}

// checkInterruptible goes by what a job says, else by what it extends, else by the default.
func (ci gitLabCI) checkInterruptible(name string) *finding {
	for _, job := range ci.extended(name) {
		switch stops := job.node.get("interruptible"); stops.text {
		case "":
			continue
		case "true":
			f := saw(doubt, "%s:%d: interruptible: true %s", job.path, stops.line, killed).
				to("write interruptible: false for the job that delivers")
			return &f
		}
		return nil
	}
	return nil
}
