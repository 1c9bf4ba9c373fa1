//! Compares what the external provisioner decides about claims, volumes and the sources of volumes.

use super::{Judged, Verdict, differ, name};
use crate::line::Object;
use crate::provisioning::{ClaimAnswer, CloneAnswer, Driver, Provisioning, VolumeAnswer};
use anyhow::{Context as _, Result, ensure};
use pvctl::controllers::provisioner::Driver as CoreDriver;
use pvctl::controllers::provisioner::{
    Act, Capability, ContentSource, CreateVolumeRequest, Created, DeleteVolumeRequest, DriverError, GrpcCode,
    NotEvaluated, ProvisionedVolume, Provisioner, SecretName, Secrets, Segments, Sidecar, TopologyRequirement,
};
use pvctl::model::{AccessMode, AnnotationKey, Kind, ObjectKey, PersistentVolumeClaim, ReclaimPolicy, Str, VolumeMode};
use pvctl::snapshot::{Absence, Snapshot};
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, BTreeSet};

impl Judged<'_> {
    /// Compares the answers about all claims and volumes of the world.
    pub(super) fn compare_provisioning(&self, verdict: &mut Verdict) -> Result<()> {
        let Some(asked) = &self.line.provisioning else { return Ok(()) };
        if asked.claims.is_empty() && asked.volumes.is_empty() {
            return Ok(());
        }
        let provisioner = provisioner(asked, self.snapshot)?;
        let object = |kind: &str| Object { kind: kind.to_owned(), namespace: String::new(), name: String::new() };
        let names = |key: &ObjectKey| format!("{}/{}", key.namespace, key.name);
        let claims: BTreeSet<String> = self.snapshot.claims().iter().map(|claim| claim.key().to_string()).collect();
        let real = asked.claims.iter().map(|answer| names(&key(&answer.claim))).collect();
        differ("provisioning: claims", &object("PersistentVolumeClaim"), &real, &claims, verdict);
        let volumes = self.snapshot.volumes().iter().map(|volume| volume.meta.name.to_string()).collect();
        let real = asked.volumes.iter().map(|answer| answer.volume.clone()).collect();
        differ("provisioning: volumes", &object("PersistentVolume"), &real, &volumes, verdict);
        for answer in &asked.claims {
            self.compare_claim(&provisioner, &asked.driver, answer, verdict)?;
        }
        for answer in &asked.volumes {
            self.compare_volume(&provisioner, &asked.driver, answer, verdict)?;
        }
        for answer in &asked.clones {
            self.compare_clone(&provisioner, answer, verdict)?;
        }
        let released = |object: &Object| names(&key(object));
        let predicted = provisioner.released_snapshots();
        let predicted = predicted.iter().map(|found| format!("{}/{}", found.meta.namespace, found.meta.name)).collect();
        let real = asked.released.iter().map(released).collect();
        differ("provisioning: released", &object("VolumeSnapshot"), &real, &predicted, verdict);
        Ok(())
    }

    /// Checks that the prediction marks a missing object as uncertain only if the world has no list of its kind.
    pub(super) fn ensure_certain(&self, about: &str, doubts: &BTreeMap<Kind, Absence>) -> Result<()> {
        let coverage = self.snapshot.coverage();
        let is_listed = |kind: &Kind| coverage.entries().iter().any(|entry| entry.kind == *kind);
        ensure!(!doubts.keys().any(is_listed), "{about}: {doubts:?}");
        Ok(())
    }

    fn claim(&self, object: &Object) -> Result<&PersistentVolumeClaim> {
        let found = self.snapshot.find::<PersistentVolumeClaim>(&object.namespace, &object.name);
        found.with_context(|| format!("the world has no {}", name(object)))
    }

    fn compare_claim<'s>(
        &'s self,
        provisioner: &Provisioner<'s>,
        driver: &Driver,
        real: &ClaimAnswer,
        verdict: &mut Verdict,
    ) -> Result<()> {
        let claim = self.claim(&real.claim)?;
        let asked = provisioner.provision(claim, &CoreDriver::default());
        let request = asked.request();
        let predicted = provisioner.provision(claim, &answers(driver, request));
        self.ensure_certain(&name(&real.claim), &predicted.doubts)?;
        // A line states which Secrets exist, and the program reads all annotations of its claims.
        let is_open = |part: &NotEvaluated| !matches!(part, NotEvaluated::MigratedClass | NotEvaluated::MigratedVolume);
        let not_evaluated = &predicted.not_evaluated;
        ensure!(!not_evaluated.iter().any(is_open), "{}: {not_evaluated:?}", name(&real.claim));
        // Up to the request, the two decisions are the same.
        ensure!(predicted.acts.starts_with(&asked.acts), "{}: the request changes", name(&real.claim));
        verdict.counts.provisioned_claims += 1;
        verdict.counts.provisioned_requests += usize::from(request.is_some());
        let about = &real.claim;
        let mut part = |part: &str, one: &str, other: &str| {
            let set = |text: &str| [text.to_owned()].into();
            differ(&format!("provisioning: {part}"), about, &set(one), &set(other), verdict);
        };
        part("should", &real.should.to_string(), &predicted.should.to_string());
        let mut effects: Vec<Value> = predicted.acts.iter().map(|act| effect(act, about, Some(claim))).collect();
        let mut of_real = real.effects.clone();
        if predicted.not_evaluated.contains(&NotEvaluated::MigratedClass) {
            // If the class belongs to a migrated plugin, the provisioner translates the class. What it does with the
            // translated class is not predicted. Only the first event does not depend on the translation.
            effects.truncate(1);
            of_real.truncate(1);
        } else if predicted.not_evaluated.contains(&NotEvaluated::MigratedVolume) {
            // If the volume belongs to a migrated plugin, the provisioner translates the volume. What it does after the
            // request is not predicted.
            let until_request = |effects: &mut Vec<Value>| {
                let request = effects.iter().position(|effect| effect.get("createVolume").is_some());
                effects.truncate(request.map_or(0, |place| place + 1));
            };
            until_request(&mut effects);
            until_request(&mut of_real);
        } else {
            part("state", &real.state, predicted.state.map_or("", |state| state.as_str()));
            part("error", &real.error, predicted.error.as_deref().unwrap_or_default());
            part("retry", &real.retry, predicted.retry.as_deref().unwrap_or_default());
        }
        part("effects", &Value::from(of_real).to_string(), &Value::from(effects).to_string());
        Ok(())
    }

    fn compare_volume<'s>(
        &'s self,
        provisioner: &Provisioner<'s>,
        driver: &Driver,
        real: &VolumeAnswer,
        verdict: &mut Verdict,
    ) -> Result<()> {
        let about = Object { kind: "PersistentVolume".to_owned(), namespace: String::new(), name: real.volume.clone() };
        let id = self.snapshot.volume_id(&real.volume);
        let volume = self.snapshot.volume(id.with_context(|| format!("the world has no {}", name(&about)))?);
        let predicted = provisioner.delete(volume, &answers(driver, None));
        self.ensure_certain(&real.volume, &predicted.doubts)?;
        let not_evaluated = &predicted.not_evaluated;
        let is_translated = not_evaluated.contains(&NotEvaluated::MigratedClass);
        ensure!(is_translated || not_evaluated.is_empty(), "{}: {not_evaluated:?}", real.volume);
        verdict.counts.provisioned_volumes += 1;
        let effects: Vec<Value> = predicted.acts.iter().map(|act| effect(act, &about, None)).collect();
        let mut part = |part: &str, one: &str, other: &str| {
            let set = |text: &str| [text.to_owned()].into();
            differ(&format!("provisioning: {part}"), &about, &set(one), &set(other), verdict);
        };
        part("responsible", &real.responsible.to_string(), &predicted.finalizer.is_some().to_string());
        part("should", &real.should.to_string(), &predicted.should.to_string());
        // The Secret of a translated class is not predicted.
        if !is_translated {
            part("effects", &Value::from(real.effects.clone()).to_string(), &Value::from(effects).to_string());
            part("retry", &real.retry, predicted.retry.as_deref().unwrap_or_default());
        }
        Ok(())
    }

    fn compare_clone(&self, provisioner: &Provisioner<'_>, real: &CloneAnswer, verdict: &mut Verdict) -> Result<()> {
        let predicted = provisioner.protect_clone(self.claim(&real.claim)?);
        self.ensure_certain(&name(&real.claim), &predicted.doubts)?;
        verdict.counts.provisioned_clones += 1;
        let effects: Vec<Value> = predicted.act.iter().map(|act| effect(act, &real.claim, None)).collect();
        let set = |text: String| BTreeSet::from([text]);
        let texts = (Value::from(real.effects.clone()).to_string(), Value::from(effects).to_string());
        differ("provisioning: clone", &real.claim, &set(texts.0), &set(texts.1), verdict);
        let waits = |name: &Str| format!("PVC '{name}' is in 'Pending' state, cloning in progress");
        let possible = predicted.cloned_by.iter().map(waits).collect();
        let real_errors = real.retries.iter().cloned().collect();
        differ("provisioning: clone retries", &real.claim, &real_errors, &possible, verdict);
        Ok(())
    }
}

