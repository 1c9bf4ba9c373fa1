//! `audit` can be restricted to a namespace, to labels or to objects. It then shows the findings on these objects, and
//! the roots of these findings.
#![expect(clippy::unwrap_used, clippy::disallowed_methods, reason = "fixtures are files, and tests fail by panicking")]

use crate::audit::rules::FOLDER;
use crate::support::{Run, files, root};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// The key of a finding in the report: rule, kind, namespace and name.
type Name = (String, String, String, String);

fn text<'v>(value: &'v Value, field: &str) -> &'v str {
    value[field].as_str().unwrap_or_default()
}

fn object(value: &Value) -> (String, String, String) {
    let part = |field: &str| text(value, field).to_owned();
    (part("kind"), part("namespace"), part("name"))
}

fn name(finding: &Value) -> Name {
    let (kind, namespace, name) = object(&finding["object"]);
    (text(finding, "id").to_owned(), kind, namespace, name)
}

fn report(path: &str, words: &[&str]) -> Value {
    let mut all = vec!["audit", "-f", path, "--assume-complete", "-o", "json"];
    all.extend(words);
    let done = Run::new(&all).finish();
    assert!(matches!(done.code, Some(0 | 1)), "{words:?}: {}", done.stderr);
    serde_json::from_str(&done.stdout).unwrap()
}

fn findings(report: &Value) -> BTreeMap<Name, Value> {
    report["findings"].as_array().unwrap().iter().map(|finding| (name(finding), finding.clone())).collect()
}

/// Returns the volumes that belong to a namespace by the prediction. A claim of the namespace has, names or may get
/// such a volume.
fn volumes_of(predicted: &Value, namespace: &str) -> BTreeSet<String> {
    let mut volumes = BTreeSet::new();
    for item in predicted["items"].as_array().unwrap() {
        let (kind, within, name) = object(&item["object"]);
        let outcomes = item["outcomes"].as_array().into_iter().flatten();
        if kind == "PersistentVolume" {
            let named = |end: &Value| text(&end["claimRef"], "namespace") == namespace;
            if named(&item["recorded"]) || outcomes.clone().any(named) {
                volumes.insert(name);
            }
        } else if within == namespace {
            volumes.insert(text(&item["recorded"], "volumeName").to_owned());
        }
    }
    volumes
}

/// Narrows the report about the whole cluster to a namespace or to labelled objects. Returns the findings on these
/// objects, the findings that affect them, and all causes of both. Each finding lists only those affected objects that
/// belong to the selection.
fn narrowed(whole: &Value, own: &dyn Fn(&Value) -> bool) -> BTreeMap<Name, Value> {
    let all = findings(whole);
    let affected = |finding: &Value| -> Vec<Value> {
        finding["affects"].as_array().into_iter().flatten().filter(|object| own(object)).cloned().collect()
    };
    let concerns = |finding: &Value| own(&finding["object"]) || !affected(finding).is_empty();
    let mut open: Vec<Name> =
        all.iter().filter(|(_, finding)| concerns(finding)).map(|(name, _)| name.clone()).collect();
    let mut narrowed = BTreeMap::new();
    while let Some(name) = open.pop() {
        if narrowed.contains_key(&name) {
            continue;
        }
        let mut finding = all[&name].clone();
        open.extend(finding["causedBy"].as_array().into_iter().flatten().map(self::name));
        let affects = affected(&finding);
        finding.as_object_mut().unwrap().remove("affects");
        if !affects.is_empty() {
            finding["affects"] = json!(affects);
        }
        narrowed.insert(name, finding);
    }
    narrowed
}

/// This test puts two clusters into one file, each in namespaces of its own.
#[test]
fn a_namespace_has_its_findings_and_what_is_to_blame_for_them() {
    let fixtures: Vec<String> = files(FOLDER, "yaml").into_iter().map(|(path, _)| path).collect();
    let fires: Vec<&String> = fixtures.iter().filter(|path| path.ends_with("fires.yaml")).collect();
    let scratch = tempfile::tempdir().unwrap();
    let (mut looked, mut shared, mut apart) = (0, 0, 0);
    for (number, pair) in fires.chunks(2).enumerate() {
        let [one, other] = pair else { continue };
        let both = [one, other].map(|path| std::fs::read_to_string(root().join(path)).unwrap()).join("\n---\n");
        let path = scratch.path().join(format!("{number}.yaml"));
        std::fs::write(&path, both).unwrap();
        let path = path.to_str().unwrap();
        let words = ["-f", path, "--assume-complete", "-o", "json"];
        let predicted = Run::new(&[&["predict", "-A"], &words[..]].concat()).finish();
        // Two fixtures may contain objects of the same name. Such a pair is skipped.
        if predicted.code != Some(0) {
            continue;
        }
        let predicted: Value = serde_json::from_str(&predicted.stdout).unwrap();
        let whole = report(path, &["-A"]);
        // A VolumeAttachment belongs to the namespaces of its volume. The report does not state these namespaces.
        if findings(&whole).values().any(|finding| text(&finding["object"], "kind") == "VolumeAttachment") {
            continue;
        }
        let namespaces: BTreeSet<String> =
            predicted["items"].as_array().unwrap().iter().map(|item| object(&item["object"]).1).collect();
        let mut seen = BTreeSet::new();
        for namespace in namespaces.iter().filter(|namespace| !namespace.is_empty()) {
            let volumes = volumes_of(&predicted, namespace);
            let own = |value: &Value| match object(value) {
                (kind, _, name) if kind == "PersistentVolume" => volumes.contains(&name),
                (kind, _, name) if kind == "Namespace" => name == *namespace,
                (_, within, _) => within == *namespace,
            };
            let expected = narrowed(&whole, &own);
            let found = findings(&report(path, &["-n", namespace]));
            assert_eq!(found, expected, "{pair:?} -n {namespace}");
            looked += found.len();
            shared += found.values().filter(|finding| !own(&finding["object"])).count();
            seen.extend(found.into_keys());
        }
        apart += findings(&whole).into_keys().filter(|name| !seen.contains(name)).count();
        // A namespace without claims has no findings.
        let nobody = report(path, &["-n", "nobody"]);
        assert_eq!(findings(&nobody), BTreeMap::new(), "{pair:?}");
        assert_eq!(nobody["summary"]["error"], 0);
    }
    assert!(
        looked > 60 && shared > 3 && apart > 1,
        "the test is too weak: {looked} findings, {shared} on objects of no namespace or of another one, {apart} in no \
         namespace"
    );
}

