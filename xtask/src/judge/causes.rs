//! Compares the causes of the reasons of volume plugins with the effect of mending them. The scheduler does not name
//! the causes. But after all causes of a reason are mended, the scheduler must not give the reason again. And as long
//! as one cause is not mended, the scheduler must still give the reason.

use super::on_node::user;
use super::{Judged, Verdict, differ, snapshot_of};
use crate::line::Object;
use anyhow::Result;
use pvctl::controllers::KubernetesBehavior;
use pvctl::controllers::scheduler::{Cause, Causes, Cycle, Scheduler, SchedulerReason, Status};
use pvctl::model::{Node, Pod};
use pvctl::snapshot::Snapshot;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// The reasons of volume plugins without causes: the reason of a disk that a pod names without a claim.
const WITHOUT_CAUSE: [SchedulerReason; 1] = [SchedulerReason::NodeDiskConflict];

/// The number of causes that one claim can have one after the other for the same reason.
const KINDS_OF_CAUSE: usize = 4;

impl Judged<'_> {
    /// Compares the causes of all reasons of volume plugins in an answer about a pod.
    pub(super) fn compare_causes(
        &self,
        scheduler: &Scheduler<'_>,
        pod: &Pod,
        cycle: &Cycle,
        verdict: &mut Verdict,
    ) -> Result<()> {
        let causes = Causes::new(scheduler, pod);
        match cycle {
            Cycle::Gated(_) | Cycle::Skipped(_) => Ok(()),
            Cycle::PreFilter(status) => leaves_of(status).into_iter().try_for_each(|leaf| {
                self.compare_causes_of(scheduler, (pod, None), leaf, &causes.of(leaf, None), verdict)
            }),
            Cycle::Nodes(nodes) => {
                for one in nodes {
                    let Some(node) = self.snapshot.find::<Node>("", &one.node) else { continue };
                    let given = one.verdicts.iter().flat_map(|verdict| leaves_of(&verdict.status));
                    for leaf in given.collect::<BTreeSet<_>>() {
                        let causes = causes.of(leaf, Some(node));
                        self.compare_causes_of(scheduler, (pod, Some(node)), leaf, &causes, verdict)?;
                    }
                }
                Ok(())
            }
        }
    }

    /// Compares the causes of one reason.
    fn compare_causes_of(
        &self,
        scheduler: &Scheduler<'_>,
        (pod, node): (&Pod, Option<&Node>),
        leaf: SchedulerReason,
        causes: &[Cause<'_>],
        verdict: &mut Verdict,
    ) -> Result<()> {
        let mut expected = BTreeSet::from(["the reason has causes".to_owned(), "without them, it is gone".to_owned()]);
        let mut found = BTreeSet::new();
        if !causes.is_empty() {
            found.insert("the reason has causes".to_owned());
        }
        if self.can_be_mended(pod, node, leaf, causes)? {
            found.insert("without them, it is gone".to_owned());
        }
        // Waiting claims compete for volumes. So one claim can get the volume of another claim that was mended.
        let compete = [SchedulerReason::NodeNoVolumeToBind, SchedulerReason::NodeNotEnoughStorage].contains(&leaf);
        if causes.len() > 1 && !compete {
            for left in causes {
                let mut items = self.line.world.items.clone();
                for other in causes.iter().filter(|cause| !mends_both(cause, left)) {
                    mend(&mut items, pod, node, other);
                }
                let text = format!("{left:?} alone leads to the reason");
                if self.leads_to(items, pod, node, leaf)? {
                    found.insert(text.clone());
                }
                expected.insert(text);
            }
        }
        for cause in causes {
            if let (Cause::Limit { driver, limit, used, .. }, Some(node)) = (cause, node)
                && !driver.starts_with("kubernetes.io/")
            {
                let text = |limit: Option<i64>, used: usize| format!("{driver}: {used} of {limit:?} volumes");
                let uses = scheduler.driver_uses(node);
                let uses = uses.iter().find(|uses| uses.driver == *driver);
                expected.insert(text(Some(*limit), *used));
                found.extend(uses.map(|uses| text(uses.limit, uses.volumes)));
            }
        }
        // Whether another claim of the pod takes the volumes shows if a pod uses only this claim.
        for cause in causes {
            let (claim, fits_alone) = match cause {
                Cause::NoVolume { claim, .. } => (claim, false),
                Cause::TooFewVolumes { claim, .. } => (claim, true),
                _ => continue,
            };
            // A claim that is mounted twice needs two volumes.
            if pod.claim_names().filter(|name| name.as_str() == *claim).count() > 1 {
                continue;
            }
            let (claim, node) = (self.snapshot.claim_id(&pod.meta.namespace, claim), node.map(|node| &node.meta.name));
            let Some(claim) = claim.map(|claim| self.snapshot.claim(claim)) else { continue };
            let only = user(claim);
            let cycle = scheduler.schedule(&only).cycle;
            let Cycle::Nodes(nodes) = cycle else { continue };
            let of_node = nodes.iter().filter(|one| Some(&one.node) == node).flat_map(|one| &one.verdicts);
            let given: Vec<BTreeSet<SchedulerReason>> = of_node.map(|verdict| leaves_of(&verdict.status)).collect();
            let is_found = !given.iter().all(|leaves| leaves.contains(&SchedulerReason::NodeNoVolumeToBind));
            let text = |fits: bool| format!("{}: a volume fits if a pod uses only this claim: {fits}", claim.key());
            expected.insert(text(is_found));
            found.insert(text(fits_alone));
        }
        let object = Object {
            kind: "Pod".to_owned(),
            namespace: pod.meta.namespace.to_string(),
            name: pod.meta.name.to_string(),
        };
        let place = node.map_or_else(String::new, |node| format!(" on {}", node.meta.name));
        differ(&format!("causes of {}{place}", leaf.name()), &object, &expected, &found, verdict);
        Ok(())
    }

    /// Returns whether the scheduler no longer gives the reason after its causes are mended. The first claim that does
    /// not fit ends a test. So after this claim is mended, the next claim can lead to the same reason. Then the next
    /// claim is mended, too.
    fn can_be_mended(
        &self,
        pod: &Pod,
        node: Option<&Node>,
        leaf: SchedulerReason,
        causes: &[Cause<'_>],
    ) -> Result<bool> {
        let mut items = self.line.world.items.clone();
        for cause in causes {
            mend(&mut items, pod, node, cause);
        }
        for _ in 0..pod.claim_names().count().saturating_mul(KINDS_OF_CAUSE) {
            let mended = snapshot_of(&items)?;
            let Some(causes) = given_reasons(&mended, self.behavior, pod, node).remove(&leaf) else { return Ok(true) };
            for cause in &causes {
                mend(&mut items, pod, node, cause);
            }
        }
        Ok(!given_reasons(&snapshot_of(&items)?, self.behavior, pod, node).contains_key(&leaf))
    }

    /// Returns whether the scheduler gives the reason, perhaps after the causes of all other reasons are mended. The
    /// scheduler reports only the first reason of a claim or a plugin.
    fn leads_to(&self, mut items: Vec<Value>, pod: &Pod, node: Option<&Node>, leaf: SchedulerReason) -> Result<bool> {
        for _ in 0..pod.claim_names().count().saturating_mul(KINDS_OF_CAUSE) {
            let mended = snapshot_of(&items)?;
            let given = given_reasons(&mended, self.behavior, pod, node);
            if given.is_empty() || given.contains_key(&leaf) {
                return Ok(!given.is_empty());
            }
            for cause in given.values().flatten() {
                mend(&mut items, pod, node, cause);
            }
        }
        Ok(false)
    }
}

/// Returns the reasons of volume plugins that the scheduler gives now, each with its causes.
fn given_reasons<'s>(
    snapshot: &'s Snapshot,
    behavior: &'s KubernetesBehavior,
    pod: &Pod,
    node: Option<&Node>,
) -> BTreeMap<SchedulerReason, Vec<Cause<'s>>> {
    let Some(pod) = snapshot.pod(&pod.meta.namespace, &pod.meta.name) else { return BTreeMap::new() };
    let scheduler = Scheduler::new(snapshot, behavior);
    let (leaves, node) = match &scheduler.schedule(pod).cycle {
        Cycle::Gated(_) | Cycle::Skipped(_) => return BTreeMap::new(),
        Cycle::PreFilter(status) => (leaves_of(status), None),
        Cycle::Nodes(nodes) => {
            let node = node.and_then(|node| snapshot.find::<Node>("", &node.meta.name));
            let of_node = nodes.iter().filter(|one| node.is_some_and(|node| node.meta.name == one.node));
            (of_node.flat_map(|one| &one.verdicts).flat_map(|verdict| leaves_of(&verdict.status)).collect(), node)
        }
    };
    let causes = Causes::new(&scheduler, pod);
    leaves.into_iter().map(|leaf| (leaf, causes.of(leaf, node))).collect()
}

