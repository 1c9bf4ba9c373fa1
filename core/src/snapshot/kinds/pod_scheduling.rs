//! This module decodes the fields of Pods that only the scheduler reads, and decides which of them may leave the
//! cluster.

use super::persistent_volume::{NodeTerms, azure_kind, is_disk_id};
use super::pod::{Container, PodSpec, PodStatusObject, PodVolume};
use crate::model::{
    Disk, DiskKind, HostPort, NodeFeature, PodAffinityTerm, PodPhase, PodScheduling, SpreadConstraint, Str, Toleration,
    TolerationOperator,
};
use crate::snapshot::decode::wire::{LabelTerms, List, Quantities, Text, object};
use crate::snapshot::redact::{each, each_item, hidden, keep, only};
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::sync::Arc;

object!(PodAffinities {
    node: NodeAffinity = "nodeAffinity",
    pod: PodTerms = "podAffinity",
    anti: PodTerms = "podAntiAffinity",
});

object!(NodeAffinity { required: Option<NodeTerms> = "requiredDuringSchedulingIgnoredDuringExecution" });

object!(PodTerms { required: List<PodTerm> = "requiredDuringSchedulingIgnoredDuringExecution" });

object!(PodTerm {
    topology_key: Text = "topologyKey",
    selector: Option<LabelTerms> = "labelSelector",
    namespaces: List<Text> = "namespaces",
    namespace_selector: Option<LabelTerms> = "namespaceSelector",
});

object!(TolerationObject {
    key: Text = "key",
    operator: Text = "operator",
    value: Text = "value",
    effect: Text = "effect"
});

object!(Spread {
    max_skew: Option<i64> = "maxSkew",
    topology_key: Text = "topologyKey",
    unsatisfiable: Text = "whenUnsatisfiable",
    selector: Option<LabelTerms> = "labelSelector",
    match_label_keys: List<Text> = "matchLabelKeys",
    min_domains: Option<i64> = "minDomains",
    affinity_policy: Text = "nodeAffinityPolicy",
    taints_policy: Text = "nodeTaintsPolicy",
});

object!(Port { ip: Text = "hostIP", protocol: Text = "protocol", number: Option<i64> = "hostPort" });

object!(Resources { requests: Quantities = "requests", limits: Quantities = "limits" });

object!(DiskSource {
    name: Text = "pdName",
    volume: Text = "volumeID",
    iqn: Text = "iqn",
    image: Text = "image",
    pool: Text = "pool",
    monitors: List<Text> = "monitors",
    uri: Text = "diskURI",
    azure_kind: Text = "kind",
    read_only: Option<bool> = "readOnly",
});

/// The sources of volumes that name a disk, with the fields that stay in a redacted pod. [`disk_source`] decides about
/// `diskURI`.
pub(super) const DISKS: [(&str, &[&str]); 7] = [
    ("gcePersistentDisk", &["pdName", "readOnly"]),
    ("awsElasticBlockStore", &["readOnly", "volumeID"]),
    ("iscsi", &["iqn", "readOnly"]),
    ("rbd", &["image", "monitors", "pool", "readOnly"]),
    ("azureDisk", &["kind", "readOnly"]),
    ("cinder", &["readOnly", "volumeID"]),
    ("portworxVolume", &["readOnly", "volumeID"]),
];

/// Returns the pod's fields for the scheduler. The value is `None` if all of these fields are empty. A pod that has
/// ended has only its disks, because the scheduler ignores such a pod.
pub(super) fn scheduling(spec: &PodSpec, status: &PodStatusObject) -> Option<Box<PodScheduling>> {
    let disks: Box<[Disk]> = spec.volumes.0.iter().filter_map(disk).collect();
    if matches!(PodPhase::from_manifest(&status.phase.0), PodPhase::Succeeded | PodPhase::Failed) {
        return (!disks.is_empty()).then(|| Box::new(PodScheduling { disks, ..PodScheduling::default() }));
    }
    let affinity = &spec.affinity;
    let made = PodScheduling {
        gates: spec.gates.0.iter().map(|gate| gate.name.0.clone()).collect(),
        node_selector: spec.node_selector.0.as_slice().into(),
        node_affinity: affinity.node.required.as_ref().map(NodeTerms::selector),
        tolerations: tolerations(spec),
        requests: whole(requests(spec, status).into_iter()),
        host_ports: host_ports(spec),
        spread: spec.spread.0.iter().filter_map(spread).collect(),
        affinity: affinity.pod.required.0.iter().map(term).collect(),
        anti_affinity: affinity.anti.required.0.iter().map(term).collect(),
        disks,
        features: features(spec),
        device_claims: !spec.device_claims.0.is_empty(),
        priority: spec.priority.unwrap_or_default(),
        never_preempts: spec.preemption_policy.0 == "Never",
    };
    (made != PodScheduling::default()).then(|| Box::new(made))
}

