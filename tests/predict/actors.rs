//! Where objects end if actors take part besides the controllers: the scheduler, the drivers and the recycler. The
//! expected ends follow from `docs/controllers/scheduler.md` and `docs/controllers/provisioner.md`.
#![expect(clippy::unwrap_used, reason = "a prediction that cannot be read is a failed test")]

use crate::support::Run;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// Returns a node with this many cpus.
fn node(name: &str, cpus: u32) -> Value {
    json!({
        "apiVersion": "v1", "kind": "Node",
        "metadata": {"name": name, "labels": {"kubernetes.io/hostname": name}},
        "status": {"allocatable": {"cpu": cpus.to_string(), "memory": "8Gi", "pods": "10"}},
    })
}

fn class(name: &str, provisioner: &str, mode: &str) -> Value {
    json!({
        "apiVersion": "storage.k8s.io/v1", "kind": "StorageClass", "metadata": {"name": name},
        "provisioner": provisioner, "volumeBindingMode": mode,
    })
}

/// Returns a free local volume of the class `local` on this node.
fn local(name: &str, node: &str) -> Value {
    let on = json!({"key": "kubernetes.io/hostname", "operator": "In", "values": [node]});
    json!({
        "apiVersion": "v1", "kind": "PersistentVolume",
        "metadata": {"name": name, "uid": format!("uid-{name}"), "resourceVersion": "1",
            "finalizers": ["kubernetes.io/pv-protection"]},
        "spec": {
            "capacity": {"storage": "1Gi"}, "accessModes": ["ReadWriteOnce"], "storageClassName": "local",
            "persistentVolumeReclaimPolicy": "Retain", "volumeMode": "Filesystem", "local": {"path": "/disk"},
            "nodeAffinity": {"required": {"nodeSelectorTerms": [{"matchExpressions": [on]}]}},
        },
        "status": {"phase": "Available"},
    })
}

fn claim(name: &str, class: &str) -> Value {
    json!({
        "apiVersion": "v1", "kind": "PersistentVolumeClaim",
        "metadata": {"name": name, "namespace": "db", "uid": format!("uid-{name}"), "resourceVersion": "1",
            "finalizers": ["kubernetes.io/pvc-protection"]},
        "spec": {"accessModes": ["ReadWriteOnce"], "storageClassName": class, "volumeMode": "Filesystem",
            "resources": {"requests": {"storage": "1Gi"}}},
        "status": {"phase": "Pending"},
    })
}

/// Returns a pod without a node that requests this many cpus and uses the claim.
fn pod(name: &str, cpus: u32, claim: &str) -> Value {
    json!({
        "apiVersion": "v1", "kind": "Pod",
        "metadata": {"name": name, "namespace": "db", "uid": format!("uid-{name}"), "resourceVersion": "1"},
        "spec": {
            "schedulerName": "default-scheduler",
            "containers": [{"name": "main", "resources": {"requests": {"cpu": cpus.to_string()}}}],
            "volumes": [{"name": "data", "persistentVolumeClaim": {"claimName": claim}}],
        },
        "status": {"phase": "Pending"},
    })
}

/// Returns a Released volume whose claim is gone.
fn released(name: &str, policy: &str, source: &Value) -> Value {
    let mut volume = json!({
        "apiVersion": "v1", "kind": "PersistentVolume",
        "metadata": {"name": name, "uid": format!("uid-{name}"), "resourceVersion": "1",
            "annotations": {"pv.kubernetes.io/provisioned-by": "csi.example.com"},
            "finalizers": ["kubernetes.io/pv-protection"]},
        "spec": {
            "capacity": {"storage": "1Gi"}, "accessModes": ["ReadWriteOnce"], "storageClassName": "fast",
            "persistentVolumeReclaimPolicy": policy, "volumeMode": "Filesystem",
            "claimRef": {"namespace": "db", "name": "old", "uid": "uid-old"},
        },
        "status": {"phase": "Released"},
    });
    for (field, value) in source.as_object().unwrap() {
        volume["spec"][field] = value.clone();
    }
    volume
}

