package judge

import (
	"regexp"
	"strings"

	"k8s.io/klog/v2"
	"k8s.io/klog/v2/textlogger"
)

// log collects what the controllers log during one sync.
type log struct{ entries []string }

// Write adds an entry. The logger calls it once for each entry.
func (l *log) Write(entry []byte) (int, error) {
	l.entries = append(l.entries, Steady(strings.TrimSuffix(string(entry), "\n")))
	return len(entry), nil
}

func (l *log) clear() {
	if l != nil {
		l.entries = nil
	}
}

// taken returns the collected entries.
func (l *log) taken() []string {
	if l == nil {
		return nil
	}
	return l.entries
}

// Logged makes the controllers log at -v=5, and makes Decide record what they log. The controllers of versions before
// 1.36 get no such logger.
func (j *Judge) Logged() {
	j.log = &log{}
	logger := textlogger.NewLogger(textlogger.NewConfig(textlogger.Verbosity(5), textlogger.Output(j.log)))
	j.ctx = klog.NewContext(j.ctx, logger)
}

var (
	header   = regexp.MustCompile(`^([IWEF])\d{4} \d\d:\d\d:\d\d\.\d{6} +\d+ `)
	elapsed  = regexp.MustCompile(` (duration|cost)="[^"]*"`)
	revision = regexp.MustCompile(` resourceVersion="(\d+)"`)
	clock    = regexp.MustCompile(` m=[+-][0-9.]+`)
)

// Steady replaces what differs from run to run: the time, the process, elapsed times, the monotonic clock, and the
// resourceVersions that the oracle's API server assigned.
func Steady(entry string) string {
	entry = header.ReplaceAllString(entry, "${1}0101 00:00:00.000000       1 ")
	entry = elapsed.ReplaceAllString(entry, ` ${1}="0s"`)
	entry = clock.ReplaceAllString(entry, "")
	return revision.ReplaceAllStringFunc(entry, func(found string) string {
		if given(revision.FindStringSubmatch(found)[1]) {
			return ` resourceVersion="<next>"`
		}
		return found
	})
}
