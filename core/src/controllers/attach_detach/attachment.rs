//! The names of VolumeAttachments, and what their status says.

use crate::model::{Str, VolumeAttachment};
use sha2::{Digest, Sha256};
use std::fmt::Write;

/// Returns the name of the VolumeAttachment of a volume on a node. Upstream: `getAttachmentName`, `pkg/volume/csi`,
/// 1.36.
pub fn attachment_name(handle: &str, driver: &str, node: &str) -> Str {
    let digest = Sha256::new().chain_update(handle).chain_update(driver).chain_update(node).finalize();
    let mut name = Str::const_new("csi-");
    for byte in digest {
        // Writing to a string never fails.
        let _ = write!(name, "{byte:02x}");
    }
    name
}

/// Returns whether the volume is attached, according to its VolumeAttachment. Upstream: `verifyAttachmentStatus`,
/// `pkg/volume/csi`, 1.36.
///
/// # Errors
/// Returns why the attacher will not attach the volume.
pub(super) fn is_attached(attachment: &VolumeAttachment) -> Result<bool, String> {
    match &attachment.attach_error {
        _ if attachment.meta.deleted.is_some() => Err("volume attachment is being deleted".to_owned()),
        _ if attachment.attached => Ok(true),
        Some(error) => Err(error.message.to_string()),
        None => Ok(false),
    }
}

/// Returns why the attacher could not detach the volume, if its VolumeAttachment says so. Upstream:
/// `verifyDetachmentStatus`, `pkg/volume/csi`, 1.36.
pub(super) fn detach_error(attachment: &VolumeAttachment) -> Option<String> {
    attachment.detach_error.as_ref().map(|error| error.message.to_string())
}
