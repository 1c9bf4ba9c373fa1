//! Each problem of a volume that is bound as a whole cluster, asked about from the side of a pod: the first line of
//! `explain pod` names the cause, and who has the volume. The clusters are those of `tests/cases`, and those that the
//! rules have.
#![expect(clippy::expect_used, reason = "tests fail by panicking")]

use crate::support::{Run, files, root};
use serde_json::Value;
use std::collections::BTreeSet;

/// The rules about VolumeAttachments, and those about pods whose volumes are not attached.
const OF_ATTACHING: [&str; 13] = [
    "attach-backend-missing",
    "attach-limit",
    "csi-driver-not-on-node",
    "lost-pv-missing",
    "multi-attach",
    "node-replaced-same-name",
    "node-shutdown-fencing",
    "pv-terminating-bound",
    "va-attach-error-backend",
    "va-detach-error-backend",
    "va-double",
    "va-node-gone",
    "va-stale-no-pod",
];

/// The number of a case, or a rule whose cluster is asked about; the namespace and the beginning of the name of a pod;
/// the rule of the root; and what the first line says.
type Asked = (&'static str, &'static str, &'static str, &'static str, &'static [&'static str]);

/// The problems of attaching.
const ATTACHING: &[Asked] = &[
    ("33", "default", "web-server", "pv-terminating-bound", &["volume pvc-c39b0473-", "is being deleted"]),
    ("35", "default", "dj-app-", "va-node-gone", &["attached to node ubuntu-node5", "no longer exists"]),
    ("46", "default", "postgres-", "csi-driver-not-on-node", &["csi.hetzner.cloud is not registered on node cx11-1"]),
    ("49", "app-percona-ns", "percona-", "node-shutdown-fencing", &["node worker-1 has been NotReady", "unmount"]),
    (
        "50",
        "default",
        "web-2",
        "attach-limit",
        &["node lke-pool-1 takes no more volumes of driver linodebs.csi.linode.com"],
    ),
    ("59", "rocketchat", "rocketchat-", "multi-attach", &["one node at a time", "-2psmn uses it on node group-0-a"]),
    ("60", "harvester-system", "vm-import-", "multi-attach", &["the old pod", "still uses", "on node harvester-1"]),
    ("61", "apps", "store-0", "va-stale-no-pod", &["attached to node node-a", "where no pod uses it"]),
    ("62", "default", "nginx-pvc-", "node-shutdown-fencing", &["node guest-2 has been NotReady", "unmount"]),
    ("63", "default", "app-", "node-replaced-same-name", &["node k3s-1 was replaced", "attached to the old machine"]),
    ("64", "ci", "ghproxy-", "va-attach-error-backend", &["in use on node ci-node-a", "to node ci-node-b"]),
    ("65", "default", "broker-0", "attach-backend-missing", &["vol-0610bdf1017a8d7a8", "does not exist"]),
    ("68", "default", "aggregator-0", "attach-limit", &["has room for 4 more volumes of driver ebs.csi.aws.com"]),
    (
        "71",
        "default",
        "redis-",
        "va-attach-error-backend",
        &["ebs.csi.aws.com has no permission to attach volume", "to node ip-10-20-1-15"],
    ),
    ("72", "default", "withings-sync-", "multi-attach", &["pod bootstrap-withings-sync uses it on node pool-aaa-1"]),
    (
        "83",
        "default",
        "app-0",
        "csi-driver-not-on-node",
        &["io.openebs.csi-mayastor is not registered on node onprem3"],
    ),
    ("90", "netbox", "netbox-housekeeping-", "multi-attach", &["pod netbox-6d7f95c9d8-9zq4s uses it on node worker-1"]),
    ("99", "apps", "store-0", "va-detach-error-backend", &["not been able to detach", "from node node-a"]),
    ("100", "apps", "store-0", "va-double", &["is Running, but", "attached to two nodes at once"]),
    ("101", "apps", "store-0", "lost-pv-missing", &["volume pvc-80c52f0e", "of claim data-store-0 does not exist"]),
];

