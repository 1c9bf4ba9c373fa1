//! `explain` of a pod without a node: what the scheduler says, which objects lead to this, and what has changed since
//! the scheduler's last message. The messages are those of the page `docs/controllers/scheduler.md`.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use super::scheduler::{RECORDINGS, each_world, waiting};
use crate::support::{Finished, Run};
use pvctl::controllers::KubernetesBehavior;
use pvctl::controllers::scheduler::Scheduler;
use pvctl::diagnosis::pod::PodScheduling;
use serde_json::{Value, json};

pub(super) const ZONE: &str = "topology.kubernetes.io/zone";
pub(super) const DRIVER: &str = "csi.example.com";

pub(super) fn object(kind: &str, namespace: &str, name: &str, rest: Value) -> Value {
    let mut object = rest;
    object["apiVersion"] = match kind {
        "StorageClass" | "CSINode" | "CSIDriver" => "storage.k8s.io/v1".into(),
        _ => "v1".into(),
    };
    object["kind"] = kind.into();
    let meta = object["metadata"].as_object().cloned().unwrap_or_default();
    let mut all = json!({"name": name, "uid": format!("uid-{kind}-{name}"), "resourceVersion": "5",
        "creationTimestamp": "2026-01-05T09:00:00Z"});
    if !namespace.is_empty() {
        all["namespace"] = namespace.into();
    }
    all.as_object_mut().unwrap().extend(meta);
    object["metadata"] = all;
    object
}

pub(super) fn node(name: &str, zone: &str, rest: Value) -> Value {
    let mut node = object("Node", "", name, rest);
    node["metadata"]["labels"] = json!({ZONE: zone, "kubernetes.io/hostname": name});
    node["status"] = json!({"allocatable": {"cpu": "2", "memory": "4Gi", "pods": "110"},
        "conditions": [{"type": "Ready", "status": "True"}]});
    node
}

pub(super) fn pod(name: &str, claims: &[&str], rest: Value) -> Value {
    let volumes: Vec<Value> =
        claims.iter().map(|claim| json!({"name": claim, "persistentVolumeClaim": {"claimName": claim}})).collect();
    let mut pod = object("Pod", "db", name, rest);
    pod["spec"]["volumes"] = volumes.into();
    pod["spec"]["containers"] = json!([{"name": "c", "image": "i"}]);
    if pod["status"].is_null() {
        pod["status"] = json!({"phase": "Pending"});
    }
    pod
}

/// Returns the status of a pod with this message of the scheduler.
fn unschedulable(said: &str) -> Value {
    json!({"phase": "Pending", "conditions": [{"type": "PodScheduled", "status": "False", "reason": "Unschedulable",
        "message": said, "lastTransitionTime": "2026-03-04T11:00:00Z"}]})
}

/// Returns a claim and its volume `pv-NAME`, which can be used only in this zone.
pub(super) fn bound(name: &str, zone: &str) -> [Value; 2] {
    let spec = json!({"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}},
        "storageClassName": "zonal", "volumeMode": "Filesystem", "volumeName": format!("pv-{name}")});
    let mut claim = object("PersistentVolumeClaim", "db", name, json!({"spec": spec, "status": {"phase": "Bound"}}));
    claim["metadata"]["annotations"] = json!({"pv.kubernetes.io/bind-completed": "yes"});
    let uid = claim["metadata"]["uid"].clone();
    let affinity = json!({"required": {"nodeSelectorTerms": [
        {"matchExpressions": [{"key": ZONE, "operator": "In", "values": [zone]}]}]}});
    let spec = json!({"accessModes": ["ReadWriteOnce"], "capacity": {"storage": "1Gi"}, "storageClassName": "zonal",
        "volumeMode": "Filesystem", "persistentVolumeReclaimPolicy": "Retain", "nodeAffinity": affinity,
        "claimRef": {"namespace": "db", "name": name, "uid": uid}, "csi": {"driver": DRIVER, "volumeHandle": name}});
    let volume =
        object("PersistentVolume", "", &format!("pv-{name}"), json!({"spec": spec, "status": {"phase": "Bound"}}));
    [claim, volume]
}

/// Returns a claim that waits for the scheduler.
pub(super) fn unbound(name: &str) -> Value {
    let spec = json!({"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}},
        "storageClassName": "zonal", "volumeMode": "Filesystem"});
    object("PersistentVolumeClaim", "db", name, json!({"spec": spec, "status": {"phase": "Pending"}}))
}

