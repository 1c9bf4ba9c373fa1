//! Answers about a snapshot must be the same as answers about its cluster. kubectl must be able to create the objects
//! of a snapshot again.
#![expect(
    clippy::disallowed_methods,
    clippy::panic,
    clippy::print_stderr,
    clippy::unwrap_used,
    reason = "the tests write files, say how much they compared, and fail by panicking"
)]

use super::api::{Api, path};
use super::ends::clear;
use super::plane::Plane;
use super::worlds::{RECORDINGS, World, is_default, recorded, stands_alone};
use crate::files::kinds::stored;
use crate::support::{Finished, Run};
use pvctl::model::Kind;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// How many worlds are in one cluster at the same time, and how many are tested one by one.
const AT_ONCE: usize = 260;
const ALONE: usize = 66;
/// Only one object out of this number is explained, because each explanation reads the whole cluster.
const ONE_OF: usize = 97;
/// The time from which ages count. So it does not matter how much time passes between two runs.
const NOW: &str = "2026-07-01T00:00:00Z";

/// A snapshot of a cluster, in both formats.
struct Taken {
    _folder: tempfile::TempDir,
    json: PathBuf,
    yaml: PathBuf,
}

fn take(plane: &Plane) -> Taken {
    let folder = tempfile::tempdir().unwrap();
    let [json, yaml] = ["json", "yaml"].map(|format| {
        let file = folder.path().join(format!("snapshot.{format}"));
        let run = plane.pvctl(&["snapshot", "-A", "-o", format, "--now", NOW]);
        assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""));
        fs::write(&file, run.stdout).unwrap();
        file
    });
    Taken { _folder: folder, json, yaml }
}

fn of_file(arguments: &[&str], file: &Path) -> Finished {
    Run::new(&[arguments, &["-f", &file.to_string_lossy()]].concat()).finish()
}

