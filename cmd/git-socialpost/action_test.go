//go:build unix

package main

import (
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/git-socialpost/git-socialpost/linkedin/sandbox"
)

const otherKey = "other:linkedin-en"

// use runs the action with these inputs, and demands the last exit status.
func (r *runner) use(want string, with map[string]string) (log string) {
	r.Helper()
	before := len(r.log)
	r.action(with)
	log = r.log[before:]
	if got := r.results[len(r.results)-1]; got != want {
		r.Fatalf("%v: exit status %s, want %s\n%s", with, got, want, log)
	}
	return log
}

// TestAction runs the scripts of action.yml for real: it builds the program, and plans, delivers and resolves with it.
func TestAction(t *testing.T) {
	t.Parallel()
	w := newWorld(t, noteKey, otherKey)
	const token = sandbox.DefaultToken
	r := w.newRunner("checkout", "refs/heads/main", nil)
	// A plan has no token, and its answer can go to a file.
	preview := filepath.Join(r.temp, "preview.md")
	log := r.use("0", map[string]string{"command": "plan", "markdown": "true", "output": preview, "token": token})
	if data, _ := os.ReadFile(preview); !strings.HasPrefix(string(data), previewMark) || !strings.Contains(string(data), textOf(noteKey)) {
		t.Errorf("the preview is %q; the log %q", data, log)
	}
	if len(w.Stored()) > 0 || len(r.uploaded) > 0 {
		t.Fatal("a plan has posted, or left something to be kept")
	}
	// Without a token nothing is sent; with it, one key of two.
	r.use("1", map[string]string{"key": noteKey})
	log = r.use("0", map[string]string{"key": noteKey, "token": token})
	if !strings.HasPrefix(log, noteKey+" urn:li:share:") || len(w.Stored()) != 1 {
		t.Errorf("%d posts in the feed, and the answer is %q", len(w.Stored()), log)
	}
	// A delivery that stays uncertain: the status and the summary survive, and the run's address is in the ledger.
	w.check(w.Arm(sandbox.Fault{Kind: "500", When: sandbox.Before}))
	r.use("3", map[string]string{"token": token})
	if !strings.Contains(r.summary, "git socialpost resolve "+otherKey+" --not-posted") {
		t.Errorf("the summary is\n%s", r.summary)
	}
	if run := w.records()[otherKey].Run; run != "https://github.com/example/blog/actions/runs/17/attempts/1" {
		t.Errorf("the ledger's run is %q", run)
	}
	// What is typed into an input is never a command, and a key never an option.
	const reason = "$(touch pwned) `touch pwned`\"; touch pwned; ' ${IN_TOKEN} \\ ::error::x"
	r.use("129", map[string]string{"key": "--any-revision", "token": token})
	r.use("129", map[string]string{"key": "$(touch pwned)", "token": token})
	r.use("129", map[string]string{"dry-run": "$(touch pwned)", "token": token})
	r.use("129", map[string]string{"command": "--version --x", "token": token})
	r.use("129", map[string]string{"command": "resolve", "key": otherKey, "decision": "$(touch pwned)"})
	r.use("129", map[string]string{"command": "resolve", "key": otherKey, "decision": "posted"})
	if log := r.use("0", map[string]string{"command": "resolve", "reason": reason}); !strings.Contains(log, otherKey+": unknown") {
		t.Errorf("what is open is shown as %q", log)
	}
	log = r.use("0", map[string]string{"command": "resolve", "key": otherKey, "decision": "not-posted", "reason": reason})
	rec := w.records()[otherKey]
	if rec.Resolution == nil || rec.Resolution.Reason != reason || rec.Resolution.By != "octocat (GitHub Actions)" {
		t.Errorf("the ledger has %+v; the log %q", rec.Resolution, log)
	}
	// Several keys, and another folder.
	r.use("0", map[string]string{"key": noteKey + "\n " + otherKey + " ", "token": token, "recovery": "kept here", "working-directory": "social"})
	if _, err := os.Stat(filepath.Join(r.machine.dir, "social", "kept here")); err != nil || len(w.Stored()) != 2 {
		t.Errorf("%v, and %d posts in the feed", err, len(w.Stored()))
	}
	r.use("0", map[string]string{"key": noteKey, "token": token, "recovery": "-"})
	if found, _ := filepath.Glob(filepath.Join(w.dir, "*", "*pwned*")); len(found) > 0 {
		t.Errorf("an input was a command: %s", found)
	}
	if strings.Contains(r.summary+r.log, token) {
		t.Errorf("the token is in the summary or in the log")
	}
	w.audit()
}

