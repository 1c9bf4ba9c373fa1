//! This module decodes Pods, and decides which of their fields may leave the cluster.

use super::Stored;
use super::persistent_volume_claim::{ClaimTemplate, claim_template, template_of};
use crate::model::{EphemeralVolume, Pod, PodPhase, Str};
use crate::snapshot::decode::wire::{List, Meta, Text, object};
use crate::snapshot::decode::{Context, Failure};
use crate::snapshot::redact::{each, each_item, hidden, keep, only};
use serde::de::IgnoredAny;
use serde_json::{Map, Value};

object!(PodObject { metadata: Meta = "metadata", spec: PodSpec = "spec", status: PodStatusObject = "status" });

object!(PodSpec {
    node_name: Text = "nodeName",
    volumes: List<PodVolume> = "volumes",
    scheduler_name: Text = "schedulerName",
    gates: List<IgnoredAny> = "schedulingGates",
});

object!(PodVolume {
    name: Text = "name",
    claim: Option<ClaimSource> = "persistentVolumeClaim",
    ephemeral: Option<EphemeralSource> = "ephemeral",
});

object!(ClaimSource { name: Text = "claimName" });

object!(EphemeralSource { template: ClaimTemplate = "volumeClaimTemplate" });

object!(PodStatusObject {
    phase: Text = "phase",
    containers: List<ContainerStatus> = "containerStatuses",
    init_containers: List<ContainerStatus> = "initContainerStatuses",
    ephemeral_containers: List<ContainerStatus> = "ephemeralContainerStatuses",
});

object!(ContainerStatus { state: ContainerState = "state" });

object!(ContainerState { waiting: Option<IgnoredAny> = "waiting", terminated: Option<IgnoredAny> = "terminated" });

impl Stored for Pod {
    fn decode(at: &Context<'_>) -> Result<Option<Self>, Failure> {
        pod(at, at.parse()?).map(Some)
    }

    fn redact(field: &str, value: Value) -> Option<Value> {
        match field {
            "spec" => Some(pod_spec(value)),
            "status" => Some(pod_status(value)),
            _ => None,
        }
    }
}

fn pod(at: &Context<'_>, object: PodObject) -> Result<Pod, Failure> {
    let controller = object.metadata.owners.0.iter().find(|owner| owner.controller == Some(true));
    let owner_kind = controller.map(|owner| owner.kind.0.clone()).unwrap_or_default();
    let meta = at.meta(object.metadata)?;
    let (claims, ephemeral) = used_claims(object.spec.volumes);
    let of_pod = |(name, template): (Str, ClaimTemplate)| {
        let claim = Str::from(format!("{}-{name}", meta.name));
        EphemeralVolume { name, template: template_of(template, meta.namespace.clone(), claim) }
    };
    let ephemeral = ephemeral.into_iter().map(of_pod).collect();
    let status = object.status;
    // Upstream: `notRunning`, `pkg/volume/util`, 1.36. A container that is neither waiting nor terminated counts as
    // running.
    let running_container = [status.containers, status.init_containers, status.ephemeral_containers]
        .iter()
        .flat_map(|statuses| &statuses.0)
        .any(|container| container.state.terminated.is_none() && container.state.waiting.is_none());
    Ok(Pod {
        meta,
        node_name: object.spec.node_name.0,
        phase: PodPhase::from_manifest(&status.phase.0),
        claims: claims.into(),
        ephemeral,
        running_container,
        scheduler_name: match object.spec.scheduler_name.0 {
            // The API server sets this name by default. It is stored as empty, because almost all pods have it.
            name if name == "default-scheduler" => Str::default(),
            name => name,
        },
        owner_kind,
        gated: !object.spec.gates.0.is_empty(),
    })
}

