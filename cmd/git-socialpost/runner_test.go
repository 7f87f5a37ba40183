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
)

// A runner does the jobs of a GitHub workflow on a machine, scripts and all. What other actions do it only takes note of.
type runner struct {
	*machine
	temp     string
	context  map[string]string // github.event_name, secrets.X and the like
	log      string
	summary  string
	uploaded []string // files that an artifact keeps
	results  []string // of the steps that have run: exit statuses
}

const actionFile = "../../action.yml"

// newRunner is a runner that has checked out this revision, as actions/checkout does: one commit, and no branch for a pull
// request's.
func (w *world) newRunner(name, revision string, context map[string]string) *runner {
	w.Helper()
	m := &machine{world: w, dir: filepath.Join(w.dir, name)}
	w.git("init", "-q", m.dir)
	m.git("remote", "add", "origin", w.url)
	m.git("fetch", "-q", "--depth=1", "origin", revision)
	if branch, found := strings.CutPrefix(revision, "refs/heads/"); found {
		m.git("checkout", "-q", "-B", branch, "FETCH_HEAD")
	} else {
		m.git("checkout", "-q", "--detach", "FETCH_HEAD")
	}
	r := &runner{machine: m, temp: filepath.Join(w.dir, name+" temp"), context: map[string]string{
		"runner.temp": filepath.Join(w.dir, name+" temp"), "github.run_attempt": "1", "github.repository": "example/blog",
		"github.ref_name": "main", "github.event.repository.default_branch": "main",
		"secrets.LINKEDIN_ACCESS_TOKEN": w.token(),
	}}
	maps.Copy(r.context, context)
	w.check(os.Mkdir(r.temp, 0o777))
	return r
}

func (w *world) token() string {
	for _, entry := range w.env {
		if value, found := strings.CutPrefix(entry, defaultTokenEnv+"="); found {
			return value
		}
	}
	return ""
}

// event does the jobs of a workflow that are for this event, and returns their names and whether all went well.
func (r *runner) event(workflow *yamlNode) (jobs []string, ok bool) {
	r.Helper()
	ok = true
	for _, name := range workflow.get("jobs").keys {
		job := workflow.get("jobs", name)
		if r.holds(job.get("if").text, r.context) {
			jobs = append(jobs, name)
			ok = r.steps(job.get("steps").list, maps.Clone(r.context), nil) && ok
		}
	}
	return jobs, ok
}

// steps does steps one after the other, and reports whether all went well.
func (r *runner) steps(steps []*yamlNode, context map[string]string, env []string) (ok bool) {
	r.Helper()
	ok = true
	for _, s := range steps {
		condition := s.get("if").text
		if !ok && !strings.Contains(condition, "always()") || !r.holds(condition, context) {
			continue
		}
		with := map[string]string{}
		for _, key := range s.get("with").keys {
			with[key] = r.filled(s.get("with", key).text, context)
		}
		switch uses, _, _ := strings.Cut(s.get("uses").text, "@"); uses {
		case "":
			ok = r.script(s, context, env) == 0 && ok
		case "git-socialpost/git-socialpost":
			ok = r.action(with) && ok
		case "actions/checkout", "actions/setup-go":
		case "actions/upload-artifact":
			files, err := filepath.Glob(filepath.Join(with["path"], "*"))
			r.check(err)
			r.uploaded = append(r.uploaded, files...)
		default:
			r.Fatalf("nobody knows what %s does", uses)
		}
	}
	return ok
}

// action does the steps of action.yml.
func (r *runner) action(with map[string]string) bool {
	r.Helper()
	data, err := os.ReadFile(actionFile)
	r.check(err)
	action, err := parseYAML(data)
	r.check(err)
	inside := maps.Clone(r.context)
	for _, name := range action.get("inputs").keys {
		inside["inputs."+name] = action.get("inputs", name, "default").text
	}
	for name, value := range with {
		if action.get("inputs").in[name] == nil {
			r.Fatalf("action.yml has no input %q", name)
		}
		inside["inputs."+name] = value
	}
	top, err := filepath.Abs(filepath.Dir(actionFile))
	r.check(err)
	env := []string{"GITHUB_ACTION_PATH=" + top}
	for _, name := range []string{"GOCACHE", "GOMODCACHE", "GOPROXY"} {
		value, err := exec.Command("go", "env", name).Output()
		r.check(err)
		env = append(env, name+"="+strings.TrimSpace(string(value)))
	}
	return r.steps(action.get("runs", "steps").list, inside, env)
}