/// Returns the objects of the kinds that only the scheduler reads. They do not concern the pods of these tests.
fn surroundings(nodes: &[&str]) -> Vec<Value> {
    let csi_node = |name: &&str| {
        json!({"apiVersion": "storage.k8s.io/v1", "kind": "CSINode", "metadata": {"name": name},
            "spec": {"drivers": []}})
    };
    let driver = json!({"apiVersion": "storage.k8s.io/v1", "kind": "CSIDriver", "metadata": {"name": "csi.example.com"},
        "spec": {}});
    nodes.iter().map(csi_node).chain([driver]).collect()
}

/// Returns the prediction of the program as JSON.
fn predicted(items: &[Value], flags: &[&str]) -> Value {
    let list = json!({"apiVersion": "v1", "kind": "List", "items": items});
    let fixed = ["predict", "-f", "-", "--assume-complete", "-o", "json", "--outcomes", "all"];
    let run = Run::new(&[&fixed, flags].concat()).stdin(list.to_string().as_bytes()).finish();
    assert!(matches!(run.code, Some(0 | 3)), "{}", run.stderr);
    serde_json::from_str(&run.stdout).unwrap()
}

/// Returns the ends of each object, in short words.
fn ends(document: &Value) -> BTreeMap<String, BTreeSet<String>> {
    let end = |state: &Value| {
        let text = |field: &str| state[field].as_str().unwrap_or_default().to_owned();
        match () {
            () if state["gone"] == true => "gone".to_owned(),
            () if !text("node").is_empty() => format!("on {}", text("node")),
            () if !text("waitsForVolumesOn").is_empty() => format!("waits on {}", text("waitsForVolumesOn")),
            () if state["unschedulable"] == true => text("message"),
            () => format!("{} {}", text("phase"), text("volumeName")).trim().to_owned(),
        }
    };
    let of_item = |item: &Value| {
        let states = item["outcomes"].as_array().into_iter().flatten();
        (item["object"]["name"].as_str().unwrap().to_owned(), states.map(end).collect())
    };
    let items = document["items"].as_array().into_iter().flatten();
    items.chain(document["created"].as_array().into_iter().flatten()).map(of_item).collect()
}

/// Returns the prediction for the object of this name.
fn item<'v>(document: &'v Value, name: &str) -> &'v Value {
    document["items"].as_array().unwrap().iter().find(|item| item["object"]["name"] == name).unwrap()
}

fn set(ends: &[&str]) -> BTreeSet<String> {
    ends.iter().map(|end| (*end).to_owned()).collect()
}

/// Returns two pods, and two nodes with room for one pod each. There is a local volume on each node.
fn contended() -> Vec<Value> {
    let mut items = vec![
        node("n1", 1),
        node("n2", 1),
        class("local", "kubernetes.io/no-provisioner", "WaitForFirstConsumer"),
        local("a", "n1"),
        local("b", "n2"),
        claim("c1", "local"),
        claim("c2", "local"),
        pod("p1", 1, "c1"),
        pod("p2", 1, "c2"),
    ];
    items.extend(surroundings(&["n1", "n2"]));
    items
}

#[test]
fn without_actors_claims_wait_for_the_scheduler() {
    let document = predicted(&contended(), &[]);
    let ends = ends(&document);
    assert_eq!(ends["c1"], set(&["Pending"]));
    assert_eq!(ends["a"], set(&["Available"]));
    assert!(!ends.contains_key("p1"), "pods are shown only with --pods");
    assert_eq!(document["model"]["actors"], Value::Null);
}