fn document(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

/// Returns the content of an answer, without the parts that depend on where the objects were read:
/// - `model.source`, which says whether the version is from the server (`detected`) or from the snapshot (`stated`);
/// - `coverage`. More lists are read for a snapshot, because later questions can be about all its objects. Each list
///   has its own resourceVersion. [`same_coverage`] compares the lists that were read for both.
///
/// Tables have neither of the two.
fn content(output: &str) -> String {
    let mut rest = output.to_owned();
    let mut cut = |start: &str, end: &str| {
        let from = rest.find(start).unwrap_or_else(|| panic!("{start} must be in {output}"));
        let to = rest[from..].find(end).unwrap_or_else(|| panic!("{end} must follow {start}")) + from + end.len();
        let gone: String = rest.drain(from..to).collect();
        gone
    };
    let (source, coverage) = if output.starts_with('{') {
        (cut("\"source\":", ","), cut("\"coverage\":", "],"))
    } else if output.starts_with("apiVersion: ") {
        let next = if output.contains("kind: PredictionList") { "\nitems:" } else { "\nobject:" };
        (cut("  source: ", "\n"), cut("\ncoverage:", next))
    } else {
        return rest;
    };
    assert!(source.contains("detected") || source.contains("stated"), "{source}");
    assert!(coverage.contains("persistentvolumes"), "{coverage}");
    rest
}

/// Asserts that each list that the answer about the cluster used was also read for the snapshot, and is as complete
/// there.
fn same_coverage(live: &Value, file: &Value) {
    let entries = |answer: &Value| -> BTreeMap<(String, String), String> {
        let entries = answer["coverage"].as_array().unwrap().iter();
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        entries.map(|entry| ((text(&entry["resource"]), text(&entry["namespace"])), text(&entry["state"]))).collect()
    };
    let (live, file) = (entries(live), entries(file));
    for ((resource, namespace), state) in live {
        let known =
            file.get(&(resource.clone(), namespace.clone())).or_else(|| file.get(&(resource.clone(), String::new())));
        let as_complete = known == Some(&state) || state == "notNeeded";
        assert!(
            as_complete,
            "the list of {resource} of {namespace:?} is {state} for the cluster, but {known:?} in the snapshot"
        );
    }
}

fn assert_same(one: &str, other: &str, what: &str) {
    for (one, other) in one.lines().zip(other.lines()) {
        let place = one.bytes().zip(other.bytes()).take_while(|(one, other)| one == other).count().saturating_sub(200);
        let part = |line: &str| line.chars().skip(place).take(600).collect::<String>();
        assert!(
            one == other,
            "{what}: the first line that differs, from byte {place}:\n{}\n{}",
            part(one),
            part(other)
        );
    }
    assert!(one == other, "{what}: the answers have {} and {} bytes", one.len(), other.len());
}

/// Compares the answers about the cluster and about its snapshot. Returns the number of equal bytes.
fn same(plane: &Plane, taken: &Taken, arguments: &[&str]) -> usize {
    let live = plane.pvctl(&[arguments, &["--now", NOW]].concat());
    // Only an answer about a cluster says what `fix` can repair.
    let other = live.stderr.lines().find(|line| !line.contains("kubectl pvctl fix "));
    assert_eq!((live.code, other), (Some(0), None), "{arguments:?}: {}", live.stdout);
    let expected = content(&live.stdout);
    assert!(!expected.is_empty(), "{arguments:?}");
    for file in [&taken.json, &taken.yaml] {
        let of_file = of_file(arguments, file);
        assert_eq!((of_file.code, of_file.stderr.as_str()), (Some(0), ""), "{arguments:?}");
        let found = content(&of_file.stdout);
        assert_same(&expected, &found, &format!("{arguments:?}"));
        if arguments.contains(&"json") {
            same_coverage(&document(&live.stdout), &document(&of_file.stdout));
        }
    }
    expected.len()
}

/// Compares the answers of `explain`. A cluster can be read a second time, but a file cannot. So `divergence` may say
/// different things about the controller, but not about the object. Only a cluster has Leases for `drivers`.
fn same_explanation(plane: &Plane, taken: &Taken, arguments: &[&str]) -> bool {
    let json = [arguments, &["-o", "json"]].concat();
    let live = plane.pvctl(&[&json[..], &["--now", NOW]].concat());
    assert_eq!(live.code, Some(0), "{arguments:?}: {}", live.stderr);
    let mut live = document(&live.stdout);
    let differs = !live["divergence"].is_null() || !live["drivers"].is_null();
    if !differs {
        same(plane, taken, &json);
        same(plane, taken, arguments);
        return false;
    }
    let file = of_file(&json, &taken.json);
    assert_eq!(file.code, Some(0), "{arguments:?}: {}", file.stderr);
    let mut file = document(&file.stdout);
    same_coverage(&live, &file);
    for answer in [&mut live, &mut file] {
        answer["coverage"].take();
        answer["model"]["source"].take();
        answer["drivers"].take();
        if let Some(divergence) = answer["divergence"].as_object_mut() {
            divergence.remove("controllerNotRunning");
            divergence.remove("evidence");
        }
    }
    assert_eq!(live, file, "{arguments:?}");
    true
}

/// Returns the volumes and claims of an answer as arguments of `explain`, each with its namespace.
fn names(answer: &Value) -> Vec<(String, String)> {
    let items = answer["items"].as_array().unwrap().iter();
    items
        .filter_map(|item| {
            let object = &item["object"];
            let name = object["name"].as_str().unwrap();
            match object["namespace"].as_str() {
                _ if object["kind"] == "Pod" => None,
                Some(namespace) => Some((format!("pvc/{name}"), namespace.to_owned())),
                None => Some((format!("pv/{name}"), String::new())),
            }
        })
        .collect()
}

#[derive(Debug, Default)]
struct Tally {
    worlds: usize,
    objects: usize,
    bytes: usize,
    explained: usize,
    differing: usize,
    matched: usize,
}

fn compare(plane: &Plane, tally: &mut Tally, one_of: usize, formats: &[&[&str]]) {
    let taken = take(plane);
    for format in formats {
        tally.bytes += same(plane, &taken, &[&["predict", "-A", "--actors", "none"], *format].concat());
    }
    let run = plane.pvctl(&["predict", "-A", "-o", "json"]);
    let all = names(&document(&run.stdout));
    tally.objects += all.len();
    for (object, namespace) in all.iter().step_by(one_of) {
        let place: &[&str] = if namespace.is_empty() { &[] } else { &["-n", namespace] };
        let arguments = [&["explain", object, "--actors", "none"], place].concat();
        tally.explained += 1;
        tally.differing += usize::from(same_explanation(plane, &taken, &arguments));
        if object.starts_with("pvc/") {
            let arguments = [&["match", object], place].concat();
            tally.bytes += same(plane, &taken, &[&arguments[..], &["-o", "json"]].concat());
            tally.bytes += same(plane, &taken, &arguments);
            tally.matched += 1;
        }
    }
}

/// Stores recorded worlds that can share a cluster, up to [`AT_ONCE`]. Returns how many were stored.
fn load_many(runtime: &tokio::runtime::Runtime, api: &Api, scratch: &Path) -> usize {
    let lines = RECORDINGS.iter().flat_map(|file| recorded(file)).filter(|line| !stands_alone(line));
    let mut worlds = 0;
    for (place, line) in lines.enumerate() {
        if worlds == AT_ONCE {
            break;
        }
        let world = World::new(&line, &format!("w{place}"), &scratch.to_string_lossy());
        worlds += usize::from(runtime.block_on(world.load(api)).is_ok());
    }
    worlds
}

#[test]
#[ignore = "needs a control plane: oracle/cluster/build, then cargo test --profile thorough -- --ignored live"]
fn answers_about_a_snapshot_equal_answers_about_the_cluster() {
    let scratch = tempfile::tempdir().unwrap();
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let plane = Plane::without_admission();
    let api = runtime.block_on(Api::of(&plane));
    let mut many = Tally { worlds: load_many(&runtime, &api, scratch.path()), ..Tally::default() };
    let everything: [&[&str]; 6] = [
        &["-o", "json", "--decisions", "all", "--outcomes", "all"],
        &["-o", "yaml"],
        &["-o", "wide"],
        &["-o", "name"],
        &[],
        &["--changed"],
    ];
    compare(&plane, &mut many, ONE_OF, &everything);
    runtime.block_on(clear(&api));
    let lines: Vec<_> = RECORDINGS.iter().flat_map(|file| recorded(file)).filter(stands_alone).collect();
    let mut alone = Tally::default();
    let mut defaults = BTreeMap::<usize, usize>::new();
    for line in &lines {
        let classes = line.world.items.iter().filter(|item| is_default(item)).count();
        // Worlds with each number of default classes get an equal share.
        if alone.worlds == ALONE || defaults.get(&classes).is_some_and(|worlds| *worlds >= ALONE / 3) {
            continue;
        }
        let world = World::new(line, "x", &scratch.path().to_string_lossy());
        if runtime.block_on(world.load(&api)).is_ok() {
            compare(&plane, &mut alone, 7, &[&["-o", "json", "--decisions", "all", "--outcomes", "all"], &[]]);
            alone.worlds += 1;
            *defaults.entry(classes).or_default() += 1;
        }
        runtime.block_on(clear(&api));
    }
    eprintln!("worlds in one cluster: {many:?}; worlds alone: {alone:?}; by number of default classes: {defaults:?}");
    assert_eq!(many.worlds, AT_ONCE);
    assert!(alone.worlds >= 60 && defaults.len() >= 3, "{alone:?} {defaults:?}");
    assert!(many.differing > 0 && many.explained > many.differing, "{many:?}");
}

/// Returns a volume of every source that the API server knows. All fields that can hold confidential values have such a
/// value.
fn volumes_of_every_source() -> Vec<Value> {
    let secret = json!({"name": "secret-name", "namespace": "secret-ns"});
    let sources = json!({
        "awsElasticBlockStore": {"volumeID": "vol-1", "fsType": "ext4"},
        "azureDisk": {
            "diskName": "d", "kind": "Managed",
            "diskURI": "/subscriptions/s/resourceGroups/g/providers/Microsoft.Compute/disks/d",
        },
        "azureFile": {"secretName": "s", "shareName": "share", "secretNamespace": "ns"},
        "cephfs": {"monitors": ["10.0.0.1:6789"], "path": "/p", "user": "u", "secretFile": "/f", "secretRef": secret},
        "cinder": {"volumeID": "c", "secretRef": secret},
        "csi": {
            "driver": "driver.example.com", "volumeHandle": "h", "fsType": "ext4",
            "volumeAttributes": {"token": "s3cret"}, "nodePublishSecretRef": secret,
            "controllerPublishSecretRef": secret, "nodeStageSecretRef": secret, "controllerExpandSecretRef": secret,
            "nodeExpandSecretRef": secret,
        },
        "fc": {"wwids": ["3600508b400105e210000900000490000"]},
        "flexVolume": {"driver": "example.com/lvm", "options": {"password": "s3cret"}, "secretRef": secret},
        "flocker": {"datasetName": "d"},
        "gcePersistentDisk": {"pdName": "p", "partition": 1},
        "glusterfs": {"endpoints": "e", "path": "p", "endpointsNamespace": "ns"},
        "hostPath": {"path": "/srv/p", "type": "Directory"},
        "iscsi": {
            "targetPortal": "10.0.0.1:3260", "iqn": "iqn.2001-04.com.example:storage.kube.sys1.xyz", "lun": 0,
            "chapAuthSession": true, "initiatorName": "iqn.1996-04.de.suse:linux-host1", "portals": ["10.0.0.2"],
            "secretRef": secret,
        },
        "local": {"path": "/mnt/d", "fsType": "ext4"},
        "nfs": {"server": "s", "path": "/p"},
        "photonPersistentDisk": {"pdID": "p"},
        "portworxVolume": {"volumeID": "p"},
        "quobyte": {"registry": "registry:6789", "volume": "v", "user": "u", "group": "g", "tenant": "t"},
        "rbd": {"monitors": ["10.0.0.1:6789"], "image": "i", "user": "u", "keyring": "/k", "secretRef": secret},
        "scaleIO": {
            "gateway": "https://localhost/api", "system": "scaleio", "secretRef": secret, "volumeName": "vol-0",
            "storageMode": "ThinProvisioned",
        },
        "storageos": {"volumeName": "v", "volumeNamespace": "ns"},
        "vsphereVolume": {"volumePath": "[ds] kube/v.vmdk", "storagePolicyName": "p"},
    });
    let sources = sources.as_object().unwrap();
    sources
        .iter()
        .map(|(source, fields)| {
            let mut volume = json!({
                "apiVersion": "v1", "kind": "PersistentVolume",
                "metadata": {
                    "name": source.to_lowercase(), "labels": {"app": "db"}, "finalizers": ["example.com/keep"],
                    "annotations": {"example.com/token": "s3cret", "pv.kubernetes.io/provisioned-by": "a.example.com"},
                },
                "spec": {
                    "capacity": {"storage": "1Gi"}, "accessModes": ["ReadWriteOnce"],
                    "persistentVolumeReclaimPolicy": "Retain", "storageClassName": "sources",
                    "mountOptions": ["ro", "password=s3cret"],
                },
            });
            volume["spec"][source] = fields.clone();
            if source == "local" {
                volume["spec"]["nodeAffinity"] = json!({"required": {"nodeSelectorTerms": [{"matchExpressions": [
                    {"key": "kubernetes.io/hostname", "operator": "In", "values": ["n"]}]}]}});
            }
            volume
        })
        .collect()
}

/// Returns objects of the other kinds, with fields that no decision reads.
fn other_objects() -> Vec<Value> {
    let claim = json!({
        "accessModes": ["ReadWriteOnce"], "storageClassName": "sources", "resources": {"requests": {"storage": "1Gi"}},
        "selector": {"matchLabels": {"app": "db"}}, "dataSource": {"kind": "PersistentVolumeClaim", "name": "other"},
    });
    vec![
        json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "sources"}}),
        json!({
            "apiVersion": "storage.k8s.io/v1", "kind": "StorageClass", "metadata": {"name": "sources"},
            "provisioner": "driver.example.com", "parameters": {"type": "ssd", "adminKey": "s3cret"},
            "mountOptions": ["ro"], "allowVolumeExpansion": true, "volumeBindingMode": "WaitForFirstConsumer",
            "allowedTopologies": [{"matchLabelExpressions": [{"key": "zone", "values": ["a"]}]}],
        }),
        json!({
            "apiVersion": "v1", "kind": "PersistentVolumeClaim",
            "metadata": {
                "namespace": "sources", "name": "data", "annotations": {"example.com/token": "s3cret"},
                "ownerReferences": [{"apiVersion": "apps/v1", "kind": "StatefulSet", "name": "db", "uid": "u-1"}],
            },
            "spec": claim,
        }),
        json!({
            "apiVersion": "v1", "kind": "Pod",
            "metadata": {"namespace": "sources", "name": "user", "annotations": {"example.com/token": "s3cret"}},
            "spec": {
                "initContainers": [{"name": "first", "image": "registry.example.com/first:1"}],
                "containers": [{
                    "name": "c", "image": "registry.example.com/private:1", "args": ["--password=s3cret"],
                    "env": [{"name": "TOKEN", "value": "s3cret"}],
                    "volumeMounts": [{"name": "scratch", "mountPath": "/scratch"}, {"name": "v", "mountPath": "/v"}],
                }],
                "volumes": [
                    {"name": "v", "persistentVolumeClaim": {"claimName": "data"}},
                    {"name": "s", "secret": {"secretName": "s"}},
                    {"name": "scratch", "ephemeral": {"volumeClaimTemplate": {"spec": claim}}},
                ],
            },
        }),
        json!({
            "apiVersion": "v1", "kind": "Node", "metadata": {"name": "n", "labels": {"zone": "a"}},
            "spec": {"unschedulable": true, "taints": [{"key": "k", "effect": "NoSchedule"}]},
        }),
        json!({
            "apiVersion": "coordination.k8s.io/v1", "kind": "Lease",
            "metadata": {"namespace": "kube-system", "name": "kube-controller-manager"},
            "spec": {"holderIdentity": "h", "leaseDurationSeconds": 15, "renewTime": "2026-01-01T00:00:00.000000Z"},
        }),
    ]
}

