//go:build linux && amd64

package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"syscall"
	"unsafe"
)

// Linux's numbers that package syscall does not have.
const (
	ptraceSyscallInfo = 0x420e
	syscallEntry      = 1
	exitKill          = 0x100000
	waitOwn           = syscall.WALL | 0x20000000 // of this thread, so that nobody else's child is reaped
	sysRenameat2      = 316
	sysClone3         = 435
)

// calls are the system calls by which a process leaves something for others to see.
var calls = map[uint64]string{
	syscall.SYS_WRITE: "write", syscall.SYS_WRITEV: "writev", syscall.SYS_PWRITE64: "pwrite64", syscall.SYS_PWRITEV: "pwritev",
	syscall.SYS_SENDTO: "sendto", syscall.SYS_SENDMSG: "sendmsg", syscall.SYS_SENDFILE: "sendfile",
	syscall.SYS_CONNECT: "connect", syscall.SYS_SHUTDOWN: "shutdown",
	syscall.SYS_OPEN: "open", syscall.SYS_OPENAT: "openat", syscall.SYS_CREAT: "creat",
	syscall.SYS_RENAME: "rename", syscall.SYS_RENAMEAT: "rename", sysRenameat2: "rename",
	syscall.SYS_LINK: "link", syscall.SYS_LINKAT: "link", syscall.SYS_SYMLINK: "symlink", syscall.SYS_SYMLINKAT: "symlink",
	syscall.SYS_UNLINK: "unlink", syscall.SYS_UNLINKAT: "unlink", syscall.SYS_RMDIR: "rmdir",
	syscall.SYS_MKDIR: "mkdir", syscall.SYS_MKDIRAT: "mkdir",
	syscall.SYS_FTRUNCATE: "ftruncate", syscall.SYS_FSYNC: "fsync", syscall.SYS_FDATASYNC: "fsync",
	syscall.SYS_EXECVE: "execve", syscall.SYS_CLONE: "fork", syscall.SYS_FORK: "fork", syscall.SYS_VFORK: "fork", sysClone3: "fork",
	syscall.SYS_KILL: "kill",
}

// tracer runs a program and all that it starts, and stops each process at the entry of each of these calls.
type tracer struct {
	root  int
	tasks map[int]bool
	at    func(syscallPoint) death
	dead  death
	end   syscall.WaitStatus // of the root
}

// trace asks at every point who is to die there, and returns when the last process is gone.
func trace(cmd *exec.Cmd, at func(syscallPoint) death) (status int, err error) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		runtime.LockOSThread() // all of ptrace belongs to one thread, which ends with this function
		tr := &tracer{tasks: map[int]bool{}, at: at}
		if err = tr.start(cmd); err == nil {
			err = tr.loop()
		}
		status = tr.end.ExitStatus()
	}()
	<-done
	return status, err
}

func (tr *tracer) start(cmd *exec.Cmd) error {
	cmd.SysProcAttr = &syscall.SysProcAttr{Ptrace: true}
	if err := cmd.Start(); err != nil {
		if errors.Is(err, syscall.EPERM) {
			err = fmt.Errorf("%w: %w", errNoTrace, err)
		}
		return err
	}
	tr.root = cmd.Process.Pid
	if _, err := syscall.Wait4(tr.root, &tr.end, waitOwn, nil); err != nil {
		return err
	}
	tr.tasks[tr.root] = true
	options := syscall.PTRACE_O_TRACESYSGOOD | syscall.PTRACE_O_TRACECLONE | syscall.PTRACE_O_TRACEFORK |
		syscall.PTRACE_O_TRACEVFORK | syscall.PTRACE_O_TRACEEXEC | exitKill
	if err := syscall.PtraceSetOptions(tr.root, options); err != nil {
		return fmt.Errorf("%w: %w", errNoTrace, err)
	}
	return syscall.PtraceSyscall(tr.root, 0)
}

func (tr *tracer) loop() error {
	for {
		var status syscall.WaitStatus
		task, err := syscall.Wait4(-1, &status, waitOwn, nil)
		switch {
		case err == syscall.ECHILD:
			return nil
		case err == syscall.EINTR:
			continue
		case err != nil:
			return err
		case !status.Stopped():
			delete(tr.tasks, task)
			if task == tr.root {
				tr.end = status
			}
			continue
		}
		if err := syscall.PtraceSyscall(task, tr.stopped(task, status)); err != nil && err != syscall.ESRCH {
			return err
		}
	}
}

// stopped looks at a stopped task, and returns the signal that it goes on with.
func (tr *tracer) stopped(task int, status syscall.WaitStatus) int {
	born := !tr.tasks[task]
	tr.tasks[task] = true
	switch sig := status.StopSignal(); {
	case tr.dead == wholeTree:
		syscall.Kill(task, syscall.SIGKILL) // it was born while the others died
	case sig == syscall.SIGTRAP|0x80:
		if p, counts := pointOf(task); counts && tr.dead == nobody {
			tr.kill(tr.at(p))
		}
	case sig == syscall.SIGTRAP, born && sig == syscall.SIGSTOP:
	default:
		return int(sig)
	}
	return 0
}

func (tr *tracer) kill(who death) {
	tr.dead = who
	switch who {
	case onlyTool:
		syscall.Kill(tr.root, syscall.SIGKILL)
	case wholeTree:
		for task := range tr.tasks {
			syscall.Kill(task, syscall.SIGKILL)
		}
	}
}

// pointOf reports whether the task enters a call that counts.
func pointOf(task int) (p syscallPoint, counts bool) {
	var info struct {
		op     uint64 // the lowest byte; the rest is the architecture
		ip, sp uint64
		nr     uint64
		args   [6]uint64
		_      [4]uint64
	}
	_, _, errno := syscall.RawSyscall6(syscall.SYS_PTRACE, ptraceSyscallInfo, uintptr(task), unsafe.Sizeof(info), uintptr(unsafe.Pointer(&info)), 0, 0)
	if errno != 0 || info.op&0xff != syscallEntry {
		return p, false
	}
	call, known := calls[info.nr]
	switch {
	case !known,
		info.nr == syscall.SYS_OPEN && info.args[1]&syscall.O_CREAT == 0,
		info.nr == syscall.SYS_OPENAT && info.args[2]&syscall.O_CREAT == 0,
		info.nr == syscall.SYS_CLONE && info.args[0]&syscall.CLONE_THREAD != 0:
		return p, false
	}
	comm, _ := os.ReadFile(fmt.Sprintf("/proc/%d/comm", task))
	p = syscallPoint{program: strings.TrimSpace(string(comm)), call: call}
	switch info.nr {
	case syscall.SYS_RENAME:
		p.target = text(task, info.args[1])
	case syscall.SYS_RENAMEAT, sysRenameat2:
		p.target = text(task, info.args[3])
	}
	return p, true
}

// text reads a C string from a task's memory.
func text(task int, addr uint64) string {
	memory, err := os.Open(fmt.Sprintf("/proc/%d/mem", task))
	if err != nil {
		return ""
	}
	defer memory.Close()
	buf := make([]byte, 4096)
	n, _ := memory.ReadAt(buf, int64(addr))
	path, _, _ := strings.Cut(string(buf[:n]), "\x00")
	return path
}
