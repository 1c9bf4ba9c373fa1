// Command coverage writes COVERAGE.md. The file lists which parts of the real code the recordings reach, and why they
// do not reach the rest.
package main

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"sort"
	"strconv"
	"strings"

	"pvctl.dev/oracle/judge"
)

// packages are the packages whose code makes the decisions. roots are functions of a package. The measured functions
// are those that the roots of all packages call, directly or indirectly.
type packages []struct {
	module, dir string
	roots       []string
	// library says that a function of the package is measured only if another package calls it by the package's name.
	library bool
}

// report describes one file COVERAGE.md. All its paths are relative to folder.
type report struct {
	folder string
	// names has the names of packages in the report, by import path. A package without an entry has the name of its
	// folder.
	names map[string]string
	// tested is the package with the test that answers the recordings again, and test is the name of the test.
	tested, test string
	// unreached is the file that says why blocks are not reached.
	unreached string
	packages  packages
	// leftOut are names that have another meaning in the code of the packages. The use of such a name is not a call of
	// the functions with this name.
	leftOut []string
	// counted and notCounted are the sentences before and after the list of the packages.
	counted, notCounted string
	// rootsOnly says that only the roots are measured, not the functions that they call.
	rootsOnly bool
}

// controllers is the report about the controllers of kube-controller-manager.
var controllers = report{".", nil, "./judge", "TestCorpora", "coverage/unreached.txt", packages{
	{"k8s.io/kubernetes", "pkg/controller/volume/persistentvolume", []string{"syncClaimByKey", "syncVolumeByKey", "Less", "Swap", "Len"}, false},
	{"k8s.io/component-helpers", "storage/volume", nil, false},
	{"k8s.io/kubernetes", "pkg/controller/volume/pvprotection", []string{"processPV"}, false},
	{"k8s.io/kubernetes", "pkg/controller/volume/pvcprotection", []string{"processPVC"}, false},
	{"k8s.io/kubernetes", "pkg/controller/volume/ephemeral", []string{"syncHandler", "enqueuePod", "onPVCDelete"}, false},
	{"k8s.io/kubernetes", "pkg/volume/util", nil, true},
	{"k8s.io/kubernetes", "pkg/volume/util/recyclerclient", []string{"RecycleVolumeByWatchingPodUntilCompletion"}, true},
	{"k8s.io/kubernetes", "pkg/controller/util/protectionutil", nil, true},
	{"k8s.io/kubernetes", "pkg/util/slice", nil, true},
	{"k8s.io/kubernetes", "pkg/apis/core/v1/helper", nil, true},
	{"k8s.io/component-helpers", "storage/ephemeral", nil, true},
	// Here Run is a method of the map of operations. The controllers also have a method Run, which starts their
	// workers.
}, []string{"Run"}, `Written by ` + "`go run ./coverage`" + ` from the Go coverage of ` + "`TestCorpora`" + `, which answers every case of ` + "`../tests/conformance`" + ` again.
Line numbers are those of the files of Kubernetes ` + judge.Version + `. In these packages a function is counted if a sync of the binder, of a
protection controller or of the ephemeral-volume controller calls it, directly or indirectly, or if it puts a pod on the queue of the
ephemeral-volume controller:`,
	`In a library a function is counted only if another package calls it by name. The following code also runs in a sync and is also the real
code, but it is not counted: the search for a plugin (` + "`pkg/volume`" + `), the plugins themselves (` + "`pkg/volume/hostpath`" + ` and ` + "`nfs`" + `), the names of migrated
plugins (` + "`pkg/volume/csimigration`" + `, ` + "`csi-translation-lib`" + `), the indexes of the caches (` + "`pkg/controller/volume/common`" + `), node affinity
(` + "`component-helpers/scheduling`" + `), quantities, selectors and the caches of client-go, and the packages for metrics and logs.`, false}

