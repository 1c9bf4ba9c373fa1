//! DaemonSets.

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
    /// `status.desiredNumberScheduled`: how many nodes should run one of its pods.
    pub desired: i64,
    /// `status.currentNumberScheduled`: how many of these do.
    pub current: i64,
    /// `status.updatedNumberScheduled`: how many of these run a pod of the current template.
    pub updated: i64,
    /// `status.numberReady`.
    pub ready: i64,
    /// `status.numberAvailable`.
    pub available: i64,
    /// `status.numberUnavailable`.
    pub unavailable: i64,
    /// `status.numberMisscheduled`: how many nodes run one of its pods and should not.
    pub misscheduled: i64,
    /// `status.conditions`.
    pub conditions: Box<[Condition]>,
}
