//! Compares what the external resizer decides about claims.

use super::attacher::{answer, difference, filled, text};
use super::{Judged, Verdict, differ, snapshot};
use crate::line::{Line, Object};
use crate::resizer::{Answer, Memory, ResizerSyncs};
use anyhow::{Context as _, Result, ensure};
use pvctl::controllers::provisioner::Secrets;
use pvctl::controllers::resizer::{
    Act, CallDetails, Change, Circumstances, ClaimPatch, ConditionChange, Driver, ExpandRequest, Expanded, Expansion,
    ModifyBranch, ModifyMemory, ModifyRequest, NewCondition, Refused, Requeue, ResizeBranch, ResizeMemory, Resizer,
    Sidecar, Step, Synced, Unkept, VolumePatch,
};
use pvctl::model::{Amount, PersistentVolumeClaim, Str};
use serde_json::{Map, Value, json};
use std::collections::BTreeSet;

/// The begin of each sync in the time of the oracle: 2000-01-01T00:01:00Z, in milliseconds.
const BEGIN: i64 = 946_684_860_000;

/// A JSON object.
type Fields = Map<String, Value>;

/// What both controllers decide, without the types of their leaves and memories.
struct Predicted {
    effects: Vec<Value>,
    error: String,
    queue: String,
    memory: Memory,
}

impl Judged<'_> {
    /// Compares the answers about all claims of the world.
    pub(super) fn compare_resizer(&self, verdict: &mut Verdict) -> Result<()> {
        let Some(asked) = &self.line.resizer else { return Ok(()) };
        if asked.resizes.is_empty() && asked.modifies.is_empty() {
            return Ok(());
        }
        let resizer = Resizer::new(self.snapshot, sidecar(asked), unkept(asked, &self.line.world.items));
        let all: BTreeSet<String> = self.snapshot.claims().iter().map(key).collect();
        let of_controllers = [
            ("resizes", &asked.resizes, sidecar(asked).expansion != Expansion::Never),
            ("modifies", &asked.modifies, sidecar(asked).modifies),
        ];
        for (part, answers, is_there) in of_controllers {
            let real: BTreeSet<String> = answers.iter().map(|answer| answer.claim.clone()).collect();
            let predicted = if is_there { all.clone() } else { BTreeSet::new() };
            differ(&format!("resizer: {part}"), &object(""), &real, &predicted, verdict);
        }
        for real in &asked.resizes {
            let claim = self.claim_named(&real.claim)?;
            let (of, memory) = (circumstances(asked, claim), resize_memory(asked, &real.claim));
            let made = resizer.sync_resize(claim, memory, &of);
            let unasked = resizer.sync_resize(claim, memory, &Circumstances { driver: Driver::default(), ..of });
            verdict.counts.resizer_resizes += 1;
            let is_crash = made.leaf == Some(ResizeBranch::ResizerCrashed);
            let memory = Memory {
                slow: made.memory.slow_until.unwrap_or_default(),
                failed_for_certain: made.memory.failed_for_certain,
                in_use: made.memory.in_use,
                ..Memory::default()
            };
            let predicted = self.predicted(&real.claim, made, &unasked, memory, verdict)?;
            compare(real, &predicted, is_crash, verdict);
        }
        for real in &asked.modifies {
            let claim = self.claim_named(&real.claim)?;
            let (of, memory) = (circumstances(asked, claim), modify_memory(asked, &real.claim));
            let made = resizer.sync_modify(claim, memory, &of);
            let unasked = resizer.sync_modify(claim, memory, &Circumstances { driver: Driver::default(), ..of });
            verdict.counts.resizer_modifies += 1;
            let memory = Memory {
                modify_slow: made.memory.slow_until.unwrap_or_default(),
                uncertain: made.memory.uncertain,
                ..Memory::default()
            };
            let predicted = self.predicted(&real.claim, made, &unasked, memory, verdict)?;
            compare(real, &predicted, false, verdict);
        }
        Ok(())
    }

    fn claim_named(&self, name: &str) -> Result<&PersistentVolumeClaim> {
        let (namespace, claim) = name.split_once('/').with_context(|| format!("{name} is no claim"))?;
        let id = self.snapshot.claim_id(namespace, claim).with_context(|| format!("the world has no claim {name}"))?;
        Ok(self.snapshot.claim(id))
    }

    /// Returns a decision in the format of the lines. `unasked` is the decision without the answer of the driver.
    fn predicted<Branch, Remembered>(
        &self,
        about: &str,
        made: Synced<Branch, Remembered>,
        unasked: &Synced<Branch, Remembered>,
        memory: Memory,
        verdict: &mut Verdict,
    ) -> Result<Predicted> {
        ensure!(made.not_evaluated.is_empty() && made.leaf.is_some(), "{about}: something was not evaluated");
        self.ensure_certain(about, &made.doubts)?;
        // Up to the call, the two decisions are the same.
        ensure!(made.steps.starts_with(&unasked.steps) || !has_call(&unasked.steps), "{about}: the call changes");
        verdict.counts.resizer_calls += usize::from(has_call(&made.steps));
        let mut stored = Stored::of(self, about)?;
        let effects = made.steps.iter().map(|step| stored.effect(step, &self.line.world.items)).collect();
        let queue = match made.requeue {
            Requeue::AfterFailure(time) => queue(time, true, false),
            Requeue::Later(time) => queue(time, false, false),
            Requeue::Forgotten => queue(0, false, true),
            Requeue::Untouched => queue(0, false, false),
        };
        Ok(Predicted { effects, error: made.error.unwrap_or_default(), queue, memory })
    }
}

