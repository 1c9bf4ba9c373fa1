//go:build k8s_1_32

package judge

// Version is the release of Kubernetes whose controllers answer.
const Version = "1.32.13"
