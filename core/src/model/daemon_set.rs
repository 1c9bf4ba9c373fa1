//! The model of DaemonSets.

use super::pod_template::PodTemplate;
use super::surroundings::Condition;
use super::{LabelSelector, ObjectMeta, Owner};

/// A DaemonSet as stored.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DaemonSet {
    /// `metadata`.
    pub meta: ObjectMeta,
    /// `metadata.ownerReferences`.
    pub owners: Box<[Owner]>,
    /// `spec.selector`.
    pub selector: Option<Box<LabelSelector>>,
    /// `spec.template`.
    pub template: PodTemplate,
    /// `status.desiredNumberScheduled`: the number of nodes that should run a pod of the DaemonSet.
    pub desired: i64,
    /// `status.currentNumberScheduled`: the number of these nodes that run such a pod.
    pub current: i64,
    /// `status.updatedNumberScheduled`: the number of these nodes that run a pod of the current template.
    pub updated: i64,
    /// `status.numberReady`.
    pub ready: i64,
    /// `status.numberAvailable`.
    pub available: i64,
    /// `status.numberUnavailable`.
    pub unavailable: i64,
    /// `status.numberMisscheduled`: the number of nodes that run a pod of the DaemonSet and should not.
    pub misscheduled: i64,
    /// `status.conditions`.
    pub conditions: Box<[Condition]>,
}
