//! The wait for the volumes of a pod. Upstream: `WaitForAttachAndMount`, `volume_manager.go`, 1.36.

use super::VolumeManager;
use crate::controllers::kubelet_volumes::WaitBranch;
use crate::controllers::kubelet_volumes::populate::volumes_with_claims;
use crate::model::{Pod, Str};
use std::collections::BTreeSet;

/// Returns the error of a wait.
pub(in super::super) fn wait_error(
    unmounted: Vec<&str>,
    unattached: Vec<&str>,
    unprocessed: Vec<&str>,
    cause: &str,
) -> String {
    let listed = |mut names: Vec<&str>| {
        names.sort_unstable();
        names.join(" ")
    };
    format!(
        "unmounted volumes=[{}], unattached volumes=[{}], failed to process volumes=[{}]: {cause}",
        listed(unmounted),
        listed(unattached),
        listed(unprocessed)
    )
}

/// Why a wait ends although volumes are not mounted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WaitLimit {
    /// Its time is over.
    TimeOut,
    /// The kubelet begins to stop the pod.
    Canceled,
}

impl VolumeManager {
    /// The kubelet begins to wait for the volumes of a pod. Returns whether there is something to wait for.
    pub fn begin_wait(&mut self, pod: &Pod) -> bool {
        let waits = used_volumes(pod).next().is_some();
        if waits {
            self.desired.reprocess(&pod.meta.uid);
        }
        waits
    }

    /// Looks at the volumes of a pod for which the kubelet waits. Returns the leaf, and the error if the wait ends with
    /// one. [`WaitBranch::WaitGoesOn`] without an error is no end.
    pub fn look(&mut self, pod: &Pod, limit: Option<WaitLimit>) -> (WaitBranch, Option<String>) {
        let uid = &pod.meta.uid;
        let errors: BTreeSet<String> = if limit.is_some() { BTreeSet::new() } else { self.desired.take_errors(uid) };
        let known = self.desired.of_pod(uid);
        let is_unmounted = |name: &&Str| known.get(*name).is_none_or(|volume| !self.actual.is_mounted(volume, uid));
        let unmounted: Vec<&str> = used_volumes(pod).filter(is_unmounted).map(Str::as_str).collect();
        if unmounted.is_empty() {
            return (WaitBranch::WaitDone, None);
        }
        let (leaf, cause) = match limit {
            Some(WaitLimit::TimeOut) => (WaitBranch::WaitGoesOn, "context deadline exceeded".to_owned()),
            Some(WaitLimit::Canceled) => (WaitBranch::WaitGoesOn, "context canceled".to_owned()),
            None if errors.is_empty() => return (WaitBranch::WaitGoesOn, None),
            None => (WaitBranch::WaitFailed, errors.into_iter().collect::<Vec<_>>().join("; ")),
        };
        let is_unattached = |(_, volume): &(&&Str, &&Str)| {
            self.desired.get(volume).is_some_and(|needed| needed.attachable) && !self.actual.has(volume)
        };
        let unattached = known.iter().filter(is_unattached).map(|(name, _)| name.as_str()).collect();
        let unprocessed = used_volumes(pod).filter(|name| !known.contains_key(name)).map(Str::as_str).collect();
        (leaf, Some(wait_error(unmounted, unattached, unprocessed, &cause)))
    }
}

/// Returns the names of the volumes that containers use.
fn used_volumes(pod: &Pod) -> impl Iterator<Item = &Str> {
    volumes_with_claims(pod).filter(|volume| volume.by.is_used()).map(|volume| volume.name)
}