/// Returns the provisioner of a line.
///
/// # Errors
/// Returns an error if the line has a capability that is not known.
pub fn provisioner<'s>(asked: &Provisioning, snapshot: &'s Snapshot) -> Result<Provisioner<'s>> {
    Ok(Provisioner::new(snapshot, sidecar(asked)?, secrets(asked)))
}

fn sidecar(asked: &Provisioning) -> Result<Sidecar> {
    let of = &asked.sidecar;
    let capability = |text: &String| {
        let found = Capability::ALL.into_iter().find(|capability| capability.as_str() == text);
        found.with_context(|| format!("the capability {text} is not known"))
    };
    Ok(Sidecar {
        driver: of.driver.as_str().into(),
        capabilities: of.capabilities.iter().map(capability).collect::<Result<_>>()?,
        strict_topology: of.strict_topology,
        immediate_topology: of.immediate_topology,
        extra_create_metadata: of.extra_create_metadata,
        controller_publish_read_only: of.controller_publish_read_only,
        prevent_volume_mode_conversion: of.prevent_volume_mode_conversion,
        default_fs_type: of.default_fs_type.as_str().into(),
    })
}

fn secrets(asked: &Provisioning) -> Secrets {
    let parts = |text: &String| text.split_once('/').map(|(namespace, name)| (namespace.into(), name.into()));
    Secrets::Known(asked.secrets.iter().filter_map(parts).collect())
}