/// This test puts two clusters into one file. All objects of the first cluster have a label.
#[test]
fn labels_choose_volumes_and_claims_and_what_is_to_blame_for_them() {
    let fires: Vec<String> =
        files(FOLDER, "yaml").into_iter().map(|(path, _)| path).filter(|path| path.ends_with("fires.yaml")).collect();
    let scratch = tempfile::tempdir().unwrap();
    let (mut looked, mut left_out) = (0, 0);
    for (number, pair) in fires.chunks(2).enumerate() {
        let [one, other] = pair else { continue };
        let [one, other] = [one, other].map(|path| std::fs::read_to_string(root().join(path)).unwrap());
        // If a fixture already has labels, the key would occur twice.
        if one.contains("\n  labels:") {
            continue;
        }
        let one = one.replace("\nmetadata:\n", "\nmetadata:\n  labels:\n    of: one\n");
        let path = |name: &str, text: &str| {
            let path = scratch.path().join(format!("{number}-{name}.yaml"));
            std::fs::write(&path, text).unwrap();
            path.to_str().unwrap().to_owned()
        };
        let both = path("both", &[one.as_str(), other.as_str()].join("\n---\n"));
        let alone = path("one", &one);
        let predict = |path: &str| Run::new(&["predict", "-A", "-f", path, "--assume-complete", "-o", "json"]).finish();
        // Two fixtures may contain objects of the same name. Such a pair is skipped.
        if predict(&both).code != Some(0) {
            continue;
        }
        let predicted: Value = serde_json::from_str(&predict(&alone).stdout).unwrap();
        // Labels choose volumes and claims, and not pods.
        let own: BTreeSet<_> = predicted["items"]
            .as_array()
            .unwrap()
            .iter()
            .filter(|item| item["object"]["kind"] != "Pod")
            .map(|item| object(&item["object"]))
            .collect();
        let whole = report(&both, &["-A"]);
        let expected = narrowed(&whole, &|value| own.contains(&object(value)));
        let found = findings(&report(&both, &["-l", "of=one", "-A"]));
        assert_eq!(found, expected, "{pair:?}");
        looked += found.len();
        left_out += findings(&whole).len() - found.len();
        let nobody = report(&both, &["-l", "of=none", "-A"]);
        assert_eq!(findings(&nobody), BTreeMap::new(), "{pair:?}");
    }
    assert!(
        looked > 20 && left_out > 20,
        "the test is too weak: {looked} findings of the labelled cluster, {left_out} of the other one"
    );
}

/// A finding on one claim is shown for that claim only.
#[test]
fn objects_and_labels_choose_what_is_looked_at() {
    let path = format!("{FOLDER}/pvc-class-not-found/fires.yaml");
    let path = root().join(path);
    let path = path.to_str().unwrap();
    let whole = findings(&report(path, &["-A"]));
    let claim = whole.keys().find(|name| name.1 == "PersistentVolumeClaim").unwrap();
    let word = format!("pvc/{}", claim.3);
    let one = report(path, &[&word, "-n", &claim.2]);
    assert_eq!(findings(&one).keys().collect::<Vec<_>>(), [claim]);
    let labelled = report(path, &["-l", "none=such", "-A"]);
    assert_eq!(findings(&labelled), BTreeMap::new());
    let missing = Run::new(&["audit", "pvc/none", "-f", path]).finish();
    assert_eq!(missing.code, Some(2), "{}", missing.stderr);
    let both = Run::new(&["audit", &word, "-l", "a=b", "-f", path]).finish();
    assert_eq!(both.code, Some(2), "{}", both.stderr);
}
