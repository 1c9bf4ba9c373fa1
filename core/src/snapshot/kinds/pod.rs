//! This module decodes Pods, and decides which of their fields may leave the cluster.

use super::persistent_volume_claim::{ClaimTemplate, claim_template, template_of};
use super::pod_scheduling::{
    DISKS, DiskSource, PodAffinities, Port, Resources, Spread, TolerationObject, disk_source, redact_spec,
    redact_status, scheduling,
};
use super::{ApiGates, Parts, Snapshot, Stored, Writable};
use crate::model::{
    ClaimVolume, ContainerState, ContainerStatus, EphemeralVolume, NfsVolume, Pod, PodPhase, Str, VolumeUse,
};
use crate::snapshot::decode::wire::{
    LabelMap, List, Meta, Moment, Quantities, StatusCondition, Text, conditions, object,
};
use crate::snapshot::decode::{Context, Failure};
use crate::snapshot::redact::{each, each_item, hidden, keep, only, status};
use serde_json::{Map, Value, json};
use std::collections::BTreeSet;
use std::iter;

object!(PodObject { metadata: Meta = "metadata", spec: PodSpec = "spec", status: PodStatusObject = "status" });

object!(PodSpec {
    node_name: Text = "nodeName",
    volumes: List<PodVolume> = "volumes",
    scheduler_name: Text = "schedulerName",
    gates: List<Named> = "schedulingGates",
    node_selector: LabelMap = "nodeSelector",
    affinity: PodAffinities = "affinity",
    tolerations: List<TolerationObject> = "tolerations",
    spread: List<Spread> = "topologySpreadConstraints",
    resources: Resources = "resources",
    overhead: Quantities = "overhead",
    host_network: Option<bool> = "hostNetwork",
    host_users: Option<bool> = "hostUsers",
    device_claims: List<Named> = "resourceClaims",
    priority: Option<i64> = "priority",
    preemption_policy: Text = "preemptionPolicy",
    containers: List<Container> = "containers",
    init_containers: List<Container> = "initContainers",
    ephemeral_containers: List<Container> = "ephemeralContainers",
});

object!(Container {
    name: Text = "name",
    mounts: List<Named> = "volumeMounts",
    devices: List<Named> = "volumeDevices",
    ports: List<Port> = "ports",
    resources: Resources = "resources",
    restart_policy: Text = "restartPolicy",
    restart_rules: List<RestartRule> = "restartPolicyRules",
});

object!(RestartRule { action: Text = "action" });

impl Container {
    /// Returns whether an init container is a sidecar, which runs as long as the pod.
    pub(super) fn is_sidecar(&self) -> bool {
        self.restart_policy.0 == "Always"
    }
}

object!(Named { name: Text = "name" });

object!(PodVolume {
    name: Text = "name",
    claim: Option<ClaimSource> = "persistentVolumeClaim",
    ephemeral: Option<EphemeralSource> = "ephemeral",
    nfs: Option<NfsSource> = "nfs",
    gce: Option<DiskSource> = "gcePersistentDisk",
    aws: Option<DiskSource> = "awsElasticBlockStore",
    iscsi: Option<DiskSource> = "iscsi",
    rbd: Option<DiskSource> = "rbd",
    azure: Option<DiskSource> = "azureDisk",
    cinder: Option<DiskSource> = "cinder",
    portworx: Option<DiskSource> = "portworxVolume",
});

object!(NfsSource { server: Text = "server" });

object!(ClaimSource { name: Text = "claimName", read_only: Option<bool> = "readOnly" });

object!(EphemeralSource { template: ClaimTemplate = "volumeClaimTemplate" });

object!(PodStatusObject {
    phase: Text = "phase",
    started: Moment = "startTime",
    conditions: List<StatusCondition> = "conditions",
    containers: List<ContainerObject> = "containerStatuses",
    init_containers: List<ContainerObject> = "initContainerStatuses",
    ephemeral_containers: List<ContainerObject> = "ephemeralContainerStatuses",
    resources: Option<Resources> = "resources",
    allocated: Quantities = "allocatedResources",
});

object!(ContainerObject {
    name: Text = "name",
    state: StateObject = "state",
    resources: Option<Resources> = "resources",
    allocated: Quantities = "allocatedResources",
});

object!(StateObject {
    waiting: Option<WaitingObject> = "waiting",
    running: Option<RunningObject> = "running",
    terminated: Option<TerminatedObject> = "terminated",
});

object!(RunningObject { started: Moment = "startedAt" });

object!(WaitingObject { reason: Text = "reason", message: Text = "message" });

object!(TerminatedObject { reason: Text = "reason" });

impl Stored for Pod {
    fn decode(at: &Context<'_>) -> Result<Option<Self>, Failure> {
        pod(at, at.parse()?).map(Some)
    }

    fn redact(field: &str, value: Value) -> Option<Value> {
        match field {
            "spec" => {
                let mut kept = pod_spec(value.clone());
                if let Value::Object(kept) = &mut kept {
                    redact_spec(&value, kept);
                }
                Some(kept)
            }
            "status" => {
                let mut kept = pod_status(value.clone());
                redact_status(&value, &mut kept);
                Some(kept)
            }
            _ => None,
        }
    }

