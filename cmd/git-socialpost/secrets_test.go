package main

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/git-socialpost/git-socialpost/linkedin/sandbox"
)

// The token, however it is given and whatever goes wrong, is nowhere but where it must be: with LinkedIn, and with the
// credential helper that gave it. It is not in what any command prints (a goroutine dump included), in a file of the
// machine or the remote, in a git object, in an argument list, in git's traces, or in the environment of a git that
// talks to others. The same holds, but for the environment, for the password of the git remote.
func TestSecrets(t *testing.T) {
	for name, way := range map[string]secretWay{
		"variable": {token: "s3cret+Usual/77f3a==", channel: "linkedin-en", env: []string{"LINKEDIN_ACCESS_TOKEN=s3cret+Usual/77f3a=="}},
		"token_env": {token: "s3cret+Own/0c51bb==", channel: "linkedin-ru", near: true,
			env: []string{"LINKEDIN_ACCESS_TOKEN=", "LINKEDIN_TOKEN_RU=s3cret+Own/0c51bb=="}},
		"helper": {token: "s3cret+Helper/3e90d==", channel: "linkedin-en", env: []string{"LINKEDIN_ACCESS_TOKEN="}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			newKeeper(t, way).all()
		})
	}
}

type secretWay struct {
	token, channel string
	env            []string
	near           bool // gits that talk to nobody may have it: some run before the configuration is read
}

const (
	remotePassword = "r3mote-Pass-5a5a5a"
	headerPassword = "h3ader-Pass-6b6b6b"
	proxyPassword  = "pr0xy-Pass-7c7c7c"
)

// keeper is a machine that gathers all that could give a secret away.
type keeper struct {
	*machine
	secretWay
	said   bytes.Buffer // by all commands
	traces string       // a folder: what gits were started with, and git's own traces
	posts  int
}

func newKeeper(t *testing.T, way secretWay) *keeper {
	w := newWorld(t)
	w.Tokens = map[string]sandbox.Token{way.token: {Sub: "782bbtaQ", Scopes: []string{"openid", "profile", "w_member_social"}}}
	w.serveHTTP(nil)
	k := &keeper{machine: w.clone("m"), secretWay: way, traces: filepath.Join(w.dir, "traces")}
	tmp := filepath.Join(w.dir, "tmp")
	k.check(errors.Join(os.Mkdir(k.traces, 0o777), os.Mkdir(tmp, 0o777)))
	k.git("config", "remote.origin.pushurl", strings.Replace(w.url, "://", "://runner:"+remotePassword+"@", 1))
	k.git("config", "credential.https://api.linkedin.com.helper", "!sh "+filepath.Join(w.dir, "helper"))
	k.check(os.WriteFile(filepath.Join(w.dir, "helper"), []byte("env >>"+k.traces+"/far\n[ $1 != get ] || echo password="+way.token+"\n"), 0o777))
	cfg, err := os.ReadFile(filepath.Join(k.machine.dir, configFile))
	k.check(err)
	k.write(configFile, strings.NewReplacer("[channel.linkedin-ru]", "[channel.linkedin-ru]\ntoken_env = \"LINKEDIN_TOKEN_RU\"", "10s", "1s").Replace(string(cfg)))
	k.publish("config")
	k.shim(`case " $* " in *" fetch "* | *" push "* | *" credential "*) far=far ;; *) far=near ;; esac
env >>` + k.traces + `/$far; { printf '%s\n' "$@"; tr '\0' '\n' </proc/$PPID/cmdline; } >>` + k.traces + `/args`)
	k.machine.env = slices.Concat(k.machine.env, way.env, []string{
		"TMPDIR=" + tmp, "GOTRACEBACK=system", "GIT_TRACE=1", "GIT_CURL_VERBOSE=1", "GIT_TRACE_SETUP=1", "GIT_TRACE2_EVENT=" + k.traces + "/events",
		"GIT_TRACE2_ENV_VARS=LINKEDIN_ACCESS_TOKEN,LINKEDIN_TOKEN_RU",
		"GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=http.extraHeader", "GIT_CONFIG_VALUE_0=Authorization: Basic " + headerPassword})
	return k
}

func (k *keeper) all() {
	faults := []string{"none", "401", "hang", "403", "500", "reset", "307", "cut-body", "201-no-id", "426"}
	if k.near { // the answers are the same for all ways
		faults = faults[:3]
	}
	for _, fault := range faults {
		k.deliver(fault)
	}
	for _, signal := range []os.Signal{syscall.SIGQUIT, syscall.SIGABRT} {
		k.dump(signal)
	}
	k.elsewhere()
	k.deliver("none", "--recovery", filepath.Join(k.machine.dir, configFile, "x"))
	k.remoteGone()
	k.partial()
	for _, line := range []string{"plan --json", "status", "log", "resolve", "fsck", "init", "deliver --dry-run"} {
		k.keep(k.run(strings.Fields(line)...))
	}
	k.search()
}

