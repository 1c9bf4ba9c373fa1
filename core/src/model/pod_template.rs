//! The pod template of a workload, with the fields that relate to claims.

use super::{Labels, Str};

/// `spec.template` of a workload.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PodTemplate {
    /// `metadata.labels`.
    pub labels: Labels,
    /// The names of the claims that `persistentVolumeClaim` volumes use. All pods of the workload share these claims.
    pub claims: Box<[Str]>,
    /// The names of the generic ephemeral volumes. For each of these volumes, each pod gets its own claim with the name
    /// `<pod>-<volume>`.
    pub ephemeral_volumes: Box<[Str]>,
}
