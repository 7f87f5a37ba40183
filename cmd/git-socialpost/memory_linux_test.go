package main

import (
	"os"
	"syscall"
)

// peakMemory is the most that an ended process held, in KiB: 0 if it is less than what this process has held, which the
// kernel counts as its child's, too.
func peakMemory(p *os.ProcessState) int64 {
	var own syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &own)
	if peak := p.SysUsage().(*syscall.Rusage).Maxrss; peak > own.Maxrss {
		return peak
	}
	return 0
}
