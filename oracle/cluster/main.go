// The control plane of Kubernetes in one program, for tests. The first argument, or the name under which the program is
// called, selects the component. See README.md.
package main

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"
	"go.etcd.io/etcd/server/v3/etcdmain"
	"k8s.io/component-base/cli"
	kubectl "k8s.io/kubectl/pkg/cmd"
	apiserver "k8s.io/kubernetes/cmd/kube-apiserver/app"
	controllermanager "k8s.io/kubernetes/cmd/kube-controller-manager/app"
	scheduler "k8s.io/kubernetes/cmd/kube-scheduler/app"

	// The main packages of the components import these packages for their side effects: they register metrics and log
	// formats.
	_ "k8s.io/component-base/logs/json/register"
	_ "k8s.io/component-base/metrics/prometheus/clientgo"
	_ "k8s.io/component-base/metrics/prometheus/version"
)

var commands = map[string]func() *cobra.Command{
	"kube-apiserver":          apiserver.NewAPIServerCommand,
	"kube-controller-manager": controllermanager.NewControllerManagerCommand,
	"kube-scheduler":          func() *cobra.Command { return scheduler.NewSchedulerCommand() },
	"kubectl":                 kubectl.NewDefaultKubectlCommand,
}

func main() {
	arguments := os.Args
	name := filepath.Base(arguments[0])
	if _, known := commands[name]; !known && name != "etcd" && len(arguments) > 1 {
		name, arguments = arguments[1], arguments[1:]
	}
	// The commands read os.Args.
	os.Args = append([]string{name}, arguments[1:]...)
	if name == "etcd" {
		etcdmain.Main(os.Args)
		return
	}
	command, known := commands[name]
	if !known {
		fmt.Fprintf(os.Stderr, "%s is none of etcd, kube-apiserver, kube-controller-manager, kube-scheduler, kubectl\n", name)
		os.Exit(2)
	}
	os.Exit(cli.Run(command()))
}
