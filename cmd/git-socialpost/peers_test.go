//go:build unix

package main

import (
	"bytes"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"
)

// This file starts the git servers that TestServers is run against. Each makes or takes over the world's remote, sets the
// world's URL, and puts what a machine needs to get in into its git configuration.

func (w *world) serveGit() {
	addr := w.freeAddr()
	w.daemon(addr, nil, "git", "daemon", "--listen=127.0.0.1", "--port="+port(addr), "--export-all", "--enable=receive-pack", "--base-path="+w.dir)
	w.url = "git://" + addr + "/remote.git"
}

func (w *world) serveNginx() {
	addr, cgi, dir := w.freeAddr(), w.freeAddr(), w.folder("nginx")
	w.put("nginx/users", "runner:{PLAIN}secret\n")
	w.put("nginx/conf", fmt.Sprintf(nginxConf, username(w), dir, addr, w.git("--exec-path"), w.dir, cgi))
	w.daemon(cgi, nil, "fcgiwrap", "-c", "4", "-f", "-s", "tcp:"+cgi)
	w.daemon(addr, nil, "nginx", "-p", dir, "-e", "stderr", "-c", filepath.Join(dir, "conf"))
	w.put("home/passwords", "http://runner:secret@"+addr+"\n")
	w.configure("[credential]\n\thelper = store --file=" + filepath.Join(w.dir, "home", "passwords"))
	w.url = "http://" + addr + "/remote.git"
}

const nginxConf = `daemon off; user %[1]s; pid %[2]s/pid; error_log stderr; events {}
http {
	access_log off; client_max_body_size 0;
	client_body_temp_path %[2]s/a; fastcgi_temp_path %[2]s/b; proxy_temp_path %[2]s/c; scgi_temp_path %[2]s/d; uwsgi_temp_path %[2]s/e;
	server {
		listen %[3]s; auth_basic git; auth_basic_user_file %[2]s/users;
		location / {
			fastcgi_param SCRIPT_FILENAME %[4]s/git-http-backend;
			fastcgi_param GIT_PROJECT_ROOT %[5]s;
			fastcgi_param GIT_HTTP_EXPORT_ALL 1;
			fastcgi_param PATH_INFO $uri;
			fastcgi_param QUERY_STRING $query_string;
			fastcgi_param REQUEST_METHOD $request_method;
			fastcgi_param CONTENT_TYPE $content_type;
			fastcgi_param CONTENT_LENGTH $content_length;
			fastcgi_param REMOTE_USER $remote_user;
			fastcgi_pass %[6]s;
		}
	}
}
`

func (w *world) serveGitShell() {
	key := strings.TrimSpace(w.sshKey("runner"))
	w.put("ssh/keys", `restrict,command="git-shell -c \"$SSH_ORIGINAL_COMMAND\"" `+key+"\n")
	addr := w.serveSSH(w.folder("ssh"), filepath.Join(w.dir, "ssh", "keys"))
	w.url = "ssh://" + username(w) + "@" + addr + w.remote
}

// gitolite has one repository, with one rule for the only user.
func gitolite(rule string) func(*world) {
	return func(w *world) {
		w.sshKey("runner")
		home := w.folder("gitolite")
		w.put("gitolite/.gitconfig", gitconfig)
		setup := func(args ...string) { w.output([]string{"HOME=" + home}, "gitolite", args...) }
		setup("setup", "-pk", filepath.Join(w.dir, "keys", "runner.pub"))
		w.put("gitolite/.gitolite/conf/gitolite.conf", "repo blog\n\t"+rule+" = runner\n")
		setup("setup")
		addr := w.serveSSH(home, filepath.Join(home, ".ssh", "authorized_keys"))
		w.remote = filepath.Join(home, "repositories", "blog.git")
		w.url = "ssh://" + username(w) + "@" + addr + "/blog"
	}
}