#[test]
fn each_pod_gets_a_node_and_the_volume_on_it() {
    let document = predicted(&contended(), &["--pods"]);
    let ends = ends(&document);
    assert_eq!(ends["c1"], set(&["Bound a", "Bound b"]));
    assert_eq!(ends["p1"], set(&["on n1", "on n2"]));
    assert_eq!(document["model"]["actors"], json!(["scheduler"]));
    let claim = item(&document, "c1");
    assert_eq!(claim["exact"], false, "the scores are not modelled");
    assert!(claim["decidedBy"].as_array().unwrap().contains(&json!("score")), "{claim}");
    // If the first pod has the first node, the second pod has the second one.
    let states = document["worlds"][0]["states"].as_array().unwrap();
    assert_eq!(states.len(), 2, "{states:?}");
    for state in states {
        let nodes: BTreeSet<&str> =
            state.as_array().unwrap().iter().filter_map(|one| one["state"]["node"].as_str()).collect();
        assert_eq!(nodes.len(), 2, "two pods on one node that has room for one: {state}");
    }
}

#[test]
fn a_pod_without_room_ends_with_the_message_of_the_scheduler() {
    let mut items = contended();
    items.push(pod("p3", 2, "c3"));
    items.push(claim("c3", "local"));
    let ends = ends(&predicted(&items, &["--pods"]));
    assert_eq!(ends["p3"], set(&["0/2 nodes are available: 2 Insufficient cpu."]));
    assert_eq!(ends["c3"], set(&["Pending"]));
}

#[test]
fn a_pod_waits_for_its_driver_if_only_the_scheduler_acts() {
    let mut items = vec![
        node("n1", 1),
        node("n2", 1),
        class("fast", "csi.example.com", "WaitForFirstConsumer"),
        claim("data", "fast"),
        pod("web", 1, "data"),
    ];
    items.extend(surroundings(&["n1", "n2"]));
    let waiting = ends(&predicted(&items, &["--pods"]));
    assert_eq!(waiting["web"], set(&["waits on n1", "waits on n2"]));
    assert_eq!(waiting["data"], set(&["Pending"]));
    // The driver creates a volume, or it fails in every attempt.
    let document = predicted(&items, &["--pods", "--actors", "scheduler,drivers"]);
    let acting = ends(&document);
    assert_eq!(acting["web"], set(&["on n1", "on n2", "waits on n1", "waits on n2"]));
    assert_eq!(acting["data"], set(&["Pending", "Bound pvc-uid-data"]));
    assert_eq!(acting["pvc-uid-data"], set(&["Bound", "gone"]));
    assert_eq!(document["model"]["actors"], json!(["drivers", "scheduler"]));
    assert_eq!(document["model"]["externalProvisioner"], json!({"version": "6.4.0", "library": "13.1.0"}));
}

#[test]
fn released_volumes_end_as_drivers_and_recyclers_let_them() {
    let items = [
        class("fast", "csi.example.com", "Immediate"),
        released("csi", "Delete", &json!({"csi": {"driver": "csi.example.com", "volumeHandle": "h"}})),
        released("nfs", "Recycle", &json!({"nfs": {"server": "nas", "path": "/export"}})),
        // The list of attachments is known, and it does not have the volume.
        json!({"apiVersion": "storage.k8s.io/v1", "kind": "VolumeAttachment", "metadata": {"name": "other"},
            "spec": {"attacher": "csi.example.com", "nodeName": "n1", "source": {"persistentVolumeName": "other"}}}),
    ];
    let alone = ends(&predicted(&items, &["--actors", "none"]));
    assert_eq!((&alone["csi"], &alone["nfs"]), (&set(&["Released"]), &set(&["Released"])));
    let acting = ends(&predicted(&items, &["--actors", "*"]));
    assert_eq!(acting["csi"], set(&["gone", "Released"]));
    assert_eq!(acting["nfs"], set(&["Available", "Failed", "Released"]));
}

#[test]
fn pods_of_too_large_a_component_have_unknown_ends() {
    let mut items = vec![node("n1", 1), class("local", "kubernetes.io/no-provisioner", "WaitForFirstConsumer")];
    for number in 0..40 {
        items.push(local(&format!("v{number}"), "n1"));
        items.push(claim(&format!("c{number}"), "local"));
        items.push(pod(&format!("p{number}"), 1, &format!("c{number}")));
    }
    items.extend(surroundings(&["n1"]));
    let document = predicted(&items, &["--pods"]);
    for item in document["items"].as_array().unwrap() {
        assert_eq!((&item["tooManyStates"], &item["outcomes"]), (&json!(true), &Value::Null), "{item}");
    }
}

