//! Nodes.

use super::{ObjectMeta, Str};

/// A Node as stored: decisions read its name and labels, and nothing else is more than evidence.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Node {
    /// `metadata`.
    pub meta: ObjectMeta,
    /// `spec.unschedulable`: no pod is put there.
    pub unschedulable: bool,
    /// `spec.taints`.
    pub taints: Box<[Taint]>,
}

/// Keeps pods away that do not tolerate it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Taint {
    /// `key`.
    pub key: Str,
    /// `effect`: `NoSchedule`, `PreferNoSchedule` or `NoExecute`.
    pub effect: Str,
}