/// Returns the objects of `tests/files/kinds` whose kinds this API server serves, and their namespaces.
fn around() -> Vec<Value> {
    let mut objects: Vec<Value> = ["docs", "storage"]
        .map(|name| json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}}))
        .into();
    let served = Kind::EVERY.into_iter().skip_while(|kind| *kind != Kind::Service);
    for kind in served.filter(|kind| !kind.api_version().starts_with("snapshot.")) {
        let mut object = stored(kind);
        let metadata = object["metadata"].as_object_mut().unwrap();
        for given in ["creationTimestamp", "managedFields", "resourceVersion", "uid"] {
            metadata.remove(given);
        }
        // If kubectl finds this annotation, it rewrites it.
        if let Some(annotations) = metadata.get_mut("annotations").and_then(Value::as_object_mut) {
            annotations.remove("kubectl.kubernetes.io/last-applied-configuration");
        }
        match kind {
            // This server may not be able to assign the cluster IP of the Service.
            Kind::Service => {
                let spec = object["spec"].as_object_mut().unwrap();
                spec.retain(|field, _| !matches!(field.as_str(), "clusterIP" | "clusterIPs"));
            }
            // A Job that selects its pods by its own uid cannot be created again.
            Kind::Job => {
                let labels = json!({"app": "backup"});
                object["spec"]["manualSelector"] = true.into();
                object["spec"]["selector"] = json!({"matchLabels": labels});
                object["spec"]["template"]["metadata"]["labels"] = labels;
            }
            _ => {}
        }
        objects.push(object);
    }
    objects
}

