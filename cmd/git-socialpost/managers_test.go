//go:build unix

package main

import (
	"bytes"
	"errors"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

var managers = flag.String("managers", "", "test with real hook managers; in this `folder` is a pre-commit of 3.2 or newer (testdata/precommit.sh)")

// TestHookManagers follows, with the real husky, lefthook and pre-commit, what hook install says, and pushes.
func TestHookManagers(t *testing.T) {
	if *managers == "" {
		t.Skip("without -managers")
	}
	npm := filepath.Join(t.TempDir(), "npm")
	install := exec.Command("npm", "install", "--prefix", npm, "--ignore-scripts", "--no-audit", "--no-fund", "husky@9", "lefthook@2")
	install.Env = append(os.Environ(), "HOME="+t.TempDir())
	if out, err := install.CombinedOutput(); err != nil {
		t.Fatalf("npm install: %v\n%s", err, out)
	}
	modules := "PATH=" + filepath.Join(npm, "node_modules", ".bin") + string(os.PathListSeparator) + os.Getenv("PATH")
	newer := "PYTHONPATH=" + filepath.Join(*managers, "usr", "lib", "python3", "dist-packages")
	for _, test := range []struct {
		name string
		env  string
		run  func(*machine)
	}{
		{"husky", modules, testHusky},
		{"lefthook", modules, testLefthook},
		{"pre-commit", "PYTHONPATH=", func(m *machine) { testPreCommit(m, "[push]") }},
		{"pre-commit newer", newer, func(m *machine) { testPreCommit(m, "[pre-push]") }},
		{"pre-commit later", "PYTHONPATH=", testPreCommitLater},
		{"pre-commit of this repository", newer, testPreCommitManifest},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			m := newWorld(t, noteKey).clone("m")
			m.env = []string{test.env}
			if strings.HasPrefix(test.name, "pre-commit") {
				m.needsPreCommit(t)
			}
			test.run(m)
		})
	}
}

// needsPreCommit leaves a test out where there is no pre-commit, as off Debian; there the Makefile sees to it.
func (m *machine) needsPreCommit(t *testing.T) {
	cmd := exec.Command("/usr/bin/python3", "-m", "pre_commit", "--version")
	cmd.Env = m.command().Env
	if cmd.Run() != nil {
		t.Skip("no pre-commit here")
	}
}

// sh runs a shell command in the clone, demands an exit status, and returns all that was said.
func (m *machine) sh(status int, command string, env ...string) string {
	m.Helper()
	cmd := exec.Command("sh", "-c", command)
	cmd.Dir, cmd.Env = m.dir, append(m.command().Env, env...)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Run(); err != nil && !errors.As(err, new(*exec.ExitError)) {
		m.Fatal(err)
	}
	if got := cmd.ProcessState.ExitCode(); got != status {
		m.Fatalf("%s: exit status %d, want %d\n%s", command, got, status, out.String())
	}
	return out.String()
}

// state demands what hook status answers.
func (m *machine) state(status int, wants ...string) {
	m.Helper()
	r := m.must(status, "hook", "status")
	for _, want := range wants {
		if !strings.Contains(r.stdout+r.stderr, want) {
			m.Fatalf("hook status does not say %q:\n%s%s", want, r.stdout, r.stderr)
		}
	}
}

// advice is what hook install says is to be added to a file.
func (m *machine) advice(file string) string {
	m.Helper()
	r := m.must(exitError, "hook", "install")
	if !strings.Contains(r.stderr, "hint: add the lines above to "+filepath.Join(m.dir, file)) {
		m.Fatalf("the file %s is not named:\n%s", file, r.stderr)
	}
	return r.stdout
}

const planned = "send      " + noteKey

// pushes proves that every push shows the plan, that an invalid post holds it up, and that a machine without the
// program pushes all the same.
func (m *machine) pushes() {
	m.Helper()
	m.state(0)
	m.sh(0, "git add -A && git commit -q -m hooks")
	fresh := filepath.Join(m.world.dir, "fresh.git")
	m.world.git("init", "-q", "--bare", fresh)
	for _, push := range []string{"git push origin HEAD:main", "git push " + fresh + " HEAD:main"} {
		if said := m.sh(0, push); !strings.Contains(said, planned) {
			m.Fatalf("%s shows no plan:\n%s", push, said)
		}
	}
	m.write("social/bad/linkedin-en.md", "+++\n+++\n{{ x }}\n")
	m.sh(0, "git add -A && git commit -q -m bad")
	if said := m.sh(1, "git push origin HEAD:main"); !strings.Contains(said, "social/bad/linkedin-en.md:3: ") {
		m.Errorf("the push does not say what holds it up:\n%s", said)
	}
	if said := m.sh(0, "git push origin HEAD:draft"); strings.Contains(said, planned) {
		m.Errorf("another branch is planned:\n%s", said)
	}
	m.sh(0, "git reset -q --hard HEAD~ && git commit -q --allow-empty -m more")
}

