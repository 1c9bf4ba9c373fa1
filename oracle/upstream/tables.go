// Package upstream answers the tables of upstream's own tests with the package judge. The tables are not stored here.
// The tests are copied from the module cache into a temporary directory, where they record their tables.
package upstream

import (
	"bytes"
	"embed"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
)

//go:embed testdata/*.go
var own embed.FS

// edit is a change to a copied file.
type edit struct {
	file, pattern, with string
	// times is the required number of matches of the pattern. If upstream changes the code, the number differs and the
	// copy fails.
	times int
}

// source is a package whose tables are used.
type source struct {
	module, dir string
	// files are the files of testdata that are copied beside the package.
	files []string
	// tests are the names of the tests that are run.
	tests []string
	edits []edit
}

// renamed renames a function of the test framework, so that a function in testdata can replace it. The function in
// testdata can call the original function by the new name.
func renamed(file, name string) edit {
	return edit{file, `(?m)^func ` + name + `\(`, `func upstream` + strings.ToUpper(name[:1]) + name[1:] + `(`, 1}
}

var sources = []source{
	{
		module: "k8s.io/kubernetes", dir: "pkg/controller/volume/persistentvolume",
		files: []string{"common.go", "persistentvolume.go"},
		tests: []string{
			"TestSync", "TestSyncBlockVolume", "TestMultiSync", "TestDeleteSync", "TestDeleteMultiSync", "TestProvisionSync",
			"TestProvisionMultiSync", "TestRecycleSync", "TestRecycleMultiSync", "TestControllerSync",
			"TestRetroactiveStorageClassAssignment", "TestAnnealMigrationAnnotations", "TestModifyDeletionFinalizers",
			"TestMatchVolume", "TestMatchingWithBoundVolumes", "TestFindingVolumeWithDifferentAccessModes", "TestVolumeModeCheck",
			"TestFilteringVolumeModes", "TestStorageObjectInUseProtectionFiltering", "TestFindingPreboundVolumes",
			"TestBestMatchDelayed", "TestCheckAccessModes",
		},
		edits: []edit{
			renamed("framework_test.go", "runSyncTests"), renamed("framework_test.go", "runMultisyncTests"),
			renamed("framework_test.go", "testSyncClaim"), renamed("framework_test.go", "testSyncClaimError"),
			renamed("framework_test.go", "testSyncVolume"), renamed("framework_test.go", "wrapTestWithPluginCalls"),
			renamed("framework_test.go", "wrapTestWithCSIMigrationProvisionCalls"),
			renamed("framework_test.go", "wrapTestWithInjectedOperation"),
			{"pv_controller_test.go", `\tlogger, ctx := ktesting.NewTestContext\(t\)\n\tdoit := `,
				`	logger, ctx := ktesting.NewTestContext(t)
	{
		class := makeStorageClass(classExternal, &modeImmediate)
		class.Provisioner = "gcr.io/vendor-csi"
		for _, test := range tests {
			pvctlRecord(t, ctx, "controller", test, []*storagev1.StorageClass{class}, nil)
		}
		if true {
			return
		}
	}
	doit := `, 1},
			{"pv_controller_test.go", `(if tc\.volumeAnnotations != nil \{\n\s*ann := )`,
				`pvctlWrite(map[string]any{"kind": "annotations", "test": t.Name(), "name": "TestAnnealMigrationAnnotations/" + tc.name,
				"volumeAnnotations": tc.volumeAnnotations, "claimAnnotations": tc.claimAnnotations,
				"expectedVolumeAnnotations": tc.expVolumeAnnotations, "expectedClaimAnnotations": tc.expClaimAnnotations})
			$1`, 1},
			{"pv_controller_test.go", `(modifiedFinalizers, modified := )`,
				`pvctlWrite(map[string]any{"kind": "finalizers", "test": t.Name(), "name": tc.name,
				"volumes": []*v1.PersistentVolume{tc.initialVolume}, "expectedFinalizers": tc.expVolumeFinalizers, "modified": tc.expModified})
			$1`, 1},
			{"index_test.go", `([\w.]+)\.findBestMatchForClaim\(`, `pvctlFindBest(t, $1, `, 17},
			{"index_test.go", `for name, (\w+) := range (\w+) \{`,
				`for name, $1 := range $2 {
		pvctlScenario = [2]string{t.Name(), name}`, 6},
			{"index_test.go", `(expectedMismatch := volume.CheckVolumeModeMismatches)`,
				`pvctlPair(t, scenario.vol, scenario.pvc, !scenario.isExpectedMismatch)
			$1`, 1},
			{"index_test.go", `(err := checkVolumeSatisfyClaim)`,
				`pvctlPair(t, testCase.vol, testCase.pvc, testCase.isExpectedMatch)
			$1`, 1},
			{"index_test.go", `(result := volume.CheckAccessModes)`,
				`pvctlPair(t, pv, scenario.claim, scenario.shouldSucceed)
		$1`, 1},
		},
	},
	{
		module: "k8s.io/component-helpers", dir: "storage/volume", files: []string{"common.go", "volume.go"},
		tests: []string{
			"TestFindMatchVolumeWithNode", "TestDelayBindingMode", "TestCheckVolumeNodeAffinity", "TestPersistentVolumeClaimHasClass",
		},
		edits: []edit{
			{"pv_helpers_test.go", ` FindMatchingVolume\(scenario`, ` pvctlFind(t, name, scenario`, 1},
			{"pv_helpers_test.go", `(\t\tshouldDelay, err := )`,
				`		pvctlDelays(t, name, test.pvc, classes, test.shouldDelay, test.shouldFail)
$1`, 1},
			{"helpers_test.go", `(\t\terr := CheckNodeAffinity)`,
				`		pvctlNode(t, c.name, c.pv, nodeLabels, c.expectSuccess)
$1`, 1},
			{"helpers_test.go", `(\t\t\tgot := PersistentVolumeClaimHasClass)`,
				`			pvctlClass(t, tc.name, tc.pvc, tc.want)
$1`, 1},
		},
	},
	{
		module: "k8s.io/kubernetes", dir: "pkg/controller/volume/pvprotection", files: []string{"common.go", "protection.go"},
		tests: []string{"TestPVProtectionController"},
		edits: []edit{{"pv_protection_controller_test.go", `(\t\tclient := fake.NewSimpleClientset)`,
			`		pvctlProtect(t, test.name, false, objs, test.reactors, 0, test.expectedActions)
		if true {
			continue
		}
$1`, 1}},
	},
	{
		module: "k8s.io/kubernetes", dir: "pkg/controller/volume/pvcprotection", files: []string{"common.go", "protection.go"},
		tests: []string{"TestPVCProtectionController"},
		edits: []edit{{"pvc_protection_controller_test.go", `(\t\tvar \(\n\s+clientObjs)`,
			`		{
			all := append([]runtime.Object{}, test.initialObjects...)
			for _, claim := range test.updatedPVCs {
				all = append(all, claim)
			}
			if test.updatedPod != nil {
				all = append(all, test.updatedPod)
			}
			unseen := 0
			if test.informersAreLate {
				unseen = len(test.initialObjects)
			}
			pvctlProtect(t, test.name, test.enablePVCUnusedSinceTime, all, test.reactors, unseen, test.expectedActions)
			if true {
				continue
			}
		}
$1`, 1}},
	},
}

