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
status: {phase: Running}
";

/// Returns the state of the stage `mounted` of the pod, and its words.
fn mounted(cluster: &str) -> (String, String) {
    let run = Run::new(&["explain", "pod/web", "-f", "-", "-o", "json"]).stdin(cluster.as_bytes()).finish();
    let document: Value = serde_json::from_str(&run.stdout).expect("a document");
    let stages = document.pointer("/diagnosis/volumes/0/stages").and_then(Value::as_array).expect("stages");
    let stage = stages.iter().find(|stage| stage["stage"] == "mounted").expect("a stage");
    let word = |field: &str| stage[field].as_str().unwrap_or_default().to_owned();
    (word("state"), word("says"))
}

fn cluster(mode: &str, zone: &str, devices: &str) -> String {
    CLUSTER.replace("MODE", mode).replace("ZONE", zone).replace("DEVICES", devices)
}

#[test]
fn a_volume_that_the_kubelet_refuses_or_cannot_mount_is_explained_without_an_event() {
    let device = "{name: store, devicePath: /dev/d}";
    let other = |mode| format!("{}{OTHER}", cluster(mode, "a", ""));
    for (cluster, state, words) in [
        (cluster("ReadWriteOnce", "a", ""), "waiting", ""),
        (
            cluster("ReadWriteOnce", "b", ""),
            "broken",
            "the node affinity of the PersistentVolume does not match node a-node",
        ),
        (
            cluster("ReadWriteOnce", "a", device),
            "broken",
            "the kubelet refuses the volume: volume store has volumeMode Filesystem, but is specified in volumeDevices",
        ),
        (other("ReadWriteOnce"), "waiting", ""),
        (other("ReadWriteOncePod"), "broken", "pod first has the volume, and ReadWriteOncePod allows one pod"),
    ] {
        assert_eq!(mounted(&cluster), (state.to_owned(), words.to_owned()), "{cluster}");
    }
}
