//go:build k8s_1_30 || k8s_1_32 || k8s_1_34

// Package scheduler asks the real kube-scheduler about the pods of a world. It does so only for the newest minor
// version.
package scheduler

import (
	"errors"

	"pvctl.dev/oracle/line"
)

// Scheduler stands for the scheduler of a minor version that this package cannot ask.
type Scheduler struct{}

// New fails.
func New() (*Scheduler, error) {
	return nil, errors.New("the scheduler of this minor version cannot be asked")
}

// Schedule is not reached, because New fails.
func (*Scheduler) Schedule(*line.Line) error { return errors.New("there is no scheduler") }