/// Returns the reasons of volume plugins in the status.
fn leaves_of(status: &Status) -> BTreeSet<SchedulerReason> {
    let leaves = status.reasons.iter().filter_map(|reason| reason.leaf);
    leaves.filter(|leaf| !WITHOUT_CAUSE.contains(leaf)).collect()
}

/// Returns whether what mends the first cause mends the second cause, too. Two claims can name the same volume.
fn mends_both(cause: &Cause<'_>, other: &Cause<'_>) -> bool {
    match (cause, other) {
        (Cause::VolumeAffinity { volume, .. }, Cause::VolumeAffinity { volume: other, .. })
        | (Cause::VolumeZone { volume, .. }, Cause::VolumeZone { volume: other, .. }) => {
            volume.meta.name == other.meta.name
        }
        (Cause::VolumeMissing { volume, .. }, Cause::VolumeMissing { volume: other, .. }) => volume == other,
        _ => cause == other,
    }
}

/// Mends one cause, each in its own way. So a wrong cause of the right claim is noticed, too.
fn mend(items: &mut Vec<Value>, pod: &Pod, node: Option<&Node>, cause: &Cause<'_>) {
    match cause {
        Cause::Claim(claim) => bind(items, pod, claim),
        Cause::VolumeAffinity { volume, .. } => {
            for item in named(items, "PersistentVolume", &volume.meta.name) {
                // The affinity of a migrated volume also comes from its labels.
                if item["spec"]["nodeAffinity"].is_null() {
                    item["metadata"]["labels"] = Value::Null;
                }
                item["spec"]["nodeAffinity"] = Value::Null;
            }
        }
        Cause::VolumeZone { volume, key, .. } => {
            for item in named(items, "PersistentVolume", &volume.meta.name) {
                if let Some(labels) = item["metadata"]["labels"].as_object_mut() {
                    labels.remove(*key);
                }
            }
        }
        Cause::SelectedNode { claim, .. } | Cause::NothingProvisions { claim, .. } => {
            let of_pod = |item: &&mut Value| item["metadata"]["namespace"] == pod.meta.namespace.as_str();
            for item in named(items, "PersistentVolumeClaim", claim).filter(of_pod) {
                if let Some(annotations) = item["metadata"]["annotations"].as_object_mut() {
                    annotations.remove("volume.kubernetes.io/selected-node");
                }
            }
        }
        Cause::ReservedElsewhere { volume, .. } => {
            for item in named(items, "PersistentVolume", volume) {
                item["spec"]["nodeAffinity"] = Value::Null;
            }
        }
        Cause::NoVolume { claim, .. } | Cause::TooFewVolumes { claim, .. } => add_volume(items, pod, claim),
        Cause::AllowedTopologies { class, .. } => {
            for item in named(items, "StorageClass", class) {
                item["allowedTopologies"] = Value::Null;
            }
        }
        // The claim becomes as large as the named capacity allows.
        Cause::Capacity { claim, largest: Some(largest) } => {
            let is_largest = |item: &&Value| {
                item["kind"] == "CSIStorageCapacity"
                    && item["metadata"]["name"] == largest.meta.name.as_str()
                    && item["metadata"]["namespace"] == largest.meta.namespace.as_str()
            };
            let most = items.iter().find(is_largest).map(|item| {
                let most = &item["maximumVolumeSize"];
                if most.is_null() { item["capacity"].clone() } else { most.clone() }
            });
            let of_pod = |item: &&mut Value| item["metadata"]["namespace"] == pod.meta.namespace.as_str();
            for item in named(items, "PersistentVolumeClaim", &claim.meta.name).filter(of_pod) {
                item["spec"]["resources"]["requests"]["storage"] = json!(most);
            }
        }
        Cause::Capacity { claim, largest: None } => {
            let class = claim.class();
            let driver = named(items, "StorageClass", class).map(|class| class["provisioner"].clone()).last();
            let driver = driver.as_ref().and_then(Value::as_str).unwrap_or_default().to_owned();
            for item in named(items, "CSIDriver", &driver) {
                item["spec"]["storageCapacity"] = json!(false);
            }
        }
        Cause::VolumeMissing { volume, .. } => items.push(json!({
            "apiVersion": "v1", "kind": "PersistentVolume", "metadata": {"name": volume, "uid": volume},
            "spec": {"capacity": {"storage": "1Gi"}, "hostPath": {"path": "/mended"}},
        })),
        Cause::Limit { driver, .. } => {
            let Some(node) = node else { return };
            for item in named(items, "CSINode", &node.meta.name) {
                let drivers = item["spec"]["drivers"].as_array_mut().into_iter().flatten();
                for entry in drivers.filter(|entry| entry["name"] == driver.as_str()) {
                    entry["allocatable"] = Value::Null;
                }
            }
            for item in named(items, "Node", &node.meta.name) {
                if let Some(allocatable) = item["status"]["allocatable"].as_object_mut() {
                    allocatable.retain(|resource, _| !resource.starts_with("attachable-volumes-"));
                    if let Some(plugin) = driver.strip_prefix("kubernetes.io/") {
                        allocatable.insert(format!("attachable-volumes-{plugin}"), json!("1000"));
                    }
                }
            }
        }
        Cause::ClaimInUse { claim, pods } => {
            for item in items.iter_mut().filter(|item| item["kind"] == "Pod") {
                let uid = item["metadata"]["uid"].clone();
                if pods.iter().any(|user| uid == user.meta.uid.as_str()) {
                    stop_using(item, claim);
                }
            }
        }
    }
}

