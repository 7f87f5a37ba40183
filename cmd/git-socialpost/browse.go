package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/git-socialpost/git-socialpost/linkedin"
)

func (l *login) printAddress() string {
	address := l.app.AuthorizeURL(l.redirect, l.state, l.scopes)
	l.note("open this address in a browser that is logged in to LinkedIn, as the member who posts:")
	fmt.Fprintf(l.stderr, "\n  %s\n\n", address)
	return address
}

// browse waits for the browser to come to this machine.
func (l *login) browse(ctx context.Context, port int) (code string, err error) {
	callback, err := linkedin.ListenCallback(port)
	if err != nil {
		other := freeAbove(port)
		return "", hinted(fmt.Errorf("port %d: %w", port, err),
			fmt.Sprintf("name a free one, such as --port %d, and add %s to the app's redirect URLs; or use --paste", other, linkedin.CallbackURL(other)))
	}
	defer callback.Close()
	address := l.printAddress()
	l.remark("waiting for the browser at %s, which must be one of the app's redirect URLs", l.redirect)
	go func() {
		if err := l.git.Open(ctx, "web--browse", address); err != nil && ctx.Err() == nil {
			l.remark("git finds no browser here: open the address by hand; if the browser runs on another machine, stop this and use --paste")
		}
	}()
	var once sync.Once // a page of a stranger's could send many
	return callback.Wait(ctx, l.state, func(err error) {
		once.Do(func() { l.remark("a request to %s is ignored: %v", l.redirect, err) })
	})
}

// freeAbove finds a port that login can wait at.
func freeAbove(busy int) int {
	for port := busy + 1; port <= min(busy+2000, maxPort); port++ {
		if callback, err := linkedin.ListenCallback(port); err == nil {
			callback.Close()
			return port
		}
	}
	return defaultPort
}

// paste asks for what the browser shows on another machine, where nobody listens at the redirect address.
func (l *login) paste(ctx context.Context) (code string, err error) {
	l.printAddress()
	l.note("allow it there; the browser is then sent to %s (one of the app's redirect URLs), which it cannot reach", l.redirect)
	fmt.Fprint(l.stderr, "Paste that address, all of it: ")
	if !l.terminal { // which ends the line
		fmt.Fprintln(l.stderr)
	}
	line, err := readLine(ctx, l.stdin)
	switch {
	case ctx.Err() != nil:
		return "", context.Cause(ctx)
	case line == "" && err != nil:
		return "", errors.New("standard input ended without an answer")
	}
	return linkedin.ParseCallback(line, l.state)
}

func (l *login) unanswered(ctx context.Context, err error) error {
	denied, isDenied := errors.AsType[*linkedin.DeniedError](err)
	switch {
	case ctx.Err() != nil:
		return stopped(ctx)
	case isDenied && strings.HasPrefix(denied.Code, "unauthorized_scope"):
		return hinted(err, "the app's Products must offer all of: "+strings.Join(l.scopes, " "),
			"w_organization_social is for reviewed apps only; --scopes asks for others")
	case isDenied:
		return hinted(err, "nothing was changed; run git socialpost login again when you like")
	case errors.Is(err, linkedin.ErrPartial):
		return hinted(err, "wanted is all that the browser's address bar holds, from "+l.redirect+"?code= to the end of the state: click into it, select all, copy",
			"the code alone does not show that it answers this login; run git socialpost login --paste again, and allow again")
	case errors.Is(err, linkedin.ErrState):
		return hinted(err, "run git socialpost login again, and use the address that it prints then")
	case len(hints(err)) > 0:
		return err
	}
	return hinted(err, "nothing was changed; run git socialpost login again")
}