func (k *keeper) keep(r result) { k.said.WriteString(r.stdout + r.stderr) }

// next publishes one more post, and returns its key.
func (k *keeper) next() string {
	k.posts++
	key := fmt.Sprintf("n%d:%s", k.posts, k.channel)
	k.write(postPath(key), "+++\n+++\n"+textOf(key))
	k.publish("next")
	return key
}

func (k *keeper) deliver(fault string, args ...string) {
	k.check(k.Arm(sandbox.Fault{Kind: fault}))
	before := k.Received()
	k.keep(k.run(append([]string{"deliver", k.next()}, args...)...))
	if k.Received() == before && len(args) == 0 { // what needs an argument ends before its POST
		k.Errorf("no POST met the fault %s", fault)
	}
}

// dump ends the program, while it waits for an answer, with a signal for which Go prints what every goroutine does.
func (k *keeper) dump(signal os.Signal) {
	k.check(k.Arm(sandbox.Fault{Kind: "hang"}))
	cmd, before := k.command("deliver", k.next()), k.Received()
	var said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &said, &said
	k.check(cmd.Start())
	if !eventually(time.Minute, func() bool { return k.Received() > before }) {
		k.Error("the POST never came")
	}
	k.check(cmd.Process.Signal(signal))
	if _ = cmd.Wait(); !strings.Contains(said.String(), "goroutine ") {
		k.Errorf("%v: no goroutine dump:\n%s", signal, said.String())
	}
	k.said.Write(said.Bytes())
}

