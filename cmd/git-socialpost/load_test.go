//go:build unix

package main

import (
	"flag"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

var load = flag.Int("load", 0, "let 20 runners deliver `n` posts at once, and measure it")

const loadRunners = 20

// TestLoad lets many runners, each with a clone of its own, deliver the same posts over HTTP at once. Each post is
// delivered exactly once, each runner explains how it ended, and each shard takes part in 200. What it took is printed, beside what bare git
// takes in one clone for as many fetches and pushes.
func TestLoad(t *testing.T) {
	if *load == 0 {
		t.Skip("without -load")
	}
	w, pushes := loadedWorld(t)
	began := time.Now()
	ended := w.deliverAtOnce()
	took := time.Since(began)
	pushed := int(pushes.Load())
	w.audit()
	by := map[string]int{}
	for key, rec := range w.records() {
		if rec.State != "delivered" || rec.Attempt != 1 {
			t.Errorf("%s is %s, attempt %d", key, rec.State, rec.Attempt)
		}
		by[rec.Run]++
	}
	if n := len(w.Stored()); n != *load || w.Received() != n {
		t.Errorf("%d posts are in the feed, of %d POSTs, want %d", n, w.Received(), *load)
	}
	w.demandAllShards()
	t.Logf("%d runners, %d deliveries in %.0f s; exit statuses %v; deliveries by runner %v", loadRunners, *load, took.Seconds(), ended, by)
	t.Logf("%d pushes, %d of them lost", pushed, pushed-2**load)
	t.Logf("floor: %.0f s for as many bare fetches and pushes in one clone", w.floor().Seconds())
}

// loadedWorld is a remote, over HTTP, with much to deliver. It counts the pushes that begin.
func loadedWorld(t *testing.T) (*world, *atomic.Int64) {
	var keys []string
	for n := range *load {
		keys = append(keys, fmt.Sprintf("note-%03d:linkedin-en", n))
	}
	w, pushes := newWorld(t, keys...), new(atomic.Int64)
	w.serveHTTP(func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
			if strings.HasSuffix(r.URL.Path, "/info/refs") && r.URL.Query().Get("service") == "git-receive-pack" {
				pushes.Add(1)
			}
			next.ServeHTTP(rw, r)
		})
	})
	return w, pushes
}

// deliverAtOnce runs all runners, and counts their exit statuses. Every one must be explained; it is 3 where another runner
// was still at work when this one ended.
func (w *world) deliverAtOnce() map[int]int {
	var runners []*machine
	for n := range loadRunners {
		m := w.clone(fmt.Sprintf("runner-%02d", n))
		m.env = []string{fmt.Sprintf("CI_JOB_URL=runner-%02d", n)}
		runners = append(runners, m)
	}
	results := make([]result, loadRunners)
	var group sync.WaitGroup
	for n, m := range runners {
		group.Go(func() { results[n] = m.run("deliver", fmt.Sprintf("--limit=%d", *load)) })
	}
	group.Wait()
	ended := map[int]int{}
	for n, r := range results {
		ended[r.status]++
		if err := r.unexplained(); err != nil {
			w.Errorf("runner %d: %v", n, err)
		}
	}
	return ended
}

func (w *world) demandAllShards() {
	refs := strings.Fields(w.git("-C", w.remote, "for-each-ref", "--format=%(objectname)", "refs/social/ledger/"))
	slices.Sort(refs)
	if n := len(slices.Compact(refs)); n != 16 && *load >= 200 {
		w.Errorf("only %d shards took part", n)
	}
}

// floor is the time of a fetch and two pushes for every delivery, with no runner and no post.
func (w *world) floor() time.Duration {
	m := w.clone("floor")
	began, last := time.Now(), m.git("rev-parse", "HEAD")
	for range *load {
		m.git("fetch", "-q", "origin", "+refs/social/ledger/*:refs/floor/*")
		for range 2 {
			last = m.git("commit-tree", "-p", last, "-m", "floor", last+"^{tree}")
			m.git("push", "-q", "origin", last+":refs/heads/floor")
		}
	}
	return time.Since(began)
}