/// The scheduler reads kinds that an input may lack. Then the ends of the pods and of their claims are unknown.
#[test]
fn what_the_scheduler_could_not_read_makes_ends_unknown() {
    let items: Vec<Value> = contended().into_iter().filter(|item| item["kind"] != "CSINode").collect();
    let document = predicted(&items, &["--pods"]);
    for item in document["items"].as_array().unwrap() {
        assert_eq!(item["outcomes"], Value::Null, "{item}");
        let unknown = item["unknown"].as_array().unwrap();
        assert!(unknown.iter().any(|unknown| unknown["needs"]["resource"] == "csinodes"), "{item}");
    }
}

#[test]
fn actors_are_named_by_a_known_list() {
    let run = |list: &str| Run::new(&["predict", "-f", "-", "--actors", list]).stdin(b"{}").finish();
    for (list, said) in [("kubelet", "there is no actor \"kubelet\""), ("none,drivers", "`none` excludes all other")] {
        let run = run(list);
        assert_eq!(run.code, Some(2), "{}", run.stderr);
        assert!(run.stderr.contains(said), "{}", run.stderr);
        assert!(run.stderr.contains("it takes drivers, recycler, scheduler"), "{}", run.stderr);
    }
}

/// Returns a claim with access mode `ReadWriteMany` that is bound to a volume of the driver, and the volume.
fn bound(name: &str) -> [Value; 2] {
    let mut owner = claim(name, "fast");
    owner["metadata"]["annotations"] = json!({"pv.kubernetes.io/bind-completed": "yes"});
    owner["spec"]["volumeName"] = json!(format!("v-{name}"));
    owner["spec"]["accessModes"] = json!(["ReadWriteMany"]);
    owner["status"] = json!({"phase": "Bound", "accessModes": ["ReadWriteMany"], "capacity": {"storage": "1Gi"}});
    let csi = json!({"driver": "csi.example.com", "volumeHandle": name});
    let mut volume = released(&format!("v-{name}"), "Retain", &json!({"csi": csi}));
    volume["spec"]["accessModes"] = json!(["ReadWriteMany"]);
    volume["spec"]["claimRef"] = json!({"namespace": "db", "name": name, "uid": format!("uid-{name}")});
    volume["status"]["phase"] = json!("Bound");
    [owner, volume]
}

/// Returns the pod with a node.
fn on(mut pod: Value, node: &str) -> Value {
    pod["spec"]["nodeName"] = json!(node);
    pod["status"]["phase"] = json!("Running");
    pod
}

/// Returns a CSINode of the driver with a limit of volumes.
fn limited(node: &str, limit: u32) -> Value {
    json!({"apiVersion": "storage.k8s.io/v1", "kind": "CSINode", "metadata": {"name": node},
        "spec": {"drivers": [{"name": "csi.example.com", "nodeID": node, "topologyKeys": [],
            "allocatable": {"count": limit}}]}})
}

/// Nodes that are the same for every waiting pod are judged once. A pod that has a node stays there.
#[test]
fn a_pod_that_has_a_node_keeps_it() {
    let mut items = vec![node("n1", 4), node("n2", 4), class("fast", "csi.example.com", "WaitForFirstConsumer")];
    items.extend(bound("shared"));
    items.extend([on(pod("running", 1, "shared"), "n1"), pod("waiting", 1, "shared")]);
    items.extend(surroundings(&["n1", "n2"]));
    let ends = ends(&predicted(&items, &["--pods"]));
    assert_eq!(ends["running"], set(&["on n1"]));
    assert_eq!(ends["waiting"], set(&["on n1", "on n2"]));
}

