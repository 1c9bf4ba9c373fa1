//! The events about mounting a volume for a pod.

use super::leaves::MountBranch;

/// An event about a pod or a claim.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct MountEvent {
    /// Whether the type is Warning and not Normal.
    pub is_warning: bool,
    /// `reason`.
    pub reason: &'static str,
    /// `message`. The path at the end of a message about a block device is left out.
    pub message: String,
}

impl MountEvent {
    /// Returns the event about a mount that ends so. A mount of files that succeeds has none, and neither has a mount
    /// that is not started. `error` is the error of the driver.
    pub(super) fn of(branch: MountBranch, is_block: bool, volume: &str, error: &str) -> Option<Self> {
        let (step, error) = match branch {
            MountBranch::MountOnWrongNode => ("NodeAffinity check", "no matching NodeSelectorTerms"),
            MountBranch::MountOptionsUnsupported => {
                ("MountOptionSupport check", "mount options are not supported for this volume type")
            }
            MountBranch::MountExclusive => {
                let error = "volume uses the ReadWriteOncePod access mode and is already in use by another pod";
                (if is_block { "SetUpDevice" } else { "SetUp" }, error)
            }
            MountBranch::MountNotAttached => ("WaitForAttach", error),
            MountBranch::MountDeviceFailed => (if is_block { "SetUpDevice" } else { "MountDevice" }, error),
            MountBranch::MountSetUpFailed => (if is_block { "MapPodDevice" } else { "SetUp" }, error),
            MountBranch::MountNotExpanded => {
                let step = if is_block { "MapVolume.MarkVolumeAsMounted" } else { "MountVolume.Setup" };
                let reason = if is_block { "FailedMapVolume" } else { "FailedMount" };
                let message = format!("{step} failed while expanding volume for volume \"{volume}\" : {error}");
                return Some(Self { is_warning: true, reason, message });
            }
            MountBranch::MountSucceeded if is_block => {
                let message = format!("MapVolume.MapPodDevice succeeded for volume \"{volume}\"");
                return Some(Self { is_warning: false, reason: "SuccessfulMountVolume", message });
            }
            _ => return None,
        };
        let operation = if is_block { "MapVolume" } else { "MountVolume" };
        let is_map = is_block && branch != MountBranch::MountOnWrongNode;
        let reason = if is_map { "FailedMapVolume" } else { "FailedMount" };
        let message = format!("{operation}.{step} failed for volume \"{volume}\" : {error}");
        Some(Self { is_warning: true, reason, message })
    }
}
