//! The model of Deployments.

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
    /// `spec.replicas`. It is 1 if the field is absent.
    pub replicas: i64,
    /// `spec.selector`.
    pub selector: Option<Box<LabelSelector>>,
    /// `spec.strategy.type`. It is `RollingUpdate` if the field is absent.
    pub strategy: Str,
    /// `spec.paused`.
    pub paused: bool,
    /// `spec.template`.
    pub template: PodTemplate,
    /// `status.replicas`: the number of existing pods.
    pub existing: i64,
    /// `status.updatedReplicas`: the number of existing pods that have the current template.
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
