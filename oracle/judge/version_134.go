//go:build k8s_1_34

package judge

// Version is the release of Kubernetes whose controllers answer.
const Version = "1.34.4"

// volumeAttributesClass is the default of the gate VolumeAttributesClass.
const volumeAttributesClass = true
