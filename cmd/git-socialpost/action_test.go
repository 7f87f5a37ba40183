//go:build unix

package main

import (
	"cmp"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/git-socialpost/git-socialpost/linkedin/sandbox"
)

// actionStep is one step of action.yml that has a script.
type actionStep struct {
	dir, script string
	env         map[string]string // as they are written, expressions included
}

// An action is what action.yml says. It is written so simply that its indentation is enough to read it.
type action struct {
	inputs map[string]string // with their defaults
	steps  []*actionStep
}

var yamlLine = regexp.MustCompile(`^( *)(- )?([A-Za-z_-]+):(?: (.*))?$`)

func readAction(t *testing.T) *action {
	t.Helper()
	data, err := os.ReadFile("../../action.yml")
	if err != nil {
		t.Fatal(err)
	}
	a := &action{inputs: map[string]string{}}
	section, input, inner := "", "", ""
	var now *actionStep
	for line := range strings.Lines(string(data)) {
		line = strings.TrimSuffix(line, "\n")
		if now != nil && inner == "run" && strings.HasPrefix(line, "        ") {
			now.script += strings.TrimPrefix(line, "        ") + "\n"
			continue
		}
		if strings.HasPrefix(strings.TrimSpace(line), "#") {
			continue
		}
		m := yamlLine.FindStringSubmatch(line)
		if m == nil {
			t.Fatalf("action.yml: %q is more than this reader reads", line)
		}
		depth, key, value := len(m[1])+len(m[2]), m[3], strings.Trim(m[4], `"`)
		if m[2] != "" {
			now = &actionStep{env: map[string]string{}}
			a.steps = append(a.steps, now)
		}
		switch {
		case depth == 0:
			section = key
		case section == "inputs" && depth == 2:
			input = key
			a.inputs[input] = ""
		case section == "inputs" && key == "default":
			a.inputs[input] = value
		case section == "runs" && depth == 6:
			if inner = key; key == "working-directory" {
				now.dir = value
			}
		case section == "runs" && depth == 8 && inner == "env":
			now.env[key] = value
		}
	}
	a.steps = slices.DeleteFunc(a.steps, func(s *actionStep) bool { return s.script == "" })
	return a
}

var inputRef = regexp.MustCompile(`\$\{\{ inputs\.([a-z-]+) \}\}`)

// A runner runs the action's scripts on a machine, as GitHub's does.
type runner struct {
	*machine
	*action
	temp string
}

// runStep runs one script with these inputs. It returns what it printed, and its exit status.
func (r *runner) runStep(s *actionStep, with map[string]string) (out string, status int) {
	r.Helper()
	filled := func(value string) string {
		return inputRef.ReplaceAllStringFunc(value, func(ref string) string {
			name := inputRef.FindStringSubmatch(ref)[1]
			if value, given := with[name]; given {
				return value
			}
			return r.inputs[name]
		})
	}
	script := filepath.Join(r.temp, "script.sh")
	r.check(os.WriteFile(script, []byte(s.script), 0o666))
	cmd := exec.Command("bash", "--noprofile", "--norc", "-eo", "pipefail", script)
	cmd.Dir = filepath.Join(r.machine.dir, cmp.Or(filled(s.dir), "."))
	top, err := filepath.Abs("../..")
	r.check(err)
	cmd.Env = append(slices.Concat(r.world.env, r.machine.env), "GITHUB_ACTIONS=true", "GITHUB_ACTION_PATH="+top,
		"RUNNER_TEMP="+r.temp, "GITHUB_OUTPUT="+filepath.Join(r.temp, "output"), "GITHUB_STEP_SUMMARY="+filepath.Join(r.temp, "summary.md"),
		"GITHUB_ACTOR=octocat", "GOCACHE="+r.goEnv("GOCACHE"), "GOMODCACHE="+r.goEnv("GOMODCACHE"))
	for name, value := range s.env {
		cmd.Env = append(cmd.Env, name+"="+filled(value))
	}
	printed, err := cmd.CombinedOutput()
	if cmd.ProcessState == nil {
		r.Fatal(err)
	}
	return string(printed), cmd.ProcessState.ExitCode()
}

func (r *runner) goEnv(name string) string {
	out, err := exec.Command("go", "env", name).Output()
	r.check(err)
	return strings.TrimSpace(string(out))
}

