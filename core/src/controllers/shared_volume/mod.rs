//! The shared-volume controller of StorageOS. For each volume that an NFS server exports, it keeps a Service and
//! Endpoints in the namespace of the claim, and tells the storage system the address of the Service. Upstream: package
//! `sharedvolume` of api-manager, v1.2.16 and v1.1. `docs/controllers/shared-volume.md` has the rules.

mod api_server;
mod collect;
mod decision;
mod desired;
mod endpoint;
mod filter;
mod input;
mod leaves;
mod reconcile;
mod series;

pub use api_server::NEW_ADDRESS;
pub use collect::{Collected, collect};
pub use decision::{Act, Again, Decision, Note, Publication, Step};
pub use desired::{
    CLAIM_NAME_LABEL, CLAIM_NAMESPACE_LABEL, EndpointsDrift, EndpointsUpdate, LOST_FIELDS, MOUNT_ENDPOINT_LABEL,
    NFS_PORT, NFS_PORT_NAME, NFS_PROTOCOL, ServiceDrift, ServiceUpdate, SharedVolume, VOLUME_ID_LABEL,
    VOLUME_NAME_LABEL, frontend, is_usable,
};
pub use endpoint::{EndpointError, split_address_port};
pub use filter::{VolumeEvent, filter};
pub use input::{ApiManager, Cached, Circumstances, Refusal, Request, Stored};
pub use leaves::{CollectionBranch, EndpointsBranch, Leaf, PublishBranch, ServiceBranch, VolumeBranch};
pub use reconcile::{CACHE_EXPIRY, POLL_INTERVAL, reconcile};
pub use series::{Series, SeriesEnd, series};

/// The version of api-manager that is modelled and recorded.
pub const API_MANAGER: &str = "1.2.16";