// provisioner is the report about the external provisioner, which is a module of its own.
var provisioner = report{"provisioner", map[string]string{
	"sigs.k8s.io/sig-storage-lib-external-provisioner/v13/controller":  "library",
	"github.com/kubernetes-csi/external-provisioner/v6/pkg/controller": "provisioner",
}, ".", "TestCorpus", "unreached.txt", packages{
	{"sigs.k8s.io/sig-storage-lib-external-provisioner/v13", "controller", []string{"syncClaim", "syncVolume"}, false},
	{"github.com/kubernetes-csi/external-provisioner/v6", "pkg/controller", []string{"sweepOrphanedFinalizers"}, false},
}, nil, `Written by ` + "`go run ./coverage provisioner`" + ` in the folder above, from the Go coverage of ` + "`TestCorpus`" + `, which answers every world of
` + "`provisioning-*.jsonl.gz`" + ` in ` + "`../../tests/conformance`" + ` again. Line numbers are those of the files of sig-storage-lib-external-provisioner v13.1.0
(` + "`library`" + `) and of external-provisioner v6.4.0 (` + "`provisioner`" + `). In these packages a function is counted if it is called, directly
or indirectly, by a sync of a claim, of a volume or of a claim with cloning protection, or by the sweep of the finalizers of snapshots:`,
	`The following code also runs in a sync and is also the real code, but it is not counted: the translation of in-tree volumes (` + "`csi-translation-lib`" + `),
helpers (` + "`component-helpers/storage/volume`" + `), quantities, selectors and the caches of client-go.`, false}

// attacher is the report about the external attacher, which is a module of its own.
var attacher = report{"attacher", map[string]string{
	"github.com/kubernetes-csi/external-attacher/v4/pkg/controller": "controller",
	"github.com/kubernetes-csi/external-attacher/v4/pkg/attacher":   "attacher",
	"github.com/kubernetes-csi/csi-lib-utils/accessmodes":           "accessmodes",
}, ".", "TestCorpus", "unreached.txt", packages{
	{"github.com/kubernetes-csi/external-attacher/v4", "pkg/controller", []string{"syncVA", "syncPV", "ReconcileVA", "pvAdded"}, false},
	{"github.com/kubernetes-csi/external-attacher/v4", "pkg/attacher", []string{"Attach", "Detach", "ListVolumes"}, false},
	{"github.com/kubernetes-csi/csi-lib-utils", "accessmodes", nil, true},
	// In the measured code Get is the method of listers, of queues and of clients.
}, []string{"Get"}, `Written by ` + "`go run ./coverage attacher`" + ` in the folder above, from the Go coverage of ` + "`TestCorpus`" + `, which answers every world of
` + "`attacher-*.jsonl.gz`" + ` in ` + "`../../tests/conformance`" + ` again. Line numbers are those of the files of external-attacher v4.13.0. In these packages a function is
counted if it is called, directly or indirectly, by a sync of a VolumeAttachment or of a volume, by the comparison with the volumes of the driver, or when a
volume is created:`,
	`The following code also runs in a sync and is also the real code, but it is not counted: the translation of in-tree volumes (` + "`csi-translation-lib`" + `),
the queues and their rate limiters, and the caches of client-go.`, false}

// resizer is the report about the external resizer, which is a module of its own.
var resizer = report{"resizer", map[string]string{
	"github.com/kubernetes-csi/external-resizer/v2/pkg/controller":       "controller",
	"github.com/kubernetes-csi/external-resizer/v2/pkg/modifycontroller": "modifycontroller",
	"github.com/kubernetes-csi/external-resizer/v2/pkg/resizer":          "resizer",
	"github.com/kubernetes-csi/external-resizer/v2/pkg/modifier":         "modifier",
	"github.com/kubernetes-csi/external-resizer/v2/pkg/util":             "util",
	"github.com/kubernetes-csi/csi-lib-utils/slowset":                    "slowset",
}, ".", "TestCorpus", "unreached.txt", packages{
	{"github.com/kubernetes-csi/external-resizer/v2", "pkg/controller", []string{"syncPVCs", "addPod"}, false},
	{"github.com/kubernetes-csi/external-resizer/v2", "pkg/modifycontroller", []string{"sync"}, false},
	{"github.com/kubernetes-csi/external-resizer/v2", "pkg/resizer", []string{"CanSupport", "Resize"}, false},
	{"github.com/kubernetes-csi/external-resizer/v2", "pkg/modifier", []string{"Modify"}, false},
	{"github.com/kubernetes-csi/external-resizer/v2", "pkg/util", nil, true},
	{"github.com/kubernetes-csi/csi-lib-utils", "slowset", nil, true},
	// In the measured code Get and Update are methods of queues, of listers and of clients.
}, []string{"Get", "Update"}, `Written by ` + "`go run ./coverage resizer`" + ` in the folder above, from the Go coverage of ` + "`TestCorpus`" + `, which answers every world of
` + "`resizer-*.jsonl.gz`" + ` in ` + "`../../tests/conformance`" + ` again. Line numbers are those of the files of external-resizer v2.3.0. In these packages a function is
counted if it is called, directly or indirectly, by a sync of a claim by the resize controller or by the modify controller, or when a pod is created:`,
	`The following code also runs in a sync and is also the real code, but it is not counted: the translation of in-tree volumes (` + "`csi-translation-lib`" + `),
the access modes of CSI (` + "`csi-lib-utils/accessmodes`" + `), the queues and their rate limiters, and the caches of client-go.`, false}

