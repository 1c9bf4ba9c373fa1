//! The cluster of all breakages: its nodes, drivers and classes, and one namespace for each breakage.
#![expect(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    clippy::unwrap_used,
    reason = "events have the time of the clock, and a test fails by panicking"
)]

use crate::live::api::path;
use crate::live::site::{PV, PVC, Site, text};
use http::Method;
use pvctl::model::Timestamp;
use serde_json::{Value, json};
use std::time::{SystemTime, UNIX_EPOCH};

/// The driver of most volumes, which are disks that are attached to nodes of their zone.
pub(super) const EBS: &str = "ebs.csi.aws.com";
/// The driver of shares, which are not attached to nodes.
pub(super) const EFS: &str = "efs.csi.aws.com";
/// The driver of disks. Only one of its disks can be attached to a node.
pub(super) const SAN: &str = "san.csi.example.com";
/// The node label with the zone.
pub(super) const ZONE: &str = "topology.kubernetes.io/zone";
/// The node label with the name of the node.
pub(super) const HOST: &str = "kubernetes.io/hostname";
/// By how many seconds the timestamps are moved to the past before the program runs.
const AGE: i64 = 40 * 60;

/// How many objects are moved to the past at the same time.
const ABREAST: usize = 8;

/// The kinds whose timestamps are moved to the past before the program runs.
const AGING: [&str; 10] = [
    PV,
    PVC,
    "Pod",
    "Event",
    "StorageClass",
    "StatefulSet",
    "ResourceQuota",
    "Namespace",
    "VolumeAttachment",
    "CSIDriver",
];

/// Returns the time of the clock.
pub(super) fn now() -> Timestamp {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
    Timestamp(i64::try_from(now.as_secs()).unwrap())
}

/// Creates the drivers, nodes and classes on an empty control plane.
pub(super) fn create_cluster(site: &Site) {
    for (driver, attached) in [(EBS, true), (EFS, false), (SAN, true)] {
        site.put(&json!({
            "apiVersion": "storage.k8s.io/v1", "kind": "CSIDriver", "metadata": {"name": driver},
            "spec": {"attachRequired": attached, "podInfoOnMount": false},
        }));
        site.put(&json!({
            "apiVersion": "coordination.k8s.io/v1", "kind": "Lease",
            "metadata": {"namespace": "kube-system", "name": driver.replace('.', "-")},
            "spec": {"holderIdentity": "controller-0", "leaseDurationSeconds": 15},
        }));
    }
    for (name, zone) in [("node-a1", "eu-1a"), ("node-a2", "eu-1a"), ("node-b1", "eu-1b"), ("node-b2", "eu-1b")] {
        // The driver of the shares is not installed on the last node.
        node(site, name, zone, "", if name == "node-b2" { &[EBS, SAN] } else { &[EBS, EFS, SAN] });
    }
    // These two nodes will stop. Each has a pod of its own.
    node(site, "node-d1", "eu-1a", "doomed", &[EBS]);
    node(site, "node-d2", "eu-1a", "doomed", &[EBS]);
    class(site, "gp3", EBS, "WaitForFirstConsumer", "Delete", "true");
    class(site, "gp3-keep", EBS, "WaitForFirstConsumer", "Retain", "false");
    class(site, "fast-ssd", EBS, "Immediate", "Delete", "false");
    class(site, "shared", EFS, "Immediate", "Delete", "false");
    class(site, "san", SAN, "Immediate", "Delete", "false");
    class(site, "gce-std", "kubernetes.io/gce-pd", "Immediate", "Delete", "false");
    class(site, "local-disks", "kubernetes.io/no-provisioner", "WaitForFirstConsumer", "Retain", "false");
    site.put(&json!({
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": {
            "name": "volumesnapshots.snapshot.storage.k8s.io",
            "annotations": {"api-approved.kubernetes.io": "https://github.com/kubernetes-csi/external-snapshotter/pull/814"},
        },
        "spec": {
            "group": "snapshot.storage.k8s.io", "scope": "Namespaced",
            "names": {"kind": "VolumeSnapshot", "plural": "volumesnapshots", "singular": "volumesnapshot"},
            "versions": [{
                "name": "v1", "served": true, "storage": true, "subresources": {"status": {}},
                "schema": {"openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": true}},
            }],
        },
    }));
}

