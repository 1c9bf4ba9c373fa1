package line

// Scheduling is what kube-scheduler says about one pod without a node, with its default profile. The scheduler gets one
// pod at a time, in the recorded world: no other waiting pod has been scheduled before.
//
// If the pod does not reach PreFilter, only Gate or Skip is set. If PreFilter rejects the pod, PreFilter is set.
// Otherwise Nodes is set. The order of the volumes in the scheduler's cache is not defined. A field that depends on
// this order is a set: it has every answer over the tried orders, without repetition, sorted by its JSON text.
type Scheduling struct {
	Pod Object `json:"pod"`
	// Gate is the status of the first PreEnqueue plugin that does not let the pod into the queue.
	Gate *Verdict `json:"gate,omitempty"`
	// Skip is the message of the event for a pod that is being deleted. Nothing else happens to such a pod.
	Skip string `json:"skip,omitempty"`
	// PreFilter is the status of the PreFilter plugin that rejects the pod on all nodes, or that fails. It does not
	// depend on the order of the volumes.
	PreFilter *Verdict `json:"preFilter,omitempty"`
	// Nodes are the verdicts about all nodes, sorted by name.
	Nodes []NodeVerdicts `json:"nodes,omitempty"`
	// Reason is the reason of the pod's condition PodScheduled: "Unschedulable" or "SchedulerError". It is absent if
	// the pod fits some node in every order, and if Gate or Skip is set.
	Reason string `json:"reason,omitempty"`
	// Messages are the possible messages of the condition, without the text that PostFilter adds. If the pod fits some
	// node only in some orders, they are the messages of the other orders. If Filter fails on some nodes, each of these
	// failures can be the message, even if the pod fits other nodes: the nodes are tested at the same time, and the
	// first failure ends the cycle.
	Messages []string `json:"messages,omitempty"`
	// PostFilter are the texts that PostFilter can add to a message with reason Unschedulable, after a blank. They come
	// from DynamicResources and DefaultPreemption. Preemption is real only as long as it does not remove a pod: the
	// requests about a victim reach no API server.
	PostFilter []string `json:"postFilter,omitempty"`
	// Orders is the number of orders of volumes that were tried. It is absent if there was only one.
	Orders int `json:"orders,omitempty"`
	// Sampled says that only some of the possible orders were tried.
	Sampled bool `json:"sampled,omitempty"`
}

// NodeVerdicts are the possible verdicts about one node.
type NodeVerdicts struct {
	Node     string    `json:"node"`
	Verdicts []Verdict `json:"verdicts"`
}

// Verdict is a status of the scheduler's framework. If the pod fits the node, it also has what Reserve does.
type Verdict struct {
	// Code is Success, Unschedulable, UnschedulableAndUnresolvable or Error.
	Code string `json:"code"`
	// Plugin is the name of the plugin that gave the status. It is absent for Success. It is also absent for a node
	// that is not in the result of PreFilter, because such a node is not tested.
	Plugin string `json:"plugin,omitempty"`
	// Reasons are the texts in the order of the status. An error has one text.
	Reasons []string `json:"reasons,omitempty"`
	// Bindings are the volumes that Reserve chooses for waiting claims, sorted by claim and volume.
	Bindings []Binding `json:"bindings,omitempty"`
	// Provisions are the names of the claims that get the annotation selected-node with the name of this node and are
	// then provisioned. They are sorted. If the pod mounts a claim twice, its name can be in the list twice.
	Provisions []string `json:"provisions,omitempty"`
	// ReserveError is the text of the status with which Reserve fails, although the pod passed Filter on the node.
	ReserveError string `json:"reserveError,omitempty"`
}

// Binding is a volume that the scheduler chose for a claim.
type Binding struct {
	Claim  string `json:"claim"`
	Volume string `json:"volume"`
	// Assumed says that Reserve sets the claimRef of the volume to the claim in the scheduler's memory. PreBind does
	// the same later in the API. Assumed is false for a volume that is already reserved for the claim with the claim's
	// uid.
	Assumed bool `json:"assumed,omitempty"`
	// BoundByController says that the volume gets the annotation bound-by-controller.
	BoundByController bool `json:"boundByController,omitempty"`
}
