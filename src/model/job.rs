//! Jobs.

use super::pod_template::PodTemplate;
use super::surroundings::Condition;
use super::{LabelSelector, ObjectMeta, Owner, Timestamp};

/// A Job as stored.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Job {
    /// `metadata`.
    pub meta: ObjectMeta,
    /// `metadata.ownerReferences`.
    pub owners: Box<[Owner]>,
    /// `spec.completions`; without a number, one pod that ends well ends the Job.
    pub completions: Option<i64>,
    /// `spec.parallelism`; 1 where it is not stated.
    pub parallelism: i64,
    /// `spec.backoffLimit`; 6 where it is not stated.
    pub backoff_limit: i64,
    /// `spec.suspend`.
    pub suspended: bool,
    /// `spec.selector`.
    pub selector: Option<Box<LabelSelector>>,
    /// `spec.template`.
    pub template: PodTemplate,
    /// `status.active`: pods that have not ended.
    pub active: i64,
    /// `status.ready`.
    pub ready: i64,
    /// `status.succeeded`.
    pub succeeded: i64,
    /// `status.failed`.
    pub failed: i64,
    /// `status.startTime`.
    pub started: Option<Timestamp>,
    /// `status.completionTime`: when it ended well.
    pub completed: Option<Timestamp>,
    /// `status.conditions`.
    pub conditions: Box<[Condition]>,
}
