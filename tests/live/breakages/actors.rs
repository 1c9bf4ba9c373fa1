//! The actors that the control plane does not have: the provisioners and attachers of the drivers, and the kubelets of
//! live nodes. The test sends the requests of each of them.
#![expect(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "they look again after a while, and fail by panicking"
)]

use super::cluster::{EBS, EFS, SAN, ZONE, now};
use crate::live::api::{Refused, path};
use crate::live::site::{PV, PVC, Site, text};
use http::Method;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

/// The namespaces in which the provisioner creates no volume. In all of them except `stream`, the test itself creates
/// the events of the provisioner.
const UNMADE: [&str; 4] = ["bi", "finance", "restore", "stream"];
/// The namespaces in which the cloud does not let the driver attach.
const UNATTACHED: [&str; 1] = ["pay"];
/// The namespaces in which kubelet cannot mount. The test itself creates its events there.
const UNMOUNTED: [&str; 2] = ["cdn", "lab"];
/// The message of the cloud that refuses to attach.
const REFUSAL: &str = "rpc error: code = Internal desc = Could not attach volume \"vol-0ledger\" to node \"i-0a1\": \
                       could not attach volume: operation error EC2: AttachVolume, https response error StatusCode: 403, \
                       UnauthorizedOperation: You are not authorized to perform this operation.";
/// The nodes that die. Their kubelets end no pods: the actors may have read such a node shortly before it died.
const DOOMED: [&str; 2] = ["node-d1", "node-d2"];
/// The longest grace period, in seconds, of a pod that kubelet ends immediately.
const QUICK: i64 = 30;

/// Lets the actors act until `over` is set.
pub(super) fn act(site: &Site, over: &AtomicBool) {
    while !over.load(Ordering::SeqCst) {
        let world = World::read(site);
        world.provision();
        world.attach();
        world.run_pods();
        thread::sleep(Duration::from_millis(250));
    }
}

/// The objects that the actors see.
struct World<'s> {
    site: &'s Site,
    claims: Vec<Value>,
    volumes: BTreeMap<String, Value>,
    classes: BTreeMap<String, Value>,
    /// The nodes on which a kubelet runs.
    nodes: BTreeMap<String, Value>,
    attachments: Vec<Value>,
    pods: Vec<Value>,
}

impl<'s> World<'s> {
    fn read(site: &'s Site) -> Self {
        let list = |kind| site.runtime.block_on(site.api.list(kind));
        let named = |kind| {
            let items = list(kind).into_iter();
            items.map(|item| (text(&item, "/metadata/name").to_owned(), item)).collect::<BTreeMap<_, _>>()
        };
        let mut nodes = named("Node");
        nodes.retain(|_, node| {
            let conditions = node["status"]["conditions"].as_array();
            conditions.is_some_and(|all| all.iter().any(|one| one["type"] == "Ready" && one["status"] == "True"))
        });
        Self {
            site,
            claims: list(PVC),
            volumes: named(PV),
            classes: named("StorageClass"),
            nodes,
            attachments: list("VolumeAttachment"),
            pods: list("Pod"),
        }
    }

    /// Sends a request. It may fail because another writer was faster.
    fn send(&self, method: Method, path: &str, body: Option<&Value>) {
        let answer = self.site.runtime.block_on(self.site.api.send(method, path, body));
        accept_refusal(answer.err());
    }

    /// Replaces an object.
    fn write(&self, object: &Value) {
        let written = self.site.runtime.block_on(self.site.api.replace(object));
        accept_refusal(written.err());
    }

    /// Replaces the status of an object.
    fn write_status(&self, object: &Value) {
        let written = self.site.runtime.block_on(self.site.api.replace_status(object));
        accept_refusal(written.err());
    }

