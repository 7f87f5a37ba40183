// Linkedin-sandbox serves a stand-in LinkedIn on the loopback interface, for demos and rehearsals.
package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/netip"
	"os"
	"os/signal"
	"regexp"
	"strconv"
	"strings"
	"syscall"

	"github.com/git-socialpost/git-socialpost/linkedin/sandbox"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	os.Exit(run(ctx, os.Args[1:], os.Stdout, os.Stderr))
}

const (
	exitError = 1
	exitUsage = 129
)

// run serves until ctx ends and returns the exit status.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	server := sandbox.New()
	server.Log = log.New(stderr, "", log.Ltime)
	addr, token, err := configure(server, args, stdout)
	switch {
	case errors.Is(err, flag.ErrHelp):
		return 0
	case err != nil:
		fmt.Fprintf(stderr, "linkedin-sandbox: %v\nhint: linkedin-sandbox -h shows the flags\n", err)
		return exitUsage
	}
	listener, err := net.Listen("tcp", addr)
	if err != nil {
		fmt.Fprintf(stderr, "linkedin-sandbox: %v\n", err)
		return exitError
	}
	url := "http://" + listener.Addr().String()
	fmt.Fprintf(stdout, "export SOCIALPOST_LINKEDIN_URL=%s LINKEDIN_ACCESS_TOKEN=%s # feed: %s/\n"+
		"# login: LINKEDIN_CLIENT_SECRET=%s git socialpost login --client-id %s\n"+
		"# author: urn:li:person:%s, or any urn:li:organization:NUMBER\n",
		url, token, url, server.ClientSecret, server.ClientID, server.Tokens[token].Sub)
	if err := serve(ctx, listener, server); err != nil {
		fmt.Fprintf(stderr, "linkedin-sandbox: %v\n", err)
		return exitError
	}
	return 0
}

// A token goes into a line for the shell.
var plainToken = regexp.MustCompile(`^[A-Za-z0-9._=-]+$`)

// configure applies the command line to a server, and returns the address to listen on and the token to use.
func configure(server *sandbox.Server, args []string, help io.Writer) (addr, token string, err error) {
	flags := flag.NewFlagSet("linkedin-sandbox", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	flags.StringVar(&addr, "addr", "127.0.0.1:8425", "loopback `address` to listen on; port 0 picks a free one")
	flags.StringVar(&token, "token", sandbox.DefaultToken, "access `token` to accept")
	flags.DurationVar(&server.DuplicateWindow, "duplicate-window", server.DuplicateWindow, "`time` in which the same post is refused")
	flags.Func("fault", "`kind[:before|after[:count]]` of a fault for the next posts; may be repeated", func(s string) error {
		return arm(server, s)
	})
	if err := flags.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			fmt.Fprintln(help, "usage: linkedin-sandbox [flags]")
			flags.SetOutput(help)
			flags.PrintDefaults()
			fmt.Fprintln(help, "faults:", strings.Join(sandbox.Kinds(), " "))
			fmt.Fprint(help, loginHelp)
		}
		return "", "", err
	}
	if flags.NArg() > 0 {
		return "", "", fmt.Errorf("unexpected argument %q", flags.Arg(0))
	}
	if !plainToken.MatchString(token) {
		return "", "", fmt.Errorf("-token %q: want letters, digits and any of . _ = -", token)
	}
	server.Tokens = map[string]sandbox.Token{token: server.Tokens[sandbox.DefaultToken]}
	return addr, token, checkLoopback(addr)
}

const loginHelp = `login: with SOCIALPOST_LINKEDIN_URL set as this program prints it, git socialpost login (see there) opens a page of
  this program's; click Allow. Without a browser, while login waits: curl -L -d answer=allow 'ADDRESS', as login prints
  it. Git keeps the token as if it were LinkedIn's; docs/linkedin.md says how to keep it apart.
`

func checkLoopback(addr string) error {
	host, _, err := net.SplitHostPort(addr)
	if err != nil {
		return fmt.Errorf("-addr: %w", err)
	}
	if ip, err := netip.ParseAddr(host); host != "localhost" && (err != nil || !ip.IsLoopback()) {
		return fmt.Errorf("-addr %s: want a loopback address such as 127.0.0.1:8425", addr)
	}
	return nil
}

func arm(server *sandbox.Server, s string) error {
	kind, rest, _ := strings.Cut(s, ":")
	when, times, _ := strings.Cut(rest, ":")
	count, err := strconv.Atoi(cmp.Or(times, "1"))
	if err != nil {
		return fmt.Errorf("count %q: want a number", times)
	}
	return server.Arm(sandbox.Fault{Kind: kind, When: when, Count: count})
}

// serve ends the connections of faults that hang when ctx ends.
func serve(ctx context.Context, listener net.Listener, handler http.Handler) error {
	server := &http.Server{Handler: handler, BaseContext: func(net.Listener) context.Context { return ctx }}
	stop := context.AfterFunc(ctx, func() { server.Close() })
	defer stop()
	if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}