    fn changes<'o>(before: &'o Self, after: &'o Self) -> Parts<'o> {
        let mut parts = Parts::default();
        parts.spec.text("nodeName", &before.node_name, &after.node_name);
        parts
    }
}

impl Writable for Pod {
    fn keep_all_but_status(&mut self, stored: &Self) {
        self.node_name.clone_from(&stored.node_name);
    }

    fn keep_status(&mut self, stored: &Self) {
        self.phase.clone_from(&stored.phase);
        self.conditions.clone_from(&stored.conditions);
    }

    fn begin(&mut self, _: &Snapshot, _: ApiGates) {
        self.phase = PodPhase::Pending;
    }
}

fn pod(at: &Context<'_>, object: PodObject) -> Result<Pod, Failure> {
    let controller = object.metadata.owners.0.iter().find(|owner| owner.controller == Some(true));
    let (owner_kind, owner_name) =
        controller.map(|owner| (owner.kind.0.clone(), owner.name.0.clone())).unwrap_or_default();
    let meta = at.meta(object.metadata)?;
    let spec = object.spec;
    let used = |volume: &str| {
        let lists = [&spec.containers.0, &spec.init_containers.0, &spec.ephemeral_containers.0];
        let mut containers = lists.into_iter().flatten();
        let names = |list: &List<Named>| list.0.iter().any(|named| named.name.0 == volume);
        VolumeUse {
            as_file_system: containers.clone().any(|container| names(&container.mounts)),
            as_device: containers.any(|container| names(&container.devices)),
        }
    };
    let scheduling = scheduling(&spec, &object.status);
    let exports = spec.volumes.0.iter().filter_map(|volume| {
        let server = volume.nfs.as_ref().map(|nfs| nfs.server.0.clone()).filter(|server| !server.is_empty())?;
        Some(NfsVolume { name: volume.name.0.clone(), server })
    });
    let nfs = exports.collect();
    let (claims, ephemeral) = used_claims(spec.volumes);
    let of_claim = |volume: ClaimVolume| ClaimVolume { used: used(&volume.name), ..volume };
    let of_pod = |(place, name, template): (u16, Str, ClaimTemplate)| {
        let claim = Str::from(format!("{}-{name}", meta.name));
        let template = template_of(template, meta.namespace.clone(), claim);
        EphemeralVolume { used: used(&name), place, name, template }
    };
    let claims = claims.into_iter().map(of_claim).collect();
    let ephemeral = ephemeral.into_iter().map(of_pod).collect();
    let status = object.status;
    // Upstream: `notRunning`, `pkg/volume/util`, 1.36. A container that is neither waiting nor terminated is regarded
    // as running.
    let running_container = [&status.containers, &status.init_containers, &status.ephemeral_containers]
        .into_iter()
        .flat_map(|statuses| &statuses.0)
        .any(|container| container.state.terminated.is_none() && container.state.waiting.is_none());
    let running = status.containers.0.iter().filter_map(|container| container.state.running.as_ref());
    let containers_started = running.filter_map(|running| running.started.0).min();
    let phase = PodPhase::from_manifest(&status.phase.0);
    let waits = matches!(phase, PodPhase::Empty | PodPhase::Pending);
    let is_told =
        |condition: &StatusCondition| waits || condition.status.0 != "True" || !condition.message.0.is_empty();
    let init = status.init_containers.0.into_iter().map(|object| (true, object));
    let containers = init.chain(status.containers.0.into_iter().map(|object| (false, object)));
    Ok(Pod {
        meta,
        node_name: spec.node_name.0,
        phase,
        claims,
        ephemeral,
        running_container,
        containers_started,
        scheduler_name: match spec.scheduler_name.0 {
            // The API server sets this name by default. The model has an empty name instead, because almost all pods
            // have this scheduler.
            name if name == "default-scheduler" => Str::default(),
            name => name,
        },
        owner_kind,
        owner_name,
        gated: !spec.gates.0.is_empty(),
        started: status.started.0,
        conditions: conditions(status.conditions.0.into_iter().filter(is_told)),
        containers: containers.filter_map(container_status).collect(),
        nfs,
        scheduling,
    })
}

/// Returns the status of a container. The value is `None` for a container that runs.
fn container_status((is_init, object): (bool, ContainerObject)) -> Option<ContainerStatus> {
    let state = match (object.state.waiting, object.state.terminated) {
        (Some(waiting), _) => ContainerState::Waiting { reason: waiting.reason.0, message: waiting.message.0 },
        (None, Some(terminated)) => ContainerState::Terminated { reason: terminated.reason.0 },
        (None, None) => return None,
    };
    Some(ContainerStatus { name: object.name.0, is_init, state })
}

