//! What the kubelet decides about the volumes of pods. The conformance test compares every recorded answer. These tests
//! check two things: the recordings reach every leaf, and callers learn which kinds were not read.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use super::attacher::world;
use crate::support::root;
use pvctl::controllers::kubelet_volumes::{
    ExpandBranch, KubeletVolumes, MountBranch, PodVolumes, PopulatorBranch, VolumeStep, WaitBranch, WaitEnd,
};
use pvctl::controllers::{KubeVersion, KubernetesBehavior};
use pvctl::model::{Kind, Node, Pod};
use pvctl::snapshot::{Coverage, Snapshot};
use pvctl::world::View;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use xtask::corpus;
use xtask::judge::{managing_leaves, mounting_leaves};

/// Returns the id, the name and the sentence of every leaf.
pub(crate) fn leaves() -> Vec<(&'static str, &'static str, &'static str)> {
    let populator = PopulatorBranch::ALL.iter().map(|leaf| (leaf.id(), leaf.name(), leaf.about()));
    let mount = MountBranch::ALL.iter().map(|leaf| (leaf.id(), leaf.name(), leaf.about()));
    let wait = WaitBranch::ALL.iter().map(|leaf| (leaf.id(), leaf.name(), leaf.about()));
    let step = VolumeStep::ALL.iter().map(|leaf| (leaf.id(), leaf.name(), leaf.about()));
    let expand = ExpandBranch::ALL.iter().map(|leaf| (leaf.id(), leaf.name(), leaf.about()));
    populator.chain(mount).chain(expand).chain(wait).chain(step).collect()
}

/// Returns the first recorded world that reaches each leaf.
pub(crate) fn reached() -> BTreeMap<&'static str, String> {
    let behavior = KubernetesBehavior::of(KubeVersion::DEFAULT);
    let mut reached = BTreeMap::new();
    for name in ["mounting", "managing"] {
        let file = root().join(format!("tests/conformance/{name}-1.36.3.jsonl.gz"));
        for line in corpus::lines(&file).unwrap().map(Result::unwrap) {
            let of_pods = mounting_leaves(&line, &behavior).unwrap().into_iter().map(|(_, id)| id);
            for id in of_pods.chain(managing_leaves(&line, &behavior).unwrap()) {
                reached.entry(id).or_insert_with(|| line.id.clone());
            }
        }
    }
    reached
}

fn items() -> [Value; 4] {
    [
        json!({
            "apiVersion": "v1", "kind": "Node", "metadata": {"name": "n", "uid": "1"},
            "status": {"volumesAttached": [{"name": "kubernetes.io/csi/d^h", "devicePath": ""}]},
        }),
        json!({
            "apiVersion": "v1", "kind": "PersistentVolume", "metadata": {"name": "v", "uid": "2"},
            "spec": {
                "capacity": {"storage": "1Gi"}, "accessModes": ["ReadWriteOnce"], "volumeMode": "Filesystem",
                "csi": {"driver": "d", "volumeHandle": "h"},
                "claimRef": {"namespace": "db", "name": "c", "uid": "3"},
            },
        }),
        json!({
            "apiVersion": "v1", "kind": "PersistentVolumeClaim",
            "metadata": {"name": "c", "namespace": "db", "uid": "3"},
            "spec": {"volumeName": "v"}, "status": {"phase": "Bound"},
        }),
        json!({
            "apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p", "namespace": "db", "uid": "4"},
            "spec": {
                "nodeName": "n", "volumes": [{"name": "s", "persistentVolumeClaim": {"claimName": "c"}}],
                "containers": [{"name": "main", "image": "i", "volumeMounts": [{"name": "s", "mountPath": "/s"}]}],
            },
        }),
    ]
}