/// Removes the volumes of the pod that are stored in the claim. The pod can use other claims, so it stays.
fn stop_using(pod: &mut Value, claim: &str) {
    let made = |volume: &Value| {
        let (pod, volume) = (pod["metadata"]["name"].as_str(), volume["name"].as_str());
        format!("{}-{}", pod.unwrap_or_default(), volume.unwrap_or_default())
    };
    let is_stored_there = |volume: &Value| {
        volume["persistentVolumeClaim"]["claimName"] == claim
            || (!volume["ephemeral"].is_null() && made(volume) == claim)
    };
    let Some(volumes) = pod["spec"]["volumes"].as_array() else { return };
    let left = volumes.iter().filter(|volume| !is_stored_there(volume)).cloned().collect();
    pod["spec"]["volumes"] = Value::Array(left);
}

/// Returns the objects of a kind with this name.
fn named<'v>(items: &'v mut [Value], kind: &'v str, name: &'v str) -> impl Iterator<Item = &'v mut Value> {
    items.iter_mut().filter(move |item| item["kind"] == kind && item["metadata"]["name"] == name)
}

/// Adds a free volume that fits the claim of the pod and can be used on every node.
fn add_volume(items: &mut Vec<Value>, pod: &Pod, claim: &str) {
    let is_claim = |item: &&Value| {
        item["kind"] == "PersistentVolumeClaim"
            && item["metadata"]["name"] == claim
            && item["metadata"]["namespace"] == pod.meta.namespace.as_str()
    };
    let Some(claim) = items.iter().find(is_claim) else { return };
    let (meta, spec) = (&claim["metadata"], &claim["spec"]);
    // Another claim of the pod can take the volume. So each new volume has its own name.
    let name = format!("mended-{}-{}", meta["name"].as_str().unwrap_or_default(), items.len());
    let class = meta["annotations"]["volume.beta.kubernetes.io/storage-class"].as_str();
    let selector = &spec["selector"]["matchLabels"];
    let volume = json!({
        "apiVersion": "v1", "kind": "PersistentVolume",
        "metadata": {"name": name, "uid": name, "labels": selector},
        "spec": {
            "capacity": spec["resources"]["requests"], "accessModes": spec["accessModes"],
            "persistentVolumeReclaimPolicy": "Retain", "hostPath": {"path": "/mended"},
            "storageClassName": class.map_or_else(|| spec["storageClassName"].clone(), |class| json!(class)),
            "volumeMode": spec["volumeMode"], "volumeAttributesClassName": spec["volumeAttributesClassName"],
        },
        "status": {"phase": "Available"},
    });
    items.push(volume);
}

