package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
)

// process is a child process. The channel done is closed when the child ends.
type process struct {
	command *exec.Cmd
	done    chan struct{}
}

// run starts a component. Its program is in the folder of assets. On Linux the component is killed when this process
// dies, even if this process is killed by a signal.
func (p *Plane) run(name string, arguments []string) error {
	return p.runProgram(name, filepath.Join(p.assets, name), arguments)
}

// runProgram starts a component like run, from this file.
func (p *Plane) runProgram(name, program string, arguments []string) error {
	log, err := os.OpenFile(p.path(name+".log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer log.Close()
	command := exec.Command(program, arguments...)
	command.Dir = p.directory
	command.Stdout, command.Stderr = log, log
	command.SysProcAttr = diesWithParent()
	if err := command.Start(); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	child := &process{command: command, done: make(chan struct{})}
	go func() {
		_ = command.Wait()
		close(child.done)
	}()
	p.running[name] = child
	return nil
}

func (c *process) ended() bool {
	select {
	case <-c.done:
		return true
	default:
		return false
	}
}

// stop kills a component by its process id. It does not let the component shut down gracefully, because this would make
// tests slower.
func (p *Plane) stop(name string) error {
	child, known := p.running[name]
	if !known {
		return fmt.Errorf("%s is not running", name)
	}
	delete(p.running, name)
	if child.ended() {
		return fmt.Errorf("%s had ended by itself: %s", name, p.lastWords(name))
	}
	if err := child.command.Process.Signal(syscall.SIGKILL); err != nil {
		return err
	}
	<-child.done
	return nil
}

func (p *Plane) stopAll() {
	for name := range p.running {
		_ = p.stop(name)
	}
}