/// Returns the answers of the oracle's driver, which is in `oracle/provisioner/driver.go`.
pub fn answers(driver: &Driver, request: Option<&CreateVolumeRequest>) -> CoreDriver {
    let failed = |code: &str, message: &'static str| DriverError {
        code: GrpcCode::named(code),
        message: Str::const_new(message),
    };
    let created = |request: &CreateVolumeRequest| Created {
        handle: format!("handle-of-{}", request.name).into(),
        bytes: match driver.capacity.as_str() {
            "unknown" => 0,
            "less" => request.bytes - 1,
            "more" => request.bytes + (1 << 30),
            _ => request.bytes,
        },
        has_source: driver.content,
        topology: driver.topology.iter().map(place).collect(),
    };
    CoreDriver {
        create: match driver.create.as_str() {
            "OK" => request.map(created).map(Ok),
            code => Some(Err(failed(code, "the driver says no"))),
        },
        delete: Some(match driver.delete.as_str() {
            "OK" => Ok(()),
            code => Err(failed(code, "the driver keeps it")),
        }),
    }
}

fn place(labels: &BTreeMap<String, String>) -> Segments {
    labels.iter().map(|(key, value)| (key.as_str().into(), value.as_str().into())).collect()
}

fn key(object: &Object) -> ObjectKey {
    let kind = Kind::EVERY.into_iter().find(|kind| kind.to_string() == object.kind);
    ObjectKey {
        kind: kind.unwrap_or(Kind::PersistentVolumeClaim),
        namespace: object.namespace.as_str().into(),
        name: object.name.as_str().into(),
    }
}

/// Returns JSON without the fields that are empty, as Go writes it.
fn compact(value: Value) -> Value {
    let Value::Object(fields) = value else { return value };
    let is_empty = |value: &Value| match value {
        Value::Null | Value::Bool(false) => true,
        Value::String(text) => text.is_empty(),
        Value::Array(items) => items.is_empty(),
        Value::Object(fields) => fields.is_empty(),
        Value::Bool(true) | Value::Number(_) => false,
    };
    Value::Object(fields.into_iter().filter(|(_, value)| !is_empty(value)).collect())
}

fn secret(name: Option<&SecretName>) -> String {
    name.map_or_else(String::new, |(namespace, name)| format!("{namespace}/{name}"))
}

