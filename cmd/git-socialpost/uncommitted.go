package main

import (
	"context"
	"os"
	"path/filepath"
)

// orCommit puts the remedy before another one where git socialpost init was run here, and its file is not committed yet.
func (t *tool) orCommit(ctx context.Context, otherwise string) []string {
	committed, err := t.objects.Blob("HEAD:" + configFile)
	if err != nil || hasPin(committed) || !hasPin(t.configOnDisk(ctx)) {
		return []string{otherwise}
	}
	return []string{configFile + " is not committed yet: git add " + configFile + " && git commit", otherwise}
}

// configOnDisk is empty where there is no work tree, or no such file in it.
func (t *tool) configOnDisk(ctx context.Context) []byte {
	top, err := t.repo.Run(ctx, "rev-parse", "--show-toplevel")
	if err != nil {
		return nil
	}
	data, _ := os.ReadFile(filepath.Join(top, configFile))
	return data
}

// hasPin holds for a file with other problems, too: they are told when it counts.
func hasPin(data []byte) bool {
	cfg, _ := readConfig(configFile, data)
	return cfg != nil && cfg.Ledger != ""
}