#[test]
fn a_node_whose_limit_is_reached_differs_from_others() {
    for full in ["n1", "n2"] {
        let mut items = vec![node("n1", 4), node("n2", 4), class("fast", "csi.example.com", "WaitForFirstConsumer")];
        items.extend(bound("old"));
        items.extend(bound("new"));
        items.extend([on(pod("running", 1, "old"), full), pod("waiting", 1, "new")]);
        items.extend([limited("n1", 1), limited("n2", 1)]);
        items.extend(surroundings(&[]));
        items.push(json!({"apiVersion": "storage.k8s.io/v1", "kind": "VolumeAttachment", "metadata": {"name": "va"},
            "spec": {"attacher": "csi.example.com", "nodeName": full, "source": {"persistentVolumeName": "v-old"}}}));
        let free = if full == "n1" { "on n2" } else { "on n1" };
        assert_eq!(ends(&predicted(&items, &["--pods"]))["waiting"], set(&[free]), "{full} is full");
    }
}

/// A clone is provisioned when its source is bound.
#[test]
fn a_clone_waits_for_its_source() {
    let mut clone = claim("clone", "fast");
    clone["spec"]["dataSource"] = json!({"kind": "PersistentVolumeClaim", "name": "source"});
    clone["spec"]["dataSourceRef"] = json!({"kind": "PersistentVolumeClaim", "name": "source"});
    let mut items = vec![node("n1", 1), class("fast", "csi.example.com", "Immediate"), claim("source", "fast"), clone];
    items.extend(surroundings(&["n1"]));
    let ends = ends(&predicted(&items, &["--actors", "drivers"]));
    assert_eq!(ends["source"], set(&["Pending", "Bound pvc-uid-source"]));
    assert_eq!(ends["clone"], set(&["Pending", "Bound pvc-uid-clone"]));
}

/// The model does not know which devices a `ResourceClaim` gets.
#[test]
fn a_pod_with_devices_has_unknown_ends() {
    let mut items = contended();
    let mut devices = pod("p3", 1, "c1");
    devices["spec"]["resourceClaims"] = json!([{"name": "gpu", "resourceClaimName": "gpu"}]);
    items.push(devices);
    let document = predicted(&items, &["--pods"]);
    let pod = item(&document, "p3");
    assert_eq!(pod["outcomes"], Value::Null, "{pod}");
}

/// Returns a CSINode of the driver. Each volume of this driver belongs to one node.
fn local_driver(node: &str) -> Value {
    json!({"apiVersion": "storage.k8s.io/v1", "kind": "CSINode", "metadata": {"name": node},
        "spec": {"drivers": [{"name": "csi.example.com", "nodeID": node, "topologyKeys": ["kubernetes.io/hostname"]}]}})
}

/// A driver creates a volume for the selected node. It can also have too little storage there. Then the provisioner
/// removes the selected node, and the scheduler chooses again.
#[test]
fn a_driver_creates_the_volume_on_the_selected_node() {
    let mut items = vec![
        node("n1", 1),
        node("n2", 1),
        local_driver("n1"),
        local_driver("n2"),
        class("fast", "csi.example.com", "WaitForFirstConsumer"),
        claim("data", "fast"),
        pod("web", 1, "data"),
    ];
    items.extend(surroundings(&[]));
    let ends = ends(&predicted(&items, &["--pods", "--actors", "scheduler,drivers"]));
    assert_eq!(ends["web"], set(&["on n1", "on n2", "waits on n1", "waits on n2"]));
    assert_eq!(ends["data"], set(&["Pending", "Bound pvc-uid-data"]));
}

/// The external provisioner does not check whether the claim is being deleted.
#[test]
fn a_driver_creates_a_volume_for_a_claim_that_is_being_deleted() {
    let mut data = claim("data", "fast");
    data["metadata"]["deletionTimestamp"] = json!("2026-01-01T00:00:00Z");
    data["metadata"]["finalizers"] = json!(["example.com/hold"]);
    data["metadata"]["annotations"] = json!({"volume.kubernetes.io/storage-provisioner": "csi.example.com"});
    let mut items = vec![node("n1", 1), class("fast", "csi.example.com", "Immediate"), data];
    items.extend(surroundings(&["n1"]));
    let ends = ends(&predicted(&items, &["--actors", "drivers"]));
    assert_eq!(ends["data"], set(&["Pending", "Bound pvc-uid-data"]));
    assert_eq!(ends["pvc-uid-data"], set(&["Bound", "gone"]));
}