fn tolerations(spec: &PodSpec) -> Arc<[Toleration]> {
    let stated: Vec<Toleration> = spec.tolerations.0.iter().map(toleration).collect();
    let default = Toleration::by_default();
    if stated == **default { Arc::clone(default) } else { stated.into() }
}

fn toleration(object: &TolerationObject) -> Toleration {
    Toleration {
        key: object.key.0.clone(),
        operator: match object.operator.0.as_str() {
            "" | "Equal" => TolerationOperator::Equal,
            "Exists" => TolerationOperator::Exists,
            other => TolerationOperator::Other(other.into()),
        },
        value: object.value.0.clone(),
        effect: object.effect.0.clone(),
    }
}

/// Returns the constraint, if it is required and not only preferred.
fn spread(object: &Spread) -> Option<SpreadConstraint> {
    (object.unsatisfiable.0 == "DoNotSchedule").then(|| SpreadConstraint {
        max_skew: object.max_skew.unwrap_or_default(),
        topology_key: object.topology_key.0.clone(),
        selector: object.selector.as_ref().map(LabelTerms::selector),
        match_label_keys: object.match_label_keys.0.iter().map(|key| key.0.clone()).collect(),
        min_domains: object.min_domains.unwrap_or(1),
        honors_affinity: object.affinity_policy.0 != "Ignore",
        honors_taints: object.taints_policy.0 == "Honor",
    })
}

fn term(object: &PodTerm) -> PodAffinityTerm {
    PodAffinityTerm {
        topology_key: object.topology_key.0.clone(),
        selector: object.selector.as_ref().map(LabelTerms::selector),
        namespaces: object.namespaces.0.iter().map(|namespace| namespace.0.clone()).collect(),
        namespace_selector: object.namespace_selector.as_ref().map(LabelTerms::selector),
    }
}

/// Returns the host ports of all containers that run as long as the pod. Upstream: `GetHostPorts`,
/// `pkg/scheduler/util`, 1.36.
fn host_ports(spec: &PodSpec) -> Box<[HostPort]> {
    let sidecars = spec.init_containers.0.iter().filter(|container| container.is_sidecar());
    let all = sidecars.map(|container| (true, container)).chain(spec.containers.0.iter().map(|other| (false, other)));
    all.flat_map(|(of_sidecar, container)| container.ports.0.iter().map(move |port| (of_sidecar, port)))
        .filter_map(|(of_sidecar, port)| {
            let number = port.number.filter(|number| *number > 0)?;
            let protocol = if port.protocol.0 == "TCP" { Str::default() } else { port.protocol.0.clone() };
            Some(HostPort { ip: port.ip.0.clone(), protocol, port: number, of_sidecar })
        })
        .collect()
}

/// Returns the features that a node has to declare. Upstream: `InferForPodScheduling`, component-helpers, 1.36. Other
/// features only matter for updates.
fn features(spec: &PodSpec) -> Box<[NodeFeature]> {
    let mut containers = spec.init_containers.0.iter().chain(&spec.containers.0);
    let restarts_all = containers
        .any(|container| container.restart_rules.0.iter().any(|rule| rule.action.0 == "RestartAllContainers"));
    let has_own_users = spec.host_network == Some(true) && spec.host_users == Some(false);
    let needed = [
        (restarts_all, NodeFeature::RestartAllContainersOnContainerExits),
        (has_own_users, NodeFeature::UserNamespacesHostNetworkSupport),
    ];
    needed.into_iter().filter(|(needed, _)| *needed).map(|(_, feature)| feature).collect()
}

