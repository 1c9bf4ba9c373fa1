package judge

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/component-base/featuregate"

	"pvctl.dev/oracle/line"
)

// SetGates sets feature gates, given as NAME=BOOL,... and returns them. They hold for the whole process.
func SetGates(text string) (map[string]bool, error) {
	if text == "" {
		return nil, nil
	}
	gates := map[string]bool{}
	for one := range strings.SplitSeq(text, ",") {
		name, state, _ := strings.Cut(one, "=")
		on, err := strconv.ParseBool(state)
		if err != nil {
			return nil, fmt.Errorf("gate %q: it is NAME=true or NAME=false", one)
		}
		gates[name] = on
	}
	return gates, utilfeature.DefaultMutableFeatureGate.SetFromMap(gates)
}

// gates are the feature gates that change a decision of these controllers in some version, and one that never existed.
var gates = []string{
	"CSIMigrationPortworx", "HonorPVReclaimPolicy", "PersistentVolumeClaimUnusedSinceTime", "VolumeAttributesClass", "NoSuchGate",
}

// periods are values of --pvclaimbinder-sync-period.
var periods = []string{"15s", "90s", "2m", "1h", "0s", "15", "s", "1x", ""}

// Features fills in the state of each gate (whether it exists, its default, and how it can be set) and how each period
// is parsed. It does so only for a line with the tag "features". It does not change any gate.
func (j *Judge) Features(l *line.Line) error {
	if !slices.Contains(l.Tags, "features") {
		return nil
	}
	l.Features, l.Periods = nil, nil
	for _, name := range gates {
		feature := line.Feature{Name: name}
		if known, ok := utilfeature.DefaultMutableFeatureGate.GetAll()[featuregate.Feature(name)]; ok {
			feature.Default = &known.Default
		}
		set := func(state bool) string {
			err := utilfeature.DefaultMutableFeatureGate.DeepCopy().SetFromMap(map[string]bool{name: state})
			if err != nil {
				return err.Error()
			}
			return ""
		}
		feature.Off, feature.On = set(false), set(true)
		l.Features = append(l.Features, feature)
	}
	for _, text := range periods {
		period := line.Period{Text: text}
		// The flag is a Duration of pflag, which uses the same function.
		if read, err := time.ParseDuration(text); err != nil {
			period.Error = err.Error()
		} else {
			period.Seconds = int64(read.Seconds())
		}
		l.Periods = append(l.Periods, period)
	}
	return nil
}
