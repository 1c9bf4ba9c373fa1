//! Writes a world as manifests, as an API server would store them, with many fields that no decision reads.

use crate::support::worlds::quantity;
use pvctl::model::surroundings::Condition;
use pvctl::model::{
    AccessMode, AccessModes, Amount, Annotations, BindingMode, ClaimDetails, ClaimVolume, ContainerState,
    ContainerStatus, DataSource, EphemeralVolume, Kind, LabelSelector, Node, NodeOperator, NodeRequirement,
    NodeSelector, NodeSelectorTerm, ObjectMeta, Owner, PersistentVolume, PersistentVolumeClaim, Pod, PodPhase,
    ReclaimPolicy, ResourceVersion, SourceKind, StorageClass, Str, Timestamp, VolumeMode,
};
use pvctl::snapshot::Parts;
use serde_json::{Map, Value, json};
use std::sync::Arc;

/// The text that no snapshot may contain.
pub(super) const SECRET: &str = "s3cret";

/// Sets a field unless its text is empty, because the API server omits empty fields.
fn put(object: &mut Value, field: &str, text: &str) {
    if !text.is_empty() {
        object[field] = text.into();
    }
}

fn maybe(object: &mut Value, field: &str, text: Option<&str>) {
    if let Some(text) = text {
        object[field] = text.into();
    }
}

fn texts(list: &[Str]) -> Value {
    list.iter().map(Str::as_str).collect()
}

fn modes(modes: &AccessModes) -> Value {
    modes.0.iter().map(AccessMode::as_str).collect()
}

fn quantities(capacity: &[(Str, Amount)]) -> Value {
    Value::Object(capacity.iter().map(|(name, size)| (name.to_string(), size.to_string().into())).collect())
}

fn pairs(labels: &[(Str, Str)]) -> Value {
    Value::Object(labels.iter().map(|(key, value)| (key.to_string(), value.as_str().into())).collect())
}

pub(super) fn selector(selector: &LabelSelector) -> Value {
    let expressions = selector.expressions.iter().map(|requirement| {
        json!({
            "key": requirement.key.as_str(), "operator": requirement.operator.as_str(),
            "values": texts(&requirement.values),
        })
    });
    json!({"matchLabels": pairs(&selector.match_labels), "matchExpressions": expressions.collect::<Value>()})
}

fn affinity(selector: &NodeSelector) -> Value {
    let requirements = |list: &[NodeRequirement]| {
        let one = |requirement: &NodeRequirement| {
            json!({
                "key": requirement.key.as_str(), "operator": requirement.operator.as_str(),
                "values": texts(&requirement.values),
            })
        };
        list.iter().map(one).collect::<Value>()
    };
    let terms = selector.terms.iter().map(
        |term| json!({"matchExpressions": requirements(&term.expressions), "matchFields": requirements(&term.fields)}),
    );
    json!({"required": {"nodeSelectorTerms": terms.collect::<Value>()}})
}

pub(super) fn object(kind: Kind, meta: &ObjectMeta) -> Value {
    let annotations = meta.annotations.iter().map(|(key, value)| (key.as_str().to_owned(), Value::from(value)));
    let mut annotations: Map<String, Value> = annotations.collect();
    annotations.insert("example.com/token".to_owned(), SECRET.into());
    let ResourceVersion::Recorded(version) = &meta.resource_version else { panic!("{meta:?} was never read") };
    let mut metadata = json!({
        "name": meta.name.as_str(), "labels": pairs(&meta.labels), "finalizers": texts(&meta.finalizers),
        "annotations": annotations, "managedFields": [{"manager": SECRET, "fieldsV1": {"f:spec": {}}}],
    });
    for (field, text) in [("namespace", &meta.namespace), ("uid", &meta.uid), ("resourceVersion", version)] {
        put(&mut metadata, field, text);
    }
    for (field, moment) in [("creationTimestamp", meta.created), ("deletionTimestamp", meta.deleted)] {
        maybe(&mut metadata, field, moment.map(|moment| moment.to_string()).as_deref());
    }
    if let Some(seconds) = meta.deletion_grace_seconds {
        metadata["deletionGracePeriodSeconds"] = seconds.into();
    }
    if let Some(owner) = &meta.controller_owner {
        metadata["ownerReferences"] = json!([
            {"apiVersion": "v1", "kind": "Pod", "name": "other", "uid": "other"},
            {"apiVersion": "v1", "kind": "Pod", "name": "owner", "uid": owner.as_str(), "controller": true},
        ]);
    }
    json!({"apiVersion": kind.api_version(), "kind": kind.as_str(), "metadata": metadata})
}

