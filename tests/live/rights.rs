//! Users who may not read everything. The program must give every answer that their rights allow, and the answer must
//! be right. For everything else the output must say which right is missing.
#![expect(
    clippy::disallowed_methods,
    clippy::expect_used,
    clippy::panic,
    clippy::unwrap_used,
    clippy::print_stderr,
    reason = "a test reads the project's files and fails by panicking"
)]

use super::api::Api;
use super::plane::Plane;
use super::snapshots;
use super::sound::{NAMESPACES, claim, create, fill, sure, truth, wrong};
use crate::support::{Finished, root};
use serde_json::{Value, json};
use std::fs;

/// The resources that `predict` reads, each with its API group.
const KINDS: [(&str, &str); 5] = [
    ("", "persistentvolumes"),
    ("", "persistentvolumeclaims"),
    ("storage.k8s.io", "storageclasses"),
    ("", "pods"),
    ("", "nodes"),
];

fn role(name: &str, rules: &[Value]) -> Vec<Value> {
    vec![
        json!({
            "apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRole", "metadata": {"name": name},
            "rules": rules,
        }),
        json!({
            "apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRoleBinding", "metadata": {"name": name},
            "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": name},
            "subjects": [{"apiGroup": "rbac.authorization.k8s.io", "kind": "User", "name": name}],
        }),
    ]
}

fn apply(plane: &Plane, objects: &[Value]) {
    let list = json!({"apiVersion": "v1", "kind": "List", "items": objects}).to_string();
    let run = plane.kubectl_with(&["apply", "-f", "-"], list.as_bytes());
    assert_eq!(run.code, Some(0), "{}", run.stderr);
}

fn rule((group, resource): (&str, &str), verbs: &[&str]) -> Value {
    json!({"apiGroups": [group], "resources": [resource], "verbs": verbs})
}

fn ask(plane: &Plane, user: &str, arguments: &[&str]) -> Finished {
    let all = [arguments, &["-o", "json", "--as", user]].concat();
    plane.pvctl(&all)
}

fn document(run: &Finished) -> Value {
    serde_json::from_str(&run.stdout).unwrap_or_else(|error| panic!("{error}: {} {}", run.stdout, run.stderr))
}

/// Returns the missing rights that an answer states, each as verb and resource.
fn missing(answer: &Value) -> Vec<String> {
    let items = answer["items"].as_array().unwrap().iter();
    let unknown = items.flat_map(|item| item["unknown"].as_array().cloned().unwrap_or_default());
    let mut all: Vec<String> = unknown
        .map(|unknown| {
            let needs = &unknown["needs"];
            format!("{} {}", needs["verb"].as_str().unwrap(), needs["resource"].as_str().unwrap())
        })
        .collect();
    all.sort();
    all.dedup();
    all
}