// record runs the copied tests and returns their records. module is the directory of the oracle's own module.
func record(module string) ([]byte, error) {
	work, err := os.MkdirTemp("", "upstream-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(work)
	for _, name := range []string{"go.mod", "go.sum"} {
		text, err := os.ReadFile(filepath.Join(module, name))
		if err != nil {
			return nil, err
		}
		if err := os.WriteFile(filepath.Join(work, name), text, 0o644); err != nil {
			return nil, err
		}
	}
	written := filepath.Join(work, "records.jsonl")
	for _, s := range sources {
		if err := s.copy(module, work); err != nil {
			return nil, fmt.Errorf("%s: %w", s.dir, err)
		}
		command := exec.Command("go", "test", "-mod=mod", "-vet=off", "-count=1", "-timeout=10m",
			"-run", "^("+strings.Join(s.tests, "|")+")$", "./"+filepath.Base(s.dir))
		command.Dir = work
		command.Env = append(os.Environ(), "PVCTL_RECORD="+written)
		if text, err := command.CombinedOutput(); err != nil {
			return nil, fmt.Errorf("%s: %w\n%s", s.dir, err, text)
		}
	}
	return os.ReadFile(written)
}

// copy copies the package with its tests, and edits them so that they record their tables.
func (s source) copy(module, work string) error {
	command := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", s.module)
	command.Dir = module
	dir, err := command.Output()
	if err != nil {
		return err
	}
	from, to := filepath.Join(strings.TrimSpace(string(dir)), s.dir), filepath.Join(work, filepath.Base(s.dir))
	if err := os.Mkdir(to, 0o755); err != nil {
		return err
	}
	files, err := filepath.Glob(filepath.Join(from, "*.go"))
	if err != nil {
		return err
	}
	for _, path := range files {
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		for _, e := range s.edits {
			if e.file != filepath.Base(path) {
				continue
			}
			pattern := regexp.MustCompile(e.pattern)
			if found := len(pattern.FindAllIndex(text, -1)); found != e.times {
				return fmt.Errorf("%s has %d places like %s, not %d", e.file, found, e.pattern, e.times)
			}
			text = pattern.ReplaceAll(text, []byte(e.with))
		}
		if err := os.WriteFile(filepath.Join(to, filepath.Base(path)), text, 0o644); err != nil {
			return err
		}
	}
	for _, name := range s.files {
		text, err := own.ReadFile("testdata/" + name)
		if err != nil {
			return err
		}
		text = bytes.Replace(text, []byte("package upstream\n"), []byte("package "+filepath.Base(s.dir)+"\n"), 1)
		if err := os.WriteFile(filepath.Join(to, "pvctl_"+strings.TrimSuffix(name, ".go")+"_test.go"), text, 0o644); err != nil {
			return err
		}
	}
	return nil
}