/// The problems of an expansion or of a change of attributes. The pods run, and their volumes can be used.
const RESIZING: &[Asked] = &[
    (
        "resize-not-allowed",
        "db",
        "postgres-0",
        "resize-not-allowed",
        &["is Running, but", "the expansion to 50Gi of claim pgdata has not begun", "gp3 does not allow expansion"],
    ),
    (
        "resize-no-resizer",
        "web",
        "web-0",
        "resize-no-resizer",
        &["is Running, but", "csi.scaleway.com has still not begun to expand the volume of claim data-0"],
    ),
    (
        "resize-controller-failing",
        "db",
        "postgres-0",
        "resize-controller-failing",
        &["is Running, but", "ebs.csi.aws.com has refused to expand the volume of claim pgdata to 50Gi"],
    ),
    (
        "resize-fs-pending",
        "milvus",
        "milvus-0",
        "resize-fs-pending",
        &["is Running; ", "the volume of claim data-milvus-0 has 6Gi, but its file system still has 1Gi"],
    ),
    (
        "resize-pv-edited",
        "kafka",
        "kafka-0",
        "resize-pv-edited",
        &["is Running", "spec.capacity of", "was edited to 20Gi", "claim kafka-0 has 10Gi"],
    ),
    (
        "44",
        "staging1",
        "percona-",
        "resize-controller-failing",
        &["is Running, but", "to 10Gi by driver csi-unity.dellemc.com has been failing"],
    ),
    ("89", "media", "alpine", "mount-failed", &["cannot expand the file system of the volume of claim sabnzbd"]),
    ("vac-missing", "lab", "db", "vac-missing", &["is Running, but", "VolumeAttributesClass gold", "does not exist"]),
    (
        "vac-infeasible",
        "lab",
        "db",
        "vac-infeasible",
        &["is Running, but", "refuses VolumeAttributesClass gold", "keeps class silver"],
    ),
    (
        "vac-pending",
        "lab",
        "db",
        "vac-pending",
        &["is Running, but", "VolumeAttributesClass gold for driver ebs.csi.aws.com", "nobody changes the volume"],
    ),
];

/// The problems of volumes that are bound and that a pod still cannot use.
const UNUSABLE: &[Asked] = &[
    ("47", "default", "web-0", "bind-nodeaffinity-immediate", &["no node matches the node affinity of volume"]),
    (
        "69",
        "monitoring",
        "prometheus-",
        "pod-node-affinity-conflict",
        &["no node matches the node affinity of the volume of claim prometheus-data", "eu-west-1b"],
    ),
    ("70", "kube-logging", "esdata-4", "pod-node-affinity-conflict", &["is on node metal-6, which does not exist"]),
    ("97", "tanzu-system-registry", "harbor-jobservice-", "pod-node-affinity-conflict", &["us-west-2a", "us-west-2b"]),
    (
        "pod-unbound-immediate",
        "kubero",
        "kubero-",
        "pvc-no-class-no-pv",
        &["storageClassName of claim kubero-data is \"\"", "no volume without a class fits"],
    ),
    ("84", "kube-system", "prometheus-0", "pvc-class-not-found", &["class \"standard\" does not exist"]),
    ("pod-claim-missing", "shop", "cart-", "pod-claim-missing", &["claim cart-data does not exist in namespace shop"]),
    ("pod-claim-deleting", "lab", "db-new", "pod-claim-deleting", &["claim data is being deleted"]),
    ("pod-claim-lost", "web", "web-", "lost-pv-missing", &["volume pvc-7b01 of claim uploads does not exist"]),
    (
        "pod-ephemeral-name-conflict",
        "shop",
        "web",
        "pod-ephemeral-name-conflict",
        &["claim web-scratch for its ephemeral volume", "does not belong to the pod"],
    ),
    ("67", "default", "app2", "rwop-conflict", &["pod app uses claim ebs-claim", "ReadWriteOncePod"]),
    ("73", "nextcloud", "nextcloud-", "mount-failed", &["nextcloud-data has file system errors", "fsck", "worker-2"]),
    ("74", "default", "nfs-subdir-", "mount-failed", &["node mk8s-2 does not have the NFS client"]),
    ("75", "default", "nfs-web-", "mount-failed", &["on node node-b", "the NFS server denies access"]),
    ("76", "default", "cephfs-test", "mount-failed", &["pvc-test-cephfs", "a mount option is invalid"]),
    ("77", "monitoring", "kube-prometheus-grafana-", "mount-failed", &["k8s-dev-worker0", "device is still in use"]),
    ("79", "default", "test-", "mount-failed", &["node homeserver cannot prepare the subPath directory"]),
    ("80", "hpe-storage", "hpe-csi-node-", "mount-failed", &["hostPath of volume registration-dir does not exist"]),
    ("81", "zammad", "zammad-railsserver-", "mount-failed", &["node worker-1 still changes the ownership", "fsGroup"]),
    ("87", "default", "pod-b", "mount-failed", &["claim pvc-b has the same file system UUID as another volume"]),
    ("91", "default", "efs-example", "mount-failed", &["claim efs-claim", "times out", "does not answer"]),
    ("92", "shop", "web-6f5d8c7b94-x2dnk", "mount-failed", &["claim assets", "denies access (check the account key)"]),
    ("98", "confluence", "confluence-0", "mount-failed", &["confluence-data-confluence-0", "device is still in use"]),
    (
        "82",
        "default",
        "storage-server-",
        "mount-volumemode-misuse",
        &["uses claim local-claim in volumeMounts", "volumeMode Block"],
    ),
    ("78", "default", "my-pod", "mount-same-claim-twice", &["my-pvc and my-pvc-2 both use claim my-claim"]),
    ("93", "example-dev", "example-", "mount-secret-missing", &["Secret example-secret-provider-dev does not exist"]),
    ("96", "monitoring", "prometheus-", "csi-driver-not-on-node", &["driver ebs.csi.aws.com is not installed"]),
    ("nfs-service-missing", "web", "site", "shared-pv-address-dangling", &["10.0.0.77", "no Service has this address"]),
    ("94", "logstash", "logstash-", "shared-pv-address-dangling", &["10.174.240.174", "no Service has this address"]),
    ("nfs-no-endpoints", "web", "site", "shared-targets-empty", &["Service infra/nfs-server selects no pod"]),
    ("nfs-short-name", "web", "site", "nfs-short-name", &["NFS server nfs-server, a short name"]),
    (
        "nfs-selfhosted-cycle",
        "web",
        "site",
        "pvc-class-not-found",
        &["its NFS server, pod infra/nfs-server-0, waits for claim export"],
    ),
    ("95", "alp-test", "alp-test-app-", "unmount-stuck", &["has not finished unmounting the volume of claim"]),
    ("21", "default", "app", "pvc-wffc-nodename-bypass", &["spec.nodeName bypasses the scheduler", "ebs-claim"]),
];