/// The names of the claims that volumes use, and the generic ephemeral volumes with their claim templates.
pub(super) fn used_claims(volumes: List<PodVolume>) -> (Vec<Str>, Vec<(Str, ClaimTemplate)>) {
    let (mut claims, mut ephemeral_volumes) = (Vec::new(), Vec::new());
    for volume in volumes.0 {
        // The API server refuses a volume that has both. Upstream then reads only the claim.
        if let Some(claim) = volume.claim {
            if !claim.name.0.is_empty() {
                claims.push(claim.name.0);
            }
        } else if let Some(source) = volume.ephemeral {
            ephemeral_volumes.push((volume.name.0, source.template));
        }
    }
    (claims, ephemeral_volumes)
}

/// Redacts the specification of a pod, or of a pod template.
pub(super) fn pod_spec(value: Value) -> Value {
    let Value::Object(mut fields) = value else { return hidden(value) };
    let mut kept = Map::new();
    for plain in ["nodeName", "schedulerName"] {
        if let Some(value) = fields.remove(plain) {
            kept.insert(plain.to_owned(), value);
        }
    }
    if let Some(gates) = fields.remove("schedulingGates") {
        kept.insert("schedulingGates".to_owned(), each_item(gates, |gate| keep(gate, &["name"])));
    }
    if let Some(containers) = fields.remove("containers") {
        kept.insert("containers".to_owned(), each_item(containers, |container| form_of(container, &["name", "image"])));
    }
    match fields.remove("volumes") {
        Some(Value::Array(volumes)) => {
            let volumes = volumes.into_iter().filter_map(pod_volume);
            kept.insert("volumes".to_owned(), Value::Array(volumes.collect()));
        }
        Some(other) => {
            kept.insert("volumes".to_owned(), hidden(other));
        }
        None => {}
    }
    Value::Object(kept)
}

/// Keeps only the named fields. The value of the first field stays. The values of the others are hidden, but the fields
/// must exist when the object is created again.
fn form_of(value: Value, fields: &[&str]) -> Value {
    each(only(value, fields), |key, value| if fields.first() == Some(&key) { value } else { hidden(value) })
}

/// Redacts a volume of a pod. Only volumes that use a claim stay, because no decision reads the other volumes. A value
/// that is no object cannot be decoded, so it stays in hidden form. The same is true of a volume whose name is no
/// string.
fn pod_volume(volume: Value) -> Option<Value> {
    let Value::Object(fields) = volume else { return Some(hidden(volume)) };
    let uses_claim = fields.contains_key("persistentVolumeClaim") || fields.contains_key("ephemeral");
    let is_named = matches!(fields.get("name"), None | Some(Value::Null | Value::String(_)));
    let fields = fields.into_iter().filter_map(|(key, value)| match key.as_str() {
        "name" => Some((key, if is_named { value } else { hidden(value) })),
        "persistentVolumeClaim" => Some((key, keep(value, &["claimName", "readOnly"]))),
        "ephemeral" => Some((key, each(value, ephemeral_field))),
        _ => None,
    });
    (uses_claim || !is_named).then(|| Value::Object(fields.collect()))
}

fn pod_status(value: Value) -> Value {
    let Value::Object(fields) = value else { return hidden(value) };
    let fields = fields.into_iter().filter_map(|(key, value)| match key.as_str() {
        "phase" => Some((key, value)),
        "containerStatuses" | "ephemeralContainerStatuses" | "initContainerStatuses" => Some((
            key,
            each_item(value, |status| {
                let Value::Object(status) = status else { return hidden(status) };
                let status = status.into_iter().filter_map(|(key, value)| match key.as_str() {
                    "name" => Some((key, value)),
                    "image" | "imageID" | "ready" | "restartCount" => Some((key, hidden(value))),
                    // Only the existence of a state matters.
                    "state" => Some((key, each(value, |_, state| hidden(only(state, &["exitCode"]))))),
                    _ => None,
                });
                Value::Object(status.collect())
            }),
        )),
        _ => None,
    });
    Value::Object(fields.collect())
}

fn ephemeral_field(key: &str, value: Value) -> Value {
    if key == "volumeClaimTemplate" { claim_template(value) } else { hidden(value) }
}
