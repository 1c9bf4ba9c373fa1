//! The printed data are valid by the committed schemas. The schemas have all fields that the JSON output promises.
#![expect(clippy::expect_used, reason = "tests fail by panicking")]

use crate::support::{Run, files, root, text};
use jsonschema::Validator;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// The fields that the JSON output must have. The first list is the path in the schema that leads to the fields.
const CONTRACT: [(&[&str], &[&str]); 9] = [
    (&[], &["apiVersion", "kind", "model", "coverage", "items", "worlds"]),
    (&["model"], &["kubernetes", "verified", "featureGates", "controllers"]),
    (&["coverage"], &["resource", "state"]),
    (
        &["items"],
        &[
            "object",
            "recorded",
            "component",
            "decisions",
            "decisionCount",
            "outcomes",
            "outcomeCount",
            "exact",
            "waitingFor",
            "assumed",
            "unknown",
        ],
    ),
    (
        &["items", "decisions"],
        &["controller", "branch", "steps", "writes", "events", "operations", "enqueues", "nextSync"],
    ),
    (&["items", "decisions", "writes"], &["seq", "verb", "resource", "subresource", "namespace", "name", "patch"]),
    (&["items", "waitingFor"], &["component", "name", "for"]),
    (&["worlds"], &["component", "states"]),
    (&["worlds", "states"], &["object", "state"]),
];

fn schema(kind: &str) -> Value {
    serde_json::from_str(&text(&format!("docs/schema/{kind}.json"))).expect("a schema is JSON")
}

/// Changes a schema, so that it refuses every field that it does not name.
fn strict(schema: &mut Value) {
    match schema {
        Value::Object(fields) => {
            fields.values_mut().for_each(strict);
            if fields.get("properties").is_some_and(Value::is_object) && !fields.contains_key("additionalProperties") {
                fields.insert("additionalProperties".into(), false.into());
            }
        }
        Value::Array(items) => items.iter_mut().for_each(strict),
        _ => {}
    }
}

pub(crate) fn validator(kind: &str) -> Validator {
    let mut schema = schema(kind);
    strict(&mut schema);
    jsonschema::validator_for(&schema).expect("the schema must be valid")
}

pub(crate) fn assert_valid(validator: &Validator, document: &Value, from: &str) {
    let faults: Vec<String> =
        validator.iter_errors(document).map(|fault| format!("{}: {fault}", fault.instance_path)).collect();
    assert!(faults.is_empty(), "{from}: {faults:#?}");
}

fn printed(arguments: &[&str]) -> Value {
    exiting(0, arguments)
}

fn exiting(code: i32, arguments: &[&str]) -> Value {
    let run = Run::new(arguments).current_dir(root()).finish();
    assert_eq!(run.code, Some(code), "{arguments:?}: {}", run.stderr);
    serde_json::from_str(&run.stdout).expect("stdout is one JSON document")
}

/// Returns the part of a schema at the end of this path of fields. Lists and references are followed on the way.
fn part<'s>(schema: &'s Value, path: &[&str]) -> &'s Value {
    let mut part = schema;
    for field in path {
        part = resolved(schema, &part["properties"][field]);
        assert!(part["properties"].is_object(), "{field} must be an object, or a list of objects: {part}");
    }
    part
}

fn resolved<'s>(schema: &'s Value, mut part: &'s Value) -> &'s Value {
    loop {
        if let Some(reference) = part["$ref"].as_str() {
            part = schema.pointer(reference.trim_start_matches('#')).expect("the target of the reference must exist");
        } else if part["items"].is_object() {
            part = &part["items"];
        } else {
            return part;
        }
    }
}

#[test]
fn every_field_of_the_contract_is_in_the_schema() {
    let schema = schema("PredictionList");
    for (path, fields) in CONTRACT {
        let properties = &part(&schema, path)["properties"];
        for field in fields {
            assert!(properties[field].is_object(), "{path:?} has no field `{field}`");
        }
    }
}

#[test]
fn a_field_that_no_schema_names_is_refused() {
    let validator = validator("PredictionList");
    let mut document = printed(&["predict", "-f", "examples/half-bound.json", "-o", "json"]);
    assert_valid(&validator, &document, "the document as printed");
    document["items"][0]["decisions"][0]["surprise"] = json!(1);
    assert!(!validator.is_valid(&document), "an unknown field deep in the document must be refused");
    document = json!({"apiVersion": "pvctl.dev/v1", "kind": "PredictionList"});
    assert!(!validator.is_valid(&document), "missing fields must be refused");
}

