//! Compares what the external attacher decides about attachments and volumes.

use super::{Judged, Verdict, differ, snapshot};
use crate::attacher::{AttacherSyncs, AttachmentAnswer, Driver, VolumeAnswer};
use crate::line::{Line, Object};
use anyhow::{Context as _, Result, ensure};
use pvctl::controllers::attacher::{
    Act, Attacher, Circumstances, Driver as CoreDriver, Forced, InlineVolume, PublishDetails, PublishRequest,
    Published, ReconcileBranch, Refusal, Refused, Requeue, SavedError, Sidecar, Step, SyncEnd, Unkept,
};
use pvctl::controllers::provisioner::{DriverError, GrpcCode, Secrets};
use pvctl::model::{AccessMode, AccessModes, Kind, Str, VolumeAttachment, VolumeMode};
use pvctl::snapshot::Absence;
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// The begin of each sync in the time of the oracle: 2000-01-01T00:01:00Z, in milliseconds.
const BEGIN: i64 = 946_684_860_000;

impl Judged<'_> {
    /// Compares the answers about all attachments and volumes of the world.
    pub(super) fn compare_attacher(&self, verdict: &mut Verdict) -> Result<()> {
        let Some(asked) = &self.line.attacher else { return Ok(()) };
        if asked.attachments.is_empty() && asked.volumes.is_empty() {
            return Ok(());
        }
        let attacher = Attacher::new(self.snapshot, sidecar(asked), unkept(asked, &self.line.world.items));
        let attachments = self.snapshot.all::<VolumeAttachment>();
        let names = attachments.iter().map(|attachment| attachment.meta.name.to_string()).collect();
        let real = asked.attachments.iter().map(|answer| answer.attachment.clone()).collect();
        differ("attacher: attachments", &object("VolumeAttachment", ""), &real, &names, verdict);
        let names = self.snapshot.volumes().iter().map(|volume| volume.meta.name.to_string()).collect();
        let real = asked.volumes.iter().map(|answer| answer.volume.clone()).collect();
        differ("attacher: volumes", &object("PersistentVolume", ""), &real, &names, verdict);
        let forced = self.compare_reconciled(&attacher, asked, attachments, verdict)?;
        for answer in &asked.attachments {
            self.compare_attachment(&attacher, asked, answer, &forced, verdict)?;
            self.compare_attacher_ends(asked, answer, verdict)?;
        }
        for answer in &asked.volumes {
            self.compare_finalizer(&attacher, asked, answer, verdict)?;
        }
        Ok(())
    }

    /// Compares the comparison with the volumes of the driver. Returns the attachments that it found to be wrong.
    fn compare_reconciled(
        &self,
        attacher: &Attacher<'_>,
        asked: &AttacherSyncs,
        attachments: &[VolumeAttachment],
        verdict: &mut Verdict,
    ) -> Result<Forced> {
        let is_made = ["CONTROLLER_SERVICE", "LIST_VOLUMES", "LIST_VOLUMES_PUBLISHED_NODES"];
        let is_made = is_made.into_iter().all(|capability| can(asked, capability));
        let (mut forced, mut error) = (Forced::new(), None);
        let is_listed = is_made && can(asked, "PUBLISH_UNPUBLISH_VOLUME");
        match listed(&asked.driver, asked.sidecar.timeout) {
            Ok(published) if is_listed => {
                for attachment in attachments {
                    let found = attacher.compare(attachment, &published);
                    let name = &attachment.meta.name;
                    self.ensure_known(name, &found.doubts, found.not_evaluated.is_empty())?;
                    verdict.counts.attacher_compared += 1;
                    if found.leaf == Some(ReconcileBranch::ReconcileForced) {
                        forced.insert(name.clone());
                    }
                }
            }
            Err(why) if is_listed => error = Some(format!("failed to ListVolumes: failed to list volumes: {why}")),
            Ok(_) | Err(_) => {}
        }
        let predicted = is_made.then(|| json!([error.unwrap_or_default(), forced]).to_string()).into_iter().collect();
        let real = asked.reconciled.iter().map(|real| json!([real.error, real.queued]).to_string()).collect();
        differ("attacher: reconciled", &object("VolumeAttachment", ""), &real, &predicted, verdict);
        Ok(forced)
    }

    fn ensure_known(&self, about: &str, doubts: &BTreeMap<Kind, Absence>, is_evaluated: bool) -> Result<()> {
        ensure!(is_evaluated, "{about}: something was not evaluated");
        self.ensure_certain(about, doubts)
    }

    pub(super) fn raw(&self, kind: &str, name: &str) -> Result<&Value> {
        let is_wanted = |item: &&Value| item["kind"] == kind && item["metadata"]["name"] == name;
        self.line.world.items.iter().find(is_wanted).with_context(|| format!("the world has no {kind} {name}"))
    }

    fn compare_attachment(
        &self,
        attacher: &Attacher<'_>,
        asked: &AttacherSyncs,
        real: &AttachmentAnswer,
        forced: &Forced,
        verdict: &mut Verdict,
    ) -> Result<()> {
        let name = &real.attachment;
        let raw = self.raw("VolumeAttachment", name)?;
        let attachment: &VolumeAttachment =
            self.snapshot.find("", name).with_context(|| format!("the world has no VolumeAttachment {name}"))?;
        let volume = &attachment.volume_name;
        let circumstances = Circumstances { forced: Some(forced), ..circumstances(asked, name, volume) };
        let predicted = attacher.sync_attachment(attachment, &circumstances);
        self.ensure_known(name, &predicted.doubts, predicted.not_evaluated.is_empty())?;
        let unasked = Circumstances { driver: CoreDriver::default(), ..circumstances };
        let unasked = attacher.sync_attachment(attachment, &unasked);
        // Up to the call, the two decisions are the same.
        ensure!(predicted.steps.starts_with(&unasked.steps) || !has_call(&unasked.steps), "{name}: the call changes");
        verdict.counts.attacher_attachments += 1;
        verdict.counts.attacher_calls += usize::from(has_call(&predicted.steps));
        let about = object("VolumeAttachment", name);
        let finalizer = attacher.finalizer();
        let effects: Vec<Value> = predicted.steps.iter().map(|step| effect(step, name, raw, &finalizer)).collect();
        let mut part = |part: &str, one: String, other: String| {
            differ(&format!("attacher: {part}"), &about, &[one].into(), &[other].into(), verdict);
        };
        part("effects", Value::from(real.effects.clone()).to_string(), Value::from(effects).to_string());
        part("error", real.error.clone(), predicted.error.unwrap_or_default());
        part("queue", queue(real.retry, real.forgotten), queue_of(predicted.requeue));
        Ok(())
    }

    fn compare_finalizer(
        &self,
        attacher: &Attacher<'_>,
        asked: &AttacherSyncs,
        real: &VolumeAnswer,
        verdict: &mut Verdict,
    ) -> Result<()> {
        let name = &real.volume;
        let id = self.snapshot.volume_id(name).with_context(|| format!("the world has no PersistentVolume {name}"))?;
        let volume = self.snapshot.volume(id);
        let predicted = attacher.sync_volume(volume, &circumstances(asked, "", name));
        self.ensure_known(name, &predicted.doubts, true)?;
        verdict.counts.attacher_volumes += 1;
        let about = object("PersistentVolume", name);
        let finalizer = attacher.finalizer();
        let effects: Vec<Value> =
            predicted.step.iter().map(|step| effect(step, name, &Value::Null, &finalizer)).collect();
        let mut part = |part: &str, one: String, other: String| {
            differ(&format!("attacher: {part}"), &about, &[one].into(), &[other].into(), verdict);
        };
        part("queued", real.queued.to_string(), attacher.queues_volume(volume).to_string());
        part("finalizer", Value::from(real.effects.clone()).to_string(), Value::from(effects).to_string());
        part("queue", queue(real.retry, real.forgotten), queue_of(predicted.requeue));
        Ok(())
    }
}