/// Returns the first disk that the volume names. The API server would refuse more than one source.
fn disk(volume: &PodVolume) -> Option<Disk> {
    let sources = [
        (&volume.gce, DiskKind::GcePersistentDisk),
        (&volume.aws, DiskKind::AwsElasticBlockStore),
        (&volume.iscsi, DiskKind::Iscsi),
        (&volume.rbd, DiskKind::Rbd),
        (&volume.azure, DiskKind::AzureDisk),
        (&volume.cinder, DiskKind::Cinder),
        (&volume.portworx, DiskKind::Portworx),
    ];
    let (source, kind) = sources.into_iter().find_map(|(source, kind)| Some((source.as_ref()?, kind)))?;
    let id = match kind {
        DiskKind::GcePersistentDisk => source.name.0.clone(),
        DiskKind::AwsElasticBlockStore | DiskKind::Cinder | DiskKind::Portworx => source.volume.0.clone(),
        DiskKind::Iscsi => source.iqn.0.clone(),
        DiskKind::Rbd => source.image.0.clone(),
        DiskKind::AzureDisk if is_disk_id(&source.uri.0) => source.uri.0.clone(),
        DiskKind::AzureDisk => Str::default(),
    };
    let pool = match kind {
        DiskKind::Rbd if source.pool.0.is_empty() => "rbd".into(),
        DiskKind::Rbd => source.pool.0.clone(),
        _ => Str::default(),
    };
    let monitors = if kind == DiskKind::Rbd { source.monitors.0.as_slice() } else { &[] };
    Some(Disk {
        name: volume.name.0.clone(),
        kind,
        id,
        azure_kind: if kind == DiskKind::AzureDisk { azure_kind(&source.azure_kind.0) } else { Str::default() },
        pool,
        monitors: monitors.iter().map(|monitor| monitor.0.clone()).collect(),
        read_only: source.read_only.unwrap_or_default(),
    })
}

/// Resources in billionths of their units, by name.
type Billionths = BTreeMap<Str, i128>;

fn plus(sum: &mut Billionths, other: &Billionths) {
    for (name, amount) in other {
        let before = sum.entry(name.clone()).or_default();
        *before = before.saturating_add(*amount);
    }
}

fn largest(sum: &mut Billionths, other: &Billionths) {
    for (name, amount) in other {
        sum.entry(name.clone()).and_modify(|before| *before = (*before).max(*amount)).or_insert(*amount);
    }
}

fn billionths(amounts: &Quantities) -> Billionths {
    amounts.0.iter().map(|(name, amount)| (name.clone(), amount.quantity.nanos())).collect()
}

impl Resources {
    /// Returns the requests. If a resource has a limit and no request, the limit is the request, as the API server
    /// stores it (`SetDefaults_Pod`, `pkg/apis/core/v1`, 1.36).
    fn requested(&self) -> Billionths {
        let mut requested = billionths(&self.limits);
        requested.extend(billionths(&self.requests));
        requested
    }
}

/// Returns the resources that the pod requests. What the kubelet has granted in a resize is used only for a pod that
/// has a node. Upstream: `PodRequests`, component-helpers, and `CalculateResource`, `pkg/scheduler/framework`, 1.36.
fn requests(spec: &PodSpec, status: &PodStatusObject) -> Billionths {
    let counts_status = !spec.node_name.0.is_empty();
    let is_infeasible = status
        .conditions
        .0
        .iter()
        .find(|condition| condition.kind.0 == "PodResizePending")
        .is_some_and(|condition| condition.reason.0 == "Infeasible");
    let effective = |stated: Billionths, granted: &Quantities, allocated: &Quantities| {
        let mut all = if is_infeasible { Billionths::new() } else { stated };
        largest(&mut all, &billionths(granted));
        largest(&mut all, &billionths(allocated));
        all
    };
    let of_container = |container: &Container, counts_status: bool| {
        let stated = container.resources.requested();
        let statuses = [&status.containers, &status.init_containers];
        let found = statuses.into_iter().rev().flat_map(|list| list.0.iter().rev());
        let found = found.into_iter().find(|one| one.name.0 == container.name.0);
        match found.and_then(|found| Some((found.resources.as_ref()?, &found.allocated))) {
            Some((granted, allocated)) if counts_status => effective(stated, &granted.requests, allocated),
            _ => stated,
        }
    };
    let mut sum = Billionths::new();
    for container in &spec.containers.0 {
        plus(&mut sum, &of_container(container, counts_status));
    }
    let (mut sidecars, mut initial) = (Billionths::new(), Billionths::new());
    for container in &spec.init_containers.0 {
        let mut used = of_container(container, counts_status && container.is_sidecar());
        if container.is_sidecar() {
            plus(&mut sum, &used);
            plus(&mut sidecars, &used);
            used.clone_from(&sidecars);
        } else {
            plus(&mut used, &sidecars);
        }
        largest(&mut initial, &used);
    }
    largest(&mut sum, &initial);
    let is_pod_level = |name: &str| matches!(name, "cpu" | "memory") || name.starts_with("hugepages-");
    let stated = spec.resources.requested();
    if stated.keys().any(|name| is_pod_level(name)) {
        let granted = status.resources.as_ref().filter(|_| counts_status);
        let all = granted.map(|granted| effective(stated.clone(), &granted.requests, &status.allocated));
        for (name, amount) in stated.into_iter().filter(|(name, _)| is_pod_level(name)) {
            let amount = all.as_ref().map_or(amount, |all| all.get(&name).copied().unwrap_or_default());
            sum.insert(name, amount);
        }
    }
    plus(&mut sum, &billionths(&spec.overhead));
    sum
}

