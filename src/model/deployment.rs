//! Deployments.

use super::pod_template::PodTemplate;
use super::surroundings::Condition;
use super::{LabelSelector, ObjectMeta, Owner, Str};

/// A Deployment as stored.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Deployment {
    /// `metadata`.
    pub meta: ObjectMeta,
    /// `metadata.ownerReferences`.
    pub owners: Box<[Owner]>,
    /// `spec.replicas`; 1 where it is not stated.
    pub replicas: i64,
    /// `spec.selector`.
    pub selector: Option<Box<LabelSelector>>,
    /// `spec.strategy.type`; `RollingUpdate` where it is not stated.
    pub strategy: Str,
    /// `spec.paused`.
    pub paused: bool,
    /// `spec.template`.
    pub template: PodTemplate,
    /// `status.replicas`: how many pods there are.
    pub existing: i64,
    /// `status.updatedReplicas`: how many of them are of the current template.
    pub updated: i64,
    /// `status.readyReplicas`.
    pub ready: i64,
    /// `status.availableReplicas`.
    pub available: i64,
    /// `status.unavailableReplicas`.
    pub unavailable: i64,
    /// `status.conditions`.
    pub conditions: Box<[Condition]>,
}