fn compare(real: &Answer, predicted: &Predicted, is_crash: bool, verdict: &mut Verdict) {
    let about = object(&real.claim);
    let mut part = |part: &str, one: String, other: String| {
        differ(&format!("resizer: {part}"), &about, &[one].into(), &[other].into(), verdict);
    };
    let effects = |all: &[Value]| Value::from(all.to_vec()).to_string();
    part("effects", effects(&real.effects), effects(&predicted.effects));
    part("error", real.error.clone(), predicted.error.clone());
    part("crash", real.crashed.to_string(), is_crash.to_string());
    part("queue", queue(real.retry, real.failed, real.forgotten), predicted.queue.clone());
    part("memory", json!(real.memory).to_string(), json!(predicted.memory).to_string());
}

/// Returns the leaves at which the decisions about the claims of a line end: the name of the claim, and the id of the
/// leaf.
///
/// # Errors
/// Returns an error if the world of the line is invalid.
pub fn resizer_leaves(line: &Line) -> Result<Vec<(String, &'static str)>> {
    let snapshot = snapshot(line)?;
    let mut leaves = Vec::new();
    let Some(asked) = &line.resizer else { return Ok(leaves) };
    let resizer = Resizer::new(&snapshot, sidecar(asked), unkept(asked, &line.world.items));
    for claim in snapshot.claims() {
        let (name, of) = (key(claim), circumstances(asked, claim));
        let resized = resizer.sync_resize(claim, resize_memory(asked, &name), &of);
        let modified = resizer.sync_modify(claim, modify_memory(asked, &name), &of);
        leaves.extend(resized.leaf.map(|leaf| (name.clone(), ResizeBranch::id(leaf))));
        leaves.extend(modified.leaf.map(|leaf| (name.clone(), ModifyBranch::id(leaf))));
    }
    Ok(leaves)
}

fn object(claim: &str) -> Object {
    let (namespace, name) = claim.split_once('/').unwrap_or_default();
    Object { kind: "PersistentVolumeClaim".to_owned(), namespace: namespace.to_owned(), name: name.to_owned() }
}

fn key(claim: &PersistentVolumeClaim) -> String {
    format!("{}/{}", claim.meta.namespace, claim.meta.name)
}

fn queue(retry: u64, failed: bool, forgotten: bool) -> String {
    format!("retry {retry}, failed {failed}, forgotten {forgotten}")
}

fn has_call(steps: &[Step]) -> bool {
    steps.iter().any(|step| matches!(step.act, Act::Expand(_) | Act::Modify(_)))
}

