//go:build unix

package main

import (
	"cmp"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestWorkflowFiles holds every workflow, those in the documents included, to the rules for what runs with a token.
func TestWorkflowFiles(t *testing.T) {
	files := map[string]*yamlNode{"docs/ci/github.yml": readYAML(t, "../../docs/ci/github.yml")}
	own, err := filepath.Glob("../../.github/workflows/*.yml")
	if err != nil || len(own) == 0 {
		t.Fatal(own, err)
	}
	for _, path := range own {
		files[path] = readYAML(t, path)
	}
	maps.Copy(files, documentedWorkflows(t))
	for name, file := range files {
		for _, flaw := range workflowFlaws(t, file) {
			t.Errorf("%s: %s", name, flaw)
		}
	}
	// The one to copy is complete.
	w := files["docs/ci/github.yml"]
	for _, want := range []string{"push", "schedule", "pull_request", "workflow_dispatch"} {
		if !slices.Contains(w.get("on").keys, want) {
			t.Errorf("docs/ci/github.yml does not run on %s", want)
		}
	}
	if cron := w.get("on", "schedule"); len(cron.list) != 1 || len(strings.Fields(cron.list[0].get("cron").text)) != 5 {
		t.Errorf("docs/ci/github.yml has the schedule %+v", cron)
	}
	if got := w.get("on", "workflow_dispatch", "inputs").keys; !slices.Equal(got, []string{"key", "decision", "post", "reason"}) {
		t.Errorf("its inputs for a resolve are %q", got)
	}
	for _, name := range w.get("jobs").keys {
		job := w.get("jobs", name)
		if job.get("timeout-minutes").text == "" {
			t.Errorf("docs/ci/github.yml: %s may run for ever", name)
		}
		for _, s := range job.get("steps").list {
			if strings.HasPrefix(s.get("uses").text, "actions/checkout@") && s.get("with", "fetch-depth").text != "1" {
				t.Errorf("docs/ci/github.yml: %s checks out more than it needs", name)
			}
		}
	}
}

// documentedWorkflows are those in the documents' blocks, by place.
func documentedWorkflows(t *testing.T) map[string]*yamlNode {
	t.Helper()
	files := map[string]*yamlNode{}
	for _, path := range documents(t) {
		for _, b := range readPage(t, path).blocks {
			if b.language != "yaml" || !strings.Contains(b.body, "jobs:") {
				continue
			}
			w, err := parseYAML([]byte(b.body))
			if err != nil {
				t.Fatalf("%s: %v", b.place, err)
			}
			files[b.place] = w
		}
	}
	return files
}

var (
	pinned   = regexp.MustCompile(`@(v[0-9]+|[0-9a-f]{40}|main)$`)
	mayWrite = regexp.MustCompile(`git[ -]socialpost .*\b(deliver|resolve|init|seed|import)|goreleaser\S* release\b`)
	sends    = regexp.MustCompile(`git[ -]socialpost .*\bdeliver\b`)
)

// workflowFlaws are what would let a stranger's words, or a later run, do harm, or what gives more than is needed.
func workflowFlaws(t *testing.T, w *yamlNode) (flaws []string) {
	complain := func(flaw string) { flaws = append(flaws, flaw) }
	if w.in["permissions"] == nil {
		complain("no permissions for all jobs")
	}
	if slices.Contains(w.get("on").keys, "pull_request_target") || w.get("on").text == "pull_request_target" {
		complain("pull_request_target")
	}
	for _, name := range w.get("jobs").keys {
		job := w.get("jobs", name)
		var pushes, delivers, keeps, comments bool
		depth := ""
		for _, s := range job.get("steps").list {
			run, command := s.get("run").text, ""
			if strings.HasPrefix(s.get("uses").text, "git-socialpost/git-socialpost@") {
				command = "git socialpost " + cmp.Or(s.get("with", "command").text, "deliver")
				keeps = true // see TestActionFile
			}
			pushes = pushes || mayWrite.MatchString(run+command)
			delivers = delivers || sends.MatchString(run+command)
			comments = comments || strings.Contains(run, "gh api")
			if strings.HasPrefix(s.get("uses").text, "actions/upload-artifact@") && s.get("if").text == "always()" && strings.Contains(s.get("with", "path").text, "recovery") {
				keeps = true
			}
			depth = cmp.Or(depth, s.get("with", "fetch-depth").text)
			flaws = append(flaws, stepFlaws(s)...)
		}
		if delivers && depth != "" && depth != "1" {
			complain(name + ": checks out " + depth)
		}
		permissions := w.get("permissions")
		if job.in["permissions"] != nil {
			permissions = job.get("permissions")
		}
		if permissions.text != "" {
			complain(name + ": permissions " + permissions.text)
		}
		for _, scope := range permissions.keys {
			granted := permissions.get(scope).text
			if granted == "write" && !(scope == "contents" && pushes || scope == "pull-requests" && comments) {
				complain(name + ": may write " + scope + ", and does not")
			}
		}
		if pushes && permissions.get("contents").text != "write" {
			complain(name + ": pushes, and may not")
		}
		concurrency := job.get("concurrency")
		if job.in["concurrency"] == nil {
			concurrency = w.get("concurrency")
		}
		if cancel := concurrency.get("cancel-in-progress").text; cancel != "" && cancel != "false" {
			complain(name + ": cancel-in-progress")
		}
		if delivers && concurrency.text+concurrency.get("group").text == "" {
			complain(name + ": delivers beside itself")
		}
		if delivers && !keeps {
			complain(name + ": keeps no recovery record")
		}
		r := &runner{machine: &machine{world: &world{TB: t}}}
		onPull := slices.Contains(w.get("on").keys, "pull_request") && r.holds(job.get("if").text, map[string]string{"github.event_name": "pull_request"})
		if onPull && (pushes || strings.Contains(job.all(), "secrets.")) {
			complain(name + ": pushes, or has a secret, where strangers' revisions are")
		}
	}
	return flaws
}

func stepFlaws(s *yamlNode) (flaws []string) {
	if uses := s.get("uses").text; uses != "" && !pinned.MatchString(uses) {
		flaws = append(flaws, "not pinned: "+uses)
	}
	run := s.get("run").text
	for _, word := range []string{"${{", "GITHUB_ENV", "GITHUB_PATH"} {
		if strings.Contains(run, word) {
			flaws = append(flaws, word+" in a script: "+run)
		}
	}
	return flaws
}

// The check itself must find what it looks for.
func TestWorkflowFlaws(t *testing.T) {
	const bad = `on:
  push:
  pull_request:
  pull_request_target:
jobs:
  deliver:
    concurrency: { group: x, cancel-in-progress: true }
    permissions: { contents: read, issues: write }
    steps:
      - uses: actions/checkout
        with: { fetch-depth: 0 }
      - run: git socialpost deliver
        env: { T: "${{ secrets.T }}" }
  beside:
    if: github.event_name == 'push'
    permissions: write-all
    steps:
      - run: git socialpost deliver --recovery x ${{ github.event.head_commit.message }}
      - uses: actions/upload-artifact@v4
        with: { path: recovery }
  preview:
    permissions: { contents: write }
    steps:
      - run: |
          git socialpost plan >>"$GITHUB_ENV"
`
	w, err := parseYAML([]byte(bad))
	if err != nil {
		t.Fatal(err)
	}
	got := strings.Join(workflowFlaws(t, w), "\n")
	for _, want := range []string{"no permissions for all", "pull_request_target", "not pinned: actions/checkout", "deliver: checks out 0", "deliver: may write issues", "deliver: pushes, and may not",
		"deliver: cancel-in-progress", "deliver: keeps no", "deliver: pushes, or has a secret", "beside: permissions write-all", "beside: delivers beside", "beside: keeps no",
		"${{ in a script", "preview: may write contents", "GITHUB_ENV in a script"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is not found in\n%s", want, got)
		}
	}
}

