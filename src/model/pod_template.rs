//! The pods that a workload makes, as far as they use claims.

use super::{Labels, Str};

/// `spec.template` of a workload.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PodTemplate {
    /// `metadata.labels`.
    pub labels: Labels,
    /// Names of claims used by `persistentVolumeClaim` volumes: all pods share these.
    pub claims: Box<[Str]>,
    /// Names of generic ephemeral volumes: each pod gets a claim of its own, `<pod>-<volume>`.
    pub ephemeral_volumes: Box<[Str]>,
}
