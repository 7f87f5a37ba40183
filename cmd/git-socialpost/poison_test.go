package main

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/git-socialpost/git-socialpost/ledger"
	"github.com/git-socialpost/git-socialpost/linkedin/sandbox"
)

func poisonedPosts(m *machine) {
	for slug, data := range map[string]string{
		"text":    "+++\n+++\n" + poison,
		"literal": "+++\nliteral = true\n+++\nFORGED\n\u202eFORGED\u2028FORGED\u200b[FORGED](http://x)\n",
		"key":     "+++\n" + tomlString(poison) + " = 1\n+++\nx\n",
		"twice":   "+++\n" + tomlString(poison) + " = 1\n" + tomlString(poison) + " = 2\n+++\nx\n",
		"slug":    "+++\nslug = " + tomlString(poison) + "\n+++\nx\n",
		"link":    "+++\nlink = " + tomlString("https://x/"+poison) + "\ntitle = " + tomlString(poison) + "\n+++\nx\n",
		"raw":     "+++\ntitle = \"" + poison + "\"\n+++\nx\n",
		"bytes":   "+++\ntitle = \"\xff\x9b31m\"\n\x9b+++\nx\xff\n",
	} {
		m.write("social/"+slug+"/linkedin-en.md", data)
	}
	m.publish(poison)
	m.seeAll()
	m.see("deliver", "slug:linkedin-en", "raw:linkedin-en", "bytes:linkedin-en", "key:linkedin-en", "twice:linkedin-en")
	m.see("log", "literal:linkedin-en")
}

func poisonedNames(m *machine) {
	name := strings.ReplaceAll(poison, "/", "")
	for _, path := range []string{"social/" + name + "/linkedin-en.md", "social/note/" + name + ".md", "social/note/" + name, "social/" + name,
		"social/a\vFORGED\fFORGED/linkedin-en.md", "social/note\nFORGED\n/linkedin-en.md", "social/\xff\x9b31m/linkedin-en.md", "social/note/linkedin-\xff\n.md"} {
		if _, err := os.Stat(filepath.Join(m.dir, path)); err != nil { // "social/"+name is a folder already
			m.write(path, "+++\n+++\nx\n")
		}
	}
	m.write("social/good/linkedin-ru.md", "+++\n+++\nx\n")
	m.publish("names")
	m.seeAll()
	m.see("deliver", "note-forged:linkedin-en")
	m.see("plan", "--offline")
}

func poisonedConfig(m *machine) {
	for _, line := range []string{
		tomlString(poison) + " = 1", tomlString(poison) + " = 1\n" + tomlString(poison) + " = 2", "[" + tomlString(poison) + "]\n[" + tomlString(poison) + "]", "[channel." + tomlString(poison) + "]",
		"mode = " + tomlString(poison), "ledger = " + tomlString(poison), "remote = " + tomlString(poison), "pilot = [" + tomlString(poison) + "]", "posts = " + tomlString(poison),
		"branch = \"a\u2028FORGED\"", "[channel.linkedin]\nplatform = \"linkedin\"\nauthor = " + tomlString(poison), "[linkedin]\ntimeout = " + tomlString(poison),
		"x = \"" + poison, "\x9b = 1", "[channel.linkedin]\nplatform = \"linkedin\"\nauthor = \"urn:li:person:x\"\ntoken_env = " + tomlString(poison),
	} {
		m.write(configFile, line+"\n")
		m.git("commit", "-q", "-a", "-m", "config")
		for _, args := range []string{"plan", "deliver", "init"} {
			m.see(strings.Fields(args)...)
		}
	}
}

func poisonedBranch(m *machine) {
	const branch = "x\u009b31m\u202eFORGED\u2028FORGED"
	m.git("checkout", "-q", "-b", branch)
	m.seeAll()
	m.see("plan", "--rev", branch+poison)
	m.git("rm", "-q", configFile)
	m.see("init")
	m.git("add", "-A")
	m.git("commit", "-q", "-m", poison)
	m.see("plan")
	m.see("deliver")
}