// use runs the action's last script, and demands an exit status.
func (r *runner) use(want int, with map[string]string) string {
	r.Helper()
	out, status := r.runStep(r.steps[len(r.steps)-1], with)
	if status != want {
		r.Fatalf("%v: exit status %d, want %d\n%s", with, status, want, out)
	}
	return out
}

// TestAction runs the scripts of action.yml for real: it builds the program, and delivers and resolves with it.
func TestAction(t *testing.T) {
	w := newWorld(t, noteKey, "other:linkedin-en")
	w.env = slices.DeleteFunc(w.env, func(entry string) bool { return strings.HasPrefix(entry, defaultTokenEnv+"=") })
	const token = sandbox.DefaultToken
	r := &runner{machine: w.clone("checkout", "--depth=1"), action: readAction(t), temp: filepath.Join(w.dir, "runner temp")}
	w.check(os.Mkdir(r.temp, 0o777))
	if len(r.steps) != 2 {
		t.Fatalf("action.yml has %d scripts, want two: build and run", len(r.steps))
	}
	if out, status := r.runStep(r.steps[0], nil); status != 0 {
		t.Fatalf("build: exit status %d\n%s", status, out)
	}
	// A plan has no token, and its answer can go to a file.
	preview := filepath.Join(r.temp, "preview.md")
	out := r.use(0, map[string]string{"command": "plan", "markdown": "true", "output": preview, "token": token})
	if data, _ := os.ReadFile(preview); !strings.HasPrefix(string(data), previewMark) || !strings.Contains(string(data), textOf(noteKey)) {
		t.Errorf("the preview is %q; the log %q", data, out)
	}
	if len(w.Stored()) > 0 {
		t.Fatal("a plan has posted")
	}
	// Without a token nothing is sent; with it, one key of two.
	r.use(1, map[string]string{"key": noteKey})
	out = r.use(0, map[string]string{"key": noteKey, "token": token})
	if !strings.HasPrefix(out, noteKey+" urn:li:share:") || len(w.Stored()) != 1 {
		t.Errorf("%d posts in the feed, and the answer is %q", len(w.Stored()), out)
	}
	output, err := os.ReadFile(filepath.Join(r.temp, "output"))
	folder := filepath.Join(r.temp, "socialpost", "recovery")
	if info, statErr := os.Stat(folder); err != nil || !strings.Contains(string(output), "recovery="+folder+"\n") || statErr != nil || !info.IsDir() {
		t.Errorf("%q, %v, %v", output, err, statErr)
	}
	// What is typed into an input is never a command, and a key never an option.
	const reason = "$(touch pwned) `touch pwned`\"; touch pwned; ' ${IN_TOKEN} \\ ::error::x"
	w.check(w.Arm(sandbox.Fault{Kind: "500", When: sandbox.Before}))
	r.use(3, map[string]string{"token": token})
	r.use(129, map[string]string{"key": "--any-revision", "token": token})
	r.use(129, map[string]string{"key": "$(touch pwned)", "token": token})
	r.use(129, map[string]string{"dry-run": "$(touch pwned)", "token": token})
	r.use(129, map[string]string{"command": "--version --x", "token": token})
	r.use(0, map[string]string{"command": "resolve"})
	out = r.use(0, map[string]string{"command": "resolve", "key": "other:linkedin-en", "not-posted": "true", "reason": reason})
	rec := w.records()["other:linkedin-en"]
	if rec.Resolution == nil || rec.Resolution.Reason != reason || rec.Resolution.By != "octocat (GitHub Actions)" {
		t.Errorf("the ledger has %+v; the log %q", rec.Resolution, out)
	}
	// Several keys, and another folder.
	r.use(0, map[string]string{"key": noteKey + "\n other:linkedin-en ", "token": token, "recovery": "kept here", "working-directory": "social"})
	if _, err := os.Stat(filepath.Join(r.machine.dir, "social", "kept here")); err != nil || len(w.Stored()) != 2 {
		t.Errorf("%v, and %d posts in the feed", err, len(w.Stored()))
	}
	if found, _ := filepath.Glob(filepath.Join(w.dir, "*", "*pwned*")); len(found) > 0 {
		t.Errorf("an input was a command: %s", found)
	}
	summary, err := os.ReadFile(filepath.Join(r.temp, "summary.md"))
	if err != nil || strings.Contains(string(summary), token) || !strings.Contains(string(summary), "## git socialpost deliver") {
		t.Errorf("%v, %q", err, summary)
	}
	w.audit()
}

