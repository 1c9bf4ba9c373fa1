//! Compares with the real attacher what the ends of attaching take for granted about it: whether it asks its driver to
//! attach or detach a volume. If it does not, no end may depend on the driver. The controller and the pod that wants
//! the volume are added to the world of the line here.

use super::attacher::{can, object};
use super::{Judged, Verdict, differ, whole_snapshot_of};
use crate::attacher::{AttacherSyncs, AttachmentAnswer};
use anyhow::Result;
use pvctl::controllers::attach_detach::{AttachDetach, Attachers, AttachmentEnds, Flags, Moment, migrated_driver};
use pvctl::model::{SourceKind, Str, VolumeAttachment};
use pvctl::snapshot::Snapshot;
use pvctl::world::View;
use serde_json::{Value, json};

/// The namespace of the claim and of the pod that are added.
const ADDED: &str = "added";

impl Judged<'_> {
    /// Compares the ends of one attachment with what the attacher has done. Some lines are left out: those in which the
    /// driver has properties, or the API server refuses requests, of which the ends know nothing.
    pub(super) fn compare_attacher_ends(
        &self,
        asked: &AttacherSyncs,
        real: &AttachmentAnswer,
        verdict: &mut Verdict,
    ) -> Result<()> {
        let is_usual = can(asked, "CONTROLLER_SERVICE")
            && can(asked, "PUBLISH_UNPUBLISH_VOLUME")
            && !can(asked, "SINGLE_NODE_MULTI_WRITER")
            && asked.refuse.is_empty();
        let Some(record) = self.snapshot.find::<VolumeAttachment>("", &real.attachment) else { return Ok(()) };
        let own = pvctl::controllers::attacher::Sidecar::new(asked.sidecar.driver.as_str()).finalizer();
        let has_only_own = record.meta.finalizers.iter().all(|finalizer| *finalizer == own);
        let is_detached = record.meta.deleted.is_some();
        // An attacher does not look at an attachment that it has ended already.
        let has_work = if is_detached { record.meta.has_finalizer(&own) } else { !record.attached };
        if !is_usual || !has_work || !has_only_own || record.attacher != asked.sidecar.driver.as_str() {
            return Ok(());
        }
        if self.driver_of(record).as_ref() != Some(&record.attacher) {
            return Ok(());
        }
        let Some(items) = world(&self.line.world.items, record, is_detached) else { return Ok(()) };
        let Some(ends) = self.ends_of(&whole_snapshot_of(&items)?, record) else { return Ok(()) };
        let can_end = if is_detached {
            ends.ends.iter().any(|end| !end.records.contains_key(&record.meta.name))
        } else {
            ends.ends.iter().any(|end| end.records.values().any(|record| record.attached))
        };
        let call = if is_detached { "unpublish" } else { "publish" };
        let is_called = real.effects.iter().any(|effect| effect.get(call).is_some());
        let about = object("VolumeAttachment", &real.attachment);
        let text = |can_end: bool| [can_end.to_string()].into();
        verdict.counts.attacher_ends += 1;
        differ("attacher: asks the driver", &about, &text(is_called), &text(can_end && ends.is_complete), verdict);
        Ok(())
    }

    /// Returns the driver to which the controller gives the volume of the attachment. The value is `None` if the
    /// attachment also has an inline volume.
    fn driver_of(&self, record: &VolumeAttachment) -> Option<Str> {
        let raw = self.raw("VolumeAttachment", &record.meta.name).ok()?;
        let volume = self.snapshot.volume(self.snapshot.volume_id(&record.volume_name)?);
        let driver = match volume.source.kind {
            SourceKind::Csi => volume.source.detail.clone(),
            _ => migrated_driver(self.behavior, volume)?.into(),
        };
        raw.pointer("/spec/source/inlineVolumeSpec").is_none().then_some(driver)
    }

    /// Returns the ends of the volume on the node of the attachment. The value is `None` if the controller does not
    /// know the volume.
    fn ends_of(&self, snapshot: &Snapshot, record: &VolumeAttachment) -> Option<AttachmentEnds> {
        let flags = Flags::of(self.behavior);
        let controller = AttachDetach::restarted(View::Snapshot(snapshot), flags, Moment(0));
        let components = controller.components();
        let component = components.iter().find(|component| component.nodes.contains(&record.node_name))?;
        let records = controller.records_of(snapshot, component);
        Some(controller.ends(snapshot, component, &records, |situation| situation.ends(Attachers::External)))
    }
}

/// Returns the world with this attachment as the only one if it is being deleted, and otherwise without attachments and
/// with a pod that wants its volume on its node. The value is `None` if the attachment has no PersistentVolume, or if
/// the attacher needs a Secret for the volume.
fn world(items: &[Value], record: &VolumeAttachment, is_detached: bool) -> Option<Vec<Value>> {
    let is_volume =
        |item: &&Value| item["kind"] == "PersistentVolume" && item["metadata"]["name"] == record.volume_name.as_str();
    let volume = items.iter().find(is_volume)?;
    if volume.pointer("/spec/csi/controllerPublishSecretRef").is_some() {
        return None;
    }
    let stays = |item: &&Value| match item["kind"].as_str().unwrap_or_default() {
        "VolumeAttachment" => is_detached && item["metadata"]["name"] == record.meta.name.as_str(),
        "Node" => item["metadata"]["name"] != record.node_name.as_str(),
        "PersistentVolume" => item["metadata"]["name"] != record.volume_name.as_str(),
        _ => true,
    };
    let mut all: Vec<Value> = items.iter().filter(stays).cloned().collect();
    let metadata = |name: &str| json!({"name": name, "namespace": ADDED, "uid": format!("{ADDED} {name}")});
    let mut volume = volume.clone();
    let claim = metadata("claim");
    volume["spec"]["claimRef"] = json!({"namespace": ADDED, "name": "claim", "uid": claim["uid"]});
    all.push(volume);
    all.push(json!({
        "apiVersion": "v1", "kind": "Node",
        "metadata": {
            "name": record.node_name.as_str(), "uid": "added node",
            "annotations": {"volumes.kubernetes.io/controller-managed-attach-detach": "true"},
        },
    }));
    if !is_detached {
        all.push(json!({
            "apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": claim,
            "spec": {"volumeName": record.volume_name.as_str()}, "status": {"phase": "Bound"},
        }));
        all.push(json!({
            "apiVersion": "v1", "kind": "Pod", "metadata": metadata("pod"),
            "spec": {
                "nodeName": record.node_name.as_str(),
                "volumes": [{"name": "volume", "persistentVolumeClaim": {"claimName": "claim"}}],
                "containers": [{"name": "main", "image": "i", "volumeMounts": [{"name": "volume", "mountPath": "/v"}]}],
            },
            "status": {"phase": "Pending"},
        }));
    }
    Some(all)
}