/// If files have everything that the scheduler reads, and some pod waits for the scheduler, the scheduler takes part.
#[test]
fn the_scheduler_takes_part_by_default_if_files_have_what_it_reads() {
    let items = contended();
    let list = json!({"apiVersion": "v1", "kind": "List", "items": items});
    let complete = "--assume-complete=pv,pvc,sc,pods,nodes,csinodes,csidrivers,csistoragecapacities,volumeattachments";
    let run = |more: &[&str]| {
        let words = [&["predict", "-f", "-", complete, "-o", "json", "--outcomes", "all"], more].concat();
        let run = Run::new(&words).stdin(list.to_string().as_bytes()).finish();
        let document: Value = serde_json::from_str(&run.stdout).unwrap();
        (ends(&document)["c1"].clone(), document["model"]["actors"].clone())
    };
    assert_eq!(run(&[]), (set(&["Bound a", "Bound b"]), json!(["scheduler"])));
    assert_eq!(run(&["--actors", "none"]), (set(&["Pending"]), Value::Null));
    let table = Run::new(&["predict", "-f", "-", complete]).stdin(list.to_string().as_bytes()).finish();
    assert!(table.stderr.contains("note: the scheduler takes part"), "{}", table.stderr);
    // The input has no CSINodes, and nothing says that there are none.
    let without_one = complete.replace("csinodes,", "");
    let items: Vec<Value> = contended().into_iter().filter(|item| item["kind"] != "CSINode").collect();
    let list = json!({"apiVersion": "v1", "kind": "List", "items": items});
    let words = ["predict", "-f", "-", &without_one, "-o", "json"];
    let run = Run::new(&words).stdin(list.to_string().as_bytes()).finish();
    assert_eq!(ends(&serde_json::from_str(&run.stdout).unwrap())["c1"], set(&["Pending"]));
}

/// If the list of pods is not complete, the ends are unknown. This is so even if another controller only assumes that
/// the list is complete.
#[test]
fn an_incomplete_list_of_pods_makes_the_ends_unknown() {
    let list = json!({"apiVersion": "v1", "kind": "List", "items": contended()});
    let complete = "--assume-complete=pv,pvc,sc,nodes,ns,csinodes,csidrivers,csistoragecapacities,volumeattachments";
    for partial in ["pods", "pods/other"] {
        let words = ["predict", "-f", "-", complete, "--partial", partial, "-o", "json", "--actors", "scheduler"];
        let run = Run::new(&words).stdin(list.to_string().as_bytes()).finish();
        let document: Value = serde_json::from_str(&run.stdout).unwrap();
        let claim = item(&document, "c1");
        assert_eq!(claim["outcomes"], Value::Null, "{partial}: {claim}");
        let by_default = Run::new(&words[..words.len() - 2]).stdin(list.to_string().as_bytes()).finish();
        let document: Value = serde_json::from_str(&by_default.stdout).unwrap();
        assert_eq!(document["model"]["actors"], Value::Null, "{partial}");
    }
}

