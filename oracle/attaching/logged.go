package attaching

import (
	"regexp"
	"strings"
	"sync"

	"github.com/go-logr/logr"
	"k8s.io/klog/v2"
	"k8s.io/klog/v2/textlogger"

	"pvctl.dev/oracle/judge"
	"pvctl.dev/oracle/line"
)

// mostTimes is how often the same entry of a log is recorded in a run. The loops repeat some entries ten times in a
// second.
const mostTimes = 2

var (
	// logging is held while a run is recorded with its log, because klog has one log for the whole process.
	logging sync.Mutex
	// global is what klog writes to.
	global globalLog
	setUp  sync.Once
	// foreign are the files of client-go that log about informers and queues.
	foreign = regexp.MustCompile(`^[IWEF]\d+ [0-9:.]+ +\d+ (reflector|shared_informer|delta_fifo|the_real_fifo)\.go:`)
)

// Logged makes the runner record what the controller logs at -v=5. It then answers one line at a time.
func (r *Runner) Logged() {
	r.logged = true
	setUp.Do(func() {
		var level klog.Level
		if err := level.Set("5"); err != nil {
			panic(err)
		}
		logger := textLogger(&global)
		write := logger.GetSink().(textlogger.KlogBufferWriter).WriteKlogBuffer
		klog.SetLoggerWithOptions(logger, klog.ContextualLogger(true), klog.WriteKlogBuffer(write))
	})
}

// textLogger returns a logger that writes to a log.
func textLogger(to interface{ Write([]byte) (int, error) }) logr.Logger {
	return textlogger.NewLogger(textlogger.NewConfig(textlogger.Verbosity(5), textlogger.Output(to)))
}

// globalLog passes the entries of the process to the controller that runs.
type globalLog struct {
	lock sync.Mutex
	to   *process
}

func (g *globalLog) set(to *process) {
	g.lock.Lock()
	defer g.lock.Unlock()
	g.to = to
}

func (g *globalLog) Write(entry []byte) (int, error) {
	g.lock.Lock()
	to := g.to
	g.lock.Unlock()
	if to != nil {
		return to.Write(entry)
	}
	return len(entry), nil
}

// Write records an entry of the log. Operations of a controller that has ended fail, and its recorder is stopped. Their
// entries do not count.
func (p *process) Write(entry []byte) (int, error) {
	text := judge.Steady(strings.TrimRight(string(entry), " \n"))
	isLate := strings.Contains(text, errEnded.Error()) || strings.Contains(text, "broadcaster already stopped")
	if isLate || foreign.MatchString(text) {
		return len(entry), nil
	}
	p.saidLock.Lock()
	p.said[text]++
	isNew := p.said[text] <= mostTimes
	p.saidLock.Unlock()
	if isNew {
		p.add(line.AttachingEntry{Logged: text})
	}
	return len(entry), nil
}