// script runs a step's script as GitHub does, and returns its exit status.
func (r *runner) script(s *yamlNode, context map[string]string, env []string) int {
	r.Helper()
	dir, err := os.MkdirTemp(r.temp, "step")
	r.check(err)
	file := func(name string) string { return filepath.Join(dir, name) }
	r.check(os.WriteFile(file("script.sh"), []byte(s.get("run").text), 0o666))
	for _, name := range []string{"output", "summary"} {
		r.check(os.WriteFile(file(name), nil, 0o666))
	}
	cmd := exec.Command("bash", "--noprofile", "--norc", "-eo", "pipefail", file("script.sh"))
	cmd.Dir = filepath.Join(r.machine.dir, cmp.Or(r.filled(s.get("working-directory").text, context), "."))
	cmd.Env = slices.DeleteFunc(slices.Concat(r.world.env, r.machine.env, env), func(entry string) bool { return strings.HasPrefix(entry, defaultTokenEnv+"=") })
	cmd.Env = append(cmd.Env, "CI=true", "GITHUB_ACTIONS=true", "RUNNER_TEMP="+r.temp, "GITHUB_OUTPUT="+file("output"), "GITHUB_STEP_SUMMARY="+file("summary"),
		"GITHUB_ACTOR=octocat", "GITHUB_SERVER_URL=https://github.com", "GITHUB_REPOSITORY="+r.context["github.repository"], "GITHUB_RUN_ID=17", "GITHUB_RUN_ATTEMPT=1")
	for _, name := range s.get("env").keys {
		cmd.Env = append(cmd.Env, name+"="+r.filled(s.get("env", name).text, context))
	}
	printed, err := cmd.CombinedOutput()
	if cmd.ProcessState == nil {
		r.Fatal(err)
	}
	r.log += string(printed)
	status := cmd.ProcessState.ExitCode()
	r.results = append(r.results, fmt.Sprint(status))
	said, err := os.ReadFile(file("summary"))
	r.check(err)
	r.summary += string(said)
	output, err := os.ReadFile(file("output"))
	r.check(err)
	for line := range strings.Lines(string(output)) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), "=")
		context["steps."+s.get("id").text+".outputs."+name] = value
	}
	return status
}

var expressionForm = regexp.MustCompile(`\$\{\{ (.*?) \}\}`)

// filled is a value with its expressions evaluated.
func (r *runner) filled(value string, context map[string]string) string {
	return expressionForm.ReplaceAllStringFunc(value, func(s string) string {
		return fmt.Sprint(r.evaluate(expressionForm.FindStringSubmatch(s)[1], context))
	})
}

func (r *runner) holds(condition string, context map[string]string) bool {
	return condition == "" || truthy(r.evaluate(condition, context))
}

// evaluate evaluates an expression of a workflow: ||, &&, ==, !=, parentheses, strings, names, always() and format().
func (r *runner) evaluate(s string, context map[string]string) any {
	e := &expression{words: expressionWords.FindAllString(s, -1), context: context}
	if strings.ReplaceAll(strings.Join(e.words, ""), " ", "") != strings.ReplaceAll(s, " ", "") {
		r.Fatalf("the expression %q is more than this reader reads", s)
	}
	value := e.either()
	if len(e.words) > 0 {
		r.Fatalf("the expression %q: what is %q?", s, e.words)
	}
	return value
}

var expressionWords = regexp.MustCompile(`'[^']*'|\|\||&&|==|!=|[(),]|[A-Za-z_][A-Za-z0-9_.-]*`)

type expression struct {
	words   []string
	context map[string]string
}

func truthy(v any) bool { return v != "" && v != false }

func (e *expression) take(words ...string) string {
	if len(e.words) == 0 || len(words) > 0 && !slices.Contains(words, e.words[0]) {
		return ""
	}
	word := e.words[0]
	e.words = e.words[1:]
	return word
}

func (e *expression) either() any {
	v := e.both()
	for e.take("||") != "" {
		if other := e.both(); !truthy(v) {
			v = other
		}
	}
	return v
}

func (e *expression) both() any {
	v := e.compared()
	for e.take("&&") != "" {
		if other := e.compared(); truthy(v) {
			v = other
		}
	}
	return v
}

func (e *expression) compared() any {
	v := e.single()
	switch e.take("==", "!=") {
	case "==":
		return v == e.single()
	case "!=":
		return v != e.single()
	}
	return v
}

func (e *expression) single() any {
	word := e.take()
	switch {
	case word == "(":
		v := e.either()
		e.take(")")
		return v
	case strings.HasPrefix(word, "'"):
		return strings.Trim(word, "'")
	case e.take("(") == "":
		return e.context[word]
	case word == "always":
		e.take(")")
		return true
	case word == "format":
		text := fmt.Sprint(e.either())
		for i := 0; e.take(",") != ""; i++ {
			text = strings.ReplaceAll(text, fmt.Sprintf("{%d}", i), fmt.Sprint(e.either()))
		}
		e.take(")")
		return text
	}
	e.words = append([]string{word, "("}, e.words...) // unknown, and so left over
	return ""
}
