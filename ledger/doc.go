// Package ledger keeps the history of deliveries on a git remote, and alone knows refs/social.
//
// The ledger is a fixed number of shards, refs/social/ledger/0 to f (or 00 to ff): append-only chains of commits that
// begin at one common first commit, the pin. A delivery belongs to the shard that SHA-256 of its slug names. Every
// transition is one commit on one shard, pushed with a lease on the tip from which it was decided. What a fetch brings
// is verified before anything is decided from it: each new commit must change exactly the delivery that its trailers
// name, by a legal transition. What cannot be verified is refused, never taken for empty.
package ledger
