//! These tests check the formats of a report. Each format is read with a parser of that format: XML, JSON, or lines.
//! The names of the objects contain all characters that are dangerous in some format.
#![expect(
    clippy::disallowed_methods,
    clippy::expect_used,
    clippy::panic,
    reason = "reports are files, and tests fail by panicking"
)]

mod junit;
mod known;
mod lines;
mod sarif;

use crate::project::schema::{assert_valid, validator};
use crate::support::{Run, files, root};
use pvctl::model::Kind;
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// Characters that have a meaning in some format: markup, quotes, table cells, CI commands, metrics, terminal control
/// sequences.
const HOSTILE: &str = "x<y>&\"'|`%0A::error::\\ {}\u{1b}[31m\u{202e},;\n# a\r*_[](z)@me";

fn hostile() -> Vec<u8> {
    let claim = |name: &str, namespace: &str| {
        json!({
            "apiVersion": "v1", "kind": "PersistentVolumeClaim",
            "metadata": {
                "name": name, "namespace": namespace, "uid": "5d93bf78-bc1d-4977-b341-fde73cc60842",
                "annotations": { "pv.kubernetes.io/bind-completed": "yes" },
            },
            "spec": {
                "accessModes": ["ReadWriteOnce"], "resources": { "requests": { "storage": "1Gi" } },
                "storageClassName": "", "volumeName": HOSTILE,
            },
            "status": { "phase": "Lost" },
        })
    };
    let items = [claim(HOSTILE, "db"), claim("data", HOSTILE)];
    json!({ "apiVersion": "v1", "kind": "List", "items": items }).to_string().into_bytes()
}

fn printed(format: &str, more: &[&str]) -> String {
    let kinds: Vec<&str> = Kind::listed().map(Kind::resource).collect();
    let complete = format!("--assume-complete={}", kinds.join(","));
    let arguments = [&["audit", &complete, "-f", "-", "-o", format], more].concat();
    let run = Run::new(&arguments).current_dir(root()).stdin(&hostile()).finish();
    assert_eq!(run.code, Some(1), "{format}: {}", run.stderr);
    let safe =
        |text: &str| text.chars().all(|letter| letter == '\n' || !letter.is_control()) && !text.contains('\u{202e}');
    assert!(safe(&run.stdout) && safe(&run.stderr), "{format}: {}", run.stdout);
    run.stdout
}

/// Returns what a format prints for the hostile objects, for each example, and for all fixtures of the rules together.
/// The examples and the fixtures are printed with `--assume-complete`, without it, and as partial input.
fn all_printed(format: &str) -> Vec<(String, String)> {
    let mut texts = vec![("hostile".to_owned(), printed(format, &[]))];
    let examples = files("examples", "json").into_iter().map(|(path, _)| path);
    for path in examples.chain(["tests/audit".to_owned()]) {
        for more in [&["--assume-complete"][..], &[], &["--partial", "pvc,pods", "--fail-on", "info"]] {
            let arguments = [&["audit", "-R", "-f", &path, "-o", format], more].concat();
            let run = Run::new(&arguments).current_dir(root()).finish();
            assert!(matches!(run.code, Some(0 | 1 | 3)), "{path}: {}", run.stderr);
            texts.push((format!("{path} {more:?}"), run.stdout));
        }
    }
    texts
}

#[test]
fn documents_follow_the_schema() {
    let validator = validator("Report");
    let mut reached = BTreeSet::new();
    for (from, text) in all_printed("json") {
        let report: Value = serde_json::from_str(&text).expect("a document");
        assert_valid(&validator, &report, &from);
        let findings = report["findings"].as_array().expect("a list");
        reached.extend(findings.iter().flat_map(|finding| finding.as_object().expect("an object").keys().cloned()));
        let open: Vec<&Value> = findings.iter().filter(|finding| finding["suppressed"].is_null()).collect();
        let number = |value: &Value| usize::try_from(value.as_u64().expect("a number")).expect("a small one");
        for severity in ["error", "warning", "info"] {
            let count = open.iter().filter(|finding| finding["severity"] == severity).count();
            assert_eq!(number(&report["summary"][severity]), count, "{from}: {severity}");
        }
        let by_id = report["summary"]["byId"].as_object().expect("numbers");
        assert_eq!(by_id.values().map(number).sum::<usize>(), open.len(), "{from}");
        let fingerprints: BTreeSet<&str> =
            findings.iter().filter_map(|finding| finding["fingerprint"].as_str()).collect();
        assert_eq!(fingerprints.len(), findings.len(), "{from}: two findings have the same fingerprint");
    }
    for field in ["remedies", "evidence", "causedBy", "affects", "assumed", "since"] {
        assert!(reached.contains(field), "no finding has the field {field}");
    }
}