// scheduler is the report about the plugins of kube-scheduler that decide about volumes.
var scheduler = report{"scheduler", nil, ".", "TestCorpus", "unreached.txt", packages{
	{"k8s.io/kubernetes", "pkg/scheduler/framework/plugins/volumerestrictions", []string{"PreFilter", "Filter"}, false},
	{"k8s.io/kubernetes", "pkg/scheduler/framework/plugins/nodevolumelimits", []string{"PreFilter", "Filter"}, false},
	{"k8s.io/kubernetes", "pkg/scheduler/framework/plugins/volumebinding", []string{"PreFilter", "Filter", "Reserve", "Less", "Swap", "Len"}, false},
	{"k8s.io/kubernetes", "pkg/scheduler/framework/plugins/volumezone", []string{"PreFilter", "Filter"}, false},
	{"k8s.io/component-helpers", "storage/volume", nil, true},
	{"k8s.io/component-helpers", "storage/ephemeral", nil, true},
	{"k8s.io/kubernetes", "pkg/apis/core/v1/helper", nil, true},
	{"k8s.io/cloud-provider", "volume/helpers", nil, true},
	// In the measured code New is the constructor of sets, delete is a function of the language, List is a method of
	// listers, and Name and StorageClassName are fields. The plugins also have functions with these names. These
	// functions create plugins, receive events, list all CSINodes, return the name of a plugin, and compute scores.
}, []string{"New", "delete", "List", "Name", "StorageClassName"}, `Written by ` + "`go run ./coverage scheduler`" + ` in the folder above, from the Go coverage of ` + "`TestCorpus`" + `, which answers every world of
` + "`scheduling-" + judge.Version + ".jsonl.gz`" + ` and ` + "`scheduling-handmade-" + judge.Version + ".jsonl.gz`" + ` in ` + "`../../tests/conformance`" + ` again. Line numbers are those of the files of Kubernetes
` + judge.Version + `. In these packages a function is counted if PreFilter or Filter of the four volume plugins or Reserve of VolumeBinding calls it,
directly or indirectly:`,
	`In a library a function is counted only if a plugin calls it by name. These plugins also do the following, which is not counted: PreScore and
Score; Unreserve, which undoes each Reserve here; PreBind; what PreFilter adds and removes for nominated pods and victims (` + "`AddPod`, `RemovePod`" + `); the signature of
a pod; the functions that put a rejected pod on the queue again (` + "`EventsToRegister`, `isSchedulableAfter…`" + `); and the creation of plugins and caches
and their handling of events. Of this code the oracle runs Unreserve, ` + "`EventsToRegister`" + `, the constructors and, if a pod fits several nodes, PreScore.
The following code also runs in a cycle and is also the real code, but it is not counted: the framework and the other plugins, the translation of in-tree volumes
(` + "`csi-translation-lib`" + `), node affinity (` + "`component-helpers/scheduling`" + `), quantities, selectors and the caches of client-go.`, false}