/// Returns the leaves at which the decisions about the attachments and volumes of a line end: the name of the object,
/// and the id of the leaf.
///
/// # Errors
/// Returns an error if the world of the line is invalid.
pub fn attacher_leaves(line: &Line) -> Result<Vec<(String, &'static str)>> {
    let snapshot = snapshot(line)?;
    let mut leaves = Vec::new();
    let Some(asked) = &line.attacher else { return Ok(leaves) };
    let attacher = Attacher::new(&snapshot, sidecar(asked), unkept(asked, &line.world.items));
    let published = listed(&asked.driver, asked.sidecar.timeout).ok().filter(|_| asked.reconciled.is_some());
    let mut forced = Forced::new();
    for attachment in snapshot.all::<VolumeAttachment>() {
        let name = &attachment.meta.name;
        let found = published.as_ref().and_then(|published| attacher.compare(attachment, published).leaf);
        leaves.extend(found.map(|leaf| (name.to_string(), leaf.id())));
        if found == Some(ReconcileBranch::ReconcileForced) {
            forced.insert(name.clone());
        }
        let of = Circumstances { forced: Some(&forced), ..circumstances(asked, name, &attachment.volume_name) };
        let id = match attacher.sync_attachment(attachment, &of).end {
            SyncEnd::Attach(leaf) => leaf.id(),
            SyncEnd::Detach(leaf) => leaf.id(),
            SyncEnd::Unknown => continue,
        };
        leaves.push((name.to_string(), id));
    }
    for volume in snapshot.volumes() {
        let name = &volume.meta.name;
        leaves.push((name.to_string(), attacher.sync_volume(volume, &circumstances(asked, "", name)).leaf.id()));
    }
    Ok(leaves)
}