// TestActionFile: every input reaches a step and every step's input is declared; recovery records are kept whatever happens.
func TestActionFile(t *testing.T) {
	action := readYAML(t, actionFile)
	inputs := slices.Clone(action.get("inputs").keys)
	var used []string
	for _, m := range regexp.MustCompile(`inputs\.([a-z-]+)`).FindAllStringSubmatch(action.get("runs").all(), -1) {
		used = append(used, m[1])
	}
	slices.Sort(inputs)
	slices.Sort(used)
	if used = slices.Compact(used); !slices.Equal(used, inputs) {
		t.Errorf("the inputs are %q, and those used %q", inputs, used)
	}
	kept := false
	app := new(tool).app()
	for _, s := range action.get("runs", "steps").list {
		for _, flaw := range stepFlaws(s) {
			t.Error(flaw)
		}
		if s.get("run").text != "" && s.get("shell").text != "bash" {
			t.Errorf("a script without a shell: %s", s.get("name").text)
		}
		if strings.HasPrefix(s.get("uses").text, "actions/upload-artifact@") {
			kept = s.get("if").text == "always() && inputs.command == 'deliver'" && strings.Contains(s.get("with", "path").text, "recovery")
		}
		for _, m := range regexp.MustCompile(`(?m)^ *(?:value|flag) ([a-z-]+) `).FindAllStringSubmatch(s.get("run").text, -1) {
			known := false
			for _, cmd := range app.Commands {
				known = known || hasFlag(cmd, m[1])
			}
			if !known {
				t.Errorf("no command has an option --%s", m[1])
			}
		}
	}
	if !kept {
		t.Error("recovery records are not kept")
	}
	for _, name := range action.get("inputs").keys {
		if action.get("inputs", name, "description").text == "" {
			t.Errorf("the input %s has no description", name)
		}
	}
}

func readYAML(t *testing.T, path string) *yamlNode {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	n, err := parseYAML(data)
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	return n
}