// attaching is the report about the attach/detach controller.
var attaching = report{"attaching", nil, ".", "TestCorpus", "unreached.txt", packages{
	{"k8s.io/kubernetes", "pkg/controller/volume/attachdetach", []string{
		"Run", "podAdd", "podUpdate", "podDelete", "nodeAdd", "nodeUpdate", "nodeDelete", "enqueuePVC",
	}, false},
	{"k8s.io/kubernetes", "pkg/controller/volume/attachdetach/cache", nil, false},
	{"k8s.io/kubernetes", "pkg/controller/volume/attachdetach/populator", nil, false},
	{"k8s.io/kubernetes", "pkg/controller/volume/attachdetach/reconciler", nil, false},
	{"k8s.io/kubernetes", "pkg/controller/volume/attachdetach/statusupdater", nil, false},
	{"k8s.io/kubernetes", "pkg/controller/volume/attachdetach/util", nil, false},
	{"k8s.io/kubernetes", "pkg/volume/util/operationexecutor", nil, false},
	{"k8s.io/kubernetes", "pkg/volume/util/nestedpendingoperations", nil, false},
	// Here the functions that a plugin has are the roots, because the executor calls them through an interface.
	{"k8s.io/kubernetes", "pkg/volume/csi", []string{
		"GetVolumeName", "CanAttach", "NewAttacher", "NewDetacher", "Attach", "Detach", "VolumesAreAttached",
	}, true},
	// In the measured code Get and Delete are methods of listers and clients, Error is a method of errors, and Wait is a
	// method of groups. The packages also have functions with these names.
}, []string{"Get", "Delete", "Error", "Wait"}, `Written by ` + "`go run ./coverage attaching`" + ` in the folder above, from the Go coverage of ` + "`TestCorpus`" + `, which runs every world of
` + "`attaching-" + judge.Version + ".jsonl.gz`" + ` and ` + "`attaching-handmade-" + judge.Version + ".jsonl.gz`" + ` in ` + "`../../tests/conformance`" + ` again. Line numbers are those of the files of Kubernetes
` + judge.Version + `. In these packages a function is counted if it is called, directly or indirectly, by ` + "`Run`" + ` of the controller, or by what the controller
does when it is told of a pod, a node or a claim:`,
	`In the library a function is counted only if attaching, detaching or the check of attached volumes calls it. Functions are found by their name
alone, so the list also has functions of upstream's fakes and of the kubelet with the same names. The following code also runs and is also the real code, but it is
not counted: the search for a plugin (` + "`pkg/volume`" + `), the plugins for iSCSI and Fibre Channel, the helpers of ` + "`pkg/volume/util`" + `, the names and the translation
of migrated volumes (` + "`pkg/volume/csimigration`, `csi-translation-lib`" + `), the back-off (` + "`goroutinemap/exponentialbackoff`" + `), the patch of a node (` + "`component-helpers/node`" + `),
the informers and queues of client-go, and the packages for metrics and logs.`, false}

// kubelet is the report about the volume manager of the kubelet, which is in a module of its own.
var kubelet = report{"kubelet", nil, ".", "TestCorpus", "unreached.txt", packages{
	{"k8s.io/kubernetes", "pkg/kubelet/volumemanager", []string{
		"WaitForAttachAndMount", "GetVolumesInUse", "getVolumesNotInDSW", "getUnattachedVolumes", "verifyVolumesMountedFunc", "getUnmountedVolumes", "getExpectedVolumes",
	}, false},
	{"k8s.io/kubernetes", "pkg/kubelet/volumemanager/populator", []string{
		"populatorLoop", "findAndAddNewPods", "findAndRemoveDeletedPods", "processPodVolumes", "createVolumeSpec", "getPVCExtractPV", "getPVSpec",
		"checkVolumeFSResize",
	}, false},
	{"k8s.io/kubernetes", "pkg/kubelet/volumemanager/reconciler", []string{
		"reconcile", "readyToUnmount", "unmountVolumes", "mountOrAttachVolumes", "waitForVolumeAttach", "mountAttachedVolumes", "unmountDetachDevices",
		"reconstructVolumes", "updateStates", "cleanOrphanVolumes", "updateReconstructedFromNodeStatus", "cleanupMounts",
	}, false},
	{"k8s.io/kubernetes", "pkg/volume/util/operationexecutor", []string{
		"GenerateMountVolumeFunc", "GenerateMapVolumeFunc", "GenerateUnmountVolumeFunc", "GenerateUnmountDeviceFunc", "GenerateUnmapVolumeFunc",
		"GenerateUnmapDeviceFunc", "GenerateVerifyControllerAttachedVolumeFunc", "markDeviceErrorState", "markVolumeErrorState", "checkNodeAffinity",
		"GenerateExpandInUseVolumeFunc", "doOnlineExpansion", "expandVolumeDuringMount", "checkIfSupportsNodeExpansion", "nodeExpandVolume",
		"checkForRecoveryFromExpansion", "legacyCallNodeExpandOnPlugin", "runPreCheck", "expandOnPlugin",
	}, false},
}, nil, `Written by ` + "`go run ./coverage kubelet`" + ` in the folder above, from the Go coverage of ` + "`TestCorpus`" + `, which runs every world of
` + "`mounting-*.jsonl.gz`" + ` and ` + "`managing-*.jsonl.gz`" + ` in ` + "`../../tests/conformance`" + ` again. Line numbers are those of the files of Kubernetes ` + judge.Version + `. In these packages only the
functions are counted that decide which volumes of a pod are wanted, what the reconciler starts for them, what is found on the disk at the start, what the
operations do, and how long a pod waits:`,
	`Functions are found by their name alone, so the list also has functions of upstream's fakes with the same names. The following code also runs and is also the
real code, but it is not counted: the desired and the actual state (` + "`cache`" + `), the map of running operations and its back-off (` + "`nestedpendingoperations`" + `,
` + "`goroutinemap/exponentialbackoff`" + `), the search for a plugin (` + "`pkg/volume`" + `), the names of volumes and which volumes the real plugins support, the translation of
migrated volumes (` + "`pkg/volume/csimigration`, `csi-translation-lib`" + `), node affinity (` + "`component-helpers`" + `), the helpers of ` + "`pkg/volume/util`" + `, and the packages
for metrics and logs.`, true}