// pushesWithout is a push on a machine that does not have the program.
func (m *machine) pushesWithout() {
	m.Helper()
	tool, err := exec.LookPath("git-socialpost")
	m.check(err)
	path := strings.ReplaceAll(m.sh(0, `printf %s "$PATH"`), filepath.Dir(tool)+string(os.PathListSeparator), "")
	if said := m.sh(0, "git push origin HEAD:main", "PATH="+path); !strings.Contains(said, withoutTool) {
		m.Errorf("the push does not say that the program is missing:\n%s", said)
	}
}

func testHusky(m *machine) {
	m.write("package.json", "{\"private\": true}\n")
	m.sh(0, "husky")
	m.state(exitError, "managed by husky: the plan's line is not in")
	m.write(".husky/pre-push", m.advice(".husky/pre-push"))
	m.pushes()
	m.pushesWithout()
	m.must(0, "hook", "install")
	m.must(exitError, "hook", "uninstall")

	tree := &machine{world: m.world, dir: filepath.Join(m.world.dir, "tree"), env: m.env}
	m.git("worktree", "add", "-q", tree.dir, "-b", "work")
	tree.state(exitError, "managed by husky", "npx husky")

	fresh := m.world.clone("fresh")
	fresh.state(exitError, "managed by husky: the plan's line is in", "npx husky")
}

func testLefthook(m *machine) {
	m.write("lefthook.yml", "pre-commit:\n  commands:\n    fine:\n      run: \"true\"\n")
	m.sh(0, "lefthook install")
	m.write("lefthook.yml", "pre-commit:\n  commands:\n    fine:\n      run: \"true\"\n"+m.advice("lefthook.yml"))
	m.state(exitError, "managed by lefthook: the plan's line is in", "hint: lefthook install")
	m.sh(0, "lefthook install")
	m.pushes()
	m.pushesWithout()
	m.must(0, "hook", "install")
	m.write("lefthook.yml", "pre-push:\n  commands:\n    fine:\n      run: \"true\"\n")
	m.state(exitError, "managed by lefthook: the plan's line is not in", "hint: git socialpost hook install prints")
}

func testPreCommit(m *machine, stages string) {
	m.Log(m.sh(0, "/usr/bin/python3 -m pre_commit --version"))
	m.write(".pre-commit-config.yaml", "repos: []\n")
	advice := m.advice(".pre-commit-config.yaml")
	if !strings.Contains(advice, "stages: [pre-push]") {
		m.Fatalf("no stage is named:\n%s", advice)
	}
	m.write(".pre-commit-config.yaml", "repos:\n"+strings.Replace(advice, "[pre-push]", stages, 1))
	m.state(exitError, "managed by pre-commit: the plan's line is in", "hint: pre-commit install --hook-type pre-push")
	m.sh(0, "/usr/bin/python3 -m pre_commit install --hook-type pre-push")
	m.pushes()
	m.pushesWithout()
	m.must(0, "hook", "install")
}

// testPreCommitLater finds pre-commit installed over a hook of ours, which it moves aside and runs.
func testPreCommitLater(m *machine) {
	m.must(0, "hook", "install")
	m.write(".pre-commit-config.yaml", "repos: []\n")
	m.sh(0, "/usr/bin/python3 -m pre_commit install --hook-type pre-push")
	m.state(0, "managed by pre-commit: the plan's line is in", "pre-push.legacy")
	m.pushes()
	m.pushesWithout()
}

// testPreCommitManifest takes the hooks from this repository, as a blog does.
func testPreCommitManifest(m *machine) {
	source := filepath.Join(m.world.dir, "source")
	m.check(os.Mkdir(source, 0o777))
	for _, name := range []string{".pre-commit-hooks.yaml", "go.mod", "go.sum", "cmd", "gitexec", "ledger", "linkedin"} {
		if out, err := exec.Command("cp", "-R", filepath.Join("..", "..", name), source).CombinedOutput(); err != nil {
			m.Fatalf("%v\n%s", err, out)
		}
	}
	m.world.git("init", "-q", source)
	m.world.git("-C", source, "add", "-A")
	m.world.git("-C", source, "commit", "-q", "-m", "source")
	rev := m.world.git("-C", source, "rev-parse", "HEAD")
	for _, name := range []string{"GOMODCACHE", "GOCACHE", "GOPROXY", "GOSUMDB", "GOFLAGS"} {
		out, err := exec.Command("go", "env", name).Output()
		m.check(err)
		m.env = append(m.env, name+"="+strings.TrimSpace(string(out)))
	}
	for _, id := range []string{"socialpost-system", "socialpost"} {
		m.write(".pre-commit-config.yaml", "repos:\n- repo: "+source+"\n  rev: "+rev+"\n  hooks:\n  - id: "+id+"\n")
		m.sh(0, "/usr/bin/python3 -m pre_commit install --hook-type pre-push")
		m.state(0, "managed by pre-commit: the plan's line is in")
		m.sh(0, "git add -A && git commit -q -m "+id)
		if said := m.sh(0, "git push origin HEAD:main"); !strings.Contains(said, planned) || strings.Contains(said, "deprecated") {
			m.Errorf("%s:\n%s", id, said)
		}
	}
}