pub(super) fn volume(volume: &PersistentVolume) -> Value {
    let mut spec = json!({
        "capacity": quantities(&volume.capacity), "accessModes": modes(&volume.access_modes),
        "persistentVolumeReclaimPolicy": volume.reclaim_policy.as_str(), "mountOptions": [format!("password={SECRET}")],
    });
    put(&mut spec, "storageClassName", &volume.class_name);
    maybe(&mut spec, "volumeAttributesClassName", volume.attributes_class.as_deref());
    maybe(&mut spec, "volumeMode", volume.volume_mode.as_ref().map(VolumeMode::as_str));
    if let Some(named) = &volume.claim_ref {
        let mut reference = json!({});
        for (field, text) in [
            ("apiVersion", &named.api_version),
            ("kind", &named.kind),
            ("namespace", &named.namespace),
            ("name", &named.name),
            ("uid", &named.uid),
            ("resourceVersion", &named.resource_version),
            ("fieldPath", &named.field_path),
        ] {
            put(&mut reference, field, text);
        }
        spec["claimRef"] = reference;
    }
    if let Some(required) = &volume.node_affinity {
        spec["nodeAffinity"] = affinity(required);
    }
    let (detail, handle) = (volume.source.detail.as_str(), volume.source.handle.as_str());
    match &volume.source.kind {
        SourceKind::Csi => {
            spec["csi"] = json!({
                "driver": detail, "volumeHandle": handle, "volumeAttributes": {"password": SECRET},
                "nodeStageSecretRef": {"name": "n", "namespace": "ns"},
            });
        }
        SourceKind::HostPath => spec["hostPath"] = json!({"path": detail}),
        SourceKind::Nfs => spec["nfs"] = json!({"server": detail, "path": handle}),
        SourceKind::Local => spec["local"] = json!({"path": detail, "fsType": "ext4"}),
        SourceKind::None => {}
        SourceKind::Other(field) if field == "rbd" => {
            let (pool, image) = handle.split_once('/').unwrap_or_default();
            spec["rbd"] = json!({"keyring": SECRET, "monitors": [detail], "pool": pool, "image": image});
        }
        SourceKind::Other(field) => spec[field.as_str()] = json!({"keyring": SECRET, "path": "/"}),
    }
    let mut status = json!({"reason": "r"});
    put(&mut status, "phase", volume.status.phase.as_str());
    put(&mut status, "message", &volume.status.message);
    let changed = volume.status.last_phase_transition.map(|moment| moment.to_string());
    maybe(&mut status, "lastPhaseTransitionTime", changed.as_deref());
    let mut object = object(Kind::PersistentVolume, &volume.meta);
    object["spec"] = spec;
    object["status"] = status;
    object
}

pub(super) fn claim(claim: &PersistentVolumeClaim) -> Value {
    let mut spec = json!({"accessModes": modes(&claim.access_modes), "other": SECRET});
    if let Some(size) = &claim.request {
        spec["resources"] = json!({"requests": {"storage": size.to_string()}});
    }
    put(&mut spec, "volumeName", &claim.volume_name);
    maybe(&mut spec, "storageClassName", claim.class_name.as_deref());
    maybe(&mut spec, "volumeAttributesClassName", claim.attributes_class.as_deref());
    maybe(&mut spec, "volumeMode", claim.volume_mode.as_ref().map(VolumeMode::as_str));
    if let Some(wanted) = &claim.selector {
        spec["selector"] = selector(wanted);
    }
    if claim.data_source {
        spec["dataSource"] = json!({"kind": "PersistentVolumeClaim", "name": "source"});
    }
    let mut conditions = vec![json!({"type": "Resizing", "status": "True", "extra": SECRET})];
    conditions.extend(
        claim
            .status
            .unused
            .map(|unused| json!({"type": "Unused", "status": if unused { "True" } else { "False" }, "extra": SECRET})),
    );
    let mut status = json!({"conditions": conditions});
    put(&mut status, "phase", claim.status.phase.as_str());
    if !claim.status.access_modes.0.is_empty() {
        status["accessModes"] = modes(&claim.status.access_modes);
    }
    if !claim.status.capacity.is_empty() {
        status["capacity"] = quantities(&claim.status.capacity);
    }
    maybe(&mut status, "currentVolumeAttributesClassName", claim.status.current_attributes_class.as_deref());
    let mut object = object(Kind::PersistentVolumeClaim, &claim.meta);
    object["spec"] = spec;
    object["status"] = status;
    object
}

fn class(class: &StorageClass) -> Value {
    let mut object = object(Kind::StorageClass, &class.meta);
    object["provisioner"] = class.provisioner.as_str().into();
    object["parameters"] = json!({"restuserkey": SECRET});
    object["mountOptions"] = texts(&class.mount_options);
    object["allowVolumeExpansion"] = class.allow_expansion.into();
    maybe(&mut object, "reclaimPolicy", class.reclaim_policy.as_ref().map(ReclaimPolicy::as_str));
    maybe(&mut object, "volumeBindingMode", class.binding_mode.as_ref().map(BindingMode::as_str));
    object
}

