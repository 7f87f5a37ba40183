package main

import (
	"os"
	"syscall"
)

// peakMemory is the most that an ended process held, in KiB.
func peakMemory(p *os.ProcessState) int64 { return p.SysUsage().(*syscall.Rusage).Maxrss }