pub(super) fn object(kind: &str, name: &str) -> Object {
    Object { kind: kind.to_owned(), namespace: String::new(), name: name.to_owned() }
}

pub(super) fn can(asked: &AttacherSyncs, capability: &str) -> bool {
    asked.sidecar.capabilities.iter().any(|has| has == capability)
}

fn sidecar(asked: &AttacherSyncs) -> Sidecar {
    Sidecar {
        driver: asked.sidecar.driver.as_str().into(),
        attaches: can(asked, "CONTROLLER_SERVICE") && can(asked, "PUBLISH_UNPUBLISH_VOLUME"),
        read_only: can(asked, "PUBLISH_READONLY"),
        single_node_multi_writer: can(asked, "SINGLE_NODE_MULTI_WRITER"),
        default_fs_type: asked.sidecar.default_fs_type.as_str().into(),
        timeout: asked.sidecar.timeout,
    }
}

/// Returns the fields of the world that a snapshot does not keep.
fn unkept(asked: &AttacherSyncs, items: &[Value]) -> Unkept {
    let parts = |text: &String| text.split_once('/').map(|(namespace, name)| (namespace.into(), name.into()));
    let mut made =
        Unkept { secrets: Secrets::Known(asked.secrets.iter().filter_map(parts).collect()), ..Unkept::default() };
    for item in items {
        let name = text(&item["metadata"]["name"]);
        let spec = &item["spec"];
        if item["kind"] == "PersistentVolume" {
            made.volumes.insert(name, details(spec));
        } else if item["kind"] == "VolumeAttachment" {
            let inline = spec["source"].get("inlineVolumeSpec").map(inline);
            made.inline.insert(name, inline);
        }
    }
    made
}

pub(super) fn text(value: &Value) -> Str {
    value.as_str().unwrap_or_default().into()
}

fn inline(spec: &Value) -> InlineVolume {
    let mode = |value: &Value| AccessMode::from_manifest(value.as_str().unwrap_or_default());
    InlineVolume {
        csi: spec.get("csi").map(|csi| (text(&csi["driver"]), text(&csi["volumeHandle"]))),
        access_modes: AccessModes(spec["accessModes"].as_array().into_iter().flatten().map(mode).collect()),
        volume_mode: spec["volumeMode"].as_str().map(VolumeMode::from_manifest),
        details: details(spec),
    }
}

/// Returns these fields of a volume, or of its translation to CSI.
fn details(spec: &Value) -> PublishDetails {
    let disk = spec.get("awsElasticBlockStore");
    let partition = disk.map(|disk| disk["partition"].as_i64().unwrap_or_default().to_string());
    let source = disk.or_else(|| spec.get("cinder")).or_else(|| spec.get("csi")).unwrap_or(&Value::Null);
    let stated = source["volumeAttributes"].as_object().into_iter().flatten();
    let attributes = stated.map(|(key, value)| (key.as_str().into(), text(value)));
    let secret = source.get("controllerPublishSecretRef");
    PublishDetails {
        read_only: source["readOnly"] == true,
        fs_type: text(&source["fsType"]),
        attributes: attributes.chain(partition.map(|number| ("partition".into(), number.into()))).collect(),
        mount_options: spec["mountOptions"].as_array().into_iter().flatten().map(text).collect(),
        secret: secret.map(|secret| (text(&secret["namespace"]), text(&secret["name"]))),
    }
}

