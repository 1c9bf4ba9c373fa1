//! The model of Jobs.

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
    /// `spec.completions`. Without a number, one pod that succeeds completes the Job.
    pub completions: Option<i64>,
    /// `spec.parallelism`. It is 1 if the field is absent.
    pub parallelism: i64,
    /// `spec.backoffLimit`. It is 6 if the field is absent.
    pub backoff_limit: i64,
    /// `spec.suspend`.
    pub suspended: bool,
    /// `spec.selector`.
    pub selector: Option<Box<LabelSelector>>,
    /// `spec.template`.
    pub template: PodTemplate,
    /// `status.active`: the number of pods that have not ended.
    pub active: i64,
    /// `status.ready`.
    pub ready: i64,
    /// `status.succeeded`.
    pub succeeded: i64,
    /// `status.failed`.
    pub failed: i64,
    /// `status.startTime`.
    pub started: Option<Timestamp>,
    /// `status.completionTime`: the time at which the Job completed successfully.
    pub completed: Option<Timestamp>,
    /// `status.conditions`.
    pub conditions: Box<[Condition]>,
}
