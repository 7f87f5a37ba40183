package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/git-socialpost/git-socialpost/ledger"
	"github.com/git-socialpost/git-socialpost/linkedin"
)

const (
	maxAge   = 60 * time.Second // an older intent is not sent: its runner was paused
	freshAge = 5 * time.Second  // an older intent is looked up once more before it is sent

	intendLimit = 3 * time.Minute  // how long an intent is tried to be stored, while others write to its shard
	intendGrace = 10 * time.Second // how long a signal waits for a push, so that no intent is left behind without need
	sendGrace   = 3 * time.Second  // how long a signal waits for the answer to a request that left
	settleLimit = 5 * time.Minute  // how long an outcome is tried to be recorded
)

// deliverOne is the protocol: intend, post, settle. If the intent cannot be stored nothing is sent; what came back is
// stored whatever happens. It reports whether the run may go on to the next delivery.
func (r *run) deliverOne(ctx context.Context, d *delivery) (proceed bool) {
	d.tried = true
	client, err := r.client(ctx, d.post.Channel)
	if err != nil {
		r.notSent(d, err)
		return true // another channel may have another token
	}
	if r.dry {
		d.Reason = "dry run: it would be sent now"
		return true
	}
	r.progress("%s: storing the intent", d.Key)
	intent, err := r.intend(ctx, d)
	if errors.Is(err, errTaken) {
		r.contest = append(r.contest, d)
		return true
	}
	if err != nil {
		r.notSent(d, err)
		return errors.As(err, new(*ledger.RefusedError)) // another shard may take it
	}
	a := &attempt{run: r, delivery: d, intent: intent, file: r.recoveryFile(r.recovery, d.Key, intent.Attempt)}
	a.send(ctx, client)
	return a.settle(context.WithoutCancel(ctx))
}

// notSent is for all that ends a delivery before its request.
func (r *run) notSent(d *delivery, err error) {
	d.Reason = "not sent: " + err.Error()
	r.left.fail(fmt.Errorf("%s: %w", d.Key, err))
}

// errTaken says that fresh state forbids what was due a moment ago; reviewContested tells why.
var errTaken = errors.New("taken by another runner")

// intend stores the statement that this attempt may be sent from now on, and returns it as it stands on the remote.
func (r *run) intend(ctx context.Context, d *delivery) (*ledger.Record, error) {
	if !r.fresh { // the deliveries before took their time, and the same text may have been sent from another shard
		if err := r.ledger.Fetch(ctx); err != nil {
			return nil, err
		}
	}
	r.fresh = false
	ctx, cancel := linger(ctx, intendGrace)
	defer cancel()
	ctx, stop := context.WithTimeoutCause(ctx, intendLimit, fmt.Errorf("not recorded within %v", intendLimit))
	defer stop()
	nonce := ledger.NewNonce()
	return r.ledger.Update(ctx, d.post.Key, func(old *ledger.Record) (*ledger.Record, error) {
		if old != nil && slices.Contains(old.Nonces, nonce) {
			if old.State != ledger.Intended || old.Nonce() != nonce {
				return nil, errTaken // and resolved, while its intent was on the way
			}
			return old, nil // the answer to our push was lost, the push was not
		}
		f, err := r.facts(d.post)
		if err != nil {
			return nil, err
		}
		if decision, _ := decide(f); decision != send {
			return nil, errTaken
		}
		return ledger.Intend(old, ledger.Record{
			Key: d.Key, Nonces: []string{nonce}, Revision: r.plan.Revision, Path: d.Path,
			Text: r.repo.BlobID([]byte(d.post.Text)), PayloadSHA256: d.PayloadSHA256, Payload: d.post.Payload,
			Author: d.post.Channel.Author, IntendedAt: r.stamp(), Run: r.runURL(),
		}), nil
	})
}

// attempt is one delivery between its intent and its outcome.
type attempt struct {
	*run
	*delivery
	intent  *ledger.Record
	outcome ledger.Outcome
	receipt *ledger.Post // set with a delivered outcome only
	file    string       // the recovery record
	keepErr error        // why it is not on the disk
}

// send makes the one request. A signal gives it a moment to be answered, then cuts it: what left cannot be called back.
func (a *attempt) send(ctx context.Context, client *linkedin.Client) {
	sending, cancel := linger(ctx, sendGrace)
	defer cancel()
	ready := func(limited context.Context) error {
		if ctx.Err() != nil {
			return errors.New("stopped by a signal before anything was sent")
		}
		return a.ready(limited)
	}
	a.progress("%s: posting", a.Key)
	a.hear(client.Send(sending, a.post.Payload, ready, a.hear))
}

// linger returns a context that ends some time after its parent does.
func linger(parent context.Context, grace time.Duration) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(context.WithoutCancel(parent))
	stop := context.AfterFunc(parent, func() {
		time.AfterFunc(grace, func() { cancel(errors.New("stopped by a signal")) })
	})
	return ctx, func() { stop(); cancel(nil) }
}

// hear keeps what is known of the outcome, on the disk first: once with the head of the answer, once with all of it.
func (a *attempt) hear(o linkedin.Outcome) {
	a.outcome = ledger.Outcome{Kind: string(o.Kind), Status: o.Status, Code: o.Code, Message: o.Message,
		RequestID: o.RequestID, Duplicate: o.Duplicate, At: a.stamp()}
	a.receipt = nil
	if o.Kind == linkedin.Delivered {
		if base := a.getenv(linkedInURL); base != "" {
			a.outcome.Message = "answered by " + base + " in LinkedIn's place"
		}
		a.receipt = &ledger.Post{ID: o.PostID, URL: linkedin.PublicURL(o.PostID)}
	}
	a.keepErr = a.recoveryRecord().save(a.file)
}