fn class(site: &Site, name: &str, provisioner: &str, mode: &str, policy: &str, default: &str) {
    site.put(&json!({
        "apiVersion": "storage.k8s.io/v1", "kind": "StorageClass",
        "metadata": {"name": name, "annotations": {"storageclass.kubernetes.io/is-default-class": default}},
        "provisioner": provisioner, "volumeBindingMode": mode, "reclaimPolicy": policy, "allowVolumeExpansion": true,
    }));
}

/// Creates a node as its kubelet registers it and reports it as ready, with these drivers.
pub(super) fn node(site: &Site, name: &str, zone: &str, pool: &str, drivers: &[&str]) {
    site.put(&json!({
        "apiVersion": "v1", "kind": "Node",
        "metadata": {
            "name": name, "labels": {ZONE: zone, HOST: name, "kubernetes.io/os": "linux", "pool": pool},
            "annotations": {"volumes.kubernetes.io/controller-managed-attach-detach": "true"},
        },
    }));
    let room = json!({"cpu": "16", "memory": "64Gi", "pods": "110"});
    let ready = json!({
        "type": "Ready", "status": "True", "reason": "KubeletReady", "message": "kubelet is posting ready status",
        "lastHeartbeatTime": now().to_string(), "lastTransitionTime": now().to_string(),
    });
    site.report("Node", "", name, &json!({"capacity": room, "allocatable": room, "conditions": [ready]}));
    let uid = site.get("Node", "", name).unwrap()["metadata"]["uid"].clone();
    let drivers: Vec<Value> = drivers
        .iter()
        .map(|driver| {
            let keys = if *driver == EBS { json!([ZONE]) } else { json!(null) };
            let count = if *driver == SAN { 1 } else { 25 };
            json!({"name": driver, "nodeID": format!("i-{name}"), "topologyKeys": keys, "allocatable": {"count": count}})
        })
        .collect();
    site.put(&json!({
        "apiVersion": "storage.k8s.io/v1", "kind": "CSINode",
        "metadata": {"name": name, "ownerReferences": [{"apiVersion": "v1", "kind": "Node", "name": name, "uid": uid}]},
        "spec": {"drivers": drivers},
    }));
    // The test removes the taint that a new node has, as the node controller does. The taint of a pool stays.
    let own = if pool.is_empty() { json!([]) } else { json!([{"key": "pool", "value": pool, "effect": "NoSchedule"}]) };
    site.edit("Node", "", name, |node| node["spec"]["taints"] = own.clone());
}

/// Stops a machine, as the API shows it: the condition Ready is Unknown, and the node has the taints of an unreachable
/// node.
pub(super) fn node_dies(site: &Site, name: &str) {
    let unknown = json!({
        "type": "Ready", "status": "Unknown", "reason": "NodeStatusUnknown",
        "message": "Kubelet stopped posting node status.",
        "lastHeartbeatTime": now().to_string(), "lastTransitionTime": now().to_string(),
    });
    site.report("Node", "", name, &json!({ "conditions": [unknown] }));
    let taint =
        |effect| json!({"key": "node.kubernetes.io/unreachable", "effect": effect, "timeAdded": now().to_string()});
    site.edit("Node", "", name, |node| {
        node["spec"]["taints"] = json!([taint("NoSchedule"), taint("NoExecute")]);
    });
}

