package upstream

import "strings"

// leftOutTests are tests that have no line at all, because no line could represent their cases.
var leftOutTests = []LeftOut{
	{"TestControllerCache", "tests how the cache compares versions; cases of other lines have stale copies and test this, too"},
	{"TestControllerCacheParsingError", "a resourceVersion that is no number, which no API server gives out"},
	{"TestDisablingDynamicProvisioner", "calls an inner function with no claim at all; lines with the flag enable-dynamic-provisioning test the same flag"},
	{"TestListByAccessModes", "tests the order of the index alone, which nothing depends on"},
	{"TestAllPossibleAccessModes", "tests an inner function of the index; the choice that follows from it is in the lines of the other index tests"},
}

const (
	fails      = "the framework's own plugin fails in a way that no real plugin here can be made to fail"
	external   = "someone else creates the volume while the controller goes on; a line has one state of the world"
	timestamps = "tests the times that are kept for metrics; the writes on the way are those of 5-3 and 5-4"
)

// leftOutCases are single cases that have no line, by the number with which their names begin.
var leftOutCases = map[string]string{
	"7-1 ": "a recycler fails and then succeeds; if a line runs until nothing changes, its recyclers stop before their pods",
	"8-4 ": fails, "9-1 ": fails, "11-4 ": fails, "11-12 ": fails,
	"8-7 ":   "the claim has to appear between the sync and its operation; a sync that sees the claim does not start the operation",
	"11-19 ": "the same request is refused first with one reason, then with another; a case has only one reason",
	"11-21 ": "replaces the list of migrated plugins; the plugins that are migrated in 1.36.3 are in the lines of TestAnnealMigrationAnnotations",
	"12-2 ":  external, "12-4 ": external,
	"5-5 ": timestamps, "5-7 ": timestamps, "5-8 ": timestamps,
}

// leftOut returns the reason why a test has no line, or "".
func (t *test) leftOut() string {
	for number, reason := range leftOutCases {
		if strings.HasPrefix(t.Name, number) {
			return reason
		}
	}
	switch {
	case t.Kind == "delays" && t.Fails:
		return "a class without volumeBindingMode; the API server's defaults leave none"
	case (t.Kind == "sync" || t.Kind == "settle" || t.Scheduler) && !t.AttributesClasses:
		return "the feature gate VolumeAttributesClass is off; 1.36 has it on, locked"
	}
	return ""
}