fn circumstances<'a>(asked: &AttacherSyncs, attachment: &str, volume: &str) -> Circumstances<'a> {
    let refusals = |request: &str, resource: &str, name: &str| -> Vec<Refusal> {
        let refused = asked.refuse.iter().filter(|refused| refused.request == request);
        let all = refused.flat_map(|refused| {
            let not_found = refused.reason == "NotFound";
            let text = if not_found {
                format!("{resource} \"{name}\" not found")
            } else {
                "Internal error occurred: the API server says no".to_owned()
            };
            vec![Refusal { not_found, text: text.into() }; refused.times]
        });
        all.collect()
    };
    Circumstances {
        now: BEGIN,
        failures: asked.failures,
        driver: answers(&asked.driver),
        refused: Refused {
            volume: refusals("volume", "persistentvolumes", volume),
            attachment: refusals("attachment", "volumeattachments.storage.k8s.io", attachment),
            status: refusals("status", "volumeattachments.storage.k8s.io", attachment),
        },
        forced: None,
    }
}

pub(super) fn failed(code: &str, message: &str) -> DriverError {
    DriverError { code: GrpcCode::named(code), message: message.into() }
}

/// Returns the answer of the oracle's driver, which is in `oracle/attacher/driver.go`.
pub(super) fn answer(code: &str) -> Result<(), DriverError> {
    if code == "OK" { Ok(()) } else { Err(failed(code, "the driver says no")) }
}

fn answers(driver: &Driver) -> CoreDriver {
    let context = driver.context.iter().map(|(key, value)| (key.as_str().into(), value.as_str().into())).collect();
    CoreDriver {
        publish: Some(answer(&driver.publish).map(|()| context)),
        unpublish: Some(answer(&driver.unpublish)),
        latency: driver.latency,
    }
}

/// Returns the volumes of the oracle's driver. The driver answers with one volume at a time.
fn listed(driver: &Driver, timeout: u64) -> Result<Published, DriverError> {
    let first = answer(&driver.list);
    let pages = if first.is_ok() { driver.published.len().max(1) as u64 } else { 1 };
    if driver.latency * pages >= timeout {
        return Err(failed("DeadlineExceeded", "context deadline exceeded"));
    }
    first?;
    let nodes = |nodes: &Vec<String>| nodes.iter().map(|node| node.as_str().into()).collect();
    Ok(driver.published.iter().map(|(handle, on)| (handle.as_str().into(), nodes(on))).collect())
}

fn queue(retry: u64, forgotten: bool) -> String {
    format!("retry {retry}, forgotten {forgotten}")
}

fn queue_of(requeue: Requeue) -> String {
    match requeue {
        Requeue::After(time) => queue(time, false),
        Requeue::Forgotten => queue(0, true),
        Requeue::Untouched => queue(0, false),
    }
}

fn has_call(steps: &[Step]) -> bool {
    steps.iter().any(|step| matches!(step.act, Act::Publish(_) | Act::Unpublish(_)))
}