fn sidecar(asked: &ResizerSyncs) -> Sidecar {
    let can = |capability: &str| asked.sidecar.capabilities.iter().any(|each| each == capability);
    Sidecar {
        driver: asked.sidecar.driver.as_str().into(),
        expansion: match (can("EXPAND_VOLUME"), can("NODE_EXPAND_VOLUME")) {
            (true, _) => Expansion::ByController,
            (false, true) => Expansion::OnlyByNode,
            (false, false) => Expansion::Never,
        },
        modifies: can("MODIFY_VOLUME"),
        single_node_multi_writer: can("SINGLE_NODE_MULTI_WRITER"),
        watches_pods: asked.sidecar.watches_pods,
        extra_metadata: asked.sidecar.extra_metadata,
        resize_timeout: asked.sidecar.resize_timeout,
        modify_timeout: asked.sidecar.modify_timeout,
    }
}

/// Returns the fields of the world that a snapshot does not keep.
fn unkept(asked: &ResizerSyncs, items: &[Value]) -> Unkept {
    let parts = |text: &String| text.split_once('/').map(|(namespace, name)| (namespace.into(), name.into()));
    let volumes = items.iter().filter(|item| item["kind"] == "PersistentVolume");
    Unkept {
        volumes: volumes.map(|item| (text(&item["metadata"]["name"]), details(&item["spec"]))).collect(),
        secrets: Secrets::Known(asked.secrets.iter().filter_map(parts).collect()),
    }
}

/// Returns these fields of a volume, or of its translation to CSI.
fn details(spec: &Value) -> CallDetails {
    let source = ["csi", "awsElasticBlockStore", "cinder"].iter().find_map(|field| spec.get(*field));
    let source = source.unwrap_or(&Value::Null);
    let secret = source.get("controllerExpandSecretRef");
    CallDetails {
        fs_type: text(&source["fsType"]),
        mount_options: spec["mountOptions"].as_array().into_iter().flatten().map(text).collect(),
        secret: secret.map(|secret| (text(&secret["namespace"]), text(&secret["name"]))),
    }
}

fn circumstances(asked: &ResizerSyncs, claim: &PersistentVolumeClaim) -> Circumstances {
    let refusals = |request: &str, resource: &str, name: &str| {
        let mut all: Vec<Option<Str>> = Vec::new();
        for refused in asked.refuse.iter().filter(|refused| refused.request == request) {
            let text = match refused.reason.as_str() {
                "NotFound" => format!("{resource} \"{name}\" not found"),
                "Conflict" => {
                    format!("Operation cannot be fulfilled on {resource} \"{name}\": the object has been modified")
                }
                _ => "Internal error occurred: the API server says no".to_owned(),
            };
            all.resize(all.len().max(refused.place + 1), None);
            all[refused.place] = Some(text.into());
        }
        all
    };
    let driver = &asked.driver;
    let expanded = Expanded { bytes: driver.capacity, on_node: driver.node_expansion };
    Circumstances {
        now: BEGIN,
        failures: asked.failures,
        driver: Driver {
            expand: Some(answer(&driver.expand).map(|()| expanded)),
            modify: Some(answer(&driver.modify)),
            latency: driver.latency,
        },
        refused: Refused {
            volume: refusals("volume", "persistentvolumes", &claim.volume_name),
            claim: refusals("claim", "persistentvolumeclaims", &claim.meta.name),
        },
    }
}

fn resize_memory(asked: &ResizerSyncs, claim: &str) -> ResizeMemory {
    let memory = asked.memory.get(claim).copied().unwrap_or_default();
    ResizeMemory {
        slow_until: Some(memory.slow).filter(|until| *until > 0),
        failed_for_certain: memory.failed_for_certain,
        in_use: memory.in_use,
    }
}

fn modify_memory(asked: &ResizerSyncs, claim: &str) -> ModifyMemory {
    let memory = asked.memory.get(claim).copied().unwrap_or_default();
    ModifyMemory { slow_until: Some(memory.modify_slow).filter(|until| *until > 0), uncertain: memory.uncertain }
}

/// A claim and its volume as the API server stores them during a sync.
struct Stored {
    claim: Value,
    volume: Value,
}

