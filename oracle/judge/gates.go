package judge

import (
	"fmt"
	"strconv"
	"strings"

	utilfeature "k8s.io/apiserver/pkg/util/feature"
)

// SetGates sets feature gates, given as NAME=BOOL,... and returns them. They are those of the whole process.
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
