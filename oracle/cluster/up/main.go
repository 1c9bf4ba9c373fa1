// A control plane on the loopback interface, for tests and for manual experiments. It consists of etcd, kube-apiserver
// and the components that are requested on standard input. Everything is stopped when standard input ends, for whatever
// reason. See ../README.md.
package main

import (
	"bufio"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
)

// Command is one line on standard input.
type Command struct {
	// Start names a component to start. The component also gets --kubeconfig.
	Start string `json:"start,omitempty"`
	// Program is the file of this component. If it is empty, the component is in the folder of assets.
	Program string `json:"program,omitempty"`
	// Args are the further arguments of this component.
	Args []string `json:"args,omitempty"`
	// Stop names a component to stop.
	Stop string `json:"stop,omitempty"`
}

// Answer is one line on standard output. The first line describes the control plane; each later line answers a command.
type Answer struct {
	Server     string `json:"server,omitempty"`
	Etcd       string `json:"etcd,omitempty"`
	Kubeconfig string `json:"kubeconfig,omitempty"`
	CA         string `json:"ca,omitempty"`
	Token      string `json:"token,omitempty"`
	Assets     string `json:"assets,omitempty"`
	Directory  string `json:"directory,omitempty"`
	Error      string `json:"error,omitempty"`
}

// list is a flag that may be given several times.
type list []string

func (l *list) String() string     { return strings.Join(*l, " ") }
func (l *list) Set(s string) error { *l = append(*l, s); return nil }

func init() {
	// On Linux the children are killed when the thread that started them ends. So the main thread starts them.
	runtime.LockOSThread()
}

func main() {
	directory := flag.String("dir", "", "the folder for data, keys and logs; by default a temporary folder that is deleted at the end")
	assets := flag.String("assets", os.Getenv("KUBEBUILDER_ASSETS"), "the folder with etcd, kube-apiserver and the other components")
	var arguments list
	flag.Var(&arguments, "api-argument", "one more argument of kube-apiserver; may be given several times")
	flag.Parse()
	out := json.NewEncoder(os.Stdout)
	if err := serve(*directory, *assets, arguments, out); err != nil {
		out.Encode(Answer{Error: err.Error()})
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
}

func serve(directory, assets string, arguments []string, out *json.Encoder) error {
	if assets == "" {
		return fmt.Errorf("neither --assets nor KUBEBUILDER_ASSETS says where etcd and kube-apiserver are")
	}
	if directory == "" {
		temporary, err := os.MkdirTemp("", "control-plane-")
		if err != nil {
			return err
		}
		defer os.RemoveAll(temporary)
		directory = temporary
	}
	directory, err := filepath.Abs(directory)
	if err != nil {
		return err
	}
	plane := &Plane{directory: directory, assets: assets, running: map[string]*process{}}
	defer plane.stopAll()
	if err := plane.begin(arguments); err != nil {
		return err
	}
	if err := out.Encode(plane.where()); err != nil {
		return err
	}
	commands := bufio.NewScanner(os.Stdin)
	for commands.Scan() {
		var command Command
		answer := Answer{}
		if err := json.Unmarshal(commands.Bytes(), &command); err != nil {
			answer.Error = fmt.Sprintf("not a command: %v", err)
		} else if err := plane.obey(command); err != nil {
			answer.Error = err.Error()
		}
		if err := out.Encode(answer); err != nil {
			return err
		}
	}
	return commands.Err()
}

func (p *Plane) obey(command Command) error {
	switch {
	case command.Start != "" && command.Stop == "":
		return p.start(command.Start, command.Program, command.Args)
	case command.Stop != "" && command.Start == "":
		return p.stop(command.Stop)
	default:
		return fmt.Errorf("a command either starts or stops something")
	}
}