pub(super) fn class(provisioner: &str) -> Value {
    object(
        "StorageClass",
        "",
        "zonal",
        json!({"provisioner": provisioner, "reclaimPolicy": "Delete", "volumeBindingMode": "WaitForFirstConsumer"}),
    )
}

/// The kinds that the scheduler reads.
pub(super) const COMPLETE: &str = "--assume-complete=pv,pvc,sc,pod,node,csinodes,csidrivers,csistoragecapacities,\
                        volumeattachments,namespaces";

pub(super) fn explain(objects: &[Value], arguments: &[&str]) -> Finished {
    let list = json!({"apiVersion": "v1", "kind": "List", "items": objects}).to_string();
    let mut all = vec!["explain"];
    all.extend(arguments);
    all.extend(["-n", "db", "-f", "-", "--now", "2026-03-04T12:00:00Z", COMPLETE]);
    Run::new(&all).env("COLUMNS", "400").stdin(list.as_bytes()).finish()
}

/// Returns the section about scheduling, without its heading.
fn section(objects: &[Value], arguments: &[&str]) -> String {
    let seen = explain(objects, arguments);
    assert_eq!(seen.code, Some(0), "{}", seen.stderr);
    let (_, section) = seen.stdout.split_once("\nScheduling\n").unwrap_or_default();
    section.split("\n\n").next().unwrap_or_default().trim_end().to_owned()
}

/// Returns the field `scheduling` of the document.
pub(super) fn document(objects: &[Value], arguments: &[&str]) -> Value {
    let mut all = arguments.to_vec();
    all.extend(["-o", "json"]);
    let seen = explain(objects, &all);
    assert_eq!(seen.code, Some(0), "{}", seen.stderr);
    let document: Value = serde_json::from_str(&seen.stdout).unwrap();
    document["scheduling"].clone()
}

fn three_nodes() -> Vec<Value> {
    let taints = json!({"spec": {"taints": [{"key": "gpu", "effect": "NoSchedule"}]}});
    vec![node("n1", "eu-1a", taints), node("n2", "eu-1b", json!({})), node("n3", "eu-1b", json!({}))]
}

#[test]
fn nodes_are_grouped_by_reason_and_the_volume_comes_first() {
    let said = "0/3 nodes are available: 3 node(s) had untolerated taint(s). preemption: 0/3 nodes are available: 3 \
                Preemption is not helpful for scheduling.";
    let mut objects = three_nodes();
    objects.extend(bound("data", "eu-1a"));
    objects.extend([class(DRIVER), pod("web", &["data"], json!({"status": unschedulable(said)}))]);
    assert_eq!(
        section(&objects, &["pod/web"]),
        "  0/3 nodes are available: 1 node(s) had untolerated taint(s), 2 node(s) didn't match PersistentVolume's node \
         affinity.\n  node(s) didn't match PersistentVolume's node affinity (n2, n3)\n    \
         Volume pv-data of claim data can be used only on nodes with topology.kubernetes.io/zone In (eu-1a).\n  \
         node(s) had untolerated taint(s) (n1)\n    Node n1 has taint gpu:NoSchedule, which the pod does not tolerate.\n  \
         The scheduler's last message differs. Something has changed since then: \"node(s) didn't match \
         PersistentVolume's node affinity\" is new, \"node(s) had untolerated taint(s)\" 3 times before and 1 now."
    );
    let wide = section(&objects, &["pod/web", "-o", "wide"]);
    let table: Vec<&str> = wide.lines().skip_while(|line| !line.starts_with("  NODE")).collect();
    let cells = |line: &str| -> Vec<String> { line.split("   ").map(|cell| cell.trim().to_owned()).collect() };
    let rows: Vec<Vec<String>> =
        table.iter().map(|line| cells(line).into_iter().filter(|cell| !cell.is_empty()).collect()).collect();
    assert_eq!(rows[1], ["n1", "no", "TaintToleration", "node(s) had untolerated taint(s)"]);
    assert_eq!(rows[2], ["n2", "no", "VolumeBinding", "node(s) didn't match PersistentVolume's node affinity"]);
    let answer = document(&objects, &["pod/web"]);
    assert_eq!((&answer["attempted"], &answer["stage"]), (&json!(true), &json!("filter")));
    assert_eq!(answer["recorded"]["agrees"], json!(false));
    assert_eq!(answer["nodes"][2]["plugin"], json!("VolumeBinding"));
}