// elsewhere is talked to in LinkedIn's place: what does not get the token, and what tells everybody that it did.
func (k *keeper) elsewhere() {
	key, usual := k.next(), k.machine.env
	echo := func(form string) func(http.ResponseWriter, *http.Request) {
		return func(w http.ResponseWriter, r *http.Request) {
			raw(strings.ReplaceAll(form, "TOKEN", strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")))(w, r)
		}
	}
	for _, method := range []string{"GET", "POST"} {
		for _, form := range []string{"HTTP/1.1 TOKEN\r\n\r\n", "TOKEN\r\n\r\n", "HTTP/1.1 400 TOKEN\r\nX-Li-Uuid: TOKEN\r\n\r\n{\"code\":\"TOKEN\",\"message\":\"TOKEN\",\"sub\":\"TOKEN\"}",
			"HTTP/1.1 200 OK\r\nTransfer-Encoding: TOKEN\r\n\r\n", "HTTP/1.1 200 OK\r\n\r\n{\"sub\":\"TOKEN\"}", "HTTP/1.1 201 OK\r\nX-RestLi-Id: TOKEN\r\n\r\n{\"id\":\"TOKEN\"}"} {
			k.instead(method, echo(form))
			k.keep(k.run("deliver", key, "--json"))
			k.keep(k.run("resolve", key, "--not-posted", "--yes"))
			k.machine.env = usual
		}
	}
	untrusted := httptest.NewTLSServer(k.linkedIn)
	defer untrusted.Close()
	for _, env := range []string{"SOCIALPOST_LINKEDIN_URL=" + untrusted.URL, "SOCIALPOST_LINKEDIN_URL=http://192.0.2.1",
		"SOCIALPOST_LINKEDIN_URL=https://x:" + proxyPassword + "@127.0.0.1:1", "HTTPS_PROXY=http://x:" + proxyPassword + "@127.0.0.1:1", "HTTPS_PROXY=http://x:" + proxyPassword + "@[bad"} {
		k.machine.env = append(slices.Clone(usual), "SOCIALPOST_LINKEDIN_URL=https://example.com", env)
		k.keep(k.run("deliver", key))
	}
	k.machine.env = usual
}

// remoteGone takes the remote away while a post is sent, so that its outcome stays on this disk.
func (k *keeper) remoteGone() {
	key, usual := k.next(), k.machine.env
	remote := filepath.Join(k.world.dir, "remote.git")
	k.instead("POST", func(w http.ResponseWriter, r *http.Request) {
		k.check(os.Rename(remote, remote+".away"))
		k.ServeHTTP(w, r)
	})
	r := k.run("deliver", key)
	if r.status != exitUnrecorded {
		k.Errorf("exit status %d without a remote\n%s", r.status, r.stderr)
	}
	k.keep(r)
	k.keep(k.run("deliver", key))
	k.check(os.Rename(remote+".away", remote))
	k.machine.env = usual
}

// partial plans in a clone that lacks the posts: the git that reads them starts another one, which fetches.
func (k *keeper) partial() {
	k.git("-C", filepath.Join(k.world.dir, "remote.git"), "config", "uploadpack.allowFilter", "true")
	p := k.clone("partial", "--sparse", "--filter=blob:none")
	p.env = k.machine.env
	k.keep(p.must(0, "plan"))
}

// search looks for every secret, in every form, in all that was gathered and in every file of the world.
func (k *keeper) search() {
	k.look("what was printed", k.said.Bytes(), k.token, remotePassword, headerPassword, proxyPassword)
	k.check(filepath.WalkDir(k.world.dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() || path == filepath.Join(k.world.dir, "helper") {
			return err
		}
		data, err := os.ReadFile(path)
		switch name := strings.TrimPrefix(path, k.world.dir+"/"); name {
		case "traces/near":
			if !k.near {
				k.look(name, data, k.token)
			}
		case "traces/far", "m/.git/config": // the URL travels in the environment
			k.look(name, data, k.token)
		case "traces/events": // git starts git-remote-http with the URL
			k.look(name, k.farEvents(data), k.token)
		default:
			k.look(name, data, k.token, remotePassword, headerPassword, proxyPassword)
		}
		return err
	}))
	for _, dir := range []string{k.machine.dir, filepath.Join(k.world.dir, "remote.git")} {
		objects, err := gitIn(dir, "", "cat-file", "--batch-all-objects", "--batch")
		k.check(err)
		if !strings.Contains(objects, "Delivery: n1:") {
			k.Errorf("%s holds no ledger", dir)
		}
		k.look("the objects of "+filepath.Base(dir), []byte(objects), k.token, remotePassword, headerPassword, proxyPassword)
	}
	for _, name := range []string{"near", "far", "args", "events"} {
		if data, err := os.ReadFile(filepath.Join(k.traces, name)); err != nil || len(data) < 1000 {
			k.Errorf("traces/%s: %d bytes, %v", name, len(data), err)
		}
	}
}

// farEvents are the traces of all gits, those that git itself started included, but for those that may have the token. Gits
// that were killed leave half a line, which is not looked at.
func (k *keeper) farEvents(data []byte) []byte {
	var events []byte
	near := map[string]bool{}
	for line := range bytes.Lines(data) {
		var e struct{ Sid, Event, Name string }
		if json.Unmarshal(line, &e) == nil && e.Event == "cmd_name" {
			near[e.Sid] = k.near && slices.Contains([]string{"rev-parse", "cat-file"}, e.Name)
		}
	}
	for line := range bytes.Lines(data) {
		var e struct{ Sid string }
		if json.Unmarshal(line, &e) == nil && !near[e.Sid] {
			events = append(events, line...)
		}
	}
	return events
}

// look reports where a secret stands.
func (k *keeper) look(name string, data []byte, secrets ...string) {
	k.Helper()
	for _, secret := range secrets {
		for _, form := range formsOf(secret) {
			if at := bytes.Index(data, []byte(form)); at >= 0 {
				k.Errorf("%s holds %s as %s: …%s", name, secret, form, data[max(0, at-200):min(len(data), at+100)])
				break
			}
		}
	}
}

// formsOf returns a secret as it is and as it may stand in addresses, headers and dumps; in base64 it may begin anywhere.
func formsOf(secret string) []string {
	forms := []string{secret, url.QueryEscape(secret), url.PathEscape(secret), hex.EncodeToString([]byte(secret)), strings.Trim(quoted(secret), `"`)}
	for before := range 3 {
		whole := base64.StdEncoding.EncodeToString([]byte(strings.Repeat("x", before) + secret))
		forms = append(forms, whole[before+before/2+1:len(whole)-5])
	}
	return forms
}

// The search itself finds what it looks for.
func TestFormsOf(t *testing.T) {
	const secret = "s3cret+Usual/77f3a=="
	for _, text := range []string{"Bearer " + secret, "?t=" + url.QueryEscape(secret), base64.StdEncoding.EncodeToString([]byte("runner:" + secret)),
		base64.StdEncoding.EncodeToString([]byte("runner1:" + secret + "x")), base64.StdEncoding.EncodeToString([]byte("r:" + secret)), fmt.Sprintf("%x", "a"+secret)} {
		if !slices.ContainsFunc(formsOf(secret), func(form string) bool { return strings.Contains(text, form) }) {
			t.Errorf("%s is not found", text)
		}
	}
}
