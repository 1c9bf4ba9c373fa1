//! The external provisioner of a CSI driver: what it decides about one claim, one volume and the sources of volumes.
//! Upstream: sig-storage-lib-external-provisioner v13.1.0, and external-provisioner v6.4.0 with its default gates.
//!
//! Not modelled:
//! - `--node-deployment`: a provisioner on each node;
//! - the gate `CrossNamespaceVolumeDataSource`, which is off by default;
//! - what a provisioner remembers of earlier requests: topologies, and requests that the driver found invalid;
//! - requests of the API server that fail;
//! - what [`NotEvaluated`] lists.

pub mod actor;
mod claim;
mod class;
mod data_source;
mod decision;
mod finalizers;
mod leaves;
mod prepare;
mod secrets;
mod sidecar;
mod topology;
mod volume;

pub use decision::{
    Act, CloneProtection, ContentSource, CreateVolumeRequest, DeleteVolumeRequest, Deletion, NotEvaluated,
    ProvisionedVolume, Provisioning, ProvisioningState, SecretName, Segments, TopologyRequirement,
};
pub use leaves::{CloneBranch, DeletionBranch, FinalizerBranch, ProvisionBranch};
pub(in crate::controllers) use sidecar::in_tree_name;
pub use sidecar::{Capability, Created, Driver, DriverError, GrpcCode, Secrets, Sidecar};
pub use topology::name_hash_and_index_offset;

use crate::snapshot::Snapshot;
use crate::world::View;

/// The version of external-provisioner that is modelled.
pub const EXTERNAL_PROVISIONER: &str = "6.4.0";
/// The version of sig-storage-lib-external-provisioner that is modelled.
pub const PROVISIONER_LIBRARY: &str = "13.1.0";

/// The finalizer of volumes that a provisioner has to delete.
const FINALIZER: &str = "external-provisioner.volume.kubernetes.io/finalizer";
const AWS_PLUGIN: &str = "kubernetes.io/aws-ebs";
const AWS_ZONE: &str = "topology.ebs.csi.aws.com/zone";

/// A provisioner that has just been started.
#[derive(Debug)]
pub struct Provisioner<'s> {
    view: View<'s>,
    sidecar: Sidecar,
    secrets: Secrets,
}

impl<'s> Provisioner<'s> {
    /// Starts a provisioner.
    pub fn new(snapshot: &'s Snapshot, sidecar: Sidecar, secrets: Secrets) -> Self {
        Self::of_view(View::Snapshot(snapshot), sidecar, secrets)
    }

    /// Starts a provisioner that reads a snapshot, or one moment of a simulation.
    pub fn of_view(view: View<'s>, sidecar: Sidecar, secrets: Secrets) -> Self {
        Self { view, sidecar, secrets }
    }
}
