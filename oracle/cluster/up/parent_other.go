//go:build !linux

package main

import "syscall"

// On other systems a child does not die with its parent, so only the end of standard input stops the components.
func diesWithParent() *syscall.SysProcAttr { return nil }
