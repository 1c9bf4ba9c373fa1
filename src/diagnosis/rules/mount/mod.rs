//! Volumes of pods that are attached, or need no attachment, and that the kubelet cannot mount.

crate::diagnosis::rules::section! {
    mount_volumemode_misuse,
    mount_same_claim_twice,
    mount_secret_missing,
    nfs_short_name,
    nfs_service_missing,
    nfs_selfhosted_cycle,
    nfs_no_endpoints,
    mount_failed,
    unmount_stuck,
}

mod nfs_server;

use crate::diagnosis::case::claim_key;
use crate::diagnosis::pod::facts::{UsedClaim, bound, is_about_volume, used_claims};
use crate::diagnosis::{Case, Detection};
use crate::model::{Pod, Str};

/// Returns the volume of the pod that uses a claim and that the message is about.
fn volume_of<'p>(case: &Case<'_>, pod: &'p Pod, message: &str) -> Option<UsedClaim<'p>> {
    used_claims(pod).find(|used| {
        let volume = bound(case.snapshot(), &pod.meta.namespace, used.claim).map(|(_, volume)| &volume.meta.name);
        is_about_volume(message, used.volume, volume.map(Str::as_str).unwrap_or_default())
    })
}

/// States that the pod cannot use the claim of this volume.
fn affects(found: Detection, pod: &Pod, used: Option<UsedClaim<'_>>) -> Detection {
    match used {
        Some(used) => found.affects(claim_key(&pod.meta.namespace, used.claim)),
        None => found,
    }
}

/// Returns the name in quotation marks that the kubelet's message has after `for volume`.
fn named_in(message: &str) -> Option<&str> {
    let (_, rest) = message.split_once("for volume \"")?;
    rest.split_once('"').map(|(name, _)| name)
}
