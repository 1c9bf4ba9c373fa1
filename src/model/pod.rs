//! Pods, as far as they use claims.

use super::{ObjectMeta, PersistentVolumeClaim, Str};

/// A Pod as stored.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Pod {
    /// `metadata`.
    pub meta: ObjectMeta,
    /// `spec.nodeName`; empty while the pod is not scheduled.
    pub node_name: Str,
    /// `status.phase`.
    pub phase: PodPhase,
    /// Names of claims used by `persistentVolumeClaim` volumes.
    pub claims: Box<[Str]>,
    /// Generic ephemeral volumes, in the order of `spec.volumes`; few pods have any.
    pub ephemeral: Box<[EphemeralVolume]>,
    /// Whether some container status is in state `running`.
    pub running_container: bool,
    /// `spec.schedulerName`; empty for the default one.
    pub scheduler_name: Str,
    /// The `kind` of the owner that controls it; empty without one.
    pub owner_kind: Str,
    /// Whether `spec.schedulingGates` keeps it from being scheduled.
    pub gated: bool,
}

impl Pod {
    /// The names of the claims that it refers to, also of those that are made for it.
    pub fn claim_names(&self) -> impl Iterator<Item = &Str> {
        self.claims.iter().chain(self.ephemeral_claims())
    }

    /// The names of the claims that are made for it.
    pub fn ephemeral_claims(&self) -> impl Iterator<Item = &Str> {
        self.ephemeral.iter().map(|volume| &volume.template.meta.name)
    }

    /// Whether the claim of that name is one of those that are made for it.
    pub fn makes(&self, claim: &str) -> bool {
        self.ephemeral_claims().any(|made| made == claim)
    }

    /// Whether another scheduler than the usual one is to place it. That of a profile of GKE is the usual one under a
    /// name of its own.
    pub fn has_own_scheduler(&self) -> bool {
        !matches!(self.scheduler_name.as_str(), "" | "default-scheduler") && !self.scheduler_name.starts_with("gke.io/")
    }

    /// Upstream: `IsPodTerminated`, `pkg/volume/util`, 1.36.
    pub fn terminated(&self) -> bool {
        matches!(self.phase, PodPhase::Failed | PodPhase::Succeeded)
            || (self.meta.deleted.is_some() && !self.running_container)
    }
}

/// A generic ephemeral volume of a pod.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EphemeralVolume {
    /// The name of the volume.
    pub name: Str,
    /// The claim that is made for it, as `ephemeral.volumeClaimTemplate` has it. Of its metadata it has the name, which
    /// is `<pod>-<volume>`, the namespace, labels and annotations.
    pub template: PersistentVolumeClaim,
}

/// `status.phase` of a pod.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub enum PodPhase {
    /// Absent or empty.
    #[default]
    Empty,
    /// Not yet running.
    Pending,
    /// Running.
    Running,
    /// All containers ended well.
    Succeeded,
    /// Some container ended badly.
    Failed,
    /// `Unknown`, or something that the API server would refuse.
    Other(Str),
}

impl PodPhase {
    /// The phase as manifests write it; empty for none.
    pub fn as_str(&self) -> &str {
        match self {
            Self::Empty => "",
            Self::Pending => "Pending",
            Self::Running => "Running",
            Self::Succeeded => "Succeeded",
            Self::Failed => "Failed",
            Self::Other(phase) => phase,
        }
    }

    /// The phase of that spelling.
    pub fn from_manifest(phase: &str) -> Self {
        match phase {
            "" => Self::Empty,
            "Pending" => Self::Pending,
            "Running" => Self::Running,
            "Succeeded" => Self::Succeeded,
            "Failed" => Self::Failed,
            other => Self::Other(other.into()),
        }
    }
}
