//go:build !linux

package main

import "syscall"

// Elsewhere the end of standard input has to do.
func diesWithParent() *syscall.SysProcAttr { return nil }