// TestWorkflow does what docs/ci/github.yml says at each event, from the first push to the manual resolve.
func TestWorkflow(t *testing.T) {
	t.Parallel()
	workflow := readYAML(t, "../../docs/ci/github.yml")
	w := newWorld(t, noteKey, otherKey)
	do := func(name, revision string, context map[string]string, wantJobs string, wantOK bool) *runner {
		t.Helper()
		r := w.newRunner(name, revision, context)
		if jobs, ok := r.event(workflow); strings.Join(jobs, " ") != wantJobs || ok != wantOK {
			t.Fatalf("%s: jobs %q ended well: %v, want %q: %v\n%s", name, jobs, ok, wantJobs, wantOK, r.log)
		}
		return r
	}
	dispatch := func(inputs map[string]string) map[string]string {
		context := map[string]string{"github.event_name": "workflow_dispatch"}
		for name, value := range inputs {
			if workflow.get("on", "workflow_dispatch", "inputs").in[name] == nil {
				t.Fatalf("the workflow has no input %q", name)
			}
			context["inputs."+name] = value
		}
		return context
	}
	// A pull request shows what it would post, without a token.
	w.git("-C", w.remote, "update-ref", "refs/pull/7/merge", "refs/heads/main")
	fork := map[string]string{"github.event_name": "pull_request", "github.ref_name": "7/merge", "github.event.pull_request.head.repo.full_name": "stranger/blog"}
	r := do("preview", "refs/pull/7/merge", fork, "preview", true)
	if !strings.Contains(r.summary, "#### <code>note&#58;linkedin-en</code>: send") || w.Received() > 0 {
		t.Errorf("%d POSTs, and the summary is\n%s", w.Received(), r.summary)
	}
	// The remote is lost after the first POST: the record is left for the artifact.
	w.await(func(r *http.Request) {
		if r.Method == http.MethodPost {
			w.check(os.Rename(w.remote, w.away()))
		}
	})
	r = do("cut-off", "refs/heads/main", map[string]string{"github.event_name": "push"}, "deliver", false)
	w.await(nil)
	if w.check(os.Rename(w.away(), w.remote)); r.results[len(r.results)-1] != "4" || len(r.uploaded) != 1 {
		t.Fatalf("exit statuses %v, and what is uploaded is %q\n%s", r.results, r.uploaded, r.log)
	}
	record := r.uploaded[0]
	if data, err := os.ReadFile(record); err != nil || !strings.Contains(string(data), noteKey) || strings.Contains(string(data), sandbox.DefaultToken) {
		t.Fatalf("%v, %q", err, data)
	}
	// The next run leaves that delivery alone, and loses the answer to another one.
	w.check(w.Arm(sandbox.Fault{Kind: "close", When: sandbox.Before}))
	r = do("uncertain", "refs/heads/main", map[string]string{"github.event_name": "schedule"}, "deliver", false)
	if got := r.results[len(r.results)-1]; got != "3" || len(r.uploaded) > 0 || w.Received() != 2 {
		t.Errorf("exit status %s, what is uploaded is %q, and %d POSTs were sent", got, r.uploaded, w.Received())
	}
	// A maintainer settles the one from the artifact, and looks at the other and settles it by hand in the CI.
	w.clone("desk").must(0, "resolve", noteKey, "--from", record, "--yes")
	r = do("shown", "refs/heads/main", dispatch(map[string]string{"decision": "show", "reason": "typed too early"}), "resolve", true)
	if !strings.Contains(r.log, otherKey+": unknown") || !strings.Contains(r.summary, "--not-posted --reason WHY") {
		t.Errorf("the log is %q\nthe summary %q", r.log, r.summary)
	}
	do("settled", "refs/heads/main", dispatch(map[string]string{"key": otherKey, "decision": "not-posted", "reason": "not in the feed"}), "resolve", true)
	if rec := w.records()[otherKey]; rec.Resolution == nil || rec.Resolution.Reason != "not in the feed" || rec.Resolution.By != "octocat (GitHub Actions)" {
		t.Errorf("the ledger has %+v", rec.Resolution)
	}
	other := dispatch(map[string]string{"key": otherKey, "decision": "abandon"})
	other["github.ref_name"] = "feature"
	do("elsewhere", "refs/heads/main", other, "", true)
	do("sent", "refs/heads/main", map[string]string{"github.event_name": "schedule"}, "deliver", true)
	if feed := w.Stored(); len(feed) != 2 || feed[0].Text != textOf(noteKey) || feed[1].Text != textOf(otherKey) {
		t.Errorf("the feed is %+v", feed)
	}
	w.audit()
}

// TestWorkflowsInDocuments does what the workflows in the documents say that use the action: they deliver, stop, and resolve.
func TestWorkflowsInDocuments(t *testing.T) {
	t.Parallel()
	used := 0
	for place, workflow := range documentedWorkflows(t) {
		if !strings.Contains(workflow.get("jobs").all(), "git-socialpost/git-socialpost@") {
			continue
		}
		used++
		w := newWorld(t, noteKey)
		w.check(w.Arm(sandbox.Fault{Kind: "close", When: sandbox.Before}))
		for i, e := range []struct {
			event    string
			decision string
			want     string
		}{{"push", "", "3"}, {"workflow_dispatch", "", "0"}, {"workflow_dispatch", "not-posted", "0"}, {"schedule", "", "0"}} {
			r := w.newRunner(strconv.Itoa(i), "refs/heads/main", map[string]string{"github.event_name": e.event, "inputs.key": "", "inputs.decision": e.decision})
			if e.decision != "" {
				r.context["inputs.key"], r.context["inputs.reason"] = noteKey, "not in the feed"
			}
			r.event(workflow)
			if got := strings.Join(r.results, " "); got != "0 "+e.want { // the build's, and the run's
				t.Fatalf("%s: %s %s: exit statuses %s\n%s", place, e.event, e.decision, got, r.log)
			}
		}
		if rec := w.records()[noteKey]; len(w.Stored()) != 1 || rec.Attempt != 2 {
			t.Errorf("%s: %d posts, %+v", place, len(w.Stored()), rec)
		}
		w.audit()
	}
	if used == 0 {
		t.Error("no document has a workflow with the action")
	}
}
