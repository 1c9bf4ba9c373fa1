//! How a differential run shrinks a world with a difference. The oracle is simulated.
#![expect(clippy::unwrap_used, reason = "what cannot be read fails the test")]

use pvctl::controllers::KubernetesBehavior;
use serde_json::{Value, json};
use std::cell::Cell;
use xtask::line::Line;
use xtask::shrink::shrink;

fn claim(name: &str) -> Value {
    json!({
        "apiVersion": "v1", "kind": "PersistentVolumeClaim",
        "metadata": {"name": name, "namespace": "a", "uid": format!("uid-{name}"), "labels": {"of": "nothing"}},
        "spec": {
            "accessModes": ["ReadWriteOnce"], "storageClassName": "fast", "volumeMode": "Filesystem",
            "resources": {"requests": {"storage": "1Gi"}},
        },
        "status": {"phase": "Pending"},
    })
}

fn world() -> Line {
    let class = json!({
        "apiVersion": "storage.k8s.io/v1", "kind": "StorageClass", "metadata": {"name": "fast"}, "provisioner": "p",
    });
    let items = vec![claim("one"), class, claim("two"), claim("three")];
    serde_json::from_value(json!({"id": "made-up", "world": {"apiVersion": "v1", "kind": "List", "items": items}}))
        .unwrap()
}

fn has(line: &Line, name: &str) -> bool {
    line.world.items.iter().any(|item| item["metadata"]["name"] == name)
}

/// Answers like a controller that fails the sync of claim `two` as long as claim `three` exists.
fn answered(line: &Line) -> Line {
    let mut answered = line.clone();
    if has(line, "two") && has(line, "three") {
        let case = json!({
            "object": {"kind": "PersistentVolumeClaim", "namespace": "a", "name": "two"}, "runs": 1,
            "decisions": [{"writes": [], "events": [], "operations": [], "error": "nonsense"}],
        });
        answered.decisions.push(serde_json::from_value(case).unwrap());
    }
    answered
}

fn names(line: &Line) -> Vec<&str> {
    line.world.items.iter().filter_map(|item| item["metadata"]["name"].as_str()).collect()
}

#[test]
fn objects_that_a_difference_does_not_need_are_removed() {
    let asked = Cell::new(0);
    let ask = |lines: &[Line]| {
        asked.set(asked.get() + lines.len());
        Ok(lines.iter().map(answered).collect())
    };
    let small = shrink(&KubernetesBehavior::default(), &answered(&world()), ask).unwrap();
    assert_eq!(names(&small), ["two", "three"]);
    assert!(!small.decisions.is_empty(), "the smaller world must still have its answer");
    for item in &small.world.items {
        assert_eq!(item["metadata"]["labels"], Value::Null, "{item}");
        assert_eq!(item["metadata"]["uid"], format!("uid-{}", item["metadata"]["name"].as_str().unwrap()));
    }
    assert!(asked.get() > 4, "the oracle must be asked again at every step");
}

/// A world that the oracle cannot handle ends the oracle. Then each world is sent again in a request of its own.
#[test]
fn a_world_that_cannot_be_answered_is_skipped() {
    let ask = |lines: &[Line]| {
        if lines.iter().all(|line| has(line, "one")) {
            Ok(lines.iter().map(answered).collect())
        } else {
            anyhow::bail!("the oracle ended")
        }
    };
    let small = shrink(&KubernetesBehavior::default(), &answered(&world()), ask).unwrap();
    assert_eq!(names(&small), ["one", "two", "three"]);
}

#[test]
fn a_world_in_which_nothing_differs_stays_as_it_is() {
    let ask = |_: &[Line]| anyhow::bail!("the oracle must not be asked");
    let line = world();
    let kept = shrink(&KubernetesBehavior::default(), &line, ask).unwrap();
    assert_eq!(serde_json::to_value(kept).unwrap(), serde_json::to_value(line).unwrap());
}
