package main

import (
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// newcomer has a blog, an app, a browser, a git that keeps passwords, and no token. The client secret is typed when git asks.
func newcomer(t *testing.T) *machine {
	m := newBlog(t)
	m.ClientID = "86abcdefghijkl"
	m.git("config", "--global", "credential.helper", "store")
	m.git("config", "--global", "web.browser", "member")
	m.git("config", "--global", "browser.member.cmd", "member allow follow")
	typist := filepath.Join(m.world.dir, "typist")
	m.check(os.WriteFile(typist, []byte("#!/bin/sh\necho "+m.ClientSecret+"\n"), 0o777))
	m.env = append(m.env, defaultTokenEnv+"=", "GIT_ASKPASS="+typist)
	if !eventually(time.Minute, func() bool { return free("127.0.0.1:8910") }) {
		t.Skip("somebody else waits on port 8910")
	}
	return m
}

func free(address string) bool {
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return false
	}
	listener.Close()
	return true
}

func (m *machine) loggedIn() *machine {
	port, err := freePort()
	m.check(err)
	m.must(0, "login", "--client-id", m.ClientID, "--port", port)
	return m
}

// expiring has a token that dies in nine days.
func expiring(t *testing.T) *machine {
	m := newBlog(t)
	data, err := os.ReadFile(filepath.Join(m.dir, configFile))
	m.check(err)
	m.write(configFile, strings.ReplaceAll(string(data), "[linkedin]\n", "[linkedin]\ntoken_expires = "+time.Now().UTC().AddDate(0, 0, 9).Format(time.DateOnly)+"\n"))
	m.publish("The day")
	return m
}
