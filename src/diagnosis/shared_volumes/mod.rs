//! Shared volumes: volumes that a server in the cluster serves to many pods through a Service.
//!
//! [`Providers`] is the table of the systems that do so. [`SharedVolume`] is the path from the claim to the pods of the
//! server, as the objects show it. The rules of `rules/shared` judge this path, and the verb `shared` prints it.

mod address;
mod dry_run;
mod endpoints;
mod path;
mod provider;
mod state;
mod template;

pub use address::{Absences, Address, NFS_PORT, ServiceBehind, ServiceIndex, Services, service_of_name};
pub use dry_run::{DryRun, ModelledController};
pub use endpoints::{MIRRORED, SliceIndex, Slices, Target, TargetSource, Targets, managed_by, serves};
pub use path::{PathIndex, SharedVolume, SharedVolumes};
pub use provider::{
    ClaimLabels, EndpointsWriter, PortPattern, PortRange, Provider, Providers, RecordedIn, Recreates, Servers,
    ServiceField, ServicePattern, VolumePattern, Workload,
};
pub use state::{Places, StateKey, StatePattern, StateRecord, StateResource};
pub use template::{NameReading, Template};
