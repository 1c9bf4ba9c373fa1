//! The lines of the oracle: one world each, with what the real controllers did. The format is `oracle/line/line.go`'s.

use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;

/// One world and the answers to it.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Line {
    /// The name of the world.
    pub id: String,
    /// What the generator aimed at.
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
    /// What the feature gates are, and how they can be set.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub features: Vec<Feature>,
    /// How values of `--pvclaimbinder-sync-period` are read.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub periods: Vec<Period>,
    /// Syncs under other circumstances than caches in step and requests that succeed.
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
    /// Where everything ends.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub settle: Option<Settle>,
    /// Ways to ends that no other schedule reached.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub schedules: Vec<Schedule>,
    /// What the search for a volume answers.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub matches: Vec<Match>,
}

/// A feature gate of a version.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Feature {
    /// Its name.
    pub name: String,
    /// Its state where nobody sets it; nothing where the version has no such gate.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub default: Option<bool>,
    /// Why it cannot be switched off.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub off: String,
    /// Why it cannot be switched on.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub on: String,
}

/// The value of a flag that takes a duration.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Period {
    /// As it is written.
    pub text: String,
    /// What it means.
    #[serde(default)]
    pub seconds: u64,
    /// Why it cannot be read.
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
    /// Its kind.
    pub kind: String,
    /// Its namespace, where the kind has one.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub namespace: String,
    /// Its name.
    pub name: String,
}

/// One sync, its circumstances and what it can do.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Case {
    /// What is synced.
    pub object: Object,
    /// The protection controller of the object's kind syncs it, not the binder. A pod has one controller here.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub protection: bool,
    /// Copies of the controller that differ from the API's.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub cached: Vec<Cached>,
    /// Operations that run already.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub running: Vec<String>,
    /// Operations that failed a short while ago.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub backing_off: Vec<String>,
    /// Writes that fail.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub refuse: Option<Refuse>,
    /// Reads that fail.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fail_read: Option<FailRead>,
    /// What becomes of the recycler's pod that the operation starts; without it nobody runs the pod.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recycler: Option<Recycler>,
    /// What the controller can do.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub decisions: Vec<Value>,
    /// How often the sync was repeated.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub runs: u32,
    /// What a reader of the answer has to know.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

/// A copy of the controller that differs from the API's.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Cached {
    /// Whose copy.
    pub object: Object,
    /// `unseen`, `informerOnly` or `stale`; a pod can be `unseen` or `stale`.
    #[serde(rename = "as")]
    pub how: String,
    /// The older version.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub copy: Option<Value>,
}

/// Writes that fail, counted from 1.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Refuse {
    /// The first one that does.
    pub write: u32,
    /// All later ones too.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub from: bool,
    /// The API's reason.
    pub reason: String,
    /// The text, for reasons whose text does not follow from the object.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub text: String,
}

/// A kind of read that fails.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct FailRead {
    /// `getClaim`, `getVolume` or `listPods`.
    pub read: String,
    /// The API's reason.
    pub reason: String,
    /// The text.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub text: String,
}

/// What becomes of a recycler's pod.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Recycler {
    /// `succeeded`, `failed`, `deleted`, `refused`, `inTheWay` or `kept`.
    pub pod: String,
    /// The message of a pod that failed, or the text of the API's error.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub text: String,
}

/// Where everything ends.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Settle {
    /// Who took part; the binder alone where the line does not say.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub controllers: Vec<String>,
    /// How many schedules were run.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub schedules: u32,
    /// The objects and their ends.
    #[serde(deserialize_with = "null_is_empty")]
    pub objects: Vec<Ends>,
    /// The joint ends that were seen: for each, the index into the ends of every object.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub joint: Vec<Vec<usize>>,
    /// What a reader of the answer has to know.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

/// The ends of one object.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Ends {
    /// Whose.
    pub object: Object,
    /// Seen in schedules without faults.
    #[serde(default)]
    pub ends: Vec<Value>,
    /// Seen only with faults.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub fault_ends: Vec<Value>,
    /// Seen only where workers overlap.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub race_ends: Vec<Value>,
}

/// A list of syncs that is said to lead some objects to their ends, all at once.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Schedule {
    /// Whose ends.
    pub objects: Vec<Object>,
    /// The ends, one for each object.
    pub ends: Vec<Value>,
    /// The syncs, in order.
    #[serde(deserialize_with = "null_is_empty")]
    pub steps: Vec<Step>,
    /// The answer: whether it leads there.
    #[serde(default)]
    pub reached: bool,
}

/// One sync of a schedule.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Step {
    /// Who syncs.
    pub controller: String,
    /// What is synced.
    pub object: Object,
    /// The volume that is taken where several are equally good.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub volume: String,
}

/// The answer of the search for a volume.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Match {
    /// For which claim.
    pub claim: Object,
    /// Whether binding is delayed.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub delayed: bool,
    /// The node that the scheduler asks for.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub node: String,
    /// Volumes that the scheduler has given to others.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub excluded: Vec<String>,
    /// What can be answered; the empty name is no volume.
    pub chosen: Vec<String>,
    /// The error.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub error: String,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands over a reference")]
fn is_zero(number: &u32) -> bool {
    *number == 0
}

fn null_is_empty<'de, D: Deserializer<'de>, T: Deserialize<'de>>(deserializer: D) -> Result<Vec<T>, D::Error> {
    Ok(Option::deserialize(deserializer)?.unwrap_or_default())
}