/// Returns the volumes that use claims, with the names of the claims, and the generic ephemeral volumes, with their
/// positions and claim templates.
pub(super) fn used_claims(volumes: List<PodVolume>) -> (Vec<ClaimVolume>, Vec<(u16, Str, ClaimTemplate)>) {
    let (mut claims, mut ephemeral_volumes) = (Vec::new(), Vec::new());
    let with_claim = volumes.0.into_iter().filter(|volume| volume.claim.is_some() || volume.ephemeral.is_some());
    for (place, volume) in (0..u16::MAX).chain(iter::repeat(u16::MAX)).zip(with_claim) {
        // The API server refuses a volume that has both sources. If there is such a volume, upstream reads only the
        // claim.
        if let Some(claim) = volume.claim {
            if !claim.name.0.is_empty() {
                let read_only = claim.read_only == Some(true);
                let used = VolumeUse::default();
                claims.push(ClaimVolume { name: volume.name.0, claim: claim.name.0, read_only, used, place });
            }
        } else if let Some(source) = volume.ephemeral {
            ephemeral_volumes.push((place, volume.name.0, source.template));
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
    let volumes = kept.get("volumes").and_then(Value::as_array).into_iter().flatten();
    let names: BTreeSet<String> =
        volumes.filter_map(|volume| volume.get("name")?.as_str()).map(str::to_owned).collect();
    for list in ["containers", "initContainers", "ephemeralContainers"] {
        if let Some(containers) = fields.remove(list) {
            kept.insert(list.to_owned(), each_item(containers, |one| container(one, &names)));
        }
    }
    Value::Object(kept)
}

/// Redacts a container. Its name stays, and so do the names of its volumes that stay in the pod. The API server
/// requires a unique path for each volume, so a path made from the name of the volume replaces the real path.
fn container(value: Value, volumes: &BTreeSet<String>) -> Value {
    each(only(value, &["image", "name", "volumeDevices", "volumeMounts"]), |key, value| match key {
        "name" => value,
        "volumeMounts" => uses(value, "mountPath", volumes),
        "volumeDevices" => uses(value, "devicePath", volumes),
        _ => hidden(value),
    })
}

/// Redacts the list of the volumes that a container uses. Each volume stays once if its name is in `volumes`. All
/// others are left out.
fn uses(value: Value, path: &str, volumes: &BTreeSet<String>) -> Value {
    let Value::Array(items) = value else { return hidden(value) };
    let stays = |item: &Value| {
        let name = item.get("name").and_then(Value::as_str);
        name.filter(|name| volumes.contains(*name)).map(str::to_owned)
    };
    let used: BTreeSet<String> = items.iter().filter_map(stays).collect();
    used.into_iter().map(|name| json!({ "name": name, path: format!("/{name}") })).collect()
}

/// Redacts a volume of a pod. Only volumes that use a claim, an NFS export or a disk stay, because no answer reads the
/// others. A value that is not an object cannot be decoded. It stays in hidden form, so the redacted pod cannot be
/// decoded either. The same is true of a volume whose name is not a string.
fn pod_volume(volume: Value) -> Option<Value> {
    let Value::Object(fields) = volume else { return Some(hidden(volume)) };
    let is_disk = |source: &str| DISKS.iter().any(|(disk, _)| *disk == source);
    let is_read =
        fields.keys().any(|key| matches!(key.as_str(), "persistentVolumeClaim" | "ephemeral" | "nfs") || is_disk(key));
    let is_named = matches!(fields.get("name"), None | Some(Value::Null | Value::String(_)));
    let fields = fields.into_iter().filter_map(|(key, value)| match key.as_str() {
        "name" => Some((key, if is_named { value } else { hidden(value) })),
        "persistentVolumeClaim" => Some((key, keep(value, &["claimName", "readOnly"]))),
        "ephemeral" => Some((key, each(value, ephemeral_field))),
        "nfs" => Some((key, keep(value, &["path", "readOnly", "server"]))),
        disk if is_disk(disk) => {
            let source = disk_source(disk, value);
            Some((key, source))
        }
        _ => None,
    });
    (is_read || !is_named).then(|| Value::Object(fields.collect()))
}

fn pod_status(value: Value) -> Value {
    const CONTAINERS: [&str; 3] = ["containerStatuses", "ephemeralContainerStatuses", "initContainerStatuses"];
    each(status(value, &[&CONTAINERS[..], &["phase", "startTime"]].concat()), |key, value| {
        if CONTAINERS.contains(&key) { each_item(value, container_state) } else { value }
    })
}

/// Redacts the status of a container. The message of a waiting container stays, because the kubelet wrote it. A
/// container that ended wrote its message itself, so that message does not leave the cluster.
fn container_state(value: Value) -> Value {
    each(only(value, &["image", "imageID", "name", "ready", "restartCount", "state"]), |key, value| match key {
        "name" => value,
        "state" => each(value, |state, value| match state {
            "waiting" => keep(only(value, &["message", "reason"]), &["message", "reason"]),
            "terminated" => keep(only(value, &["exitCode", "reason"]), &["reason"]),
            "running" => only(value, &["startedAt"]),
            _ => hidden(only(value, &[])),
        }),
        _ => hidden(value),
    })
}

fn ephemeral_field(key: &str, value: Value) -> Value {
    if key == "volumeClaimTemplate" { claim_template(value) } else { hidden(value) }
}