/// Returns an action of the provisioner in the format of the lines.
fn effect(act: &Act, about: &Object, claim: Option<&PersistentVolumeClaim>) -> Value {
    let write = |verb: &str, object: Value, patch: Value| {
        let mut made = Map::from_iter([("verb".to_owned(), verb.into()), ("object".to_owned(), object)]);
        if !patch.is_null() {
            made.insert("patch".to_owned(), patch);
        }
        json!({"write": made})
    };
    match act {
        Act::Event { warning, reason, message } => json!({"event": {
            "type": if *warning { "Warning" } else { "Normal" }, "reason": reason, "message": message, "about": about,
        }}),
        Act::Finalizers { object, finalizers } => {
            let verb = if object.kind == Kind::PersistentVolume { "patch" } else { "update" };
            let object = compact(json!({
                "kind": object.kind.to_string(), "namespace": object.namespace, "name": object.name,
            }));
            // Go leaves out an empty list.
            let finalizers = if finalizers.is_empty() { Value::Null } else { json!(finalizers) };
            write(verb, object, json!({"metadata": {"finalizers": finalizers}}))
        }
        Act::RemoveSelectedNode => {
            let only = claim.is_some_and(|claim| {
                claim.meta.annotations.iter().count() == 1 && !claim.meta.annotations.has_others()
            });
            let annotations =
                if only { Value::Null } else { json!({AnnotationKey::SelectedNode.as_str(): Value::Null}) };
            write("update", json!(about), json!({"metadata": {"annotations": annotations}}))
        }
        Act::CreateVolume(request) => json!({"createVolume": create_request(request)}),
        Act::DeleteVolume(DeleteVolumeRequest { handle, secret: name }) => json!({
            "deleteVolume": without("secret", json!({"volume": handle, "secret": secret(name.as_ref())})),
        }),
        Act::StoreVolume(volume) => json!({"write": {
            "verb": "create", "object": {"kind": "PersistentVolume", "name": volume.name},
            "sent": claim.map(|claim| sent(volume, claim)),
        }}),
        Act::DeleteObject => write("delete", json!(about), Value::Null),
    }
}

/// Returns JSON without this field, if the field is empty.
fn without(field: &str, mut value: Value) -> Value {
    let is_empty = value[field].as_str().is_some_and(str::is_empty);
    if let Some(fields) = value.as_object_mut().filter(|_| is_empty) {
        fields.remove(field);
    }
    value
}

fn create_request(request: &CreateVolumeRequest) -> Value {
    let topology = request.topology.as_ref();
    let topology = topology
        .map(|TopologyRequirement { requisite, preferred }| json!({"requisite": requisite, "preferred": preferred}));
    let (snapshot, volume) = match &request.source {
        None => ("", ""),
        Some(ContentSource::Snapshot(handle)) => (handle.as_str(), ""),
        Some(ContentSource::Volume(handle)) => ("", handle.as_str()),
    };
    let mut made = compact(json!({
        "block": request.block && !request.modes.is_empty(), "fsType": request.fs_type,
        "mountFlags": request.mount_flags, "parameters": request.parameters, "mutable": request.mutable_parameters,
        "secret": secret(request.secret.as_ref()), "snapshot": snapshot, "volume": volume, "topology": topology,
    }));
    made["name"] = json!(request.name);
    made["bytes"] = json!(request.bytes);
    made["modes"] = json!(request.modes);
    made
}

/// Returns the volume as the provisioner sends it.
fn sent(volume: &ProvisionedVolume, claim: &PersistentVolumeClaim) -> Value {
    let mut source = compact(json!({"fsType": volume.fs_type, "readOnly": volume.read_only}));
    source["driver"] = json!(volume.driver);
    source["volumeHandle"] = json!(volume.handle);
    for (field, (namespace, name)) in &volume.secrets {
        source[*field] = json!({"namespace": namespace, "name": name});
    }
    let mut spec = compact(json!({
        "accessModes": volume.access_modes.0.iter().map(AccessMode::as_str).collect::<Vec<_>>(),
        "persistentVolumeReclaimPolicy": volume.reclaim_policy.as_ref().map(ReclaimPolicy::as_str),
        "storageClassName": volume.class_name, "mountOptions": volume.mount_options,
        "volumeMode": volume.volume_mode.as_ref().map(VolumeMode::as_str),
        "volumeAttributesClassName": volume.attributes_class,
    }));
    spec["csi"] = source;
    spec["capacity"] = json!({"storage": volume.bytes});
    spec["claimRef"] = json!({
        "apiVersion": "v1", "kind": "PersistentVolumeClaim", "namespace": claim.meta.namespace,
        "name": claim.meta.name, "uid": claim.meta.uid, "resourceVersion": claim.meta.resource_version.to_string(),
    });
    if let Some(terms) = &volume.node_affinity {
        spec["nodeAffinity"] = json!(terms);
    }
    json!({
        "metadata": {
            "name": volume.name, "annotations": volume.annotations, "finalizers": ProvisionedVolume::FINALIZERS,
        },
        "spec": spec,
    })
}