#[test]
#[ignore = "needs a control plane: oracle/cluster/build, then cargo test --profile thorough -- --ignored live"]
fn users_with_few_rights_are_told_what_they_lack() {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let plane = Plane::without_admission();
    runtime.block_on(async {
        let api = Api::of(&plane).await;
        snapshots::install(&api).await;
        fill(&api).await;
    });
    let truth = truth(&plane);
    let everything = sure(&truth);
    assert!(everything > 10, "{truth}");
    let mut users = 0;

    // Each resource in turn is hidden.
    for hidden in KINDS {
        let name = format!("without-{}", hidden.1);
        let rules: Vec<Value> =
            KINDS.into_iter().filter(|kind| *kind != hidden).map(|kind| rule(kind, &["get", "list"])).collect();
        apply(&plane, &role(&name, &rules));
        let run = ask(&plane, &name, &["predict", "-A", "--decisions", "all", "--outcomes", "all"]);
        let answer = document(&run);
        assert_eq!(wrong(&answer, &truth), Vec::<String>::new(), "{name}");
        users += 1;
        if hidden.1 == "nodes" {
            assert_eq!(
                (run.code, sure(&answer)),
                (Some(0), everything),
                "nodes are not needed, so the answer must be complete: {}",
                run.stderr
            );
            continue;
        }
        assert_eq!(missing(&answer), [format!("list {}", hidden.1)], "{name}");
        let table = plane.pvctl(&["predict", "-A", "--as", &name]);
        let warned = table.stderr.starts_with(&format!("warning: {}", hidden.1));
        assert!(warned && table.stderr.contains(" cannot be listed: "), "{}", table.stderr);
        assert_eq!(table.code, run.code);
        assert!(sure(&answer) < everything, "{name}");
        // If only pods may not be read, the volumes and claims are still known.
        assert_eq!(run.code, Some(if hidden.1 == "pods" { 0 } else { 3 }), "{name}: {}", run.stderr);
    }

    // The user may read one namespace, and volumes by name.
    let text = fs::read_to_string(root().join("docs/rbac/one-namespace.yaml")).unwrap();
    let run = plane.kubectl_with(&["apply", "-f", "-"], text.replace("NAMESPACE", NAMESPACES[0]).as_bytes());
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    let subject = json!([{"apiGroup": "rbac.authorization.k8s.io", "kind": "User", "name": "tenant"}]);
    apply(
        &plane,
        &[
            json!({
                "apiVersion": "rbac.authorization.k8s.io/v1", "kind": "RoleBinding",
                "metadata": {"name": "tenant", "namespace": NAMESPACES[0]}, "subjects": subject,
                "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": "pvctl-namespace"},
            }),
            json!({
                "apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRoleBinding",
                "metadata": {"name": "tenant"}, "subjects": subject,
                "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "pvctl-namespace"},
            }),
        ],
    );
    let run = ask(&plane, "tenant", &["predict", "-n", NAMESPACES[0], "--decisions", "all", "--outcomes", "all"]);
    let answer = document(&run);
    assert_eq!(wrong(&answer, &truth), Vec::<String>::new());
    assert_eq!(missing(&answer), ["list persistentvolumes"]);
    let item =
        |name: &str| answer["items"].as_array().unwrap().iter().find(|item| item["object"]["name"] == name).unwrap();
    let (bound, lost) = (item("bound"), item("lost"));
    assert_eq!(
        bound["unknown"],
        Value::Null,
        "the volume of this claim is read by name, so nothing must be unknown: {bound}"
    );
    assert_eq!(
        lost["unknown"],
        Value::Null,
        "the server says that the volume of this claim does not exist, so nothing must be unknown: {lost}"
    );
    assert_eq!(lost["outcomes"][0]["phase"], "Lost", "{lost}");
    users += 1;

    // The user has no rights.
    let run = ask(&plane, "nobody", &["predict", "-A"]);
    assert_eq!((run.code, run.stdout.as_str()), (Some(3), ""));
    assert!(run.stderr.starts_with("error: you may not read persistentvolumes: "), "{}", run.stderr);
    users += 1;
    eprintln!("{users} users, {everything} certain answers with all rights");
}

/// Creates a node and a claim for which every kind matters that the scheduler's search on one node reads: a driver that
/// reports its capacity would provision the volume, and a volume of an in-tree plugin fits, too.
async fn waiting_for_a_node(api: &Api) {
    let created = [
        (json!({"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n1"}}), ""),
        (
            json!({
                "apiVersion": "storage.k8s.io/v1", "kind": "StorageClass", "metadata": {"name": "late"},
                "provisioner": "ebs.csi.aws.com", "volumeBindingMode": "WaitForFirstConsumer",
            }),
            "",
        ),
        (
            json!({
                "apiVersion": "storage.k8s.io/v1", "kind": "CSIDriver", "metadata": {"name": "ebs.csi.aws.com"},
                "spec": {"storageCapacity": true},
            }),
            "",
        ),
        (
            json!({
                "apiVersion": "v1", "kind": "PersistentVolume", "metadata": {"name": "in-tree"},
                "spec": {
                    "capacity": {"storage": "1Gi"}, "accessModes": ["ReadWriteOnce"], "storageClassName": "late",
                    "persistentVolumeReclaimPolicy": "Retain",
                    "awsElasticBlockStore": {"volumeID": "aws://z1/vol-1"},
                },
            }),
            "Available",
        ),
        (claim("one", "late", "late", ""), "Pending"),
    ];
    for (object, phase) in created {
        create(api, &object, phase).await;
    }
}

