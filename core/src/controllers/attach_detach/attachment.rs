//! The names of VolumeAttachments, and what their status says.

use crate::model::{Str, VolumeAttachment};
use sha2::{Digest, Sha256};

/// Returns the name of the VolumeAttachment of a volume on a node. Upstream: `getAttachmentName`, `pkg/volume/csi`,
/// 1.36.
pub fn attachment_name(handle: &str, driver: &str, node: &str) -> Str {
    let digest = Sha256::new().chain_update(handle).chain_update(driver).chain_update(node).finalize();
    let mut name = Str::with_capacity(68);
    name.push_str("csi-");
    // `write!` takes several times as long, and `predict --attachments` needs many names.
    let digits = digest.iter().flat_map(|byte| [byte >> 4, byte & 15]);
    name.extend(digits.filter_map(|digit| char::from_digit(digit.into(), 16)));
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
