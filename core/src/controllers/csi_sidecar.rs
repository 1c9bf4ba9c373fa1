//! What the sidecars of CSI drivers share: how long a call may take, the access modes of CSI, which volumes are those
//! of migrated plugins, and when a failed sync is repeated.

use crate::controllers::provisioner::{DriverError, GrpcCode};
use crate::controllers::scheduler::migration::InTree;
use crate::model::{AccessMode, AccessModes, PersistentVolume, SourceKind, Str};
use std::collections::BTreeSet;

/// The first time in milliseconds after which a failed sync is repeated: the default of the flag
/// `--retry-interval-start` of external-attacher v4.13.0 and external-resizer v2.3.0.
const RETRY_START: u64 = 1_000;
/// The longest such time: the default of the flag `--retry-interval-max`. The resizer does not try a size or a class
/// for this time that the driver has refused.
pub(super) const RETRY_MAX: u64 = 300_000;

/// Returns the time in milliseconds until a sync is repeated that has failed so many times before. Upstream:
/// `ItemExponentialFailureRateLimiter`, client-go, 0.36.
pub(super) fn backoff(failures: u32) -> u64 {
    RETRY_START
        .checked_shl(failures)
        .filter(|delay| delay >> failures == RETRY_START)
        .unwrap_or(RETRY_MAX)
        .min(RETRY_MAX)
}

/// Returns the time that a call takes, and its result. A call that takes too long ends without an answer. All times are
/// in milliseconds.
pub(super) fn answered<T: Clone>(
    latency: u64,
    answer: &Result<T, DriverError>,
    timeout: u64,
) -> (u64, Result<T, DriverError>) {
    if latency < timeout {
        return (latency, answer.clone());
    }
    let message = Str::const_new("context deadline exceeded");
    (timeout, Err(DriverError { code: GrpcCode::DeadlineExceeded, message }))
}

/// Returns whether the volume belongs to an in-tree plugin that was migrated to CSI. Upstream: `IsPVMigratable`,
/// csi-translation-lib, 0.36.
pub(super) fn is_migratable(volume: &PersistentVolume) -> bool {
    let SourceKind::Other(field) = &volume.source.kind else { return false };
    InTree::of(volume).is_some() || field == "azureFile" || field == "vsphereVolume"
}

/// Returns the access mode of CSI for the access modes of a volume. `apart` says whether the driver has the capability
/// `SINGLE_NODE_MULTI_WRITER`. Upstream: `ToCSIAccessMode`, csi-lib-utils v0.25.0.
pub(super) fn csi_access_mode(apart: bool, modes: &AccessModes) -> Result<&'static str, String> {
    let has = |mode: &AccessMode| modes.0.contains(mode);
    if has(&AccessMode::ReadWriteOncePod) {
        let distinct: BTreeSet<&str> = modes.0.iter().map(AccessMode::as_str).collect();
        if distinct.len() > 1 {
            let text = "Kubernetes does not support use of ReadWriteOncePod with other access modes on the same \
                PersistentVolume";
            return Err(text.to_owned());
        }
        return Ok(if apart { "SINGLE_NODE_SINGLE_WRITER" } else { "SINGLE_NODE_WRITER" });
    }
    if has(&AccessMode::ReadWriteMany) {
        return Ok("MULTI_NODE_MULTI_WRITER");
    }
    match (has(&AccessMode::ReadOnlyMany), has(&AccessMode::ReadWriteOnce)) {
        (true, true) => {
            Err("CSI does not support ReadOnlyMany and ReadWriteOnce on the same PersistentVolume".to_owned())
        }
        (true, false) => Ok("MULTI_NODE_READER_ONLY"),
        (false, true) => Ok(if apart { "SINGLE_NODE_MULTI_WRITER" } else { "SINGLE_NODE_WRITER" }),
        (false, false) => {
            let modes: Vec<&str> = modes.0.iter().map(AccessMode::as_str).collect();
            Err(format!("unsupported AccessMode combination: [{}]", modes.join(" ")))
        }
    }
}