impl Stored {
    fn of(judged: &Judged<'_>, claim: &str) -> Result<Self> {
        let name = claim.split_once('/').map_or(claim, |(_, name)| name);
        let mut claim = judged.raw("PersistentVolumeClaim", name)?.clone();
        let volume = text(&claim["spec"]["volumeName"]);
        let mut volume = judged.raw("PersistentVolume", &volume).cloned().unwrap_or_default();
        for field in ["capacity", "allocatedResources"] {
            as_stored(&mut claim["status"], field);
        }
        if volume.is_object() {
            as_stored(&mut volume["spec"], "capacity");
        }
        let conditions = claim["status"].get_mut("conditions").and_then(Value::as_array_mut);
        for condition in conditions.into_iter().flatten() {
            for field in ["lastProbeTime", "lastTransitionTime"] {
                condition[field] = condition.get(field).cloned().unwrap_or_default();
            }
        }
        Ok(Self { claim, volume })
    }

    /// Returns a step in the format of the lines, and carries it out.
    fn effect(&mut self, step: &Step, items: &[Value]) -> Value {
        let (field, made) = match &step.act {
            Act::Expand(request) => ("expand", expand(request)),
            Act::Modify(request) => ("modify", modify(request, items)),
            Act::Event(note) => {
                let kind = if note.warning { "Warning" } else { "Normal" };
                ("event", json!({"type": kind, "reason": note.reason, "message": note.message}))
            }
            Act::Claim(patch) => {
                let version =
                    if patch.checks_version { text(&self.claim["metadata"]["resourceVersion"]) } else { "".into() };
                let more = json!({"subresource": "status", "version": version});
                ("patch", filled(patched(step, &mut self.claim, |after| change_claim(after, patch)), more))
            }
            Act::Volume(patch) => ("patch", patched(step, &mut self.volume, |after| change_volume(after, patch))),
        };
        let mut effect = Map::from_iter([(field.to_owned(), made)]);
        if step.at > 0 {
            effect.insert("at".to_owned(), step.at.into());
        }
        Value::Object(effect)
    }
}

/// Writes the quantities of a field as the API server writes them.
fn as_stored(object: &mut Value, field: &str) {
    for quantity in object.get_mut(field).and_then(Value::as_object_mut).into_iter().flat_map(|all| all.values_mut()) {
        let amount = quantity.as_str().and_then(|text| Amount::parse(text).ok());
        *quantity = amount.map_or(Value::Null, |amount| amount.to_string().into());
    }
}

/// Changes an object, unless the request is refused. Returns the request in the format of the lines.
fn patched(step: &Step, object: &mut Value, change: impl FnOnce(&mut Value)) -> Value {
    let mut after = object.clone();
    change(&mut after);
    for (place, field) in
        [("metadata", "annotations"), ("status", "allocatedResourceStatuses"), ("status", "conditions")]
    {
        let is_empty = |value: &Value| *value == json!({}) || *value == json!([]);
        if after[place].get(field).is_some_and(is_empty) {
            after[place].as_object_mut().map(|fields| fields.remove(field));
        }
    }
    let none = Fields::new();
    let changed = difference(object.as_object().unwrap_or(&none), after.as_object().unwrap_or(&none));
    let made = json!({"kind": object["kind"], "name": object["metadata"]["name"], "change": changed});
    if step.refused.is_none() {
        *object = after;
    }
    filled(made, json!({"refused": step.refused}))
}

/// Returns the object in a field. It is created if it is not there.
fn inside<'v>(object: &'v mut Value, path: [&str; 2]) -> &'v mut Value {
    let found = &mut object[path[0]][path[1]];
    if found.is_null() {
        *found = json!({});
    }
    found
}

fn remove(object: &mut Value, path: [&str; 2], key: &str) {
    if let Some(fields) = object[path[0]].get_mut(path[1]).and_then(Value::as_object_mut) {
        fields.remove(key);
    }
}

