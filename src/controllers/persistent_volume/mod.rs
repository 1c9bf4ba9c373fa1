//! The PersistentVolume controller: `pkg/controller/volume/persistentvolume` of Kubernetes 1.36.

pub mod binding;
pub mod claim;
pub mod dispatch;
pub mod matching;
pub mod plugins;
pub mod provision;
pub mod reclaim;
pub mod volume;

pub use claim::sync_claim;
pub use dispatch::{sync_claim_by_key, sync_volume_by_key};
pub use volume::sync_volume;
