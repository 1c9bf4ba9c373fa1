//! Small clusters with their expected predictions. The clusters are the files of `examples/`. The table of expected
//! predictions, `tests/clusters/expected.json`, was written from the rules of the controllers, not from the answers of
//! the program.
#![expect(clippy::unwrap_used, clippy::panic, reason = "an example or a table that cannot be read is a failed test")]
#![expect(clippy::disallowed_methods, reason = "examples are files")]

use pvctl::controllers::{KubeVersion, KubernetesBehavior, persistent_volume};
use pvctl::engines::settle;
use pvctl::model::{Kind, ObjectId};
use pvctl::simulate::component::components;
use pvctl::simulate::{Limit, Outcome, OutcomeSet, Settings, decide};
use pvctl::snapshot::PLACEHOLDER_UID;
use pvctl::snapshot::decode::decode;
use pvctl::snapshot::{Coverage, Item, Parts, Snapshot};
use pvctl::world::{Cached, ControllerState, World};
use serde::Deserialize;
use serde_json::{Map, Value};
use std::collections::{BTreeMap, BTreeSet};

/// The expected predictions for one cluster.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Cluster {
    /// The expected predictions for all volumes and claims, under Kubernetes 1.36 with current caches.
    objects: BTreeMap<String, Expected>,
    /// The expected predictions for some of the objects, under other conditions.
    #[serde(default)]
    variants: Vec<Variant>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Variant {
    kubernetes: String,
    /// The claims that the controller has not seen yet.
    #[serde(default)]
    unseen: Vec<String>,
    objects: BTreeMap<String, Expected>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Expected {
    /// The leaves at which the next sync of the persistent volume controller can end.
    binder: BTreeSet<String>,
    /// The leaf at which the next sync of the protection controller ends: pv-protection for a volume, pvc-protection
    /// for a claim.
    protection: Option<String>,
    /// The outcomes, in the form of the JSON output.
    outcomes: Option<Vec<Value>>,
}

fn project_file(path: &str) -> std::path::PathBuf {
    std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

fn table() -> BTreeMap<String, Cluster> {
    serde_json::from_slice(&std::fs::read(project_file("tests/clusters/expected.json")).unwrap()).unwrap()
}

fn load(file: &str) -> Snapshot {
    let text = std::fs::read(project_file("examples").join(file)).unwrap();
    let objects: Vec<Value> = if is_yaml(file) {
        serde_yaml::from_slice_multiple(&text).unwrap()
    } else {
        let list: Value = serde_json::from_slice(&text).unwrap();
        assert_eq!(list["kind"], "List", "{file} must be a List, as `kubectl get -o json` prints it");
        list["items"].as_array().unwrap().clone()
    };
    let mut parts = Parts { coverage: Coverage::complete(), ..Parts::default() };
    for object in objects {
        let item = decode(&serde_json::to_vec(&object).unwrap(), file).unwrap_or_else(|issue| {
            panic!("{file}: {} {}: {} = {}: {}", issue.kind, issue.name, issue.field, issue.value, issue.reason)
        });
        match item {
            // Examples about pods and about shared volumes also have kinds that no decision reads.
            Item::Object(object)
                if Kind::ALL.contains(&object.kind()) || ["pod-", "shared-"].iter().any(|of| file.starts_with(of)) =>
            {
                parts.objects.push(object);
            }
            Item::Object(object) => panic!(
                "{file}: an example must not have objects of kind {}, because no decision reads this kind",
                object.kind()
            ),
            Item::Skipped(kind) => {
                panic!("{file}: an example must not have objects of kind {kind}, which the program does not know")
            }
        }
    }
    Snapshot::new(parts)
}

fn is_yaml(file: &str) -> bool {
    std::path::Path::new(file).extension().is_some_and(|extension| extension == "yaml")
}

fn target(snapshot: &Snapshot, key: &str) -> Option<ObjectId> {
    match key.split('/').collect::<Vec<_>>()[..] {
        ["pv", name] => snapshot.volume_id(name).map(ObjectId::from),
        ["pvc", namespace, name] => snapshot.claim_id(namespace, name).map(ObjectId::from),
        _ => None,
    }
}

/// Returns all volumes and claims, in the form in which the table names them.
fn keys(snapshot: &Snapshot) -> BTreeSet<String> {
    let volumes = snapshot.volumes().iter().map(|volume| format!("pv/{}", volume.meta.name));
    let claims = snapshot.claims().iter().map(|claim| format!("pvc/{}/{}", claim.meta.namespace, claim.meta.name));
    volumes.chain(claims).collect()
}

/// Returns an outcome in the form of the JSON output.
fn written(outcome: &Outcome) -> Value {
    let mut fields = Map::new();
    let common = |terminating: Option<&[pvctl::model::Str]>, unsettled: bool| {
        let mut fields = Map::new();
        if let Some(finalizers) = terminating {
            fields.insert("terminating".into(), true.into());
            fields.insert("finalizers".into(), finalizers.iter().map(|name| Value::from(name.as_str())).collect());
        }
        if unsettled {
            fields.insert("unsettled".into(), true.into());
        }
        fields
    };
    match outcome {
        Outcome::Gone { data, unsettled } => {
            fields.append(&mut common(None, *unsettled));
            fields.insert("gone".into(), true.into());
            if let Some(data) = data {
                fields.insert("data".into(), data.as_str().into());
            }
        }
        Outcome::Pod { .. } => panic!("no actor takes part"),
        Outcome::Claim { phase, volume_name, terminating, unsettled, created } => {
            fields.append(&mut common(terminating.as_deref(), *unsettled));
            fields.insert("phase".into(), phase.as_str().into());
            if *created {
                fields.insert("created".into(), true.into());
            }
            if !volume_name.is_empty() {
                fields.insert("volumeName".into(), volume_name.as_str().into());
            }
        }
        Outcome::Volume { phase, claim_ref, terminating, data, unsettled } => {
            fields.append(&mut common(terminating.as_deref(), *unsettled));
            fields.insert("phase".into(), phase.as_str().into());
            if let Some((namespace, name, uid)) = claim_ref {
                // The text after the placeholder distinguishes two claims without uids. The output does not have this
                // text.
                let uid = if uid.starts_with(PLACEHOLDER_UID) { PLACEHOLDER_UID } else { uid.as_str() };
                let parts = [("namespace", namespace.as_str()), ("name", name.as_str()), ("uid", uid)];
                let stated = parts.into_iter().filter(|(_, value)| !value.is_empty());
                let named: Map<String, Value> = stated.map(|(field, value)| (field.into(), value.into())).collect();
                fields.insert("claimRef".into(), named.into());
            }
            if let Some(data) = data {
                fields.insert("data".into(), data.as_str().into());
            }
        }
    }
    Value::Object(fields)
}

fn settings<'s>(version: &str, snapshot: &Snapshot, unseen: &[String]) -> Settings<'s> {
    let mut state = ControllerState::in_step();
    for key in unseen {
        match target(snapshot, key) {
            Some(id) if id.kind == Kind::PersistentVolumeClaim => state.lag(id, Cached::Unseen),
            _ => panic!("{key} must be a claim of the cluster"),
        }
    }
    Settings {
        controller: state,
        decisions: Limit::All,
        outcomes: Limit::All,
        ..Settings::new(KubernetesBehavior::of(KubeVersion::parse(version).unwrap()))
    }
}

/// Returns the differences between the expected and the predicted answers, one line each.
fn differences(
    file: &str,
    snapshot: &Snapshot,
    settings: &Settings<'_>,
    objects: &BTreeMap<String, Expected>,
) -> Vec<String> {
    let world = World::new(snapshot);
    let mut sets: Vec<(ObjectId, OutcomeSet)> = Vec::new();
    for component in components(snapshot, settings) {
        let settled = settle(snapshot, settings, &component);
        sets.extend(component.objects.into_iter().zip(settled.sets));
    }
    let mut lines = Vec::new();
    for (key, expected) in objects {
        let Some(target) = target(snapshot, key) else {
            lines.push(format!("{file} {key}: the table has this object, but the cluster does not"));
            continue;
        };
        let decisions = decide::decide(&world, settings, target);
        let ends_of = |binder: bool| -> BTreeSet<String> {
            let of = decisions.listed.iter().filter(|one| (one.controller == persistent_volume::CONTROLLER) == binder);
            of.map(|decision| decision.branch.name().to_owned()).collect()
        };
        let (binder, protection) = (ends_of(true), ends_of(false));
        if binder != expected.binder {
            lines.push(format!(
                "{file} {key}: the sync of the binder ends at {binder:?}, but the table says {:?}",
                expected.binder
            ));
        }
        if let Some(leaf) = &expected.protection
            && protection != BTreeSet::from([leaf.clone()])
        {
            lines.push(format!(
                "{file} {key}: the sync of the protection controller ends at {protection:?}, but the table says {leaf}"
            ));
        }
        if let Some(outcomes) = &expected.outcomes {
            let (_, set) = sets.iter().find(|(known, _)| *known == target).unwrap();
            let predicted: Vec<Value> = set.listed.iter().map(written).collect();
            let same = predicted.len() == outcomes.len() && outcomes.iter().all(|outcome| predicted.contains(outcome));
            if !same {
                let text = |ends: &[Value]| ends.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n    ");
                lines.push(format!(
                    "{file} {key}: the predicted outcomes are\n    {}\n  but the table says\n    {}",
                    text(&predicted),
                    text(outcomes)
                ));
            }
            if !set.exact {
                lines.push(format!("{file} {key}: the prediction for a cluster of this size must be exact"));
            }
        }
    }
    lines
}

#[test]
fn every_example_is_predicted_as_the_table_says() {
    let mut found = Vec::new();
    for (file, cluster) in table() {
        let snapshot = load(&file);
        for key in keys(&snapshot).iter().filter(|key| !cluster.objects.contains_key(*key)) {
            found.push(format!("{file} {key}: tests/clusters/expected.json does not have this object"));
        }
        for (key, expected) in &cluster.objects {
            if expected.protection.is_none() || expected.outcomes.is_none() {
                found.push(format!("{file} {key}: the table must state `protection` and `outcomes`"));
            }
        }
        found.extend(differences(&file, &snapshot, &settings("1.36", &snapshot, &[]), &cluster.objects));
        for variant in &cluster.variants {
            let settings = settings(&variant.kubernetes, &snapshot, &variant.unseen);
            let name = format!("{file} under {} with {} unseen", variant.kubernetes, variant.unseen.len());
            found.extend(differences(&name, &snapshot, &settings, &variant.objects));
        }
    }
    assert!(found.is_empty(), "{} differences:\n{}", found.len(), found.join("\n"));
}

#[test]
fn every_example_is_in_the_table() {
    let of_table: BTreeSet<String> = table().into_keys().collect();
    let of_folder: BTreeSet<String> = std::fs::read_dir(project_file("examples"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        // planned-claim.yaml is not a cluster. It is used together with a cluster. A log is not a cluster, either.
        .filter(|name| {
            !["README.md", "planned-claim.yaml", "kube-controller-manager.log", "kubelet.log"].contains(&&**name)
        })
        .collect();
    assert_eq!(of_folder, of_table);
    assert!(of_folder.len() >= 16, "there are fewer than 16 examples");
}

/// `examples/README.md` must describe every file of the folder.
#[test]
fn every_example_is_described() {
    let readme = std::fs::read_to_string(project_file("examples/README.md")).unwrap();
    for entry in std::fs::read_dir(project_file("examples")).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        assert!(
            name == "README.md" || readme.contains(&format!("`{name}`")),
            "examples/README.md does not describe {name}"
        );
    }
}