#[test]
fn a_recorded_message_that_is_still_true_is_not_repeated() {
    let said = "0/3 nodes are available: 1 node(s) had untolerated taint(s), 2 node(s) didn't match PersistentVolume's \
                node affinity. no new claims to deallocate, preemption: 0/3 nodes are available: 3 Preemption is not \
                helpful for scheduling.";
    let mut objects = three_nodes();
    objects.extend(bound("data", "eu-1a"));
    objects.extend([class(DRIVER), pod("web", &["data"], json!({"status": unschedulable(said)}))]);
    assert!(!section(&objects, &["pod/web"]).contains("changed"));
    assert_eq!(document(&objects, &["pod/web"])["recorded"]["agrees"], json!(true));
}

#[test]
fn a_pod_that_fits_says_what_becomes_of_its_claims() {
    let mut objects = three_nodes();
    objects.extend([class(DRIVER), unbound("new"), pod("web", &["new"], json!({}))]);
    assert_eq!(
        section(&objects, &["pod/web"]),
        "  2 of 3 nodes fit: n2, n3.\n    On n2, n3: a volume would be provisioned for claim new.\n  node(s) had untolerated \
         taint(s) (n1)\n    Node n1 has taint gpu:NoSchedule, which the pod does not tolerate."
    );
    let answer = document(&objects, &["pod/web"]);
    assert_eq!(answer["message"], Value::Null);
    assert_eq!(answer["nodes"][1]["provision"], json!(["new"]));
    // Without a provisioner, only an existing volume can be chosen.
    let mut objects = three_nodes();
    let [_, mut free] = bound("free", "eu-1b");
    free["spec"].as_object_mut().unwrap().remove("claimRef");
    free["status"]["phase"] = "Available".into();
    objects.extend([class("kubernetes.io/no-provisioner"), unbound("new"), free, pod("web", &["new"], json!({}))]);
    assert_eq!(document(&objects, &["pod/web"])["nodes"][1]["bind"], json!([{"claim": "new", "volumes": ["pv-free"]}]));
    assert!(section(&objects, &["pod/web"]).contains("On n2, n3: claim new would be bound to volume pv-free."));
}

/// If a recorded message is out of date, the headline of the pod must say what the scheduler decides now.
#[test]
fn a_recorded_message_that_is_out_of_date_is_no_cause() {
    let said = "0/3 nodes are available: 3 node(s) had untolerated taint(s). preemption: 0/3 nodes are available: 3 \
                Preemption is not helpful for scheduling.";
    let mut objects = three_nodes();
    objects.push(pod("web", &[], json!({"status": unschedulable(said)})));
    let text = explain(&objects, &["pod/web"]).stdout;
    let head: Vec<&str> = text.lines().take(2).collect();
    assert_eq!(head[0], "Pod db/web is Pending: it waits for a node.", "{text}");
    assert_eq!(head[1], "The pod can run on node n2 now, and the scheduler tries again.", "{text}");
}

#[test]
fn each_reason_of_a_volume_says_what_it_rests_on() {
    // For this claim another node was selected before.
    let mut selected = unbound("new");
    selected["metadata"]["annotations"] = json!({"volume.kubernetes.io/selected-node": "gone"});
    let mut objects = three_nodes();
    objects.extend([class(DRIVER), selected, pod("web", &["new"], json!({}))]);
    let text = section(&objects, &["pod/web"]);
    assert!(text.contains("2 node(s) didn't find available persistent volumes to bind"), "{text}");
    assert!(text.contains("Earlier, the scheduler selected node gone for claim new"), "{text}");
    // The limit of the driver is reached.
    let mut objects = three_nodes();
    objects.truncate(2);
    let csi = json!({"spec": {"drivers": [{"name": DRIVER, "nodeID": "n2", "allocatable": {"count": 1}}]}});
    objects.push(object("CSINode", "", "n2", csi));
    objects.extend(bound("old", "eu-1b"));
    objects.extend(bound("data", "eu-1b"));
    let running = json!({"spec": {"nodeName": "n2"}, "status": {"phase": "Running"}});
    objects.extend([class(DRIVER), pod("old", &["old"], running), pod("web", &["data"], json!({}))]);
    let text = section(&objects, &["pod/web"]);
    assert!(text.contains("node(s) exceed max volume count (n2)"), "{text}");
    let limit = "Node n2: 1 of 1 volumes of driver csi.example.com are in use, and the pod needs 1 more.";
    assert!(text.contains(limit), "{text}");
    // A claim does not exist. So no node is tested.
    let mut objects = three_nodes();
    objects.push(pod("web", &["none"], json!({})));
    assert_eq!(
        section(&objects, &["pod/web"]),
        "  0/3 nodes are available: persistentvolumeclaim \"none\" not found.\n    Claim none does not exist."
    );
    assert_eq!(document(&objects, &["pod/web"])["stage"], json!("preFilter"));
}

