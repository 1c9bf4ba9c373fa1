package attaching

import (
	"slices"
	"strings"
	"sync/atomic"
	"time"

	storagev1 "k8s.io/api/storage/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"pvctl.dev/oracle/line"
)

// attachers are the external-attachers of all drivers.
type attachers struct {
	server *server
	driver map[string]line.Attacher
	// choices, if it is set, says how each job goes. Then driver is not used.
	choices *choices
	// jobs are what the attachers are doing or have given up.
	jobs map[job]bool
	// attaches are the VolumeAttachments whose volume is being attached.
	attaches map[types.UID]bool
	// stopped says that the run is over.
	stopped atomic.Bool
}

// job is the attaching or detaching of one VolumeAttachment.
type job struct {
	uid    types.UID
	detach bool
}

func newAttachers(s *server, drivers []line.Attacher, choices *choices) *attachers {
	a := &attachers{server: s, driver: map[string]line.Attacher{}, choices: choices, jobs: map[job]bool{}, attaches: map[types.UID]bool{}}
	for _, each := range drivers {
		if !each.Absent {
			a.driver[each.Driver] = each
		}
	}
	return a
}

func finalizerOf(driver string) string {
	return "external-attacher/" + strings.ReplaceAll(driver, ".", "-")
}

// change changes a VolumeAttachment if it still exists, is the same object, and with says that it should be changed.
func (a *attachers) change(name string, uid types.UID, with func(*storagev1.VolumeAttachment) bool) {
	a.server.put(attachmentKind, name, func(old stored) stored {
		found, ok := old.(*storagev1.VolumeAttachment)
		if !ok || found.UID != uid {
			return nil
		}
		if copied := found.DeepCopy(); with(copied) {
			return copied
		}
		return nil
	})
}

// look does what an attacher does when it sees a VolumeAttachment.
func (a *attachers) look(seen *storagev1.VolumeAttachment) {
	driver, found := a.driver[seen.Spec.Attacher]
	if a.choices != nil {
		driver, found = line.Attacher{Driver: seen.Spec.Attacher}, true
	}
	if !found || a.stopped.Load() {
		return
	}
	finalizer := finalizerOf(driver.Driver)
	deleting := seen.DeletionTimestamp != nil
	if deleting && !slices.Contains(seen.Finalizers, finalizer) || !deleting && seen.Status.Attached {
		return // There is nothing to do.
	}
	doing := job{uid: seen.UID, detach: deleting}
	a.server.lock.Lock()
	// An attacher does one thing at a time with a VolumeAttachment.
	if deleting && a.attaches[seen.UID] {
		a.server.lock.Unlock()
		return
	}
	begun := a.jobs[doing]
	a.jobs[doing] = true
	if !begun && a.choices != nil {
		driver = a.choices.next(seen, deleting)
	}
	a.server.lock.Unlock()
	if begun || driver.Absent {
		return
	}
	a.server.lock.Lock()
	a.attaches[seen.UID] = !deleting
	a.server.lock.Unlock()
	if deleting {
		a.after(driver.Detach, func() { a.detach(driver, seen.Name, doing) })
		return
	}
	a.after(driver.Attach, func() { a.attach(driver, seen.Name, doing) })
	a.change(seen.Name, seen.UID, func(current *storagev1.VolumeAttachment) bool {
		if slices.Contains(current.Finalizers, finalizer) {
			return false
		}
		current.Finalizers = append(current.Finalizers, finalizer)
		return true
	})
}

// after calls do after some time, unless the run is over then.
func (a *attachers) after(nanoseconds int64, do func()) {
	time.AfterFunc(time.Duration(nanoseconds), func() {
		if !a.stopped.Load() {
			do()
		}
	})
}

// finish says that a job is over, so that the attacher can begin it again.
func (a *attachers) finish(done job) {
	a.server.lock.Lock()
	delete(a.jobs, done)
	a.server.lock.Unlock()
}

// attach stores the result, also if the VolumeAttachment is being deleted by then.
func (a *attachers) attach(driver line.Attacher, name string, doing job) {
	if driver.AttachError == "" {
		a.finish(doing)
	}
	a.server.lock.Lock()
	delete(a.attaches, doing.uid)
	a.server.lock.Unlock()
	a.change(name, doing.uid, func(current *storagev1.VolumeAttachment) bool {
		if driver.AttachError != "" {
			current.Status.AttachError = failed(driver.AttachError)
		} else {
			current.Status.Attached, current.Status.AttachError = true, nil
		}
		return true
	})
}

func (a *attachers) detach(driver line.Attacher, name string, doing job) {
	a.change(name, doing.uid, func(current *storagev1.VolumeAttachment) bool {
		if driver.DetachError != "" {
			current.Status.DetachError = failed(driver.DetachError)
		} else {
			current.Status.Attached, current.Status.DetachError = false, nil
			current.Finalizers = slices.DeleteFunc(
				current.Finalizers, func(each string) bool { return each == finalizerOf(driver.Driver) },
			)
		}
		return true
	})
}

// failed returns an error of an attacher with the current time.
func failed(message string) *storagev1.VolumeError {
	return &storagev1.VolumeError{Time: metav1.Time{Time: time.Now().UTC().Truncate(time.Second)}, Message: message}
}
