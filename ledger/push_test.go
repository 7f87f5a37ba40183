package ledger

import (
	"strings"
	"testing"
)

func TestJudge(t *testing.T) {
	two := []refUpdate{{"refs/social/ledger/3", "", "aaaa"}, {"refs/social/ledger/c", "bbbb", "cccc"}}
	for _, tc := range []struct {
		name, porcelain string
		want            verdict
	}{
		{"both moved", "To r\n \taaaa:refs/social/ledger/3\tb..a\n \tcccc:refs/social/ledger/c\tb..c\nDone\n", pushWon},
		{"one made, one moved", "To r\n*\taaaa:refs/social/ledger/3\t[new reference]\n \tcccc:refs/social/ledger/c\tb..c\nDone\n", pushWon},
		{"any order", " \tcccc:refs/social/ledger/c\tb..c\n*\taaaa:refs/social/ledger/3\t[new reference]\n", pushWon},
		{"deleted", "-\t:refs/social/ledger/3\t[deleted]\n \tcccc:refs/social/ledger/c\tb..c\n", pushWon},
		{"no last line end", "*\taaaa:refs/social/ledger/3\t[new]\n \tcccc:refs/social/ledger/c\tb..c", pushWon},

		{"stale", "To r\n!\taaaa:refs/social/ledger/3\t[rejected] (stale info)\n!\tcccc:refs/social/ledger/c\t[rejected] (atomic push failed)\nDone\n", pushLost},
		{"stale after one that says it moved", " \taaaa:refs/social/ledger/3\tb..a\n!\tcccc:refs/social/ledger/c\t[rejected] (stale info)\n", pushLost},
		{"stale before one that says it moved", "!\taaaa:refs/social/ledger/3\t[rejected] (stale info)\n \tcccc:refs/social/ledger/c\tb..c\n", pushLost},
		{"hook", "!\taaaa:refs/social/ledger/3\t[remote rejected] (hook declined)\n", pushLost},
		{"no report", "!\taaaa:refs/social/ledger/3\t[remote failure] (remote failed to report status)\n", pushLost},

		{"nothing", "", pushUnknown},
		{"cut before any line", "To r\n", pushUnknown},
		{"cut after one", "To r\n*\taaaa:refs/social/ledger/3\t[new reference]\n", pushUnknown},
		{"cut within a line", "*\taaaa:refs/social/ledger/3\t[new]\n \tcccc:refs/social/led", pushUnknown},
		{"up to date", "=\taaaa:refs/social/ledger/3\t[up to date]\n=\tcccc:refs/social/ledger/c\t[up to date]\nDone\n", pushUnknown},
		{"one up to date", "*\taaaa:refs/social/ledger/3\t[new]\n=\tcccc:refs/social/ledger/c\t[up to date]\nDone\n", pushUnknown},
		{"forced", "+\taaaa:refs/social/ledger/3\tb...a (forced update)\n \tcccc:refs/social/ledger/c\tb..c\n", pushUnknown},
		{"another ref", "*\taaaa:refs/social/ledger/3\t[new]\n \tcccc:refs/social/ledger/cc\tb..c\n", pushUnknown},
		{"a flag that no git has", "?\taaaa:refs/social/ledger/3\tx\n \tcccc:refs/social/ledger/c\tb..c\n", pushUnknown},
		{"only talk", "Everything up-to-date\nDone\n", pushUnknown},
		{"blanks for tabs", "* aaaa:refs/social/ledger/3 [new]\n  cccc:refs/social/ledger/c b..c\n", pushUnknown},
	} {
		if got, reason := judge(tc.porcelain, two); got != tc.want {
			t.Errorf("%s: verdict %d, want %d", tc.name, got, tc.want)
		} else if (reason != "") != (got == pushLost) {
			t.Errorf("%s: verdict %d for the reason %q", tc.name, got, reason)
		}
	}
}

// FuzzJudge: whatever git prints, a push is won only if every ref has a line of its own that says so, and none was lost.
func FuzzJudge(f *testing.F) {
	f.Add("To r\n*\ta:refs/social/ledger/3\t[new]\n \tc:refs/social/ledger/c\tb..c\nDone\n")
	f.Add("!\ta:refs/social/ledger/3\t[rejected] (stale info)\n")
	f.Add("=\ta:refs/social/ledger/3\t[up to date]\n")
	f.Fuzz(func(t *testing.T, porcelain string) {
		result, _ := judge(porcelain, []refUpdate{{ref: "refs/social/ledger/3"}, {ref: "refs/social/ledger/c"}})
		lost := strings.HasPrefix(porcelain, "!\t") || strings.Contains(porcelain, "\n!\t")
		moved := strings.Contains(porcelain, ":refs/social/ledger/3\t") && strings.Contains(porcelain, ":refs/social/ledger/c\t")
		if result == pushWon && !moved || result == pushLost && !lost {
			t.Errorf("verdict %d for %q", result, porcelain)
		}
	})
}

// Every ref has its own expected value, and nothing in the arguments overrides it.
func TestPushArgs(t *testing.T) {
	l := &Ledger{Remote: "up.stream/x"}
	args := l.pushArgs([]refUpdate{{"refs/social/ledger/3", "", "aaaa"}, {"refs/social/ledger/c", "bbbb", "cccc"}})
	got := strings.Join(args, " ")
	want := "-c push.pushOption= -c remote.up.stream/x.mirror=false push --atomic --porcelain --no-verify --no-follow-tags --recurse-submodules=no " +
		"--force-with-lease=refs/social/ledger/3: --force-with-lease=refs/social/ledger/c:bbbb up.stream/x aaaa:refs/social/ledger/3 cccc:refs/social/ledger/c"
	if got != want {
		t.Errorf("git %s\nwant %s", got, want)
	}
}
