package main

import "context"

// orCommit puts the remedy before another one where git socialpost init was run here, and its file is not committed yet.
func (t *tool) orCommit(ctx context.Context, otherwise string) []string {
	committed, err := t.objects.Blob("HEAD:" + configFile)
	if err != nil || hasPin(committed) || !hasPin(t.configOnDisk(ctx)) {
		return []string{otherwise}
	}
	return []string{configFile + " is not committed yet: git add " + configFile + " && git commit", otherwise}
}

// configOnDisk is empty where there is no such file, or none that can be read.
func (t *tool) configOnDisk(ctx context.Context) []byte {
	_, read, err := t.findConfig(ctx)
	if err != nil {
		return nil
	}
	data, _ := read(configFile)
	return data
}

// hasPin holds for a file with other problems, too: they are told when it counts.
func hasPin(data []byte) bool {
	cfg, _ := readConfig(configFile, data)
	return cfg != nil && cfg.Ledger != ""
}
