//! Each problem of attaching as a whole cluster, asked about from the side of a pod: the first line of `explain pod`
//! names the cause, and who has the volume. The clusters are those of `tests/cases`.
#![expect(clippy::expect_used, reason = "tests fail by panicking")]

use crate::support::{Run, files, root};
use serde_json::Value;
use std::collections::BTreeSet;

/// The rules about VolumeAttachments, and those about pods whose volumes are not attached.
const RULES: [&str; 13] = [
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

/// The number of a case, the namespace and the beginning of the name of a pod, the rule of the root, and what the first
/// line says.
const PODS: [(&str, &str, &str, &str, &[&str]); 20] = [
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
    ("68", "default", "aggregator-0", "attach-limit", &["volumes"]),
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

/// Returns the names of the pods of the file in the namespace, the ones that do not run first.
fn pods(content: &str, namespace: &str) -> Vec<String> {
    let objects: Vec<Value> = serde_yaml::from_str_multiple(content).expect("YAML");
    let is_here = |object: &&Value| object["kind"] == "Pod" && object["metadata"]["namespace"] == namespace;
    let mut pods: Vec<&Value> = objects.iter().filter(is_here).collect();
    pods.sort_by_key(|pod| (pod["status"]["phase"] == "Running", pod["metadata"]["deletionTimestamp"].is_string()));
    pods.iter().map(|pod| pod["metadata"]["name"].as_str().expect("a name").to_owned()).collect()
}

#[test]
fn the_first_line_names_the_cause_and_who_has_the_volume() {
    let mut wrong = Vec::new();
    let mut found = BTreeSet::new();
    let cases = files("tests/cases", "yaml");
    for (number, namespace, begins, rule, words) in PODS {
        let is_case = |(path, _): &&(String, Vec<u8>)| path.contains(&format!("/{number}-"));
        let (path, bytes) = cases.iter().find(is_case).expect("a case");
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
        let said = document["diagnosis"]["root"]["rule"].as_str().unwrap_or_default().to_owned();
        if said != rule || !words.iter().all(|words| first.contains(words)) {
            wrong.push(format!("{path} {pod}: {said}: {first}"));
        }
        found.insert(said);
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert_eq!(found, RULES.map(str::to_owned).into());
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
