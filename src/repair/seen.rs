//! The objects that steps read or write, as the API server has them.

use crate::model::{Kind, Object, PersistentVolume, PersistentVolumeClaim, Service, VolumeAttachment};
use crate::snapshot::Item;
use crate::snapshot::decode::decode_as;
use serde_json::Value;
use std::sync::Arc;

/// A decoded object that steps read or write.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Seen {
    /// A volume.
    Volume(Arc<PersistentVolume>),
    /// A claim.
    Claim(Arc<PersistentVolumeClaim>),
    /// A VolumeAttachment.
    Attachment(Arc<VolumeAttachment>),
    /// A Service.
    Service(Arc<Service>),
}

impl Seen {
    /// Decodes an object as the API server sent it.
    ///
    /// # Errors
    /// Returns an error if the object has another kind, or cannot be decoded.
    pub fn decode(kind: Kind, manifest: &Value) -> Result<Self, String> {
        let bytes = serde_json::to_vec(manifest).map_err(|failure| failure.to_string())?;
        match decode_as(kind, &bytes, "the API server").map_err(|issue| issue.to_string())? {
            Item::Object(Object::PersistentVolume(volume)) => Ok(Self::Volume(Arc::new(*volume))),
            Item::Object(Object::PersistentVolumeClaim(claim)) => Ok(Self::Claim(Arc::new(*claim))),
            Item::Object(Object::VolumeAttachment(attachment)) => Ok(Self::Attachment(Arc::new(*attachment))),
            Item::Object(Object::Service(service)) => Ok(Self::Service(Arc::new(*service))),
            _ => Err(format!("a {kind} is neither a volume nor a claim nor an attachment nor a Service")),
        }
    }

    /// Returns the metadata of the object.
    pub fn meta(&self) -> &crate::model::ObjectMeta {
        match self {
            Self::Volume(volume) => &volume.meta,
            Self::Claim(claim) => &claim.meta,
            Self::Attachment(attachment) => &attachment.meta,
            Self::Service(service) => &service.meta,
        }
    }
}