func poisonedEnvironment(m *machine) {
	user := "U" + strings.ReplaceAll(poison, "\x00", "")
	m.env = []string{"GITHUB_RUN_ID=1" + poison, "GITHUB_SERVER_URL=" + poison, "GITHUB_REPOSITORY=" + poison, "GITHUB_RUN_ATTEMPT=" + poison, "USER=" + user,
		"GIT_COMMITTER_NAME=" + user, "GIT_COMMITTER_EMAIL=" + user, "GIT_AUTHOR_NAME=" + user}
	m.check(m.Arm(sandbox.Fault{Kind: "close"}))
	m.see("deliver")
	m.see("resolve", "note:linkedin-en", "--abandon", "--reason", poison, "--yes")
	m.seeAll()
	m.env = []string{"CI_JOB_URL=" + poison, "SOCIALPOST_LINKEDIN_URL=" + poison}
	m.write("social/more/linkedin-en.md", "+++\n+++\nmore\n")
	m.publish("more")
	m.see("deliver")
	m.env = []string{"HTTPS_PROXY=" + poison, "SOCIALPOST_LINKEDIN_URL=https://example.com"}
	m.see("deliver")
	m.env = []string{"LINKEDIN_ACCESS_TOKEN=x" + poison}
	m.see("deliver")
}

// instead makes this machine talk to another LinkedIn, which answers a request if the method fits, and else as the
// sandbox does.
func (m *machine) instead(method string, answer http.HandlerFunc) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == method {
			answer(w, r)
			return
		}
		m.serve(w, r)
	}))
	m.Cleanup(server.Close)
	m.env = append(m.env, "SOCIALPOST_LINKEDIN_URL="+server.URL)
}

// raw answers with just these bytes.
func raw(answer string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		conn, _, err := http.NewResponseController(w).Hijack()
		if err == nil {
			io.WriteString(conn, answer)
			conn.Close()
		}
	}
}

func poisonedBody() string {
	q := tomlString(poison)
	return fmt.Sprintf(`{"sub":%s,"code":%s,"message":%s,"id":%s,"errorDetails":{"inputErrors":[{"code":%s}]}}`, q, q, q, q, q)
}

func poisonedChecks(m *machine) {
	for _, status := range []int{200, 400, 401, 426, 500} {
		m.instead("GET", func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(status)
			io.WriteString(w, poisonedBody())
		})
		m.see("deliver", "--dry-run")
		m.see("deliver", "--json")
	}
}

func poisonedAnswers(m *machine) {
	for i, status := range []int{201, 200, 307, 400, 401, 403, 422, 429, 500, 999} {
		post := fmt.Sprintf("n%d:linkedin-en", i)
		m.write(postPath(post), "+++\n+++\n"+textOf(post))
		m.publish("next")
		m.instead("POST", raw(fmt.Sprintf("HTTP/1.1 %d %s\r\nX-Li-Uuid: %s\r\nX-RestLi-Id: %s\r\nLocation: %s\r\n\r\n%s",
			status, escapes, "\x1b[31m\u202eFORGED", "\xff\u009b", "\u202e", poisonedBody())))
		m.see("deliver", post)
		m.see("deliver", post, "--json")
	}
	m.seeAll()
}

func poisonedWire(m *machine) {
	for _, answer := range []string{poison, "HTTP/1.1 " + poison + "\r\n\r\n", "HTTP/1.1 200 OK\r\nTransfer-Encoding: " + escapes + "\r\n\r\n",
		"HTTP/1.1 200 OK\r\nContent-Length: \x1b\u202e\r\n\r\n", "HTTP/1.1 200 OK\r\n\x1b\u202e\xff: x\r\n\r\n"} {
		m.instead("GET", raw(answer))
		m.see("deliver", "--dry-run")
	}
	m.env = nil
	m.instead("POST", raw(poison))
	m.see("deliver")
	m.seeAll()
}

// shim puts a git first on PATH that runs a script, and then the real one.
func (m *machine) shim(script string) {
	real, err := exec.LookPath("git")
	m.check(err)
	dir := m.TempDir()
	m.check(os.WriteFile(filepath.Join(dir, "poison"), []byte(poison+"\xff\x9b31m"), 0o666))
	m.check(os.WriteFile(filepath.Join(dir, "git"), []byte("#!/bin/sh\nPOISON="+shell(filepath.Join(dir, "poison"))+"\nREALGIT="+shell(real)+"\n"+script+"\nexec \"$REALGIT\" \"$@\"\n"), 0o777))
	m.env = []string{"PATH=" + dir + string(os.PathListSeparator) + os.Getenv("PATH")}
}

