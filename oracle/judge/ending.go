package judge

import (
	"maps"
	"slices"

	v1 "k8s.io/api/core/v1"

	"pvctl.dev/oracle/line"
)

// Ending answers one case in a line's world. It also returns the volumes and claims that the API server has after the
// first sync of this case, sorted by name.
func (j *Judge) Ending(l *line.Line, c line.Case) (line.Case, []*v1.PersistentVolume, []*v1.PersistentVolumeClaim, error) {
	if err := j.load(l); err != nil {
		return c, nil, nil, err
	}
	var volumes []*v1.PersistentVolume
	var claims []*v1.PersistentVolumeClaim
	j.ended = func() {
		for _, name := range slices.Sorted(maps.Keys(j.api.volumes.stored)) {
			volumes = append(volumes, j.api.volumes.stored[name].DeepCopy())
		}
		for _, name := range slices.Sorted(maps.Keys(j.api.claims.stored)) {
			claims = append(claims, j.api.claims.stored[name].DeepCopy())
		}
	}
	defer func() { j.ended = nil }()
	err := j.answerCase(&c)
	return c, volumes, claims, err
}