    /// Lets the provisioners create the volumes that claims request.
    fn provision(&self) {
        for claim in &self.claims {
            let driver = &claim["metadata"]["annotations"]["volume.kubernetes.io/storage-provisioner"];
            let node = text(claim, "/metadata/annotations/volume.kubernetes.io~1selected-node");
            let (namespace, class) = (text(claim, "/metadata/namespace"), text(claim, "/spec/storageClassName"));
            let is_open =
                text(claim, "/spec/volumeName").is_empty() && claim["metadata"]["deletionTimestamp"].is_null();
            let is_ours = [EBS, EFS, SAN].iter().any(|ours| driver == ours);
            if !is_open || !is_ours || UNMADE.contains(&namespace) {
                continue;
            }
            let Some(class) = self.classes.get(class) else { continue };
            let zone = match self.nodes.get(node) {
                Some(node) => node["metadata"]["labels"][ZONE].clone(),
                None if class["volumeBindingMode"] == "Immediate" => json!("eu-1a"),
                None => continue,
            };
            self.make(claim, class, text(driver, ""), &zone);
        }
    }

    fn make(&self, claim: &Value, class: &Value, driver: &str, zone: &Value) {
        let uid = text(claim, "/metadata/uid");
        let name = format!("pvc-{uid}");
        if self.volumes.contains_key(&name) {
            return;
        }
        let place = json!({"required": {"nodeSelectorTerms": [{
            "matchExpressions": [{"key": ZONE, "operator": "In", "values": [zone]}],
        }]}});
        let volume = json!({
            "apiVersion": "v1", "kind": PV,
            "metadata": {
                "name": name, "finalizers": ["external-provisioner.volume.kubernetes.io/finalizer"],
                "annotations": {"pv.kubernetes.io/provisioned-by": driver},
            },
            "spec": {
                "capacity": {"storage": claim["spec"]["resources"]["requests"]["storage"]},
                "accessModes": claim["spec"]["accessModes"], "volumeMode": "Filesystem",
                "storageClassName": claim["spec"]["storageClassName"],
                "persistentVolumeReclaimPolicy": class["reclaimPolicy"],
                "nodeAffinity": if driver == EBS { place } else { json!(null) },
                "csi": {
                    "driver": driver, "volumeHandle": format!("vol-0{}", uid.replace('-', "")), "fsType": "ext4",
                    "volumeAttributes": {"storage.kubernetes.io/csiProvisionerIdentity": format!("1-2-{driver}")},
                },
                "claimRef": {
                    "apiVersion": "v1", "kind": PVC, "namespace": claim["metadata"]["namespace"],
                    "name": claim["metadata"]["name"], "uid": uid,
                    "resourceVersion": claim["metadata"]["resourceVersion"],
                },
            },
        });
        self.send(Method::POST, &path(PV, "", ""), Some(&volume));
    }

    /// Lets the attachers attach and detach volumes on live nodes.
    fn attach(&self) {
        for attachment in &self.attachments {
            let finalizer = format!("external-attacher/{}", text(attachment, "/spec/attacher").replace('.', "-"));
            let mut attachment = attachment.clone();
            if attachment["metadata"]["deletionTimestamp"].is_string() {
                if self.nodes.contains_key(text(&attachment, "/spec/nodeName")) {
                    attachment["metadata"]["finalizers"] = json!([]);
                    self.write(&attachment);
                }
                continue;
            }
            if attachment["status"]["attached"] == true || attachment["status"]["attachError"].is_object() {
                continue;
            }
            let Some(volume) = self.volumes.get(text(&attachment, "/spec/source/persistentVolumeName")) else {
                continue;
            };
            if attachment["metadata"]["finalizers"].as_array().is_none_or(Vec::is_empty) {
                let mut kept = volume.clone();
                let finalizers = kept["metadata"]["finalizers"].as_array_mut().unwrap();
                if !finalizers.contains(&json!(finalizer)) {
                    finalizers.push(json!(finalizer));
                    self.write(&kept);
                }
                let id = format!("i-{}", text(&attachment, "/spec/nodeName"));
                attachment["metadata"]["finalizers"] = json!([finalizer]);
                attachment["metadata"]["annotations"] = json!({"csi.alpha.kubernetes.io/node-id": id});
                self.write(&attachment);
                continue;
            }
            attachment["status"] = if UNATTACHED.contains(&text(volume, "/spec/claimRef/namespace")) {
                json!({"attached": false, "attachError": {"time": now().to_string(), "message": REFUSAL}})
            } else {
                json!({"attached": true})
            };
            self.write_status(&attachment);
        }
    }

