package main

import "testing"

func TestStepDelivers(t *testing.T) {
	for text, want := range map[string]bool{
		"run: git socialpost deliver":                                                    true,
		"run: git socialpost deliver; echo done":                                         true,
		"run: git -C blog socialpost --verbose deliver --recovery x":                     true,
		"run: '\"$HOME/go/bin/git-socialpost\" deliver'":                                 true,
		"run: >\n  git-socialpost\n  deliver":                                            true,
		"run: |\n  # says why\n  docker run ghcr.io/x/git-socialpost:v1 deliver":         true,
		"uses: git-socialpost/git-socialpost@main":                                       true,
		"uses: someone/git-socialpost@5f0c # v1\nwith:\n  command: deliver":              true,
		"with:\n  command: deliver\nuses: git-socialpost/git-socialpost@v1":              true,
		"{uses: git-socialpost/git-socialpost@v1, with: {command: deliver}}":             true,
		"uses: git-socialpost/git-socialpost@v1\nwith: { command: \"${{ inputs.x }}\" }": true,

		"run: git socialpost deliver --dry-run && git socialpost deliver":                   true,
		"run: |\n  git socialpost deliver --dry-run\n  git socialpost deliver":              true,
		"uses: git-socialpost/git-socialpost@v1\nwith: { dry-run: \"${{ inputs.dry }}\" }":  true,
		"run: git socialpost deliver --dry-run":                                             false,
		"run: |\n  git socialpost deliver \\\n    --recovery x --dry-run\n  echo":           false,
		"run: git socialpost deliver --dry-run; git socialpost plan":                        false,
		"uses: git-socialpost/git-socialpost@v1\nwith: { command: deliver, dry-run: true }": false,
		"uses: git-socialpost/git-socialpost@v1\nwith: { command: plan }":                   false,
		"uses: git-socialpost/git-socialpost@v1\n\nwith:\n\n  command: 'resolve'":           false,
		"run: git socialpost plan":                                                       false,
		"run: git socialpost plan # git socialpost deliver":                              false,
		"run: 'git socialpost plan # git socialpost deliver'":                            false,
		"run: git socialpost delivered":                                                  false,
		"run: group=socialpost\ndeliver: x":                                              false,
		"uses: actions/checkout@v5\nwith: { repository: git-socialpost/git-socialpost }": false,
		"": false,
	} {
		step, err := parseYAML([]byte(text))
		if err != nil {
			t.Fatalf("%q: %v", text, err)
		}
		if got := stepDelivers(step); got != want {
			t.Errorf("%q delivers: %v", text, got)
		}
	}
}