/// Moves all timestamps in the objects of the kinds [`AGING`] to the past, as if nobody had done anything for a while.
pub(super) fn time_passes(site: &Site) {
    let list = |kind: &&'static str| {
        let items = site.runtime.block_on(site.api.list(kind)).into_iter();
        items.map(|item| (*kind, item)).collect::<Vec<_>>()
    };
    let objects: Vec<(&str, Value)> = AGING.iter().flat_map(list).collect();
    super::each(&objects, ABREAST, |(kind, object)| {
        let (namespace, name) = (text(object, "/metadata/namespace"), text(object, "/metadata/name"));
        // An object that is gone now is not written.
        if site.get(kind, namespace, name).is_some() {
            site.store(kind, namespace, name, earlier);
        }
    });
}

/// Renews the Leases of the provisioners, so that they count as alive.
pub(super) fn drivers_live(site: &Site) {
    for driver in [EBS, EFS, SAN] {
        let renewed = now().to_string().replace('Z', ".000000Z");
        let name = driver.replace('.', "-");
        site.edit("Lease", "kube-system", &name, |lease| lease["spec"]["renewTime"] = json!(renewed));
    }
}

/// Moves every timestamp in an object to the past.
fn earlier(value: &mut Value) {
    match value {
        Value::Object(fields) => fields.values_mut().for_each(earlier),
        Value::Array(items) => items.iter_mut().for_each(earlier),
        Value::String(text) => {
            if let Some(moment) = Timestamp::parse(text) {
                let is_fine = text.contains('.');
                *text = Timestamp(moment.0 - AGE).to_string();
                if is_fine {
                    *text = text.replace('Z', ".000000Z");
                }
            }
        }
        _ => {}
    }
}

/// The namespace of a breakage.
#[derive(Clone, Copy)]
pub(super) struct BreakageNamespace<'s> {
    pub(super) site: &'s Site,
    pub(super) name: &'static str,
}