pub(super) fn pod(pod: &Pod) -> Value {
    let of_claim = |volume: &ClaimVolume| json!({"name": volume.name.as_str(), "persistentVolumeClaim": {"claimName": volume.claim.as_str()}});
    let ephemeral = pod.ephemeral_claims().map(|name| {
        // Upstream names the claim `<pod>-<volume>`.
        let volume = name.strip_prefix(&format!("{}-", pod.meta.name)).unwrap();
        let spec = json!({"accessModes": ["ReadWriteOnce"], "volumeMode": "Filesystem"});
        json!({"name": volume, "ephemeral": {"volumeClaimTemplate": {"spec": spec}}})
    });
    let volumes = pod.claims.iter().map(of_claim).chain(ephemeral);
    let volumes: Vec<Value> = volumes.chain([json!({"name": "s", "secret": {"secretName": SECRET}})]).collect();
    let env = json!([{"name": "PASSWORD", "value": SECRET}]);
    let mut object = object(Kind::Pod, &pod.meta);
    object["spec"] = json!({"containers": [{"name": "c", "image": "i", "env": env}], "volumes": volumes});
    put(&mut object["spec"], "nodeName", &pod.node_name);
    let phase = match &pod.phase {
        PodPhase::Empty => "",
        PodPhase::Pending => "Pending",
        PodPhase::Running => "Running",
        PodPhase::Succeeded => "Succeeded",
        PodPhase::Failed => "Failed",
        PodPhase::Other(other) => other,
    };
    let state = if pod.running_container { json!({"running": {}}) } else { json!({"terminated": {"exitCode": 1}}) };
    object["status"] = json!({"containerStatuses": [{"name": "c", "image": SECRET, "state": state}]});
    put(&mut object["status"], "phase", phase);
    object
}

pub(super) fn node(node: &Node) -> Value {
    let mut object = object(Kind::Node, &node.meta);
    object["spec"] = json!({"providerID": SECRET});
    object["status"] = json!({"images": [SECRET]});
    object
}

pub(super) fn manifests(parts: &Parts) -> Vec<Value> {
    let volumes = parts.objects.volumes.iter().map(volume);
    let items = volumes.chain(parts.objects.claims.iter().map(claim)).chain(parts.objects.classes.iter().map(class));
    items.chain(parts.objects.pods.iter().map(pod)).chain(parts.objects.nodes.iter().map(node)).collect()
}

/// Returns the world as `kubectl get pv,pvc,sc,pods,nodes -A -o json` would print it.
pub(super) fn manifest(parts: &Parts) -> String {
    let items = manifests(parts);
    json!({"apiVersion": "v1", "kind": "List", "metadata": {"resourceVersion": ""}, "items": items}).to_string()
}

/// Returns the fields of a claim that are only printed as evidence.
fn details(claim: &PersistentVolumeClaim) -> ClaimDetails {
    let owner = |name: &str, uid: &str, controller| Owner {
        api_version: "v1".into(),
        kind: "Pod".into(),
        name: name.into(),
        uid: uid.into(),
        controller,
    };
    let owners =
        claim.meta.controller_owner.as_deref().map(|uid| [owner("other", "other", false), owner("owner", uid, true)]);
    ClaimDetails {
        owners: owners.into_iter().flatten().collect(),
        data_source: claim.data_source.then(|| DataSource {
            kind: "PersistentVolumeClaim".into(),
            name: "source".into(),
            ..DataSource::default()
        }),
        conditions: [Condition { kind: "Resizing".into(), status: "True".into(), ..Condition::default() }].into(),
        ..ClaimDetails::default()
    }
}