// TestActionInputs: every input reaches a step and every step's input is declared, under options that the program has.
func TestActionInputs(t *testing.T) {
	data, err := os.ReadFile("../../action.yml")
	if err != nil {
		t.Fatal(err)
	}
	a, used := readAction(t), map[string]bool{}
	for _, m := range regexp.MustCompile(`inputs\.([a-z-]+)`).FindAllStringSubmatch(string(data), -1) {
		used[m[1]] = true
	}
	if got, want := slices.Sorted(maps.Keys(used)), slices.Sorted(maps.Keys(a.inputs)); !slices.Equal(got, want) {
		t.Errorf("the inputs are %s, and those used %s", want, got)
	}
	app := new(tool).app()
	for _, m := range regexp.MustCompile(`(?m)^ *(?:value|flag) ([a-z-]+) `).FindAllStringSubmatch(string(data), -1) {
		known := false
		for _, cmd := range app.Commands {
			known = known || hasFlag(cmd, m[1])
		}
		if !known {
			t.Errorf("no command has an option --%s", m[1])
		}
	}
}

// workflows are all files that run on a CI's runner.
func workflows(t *testing.T) map[string]string {
	t.Helper()
	own, err := filepath.Glob("../../.github/workflows/*.yml")
	if err != nil || len(own) == 0 {
		t.Fatal(own, err)
	}
	files := map[string]string{}
	for _, name := range append(own, "../../action.yml", "../../docs/ci/github.yml") {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		files[name] = string(data)
	}
	return files
}

func TestWorkflows(t *testing.T) {
	for name, text := range workflows(t) {
		for _, flaw := range workflowFlaws(text, filepath.Base(name) == "action.yml") {
			t.Errorf("%s: %s", name, flaw)
		}
	}
}

// workflowFlaws are what would let a stranger's words, or a later run, do harm.
func workflowFlaws(text string, isAction bool) (flaws []string) {
	if !isAction && !regexp.MustCompile(`(?m)^permissions:`).MatchString(text) {
		flaws = append(flaws, "no permissions for all jobs")
	}
	for _, word := range []string{"cancel-in-progress: true", "pull_request_target", "write-all", "GITHUB_ENV", "GITHUB_PATH", "secrets: inherit"} {
		if strings.Contains(text, word) {
			flaws = append(flaws, word)
		}
	}
	scriptDepth, job := 0, ""
	for line := range strings.Lines(text) {
		depth := len(line) - len(strings.TrimLeft(line, " "))
		content := strings.TrimSpace(line)
		if m := regexp.MustCompile(`^  ([a-z]+):`).FindStringSubmatch(line); m != nil {
			job = m[1]
		}
		inScript := scriptDepth > 0 && (depth > scriptDepth || content == "")
		if !inScript {
			scriptDepth = 0
		}
		key := strings.TrimPrefix(content, "- ")
		if strings.HasPrefix(key, "run:") {
			scriptDepth, inScript = depth+len(content)-len(key), true
		}
		if inScript && strings.Contains(line, "${{") {
			flaws = append(flaws, "an expression in a script: "+content)
		}
		if uses, found := strings.CutPrefix(key, "uses: "); found && !regexp.MustCompile(`@(v[0-9]+|[0-9a-f]{40}|main)$`).MatchString(uses) {
			flaws = append(flaws, "not pinned: "+uses)
		}
		if job == "preview" && strings.Contains(line, "secrets.") {
			flaws = append(flaws, "a secret where strangers' revisions are")
		}
	}
	return flaws
}

// The check itself must find what it looks for.
func TestWorkflowFlaws(t *testing.T) {
	const bad = `on: pull_request_target
jobs:
  preview:
    concurrency: { cancel-in-progress: true }
    steps:
      - uses: actions/checkout
      - run: echo ${{ github.event.head_commit.message }}
      - name: x
        run: |

          echo ${{ inputs.key }}
        env: { T: "${{ secrets.T }}" }
`
	got := fmt.Sprint(workflowFlaws(bad, false))
	for _, want := range []string{"no permissions", "cancel-in-progress", "pull_request_target", "not pinned: actions/checkout", "script: - run: echo", "script: echo", "a secret"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is not found in %s", want, got)
		}
	}
}