#[test]
fn a_node_says_which_volumes_are_tied_to_it_and_what_uses_up_its_limits() {
    let mut objects = three_nodes();
    let csi = json!({"spec": {"drivers": [{"name": DRIVER, "nodeID": "n1", "allocatable": {"count": 4}}]}});
    objects.push(object("CSINode", "", "n1", csi));
    for (claim, zone) in [("only", "eu-1a"), ("left", "eu-1a"), ("far", "eu-1b")] {
        objects.extend(bound(claim, zone));
    }
    let running = json!({"spec": {"nodeName": "n1"}, "status": {"phase": "Running"}});
    objects.extend([class(DRIVER), pod("user", &["only"], running)]);
    let mut attachment = object(
        "VolumeAttachment",
        "",
        "va",
        json!({"spec": {"attacher": DRIVER, "nodeName": "n1",
        "source": {"persistentVolumeName": "pv-left"}}, "status": {"attached": true}}),
    );
    attachment["apiVersion"] = "storage.k8s.io/v1".into();
    objects.push(attachment);
    let text = explain(&objects, &["node/n1"]).stdout;
    let (_, sections) = text.split_once("\nVolumes of the node\n").unwrap();
    let words: Vec<Vec<&str>> = sections.lines().map(|line| line.split_whitespace().collect()).collect();
    assert_eq!(words[1], ["pv-left", "Bound", "db/left", "<none>", "0"]);
    assert_eq!(words[2], ["pv-only", "Bound", "db/only", "db/user", "0"]);
    assert!(sections.contains("2 of these volumes can be used on no other node."), "{text}");
    let limit = "csi.example.com: 2 of 4 volumes (1 by pod db/user, 1 attached without a pod)";
    assert!(sections.contains(limit), "{text}");
    let far = explain(&objects, &["node/n2", "-o", "json"]).stdout;
    let far: Value = serde_json::from_str(&far).unwrap();
    assert_eq!(far["node"], json!({"volumes": [], "drivers": []}));
    // Without the CSINode, the limit is unknown.
    let running = json!({"spec": {"nodeName": "n2"}, "status": {"phase": "Running"}});
    objects.push(pod("far", &["far"], running));
    let list = json!({"apiVersion": "v1", "kind": "List", "items": objects}).to_string();
    let all = ["explain", "node/n2", "-f", "-", "--partial=csinodes"];
    let text = Run::new(&all).stdin(list.as_bytes()).finish().stdout;
    assert!(text.contains("1 volume, limit unknown: the CSINode was not read (1 by pod db/far)"), "{text}");
}

#[test]
fn a_node_says_what_keeps_new_pods_away() {
    let mut silent = node("n3", "eu-1b", json!({"spec": {}}));
    silent["status"]["conditions"] = json!([{"type": "Ready", "status": "Unknown"}]);
    let nodes = [
        node(
            "n1",
            "eu-1a",
            json!({"spec": {"unschedulable": true, "taints": [
            {"key": "node.kubernetes.io/unschedulable", "effect": "NoSchedule"}]}}),
        ),
        node(
            "n2",
            "eu-1a",
            json!({"spec": {"taints": [{"key": "dedicated", "value": "gpu", "effect": "NoSchedule"},
            {"key": "cheap", "effect": "PreferNoSchedule"}, {"key": "leave", "effect": "NoExecute"}]}}),
        ),
        silent,
        node("n4", "eu-1b", json!({"spec": {}})),
    ];
    let second = |name: &str| {
        let text = explain(&nodes, &[&format!("node/{name}")]).stdout;
        assert!(text.starts_with(&format!("Node {name}: no pod on it uses a claim.\n")), "{text}");
        text.lines().nth(1).unwrap_or_default().to_owned()
    };
    assert_eq!(second("n1"), "The node is cordoned: kube-scheduler places no pods on it.");
    assert_eq!(
        second("n2"),
        "kube-scheduler places only pods on it that tolerate dedicated=gpu:NoSchedule and leave:NoExecute."
    );
    assert_eq!(second("n3"), "The node is not ready.");
    assert_eq!(second("n4"), "");
}