/// No format prints the text of a driver's event in a way that a terminal would interpret.
#[test]
fn texts_of_driver_events_are_safe_to_print() {
    let fixture =
        std::fs::read_to_string(root().join("tests/audit/pvc-provisioning-failed/fires.yaml")).expect("a fixture");
    let mut objects: Vec<Value> = serde_yaml::from_str_multiple(&fixture).expect("YAML");
    for event in objects.iter_mut().filter(|object| object["kind"] == "Event") {
        let message = event["message"].as_str().expect("a message").to_owned();
        event["message"] = format!("\u{1b}[31m{message}\u{202e}\u{9b}2J\n@everyone |").into();
    }
    let input = json!({"apiVersion": "v1", "kind": "List", "items": objects}).to_string();
    for format in ["table", "wide", "json", "yaml", "sarif", "junit", "markdown", "github", "prometheus"] {
        let arguments = ["audit", "--assume-complete", "--all", "-f", "-", "-o", format];
        let run = Run::new(&arguments).stdin(input.as_bytes()).finish();
        assert!(run.stdout.contains("pvc-provisioning-failed"), "{format}: {}", run.stdout);
        let safe = |letter: char| letter == '\n' || !(letter.is_control() || letter == '\u{202e}');
        assert!(run.stdout.chars().all(safe), "{format}: {}", run.stdout);
    }
}

/// Objects that were not read must not be taken for healthy. Whether the input of a namespace is complete matters only
/// if the audit covers that namespace.
#[test]
fn objects_that_were_not_read_do_not_count_as_healthy() {
    let audit = |more: &[&str]| {
        let run = Run::new(&[&["audit", "-f", "-", "-o", "json"], more].concat()).stdin(&hostile()).finish();
        let report: Value = serde_json::from_str(&run.stdout).expect("a document");
        let unjudged = |resource: &str| -> Vec<Value> {
            let coverage = report["coverage"].as_array().expect("readings");
            let of = coverage.iter().filter(|one| one["resource"] == resource);
            of.filter_map(|one| one["unjudgedRules"].as_array().cloned()).flatten().collect()
        };
        (run.code, unjudged("pods"), unjudged("persistentvolumeclaims"))
    };
    let (code, pods, _) = audit(&["--partial", "pods", "--fail-on", "unknown"]);
    assert_eq!(code, Some(3));
    assert!(pods.contains(&"pod-claim-missing".into()), "{pods:?}");
    let (code, _, claims) = audit(&["--partial", "pvc/elsewhere", "-n", "db"]);
    assert!(claims.is_empty() && code == Some(0), "{code:?} {claims:?}");
    let (code, _, claims) = audit(&["--partial", "pvc/elsewhere"]);
    assert!(claims.contains(&"lost-pv-missing".into()) && code == Some(3), "{code:?} {claims:?}");
}

#[test]
fn columns_are_sorted_by_what_they_mean() {
    let ages = |sort: &str| -> Vec<String> {
        let file = root().join("examples/released.json");
        let run =
            Run::new(&["audit", "-f", file.to_str().expect("a path"), "--sort-by", sort, "--no-headers"]).finish();
        run.stdout.lines().map(|line| line.rsplit(' ').next().unwrap_or_default().to_owned()).collect()
    };
    let sorted = ages("age");
    assert!(sorted.len() > 4, "{sorted:?}");
    let position = |age: &str| sorted.iter().position(|found| found == age).expect(age);
    assert!(position("2m35s") < position("2d13h") && position("2d13h") < position("46d"), "{sorted:?}");
}
