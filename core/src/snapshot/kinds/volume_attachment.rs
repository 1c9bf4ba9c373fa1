//! This module decodes VolumeAttachments, and decides which of their fields may leave the cluster.

use super::Stored;
use crate::model::VolumeAttachment;
use crate::model::surroundings::AttachError;
use crate::snapshot::decode::wire::{Meta, Moment, Text, object};
use crate::snapshot::decode::{Context, Failure};
use crate::snapshot::redact::{each, hidden, keep, only};
use serde_json::Value;

object!(AttachmentObject {
    metadata: Meta = "metadata",
    spec: AttachmentSpec = "spec",
    status: AttachmentStatus = "status",
});

object!(AttachmentSpec { attacher: Text = "attacher", node_name: Text = "nodeName", source: Attached = "source" });

object!(Attached { volume_name: Text = "persistentVolumeName" });

object!(AttachmentStatus {
    attached: Option<bool> = "attached",
    attach_error: Option<VolumeError> = "attachError",
    detach_error: Option<VolumeError> = "detachError",
});

object!(VolumeError { time: Moment = "time", message: Text = "message" });

const ATTACHMENT: [&str; 3] = ["attachError", "attached", "detachError"];

impl Stored for VolumeAttachment {
    fn decode(at: &Context<'_>) -> Result<Option<Self>, Failure> {
        attachment(at, at.parse()?).map(Some)
    }

    fn redact(field: &str, value: Value) -> Option<Value> {
        match field {
            "spec" => Some(each(value, |key, value| match key {
                "attacher" | "nodeName" => value,
                "source" => keep(value, &["persistentVolumeName"]),
                _ => hidden(value),
            })),
            "status" => Some(each(only(value, &ATTACHMENT), |key, value| match key {
                "attached" => value,
                _ => keep(value, &["message", "time"]),
            })),
            _ => None,
        }
    }
}

fn attachment(at: &Context<'_>, object: AttachmentObject) -> Result<VolumeAttachment, Failure> {
    let error = |error: VolumeError| AttachError { time: error.time.0, message: error.message.0 };
    Ok(VolumeAttachment {
        meta: at.meta(object.metadata)?,
        attacher: object.spec.attacher.0,
        node_name: object.spec.node_name.0,
        volume_name: object.spec.source.volume_name.0,
        attached: object.status.attached.unwrap_or_default(),
        attach_error: object.status.attach_error.map(error),
        detach_error: object.status.detach_error.map(error),
    })
}