/// Sets fields that a decision or a report reads, but that the worlds of the other random tests do not have.
pub(super) fn enrich(parts: &mut Parts, odd: u64) {
    let bit = |number: usize| odd >> (number % 64) & 1 == 1;
    let moment = |number: usize| Timestamp(1_700_000_000 + i64::try_from(number).unwrap());
    for (number, volume) in parts.objects.volumes.iter_mut().enumerate() {
        volume.meta.created = bit(number).then(|| moment(number));
        // The manifest has mount options with a secret.
        volume.has_mount_options = true;
        volume.status.last_phase_transition = bit(number + 1).then(|| moment(7 * number));
        volume.status.message = if bit(number + 2) { "it did not work".into() } else { Str::default() };
        let requirement = |key: &str, value: &str| NodeRequirement {
            key: key.into(),
            operator: NodeOperator::In,
            values: Box::new([value.into()]),
        };
        volume.node_affinity = bit(number + 3).then(|| {
            let term = NodeSelectorTerm {
                expressions: Box::new([requirement("zone", "a")]),
                fields: Box::new([requirement("metadata.name", "n1")]),
            };
            Arc::new(NodeSelector { terms: Box::new([term]) })
        });
        if let Some(named) = &mut volume.claim_ref {
            named.kind = "PersistentVolumeClaim".into();
            named.api_version = if bit(number + 4) { "v1".into() } else { Str::default() };
            named.resource_version = if bit(number + 5) { "3".into() } else { Str::default() };
            named.field_path = if bit(number + 6) { "spec".into() } else { Str::default() };
        }
        match volume.source.kind {
            SourceKind::Csi => volume.source.handle = format!("handle-{number}").into(),
            SourceKind::Nfs => {
                volume.source.detail = "files.example.com".into();
                volume.source.handle = "/export".into();
            }
            SourceKind::Local => volume.source.detail = "/mnt/disk".into(),
            SourceKind::Other(ref field) if field == "rbd" => {
                volume.source.detail = "10.0.0.1:6789".into();
                volume.source.handle = "pool/image".into();
            }
            _ => {}
        }
    }
    for (number, claim) in parts.objects.claims.iter_mut().enumerate() {
        claim.meta.created = bit(number + 8).then(|| moment(number));
        // A claim that is made for a pod has the pod as its owner.
        claim.meta.controller_owner = bit(number + 9).then(|| "uid-ns-p0".into());
        claim.status.unused = bit(number + 10).then(|| bit(number + 11));
        claim.status.current_attributes_class = bit(number + 12).then(|| "gold".into());
        if bit(number + 13) {
            claim.status.access_modes = claim.access_modes.clone();
            claim.status.capacity = Arc::new([("storage".into(), quantity("1Gi").into())]);
        }
    }
    for (number, class) in parts.objects.classes.iter_mut().enumerate() {
        // Every class of the manifest has this parameter. Its value may be secret, so it is not read.
        class.parameters = [("restuserkey".into(), Str::default())].into();
        class.allow_expansion = bit(number + 14);
    }
    // These cases would occur too rarely in a few hundred random worlds.
    if bit(17) {
        let wanted =
            LabelSelector { match_labels: Box::new([("tier".into(), "a".into())]), ..LabelSelector::default() };
        parts.objects.claims.iter_mut().for_each(|claim| claim.selector = Some(Box::new(wanted.clone())));
    }
    if bit(18) {
        parts.objects.claims.iter_mut().for_each(|claim| claim.data_source = true);
        parts.objects.classes.iter_mut().for_each(|class| class.provisioner = "kubernetes.io/host-path".into());
    }
    for (number, pod) in parts.objects.pods.iter_mut().enumerate() {
        if !pod.running_container {
            let state = ContainerState::Terminated { reason: Str::default() };
            pod.containers = [ContainerStatus { name: "c".into(), is_init: false, state }].into();
        }
        for (place, volume) in (0..).zip(&mut pod.claims) {
            volume.place = place;
        }
        if bit(number + 15) {
            let place = u16::try_from(pod.claims.len()).unwrap();
            let meta = ObjectMeta {
                name: format!("{}-scratch", pod.meta.name).into(),
                namespace: pod.meta.namespace.clone(),
                ..ObjectMeta::default()
            };
            let template = PersistentVolumeClaim {
                meta,
                access_modes: AccessModes([AccessMode::ReadWriteOnce].into()),
                volume_mode: Some(VolumeMode::Filesystem),
                ..PersistentVolumeClaim::default()
            };
            pod.ephemeral =
                Box::new([EphemeralVolume { name: "scratch".into(), template, place, ..EphemeralVolume::default() }]);
        }
    }
    if bit(16) {
        let meta = ObjectMeta { name: "n1".into(), uid: "uid-n1".into(), ..ObjectMeta::default() };
        parts.objects.nodes = vec![Node { meta, ..Node::default() }];
    }
    // `object` adds one annotation, which has the secret. The program keeps only the number of such annotations.
    let metas = (parts.objects.volumes.iter_mut().map(|volume| &mut volume.meta))
        .chain(parts.objects.claims.iter_mut().map(|claim| &mut claim.meta))
        .chain(parts.objects.classes.iter_mut().map(|class| &mut class.meta))
        .chain(parts.objects.pods.iter_mut().map(|pod| &mut pod.meta))
        .chain(parts.objects.nodes.iter_mut().map(|node| &mut node.meta));
    for meta in metas {
        let known = meta.annotations.iter().map(|(key, value)| (key, Str::from(value))).collect();
        meta.annotations = Annotations::new(known, 1);
    }
    for claim in &mut parts.objects.claims {
        claim.details = Some(Arc::new(details(claim)));
    }
}
