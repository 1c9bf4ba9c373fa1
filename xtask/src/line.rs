//! The lines of the oracle. Each line is one world with the actions and answers of the real controllers.
//! `oracle/line/line.go` defines the format.

use crate::attacher::AttacherSyncs;
use crate::attaching::Attaching;
use crate::managing::Managing;
use crate::mounting::Mounting;
use crate::provisioning::Provisioning;
use crate::resizer::ResizerSyncs;
use crate::shared_volume::Share;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;

/// One world and the answers for it.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Line {
    /// The name of the world.
    pub id: String,
    /// What the generator wanted to test.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
    /// The objects.
    pub world: List,
    /// The flags of kube-controller-manager that differ from their defaults.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub flags: BTreeMap<String, String>,
    /// The feature gates that differ from their defaults.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub gates: BTreeMap<String, bool>,
    /// The feature gates of the version, and how they can be set.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub features: Vec<Feature>,
    /// How the flag `--pvclaimbinder-sync-period` is parsed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub periods: Vec<Period>,
    /// Syncs with caches that are not in step, or with requests that fail.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub cases: Vec<Case>,
    /// One sync of every object.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub decisions: Vec<Case>,
    /// One sync of every object by its protection controller.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub protections: Vec<Case>,
    /// One sync of every pod by the ephemeral-volume controller.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ephemerals: Vec<Case>,
    /// The ends of all objects.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub settle: Option<Settle>,
    /// Schedules for ends that no other schedule reached.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub schedules: Vec<Schedule>,
    /// The answers of the search for a volume.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub matches: Vec<Match>,
    /// The answers of kube-scheduler, one for each pod that it has to schedule. It is `None` if the line has no such
    /// answers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scheduling: Option<Vec<Scheduling>>,
    /// How the external provisioner was started, and its answers. It is `None` if the line has no such answers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub provisioning: Option<Provisioning>,
    /// A run of the attach/detach controller. It is `None` if the line has no such run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub attaching: Option<Attaching>,
    /// How an external attacher was started, and its answers. It is `None` if the line has no such answers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub attacher: Option<AttacherSyncs>,
    /// How an external resizer was started, and its answers. It is `None` if the line has no such answers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resizer: Option<ResizerSyncs>,
    /// A script for the shared-volume controller, and its answers. It is `None` if the line has no such script.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub share: Option<Share>,
    /// A kubelet, and its answers. It is `None` if the line has no such answers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mounting: Option<Mounting>,
    /// A run of the volume manager of a kubelet.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub managing: Option<Managing>,
}

/// A feature gate of a version.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Feature {
    /// The name of the gate.
    pub name: String,
    /// The default of the gate. It is `None` if the version has no such gate.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub default: Option<bool>,
    /// Why the gate cannot be switched off. The text is empty if the gate can be switched off.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub off: String,
    /// Why the gate cannot be switched on. The text is empty if the gate can be switched on.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub on: String,
}

/// The value of a flag that takes a duration.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Period {
    /// The text of the value.
    pub text: String,
    /// The meaning of the value in seconds.
    #[serde(default)]
    pub seconds: u64,
    /// Why the value cannot be parsed. The text is empty if the value can be parsed.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub error: String,
}

/// A `v1` List.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct List {
    api_version: String,
    kind: String,
    /// The objects as the API server stores them.
    pub items: Vec<Value>,
}

/// The name of an object.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize, Serialize)]
pub struct Object {
    /// The kind of the object.
    pub kind: String,
    /// The namespace of the object. It is empty if the kind has no namespaces.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub namespace: String,
    /// The name of the object.
    pub name: String,
}

/// One sync, its circumstances and its possible decisions.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Case {
    /// The object that is synced.
    pub object: Object,
    /// Whether the protection controller of the object's kind syncs the object, instead of the binder. A pod has only
    /// one controller here.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub protection: bool,
    /// The copies in the controller's cache that differ from the API.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub cached: Vec<Cached>,
    /// The operations that run already.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub running: Vec<String>,
    /// The operations that failed a short time ago.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub backing_off: Vec<String>,
    /// The writes that fail.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub refuse: Option<Refuse>,
    /// The reads that fail.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fail_read: Option<FailRead>,
    /// The end of the recycler's pod that the operation starts. If it is `None`, the pod is not run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recycler: Option<Recycler>,
    /// The possible decisions of the controller.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub decisions: Vec<Value>,
    /// How often the sync was repeated.
    #[serde(default, skip_serializing_if = "is_default")]
    pub runs: u32,
    /// Notes for the reader of the answer.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

/// A copy in the controller's cache that differs from the API.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Cached {
    /// The object of the copy.
    pub object: Object,
    /// How the copy differs: `unseen`, `informerOnly`, `stale` or `deleted`. A pod can be `unseen` or `stale`.
    #[serde(rename = "as")]
    pub how: String,
    /// The older version of the object.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub copy: Option<Value>,
}

/// Writes that fail, counted from 1.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Refuse {
    /// The number of the first write that fails.
    pub write: u32,
    /// Whether all later writes fail as well.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub from: bool,
    /// The reason of the API server.
    pub reason: String,
    /// The text of the error. It is only set for a reason that does not determine the text.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub text: String,
}

