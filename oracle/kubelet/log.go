package main

import (
	"regexp"
	"strings"
	"sync"

	"k8s.io/klog/v2"
	"k8s.io/klog/v2/textlogger"
)

// mostTimes is how often the same entry of a log is recorded in a run. The loops repeat some entries ten times in a
// second.
const mostTimes = 2

var (
	header  = regexp.MustCompile(`^([IWEF])\d{4} \d\d:\d\d:\d\d\.\d{6} +\d+ `)
	elapsed = regexp.MustCompile(` (duration|cost)="[^"]*"`)
	clock   = regexp.MustCompile(` m=[+-][0-9.]+`)
	folder  = regexp.MustCompile(`/[^ "]*/kubelet\d+`)
)

// log passes the entries of klog to the node of the run. klog has one log for the whole process, and runs follow one
// another.
type log struct {
	lock sync.Mutex
	to   *node
	said map[string]int
}

// entries is the log of the process. It is nil if entries are not recorded.
var entries *log

// recordLog makes manage record what the kubelet logs at -v=5.
func recordLog() error {
	var level klog.Level
	if err := level.Set("5"); err != nil {
		return err
	}
	entries = &log{}
	logger := textlogger.NewLogger(textlogger.NewConfig(textlogger.Verbosity(5), textlogger.Output(entries)))
	write := logger.GetSink().(textlogger.KlogBufferWriter).WriteKlogBuffer
	klog.SetLoggerWithOptions(logger, klog.ContextualLogger(true), klog.WriteKlogBuffer(write))
	return nil
}

// begin records the entries of a run from now on. A nil node ends the run.
func (l *log) begin(to *node) {
	if l == nil {
		return
	}
	l.lock.Lock()
	defer l.lock.Unlock()
	l.to, l.said = to, map[string]int{}
}

// Write adds an entry, without what differs from run to run.
func (l *log) Write(entry []byte) (int, error) {
	text := strings.TrimRight(string(entry), " \n")
	text = header.ReplaceAllString(text, "${1}0101 00:00:00.000000       1 ")
	text = elapsed.ReplaceAllString(text, ` ${1}="0s"`)
	text = clock.ReplaceAllString(text, "")
	text = folder.ReplaceAllString(text, "/var/lib/kubelet")
	l.lock.Lock()
	to := l.to
	isNew := false
	if to != nil {
		l.said[text]++
		isNew = l.said[text] <= mostTimes
	}
	l.lock.Unlock()
	if isNew {
		to.add(Entry{Logged: text})
	}
	return len(entry), nil
}
