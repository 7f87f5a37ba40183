package main

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"regexp"

	"github.com/rogpeppe/go-internal/testscript"
)

// memberMain is the member at a browser without JavaScript: member allow|cancel follow|copy URL. It opens the consent page,
// presses a button, and then goes to where LinkedIn sends it, or prints that address.
func memberMain() {
	if len(os.Args) != 4 {
		fmt.Fprintln(os.Stderr, "usage: member allow|cancel follow|copy URL")
		os.Exit(2)
	}
	address, err := press(os.Args[1], os.Args[3])
	if err == nil && os.Args[2] == "follow" {
		address, err = visit(address)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Println(address)
}

// press returns where the browser is sent by a button of the consent page.
func press(button, page string) (address string, err error) {
	content, err := visit(page)
	if err != nil {
		return "", err
	}
	m := regexp.MustCompile(`<button id="` + button + `" name="(\w+)" value="(\w+)"`).FindStringSubmatch(content)
	if m == nil {
		return "", fmt.Errorf("no button %s: %s", button, content)
	}
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	res, err := client.PostForm(page, url.Values{m[1]: {m[2]}})
	if err != nil {
		return "", err
	}
	res.Body.Close()
	return res.Header.Get("Location"), nil
}

func visit(address string) (content string, err error) {
	res, err := http.Get(address)
	if err != nil {
		return "", err
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	return string(body), err
}

// freePort is one that nobody listens on now.
func freePort() (string, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	defer listener.Close()
	_, port, err := net.SplitHostPort(listener.Addr().String())
	return port, err
}

// freeport NAME: puts the number of a free port into a variable.
func cmdFreePort(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: freeport name")
	}
	port, err := freePort()
	ts.Check(err)
	ts.Setenv(args[0], port)
}