/// If some ends cannot be found with the scheduler, a file is predicted without the scheduler by default.
#[test]
fn the_scheduler_is_left_out_by_default_if_its_ends_cannot_be_found() {
    let mut items = vec![node("n1", 1), class("local", "kubernetes.io/no-provisioner", "WaitForFirstConsumer")];
    for number in 0..40 {
        items.push(local(&format!("v{number}"), "n1"));
        items.push(claim(&format!("c{number}"), "local"));
        items.push(pod(&format!("p{number}"), 1, &format!("c{number}")));
    }
    items.extend(surroundings(&["n1"]));
    let list = json!({"apiVersion": "v1", "kind": "List", "items": items}).to_string();
    let complete =
        "--assume-complete=pv,pvc,sc,pods,nodes,ns,csinodes,csidrivers,csistoragecapacities,volumeattachments";
    let json = Run::new(&["predict", "-f", "-", complete, "-o", "json"]).stdin(list.as_bytes()).finish();
    let document: Value = serde_json::from_str(&json.stdout).unwrap();
    assert_eq!((json.code, &document["model"]["actors"]), (Some(0), &Value::Null), "{}", json.stderr);
    assert_eq!(ends(&document)["c1"], set(&["Pending"]));
    let table = Run::new(&["predict", "-f", "-", complete]).stdin(list.as_bytes()).finish();
    let said = table.stderr.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(said.contains("note: the scheduler does not take part"), "{said}");
}

/// Runs a verb on objects of which every list that the scheduler reads is complete.
fn told(items: &[Value], verb: &[&str]) -> String {
    let list = json!({"apiVersion": "v1", "kind": "List", "items": items}).to_string();
    let complete =
        "--assume-complete=pv,pvc,sc,pods,nodes,ns,csinodes,csidrivers,csistoragecapacities,volumeattachments";
    let words = [verb, &["-n", "db", "-f", "-", complete, "--now", "2026-03-02T12:00:00Z"]].concat();
    let run = Run::new(&words).env("COLUMNS", "400").stdin(list.as_bytes()).finish();
    assert!(matches!(run.code, Some(0 | 1)), "{}", run.stderr);
    run.stdout
}

/// `explain` takes the same actors as `predict`, so both name the same end.
#[test]
fn an_explanation_says_where_the_scheduler_leads_the_claim() {
    let ends = |words: &[&str]| -> Value {
        let document: Value = serde_json::from_str(&told(&contended(), words)).unwrap();
        json!([document["model"]["actors"], document["prediction"]["outcomes"]])
    };
    let bound = |volume: &str| json!({"phase": "Bound", "volumeName": volume});
    let scheduled = ends(&["explain", "pvc/c1", "-o", "json"]);
    assert_eq!(scheduled[0], json!(["scheduler"]));
    let volumes: Vec<&Value> = scheduled[1].as_array().unwrap().iter().map(|end| &end["volumeName"]).collect();
    assert_eq!(volumes, [&bound("a")["volumeName"], &bound("b")["volumeName"]]);
    assert_eq!(ends(&["explain", "pvc/c1", "-o", "json", "--actors", "none"])[1][0]["phase"], "Pending");
    let mut items = contended();
    items.retain(|item| item["kind"] != "Pod" || item["metadata"]["name"] == "p1");
    items.retain(|item| item["metadata"]["name"] != "b");
    let text = told(&items, &["explain", "pvc/c1"]);
    assert!(
        text.starts_with(
            "Claim db/c1 is Pending and will be Bound to volume a: it waits for the scheduler to place pod p1"
        ),
        "{text}"
    );
    items.retain(|item| item["metadata"]["name"] != "a");
    items.push(local("c", "n3"));
    let text = told(&items, &["explain", "pvc/c1"]);
    let nothing = "2 node(s) didn't find available persistent volumes to bind";
    let why = format!("which finds no node for pod p1: 0/2 nodes are available: {nothing}.\n");
    assert!(text.starts_with(&format!("Claim db/c1 is Pending: it waits for the scheduler, {why}")), "{text}");
    let text = told(&items, &["explain", "pvc/c1", "--actors", "none"]);
    assert!(text.starts_with("Claim db/c1 is Pending, as is normal until pod p1 is scheduled.\n"), "{text}");
}