impl BreakageNamespace<'_> {
    /// Creates a claim of 10Gi with access mode `ReadWriteOnce`. If `class` is empty, the claim states no class.
    pub(super) fn claim(&self, name: &str, class: &str) {
        self.claim_with(name, class, |_| {});
    }

    pub(super) fn claim_with(&self, name: &str, class: &str, change: impl Fn(&mut Value)) {
        let mut spec = json!({"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "10Gi"}}});
        if !class.is_empty() {
            spec["storageClassName"] = json!(class);
        }
        change(&mut spec);
        self.site.put(&json!({
            "apiVersion": "v1", "kind": PVC, "metadata": {"namespace": self.name, "name": name}, "spec": spec,
        }));
    }

    /// Creates a pod that uses a claim. `more` is added to the spec of the pod.
    pub(super) fn pod(&self, name: &str, claim: &str, more: &Value) {
        let mut spec = json!({
            "containers": [{"name": "app", "image": "registry.example.com/app:1"}],
            "volumes": [{"name": "data", "persistentVolumeClaim": {"claimName": claim}}],
        });
        for (field, value) in more.as_object().into_iter().flatten() {
            spec[field] = value.clone();
        }
        self.site.put(&json!({
            "apiVersion": "v1", "kind": "Pod",
            "metadata": {"namespace": self.name, "name": name, "labels": {"app": name}}, "spec": spec,
        }));
    }

    /// Creates a claim and a pod that runs with it, and returns the name of the volume.
    pub(super) fn app(&self, pod: &str, claim: &str, class: &str, more: &Value) -> String {
        self.claim(claim, class);
        self.pod(pod, claim, more);
        self.runs(pod);
        self.volume(claim)
    }

    /// Waits until the claim is bound, and returns the name of its volume.
    pub(super) fn volume(&self, claim: &str) -> String {
        Site::until(&format!("claim {}/{claim} is bound", self.name), || {
            self.site.pvc(self.name, claim).starts_with("Bound, ")
        });
        text(&self.claim_now(claim), "/spec/volumeName").to_owned()
    }

    pub(super) fn claim_now(&self, claim: &str) -> Value {
        self.site.get(PVC, self.name, claim).unwrap()
    }

    /// Adds a finalizer to a claim.
    pub(super) fn keep(&self, claim: &str, finalizer: &str) {
        self.site.edit(PVC, self.name, claim, |claim| {
            claim["metadata"]["finalizers"].as_array_mut().unwrap().push(json!(finalizer));
        });
    }

    /// Waits until a pod is running.
    pub(super) fn runs(&self, pod: &str) {
        self.pod_is(pod, "runs", |pod| text(pod, "/status/phase") == "Running");
    }

    /// Waits until a pod has a node.
    pub(super) fn is_placed(&self, pod: &str) {
        self.pod_is(pod, "is on a node", |pod| !text(pod, "/spec/nodeName").is_empty());
    }

    /// Waits until the scheduler has reported that no node fits a pod.
    pub(super) fn finds_no_node(&self, pod: &str) {
        self.pod_is(pod, "finds no node", |pod| {
            let conditions = pod["status"]["conditions"].as_array();
            conditions.is_some_and(|all| all.iter().any(|one| one["reason"] == "Unschedulable"))
        });
    }

    /// Waits until a pod is gone.
    pub(super) fn is_gone(&self, pod: &str) {
        Site::until(&format!("pod {}/{pod} is gone", self.name), || self.site.get("Pod", self.name, pod).is_none());
    }

    fn pod_is(&self, pod: &str, what: &str, is: impl Fn(&Value) -> bool) {
        Site::until(&format!("pod {}/{pod} {what}", self.name), || {
            self.site.get("Pod", self.name, pod).is_some_and(|pod| is(&pod))
        });
    }

    /// Waits until the namespace has an event with this reason.
    pub(super) fn is_told(&self, reason: &str) {
        let list = path("Event", self.name, "");
        Site::until(&format!("namespace {} has an event {reason}", self.name), || {
            let events = self.site.runtime.block_on(self.site.api.get(&list)).unwrap();
            events["items"].as_array().unwrap().iter().any(|event| event["reason"] == reason)
        });
    }

    /// Deletes an object as `kubectl delete` does, without waiting until it is gone.
    pub(super) fn delete(&self, kind: &str, name: &str) {
        let namespace = if [PV, "Namespace", "Node", "CSINode", "CSIDriver"].contains(&kind) { "" } else { self.name };
        let gone = self.site.runtime.block_on(self.site.api.send(Method::DELETE, &path(kind, namespace, name), None));
        assert!(gone.is_ok(), "{gone:?}");
    }

    /// Creates an event about an object of the namespace.
    pub(super) fn event(&self, kind: &str, name: &str, source: &str, reason: &str, message: &str) {
        let uid = self.site.get(kind, self.name, name).unwrap()["metadata"]["uid"].clone();
        let moment = now().to_string();
        let of = if reason == "Provisioning" { "Normal" } else { "Warning" };
        self.site.put(&json!({
            "apiVersion": "v1", "kind": "Event",
            "metadata": {"namespace": self.name, "name": format!("{name}.{}", reason.to_lowercase())},
            "involvedObject": {"apiVersion": "v1", "kind": kind, "namespace": self.name, "name": name, "uid": uid},
            "reason": reason, "message": message, "type": of, "source": {"component": source},
            "reportingComponent": source, "reportingInstance": "",
            "firstTimestamp": moment, "lastTimestamp": moment, "count": 9,
        }));
    }

    /// Creates the events of a provisioner that begins to provision a volume for a claim, and then fails.
    pub(super) fn fails(&self, claim: &str, class: &str, message: &str) {
        let provisioner = format!("{EBS}_ebs-csi-controller-0_5f0c2a66");
        let begins = format!("External provisioner is provisioning volume for claim \"{}/{claim}\"", self.name);
        self.event(PVC, claim, &provisioner, "Provisioning", &begins);
        let message = format!("failed to provision volume with StorageClass \"{class}\": {message}");
        self.event(PVC, claim, &provisioner, "ProvisioningFailed", &message);
    }
}
