//! The model of Nodes.

use super::{ObjectMeta, Str};

/// A Node as stored. Decisions read its name and labels; the other fields serve only as evidence.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Node {
    /// `metadata`.
    pub meta: ObjectMeta,
    /// `spec.unschedulable`: the scheduler places no pod on the node.
    pub unschedulable: bool,
    /// `spec.taints`.
    pub taints: Box<[Taint]>,
}

/// A taint, which keeps away pods that do not tolerate it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Taint {
    /// `key`.
    pub key: Str,
    /// `effect`: `NoSchedule`, `PreferNoSchedule` or `NoExecute`.
    pub effect: Str,
}