fn change_claim(claim: &mut Value, patch: &ClaimPatch) {
    const STATUSES: [&str; 2] = ["status", "allocatedResourceStatuses"];
    const ANNOTATIONS: [&str; 2] = ["metadata", "annotations"];
    const NOT_REQUIRED: &str = "volume.kubernetes.io/node-expansion-not-required";
    for change in &patch.conditions {
        change_condition(claim, change);
    }
    if let Some(capacity) = &patch.capacity {
        inside(claim, ["status", "capacity"])["storage"] = capacity.to_string().into();
    }
    if let Some(allocated) = &patch.allocated {
        inside(claim, ["status", "allocatedResources"])["storage"] = allocated.to_string().into();
    }
    match &patch.resize_status {
        Change::Kept => {}
        Change::Set(status) => inside(claim, STATUSES)["storage"] = (*status).into(),
        Change::Removed => remove(claim, STATUSES, "storage"),
    }
    match patch.node_expansion_not_required {
        Change::Kept => {}
        Change::Set(()) => inside(claim, ANNOTATIONS)[NOT_REQUIRED] = "true".into(),
        Change::Removed => remove(claim, ANNOTATIONS, NOT_REQUIRED),
    }
    let Some(status) = claim["status"].as_object_mut() else { return };
    match &patch.modify {
        Change::Kept => {}
        Change::Set(modify) => {
            let made =
                filled(json!({"status": modify.status}), json!({"targetVolumeAttributesClassName": modify.target}));
            status.insert("modifyVolumeStatus".to_owned(), made);
        }
        Change::Removed => drop(status.remove("modifyVolumeStatus")),
    }
    if let Some(class) = &patch.current_class {
        status.insert("currentVolumeAttributesClassName".to_owned(), json!(class));
    }
}

fn change_condition(claim: &mut Value, change: &ConditionChange) {
    let conditions = &mut claim["status"]["conditions"];
    if conditions.is_null() {
        *conditions = json!([]);
    }
    let Some(all) = conditions.as_array_mut() else { return };
    match change {
        ConditionChange::Removed(kind) => all.retain(|condition| condition["type"] != *kind),
        ConditionChange::Set(made) => match all.iter_mut().find(|condition| condition["type"] == made.kind) {
            Some(found) => *found = condition(made),
            None => all.push(condition(made)),
        },
    }
}

fn condition(made: &NewCondition) -> Value {
    let moment = |moment: Option<pvctl::model::Timestamp>| moment.map(|moment| moment.to_string());
    let always = json!({
        "type": made.kind, "status": "True", "lastTransitionTime": moment(made.since),
        "lastProbeTime": moment(made.probed),
    });
    filled(always, json!({"reason": made.reason, "message": made.message}))
}

fn change_volume(volume: &mut Value, patch: &VolumePatch) {
    const ANNOTATIONS: [&str; 2] = ["metadata", "annotations"];
    const BEFORE: &str = "volume.alpha.kubernetes.io/pre-resize-capacity";
    match patch {
        VolumePatch::RemovePreResizeCapacity => remove(volume, ANNOTATIONS, BEFORE),
        VolumePatch::Capacity { to, before } => {
            inside(volume, ["spec", "capacity"])["storage"] = to.to_string().into();
            if let Some(before) = before {
                inside(volume, ANNOTATIONS)[BEFORE] = before.as_str().into();
            }
        }
        VolumePatch::AttributesClass(class) => volume["spec"]["volumeAttributesClassName"] = json!(class),
    }
}

fn secret(name: Option<&(Str, Str)>) -> String {
    name.map_or_else(String::new, |(namespace, name)| format!("{namespace}/{name}"))
}

fn expand(request: &ExpandRequest) -> Value {
    let known = request.details.clone().unwrap_or_default();
    filled(
        json!({"volume": request.handle, "bytes": request.bytes, "mode": request.mode}),
        json!({
            "block": request.block, "fsType": known.fs_type, "mountFlags": known.mount_options,
            "secret": secret(known.secret.as_ref()), "migrated": request.migrated,
        }),
    )
}

fn modify(request: &ModifyRequest, items: &[Value]) -> Value {
    let is_class =
        |item: &&Value| item["kind"] == "VolumeAttributesClass" && item["metadata"]["name"] == *request.class;
    let class = items.iter().find(is_class);
    let mut parameters = class.and_then(|class| class["parameters"].as_object()).cloned().unwrap_or_default();
    if let Some(names) = &request.names {
        parameters.extend([
            ("csi.storage.k8s.io/pvc/name".to_owned(), json!(names.claim)),
            ("csi.storage.k8s.io/pvc/namespace".to_owned(), json!(names.namespace)),
            ("csi.storage.k8s.io/pv/name".to_owned(), json!(names.volume)),
        ]);
    }
    filled(
        json!({"volume": request.handle}),
        json!({"parameters": parameters, "secret": secret(request.secret.as_ref())}),
    )
}
