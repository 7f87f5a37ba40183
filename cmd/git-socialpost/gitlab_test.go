//go:build unix

package main

import (
	"maps"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/git-socialpost/git-socialpost/linkedin/sandbox"
)

const gitlabFile = "../../docs/ci/gitlab.yml"

// gitlabJob is a job with what it inherits.
func gitlabJob(file *yamlNode, name string) *yamlNode {
	job := file.get(name)
	parent := job.get("extends").text
	if parent == "" {
		return job
	}
	merged := &yamlNode{in: maps.Clone(gitlabJob(file, parent).in)}
	for _, key := range job.keys {
		if key == "variables" {
			all := maps.Clone(merged.get(key).in)
			maps.Copy(all, job.get(key).in)
			merged.in[key] = &yamlNode{in: all}
		} else {
			merged.in[key] = job.get(key)
		}
	}
	return merged
}

// gitlabRuns reports whether a job is in a pipeline with these variables, and whether somebody must start it.
func gitlabRuns(r *runner, job *yamlNode, vars map[string]string) (in, manual bool) {
	for _, rule := range job.get("rules").list {
		condition := strings.NewReplacer("$", "", `"`, "'").Replace(rule.get("if").text)
		if r.holds(condition, vars) {
			return true, rule.get("when").text == "manual"
		}
	}
	return false, false
}

func TestGitLabFile(t *testing.T) {
	file := readYAML(t, gitlabFile)
	r := &runner{machine: &machine{world: &world{TB: t}}}
	for pipeline, want := range map[string]string{
		"push main": "socialpost:deliver", "schedule main": "socialpost:deliver", "web main": "socialpost:resolve (manual)",
		"merge_request_event ": "socialpost:preview", "push feature": "", "web feature": "", "schedule feature": "",
	} {
		source, branch, _ := strings.Cut(pipeline, " ")
		vars := map[string]string{"CI_PIPELINE_SOURCE": source, "CI_COMMIT_BRANCH": branch, "CI_DEFAULT_BRANCH": "main"}
		var got []string
		for _, name := range file.keys {
			switch in, manual := gitlabRuns(r, gitlabJob(file, name), vars); {
			case manual:
				got = append(got, name+" (manual)")
			case in:
				got = append(got, name)
			}
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s: got %q, want %q", pipeline, got, want)
		}
	}
	deliver := gitlabJob(file, "socialpost:deliver")
	for _, want := range []struct{ value, is string }{
		{deliver.get("resource_group").text, "socialpost"}, // one after the other
		{deliver.get("interruptible").text, "false"},
		{deliver.get("variables", "GIT_DEPTH").text, "1"},
		{deliver.get("artifacts", "when").text, "always"},
		{deliver.get("artifacts", "expire_in").text, "never"},
	} {
		if want.value != want.is {
			t.Errorf("socialpost:deliver has %q, not %q", want.value, want.is)
		}
	}
	folder := regexp.MustCompile(`--recovery "\$CI_PROJECT_DIR/([a-z-]+)"`).FindStringSubmatch(deliver.get("script").all())
	if paths := deliver.get("artifacts", "paths").strings(); folder == nil || !slices.Equal(paths, []string{folder[1] + "/"}) {
		t.Errorf("recovery records go to %q, and %q is kept", folder, paths)
	}
}

// gitlab runs a job's scripts as GitLab's runner does, but for the installation, and returns what they print.
func (m *machine) gitlab(file *yamlNode, name string, vars map[string]string) (out string, status int) {
	m.Helper()
	job := gitlabJob(file, name)
	var script []string
	for _, line := range slices.Concat(job.get("before_script").strings(), job.get("script").strings()) {
		if !strings.HasPrefix(line, "go install ") && !strings.HasPrefix(line, "export PATH=") {
			script = append(script, line)
		}
	}
	cmd := exec.Command("sh", "-ec", strings.Join(script, "\n"))
	cmd.Dir = m.dir
	cmd.Env = append(slices.Concat(m.world.env, m.env), "CI=true", "GITLAB_CI=true", "CI_PROJECT_DIR="+m.dir, "CI_JOB_URL=https://gitlab.example/job/7", "GITLAB_USER_LOGIN=tanuki")
	for name, value := range job.get("variables").in {
		if _, given := vars[name]; !given {
			cmd.Env = append(cmd.Env, name+"="+value.text)
		}
	}
	for name, value := range vars {
		cmd.Env = append(cmd.Env, name+"="+value)
	}
	printed, err := cmd.CombinedOutput()
	if cmd.ProcessState == nil {
		m.Fatal(err)
	}
	return string(printed), cmd.ProcessState.ExitCode()
}