// sharedVolume is the report about the shared-volume controller of StorageOS, which is in a module of its own.
var sharedVolume = report{"shared_volume", nil, ".", "TestCorpus", "unreached.txt", packages{
	{"github.com/storageos/api-manager", "internal/controllers/sharedvolume", []string{"SetupWithManager", "Reconcile"}, false},
	{"github.com/storageos/api-manager", "internal/pkg/storageos", []string{"NewSharedVolume"}, false},
	{"github.com/storageos/api-manager", "internal/pkg/endpoint", nil, true},
	// In the measured code these are methods of the client of Kubernetes and of the storage system, and a function of errors.
}, []string{"Get", "Create", "Update", "Observe", "SetExternalEndpoint", "New"}, `Written by ` + "`go run ./coverage shared_volume`" + ` in the folder above, from the Go coverage of ` + "`TestCorpus`" + `, which answers every world of
` + "`shared-volume-*.jsonl.gz`" + ` in ` + "`../../tests/conformance`" + ` again. Line numbers are those of the files of api-manager v1.2.16. In these packages a function is
counted if it is called, directly or indirectly, by a sync of a Volume or by the setup of the controller with its filters:`,
	`The following code also runs and is also the real code, but it is not counted: the controller, the queue and the client of controller-runtime, and the wait of
apimachinery (` + "`util/wait`" + `). The calls of the storage system do not run.`, false}

// libraries returns for each package, by import path, whether it is a library.
func (r *report) libraries() map[string]bool {
	result := map[string]bool{}
	for _, p := range r.packages {
		result[path.Join(p.module, p.dir)] = p.library
	}
	return result
}

// block is a sequence of statements in the coverage profile.
type block struct {
	from, to, statements int
	covered              bool
}

// function is a declared function and its blocks.
type function struct {
	file, name string
	from, to   int
	calls      map[string]bool
	blocks     []block
}

func main() {
	made := &controllers
	if len(os.Args) > 1 {
		made = map[string]*report{
			"attacher": &attacher, "attaching": &attaching, "kubelet": &kubelet, "provisioner": &provisioner, "resizer": &resizer,
			"scheduler": &scheduler, "shared_volume": &sharedVolume,
		}[os.Args[1]]
	}
	if len(os.Args) > 2 || made == nil {
		fmt.Fprintln(os.Stderr, "usage: coverage [attacher | attaching | kubelet | provisioner | resizer | scheduler | shared_volume]")
		os.Exit(2)
	}
	if err := made.run(); err != nil {
		fmt.Fprintln(os.Stderr, "coverage:", err)
		os.Exit(1)
	}
}

