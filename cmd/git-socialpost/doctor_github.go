package main

import (
	"cmp"
	"maps"
	"path"
	"slices"
	"strings"
)

// checkWorkflows returns GitHub's workflows that deliver, and what is wrong with them.
func (e *exam) checkWorkflows() (all []pipeline, found []finding, err error) {
	names, err := e.workflows()
	if err != nil {
		return nil, nil, err
	}
	for _, name := range names {
		top, flaw, err := e.readPipeline(name)
		if err != nil {
			return nil, nil, err
		}
		if flaw != nil {
			found = append(found, *flaw)
		}
		delivers := false
		for _, key := range top.get("jobs").keys {
			job := ciJob{path: name, node: top.get("jobs", key)}
			for _, s := range job.node.get("steps").items() {
				if stepDelivers(s) {
					job.steps = append(job.steps, s)
				}
			}
			if len(job.steps) > 0 {
				delivers = true
				found = append(found, e.checkJob(top, job)...)
			}
		}
		if delivers {
			all = append(all, pipeline{path: name, cron: len(top.get("on", "schedule").items()) > 0})
			found = append(found, e.checkTrigger(name, top)...)
		}
	}
	return all, found, nil
}

func usesAction(step *yamlNode) bool { return usesNamed(step, "git-socialpost") }

// usesNamed goes by the action's repository, below whatever owner.
func usesNamed(step *yamlNode, action string) bool {
	name, _, _ := strings.Cut(step.get("uses").text, "@")
	return path.Base(name) == action
}

func stepDelivers(step *yamlNode) bool {
	if usesAction(step) { // deliver is what it does unless told otherwise
		command := cmp.Or(step.get("with", "command").text, "deliver")
		return step.get("with", "dry-run").text != "true" && command == "deliver" || strings.Contains(command, "${{")
	}
	return runsDeliver(step.get("run").text)
}

func (e *exam) checkJob(top *yamlNode, job ciJob) (found []finding) {
	for _, n := range []*yamlNode{top, job.node} {
		if cancel := n.get("concurrency", "cancel-in-progress"); cancel.text != "" && cancel.text != "false" {
			found = append(found, saw(doubt, "%s:%d: cancel-in-progress: %s %s", job.path, cancel.line, cancel.text, killed).
				to("write cancel-in-progress: false there"))
		}
	}
	for _, s := range job.node.get("steps").items() {
		if keeps := s.get("with", "persist-credentials"); usesNamed(s, "checkout") && keeps.text == "false" && !s.get("with").has("repository") {
			found = append(found, saw(doubt, "%s:%d: persist-credentials: false leaves git without the right to push the ledger", job.path, keeps.line).
				to("remove it from the checkout, or let a later step give git a token"))
		}
	}
	rights := top.get("permissions")
	if job.node.has("permissions") {
		rights = job.node.get("permissions")
	}
	if rights.text != "write-all" && rights.get("contents").text != "write" {
		found = append(found, saw(doubt, "%s: nothing gives the job's token the right to push the ledger", job.path).
			to("add permissions: { contents: write }"))
	}
	for _, s := range job.steps {
		for _, name := range e.tokenNames() {
			given := top.get("env").has(name) || job.node.get("env").has(name) || s.get("env").has(name)
			if name == defaultTokenEnv && usesAction(s) {
				given = given || s.get("with").has("token")
			}
			if !given {
				found = append(found, saw(doubt, "%s:%d: nothing gives %s to the step", job.path, s.line, name).
					to("add env: { "+name+": \"${{ secrets."+name+" }}\" } to it"))
			}
		}
	}
	return found
}

// tokenNames are the variables that the channels' tokens are in.
func (e *exam) tokenNames() []string {
	names := map[string]bool{}
	for _, ch := range e.cfg.Channels {
		names[ch.TokenEnv] = true
	}
	return slices.Sorted(maps.Keys(names))
}

// checkTrigger warns where a push to the branch that is delivered starts nothing.
func (e *exam) checkTrigger(name string, top *yamlNode) []finding {
	branches := top.get("on", "push", "branches")
	if len(branches.items()) == 0 {
		return nil
	}
	for _, pattern := range branches.strings() {
		if pattern == e.cfg.Branch || strings.ContainsAny(pattern, "*?+[!") { // a pattern may mean it
			return nil
		}
	}
	return []finding{saw(doubt, "%s:%d: a push to %q, the branch that is delivered, does not start it", name, branches.line, e.cfg.Branch).
		to("name that branch there: branches: [" + e.cfg.Branch + "]")}
}