/// Asks the kubelet of the node about the pod.
fn asked<T>(snapshot: &Snapshot, answer: impl Fn(BTreeSet<WaitEnd>, PodVolumes<'_>) -> T) -> T {
    let behavior = KubernetesBehavior::of(KubeVersion::DEFAULT);
    let kubelet = KubeletVolumes::new(View::Snapshot(snapshot), &behavior, snapshot.find::<Node>("", "n").unwrap());
    let pod = snapshot.find::<Pod>("db", "p").unwrap();
    let volumes = kubelet.volumes_of(pod);
    answer(kubelet.ends(pod, &volumes).unwrap(), volumes)
}

#[test]
fn kinds_that_were_not_read_are_doubts() {
    let known = world(&items(), Coverage::complete());
    let wait = |ends: BTreeSet<WaitEnd>, volumes: PodVolumes<'_>| {
        let leaves: Vec<WaitBranch> = ends.iter().map(|end| end.leaf).collect();
        (leaves, volumes.doubts.into_keys().collect::<Vec<_>>())
    };
    assert_eq!(asked(&known, wait).0, [WaitBranch::WaitDone]);
    let open = world(&items(), Coverage::default());
    assert_eq!(asked(&open, wait), (vec![WaitBranch::WaitDone], vec![Kind::CsiDriver]));
    let [node, _, claim, pod] = items();
    let open = world(&[node.clone(), claim, pod.clone()], Coverage::default());
    assert_eq!(asked(&open, wait), (vec![WaitBranch::WaitFailed], vec![Kind::PersistentVolume]));
    let open = world(&[node, pod], Coverage::default());
    assert_eq!(asked(&open, wait), (vec![WaitBranch::WaitFailed], vec![Kind::PersistentVolumeClaim]));
}

/// A pod that has ended does not hold a volume, so no other pod waits for it.
#[test]
fn pods_that_have_ended_do_not_compete() {
    let [node, volume, claim, pod] = items();
    let ends = |phase: &str| {
        let mut volume = volume.clone();
        volume["spec"]["accessModes"] = json!(["ReadWriteOncePod"]);
        let mut other = pod.clone();
        other["metadata"] = json!({"name": "other", "namespace": "db", "uid": "5"});
        other["status"] = json!({"phase": phase});
        let snapshot = world(&[node.clone(), volume, claim.clone(), pod.clone(), other], Coverage::complete());
        asked(&snapshot, |ends, _| ends.len())
    };
    assert_eq!(ends("Running"), 2);
    assert_eq!(ends("Succeeded"), 1);
}

/// Many volumes that several pods use have more ends than can be listed. The decisions about each volume are known.
#[test]
fn many_shared_volumes_have_no_list_of_ends() {
    let [node, volume, claim, pod] = items();
    let mut all = vec![node];
    for number in 0..128 {
        let (mut volume, mut claim) = (volume.clone(), claim.clone());
        volume["metadata"] = json!({"name": format!("v{number}"), "uid": format!("v{number}")});
        volume["spec"]["claimRef"]["uid"] = json!(format!("c{number}"));
        volume["spec"]["accessModes"] = json!(["ReadWriteOncePod"]);
        volume["spec"].as_object_mut().unwrap().remove("csi");
        volume["spec"]["local"] = json!({"path": "/mnt"});
        claim["metadata"] = json!({"name": format!("c{number}"), "namespace": "db", "uid": format!("c{number}")});
        claim["spec"]["volumeName"] = json!(format!("v{number}"));
        all.extend([volume, claim]);
    }
    let volume =
        |number| json!({"name": format!("s{number}"), "persistentVolumeClaim": {"claimName": format!("c{number}")}});
    let mount = |number| json!({"name": format!("s{number}"), "mountPath": format!("/s{number}")});
    for (name, uid) in [("p", "4"), ("other", "5")] {
        let mut pod = pod.clone();
        pod["metadata"] = json!({"name": name, "namespace": "db", "uid": uid});
        pod["spec"]["volumes"] = (0..128).map(volume).collect();
        pod["spec"]["containers"][0]["volumeMounts"] = (0..128).map(mount).collect();
        all.push(pod);
    }
    let snapshot = world(&all, Coverage::complete());
    let behavior = KubernetesBehavior::of(KubeVersion::DEFAULT);
    let kubelet = KubeletVolumes::new(View::Snapshot(&snapshot), &behavior, snapshot.find::<Node>("", "n").unwrap());
    let pod = snapshot.find::<Pod>("db", "p").unwrap();
    let volumes = kubelet.volumes_of(pod);
    assert!(volumes.volumes.iter().all(|volume| volume.mount == Some(MountBranch::MountSucceeded)));
    assert_eq!(kubelet.ends(pod, &volumes), None);
}