/// The rights in `docs/rbac/` must be sufficient, and each of them must be needed.
#[test]
#[ignore = "needs a control plane: oracle/cluster/build, then cargo test --profile thorough -- --ignored live"]
fn the_documented_rights_are_enough_and_none_is_too_many() {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let plane = Plane::without_admission();
    runtime.block_on(async {
        let api = Api::of(&plane).await;
        snapshots::install(&api).await;
        fill(&api).await;
    });
    // One claim waits for a driver, because it is larger than any volume.
    let mut driven = claim("one", "driven", "fast", "");
    driven["spec"]["resources"]["requests"]["storage"] = "5Gi".into();
    runtime.block_on(async { create(&Api::of(&plane).await, &driven, "Pending").await });
    // The node that was selected for another claim does not exist.
    let mut placed = claim("one", "placed", "fast", "");
    placed["spec"]["resources"]["requests"]["storage"] = "5Gi".into();
    placed["metadata"]["annotations"] = json!({"volume.kubernetes.io/selected-node": "gone"});
    runtime.block_on(async { create(&Api::of(&plane).await, &placed, "Pending").await });
    runtime.block_on(async { waiting_for_a_node(&Api::of(&plane).await).await });
    // Endpoints are read only if there is a volume that is served through the network.
    let served = json!({
        "apiVersion": "v1", "kind": "PersistentVolume", "metadata": {"name": "served"},
        "spec": {
            "accessModes": ["ReadWriteMany"], "capacity": {"storage": "1Gi"},
            "nfs": {"path": "/", "server": "192.0.2.1"}, "storageClassName": "served",
        },
    });
    apply(&plane, &[served]);
    let verbs: [(&str, &[&[&str]]); 6] = [
        ("predict", &[&["predict", "-A"]]),
        ("match", &[&["match", "pvc/asking", "-n", "one"]]),
        ("match-node", &[&["match", "pvc/late", "-n", "one", "--node", "n1"]]),
        (
            "explain",
            &[
                &["explain", "pv/one-anew"],
                &["explain", "pvc/driven", "-n", "one"],
                &["explain", "pvc/placed", "-n", "one"],
            ],
        ),
        ("snapshot", &[&["snapshot"]]),
        ("audit", &[&["audit", "-A"]]),
    ];
    let mut tried = 0;
    let documented = |name: &str| -> Vec<Value> {
        let text = fs::read_to_string(root().join(format!("docs/rbac/{name}.yaml"))).unwrap();
        let role_file: Value = serde_yaml::from_str(&text).expect("a role");
        role_file["rules"].as_array().unwrap().clone()
    };
    for (verb, arguments) in verbs {
        let rules = documented(verb);
        // With the flag, these rights are needed besides those of the verb.
        let others = if verb == "match-node" { documented("match") } else { Vec::new() };
        apply(&plane, &role(&format!("enough-{verb}"), &[&*rules, &*others].concat()));
        for arguments in arguments {
            let full = plane.pvctl(&[arguments, &["-o", "json"][..]].concat());
            let enough = ask(&plane, &format!("enough-{verb}"), arguments);
            assert_eq!((enough.code, enough.stderr.as_str()), (full.code, full.stderr.as_str()), "{verb}");
            let lacks = ["\"unknown\":[", "\"unjudgedRules\":"].iter().any(|word| enough.stdout.contains(word));
            assert!(!lacks, "{verb}: {}", enough.stdout);
        }
        // If any one of the rights is missing, the answer must be different.
        for (place, whole) in rules.iter().enumerate() {
            for resource in whole["resources"].as_array().unwrap() {
                for right in whole["verbs"].as_array().unwrap() {
                    let mut fewer = rules.clone();
                    fewer.remove(place);
                    for other in whole["resources"].as_array().unwrap() {
                        let mut left = whole["verbs"].as_array().unwrap().clone();
                        left.retain(|verb| other != resource || verb != right);
                        let mut part = whole.clone();
                        (part["resources"], part["verbs"]) = (json!([other]), json!(left));
                        if !left.is_empty() {
                            fewer.push(part);
                        }
                    }
                    fewer.extend(others.iter().cloned());
                    let name = format!("{verb}-without-{}-{}", right.as_str().unwrap(), resource.as_str().unwrap());
                    apply(&plane, &role(&name, &fewer));
                    let said = |user: &str| {
                        let runs = arguments.iter().map(|arguments| ask(&plane, user, arguments));
                        runs.map(|run| (run.code, run.stdout, run.stderr)).collect::<Vec<_>>()
                    };
                    assert!(
                        said(&name) != said(&format!("enough-{verb}")),
                        "{name}: without this right the answer is the same, so the right is not needed"
                    );
                    tried += 1;
                }
            }
        }
    }
    eprintln!("{tried} rights, of which one at a time was removed");
    assert!(tried > 12, "{tried}");
}
