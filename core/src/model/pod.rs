//! The model of Pods, with the fields that relate to claims.

use super::{ObjectMeta, PersistentVolumeClaim, Str};

/// A Pod as stored.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Pod {
    /// `metadata`.
    pub meta: ObjectMeta,
    /// `spec.nodeName`. It is empty while the pod is not scheduled.
    pub node_name: Str,
    /// `status.phase`.
    pub phase: PodPhase,
    /// The names of the claims that `persistentVolumeClaim` volumes use.
    pub claims: Box<[Str]>,
    /// The generic ephemeral volumes, in the order of `spec.volumes`. Few pods have any.
    pub ephemeral: Box<[EphemeralVolume]>,
    /// Whether some container is neither waiting nor terminated. Upstream counts such a container as running.
    pub running_container: bool,
    /// `spec.schedulerName`. It is empty for the default scheduler.
    pub scheduler_name: Str,
    /// The `kind` of the owner that is the pod's controller. It is empty if there is none.
    pub owner_kind: Str,
    /// Whether `spec.schedulingGates` prevents the scheduling of the pod.
    pub gated: bool,
}

impl Pod {
    /// The names of the claims that the pod refers to, including the claims of its generic ephemeral volumes.
    pub fn claim_names(&self) -> impl Iterator<Item = &Str> {
        self.claims.iter().chain(self.ephemeral_claims())
    }

    /// The names of the claims of the pod's generic ephemeral volumes.
    pub fn ephemeral_claims(&self) -> impl Iterator<Item = &Str> {
        self.ephemeral.iter().map(|volume| &volume.template.meta.name)
    }

    /// Whether the claim of this name belongs to a generic ephemeral volume of the pod.
    pub fn makes(&self, claim: &str) -> bool {
        self.ephemeral_claims().any(|made| made == claim)
    }

    /// Whether a scheduler other than the default one is to place the pod. Scheduler profiles of GKE, whose names begin
    /// with `gke.io/`, count as the default scheduler.
    pub fn has_own_scheduler(&self) -> bool {
        !matches!(self.scheduler_name.as_str(), "" | "default-scheduler") && !self.scheduler_name.starts_with("gke.io/")
    }

    /// Whether the pod has terminated: it failed, it succeeded, or it is being deleted and no container is running.
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
    /// The claim that is created for the volume, as `ephemeral.volumeClaimTemplate` describes it. Its name is
    /// `<pod>-<volume>`. Besides the name, its metadata has only the namespace, labels and annotations.
    pub template: PersistentVolumeClaim,
}

/// `status.phase` of a pod.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub enum PodPhase {
    /// The phase is absent or empty.
    #[default]
    Empty,
    /// The pod is not running yet.
    Pending,
    /// The pod is running.
    Running,
    /// All containers terminated with success.
    Succeeded,
    /// Some container terminated with an error.
    Failed,
    /// The phase is `Unknown`, or one that the API server would refuse.
    Other(Str),
}

impl PodPhase {
    /// The phase as manifests write it. It is empty for [`Self::Empty`].
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

    /// The phase with this spelling.
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