func (r *report) run() error {
	if err := os.Chdir(r.folder); err != nil {
		return err
	}
	work, err := os.MkdirTemp("", "coverage-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	profile := filepath.Join(work, "profile")
	var names []string
	for _, p := range r.packages {
		names = append(names, path.Join(p.module, p.dir))
	}
	command := exec.Command("go", "test", "-count=1", "-timeout=30m", "-run", "^"+r.test+"$",
		"-coverpkg="+strings.Join(names, ","), "-coverprofile="+profile, r.tested)
	if text, err := command.CombinedOutput(); err != nil {
		return fmt.Errorf("%w\n%s", err, text)
	}
	blocks, err := readProfile(profile)
	if err != nil {
		return err
	}
	reasons, err := readReasons(r.unreached)
	if err != nil {
		return err
	}
	functions, err := r.reachable(blocks)
	if err != nil {
		return err
	}
	return r.write(functions, reasons)
}

// readProfile reads the blocks of each file. A block that is listed several times is covered if any of its entries is
// covered.
func readProfile(name string) (map[string][]block, error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	type place struct{ file, span string }
	found := map[place]*block{}
	var order []place
	scanner := bufio.NewScanner(file)
	for scanner.Scan() {
		text, rest, ok := strings.Cut(scanner.Text(), ":")
		fields := strings.Fields(rest)
		if !ok || len(fields) != 3 {
			continue // the first line
		}
		var b block
		var column int
		if _, err := fmt.Sscanf(fields[0], "%d.%d,%d.%d", &b.from, &column, &b.to, &column); err != nil {
			return nil, err
		}
		if b.statements, err = strconv.Atoi(fields[1]); err != nil {
			return nil, err
		}
		at := place{text, fields[0]}
		if found[at] == nil {
			found[at] = &b
			order = append(order, at)
		}
		found[at].covered = found[at].covered || fields[2] != "0"
	}
	result := map[string][]block{}
	for _, at := range order {
		result[at.file] = append(result[at.file], *found[at])
	}
	return result, scanner.Err()
}

// readReasons reads the reasons why blocks are not reached. Each line of the file is "file:line reason".
func readReasons(name string) (map[string]string, error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	reasons := map[string]string{}
	for _, one := range strings.Split(string(text), "\n") {
		if at, reason, ok := strings.Cut(one, " "); ok && !strings.HasPrefix(one, "#") {
			reasons[at] = reason
		}
	}
	return reasons, nil
}

// reachable returns the roots and, unless only the roots are measured, the functions that they call, directly or
// indirectly. Functions are found by their name alone.
// If two packages that are not libraries have functions with the same name, a call by this name reaches both functions.
func (r *report) reachable(blocks map[string][]block) ([]*function, error) {
	var all []*function
	byName := map[string][]*function{}
	libraries := r.libraries()
	var todo []string
	for _, p := range r.packages {
		command := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", p.module)
		text, err := command.Output()
		if err != nil {
			return nil, err
		}
		files, err := filepath.Glob(filepath.Join(strings.TrimSpace(string(text)), p.dir, "*.go"))
		if err != nil {
			return nil, err
		}
		for _, file := range files {
			if strings.HasSuffix(file, "_test.go") {
				continue
			}
			found, err := r.declared(file, path.Join(p.module, p.dir), libraries, blocks)
			if err != nil {
				return nil, err
			}
			for _, f := range found {
				all = append(all, f)
				name := called(path.Join(p.module, p.dir), f.name, libraries)
				byName[name] = append(byName[name], f)
			}
		}
		for _, root := range p.roots {
			todo = append(todo, called(path.Join(p.module, p.dir), root, libraries))
		}
	}
	reached := map[*function]bool{}
	for len(todo) > 0 {
		name := todo[0]
		todo = todo[1:]
		for _, f := range byName[name] {
			if reached[f] {
				continue
			}
			reached[f] = true
			if r.rootsOnly {
				continue
			}
			for called := range f.calls {
				todo = append(todo, called)
			}
		}
	}
	var result []*function
	for _, f := range all {
		if reached[f] && len(f.blocks) > 0 {
			result = append(result, f)
		}
	}
	return result, nil
}

// called returns the name under which a function of a package is found. For a function of a library this name begins
// with the import path of the package.
func called(pkg, name string, libraries map[string]bool) string {
	if libraries[pkg] {
		return pkg + "." + name
	}
	return name
}

// declared returns the functions that a file of a package declares.
func (r *report) declared(file, pkg string, libraries map[string]bool, blocks map[string][]block) ([]*function, error) {
	set := token.NewFileSet()
	tree, err := parser.ParseFile(set, file, nil, 0)
	if err != nil {
		return nil, err
	}
	imported := map[string]string{}
	for _, one := range tree.Imports {
		from, err := strconv.Unquote(one.Path.Value)
		if err != nil {
			return nil, err
		}
		name := path.Base(from)
		if one.Name != nil {
			name = one.Name.Name
		}
		imported[name] = from
	}
	var result []*function
	for _, declaration := range tree.Decls {
		declared, ok := declaration.(*ast.FuncDecl)
		if !ok || declared.Body == nil {
			continue
		}
		f := &function{
			file: path.Join(cmp.Or(r.names[pkg], path.Base(pkg)), filepath.Base(file)), name: declared.Name.Name, calls: map[string]bool{},
			from: set.Position(declared.Pos()).Line, to: set.Position(declared.End()).Line,
		}
		ast.Inspect(declared.Body, func(node ast.Node) bool {
			switch node := node.(type) {
			case *ast.SelectorExpr:
				if of, ok := node.X.(*ast.Ident); ok && libraries[imported[of.Name]] {
					f.calls[called(imported[of.Name], node.Sel.Name, libraries)] = true
					return false
				}
			case *ast.Ident:
				if !slices.Contains(r.leftOut, node.Name) {
					f.calls[called(pkg, node.Name, libraries)] = true
				}
			}
			return true
		})
		for _, b := range blocks[path.Join(pkg, filepath.Base(file))] {
			if b.from >= f.from && b.to <= f.to {
				f.blocks = append(f.blocks, b)
			}
		}
		result = append(result, f)
	}
	return result, nil
}

func (r *report) write(functions []*function, reasons map[string]string) error {
	file, err := os.Create("COVERAGE.md")
	if err != nil {
		return err
	}
	defer file.Close()
	out := bufio.NewWriter(file)
	var covered, all int
	var wrong []error
	used := map[string]bool{}
	type line struct{ function, place, reason string }
	var unreached []line
	var table []string
	for _, f := range functions {
		reached, total := 0, 0
		for _, b := range f.blocks {
			total += b.statements
			if b.covered {
				reached += b.statements
				continue
			}
			if b.statements == 0 {
				continue
			}
			at := fmt.Sprintf("%s:%d", f.file, b.from)
			place := fmt.Sprintf("%s:%d-%d", f.file, b.from, b.to)
			used[at] = true
			if reasons[at] == "" {
				wrong = append(wrong, fmt.Errorf("%s (%s) is not reached and %s does not say why", place, f.name, r.unreached))
			}
			unreached = append(unreached, line{f.name, place, reasons[at]})
		}
		covered, all = covered+reached, all+total
		table = append(table, fmt.Sprintf("| `%s` | `%s` | %d | %d |", f.file, f.name, reached, total))
	}
	var stale []string
	for at := range reasons {
		if !used[at] {
			stale = append(stale, at)
		}
	}
	var counted []string
	for _, p := range r.packages {
		one := "- `" + path.Join(p.module, p.dir) + "`"
		if p.library {
			one += ", a library"
		}
		counted = append(counted, one)
	}
	sort.Strings(stale)
	for _, at := range stale {
		wrong = append(wrong, fmt.Errorf("%s is reached or is no block; take it out of %s", at, r.unreached))
	}
	fmt.Fprintf(out, `# What the recordings reach

%s

%s

%s

**%d of %d statements are reached; every other block is explained below.**

| file | function | reached | statements |
| --- | --- | ---: | ---: |
%s

## Not reached

| block | function | why |
| --- | --- | --- |
`, r.counted, strings.Join(counted, "\n"), r.notCounted, covered, all, strings.Join(table, "\n"))
	for _, l := range unreached {
		fmt.Fprintf(out, "| `%s` | `%s` | %s |\n", l.place, l.function, l.reason)
	}
	if err := out.Flush(); err != nil {
		return err
	}
	return errors.Join(wrong...)
}
