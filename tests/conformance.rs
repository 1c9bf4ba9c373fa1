//! The recorded answers of the real controller, replayed: `tests/conformance/README.md` says how they were made.
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::disallowed_types,
    clippy::print_stderr,
    reason = "recorded files are read, and what is wrong with them or differs fails the test"
)]

use flate2::read::GzDecoder;
use pvctl::controllers::{Controller, Rules};
use pvctl::simulate::component::components;
use pvctl::simulate::explore::Budget;
use pvctl::simulate::{Decision, Limit, Outcome, Settings, Target, decide, settle};
use pvctl::snapshot::{ClaimId, Item, Parts, Snapshot, VolumeId, decode};
use pvctl::world::{Effect, EventType, World, WriteBody};
use serde_json::{Map, Value, json};
use std::collections::BTreeSet;
use std::io::{BufRead, BufReader};

/// A recorded line: the world, and what the controller answered.
struct Recorded {
    id: String,
    line: Value,
    snapshot: Snapshot,
}

fn recorded(file: &str) -> Vec<Recorded> {
    let path = format!("{}/tests/conformance/{file}", env!("CARGO_MANIFEST_DIR"));
    let reader = BufReader::new(GzDecoder::new(std::fs::File::open(&path).unwrap()));
    reader
        .lines()
        .map(|line| {
            let line: Value = serde_json::from_str(&line.unwrap()).unwrap();
            let mut parts = Parts { coverage: pvctl::snapshot::Coverage::complete(), ..Parts::default() };
            for item in line["world"]["items"].as_array().unwrap() {
                match decode::decode(&serde_json::to_vec(item).unwrap(), &path).unwrap() {
                    Item::Volume(volume) => parts.volumes.push(*volume),
                    Item::Claim(claim) => parts.claims.push(*claim),
                    Item::Class(class) => parts.classes.push(*class),
                    Item::Pod(pod) => parts.pods.push(*pod),
                    Item::Node(node) => parts.nodes.push(*node),
                    Item::Lease(_) => panic!("no recorded world has a Lease"),
                    Item::Skipped(kind) => panic!("unexpected kind {kind}"),
                }
            }
            Recorded { id: line["id"].as_str().unwrap().to_owned(), line, snapshot: Snapshot::new(parts) }
        })
        .collect()
}

fn binder_alone<'s>() -> Settings<'s> {
    Settings {
        controllers: vec![Controller::PersistentVolumeBinder],
        decisions: Limit::All,
        outcomes: Limit::All,
        ..Settings::new(Rules::default())
    }
}

fn target(snapshot: &Snapshot, object: &Value) -> Target {
    let name = object["name"].as_str().unwrap();
    match object["kind"].as_str().unwrap() {
        "PersistentVolume" => Target::Volume(snapshot.volume_id(name).unwrap()),
        _ => Target::Claim(snapshot.claim_id(object["namespace"].as_str().unwrap(), name).unwrap()),
    }
}

/// A decision in the shape of the recordings.
fn in_recorded_shape(decision: &Decision<'_>) -> Value {
    let (mut writes, mut events, mut operations) = (Vec::new(), Vec::new(), Vec::new());
    for effect in &decision.record.effects {
        match effect {
            Effect::Write(write) => {
                let (kind, meta) = write.body.target();
                let mut shape = Map::new();
                let (verb, status) = match &write.body {
                    WriteBody::UpdateVolume { status, .. } | WriteBody::UpdateClaim { status, .. } => {
                        ("update", *status)
                    }
                    WriteBody::CreateVolume(_) => ("create", false),
                    WriteBody::DeleteVolume(_) => ("delete", false),
                };
                shape.insert("verb".into(), verb.into());
                shape.insert("resource".into(), kind.resource().into());
                if status {
                    shape.insert("subresource".into(), "status".into());
                }
                if !meta.namespace.is_empty() {
                    shape.insert("namespace".into(), meta.namespace.as_str().into());
                }
                shape.insert("name".into(), meta.name.as_str().into());
                let not_found = write.refused.as_ref().is_some_and(|why| why.ends_with("not found"));
                if let Some(patch) = write.patch().filter(|_| !not_found) {
                    shape.insert("patch".into(), serde_json::to_value(patch).unwrap());
                }
                writes.push(Value::Object(shape));
            }
            Effect::Event(event) => {
                let mut about = Map::new();
                about.insert("kind".into(), event.about.kind.as_str().into());
                if !event.about.namespace.is_empty() {
                    about.insert("namespace".into(), event.about.namespace.as_str().into());
                }
                about.insert("name".into(), event.about.name.as_str().into());
                let event_type = match event.event_type {
                    EventType::Normal => "Normal",
                    EventType::Warning => "Warning",
                };
                events.push(
                    json!({"type": event_type, "reason": event.reason, "message": event.message, "about": about}),
                );
            }
            Effect::Operation { name, .. } => operations.push(Value::from(name.as_str())),
            Effect::Enqueue(_) => {}
        }
    }
    let mut shape = json!({"writes": writes, "events": events, "operations": operations});
    if let Some(error) = &decision.record.error {
        shape["error"] = error.as_str().into();
    }
    shape
}