// ready is asked when the connection stands, before the first byte leaves. Ages are by the wall clock: the monotonic
// one stops while a machine sleeps.
func (a *attempt) ready(ctx context.Context) error {
	age, err := a.age()
	if err != nil || age <= freshAge {
		return err
	}
	if err := a.ledger.Fetch(ctx); err != nil {
		a.note("%s: %v", a.Key, err)
		return errors.New("the ledger could not be read once more before it was sent") // git's words are not for the ledger
	}
	now, err := a.ledger.Record(a.post.Key)
	switch {
	case err != nil:
		return err
	case now == nil || now.State != ledger.Intended || now.Nonce() != a.intent.Nonce():
		return errors.New("the intent was resolved before it was sent")
	}
	_, err = a.age()
	return err
}

func (a *attempt) age() (time.Duration, error) {
	age := a.now().Round(0).Sub(a.intent.IntendedAt)
	if age < 0 || age > maxAge {
		return age, fmt.Errorf("the intent is %v old by the clock; this runner was paused, or its clock was set", age.Round(time.Second))
	}
	return age, nil
}

// kind is the name of what is stored after the request.
func (a *attempt) kind() string {
	if a.receipt != nil {
		return "receipt"
	}
	return "outcome"
}

// settle stores the outcome on the remote and says what it means. It reports whether the run may go on.
func (a *attempt) settle(ctx context.Context) (proceed bool) {
	ctx, cancel := context.WithTimeoutCause(ctx, settleLimit, fmt.Errorf("not recorded within %v", settleLimit))
	defer cancel()
	a.progress("%s: storing the %s", a.Key, a.kind())
	rec, err := a.ledger.Update(ctx, a.post.Key, a.recoveryRecord().merge)
	if err == nil {
		os.Remove(a.file)
		a.adopt(rec)
	}
	if a.receipt != nil {
		return a.settleReceipt(rec, err)
	}
	a.Decision, a.Reason = open, a.evidence()
	unsent := a.outcome.Kind == ledger.Unsent
	switch {
	case err != nil:
		a.left.fail(a.unrecorded(err))
	case unsent && rec.State == ledger.Released && rec.Resolution == nil:
		a.Decision, a.Reason = send, "not sent, and released: "+a.outcome.Message
		a.left.fail(hinted(fmt.Errorf("%s: %s", a.Key, a.Reason), "nothing was sent; run this again"))
	case rec.Nonce() != a.intent.Nonce():
		a.Reason += fmt.Sprintf("; meanwhile it was resolved, and attempt %d was made", rec.Attempt)
	case rec.State == ledger.Delivered:
		a.Decision, a.Reason = delivered, a.Reason+"; a maintainer has seen the post"
		a.note("%s: %s", a.Key, a.Reason)
	case !rec.State.Open():
		a.Decision, a.Reason = held, a.Reason+"; meanwhile it was resolved, and is "+string(rec.State)
		look := "look at the feed, then at: git socialpost log " + a.Key
		if unsent {
			look = "how that came: git socialpost log " + a.Key
		}
		a.left.fail(hinted(fmt.Errorf("%s: %s", a.Key, a.Reason), look))
	case a.outcome.Kind == string(ledger.Rejected):
		a.left.refused = append(a.left.refused, a.delivery)
	}
	return false
}

func (a *attempt) settleReceipt(rec *ledger.Record, err error) (proceed bool) {
	a.Decision, a.Reason = delivered, ""
	a.delivery.Post, a.URL = &a.receipt.ID, &a.receipt.URL
	if err != nil {
		a.left.unrecorded = append(a.left.unrecorded, a.unrecorded(err))
		return false
	}
	a.shout(rec, a.intent.Attempt)
	return true
}

// shout tells of a receipt that came to an attempt which somebody had given up, and names every post that there is now.
func (t *tool) shout(rec *ledger.Record, attempt int) {
	if rec.Post == nil {
		return
	}
	posts, late := []string{rec.Post.URL}, false
	for _, l := range rec.Late {
		if l.Post != nil {
			posts = append(posts, l.Post.URL)
			late = late || l.Attempt == attempt
		}
	}
	slices.Sort(posts)
	posts = slices.Compact(posts)
	switch {
	case !late:
	case len(posts) > 1:
		t.warn("%s is posted %d times: %s; delete by hand what is too much. Nothing is lost: git socialpost log %s",
			rec.Key, len(posts), strings.Join(posts, " "), rec.Key)
	default:
		t.warn("%s was resolved while it was being posted; it is posted as %s, and both facts are recorded: git socialpost log %s",
			rec.Key, posts[0], rec.Key)
	}
}

// unrecorded tells how what is known here gets into the ledger later.
func (a *attempt) unrecorded(err error) error {
	said := "the outcome"
	if a.receipt != nil {
		said = "posted as " + a.receipt.URL + ", but the receipt"
	}
	err = fmt.Errorf("%s: %s is not on the remote: %w", a.Key, said, err)
	var lines []string
	if a.keepErr != nil {
		a.note("no recovery record on this disk: %v", a.keepErr)
	} else {
		lines = append(lines, "keep "+shell(a.file)+", and run where the remote can be reached: git socialpost resolve "+a.Key+" --from "+shell(a.file))
	}
	if a.receipt != nil {
		lines = append(lines, "or by the post's id: git socialpost resolve "+a.Key+" --posted "+a.receipt.ID)
	}
	return hinted(err, lines...)
}

func (a *attempt) evidence() string { return oneLine(describe(&a.outcome)) }