/// Returns the names of the pods of the file in the namespace, the ones that do not run first.
fn pods(content: &str, namespace: &str) -> Vec<String> {
    let objects: Vec<Value> = serde_yaml::from_str_multiple(content).expect("YAML");
    let is_here = |object: &&Value| object["kind"] == "Pod" && object["metadata"]["namespace"] == namespace;
    let mut pods: Vec<&Value> = objects.iter().filter(is_here).collect();
    pods.sort_by_key(|pod| (pod["status"]["phase"] == "Running", pod["metadata"]["deletionTimestamp"].is_string()));
    pods.iter().map(|pod| pod["metadata"]["name"].as_str().expect("a name").to_owned()).collect()
}

/// Returns the pods whose first line does not say what it should say.
fn wrong(asked: &[Asked]) -> Vec<String> {
    let mut wrong = Vec::new();
    let cases = files("tests/cases", "yaml");
    let rules = files("tests/audit", "yaml");
    for (cluster, namespace, begins, rule, words) in asked {
        let is_case = |path: &str| path.contains(&format!("tests/cases/{cluster}-"));
        let is_rule = |path: &str| path.ends_with(&format!("tests/audit/{cluster}/fires.yaml"));
        let (path, bytes) =
            cases.iter().chain(&rules).find(|(path, _)| is_case(path) || is_rule(path)).expect("a cluster");
        let content = std::str::from_utf8(bytes).expect("text");
        let pod = pods(content, namespace).into_iter().find(|name| name.starts_with(begins)).expect("a pod");
        let pod = format!("pod/{pod}");
        let explain = |more: &[&str]| {
            let arguments = [&["explain", &pod, "-n", namespace, "-f", path], more].concat();
            Run::new(&arguments).current_dir(root()).finish().stdout
        };
        let text = explain(&[]);
        let first = text.lines().next().unwrap_or_default();
        let document: Value = serde_json::from_str(&explain(&["-o", "json"])).expect("a document");
        let root = document["diagnosis"]["root"]["rule"].as_str().unwrap_or_default();
        if root != *rule || !words.iter().all(|words| first.contains(words)) {
            wrong.push(format!("{path} {pod}: {root}: {first}"));
        }
    }
    wrong
}

/// Returns the rules of the roots.
fn roots(asked: &[Asked]) -> BTreeSet<String> {
    asked.iter().map(|(_, _, _, rule, _)| (*rule).to_owned()).collect()
}

