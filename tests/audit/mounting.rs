//! What the kubelet decides about the volumes of a pod, as `explain pod` shows it in the stage `mounted`: the volumes
//! that it refuses or cannot mount, whatever their driver does.
#![expect(clippy::expect_used, reason = "tests fail by panicking")]

use crate::support::Run;
use serde_json::Value;

/// A pod on node a-node, with a volume of a driver that needs no attachment. MODE, ZONE and DEVICES are replaced.
const CLUSTER: &str = r"
apiVersion: v1
kind: Node
metadata: {name: a-node, uid: n1, labels: {zone: a}}
---
apiVersion: storage.k8s.io/v1
kind: CSIDriver
metadata: {name: d.csi, uid: d1}
spec: {attachRequired: false}
---
apiVersion: v1
kind: PersistentVolume
metadata: {name: pv-1, uid: v1}
spec:
  capacity: {storage: 1Gi}
  accessModes: [MODE]
  volumeMode: Filesystem
  persistentVolumeReclaimPolicy: Retain
  claimRef: {namespace: default, name: data, uid: c1}
  csi: {driver: d.csi, volumeHandle: h1}
  nodeAffinity: {required: {nodeSelectorTerms: [{matchExpressions: [{key: zone, operator: In, values: [ZONE]}]}]}}
status: {phase: Bound}
---
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: data, namespace: default, uid: c1}
spec: {accessModes: [MODE], volumeName: pv-1, resources: {requests: {storage: 1Gi}}}
status: {phase: Bound, capacity: {storage: 1Gi}}
---
apiVersion: v1
kind: Pod
metadata: {name: web, namespace: default, uid: p1}
spec:
  nodeName: a-node
  containers: [{name: main, image: i, volumeMounts: [{name: store, mountPath: /d}], volumeDevices: [DEVICES]}]
  volumes: [{name: store, persistentVolumeClaim: {claimName: data}}]
status: {phase: Pending}
";

/// Another pod on the node that runs with the same claim.
const OTHER: &str = r"
---
apiVersion: v1
kind: Pod
metadata: {name: first, namespace: default, uid: p2}
spec:
  nodeName: a-node
  containers: [{name: main, image: i, volumeMounts: [{name: store, mountPath: /d}]}]
  volumes: [{name: store, persistentVolumeClaim: {claimName: data}}]
status: {phase: Running, containerStatuses: [{name: main, state: {running: {}}}]}
";

/// Returns the state of the stage `mounted` of the pod, its words, and the first two lines of the text.
fn mounted(cluster: &str) -> (String, String, String) {
    let explain = |more: &[&str]| {
        let arguments = [&["explain", "pod/web", "-f", "-"], more].concat();
        Run::new(&arguments).stdin(cluster.as_bytes()).finish().stdout
    };
    let document: Value = serde_json::from_str(&explain(&["-o", "json"])).expect("a document");
    let stages = document.pointer("/diagnosis/volumes/0/stages").and_then(Value::as_array).expect("stages");
    let stage = stages.iter().find(|stage| stage["stage"] == "mounted").expect("a stage");
    let word = |field: &str| stage[field].as_str().unwrap_or_default().to_owned();
    (word("state"), word("says"), explain(&[]).lines().take(2).collect::<Vec<_>>().join("\n"))
}

fn cluster(mode: &str, zone: &str, devices: &str) -> String {
    CLUSTER.replace("MODE", mode).replace("ZONE", zone).replace("DEVICES", devices)
}

/// After a restart of the node, the pod has no sandbox, and the kubelet mounts the volumes again. The phase stays
/// Running. Upstream: `getPhase`, `pkg/kubelet`, and `GeneratePodReadyToStartContainersCondition`, 1.36.
#[test]
fn a_pod_whose_node_was_restarted_has_not_mounted_its_volumes() {
    let event = r#"
---
apiVersion: v1
kind: Event
metadata: {name: web.1, namespace: default, uid: e1}
involvedObject: {apiVersion: v1, kind: Pod, name: web, namespace: default, uid: p1}
type: Warning
reason: FailedMount
message: >-
  MountVolume.MountDevice failed for volume "pv-1" : kubernetes.io/csi: attacher.MountDevice failed to create
  newCsiDriverClient: driver name d.csi not found in the list of registered CSI drivers
source: {component: kubelet}
lastTimestamp: "2026-03-01T09:00:05Z"
"#;
    let status = |ready: &str| {
        format!(
            "status: {{phase: Running, conditions: [{{type: PodReadyToStartContainers, status: '{ready}'}}], \
             containerStatuses: [{{name: main, state: {{terminated: {{exitCode: 255}}}}}}]}}"
        )
    };
    let with = |ready: &str| cluster("ReadWriteOnce", "a", "").replace("status: {phase: Pending}", &status(ready));
    let (state, says, first) = mounted(&(with("False") + event));
    assert_eq!(state, "broken", "{first}");
    assert!(says.contains("not found in the list of registered CSI drivers"), "{says}");
    assert!(first.contains("is Running, but the volume of claim data cannot be mounted on node a-node"), "{first}");
    assert_eq!(mounted(&(with("True") + event)).0, "done");
}

