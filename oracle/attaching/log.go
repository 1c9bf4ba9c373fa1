package attaching

import (
	"encoding/json"
	"sync"
	"time"

	"pvctl.dev/oracle/line"
)

// journal collects the entries of one run.
type journal struct {
	begin time.Time

	lock    sync.Mutex
	entries []*entry
}

// entry is an entry of the journal. If an operation did not start in the end, its entry is dropped.
type entry struct {
	line.AttachingEntry
	dropped bool
}

// add appends an entry with the current moment.
func (j *journal) add(e line.AttachingEntry) *entry {
	j.lock.Lock()
	defer j.lock.Unlock()
	e.At = int64(time.Since(j.begin))
	added := &entry{AttachingEntry: e}
	j.entries = append(j.entries, added)
	return added
}

// log returns the entries that were not dropped.
func (j *journal) log() []line.AttachingEntry {
	j.lock.Lock()
	defer j.lock.Unlock()
	log := []line.AttachingEntry{}
	for _, each := range j.entries {
		if !each.dropped {
			log = append(log, each.AttachingEntry)
		}
	}
	return log
}

// encoded returns the JSON form of an object.
func encoded(object any) json.RawMessage {
	text, err := json.Marshal(object)
	if err != nil {
		panic(err) // The objects of the API always have a JSON form.
	}
	return text
}