// TestGitLab runs the scripts of docs/ci/gitlab.yml for real, against a remote that wants the push token.
func TestGitLab(t *testing.T) {
	t.Parallel()
	file := readYAML(t, gitlabFile)
	w := newWorld(t, noteKey, otherKey)
	const token = "glpat-secret"
	w.serveHTTP(func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
			push := strings.HasSuffix(r.URL.Path, "/git-receive-pack") || r.URL.Query().Get("service") == "git-receive-pack"
			if user, password, _ := r.BasicAuth(); push && (user != "socialpost" || password != token) {
				rw.Header().Set("WWW-Authenticate", `Basic realm="GitLab"`)
				http.Error(rw, "HTTP Basic: Access denied", http.StatusUnauthorized)
				return
			}
			next.ServeHTTP(rw, r)
		})
	})
	m := w.clone("job", "--depth=1")
	url := strings.TrimSuffix(w.url, ".git")
	do := func(want int, job string, vars map[string]string) string {
		t.Helper()
		vars["CI_PROJECT_URL"], vars["CI_SERVER_URL"] = url, strings.TrimSuffix(url, "/remote")
		out, status := m.gitlab(file, job, vars)
		if status != want || strings.Contains(out, token) || strings.Contains(out, sandbox.DefaultToken) {
			t.Fatalf("%s %v: exit status %d, want %d\n%s", job, vars, status, want, out)
		}
		return out
	}
	push := func(more ...string) map[string]string {
		vars := map[string]string{"SOCIALPOST_PUSH_TOKEN": token}
		for i := 0; i < len(more); i += 2 {
			vars["SOCIALPOST_"+more[i]] = more[i+1]
		}
		return vars
	}
	do(0, "socialpost:preview", map[string]string{})
	if preview, err := os.ReadFile(filepath.Join(m.dir, "socialpost-preview.md")); err != nil || !strings.Contains(string(preview), textOf(noteKey)) {
		t.Errorf("%v, %q", err, preview)
	}
	do(1, "socialpost:deliver", map[string]string{}) // it may not push, and so sends nothing
	if w.Received() > 0 {
		t.Fatal("posted without an intent")
	}
	// Where LinkedIn's token is missing, the other one does not take its place.
	w.await(func(r *http.Request) {
		if strings.Contains(r.Header.Get("Authorization"), token) {
			t.Error("LinkedIn has seen the push token")
		}
	})
	none := push()
	none[defaultTokenEnv] = ""
	if out := do(1, "socialpost:deliver", none); !strings.Contains(out, defaultTokenEnv) {
		t.Errorf("the missing token is not named: %q", out)
	}
	w.check(w.Arm(sandbox.Fault{Kind: "close", When: sandbox.Before}))
	do(3, "socialpost:deliver", push())
	if out := do(0, "socialpost:resolve", push()); !strings.Contains(out, noteKey+": unknown") {
		t.Errorf("what is open is shown as %q", out)
	}
	do(129, "socialpost:resolve", push("KEY", noteKey, "DECISION", "$(touch pwned)"))
	do(129, "socialpost:resolve", push("KEY", noteKey, "DECISION", "posted"))
	do(129, "socialpost:resolve", push("KEY", "--help", "DECISION", "not-posted"))
	const reason = `"; touch pwned; $(touch pwned)`
	do(0, "socialpost:resolve", push("KEY", noteKey, "DECISION", "not-posted", "REASON", reason))
	rec := w.records()[noteKey]
	if rec.Resolution == nil || rec.Resolution.Reason != reason || rec.Resolution.By != "tanuki (GitLab CI)" || rec.Run != "https://gitlab.example/job/7" {
		t.Errorf("the ledger has %+v", rec.Resolution)
	}
	do(0, "socialpost:deliver", push())
	if len(w.Stored()) != 2 {
		t.Errorf("the feed is %+v", w.Stored())
	}
	if found, _ := filepath.Glob(filepath.Join(m.dir, "pwned")); len(found) > 0 {
		t.Error("a variable was a command")
	}
	w.url = "file://" + w.remote
	w.audit()
}