/// Numbers of the recording's server become the contract's placeholder, and pod names inside a message are sorted.
fn normalized(decision: &Value) -> Value {
    let mut decision = decision.clone();
    for write in decision["writes"].as_array_mut().unwrap() {
        if let Some(version) = write.pointer_mut("/patch/spec/claimRef/resourceVersion")
            && version.as_str().is_some_and(|number| number.parse::<u64>().is_ok_and(|number| number > 1_000_000))
        {
            *version = "<next>".into();
        }
    }
    for event in decision["events"].as_array_mut().unwrap() {
        let message = event["message"].as_str().unwrap();
        if let Some(names) =
            message.strip_prefix("waiting for pods ").and_then(|rest| rest.strip_suffix(" to be scheduled"))
        {
            let mut names: Vec<&str> = names.split(',').collect();
            names.sort_unstable();
            event["message"] = format!("waiting for pods {} to be scheduled", names.join(",")).into();
        }
    }
    decision
}

#[test]
fn every_recorded_decision_is_predicted() {
    let (mut objects, mut differences) = (0, Vec::new());
    for recorded in recorded("decisions-1.36.3.jsonl.gz") {
        let settings = binder_alone();
        let world = World::new(&recorded.snapshot);
        for answer in recorded.line["decisions"].as_array().into_iter().flatten() {
            objects += 1;
            let object = &answer["object"];
            let expected: BTreeSet<String> = answer["decisions"]
                .as_array()
                .unwrap()
                .iter()
                .map(|decision| normalized(decision).to_string())
                .collect();
            let decisions = decide::decide(&world, &settings, target(&recorded.snapshot, object));
            let predicted: BTreeSet<String> =
                decisions.listed.iter().map(|decision| in_recorded_shape(decision).to_string()).collect();
            if expected != predicted {
                differences.push(format!(
                    "{} {object}\n  only recorded: {:#?}\n  only predicted: {:#?}",
                    recorded.id,
                    expected.difference(&predicted).collect::<Vec<_>>(),
                    predicted.difference(&expected).collect::<Vec<_>>()
                ));
            }
        }
    }
    assert!(objects > 1500, "only {objects} recorded objects were replayed");
    assert!(differences.is_empty(), "{} of {objects} differ:\n{}", differences.len(), differences.join("\n"));
}

/// An outcome in the shape of the recordings.
fn end(outcome: &Outcome) -> Value {
    let mut shape = Map::new();
    match outcome {
        Outcome::Gone { .. } => {
            shape.insert("gone".into(), true.into());
        }
        Outcome::Claim { phase, volume_name, .. } => {
            shape.insert("phase".into(), phase.as_str().into());
            if !volume_name.is_empty() {
                shape.insert("volumeName".into(), volume_name.as_str().into());
            }
        }
        Outcome::Volume { phase, claim_ref, .. } => {
            shape.insert("phase".into(), phase.as_str().into());
            if let Some((namespace, name, uid)) = claim_ref {
                let mut named = Map::new();
                for (field, value) in [("namespace", namespace), ("name", name), ("uid", uid)] {
                    if !value.is_empty() {
                        named.insert(field.into(), value.as_str().into());
                    }
                }
                shape.insert("claimRef".into(), named.into());
            }
        }
    }
    Value::Object(shape)
}

fn ends_of(snapshot: &Snapshot, settings: &Settings<'_>) -> Vec<(Target, BTreeSet<String>, bool)> {
    let mut all = Vec::new();
    for component in components(snapshot, &settings.rules) {
        let settled = settle(snapshot, settings, &component);
        let sets = settled.volumes.iter().chain(&settled.claims);
        for (target, set) in component.objects().into_iter().zip(sets) {
            all.push((target, set.listed.iter().map(|outcome| end(outcome).to_string()).collect(), set.exact));
        }
    }
    all
}

#[test]
fn every_recorded_end_state_is_predicted() {
    let (mut objects, mut differences, mut exact, mut wider) = (0, Vec::new(), 0, 0);
    for recorded in recorded("outcomes-1.36.3.jsonl.gz") {
        let ends = ends_of(&recorded.snapshot, &binder_alone());
        for answer in recorded.line["settle"]["objects"].as_array().into_iter().flatten() {
            objects += 1;
            let target = target(&recorded.snapshot, &answer["object"]);
            let (_, predicted, is_exact) = ends.iter().find(|(known, ..)| *known == target).unwrap();
            exact += usize::from(*is_exact);
            let reached: BTreeSet<String> = ["ends", "faultEnds", "raceEnds"]
                .iter()
                .flat_map(|field| answer[*field].as_array().into_iter().flatten())
                .map(ToString::to_string)
                .collect();
            wider += usize::from(reached != *predicted);
            if !reached.is_subset(predicted) {
                differences.push(format!(
                    "{} {}\n  recorded {reached:?}\n  predicted {predicted:?}",
                    recorded.id, answer["object"]
                ));
            }
        }
    }
    assert!(objects > 500, "only {objects} recorded objects were replayed");
    assert!(differences.is_empty(), "{} of {objects} differ:\n{}", differences.len(), differences.join("\n"));
    assert_eq!(exact, objects, "small components are explored exactly");
    eprintln!("{objects} objects, {wider} with more predicted than recorded");
    let _ = (Budget::DEFAULT, VolumeId(0), ClaimId(0));
}