// serveSSH lets the keys in, whose commands find the home folder given.
func (w *world) serveSSH(home, keys string) (addr string) {
	if os.Getuid() == 0 {
		w.check(os.MkdirAll("/run/sshd", 0o755)) // sshd insists
	}
	addr = w.freeAddr()
	w.put("sshd.conf", strings.Join([]string{
		"ListenAddress " + addr, "HostKey " + filepath.Join(w.dir, "keys", "host"), "AuthorizedKeysFile " + keys,
		"StrictModes no", "UsePAM no", "PidFile none", "AcceptEnv GIT_PROTOCOL", "SetEnv HOME=" + home, "",
	}, "\n"))
	w.trust(addr)
	w.daemon(addr, nil, "sshd", "-D", "-e", "-f", filepath.Join(w.dir, "sshd.conf"))
	return addr
}

// trust makes a host key, and lets machines log in with the runner's key where it answers.
func (w *world) trust(addr string) {
	w.put("home/known_hosts", "[127.0.0.1]:"+port(addr)+" "+w.sshKey("host"))
	w.put("home/ssh.conf", strings.Join([]string{"IdentityFile " + filepath.Join(w.dir, "keys", "runner"), "IdentitiesOnly yes", "BatchMode yes",
		"UserKnownHostsFile " + filepath.Join(w.dir, "home", "known_hosts"), "StrictHostKeyChecking yes", ""}, "\n"))
	w.configure("[core]\n\tsshCommand = ssh -F " + filepath.Join(w.dir, "home", "ssh.conf"))
}

// sshKey makes a pair of keys, and returns the public one.
func (w *world) sshKey(name string) string {
	path := filepath.Join(w.folder("keys"), name)
	w.output(nil, "ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", name, "-f", path)
	public, err := os.ReadFile(path + ".pub")
	w.check(err)
	return string(public)
}

func giteaHTTP(w *world) {
	web, _, token := w.serveGitea()
	w.configure(fmt.Sprintf("[http \"http://%s/\"]\n\textraHeader = Authorization: token %s", web, token))
	w.url = "http://" + web + "/blog/blog.git"
}

func giteaSSH(w *world) {
	key := strings.TrimSpace(w.sshKey("runner"))
	web, ssh, token := w.serveGitea()
	w.ask("http://"+web+"/api/v1/user/keys", token, fmt.Sprintf(`{"title": "runner", "key": %q}`, key))
	w.url = "ssh://git@" + ssh + "/blog/blog.git"
}

// serveGitea has an empty repository, blog/blog, and a token that may do everything with it.
func (w *world) serveGitea() (web, ssh, token string) {
	if *gitea == "" {
		w.Skip("without -gitea: testdata/gitea.sh builds one")
	}
	web, ssh = w.freeAddr(), w.freeAddr()
	w.trust(ssh)
	dir := w.folder("gitea")
	ini := filepath.Join(dir, "app.ini")
	w.put("gitea/app.ini", fmt.Sprintf(giteaConf, username(w), filepath.Join(filepath.Dir(*gitea), "src"), dir, port(web), port(ssh), filepath.Join(w.dir, "keys", "host")))
	env := []string{"GITEA_WORK_DIR=" + dir, "HOME=" + dir}
	run := func(args ...string) string { return w.output(env, *gitea, append(args, "--config", ini)...) }
	run("migrate")
	run("admin", "user", "create", "--username", "blog", "--email", "blog@example.com", "--random-password", "--must-change-password=false")
	token = strings.TrimSpace(run("admin", "user", "generate-access-token", "--username", "blog", "--scopes", "all", "--raw"))
	w.daemon(web, env, *gitea, "web", "--config", ini)
	w.ask("http://"+web+"/api/v1/user/repos", token, `{"name": "blog", "default_branch": "main"}`)
	w.remote = filepath.Join(dir, "repositories", "blog", "blog.git")
	return web, ssh, token
}

