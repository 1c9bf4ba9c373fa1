//go:build !linux

package main

import "syscall"

// diesWithParent changes nothing. On other systems a child does not die with its parent, so the components stop only
// when standard input ends.
func diesWithParent() *syscall.SysProcAttr { return nil }