func poisonedGit(m *machine) {
	for _, sub := range []string{"rev-parse", "remote", "fetch", "for-each-ref", "fast-import", "cat-file", "merge-base", "var", "update-ref"} {
		for _, to := range []string{">&2", ""} {
			m.shim(`case " $* " in *" ` + sub + ` "*) cat "$POISON" ` + to + `; exit 128;; esac`)
			m.see("deliver", "--json")
		}
	}
	m.see("plan", "--worktree")
	m.shim(`cat "$POISON" >&2`)
	m.seeAll()
}

// The server's own words come with "remote: " from git, cut into lines there.
func poisonedHook(m *machine) {
	remote := filepath.Join(m.world.dir, "remote.git")
	m.check(os.WriteFile(filepath.Join(remote, "poison"), []byte(poison+"\xff\x9b31m\n\n\nFORGED\n"), 0o666))
	hook := filepath.Join(remote, "hooks", "pre-receive")
	m.check(os.WriteFile(hook, []byte("#!/bin/sh\ncat poison; cat poison >&2; exit 1\n"), 0o777))
	m.see("deliver")
	m.seeAll()
	m.check(os.Remove(hook))
	m.check(os.WriteFile(filepath.Join(remote, "hooks", "post-receive"), []byte("#!/bin/sh\ncat poison; cat poison >&2\n"), 0o777))
	m.seeAll()
}

// A server may give any reason for a refusal, and push --porcelain prints it as it is.
func poisonedRefusal(m *machine) {
	m.shim(`case " $* " in *" push "*) for ref; do :; done; printf 'To x\n!\t%s\t[remote rejected] (' "$ref"; tr -d '\n\t' <"$POISON"; printf ')\nDone\n'; exit 1;; esac`)
	r := m.see("deliver", "--json")
	if !strings.Contains(r.stderr, "[remote rejected] (x") {
		m.Errorf("the reason is not told:\n%s", r.stderr)
	}
}

func poisonedRecovery(m *machine) {
	m.check(m.Arm(sandbox.Fault{Kind: "close"}))
	m.see("deliver")
	at := time.Now().UTC().Truncate(time.Second)
	rec := m.records()["note:linkedin-en"]
	pin := m.config().Ledger
	outcome := ledger.Outcome{Kind: "unknown", Code: poison, Message: poison, RequestID: poison, Duplicate: "urn:li:share:1", At: at}
	for i, r := range []recovery{
		{Ledger: poison, Key: rec.Key}, {Ledger: "\nFORGED", Key: rec.Key}, {Ledger: pin, Key: poison}, {Ledger: pin, Key: "a\nFORGED:linkedin-en"},
		{Ledger: pin, Key: rec.Key, Attempt: 1, Nonce: poison}, {Ledger: pin, Key: rec.Key, Attempt: 1, Nonce: rec.Nonce(), Run: poison},
	} {
		r.Format, r.Outcome = recoveryFormat, outcome
		path := filepath.Join(m.dir, ".git", fmt.Sprint(i, ".toml"))
		m.check(r.save(path))
		m.see("resolve", rec.Key, "--from", path, "--yes")
	}
	m.check(os.WriteFile(filepath.Join(m.dir, ".git", "raw"), []byte("format = 1\n"+tomlString(poison)+" = 1\n"+tomlString(poison)+" = 2\n"), 0o666))
	m.see("resolve", rec.Key, "--from", ".git/raw", "--yes")
	m.see("resolve", rec.Key, "--from", poison, "--yes")
	m.see("resolve", rec.Key, "--from", ".git/"+poison, "--yes")
	m.seeAll()
}

// config is what is checked out.
func (m *machine) config() *config {
	m.Helper()
	data, err := os.ReadFile(filepath.Join(m.dir, configFile))
	m.check(err)
	cfg, err := parseConfig(configFile, data)
	m.check(err)
	return cfg
}

