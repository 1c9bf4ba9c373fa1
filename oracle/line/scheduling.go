package line

// Scheduling is what kube-scheduler says about one pod without a node, with its default profile. Each pod is asked for
// alone, with the world as it is: no other pod that waits has been scheduled before it.
//
// Of a pod that does not come to PreFilter only Gate is set, or Skip. Of a pod that PreFilter rejects, PreFilter is
// set, and otherwise Nodes. What depends on the order of the volumes in the scheduler's cache, which is not defined, is
// a set: it has every answer over the tried orders, without repetition, sorted by its JSON text.
type Scheduling struct {
	Pod Object `json:"pod"`
	// Gate is the status of the first PreEnqueue plugin that does not let the pod into the queue.
	Gate *Verdict `json:"gate,omitempty"`
	// Skip is the message of the event for a pod that is being deleted. Nothing else happens to such a pod.
	Skip string `json:"skip,omitempty"`
	// PreFilter is the status of the PreFilter plugin that rejects the pod on all nodes, or that fails. It does not
	// depend on an order.
	PreFilter *Verdict `json:"preFilter,omitempty"`
	// Nodes are the verdicts about all nodes, sorted by name.
	Nodes []NodeVerdicts `json:"nodes,omitempty"`
	// Reason is the reason of the pod's condition PodScheduled: "Unschedulable" or "SchedulerError". It is absent if the
	// pod fits some node in every order, and also with Gate and Skip.
	Reason string `json:"reason,omitempty"`
	// Messages are the possible messages of the condition, without what PostFilter adds. If the pod fits some node in
	// some orders, they are those of the other orders. If Filter fails on some node, each failure can be the message,
	// also if the pod fits other nodes: the nodes are tested at the same time, and the first failure ends the cycle.
	Messages []string `json:"messages,omitempty"`
	// PostFilter are the texts that PostFilter can add to a message with reason Unschedulable, after a blank: what
	// DynamicResources and DefaultPreemption say. Preemption is only real as far as no pod has to go for it: what is
	// written for a victim reaches no API server.
	PostFilter []string `json:"postFilter,omitempty"`
	// Orders is the number of orders of volumes that were tried. It is absent if there was only one.
	Orders int `json:"orders,omitempty"`
	// Sampled says that these were not all possible orders.
	Sampled bool `json:"sampled,omitempty"`
}

// NodeVerdicts are the possible verdicts about one node.
type NodeVerdicts struct {
	Node     string    `json:"node"`
	Verdicts []Verdict `json:"verdicts"`
}

// Verdict is a status of the scheduler's framework. Where the pod fits, it also has what Reserve does.
type Verdict struct {
	// Code is Success, Unschedulable, UnschedulableAndUnresolvable or Error.
	Code string `json:"code"`
	// Plugin is the name of the plugin that gave the status. It is absent with Success, and for a node that the result of
	// PreFilter leaves out: such a node is not tested.
	Plugin string `json:"plugin,omitempty"`
	// Reasons are the texts in the order of the status. An error has one.
	Reasons []string `json:"reasons,omitempty"`
	// Bindings are the volumes that Reserve chooses for waiting claims, sorted by claim and volume.
	Bindings []Binding `json:"bindings,omitempty"`
	// Provisions are the names of the claims that get the annotation selected-node with the name of this node, so that
	// they are provisioned. They are sorted, and a claim that the pod mounts twice can be there twice.
	Provisions []string `json:"provisions,omitempty"`
	// ReserveError is the text of the status with which Reserve fails after the node has passed.
	ReserveError string `json:"reserveError,omitempty"`
}

// Binding is a volume that the scheduler chose for a claim.
type Binding struct {
	Claim  string `json:"claim"`
	Volume string `json:"volume"`
	// Assumed says that Reserve changes the volume in the scheduler's memory, and PreBind later in the API: claimRef
	// becomes that of the claim. It is false for a volume that is already reserved for the claim with its uid.
	Assumed bool `json:"assumed,omitempty"`
	// BoundByController says that the volume gets the annotation bound-by-controller.
	BoundByController bool `json:"boundByController,omitempty"`
}