/// Returns whether the API server itself creates this object on every cluster.
fn is_of_server(item: &Value) -> bool {
    item["metadata"]["namespace"] == "default" && item["metadata"]["name"] == "kubernetes"
}

/// Returns an object as an API server stores it after it was created. It has a new uid, resource version and creation
/// time, no deletion, and the initial status. Upstream: `BeforeCreate` (apiserver, `pkg/registry/rest/create.go`) and
/// `PrepareForCreate` of each kind, 1.36.
fn as_created(item: &Value, stored: &Value) -> Value {
    let mut item = item.clone();
    for given in ["uid", "resourceVersion", "creationTimestamp"] {
        item["metadata"][given] = stored["metadata"][given].clone();
    }
    let metadata = item["metadata"].as_object_mut().unwrap();
    metadata.remove("deletionTimestamp");
    metadata.remove("deletionGracePeriodSeconds");
    if matches!(item["kind"].as_str(), Some("PersistentVolume" | "PersistentVolumeClaim" | "Pod")) {
        item["status"] = json!({"phase": "Pending"});
    }
    item
}

fn place(item: &Value) -> String {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    path(&text(&item["kind"]), &text(&item["metadata"]["namespace"]), &text(&item["metadata"]["name"]))
}

#[test]
#[ignore = "needs a control plane: oracle/cluster/build, then cargo test --profile thorough -- --ignored live"]
fn kubectl_creates_the_objects_of_a_snapshot_again() {
    let scratch = tempfile::tempdir().unwrap();
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let taken = {
        let plane = Plane::without_admission();
        let api = runtime.block_on(Api::of(&plane));
        assert_eq!(load_many(&runtime, &api, scratch.path()), AT_ONCE);
        for object in other_objects().iter().chain(&volumes_of_every_source()).chain(&around()) {
            runtime.block_on(api.create(object)).unwrap_or_else(|refused| panic!("{}: {object}", refused.message));
        }
        take(&plane)
    };
    let text = fs::read_to_string(&taken.json).unwrap();
    assert!(!text.contains("s3cret") && !text.contains("hunter2"));
    let items = document(&text)["items"].as_array().unwrap().clone();
    let again = Plane::without_admission();
    let namespaces: BTreeSet<&str> = items
        .iter()
        .filter_map(|item| item["metadata"]["namespace"].as_str())
        .filter(|name| !["kube-system", "default"].contains(name))
        .collect();
    let made: Vec<Value> = namespaces
        .iter()
        .map(|name| json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}}))
        .collect();
    let list = json!({"apiVersion": "v1", "kind": "List", "items": made}).to_string();
    let run = again.kubectl_with(&["create", "-f", "-"], list.as_bytes());
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    // A namespace must exist before its objects. Some namespaces exist on every cluster.
    let there: BTreeSet<&str> = namespaces.iter().copied().chain(["kube-system", "default"]).collect();
    let is_there = |item: &&Value| {
        let name = item["metadata"]["name"].as_str().unwrap();
        is_of_server(item) || (item["kind"] == "Namespace" && (there.contains(name) || name.starts_with("kube-")))
    };
    let known = items.iter().filter(is_there).count();
    for (file, arguments) in [
        (&taken.yaml, &["create", "--dry-run=server", "-o", "name", "-f"][..]),
        (&taken.json, &["create", "-o", "name", "-f"]),
    ] {
        let run = again.kubectl_with(&[arguments, &[&*file.to_string_lossy()]].concat(), b"");
        let is_refusal = |line: &&str| {
            let is_known =
                line.contains("namespaces \"") && line.ends_with("already exists") || line.contains("\"kubernetes\"");
            !(line.starts_with("Warning: ") || is_known)
        };
        let refused: Vec<&str> = run.stderr.lines().filter(is_refusal).collect();
        assert_eq!((refused.len(), run.stdout.lines().count()), (0, items.len() - known), "{}", refused.join("\n"));
    }
    let api = runtime.block_on(Api::of(&again));
    let mut expected = Vec::new();
    for item in items.iter().filter(|item| !is_of_server(item)) {
        let stored = runtime.block_on(api.get(&place(item))).unwrap();
        for field in ["labels", "annotations", "finalizers", "ownerReferences"] {
            assert_eq!(stored["metadata"][field], item["metadata"][field], "{field} of {item}");
        }
        match item["kind"].as_str().unwrap() {
            "PersistentVolume" | "PersistentVolumeClaim" => assert_eq!(stored["spec"], item["spec"], "{item}"),
            "StorageClass" => {
                for (field, value) in item.as_object().unwrap() {
                    assert!(
                        field == "metadata" || stored[field] == *value,
                        "the field {field} differs: {stored} and {item}"
                    );
                }
            }
            _ => {}
        }
        expected.push(as_created(item, &stored));
    }
    // The objects of the snapshot are changed in the same way as a creation changes them. The prediction for them must
    // equal the prediction for the new cluster.
    let mut file = document(&text);
    file["items"] = expected.into();
    let created = tempfile::NamedTempFile::with_suffix(".json").unwrap();
    fs::write(created.path(), file.to_string()).unwrap();
    // For files, the scheduler could otherwise take part although nobody named it.
    let arguments = ["predict", "-A", "--actors", "none", "-o", "json", "--decisions", "all", "--outcomes", "all"];
    let live = again.pvctl(&[&arguments[..], &["--now", NOW]].concat());
    assert_eq!((live.code, live.stderr.as_str()), (Some(0), ""));
    let of_file = of_file(&arguments, created.path());
    assert_eq!((of_file.code, of_file.stderr.as_str()), (Some(0), ""));
    let (one, other) = (content(&live.stdout), content(&of_file.stdout));
    assert_same(&one, &other, "predict");
    // If no object of a component had a status, a deletion or the uid of another object, the new prediction must equal
    // the earlier one.
    let before = document(&self::of_file(&arguments, &taken.json).stdout);
    let after = document(&live.stdout);
    let (unchanged, objects) = same_as_before(&items, &before, &after);
    eprintln!("{} objects, {objects} of them predicted, {unchanged} of these as before", items.len());
    assert!(unchanged > 50, "the test is too weak: only {unchanged} of {objects} objects were compared");
}