func poisonedPlan(m *machine) {
	m.must(0, "plan", "--out", ".git/good.json")
	good, err := os.ReadFile(filepath.Join(m.dir, ".git/good.json"))
	m.check(err)
	q := strings.Trim(tomlString(poison), `"`)
	for _, change := range [][2]string{
		{`"key": "note`, `"key": "` + q}, {`"ledger": "`, `"ledger": "\nFORGED `}, {`"0": "`, `"` + q + `": "`}, {`"0": "`, `"0": "\nFORGED`},
		{`"payload_sha256": "`, `"payload_sha256": "` + q}, {`"decision": "send"`, `"decision": "` + q + `"`}, {`"format": 1`, `"format": "` + q + `"`}, {`{`, poison},
	} {
		m.check(os.WriteFile(filepath.Join(m.dir, ".git/bad.json"), []byte(strings.Replace(string(good), change[0], change[1], 1)), 0o666))
		m.see("deliver", "--plan", ".git/bad.json")
	}
	m.see("deliver", "--plan", poison)
	m.see("plan", "--out", filepath.Join(m.dir, poison, "x"))
	m.see("deliver", "--recovery", filepath.Join(m.dir, configFile, poison))
}

// poisonedCommits pushes what the program would not write: every reader must refuse it in harmless words.
func poisonedCommits(m *machine) {
	remote := filepath.Join(m.world.dir, "remote.git")
	ref := "refs/social/ledger/0"
	first := m.git("-C", remote, "rev-parse", ref)
	good := "Ledger: " + first + "\nSeq: 1\nDelivery: note:linkedin-en\nState: intended\nAttempt: 1\nRun: x\n"
	for _, c := range []struct{ trailers, path, content string }{
		{"Seq: " + poison, "x", "x"},
		{"Ledger: " + escapes + "\nSeq: 1\n", "x", "x"},
		{strings.Replace(good, "note", escapes, 1), "x", "x"},
		{good + "Witness: " + "\x1b\u202e=1\n", "x", "x"},
		{good, `"open/note/linkedin-en/record.toml"`, "format = 1\n" + tomlString(poison) + " = 1\n" + tomlString(poison) + " = 2\n"},
		{good, `"open/note/linkedin-en/record.toml"`, "format = 1\n" + tomlString(poison) + " = 1\n"},
		{good, `"open/note/linkedin-en/record.toml"`, "format = 1\nkey = " + tomlString(poison) + "\n"},
		{good, `"open/` + strings.ReplaceAll(escapes, "\x1b", `\033`) + `/FORGED\nFORGED\013FORGED/record.toml"`, poison},
		{good, `"\nFORGED"`, poison},
	} {
		message := poison + "\n\n" + c.trailers
		_, err := gitIn(remote, fmt.Sprintf("commit %s\ncommitter %s <m> 1700000000 +0000\ndata %d\n%s\nfrom %s\nM 100644 inline %s\ndata %d\n%s\n",
			ref, strings.NewReplacer("\n", "", "\x00", "", "<", "", ">", "").Replace(poison), len(message), message, first, c.path, len(c.content), c.content),
			"fast-import", "--quiet", "--force", "--date-format=raw")
		m.check(err)
		m.must(exitError, "plan")
		m.must(exitError, "fsck")
		m.seeAll()
	}
}

func poisonedPrePush(m *machine) {
	m.write("social/x"+poison+"/linkedin-en.md", poison)
	m.publish("poison")
	for _, input := range []string{poison, "refs/heads/" + escapes + " " + m.git("rev-parse", "HEAD") + " refs/heads/main 0\n"} {
		cmd := m.command("plan", "--pre-push", poison, poison)
		cmd.Stdin = strings.NewReader(input)
		said, _ := cmd.CombinedOutput()
		checkPrinted(m, string(said))
		if m.onGitHub() {
			checkCommands(m, string(said))
		}
		if strings.Contains("\n"+string(said), "\nFORGED") || len(said) == 0 {
			m.Errorf("plan --pre-push prints:\n%s", said)
		}
	}
}

func poisonedHelper(m *machine) {
	helper := filepath.Join(m.TempDir(), "helper")
	m.env = []string{"LINKEDIN_ACCESS_TOKEN="}
	for _, script := range []string{"printf 'password=x\\033[31m\\n'", "printf '\\033[31mFORGED\\nFORGED' >&2; exit 1", "printf 'quit=1\\n\\033FORGED\\n'"} {
		m.check(os.WriteFile(helper, []byte("#!/bin/sh\n"+script+"\n"), 0o777))
		m.git("config", "credential.helper", helper)
		m.see("deliver")
	}
}
