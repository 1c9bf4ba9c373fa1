//go:build k8s_1_34

package judge

// Version is the release of Kubernetes whose controllers answer.
const Version = "1.34.4"