    /// Lets the kubelets run and end pods, and report which volumes are in use.
    fn run_pods(&self) {
        let mut used: BTreeMap<&str, BTreeSet<String>> =
            self.nodes.keys().map(|node| (node.as_str(), BTreeSet::new())).collect();
        for pod in &self.pods {
            let node = text(pod, "/spec/nodeName");
            let Some(used) = used.get_mut(node) else { continue };
            let phase = text(pod, "/status/phase");
            let grace = pod["metadata"]["deletionGracePeriodSeconds"].as_i64();
            if grace.is_some_and(|grace| grace <= QUICK) {
                if DOOMED.contains(&node) {
                    continue;
                }
                let (namespace, name) = (text(pod, "/metadata/namespace"), text(pod, "/metadata/name"));
                self.send(Method::DELETE, &format!("{}?gracePeriodSeconds=0", path("Pod", namespace, name)), None);
                continue;
            }
            if ["Succeeded", "Failed"].contains(&phase) {
                continue;
            }
            let Some(mounts) = self.mounts(pod, node) else { continue };
            used.extend(mounts);
            if phase == "Pending" && !UNMOUNTED.contains(&text(pod, "/metadata/namespace")) {
                self.run(pod);
            }
        }
        for (node, used) in used {
            let mut node = self.nodes[node].clone();
            let used = json!(used);
            if node["status"]["volumesInUse"] != used
                && !(node["status"]["volumesInUse"].is_null() && used == json!([]))
            {
                node["status"]["volumesInUse"] = used;
                self.write_status(&node);
            }
        }
    }

    /// Returns the attached volumes of a pod on a node, or `None` if the pod does not get all of its volumes.
    fn mounts(&self, pod: &Value, node: &str) -> Option<Vec<String>> {
        let mut mounts = Vec::new();
        for volume in pod["spec"]["volumes"].as_array()? {
            let name = text(volume, "/persistentVolumeClaim/claimName");
            if name.is_empty() {
                continue;
            }
            let place = &pod["metadata"]["namespace"];
            let claim = self
                .claims
                .iter()
                .find(|claim| claim["metadata"]["namespace"] == *place && text(claim, "/metadata/name") == name)?;
            let volume = self.volumes.get(text(claim, "/spec/volumeName"))?;
            if claim["status"]["phase"] != "Bound" {
                return None;
            }
            let driver = text(volume, "/spec/csi/driver");
            if [EBS, SAN].contains(&driver) {
                let is_here = |one: &&Value| {
                    one["spec"]["source"]["persistentVolumeName"] == volume["metadata"]["name"]
                        && text(one, "/spec/nodeName") == node
                        && one["status"]["attached"] == true
                };
                self.attachments.iter().find(is_here)?;
                mounts.push(format!("kubernetes.io/csi/{driver}^{}", text(volume, "/spec/csi/volumeHandle")));
            }
        }
        Some(mounts)
    }

    fn run(&self, pod: &Value) {
        let mut pod = pod.clone();
        let moment = now().to_string();
        let status = &mut pod["status"];
        status["phase"] = json!("Running");
        status["startTime"] = json!(moment);
        status["containerStatuses"] = json!([{
            "name": "app", "ready": true, "started": true, "restartCount": 0,
            "image": "registry.example.com/app:1", "imageID": "registry.example.com/app@sha256:0",
            "state": {"running": {"startedAt": moment}},
        }]);
        if !status["conditions"].is_array() {
            status["conditions"] = json!([]);
        }
        for kind in ["Initialized", "ContainersReady", "Ready"] {
            let condition = json!({"type": kind, "status": "True", "lastTransitionTime": moment});
            status["conditions"].as_array_mut().unwrap().push(condition);
        }
        self.write_status(&pod);
    }
}

/// Accepts the refusals 404, 409 and 422: the object is gone, was changed, already exists or is being deleted. The
/// actor reads the object again later.
fn accept_refusal(refused: Option<Refused>) {
    if let Some(refused) = refused {
        assert!([404, 409, 422].contains(&refused.code), "{}", refused.message);
    }
}