#[test]
fn pods_that_the_scheduler_does_not_schedule_say_why() {
    let mut objects = three_nodes();
    objects.extend([
        pod("gated", &[], json!({"spec": {"schedulingGates": [{"name": "example.com/hold"}]}})),
        pod("other", &[], json!({"spec": {"schedulerName": "volcano"}})),
        pod("placed", &[], json!({"spec": {"nodeName": "n2"}, "status": {"phase": "Running"}})),
    ]);
    assert_eq!(section(&objects, &["pod/gated"]), "  It is waiting for scheduling gates: [example.com/hold].");
    assert!(section(&objects, &["pod/other"]).contains("The pod names scheduler volcano"));
    assert_eq!(document(&objects, &["pod/other"])["attempted"], json!(false));
    assert_eq!(document(&objects, &["pod/placed"]), Value::Null);
    assert_eq!(section(&objects, &["pod/placed"]), "");
}

#[test]
fn only_the_objects_that_lead_to_a_reason_are_named() {
    let local = || class("kubernetes.io/no-provisioner");
    let free = |name: &str, zone: &str| {
        let [_, mut free] = bound(name, zone);
        free["spec"].as_object_mut().unwrap().remove("claimRef");
        free["status"]["phase"] = "Available".into();
        free
    };
    let nodes = || three_nodes().split_off(1);
    // The smallest volume is for one claim, and nothing is left for the other claim. Only the other claim is named.
    let mut objects = nodes();
    objects.extend([local(), unbound("a"), unbound("b"), free("x", "eu-1b"), pod("web", &["a", "b"], json!({}))]);
    let text = section(&objects, &["pod/web"]);
    let named = text.matches("gets no volume there: other claims of the pod take the free volumes").count();
    assert_eq!(named, 1, "{text}");
    // A volume that is reserved for the claim cannot be used on these nodes. It ends the search, although another
    // volume would fit.
    let mut reserved = free("x", "eu-1a");
    reserved["spec"]["claimRef"] = json!({"namespace": "db", "name": "a"});
    let mut objects = nodes();
    objects.extend([local(), unbound("a"), reserved, free("y", "eu-1b"), pod("web", &["a"], json!({}))]);
    let text = section(&objects, &["pod/web"]);
    assert!(text.contains("Volume pv-x is reserved for claim a and cannot be used there"), "{text}");
    assert!(!text.contains("No free volume"), "{text}");
    // A ReadWriteOncePod claim is in use if a pod on an existing node uses it. A pod on a node that does not exist does
    // not matter.
    let mut objects = nodes();
    let [mut claim, volume] = bound("one", "eu-1b");
    claim["spec"]["accessModes"] = json!(["ReadWriteOncePod"]);
    objects.extend([class(DRIVER), claim, volume, pod("web", &["one"], json!({}))]);
    for (name, node) in [("ghost", "gone"), ("real", "n2")] {
        objects.push(pod(name, &["one"], json!({"spec": {"nodeName": node}, "status": {"phase": "Running"}})));
    }
    let text = section(&objects, &["pod/web"]);
    assert!(text.contains("Claim one is ReadWriteOncePod and in use by pod real on node n2."), "{text}");
}

/// If a part of the objects is hidden, the answer must not be certain.
#[test]
fn without_all_pods_or_nodes_the_answer_is_unknown() {
    let mut objects = three_nodes();
    objects.push(pod("web", &[], json!({})));
    let list = json!({"apiVersion": "v1", "kind": "List", "items": objects}).to_string();
    for (cut, kind) in [("--partial=pods", "pods"), ("--partial=nodes", "nodes")] {
        let all = ["explain", "pod/web", "-n", "db", "-f", "-", cut, COMPLETE, "-o", "json"];
        let seen = Run::new(&all).stdin(list.as_bytes()).finish();
        let document: Value = serde_json::from_str(&seen.stdout).unwrap();
        assert_eq!(document["scheduling"]["unknown"], json!([kind]), "{}", seen.stdout);
        assert_eq!((&document["scheduling"]["message"], &document["scheduling"]["nodes"]), (&Value::Null, &json!([])));
    }
    // If a file was written by hand, it can have a node that does not state its resources.
    objects[1]["status"].as_object_mut().unwrap().remove("allocatable");
    assert_eq!(
        section(&objects, &["pod/web"]),
        "  Which nodes fit is unknown: node n2 does not state status.allocatable."
    );
}