const giteaConf = `I_AM_BEING_UNSAFE_RUNNING_AS_ROOT = true
RUN_USER = %[1]s
[server]
STATIC_ROOT_PATH = %[2]s
HTTP_ADDR = 127.0.0.1
HTTP_PORT = %[4]s
ROOT_URL = http://127.0.0.1:%[4]s/
START_SSH_SERVER = true
BUILTIN_SSH_SERVER_USER = git
SSH_LISTEN_HOST = 127.0.0.1
SSH_LISTEN_PORT = %[5]s
SSH_SERVER_HOST_KEYS = %[6]s
OFFLINE_MODE = true
[database]
DB_TYPE = sqlite3
[repository]
ROOT = %[3]s/repositories
[security]
INSTALL_LOCK = true
[log]
LEVEL = Warn
`

// ask sends a request to Gitea's API.
func (w *world) ask(url, token, body string) {
	w.Helper()
	r, err := http.NewRequest(http.MethodPost, url, strings.NewReader(body))
	w.check(err)
	r.Header.Set("Authorization", "token "+token)
	r.Header.Set("Content-Type", "application/json")
	answer, err := http.DefaultClient.Do(r)
	w.check(err)
	answer.Body.Close()
	if answer.StatusCode != http.StatusCreated {
		w.Fatalf("%s: %s", url, answer.Status)
	}
}

// daemon starts a server, waits until it takes connections, and ends it and its children with the test.
func (w *world) daemon(addr string, env []string, name string, args ...string) {
	w.Helper()
	var log bytes.Buffer
	cmd := exec.Command(program(name), args...)
	cmd.Env = slices.Concat(w.env, env)
	cmd.Stdout, cmd.Stderr = &log, &log
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.WaitDelay = 5 * time.Second
	w.check(cmd.Start())
	ended := make(chan struct{})
	go func() { cmd.Wait(); close(ended) }()
	w.Cleanup(func() {
		syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM)
		select {
		case <-ended:
		case <-time.After(10 * time.Second):
			syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
			<-ended
		}
		if w.Failed() {
			w.Logf("%s said:\n%s", name, log.Bytes())
		}
	})
	w.until(name+" listens", func() bool {
		select {
		case <-ended:
			w.Fatalf("%s ended at once", name)
		default:
		}
		conn, err := net.Dial("tcp", addr)
		if err == nil {
			conn.Close()
		}
		return err == nil
	})
}

// output is what a program prints that must succeed.
func (w *world) output(env []string, name string, args ...string) string {
	w.Helper()
	cmd := exec.Command(program(name), args...)
	cmd.Env = slices.Concat(w.env, env)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		w.Fatalf("%s %s: %v\n%s%s", name, strings.Join(args, " "), err, out, stderr.Bytes())
	}
	return string(out)
}

// program finds a program, also one that is for root. It is "" where it is not installed.
func program(name string) string {
	for _, name := range []string{name, filepath.Join("/usr/sbin", name)} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	return ""
}

// freeAddr is an address at which nothing listens yet, for servers that cannot choose one and tell it.
func (w *world) freeAddr() string {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	w.check(err)
	defer listener.Close()
	return listener.Addr().String()
}

func port(addr string) string { return strings.TrimPrefix(addr, "127.0.0.1:") }

// configure adds to the machines' git configuration.
func (w *world) configure(section string) {
	path := filepath.Join(w.dir, "home", ".gitconfig")
	old, err := os.ReadFile(path)
	w.check(err)
	w.check(os.WriteFile(path, append(old, section+"\n"...), 0o600))
}

func (w *world) put(name, content string) {
	w.folder(filepath.Dir(name))
	w.check(os.WriteFile(filepath.Join(w.dir, name), []byte(content), 0o600))
}

func (w *world) folder(name string) string {
	path := filepath.Join(w.dir, name)
	w.check(os.MkdirAll(path, 0o700))
	return path
}

func username(w *world) string {
	u, err := user.Current()
	w.check(err)
	return u.Username
}