#[test]
fn a_volume_that_the_kubelet_refuses_or_cannot_mount_is_explained_without_an_event() {
    let plain = cluster("ReadWriteOnce", "a", "");
    let other = format!("{}{OTHER}", cluster("ReadWriteOncePod", "a", ""));
    let going = other.replace("uid: p2", "uid: p2, deletionTimestamp: '2026-06-01T10:00:00Z'");
    let of_type = |source: &str| plain.replace("csi: {driver: d.csi, volumeHandle: h1}", source);
    let block = of_type("nfs: {server: s, path: /p}").replace("volumeMode: Filesystem", "volumeMode: Block");
    let block = block.replace(
        "volumeMounts: [{name: store, mountPath: /d}], volumeDevices: []",
        "volumeDevices: [{name: store, devicePath: /dev/d}]",
    );
    let waiting = "Pod default/web is Pending: the kubelet on node a-node is still mounting the volumes of the pod.";
    let cannot = "Pod default/web is Pending: the volume of claim data cannot be mounted on node a-node.";
    for (cluster, state, words, first) in [
        (plain.clone(), "waiting", "", waiting),
        (
            cluster("ReadWriteOnce", "b", ""),
            "broken",
            "the node affinity of the PersistentVolume does not match node a-node",
            cannot,
        ),
        (
            of_type("mountOptions: [nodev]\n  hostPath: {path: /p}"),
            "broken",
            "the PersistentVolume has mountOptions, and the kubelet does not support any for type hostPath",
            cannot,
        ),
        (block, "broken", "the kubelet cannot provide a volume of type nfs as a block device", cannot),
        (
            of_type("cephfs: {monitors: [m]}"),
            "broken",
            "the kubelet refuses the volume: failed to get Plugin from volumeSpec for volume \"pv-1\" err=no volume plugin \
             matched",
            cannot,
        ),
        (format!("{plain}{OTHER}"), "waiting", "", waiting),
        (other, "broken", "pod first has the volume, and ReadWriteOncePod allows one pod", cannot),
        (going, "waiting", "pod first, which is being deleted, still has the volume", waiting),
        (
            plain.replace("volumeMounts: [{name: store, mountPath: /d}], ", ""),
            "done",
            "no container uses the volume, so the kubelet does not mount it",
            "Pod default/web is Pending: the kubelet on node a-node is still starting the pod.",
        ),
    ] {
        let (is_state, says, text) = mounted(&cluster);
        assert_eq!((is_state.as_str(), says.as_str()), (state, words), "{cluster}");
        assert!(text.starts_with(first), "{text}");
        assert!(!text.contains("says:"), "{text}");
    }
    let device = "{name: store, devicePath: /dev/d}";
    let (state, says, _) = mounted(&cluster("ReadWriteOnce", "a", device));
    let words =
        "the kubelet refuses the volume: volume store has volumeMode Filesystem, but is specified in volumeDevices";
    assert_eq!((state.as_str(), says.as_str()), ("broken", words));
}

/// The plugin for `CephFS` is gone since 1.31, and a kubelet can be three minor versions older than the API server.
#[test]
fn an_old_kubelet_may_have_a_plugin() {
    let ceph =
        cluster("ReadWriteOnce", "a", "").replace("csi: {driver: d.csi, volumeHandle: h1}", "cephfs: {monitors: [m]}");
    for (version, state) in [("1.33", "waiting"), ("1.34", "broken")] {
        let arguments = ["explain", "pod/web", "-f", "-", "-o", "json", "--kube-version", version];
        let run = Run::new(&arguments).stdin(ceph.as_bytes()).finish();
        let document: Value = serde_json::from_str(&run.stdout).expect("a document");
        let stages = document.pointer("/diagnosis/volumes/0/stages").and_then(Value::as_array).expect("stages");
        let mounted = stages.iter().find(|stage| stage["stage"] == "mounted").expect("a stage");
        assert_eq!(mounted["state"], state, "{version}");
    }
}

/// A failed mount that an event names comes after the checks of the kubelet.
#[test]
fn an_event_with_a_cause_is_preferred() {
    let event = r#"
---
apiVersion: v1
kind: Event
metadata: {name: e1, namespace: default, uid: e1}
involvedObject: {kind: Pod, namespace: default, name: web, uid: p1}
type: Warning
reason: FailedMount
message: 'MountVolume.MountDevice failed for volume "pv-1" : disk broken'
lastTimestamp: '2026-06-01T10:00:00Z'
"#;
    let (state, says, text) = mounted(&format!("{}{event}", cluster("ReadWriteOnce", "b", "")));
    assert_eq!((state.as_str(), says.contains("disk broken")), ("broken", true), "{says}");
    assert!(text.contains("The kubelet says:") || text.contains("disk broken"), "{text}");
}
