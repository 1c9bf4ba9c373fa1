//! The model of Pods, with the fields that relate to claims.

use super::surroundings::Condition;
use super::{ObjectMeta, PersistentVolumeClaim, PodScheduling, Str, Timestamp};

/// A Pod as stored.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Pod {
    /// `metadata`.
    pub meta: ObjectMeta,
    /// `spec.nodeName`. It is empty while the pod is not scheduled.
    pub node_name: Str,
    /// `status.phase`.
    pub phase: PodPhase,
    /// The `persistentVolumeClaim` volumes, in the order of `spec.volumes`.
    pub claims: Box<[ClaimVolume]>,
    /// The generic ephemeral volumes, in the order of `spec.volumes`. Few pods have any.
    pub ephemeral: Box<[EphemeralVolume]>,
    /// Whether some container is neither waiting nor terminated. Upstream regards such a container as running.
    pub running_container: bool,
    /// The first `startedAt` of the containers that run. Init containers and ephemeral containers are left out.
    pub containers_started: Option<Timestamp>,
    /// `spec.schedulerName`. It is empty for the default scheduler.
    pub scheduler_name: Str,
    /// The `kind` of the owner that is the pod's controller. It is empty if there is none.
    pub owner_kind: Str,
    /// The `name` of the owner that is the pod's controller. It is empty if there is none.
    pub owner_name: Str,
    /// Whether `spec.schedulingGates` prevents the scheduling of the pod.
    pub gated: bool,
    /// `status.startTime`: the time at which the kubelet of the pod's node acknowledged the pod.
    pub started: Option<Timestamp>,
    /// `status.conditions`. A condition that is `True` and has no message is left out for pods that are not Pending,
    /// because no answer needs it.
    pub conditions: Box<[Condition]>,
    /// The containers that do not run. Init containers are first.
    pub containers: Box<[ContainerStatus]>,
    /// The volumes that are specified as NFS exports in the pod itself.
    pub nfs: Box<[NfsVolume]>,
    /// The fields that only the scheduler and the attach/detach controller read. It is `None` if all of them are empty.
    /// A pod that has ended has only its disks.
    pub scheduling: Option<Box<PodScheduling>>,
}

impl Pod {
    /// Returns the condition of this type, if the pod has it.
    pub fn condition(&self, kind: &str) -> Option<&Condition> {
        self.conditions.iter().find(|condition| condition.kind == kind)
    }

    /// Returns the names of the claims that `persistentVolumeClaim` volumes use.
    pub fn named_claims(&self) -> impl Iterator<Item = &Str> {
        self.claims.iter().map(|volume| &volume.claim)
    }

    /// Returns the names of the claims that the pod refers to, including the claims of its generic ephemeral volumes.
    pub fn claim_names(&self) -> impl Iterator<Item = &Str> {
        self.named_claims().chain(self.ephemeral_claims())
    }

    /// Returns the names of the claims of the pod's generic ephemeral volumes.
    pub fn ephemeral_claims(&self) -> impl Iterator<Item = &Str> {
        self.ephemeral.iter().map(|volume| &volume.template.meta.name)
    }

    /// Returns whether the claim of this name belongs to a generic ephemeral volume of the pod.
    pub fn makes(&self, claim: &str) -> bool {
        self.ephemeral_claims().any(|made| made == claim)
    }

    /// Returns whether a scheduler other than the default one is to place the pod. Scheduler profiles of GKE, whose
    /// names begin with `gke.io/`, are treated as the default scheduler.
    pub fn has_own_scheduler(&self) -> bool {
        !matches!(self.scheduler_name.as_str(), "" | "default-scheduler") && !self.scheduler_name.starts_with("gke.io/")
    }

    /// Returns whether the pod has terminated: it failed, it succeeded, or it is being deleted and no container is
    /// running. Upstream: `IsPodTerminated`, `pkg/volume/util`, 1.36.
    pub fn terminated(&self) -> bool {
        matches!(self.phase, PodPhase::Failed | PodPhase::Succeeded)
            || (self.meta.deleted.is_some() && !self.running_container)
    }
}

/// A volume of a pod that uses a claim by its name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ClaimVolume {
    /// The name of the volume.
    pub name: Str,
    /// `persistentVolumeClaim.claimName`.
    pub claim: Str,
    /// `persistentVolumeClaim.readOnly`.
    pub read_only: bool,
    /// How the containers use the volume.
    pub used: VolumeUse,
    /// The position of the volume among the volumes of the pod that have a claim, counted from 0.
    pub place: u16,
}

/// A volume of a pod that is specified as an NFS export in the pod itself.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NfsVolume {
    /// The name of the volume.
    pub name: Str,
    /// `nfs.server`.
    pub server: Str,
}

/// How the containers of a pod use one of its volumes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct VolumeUse {
    /// Whether a container has the volume in `volumeMounts`: it uses a file system.
    pub as_file_system: bool,
    /// Whether a container has the volume in `volumeDevices`: it uses a block device.
    pub as_device: bool,
}

impl VolumeUse {
    /// Returns whether a container uses the volume.
    pub fn is_used(self) -> bool {
        self.as_file_system || self.as_device
    }
}

/// The status of a container that does not run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ContainerStatus {
    /// `name`.
    pub name: Str,
    /// Whether the container is an init container.
    pub is_init: bool,
    /// The present state.
    pub state: ContainerState,
}

/// The present state of a container that does not run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ContainerState {
    /// The container waits for something.
    Waiting {
        /// `reason`, such as `ContainerCreating`.
        reason: Str,
        /// `message`.
        message: Str,
    },
    /// The container ended.
    Terminated {
        /// `reason`, such as `Completed`.
        reason: Str,
    },
}

/// A generic ephemeral volume of a pod.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EphemeralVolume {
    /// The name of the volume.
    pub name: Str,
    /// How the containers use the volume.
    pub used: VolumeUse,
    /// The position of the volume among the volumes of the pod that have a claim, counted from 0.
    pub place: u16,
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
    /// Returns the phase as manifests write it. It is empty for [`Self::Empty`].
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

    /// Returns the phase with this spelling.
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
