package main

import "syscall"

// diesWithParent makes Linux kill a child when its parent dies.
func diesWithParent() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
}