/// Binds the claim of the pod to a new volume that can be used on every node.
fn bind(items: &mut Vec<Value>, pod: &Pod, claim: &str) {
    let namespace = pod.meta.namespace.as_str();
    let volume = format!("mended-{claim}");
    let old = items.extract_if(.., |item| {
        item["kind"] == "PersistentVolumeClaim"
            && item["metadata"]["name"] == claim
            && item["metadata"]["namespace"] == namespace
    });
    let modes = old.last().map_or_else(|| json!(["ReadWriteOnce"]), |old| old["spec"]["accessModes"].clone());
    let owner = json!([{
        "apiVersion": "v1", "kind": "Pod", "name": pod.meta.name.as_str(), "uid": pod.meta.uid.as_str(),
        "controller": true,
    }]);
    items.push(json!({
        "apiVersion": "v1", "kind": "PersistentVolumeClaim",
        "metadata": {
            "name": claim, "namespace": namespace, "uid": format!("{volume}-claim"), "ownerReferences": owner,
            "annotations": {"pv.kubernetes.io/bind-completed": "yes"},
        },
        "spec": {
            "accessModes": modes, "volumeName": volume, "resources": {"requests": {"storage": "1Gi"}},
        },
        "status": {"phase": "Bound"},
    }));
    items.push(json!({
        "apiVersion": "v1", "kind": "PersistentVolume",
        "metadata": {"name": volume, "uid": volume},
        "spec": {
            "capacity": {"storage": "1Gi"}, "accessModes": modes, "persistentVolumeReclaimPolicy": "Retain",
            "hostPath": {"path": "/mended"},
            "claimRef": {"namespace": namespace, "name": claim, "uid": format!("{volume}-claim")},
        },
        "status": {"phase": "Bound"},
    }));
}