/// Returns the amounts as the scheduler counts them: thousandths of `cpu`, and whole units of everything else, rounded
/// up. Upstream: `Add` of `Resource`, `pkg/scheduler/framework`, 1.36.
pub(super) fn whole(amounts: impl Iterator<Item = (Str, i128)>) -> Box<[(Str, i64)]> {
    amounts
        .map(|(name, billionths)| {
            let unit = if name == "cpu" { 1_000_000 } else { 1_000_000_000 };
            let rounded = billionths.unsigned_abs().div_ceil(unit).cast_signed() * billionths.signum();
            let most = if rounded > 0 { i64::MAX } else { i64::MIN };
            (name, i64::try_from(rounded).unwrap_or(most))
        })
        .collect()
}

const REQUIRED: &str = "requiredDuringSchedulingIgnoredDuringExecution";

/// The fields of a claim for devices. All of them are names.
const DEVICE_CLAIM: [&str; 3] = ["name", "resourceClaimName", "resourceClaimTemplateName"];

/// Adds to the redacted specification of a pod the fields that only the scheduler reads.
pub(super) fn redact_spec(spec: &Value, kept: &mut Map<String, Value>) {
    let Value::Object(fields) = spec else { return };
    for (name, value) in fields {
        let value = match name.as_str() {
            "hostNetwork"
            | "hostUsers"
            | "nodeSelector"
            | "overhead"
            | "preemptionPolicy"
            | "priority"
            | "tolerations"
            | "topologySpreadConstraints" => value.clone(),
            "resourceClaims" => each_item(value.clone(), |claim| only(claim, &DEVICE_CLAIM)),
            "affinity" => {
                let parts = only(value.clone(), &["nodeAffinity", "podAffinity", "podAntiAffinity"]);
                each(parts, |_, part| only(part, &[REQUIRED]))
            }
            "resources" => resources(value.clone()),
            _ => continue,
        };
        kept.insert(name.clone(), value);
    }
    for list in ["containers", "initContainers"] {
        let (Some(Value::Array(from)), Some(Value::Array(to))) = (fields.get(list), kept.get_mut(list)) else {
            continue;
        };
        for (from, to) in from.iter().zip(to) {
            let (Value::Object(from), Value::Object(to)) = (from, to) else { continue };
            for (name, value) in from {
                let value = match name.as_str() {
                    "ports" => ports(value.clone()),
                    "resources" => resources(value.clone()),
                    "restartPolicy" | "restartPolicyRules" => value.clone(),
                    _ => continue,
                };
                to.insert(name.clone(), value);
            }
        }
    }
}

/// Redacts resources. Only the limits and requests stay: the names of claims for devices are left out.
pub(super) fn resources(value: Value) -> Value {
    keep(only(value, &["limits", "requests"]), &["limits", "requests"])
}

/// Redacts the ports of a container. Only the ports with a `hostPort` stay.
fn ports(value: Value) -> Value {
    let Value::Array(ports) = value else { return hidden(value) };
    let is_read = |port: &Value| !port.is_object() || port.get("hostPort").is_some();
    let known = ["containerPort", "hostIP", "hostPort", "protocol"];
    let kept = ports.into_iter().filter(is_read).map(|port| keep(only(port, &known), &known));
    Value::Array(kept.collect())
}

/// Redacts a source of a volume that names a disk.
pub(super) fn disk_source(source: &str, value: Value) -> Value {
    let read = DISKS.into_iter().find(|(name, _)| *name == source).map_or(&[] as &[&str], |(_, read)| read);
    each(value, |field, value| match value {
        Value::String(id) if source == "azureDisk" && field == "diskURI" && is_disk_id(&id) => Value::String(id),
        value if read.contains(&field) => value,
        value => hidden(value),
    })
}

/// Adds to a redacted status what the kubelet has granted to the containers and to the pod.
pub(super) fn redact_status(status: &Value, kept: &mut Value) {
    let add = |from: &Value, to: &mut Value| {
        if let Some(to) = to.as_object_mut() {
            for (name, keeps) in [("allocatedResources", false), ("resources", true)] {
                if let Some(value) = from.get(name) {
                    to.insert(name.to_owned(), if keeps { resources(value.clone()) } else { value.clone() });
                }
            }
        }
    };
    add(status, kept);
    for list in ["containerStatuses", "initContainerStatuses"] {
        if let (Some(from), Some(to)) =
            (status.get(list).and_then(Value::as_array), kept.get_mut(list).and_then(Value::as_array_mut))
        {
            from.iter().zip(to).for_each(|(from, to)| add(from, to));
        }
    }
}