/// Returns a step in the format of the lines. `raw` is the attachment as the world has it.
fn effect(step: &Step, name: &str, raw: &Value, finalizer: &str) -> Value {
    let status = |change: &dyn Fn(&mut Map<String, Value>)| {
        let before = raw["status"].as_object().cloned().unwrap_or_default();
        let mut after = before.clone();
        change(&mut after);
        let patch = difference(&before, &after);
        ("status", if patch.is_empty() { json!({}) } else { json!({"status": patch}) })
    };
    let (subresource, body) = match &step.act {
        Act::Publish(request) => return at(step, "publish", publish(request)),
        Act::Unpublish(request) => {
            let secret = secret(request.secret.as_ref());
            let more = json!({"volume": request.handle, "node": request.node_id});
            return at(step, "unpublish", filled(more, json!({"secret": secret, "migrated": request.migrated})));
        }
        Act::AddVolumeFinalizer { volume, first } => {
            let path = "/metadata/finalizers";
            let body = if *first {
                json!([{"op": "test", "path": path, "value": null}, {"op": "add", "path": path, "value": [finalizer]}])
            } else {
                json!([{"op": "add", "path": "/metadata/finalizers/-", "value": finalizer}])
            };
            return patch(step, "PersistentVolume", volume, "", &body);
        }
        Act::RemoveVolumeFinalizer { place } => {
            let path = format!("/metadata/finalizers/{place}");
            let body = json!([{"op": "test", "path": path, "value": finalizer}, {"op": "remove", "path": path}]);
            return patch(step, "PersistentVolume", name, "", &body);
        }
        Act::PrepareAttachment { finalizers, node_id } => {
            let mut metadata = Map::new();
            if let Some(id) = node_id {
                metadata.insert("annotations".to_owned(), json!({"csi.alpha.kubernetes.io/node-id": id}));
            }
            if let Some(all) = finalizers {
                metadata.insert("finalizers".to_owned(), json!(all));
            }
            ("", json!({"metadata": metadata}))
        }
        Act::ReleaseAttachment(rest) => {
            ("", json!({"metadata": {"finalizers": if rest.is_empty() { Value::Null } else { json!(rest) }}}))
        }
        Act::MarkAttached(context) => status(&|after| {
            after.insert("attached".to_owned(), true.into());
            after.remove("attachmentMetadata");
            after.remove("attachError");
            if !context.is_empty() {
                after.insert("attachmentMetadata".to_owned(), json!(context));
            }
        }),
        Act::MarkDetached => status(&|after| {
            after.insert("attached".to_owned(), false.into());
            after.remove("attachmentMetadata");
            after.remove("detachError");
        }),
        Act::SaveAttachError(error) => status(&|after| drop(after.insert("attachError".to_owned(), saved(error)))),
        Act::SaveDetachError(error) => status(&|after| drop(after.insert("detachError".to_owned(), saved(error)))),
    };
    patch(step, "VolumeAttachment", name, subresource, &body)
}

fn saved(error: &SavedError) -> Value {
    let mut made = json!({"time": error.time.to_string(), "message": error.message});
    if let Some(code) = error.code {
        made["errorCode"] = code.into();
    }
    made
}

/// Returns the effect with its moment.
fn at(step: &Step, field: &str, value: Value) -> Value {
    let mut made = Map::from_iter([(field.to_owned(), value)]);
    if step.at > 0 {
        made.insert("at".to_owned(), step.at.into());
    }
    Value::Object(made)
}

fn patch(step: &Step, kind: &str, name: &str, subresource: &str, body: &Value) -> Value {
    let made = json!({"kind": kind, "name": name, "body": body});
    at(step, "patch", filled(made, json!({"subresource": subresource, "refused": step.refused})))
}

fn secret(name: Option<&(Str, Str)>) -> String {
    name.map_or_else(String::new, |(namespace, name)| format!("{namespace}/{name}"))
}

fn publish(request: &PublishRequest) -> Value {
    let made = json!({"volume": request.handle, "node": request.node_id, "mode": request.mode});
    let known = request.details.clone().unwrap_or_default();
    let more = json!({
        "readOnly": known.read_only, "block": request.block, "fsType": known.fs_type, "mountFlags": known.mount_options,
        "attributes": known.attributes, "secret": secret(known.secret.as_ref()), "migrated": request.migrated,
    });
    filled(made, more)
}

/// Adds the fields that are not empty.
pub(super) fn filled(mut made: Value, more: Value) -> Value {
    let (Some(made_fields), Value::Object(more)) = (made.as_object_mut(), more) else { return made };
    let empty = [json!(null), json!(""), json!([]), json!({}), json!(false)];
    made_fields.extend(more.into_iter().filter(|(_, value)| !empty.contains(value)));
    made
}

/// Returns the RFC 7386 merge patch between two objects.
pub(super) fn difference(before: &Map<String, Value>, after: &Map<String, Value>) -> Map<String, Value> {
    let mut patch = Map::new();
    for (key, value) in after {
        match (before.get(key), value) {
            (Some(old), value) if old == value => {}
            (Some(Value::Object(old)), Value::Object(new)) => {
                patch.insert(key.clone(), difference(old, new).into());
            }
            (_, value) => drop(patch.insert(key.clone(), value.clone())),
        }
    }
    let names: BTreeSet<&String> = before.keys().filter(|key| !after.contains_key(*key)).collect();
    patch.extend(names.into_iter().map(|key| (key.clone(), Value::Null)));
    patch
}