/// Returns how many objects are in components that the creation does not change, and how many objects there are. The
/// branches and ends of these objects must be the same as before.
fn same_as_before(items: &[Value], before: &Value, after: &Value) -> (usize, usize) {
    // Pods that ended or ran are Pending again.
    let moved: BTreeSet<&str> = items
        .iter()
        .filter(|item| item["kind"] == "Pod" && item["status"]["phase"] != "Pending")
        .filter_map(|pod| pod["metadata"]["namespace"].as_str())
        .collect();
    let loses = |object: &Value| {
        let item = items.iter().find(|item| {
            item["kind"] == object["kind"]
                && item["metadata"]["name"] == object["name"]
                && item["metadata"]["namespace"] == object["namespace"]
        });
        let item = item.unwrap();
        item["status"]["phase"] != "Pending"
            || object["namespace"].as_str().is_some_and(|namespace| moved.contains(namespace))
            || !item["metadata"]["deletionTimestamp"].is_null()
            || !item["spec"]["claimRef"]["uid"].is_null()
    };
    let listed = |answer: &Value| answer["items"].as_array().unwrap().clone();
    let lost = |answer: &Value| -> BTreeSet<String> {
        let losing = listed(answer).into_iter().filter(|item| loses(&item["object"]));
        losing.map(|item| item["component"].as_str().unwrap().to_owned()).collect()
    };
    // A volume or claim that was bound may now be in another component than before.
    let (lost_before, lost_after) = (lost(before), lost(after));
    let branches = |item: &Value| -> Vec<Value> {
        let decisions = item["decisions"].as_array().unwrap().iter();
        decisions.map(|decision| json!([decision["branch"], decision["steps"]])).collect()
    };
    // The uid of a claimRef is not compared: existing claims have another uid, and claims that do not exist yet have
    // none.
    let ends = |item: &Value| -> Vec<Value> {
        // A pod has decisions, but no ends.
        let ends = item["outcomes"].as_array().into_iter().flatten();
        ends.map(|end| json!([end["phase"], end["volumeName"], end["claimRef"]["name"], end["gone"]])).collect()
    };
    let (before, after) = (listed(before), listed(after));
    assert_eq!(before.len(), after.len());
    let mut unchanged = 0;
    for (one, other) in before.iter().zip(&after) {
        assert_eq!(one["object"]["name"], other["object"]["name"]);
        let within = |lost: &BTreeSet<String>, item: &Value| lost.contains(item["component"].as_str().unwrap());
        if !within(&lost_before, one) && !within(&lost_after, other) {
            assert_eq!((branches(one), ends(one)), (branches(other), ends(other)), "{}", one["object"]);
            unchanged += 1;
        }
    }
    (unchanged, before.len())
}
