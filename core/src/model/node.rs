//! The model of Nodes.

use super::surroundings::Condition;
use super::{ObjectMeta, Str};

/// A Node as stored. The volume controllers read its name and labels. The scheduler also reads `unschedulable`, the
/// taints, the resources and the declared features. The other fields serve only as evidence.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Node {
    /// `metadata`.
    pub meta: ObjectMeta,
    /// `spec.unschedulable`: the scheduler places no pod on the node.
    pub unschedulable: bool,
    /// `spec.taints`.
    pub taints: Box<[Taint]>,
    /// `status.allocatable`, sorted by name. Amounts of `cpu` are in thousandths, and all other amounts are in whole
    /// units.
    pub allocatable: Box<[(Str, i64)]>,
    /// `status.declaredFeatures`: the features of the kubelet that a pod can need.
    pub declared_features: Box<[Str]>,
    /// `status.conditions`: the condition `Ready`, and all others that are not `False`.
    pub conditions: Box<[Condition]>,
    /// `status.volumesInUse`: the volumes that the kubelet may have mounted, by their unique names.
    pub volumes_in_use: Box<[Str]>,
    /// `status.volumesAttached`: the volumes that are attached to the node, by their unique names.
    pub volumes_attached: Box<[Str]>,
    /// The addresses of type `InternalIP` in `status.addresses`.
    pub internal_addresses: Box<[Str]>,
}

impl Node {
    /// Returns the condition `Ready`, if the node has it.
    pub fn readiness(&self) -> Option<&Condition> {
        self.conditions.iter().find(|condition| condition.kind == "Ready")
    }

    /// Returns whether the condition `Ready` of the node is `False` or `Unknown`. The result is false for a node
    /// without this condition.
    pub fn is_not_ready(&self) -> bool {
        self.readiness().is_some_and(|ready| ready.status != "True")
    }

    /// Returns whether the condition `Ready` of the node is `True`.
    pub fn is_ready(&self) -> bool {
        self.readiness().is_some_and(|ready| ready.status == "True")
    }

    /// Returns whether an administrator has stated that the node is shut down. Kubernetes may then detach its volumes
    /// by force.
    pub fn is_out_of_service(&self) -> bool {
        self.taints.iter().any(|taint| taint.key == "node.kubernetes.io/out-of-service")
    }
}

/// A taint, which keeps away pods that do not tolerate it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Taint {
    /// `key`.
    pub key: Str,
    /// `value`.
    pub value: Str,
    /// `effect`: `NoSchedule`, `PreferNoSchedule` or `NoExecute`.
    pub effect: Str,
}