#[test]
fn the_first_line_names_the_cause_and_who_has_the_volume() {
    assert_eq!(wrong(ATTACHING), Vec::<String>::new());
    assert_eq!(roots(ATTACHING), OF_ATTACHING.map(str::to_owned).into());
}

#[test]
fn the_first_line_names_why_a_volume_is_not_expanded_or_changed() {
    assert_eq!(wrong(RESIZING), Vec::<String>::new());
    let files = files("src/diagnosis/rules/resize", "rs");
    let names = files.iter().filter_map(|(path, _)| path.rsplit('/').next()?.strip_suffix(".rs"));
    let rules: BTreeSet<String> = names.filter(|name| *name != "mod").map(|name| name.replace('_', "-")).collect();
    assert!(rules.is_subset(&roots(RESIZING)), "{rules:?}");
}

#[test]
fn the_first_line_names_why_a_bound_volume_cannot_be_used() {
    assert_eq!(wrong(UNUSABLE), Vec::<String>::new());
}

/// A driver whose disks are for one node refuses `ReadWriteMany` only when a claim asks for it.
#[test]
fn the_first_line_names_access_modes_that_the_driver_refuses() {
    let objects = r#"
apiVersion: storage.k8s.io/v1
kind: StorageClass
metadata: {name: gp3, uid: u0}
provisioner: ebs.csi.aws.com
---
apiVersion: v1
kind: PersistentVolumeClaim
metadata:
  name: shared
  namespace: lab
  uid: u1
  annotations: {volume.kubernetes.io/storage-provisioner: ebs.csi.aws.com}
spec: {accessModes: [ReadWriteMany], storageClassName: gp3, resources: {requests: {storage: 1Gi}}}
status: {phase: Pending}
---
apiVersion: v1
kind: Event
metadata: {name: shared.1, namespace: lab, uid: u2}
involvedObject: {apiVersion: v1, kind: PersistentVolumeClaim, name: shared, namespace: lab, uid: u1}
type: Warning
reason: ProvisioningFailed
message: Volume capabilities MULTI_NODE_MULTI_WRITER not supported. Only AccessModes[ReadWriteOnce] supported.
source: {component: ebs.csi.aws.com_ebs-csi-controller-0}
lastTimestamp: "2026-03-01T09:00:05Z"
count: 9
---
apiVersion: v1
kind: Pod
metadata: {name: web, namespace: lab, uid: u3}
spec:
  containers: [{name: main, image: example.com/main, volumeMounts: [{name: data, mountPath: /data}]}]
  volumes: [{name: data, persistentVolumeClaim: {claimName: shared}}]
status: {phase: Pending}
"#;
    let because = |objects: &str| {
        let run = Run::new(&["explain", "pod/web", "-n", "lab", "-f", "-"]).stdin(objects.as_bytes()).finish();
        let first = run.stdout.lines().next().unwrap_or_default();
        let said =
            "Pod lab/web is Pending: driver ebs.csi.aws.com cannot provision a volume for claim shared, because ";
        first.strip_prefix(said).unwrap_or(first).to_owned()
    };
    assert_eq!(because(objects), "it does not make volumes with the access modes of the claim.");
    // A driver that repeats the whole request names the access mode in each error.
    let refusal =
        "Volume capabilities MULTI_NODE_MULTI_WRITER not supported. Only AccessModes[ReadWriteOnce] supported.";
    let full = objects.replace(refusal, "'code = ResourceExhausted desc = {AccessMode:rwo}: no space'");
    assert_eq!(because(&full), "the storage has no room for that size or a quota is used up.");
}

/// A pod keeps its phase when its node is deleted, but nothing reports any more whether it runs.
#[test]
fn a_pod_on_a_node_that_does_not_exist_is_not_called_running() {
    let objects = r"
apiVersion: v1
kind: Node
metadata: {name: n2, uid: u1}
---
apiVersion: v1
kind: Pod
metadata: {name: web, namespace: db, uid: u2}
spec: {nodeName: NODE, containers: [{name: main, image: example.com/main}]}
status: {phase: Running}
";
    let explain = |node: &str| {
        let run = Run::new(&["explain", "pod/web", "-n", "db", "-f", "-"])
            .stdin(objects.replace("NODE", node).as_bytes())
            .finish();
        run.stdout.lines().next().unwrap_or_default().to_owned()
    };
    assert_eq!(explain("n1"), "Pod db/web is on node n1, which does not exist, so nothing reports whether it runs.");
    assert_eq!(explain("n2"), "Pod db/web is Running, and it uses no claim.");
}