/// Checks the field `worlds`. Every component with at most eight joint outcomes has an entry, even if it has a single
/// outcome. A component with an unknown end has no entry. The joint outcomes of an object must agree with the item of
/// that object.
fn assert_joint(list: &Value, from: &str) {
    let listed = |value: &Value| value.as_array().cloned().unwrap_or_default();
    let mut components: BTreeMap<String, Vec<Value>> = BTreeMap::new();
    for item in listed(&list["items"]) {
        components.entry(item["component"].as_str().expect("a text").to_owned()).or_default().push(item);
    }
    let mut worlds = BTreeMap::new();
    for joint in listed(&list["worlds"]) {
        let name = joint["component"].as_str().expect("a text").to_owned();
        assert!(worlds.insert(name, listed(&joint["states"])).is_none(), "{from}: a component has two entries");
    }
    assert!(
        worlds.keys().all(|name| components.contains_key(name)),
        "{from}: `worlds` has a component without an item"
    );
    for (name, items) in &components {
        let all_single = items.iter().all(|item| item["outcomeCount"] == 1 && item["exact"] == true);
        let Some(states) = worlds.get(name) else {
            // A component with several outcomes may have more than eight joint outcomes, or its joint outcomes may be
            // unknown.
            assert!(!all_single, "{from}: {name} has one joint outcome, but no entry");
            continue;
        };
        assert!((1..=8).contains(&states.len()), "{from}: {name} has {} states", states.len());
        assert_eq!(all_single, states.len() == 1, "{from}: {name}");
        for item in items {
            let expected: BTreeSet<String> = listed(&item["outcomes"]).iter().map(Value::to_string).collect();
            let joint: BTreeSet<String> = states
                .iter()
                .flat_map(&listed)
                .filter(|entry| entry["object"] == item["object"])
                .map(|entry| entry["state"].to_string())
                .collect();
            assert_eq!(joint, expected, "{from}: {}", item["object"]);
        }
    }
}

#[test]
fn answers_for_every_example_follow_the_schemas() {
    let [list, explanation, table] = ["PredictionList", "Explanation", "MatchTable"].map(validator);
    let mut reached = BTreeSet::new();
    for (path, _) in files("examples", "json") {
        let predictions = printed(&["predict", "-f", &path, "-o", "json"]);
        assert_valid(&list, &predictions, &path);
        assert_joint(&predictions, &path);
        for item in predictions["items"].as_array().expect("a list") {
            reached.extend(item.as_object().expect("an object").keys().cloned());
            let object = &item["object"];
            let [kind, name] = ["kind", "name"].map(|field| object[field].as_str().expect("a text"));
            let namespace = object["namespace"].as_str().unwrap_or("default");
            let explained = printed(&["explain", kind, name, "-n", namespace, "-f", &path, "-o", "json"]);
            assert_valid(&explanation, &explained, &format!("{path}: explain {kind} {name}"));
            // Both verbs must have the same prediction for the object.
            let told = &explained["prediction"];
            for field in ["object", "recorded", "outcomes", "outcomeCount", "exact"] {
                assert_eq!(told[field], item[field], "{path}: {kind} {name}: {field}");
            }
            if kind == "PersistentVolumeClaim" {
                let matched = printed(&["match", kind, name, "-n", namespace, "-f", &path, "-o", "json"]);
                assert_valid(&table, &matched, &format!("{path}: match {name}"));
            }
        }
    }
    for field in CONTRACT[3].1.iter().filter(|field| **field != "unknown") {
        assert!(reached.contains(*field), "no example has `{field}`");
    }
}

#[test]
fn shared_volumes_follow_the_schema() {
    let list = validator("SharedVolumeList");
    let mut looked = 0;
    for (path, _) in files("tests/shared", "yaml") {
        let run = Run::new(&["shared", "-A", "-f", &path, "-o", "json"]).current_dir(root()).finish();
        assert!(matches!(run.code, Some(0 | 3)), "{path}: {}", run.stderr);
        let document: Value = serde_json::from_str(&run.stdout).expect("stdout is one JSON document");
        assert_valid(&list, &document, &path);
        looked += document["items"].as_array().map_or(0, Vec::len);
    }
    assert!(looked > 60, "the test is too weak: it saw only {looked} volumes");
}

#[test]
fn classes_planned_claims_and_versions_follow_the_schemas() {
    let file = "examples/contended.json";
    let class = printed(&["explain", "sc/fast-disks", "-f", file, "-o", "json"]);
    assert_valid(&validator("Explanation"), &class, "explain sc");
    let planned = printed(&["match", "--claim", "examples/planned-claim.yaml", "-f", file, "-o", "json"]);
    assert_valid(&validator("MatchTable"), &planned, "match --claim");
    assert_valid(&validator("Version"), &printed(&["version", "-o", "json"]), "version");
    assert_valid(&validator("Version"), &printed(&["version", "--client", "-o", "json"]), "version --client");
    let unknown = exiting(3, &["predict", "-f", file, "--partial", "pvc,pods", "-o", "json"]);
    assert_valid(&validator("PredictionList"), &unknown, "with unknown parts");
    assert_eq!(unknown["worlds"], json!([]), "if the ends are unknown, there must be no joint outcomes");
    for outcomes in ["1", "2"] {
        let few = printed(&["predict", "-f", file, "--outcomes", outcomes, "-o", "json"]);
        let all = printed(&["predict", "-f", file, "-o", "json"]);
        assert_eq!(few["worlds"], all["worlds"], "joint states with --outcomes {outcomes}");
    }
}