/// A rule about a pod without a node names what the scheduler decides about the pod now, if all that decides was read.
#[test]
fn a_finding_names_what_the_scheduler_decides_now() {
    let mut items = contended();
    for item in items.iter_mut().filter(|item| item["kind"] == "Pod") {
        item["metadata"]["creationTimestamp"] = json!("2026-03-02T10:00:00Z");
    }
    let finding = |items: &[Value]| {
        let text = told(items, &["audit", "--rules", "pvc-wffc-pod-unschedulable", "-o", "json"]);
        let document: Value = serde_json::from_str(&text).unwrap();
        let findings = document["findings"].as_array().unwrap();
        findings.iter().find(|found| found["object"]["name"] == "c1").unwrap()["message"].as_str().unwrap().to_owned()
    };
    let rest = "pod db/p1 has not been scheduled for 120m, and the claim is bound only after that";
    assert_eq!(finding(&items), format!("{rest}, although the pod fits node n1 now"));
    items.retain(|item| item["kind"] != "PersistentVolume");
    items.push(local("c", "n3"));
    let nothing = "0/2 nodes are available: 2 node(s) didn't find available persistent volumes to bind";
    assert_eq!(
        finding(&items),
        format!(
            "no node fits pod db/p1, and the claim is bound only after that. The pod has waited 120m: {nothing}. No free \
             volume of class \"local\" fits claim c1 there, and nothing provisions one"
        )
    );
    // Without the CSINodes it is unknown which nodes fit.
    items.retain(|item| item["kind"] != "CSINode");
    let list = json!({"apiVersion": "v1", "kind": "List", "items": items}).to_string();
    let words = ["audit", "-f", "-", "--assume-complete", "--now", "2026-03-02T12:00:00Z", "-n", "db"];
    let run = Run::new(&words).env("COLUMNS", "400").stdin(list.as_bytes()).finish();
    assert!(run.stdout.contains(&format!("{rest}. See the events FailedScheduling of the pod")), "{}", run.stdout);
}

/// A pod that waits although a node fits it is a problem, whether or not the scheduler takes part in the prediction.
/// The real scheduler may not run.
#[test]
fn an_explanation_reports_a_pod_that_waits_in_vain() {
    let mut items = contended();
    for item in items.iter_mut().filter(|item| item["kind"] == "Pod") {
        item["metadata"]["creationTimestamp"] = json!("2026-03-02T10:00:00Z");
    }
    for actors in [&[][..], &["--actors", "none"], &["--actors", "*"]] {
        let text = told(&items, &[&["explain", "pvc/c1", "-o", "json"], actors].concat());
        let document: Value = serde_json::from_str(&text).unwrap();
        assert_eq!(document["diagnosis"]["root"]["rule"], "pvc-wffc-pod-unschedulable", "{actors:?}: {document}");
    }
    let text = told(&items, &["predict", "pvc/c1", "-o", "json", "--diagnosis"]);
    let document: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(ends(&document)["c1"], set(&["Bound a", "Bound b"]));
    assert_eq!(item(&document, "c1")["diagnosis"]["root"]["rule"], "pvc-wffc-pod-unschedulable");
}

/// If the scheduler says why another step failed, a node that fits proves nothing.
#[test]
fn a_message_about_another_step_stays_the_cause() {
    let mut items = contended();
    let said = "running PreBind plugin \"VolumeBinding\": binding volumes: admission webhook denied the request";
    for item in items.iter_mut().filter(|item| item["kind"] == "Pod") {
        item["metadata"]["creationTimestamp"] = json!("2026-03-02T10:00:00Z");
        item["status"]["conditions"] =
            json!([{"type": "PodScheduled", "status": "False", "reason": "SchedulerError", "message": said}]);
    }
    let text = told(&items, &["audit", "--rules", "pvc-wffc-pod-unschedulable", "-o", "json"]);
    assert!(!text.contains("although the pod fits"), "{text}");
    // A pod of which another one finds no node says nothing about a claim that this pod binds.
    let mut items = contended();
    let mut picky = pod("p0", 1, "c1");
    picky["spec"]["nodeSelector"] = json!({"no": "node"});
    items.push(picky);
    let table = told(&items, &["predict", "pvc/c1"]);
    assert!(table.contains("waits for the scheduler to place pod p1"), "{table}");
}
