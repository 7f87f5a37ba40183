package main

import (
	"cmp"
	"path"
	"strings"
	"time"

	"github.com/git-socialpost/git-socialpost/ledger"
)

// delivery is one of a plan's lines.
type delivery struct {
	Key           string     `json:"key"` // "" where an invalid post has none
	Decision      decision   `json:"decision"`
	Reason        string     `json:"reason"`
	Path          string     `json:"path"`
	Channel       string     `json:"channel"`
	PayloadSHA256 string     `json:"payload_sha256"` // "" for an invalid post
	Length        int        `json:"length"`         // UTF-16 units of the visible text
	PublishAfter  *time.Time `json:"publish_after"`
	Post          *string    `json:"post"` // the platform's id of a delivered post
	URL           *string    `json:"url"`

	post   *post // nil if the file is gone
	record *ledger.Record
	tried  bool // the run came to it, and says what became of it
}

func (t *tool) decideAbout(p *post) (*delivery, error) {
	f, err := t.facts(p)
	if err != nil {
		return nil, err
	}
	d := &delivery{Path: p.Path, Channel: p.channelName(), Length: p.Length, post: p}
	d.Decision, d.Reason = decide(f)
	if p.Key != (ledger.Key{}) {
		d.Key = p.Key.String()
	}
	if p.Payload != nil {
		d.PayloadSHA256 = ledger.SHA256(p.Payload)
	}
	if !p.PublishAfter.IsZero() {
		d.PublishAfter = &p.PublishAfter
	}
	d.adopt(f.record)
	return d, nil
}

// fileless is a delivery that the ledger has decided and whose file is gone.
func fileless(r *ledger.Record) *delivery {
	k, _ := r.ID()
	d := &delivery{Key: r.Key, Path: r.Path, Channel: k.Channel, PayloadSHA256: r.PayloadSHA256}
	d.Decision, d.Reason = decided(r, nil)
	d.adopt(r)
	return d
}

// adopt keeps what the ledger says.
func (d *delivery) adopt(r *ledger.Record) {
	d.record = r
	if r != nil && r.Post != nil {
		d.Post, d.URL = &r.Post.ID, &r.Post.URL
	}
}

// inOrder is the order in which deliveries go out: by publish_after, then by key.
func inOrder(a, b *delivery) int {
	var x, y time.Time
	if a.PublishAfter != nil {
		x = *a.PublishAfter
	}
	if b.PublishAfter != nil {
		y = *b.PublishAfter
	}
	if n := x.Compare(y); n != 0 {
		return n
	}
	return strings.Compare(a.Key, b.Key)
}

// name is the key, for a post too broken to have one the key that its path would give.
func (d *delivery) name() string {
	return cmp.Or(d.Key, path.Base(path.Dir(d.Path))+":"+d.Channel)
}

// said is the decision and its reason; one to send that is still here was not sent, as the reason says.
func (d *delivery) said() string {
	if d.Decision == send {
		return d.Reason
	}
	return string(d.Decision) + ": " + d.Reason
}

// asDelivered reports whether the file is still what was delivered: nothing to talk about.
func (d *delivery) asDelivered() bool {
	return d.Decision == delivered && d.record != nil && (d.record.Attempt == 0 || d.record.PayloadSHA256 == d.PayloadSHA256)
}