/// A kind of read that fails.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct FailRead {
    /// The read that fails: `getClaim`, `getVolume` or `listPods`.
    pub read: String,
    /// The reason of the API server.
    pub reason: String,
    /// The text of the error.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub text: String,
}

/// The end of a recycler's pod.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Recycler {
    /// How the pod ends: `succeeded`, `failed`, `deleted`, `refused`, `inTheWay` or `kept`.
    pub pod: String,
    /// The message of a failed pod, or the text of the API server's error.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub text: String,
}

/// The ends of all objects.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Settle {
    /// The controllers that took part. The list is empty if only the binder took part.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub controllers: Vec<String>,
    /// The number of schedules that were run.
    #[serde(default, skip_serializing_if = "is_default")]
    pub schedules: u32,
    /// The objects and their ends.
    #[serde(deserialize_with = "null_is_empty")]
    pub objects: Vec<Ends>,
    /// The joint ends that were seen. Each has the index into the ends of every object.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub joint: Vec<Vec<usize>>,
    /// Notes for the reader of the answer.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

/// The ends of one object.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Ends {
    /// The object with these ends.
    pub object: Object,
    /// The ends that schedules without faults reached.
    #[serde(default)]
    pub ends: Vec<Value>,
    /// The ends that only schedules with faults reached.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub fault_ends: Vec<Value>,
    /// The ends that are reached only if several workers run at the same time.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub race_ends: Vec<Value>,
}

/// A list of syncs that is predicted to lead some objects to their ends at the same time.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Schedule {
    /// The objects with these ends.
    pub objects: Vec<Object>,
    /// The ends, one for each object.
    pub ends: Vec<Value>,
    /// The syncs in their order.
    #[serde(deserialize_with = "null_is_empty")]
    pub steps: Vec<Step>,
    /// The answer: whether the schedule leads to these ends.
    #[serde(default)]
    pub reached: bool,
}

/// One sync of a schedule.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Step {
    /// The controller that syncs.
    pub controller: String,
    /// The object that is synced.
    pub object: Object,
    /// The volume to choose if several are equally good.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub volume: String,
    /// The names of the objects that the scheduler remembers about the pod after this sync.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub remembered: Vec<String>,
    /// Whether this step is not a sync: the scheduler stops waiting for the volumes of the pod.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub gives_up: bool,
}

/// The answer of the search for a volume.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Match {
    /// The claim of the search.
    pub claim: Object,
    /// Whether binding is delayed.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub delayed: bool,
    /// The node that the scheduler asks for.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub node: String,
    /// The volumes that the scheduler has given to other claims.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub excluded: Vec<String>,
    /// The possible answers. The empty name means no volume.
    pub chosen: Vec<String>,
    /// The error of the search.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub error: String,
}

/// What kube-scheduler says about one pod. `oracle/line/scheduling.go` says which fields are set together.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Scheduling {
    /// The pod.
    pub pod: Object,
    /// The status of the plugin that keeps the pod out of the scheduling queue.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gate: Option<SchedulingStatus>,
    /// The message of the event for a pod that is being deleted.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub skip: String,
    /// The status of the `PreFilter` plugin that rejects the pod on all nodes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pre_filter: Option<SchedulingStatus>,
    /// The possible verdicts about each node.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub nodes: Vec<NodeVerdicts>,
    /// The reason of the condition `PodScheduled`.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub reason: String,
    /// The possible messages of the condition, without what `PostFilter` adds.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub messages: Vec<String>,
    /// The texts that `PostFilter` can add.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub post_filter: Vec<String>,
    /// The number of tried orders of volumes. It is 0 if there was only one.
    #[serde(default, skip_serializing_if = "is_default")]
    pub orders: u32,
    /// Whether further orders are possible.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub sampled: bool,
}

/// The possible verdicts about one node.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct NodeVerdicts {
    /// The node.
    pub node: String,
    /// The verdicts, sorted by their JSON text.
    pub verdicts: Vec<SchedulingStatus>,
}

/// A status of the scheduler's framework. If the pod fits the node, the status also has what `Reserve` does.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize, Serialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SchedulingStatus {
    /// `Success`, `Unschedulable`, `UnschedulableAndUnresolvable` or `Error`.
    pub code: String,
    /// The plugin. It is empty with `Success`, and for a node that the result of `PreFilter` leaves out.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub plugin: String,
    /// The texts in the order of the status.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub reasons: Vec<String>,
    /// The volumes that `Reserve` chooses for waiting claims.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub bindings: Vec<Binding>,
    /// The claims that are to be provisioned for the node.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub provisions: Vec<String>,
    /// The text of the status with which `Reserve` fails after the node has passed all filters.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub reserve_error: String,
}

/// A volume that the scheduler chose for a claim.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize, Serialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Binding {
    /// The name of the claim.
    pub claim: String,
    /// The name of the volume.
    pub volume: String,
    /// Whether `Reserve` changes the volume in the scheduler's memory, and `PreBind` in the API.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub assumed: bool,
    /// Whether the volume gets the annotation `bound-by-controller`.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub bound_by_controller: bool,
}

/// Returns whether a field has the value that it has if it is left out.
pub(crate) fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

fn null_is_empty<'de, D: Deserializer<'de>, T: Deserialize<'de>>(deserializer: D) -> Result<Vec<T>, D::Error> {
    Ok(Option::deserialize(deserializer)?.unwrap_or_default())
}
