//go:build !(linux && amd64)

package main

import "os/exec"

func trace(*exec.Cmd, func(syscallPoint) death) (int, error) { return 0, errNoTrace }