/// In each recorded world, each reason of a volume plugin must have an object that leads to it.
#[test]
fn each_reason_of_a_volume_plugin_has_a_cause() {
    let behavior = KubernetesBehavior::default();
    let (mut groups, mut told) = (0, 0);
    for recording in RECORDINGS {
        each_world(recording, |id, snapshot| {
            let scheduler = Scheduler::new(snapshot, &behavior);
            for pod in waiting(snapshot) {
                let Some(PodScheduling::Tried(attempt)) = PodScheduling::of(snapshot, || &scheduler, pod) else {
                    continue;
                };
                let of_volumes = attempt.groups.iter().filter(|group| group.is_about_volumes);
                // The scheduler states this reason for a disk that the pod names itself, without a claim.
                for group in of_volumes.filter(|group| group.reasons != ["node(s) had no available disk"]) {
                    groups += 1;
                    assert!(!group.causes.is_empty(), "{id}, pod {}: {group:?}", pod.meta.name);
                    told += group.causes.len();
                }
            }
        });
    }
    assert!(groups > 1000 && told >= groups, "the test is too weak: {groups} groups of nodes, {told} causes");
}

/// Returns the finding about the pod, and the command of its first remedy.
fn finding(objects: &[Value], rule: &str) -> Option<(String, String)> {
    let list = json!({"apiVersion": "v1", "kind": "List", "items": objects}).to_string();
    let words =
        ["audit", "-n", "db", "--rules", rule, "-o", "json", "-f", "-", COMPLETE, "--now", "2026-03-04T12:00:00Z"];
    let run = Run::new(&words).stdin(list.as_bytes()).finish();
    let report: Value = serde_json::from_str(&run.stdout).unwrap();
    let found = report["findings"].as_array().unwrap().first()?.clone();
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    Some((text(&found["message"]), text(&found["remedies"][0]["command"])))
}

/// The rules about a pod without a node rest on what the scheduler decides now, not on its last message.
#[test]
fn rules_prefer_the_decision_now_to_the_last_message() {
    let rule = "pod-node-affinity-conflict";
    let created = |mut pod: Value| {
        pod["metadata"]["creationTimestamp"] = json!("2026-03-04T10:00:00Z");
        pod
    };
    let affinity = "1 node(s) didn't match PersistentVolume's node affinity";
    let old = format!("0/2 nodes are available: {affinity}, 1 node(s) had untolerated taint(s).");
    let cordon = json!({"spec": {"unschedulable": true}});
    let world = |first: Value, said: &str| {
        let mut objects = vec![node("n1", "eu-1a", first), node("n2", "eu-1b", json!({}))];
        objects.extend(bound("data", "eu-1a"));
        objects.extend([class(DRIVER), created(pod("web", &["data"], json!({"status": unschedulable(said)})))]);
        objects
    };
    // The node fits now, whatever the scheduler said before.
    assert_eq!(finding(&world(json!({}), &old), rule), None);
    // The only node of the volume is cordoned, and the message of that time does not matter.
    let (message, command) = finding(&world(cordon.clone(), ""), rule).unwrap();
    assert_eq!(
        message,
        "the volume of claim data requires a node with topology.kubernetes.io/zone In (eu-1a), but no such node fits the \
         pod (n1: node(s) were unschedulable)"
    );
    assert_eq!(command, "kubectl uncordon n1");
    // If both nodes are cordoned, the volume is not the reason.
    let mut objects = world(cordon.clone(), &old);
    objects[1]["spec"] = cordon["spec"].clone();
    assert_eq!(finding(&objects, rule), None);
}

/// What ties a volume to a zone is named as it is: the node affinity, or the labels.
#[test]
fn zone_labels_are_not_called_a_node_affinity() {
    let rule = "pod-node-affinity-conflict";
    let mut objects = vec![node("n1", "eu-1a", json!({}))];
    let [claim, mut volume] = bound("data", "eu-1a");
    volume["metadata"]["labels"] = json!({"topology.kubernetes.io/zone": "eu-1c"});
    let mut web = pod("web", &["data"], json!({}));
    web["metadata"]["creationTimestamp"] = json!("2026-03-04T10:00:00Z");
    objects.extend([claim, volume, class(DRIVER), web]);
    let (message, _) = finding(&objects, rule).unwrap();
    assert_eq!(
        message,
        "no node matches the zone labels of the volume of claim data: topology.kubernetes.io/zone In (eu-1c). Volume pv-data \
         can be used only on such nodes"
    );
}
