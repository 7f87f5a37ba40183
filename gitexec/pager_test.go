package gitexec

import (
	"bytes"
	"slices"
	"strings"
	"testing"
)

func TestPager(t *testing.T) {
	for name, test := range map[string]struct {
		env    map[string]string
		config []string
		want   string
	}{
		"GIT_PAGER":                    {map[string]string{"GIT_PAGER": "g -x", "PAGER": "p"}, []string{"core.pager=c"}, "g -x"},
		"core.pager":                   {map[string]string{"PAGER": "p"}, []string{"core.pager=c"}, "c"},
		"PAGER":                        {map[string]string{"PAGER": "p"}, nil, "p"},
		"cat":                          {map[string]string{"PAGER": "cat"}, nil, ""},
		"empty":                        {map[string]string{"GIT_PAGER": "", "PAGER": "p"}, nil, ""},
		"off":                          {map[string]string{"GIT_PAGER": "g"}, []string{"pager.socialpost=0"}, ""},
		"on":                           {map[string]string{"PAGER": "p"}, []string{"pager.socialpost"}, "p"},
		"its own":                      {map[string]string{"PAGER": "p"}, []string{"core.pager=c", "pager.socialpost=s | t"}, "s | t"},
		"its own, and GIT_PAGER":       {map[string]string{"GIT_PAGER": "g"}, []string{"pager.socialpost=s"}, "g"},
		"its own, which is none":       {map[string]string{"PAGER": "p"}, []string{"pager.socialpost=cat"}, ""},
		"another command's is another": {map[string]string{"PAGER": "p"}, []string{"pager.log=s"}, "p"},
	} {
		t.Run(name, func(t *testing.T) {
			in(t)
			for name, value := range test.env {
				t.Setenv(name, value)
			}
			for _, c := range test.config {
				key, value, valued := strings.Cut(c, "=")
				if !valued {
					value = "true"
				}
				run(t, "config", key, value)
			}
			if got, err := (Git{}).Pager(t.Context(), "socialpost"); got != test.want || err != nil {
				t.Errorf("got %q, %v, want %q", got, err, test.want)
			}
		})
	}
}

// A pager gets all of the text; one that leaves early has shown it, one that cannot be started has not.
func TestPage(t *testing.T) {
	in(t)
	t.Setenv("LESS", "")
	long := strings.Repeat("a line of a long answer\n", 100_000)
	for pager, want := range map[string]bool{
		"wc -c":                      true,
		"cat | wc -c":                true,
		"head -n 1 >/dev/null; exit": true,
		"exit 1":                     true,
		"kill -KILL $$":              true,
		"no-such-pager":              false,
		"no-such-pager -R":           false,
		"/dev/null":                  false,
	} {
		var stdout, stderr bytes.Buffer
		if got := (Git{}).Page(t.Context(), pager, []byte(long), &stdout, &stderr); got != want {
			t.Errorf("%s: it reports %v\n%s", pager, got, &stderr)
		}
		if strings.Contains(pager, "wc") && strings.TrimSpace(stdout.String()) != "2400000" {
			t.Errorf("%s: it got %s bytes", pager, &stdout)
		}
	}
}

func TestPagerEnviron(t *testing.T) {
	for _, test := range [][2][]string{
		{{"A=b"}, {"A=b", "LESS=FRX", "LV=-c"}},
		{{"LESS=", "LV=x"}, {"LESS=", "LV=x"}},
		{{"LESSOPEN=x"}, {"LESSOPEN=x", "LESS=FRX", "LV=-c"}},
	} {
		if got := pagerEnviron(test[0]); !slices.Equal(got, test[1]) {
			t.Errorf("%q became %q", test[0], got)
		}
	}
}
