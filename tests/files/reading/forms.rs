//! The forms in which files may contain objects.

use super::{claim, gzip, load, names, volume, without_kind};
use pvctl::model::Timestamp;
use serde_json::json;
use std::fmt::Write as _;

pub(super) const BOTH: [&str; 2] = ["pv/a", "pvc/db/b"];

#[test]
fn every_form_of_json_gives_the_same_objects() {
    let (a, b) = (volume("a"), claim("db", "b"));
    let list = json!({"apiVersion": "v1", "kind": "List", "metadata": {"resourceVersion": ""}, "items": [a, b]});
    let kubectl = format!(
        "{{\n    \"apiVersion\": \"v1\",\n    \"items\": [\n{},\n{}\n    ],\n    \"kind\": \"List\",\n    \"metadata\": {{}}\n}}\n",
        serde_json::to_string_pretty(&a).unwrap(),
        serde_json::to_string_pretty(&b).unwrap()
    );
    let forms = [
        list.to_string(),
        serde_json::to_string_pretty(&list).unwrap(),
        kubectl.clone(),
        kubectl.replace('\n', "\r\n"),
        format!("{a}{b}"),
        format!("{a}\n{b}\n"),
        format!("[{a}, {b}]"),
        format!("{}\n\n{}", serde_json::to_string_pretty(&a).unwrap(), serde_json::to_string_pretty(&b).unwrap()),
        format!(
            "{{\"kind\":\"PersistentVolumeList\",\"apiVersion\":\"v1\",\"items\":[{}]}}{b}",
            without_kind(volume("a"))
        ),
        format!(
            "{{\"apiVersion\":\"v1\",\"items\":[{}],\"kind\":\"PersistentVolumeList\"}}{b}",
            without_kind(volume("a"))
        ),
        format!("\u{feff}{list}"),
        format!("{{\"items\":[],\"kind\":\"List\",\"apiVersion\":\"v1\"}} {a} [] {b}"),
    ];
    for form in forms {
        let loaded = load(&form).unwrap();
        assert_eq!(names(&loaded.parts), BOTH, "{form}");
        assert_eq!(loaded.parts.issues, [], "{form}");
        assert_eq!(loaded.report.objects, 2);
        assert_eq!(loaded.report.bytes, form.len() as u64);
        assert_eq!(names(&load(gzip(&form)).unwrap().parts), BOTH, "compressed: {form}");
    }
}

#[test]
fn every_form_of_yaml_gives_the_same_objects() {
    let a = "apiVersion: v1\nkind: PersistentVolume\nmetadata:\n  name: a\nspec:\n  capacity: {storage: 1Gi}\n";
    let b = "kind: PersistentVolumeClaim\napiVersion: v1\nmetadata:\n  name: b\n  namespace: db\n";
    let indented = |text: &str| {
        text.lines().enumerate().fold(String::new(), |mut out, (nth, line)| {
            let _ = writeln!(out, "{}{line}", if nth == 0 { "- " } else { "  " });
            out
        })
    };
    let typed = "apiVersion: v1\nitems:\n- metadata:\n    name: a\nkind: PersistentVolumeList\n";
    let forms = [
        format!("{a}---\n{b}"),
        format!("# a comment\n---\n{a}---\n---\n# nothing\n---\n{b}...\n"),
        format!(
            "apiVersion: v1\nitems:\n{}{}kind: List\nmetadata:\n  resourceVersion: \"\"\n",
            indented(a),
            indented(b)
        ),
        format!("{typed}---\n{b}"),
        format!("\u{feff}{a}---\n{b}"),
        format!("{a}---\n{b}").replace('\n', "\r\n"),
    ];
    for form in forms {
        let loaded = load(&form).unwrap();
        assert_eq!(names(&loaded.parts), BOTH, "{form}");
        assert_eq!(loaded.parts.issues, [], "{form}");
        assert_eq!(names(&load(gzip(&form)).unwrap().parts), BOTH, "compressed: {form}");
    }
}

#[test]
fn yaml_means_what_kubectl_makes_of_it() {
    let loaded = load(
        "apiVersion: v1\nkind: PersistentVolume\nmetadata:\n  name: a\n  creationTimestamp: 2026-06-01T10:00:00Z\n  \
         annotations: {pv.kubernetes.io/bound-by-controller: \"yes\", 1: x, true: y}\n  labels: &l {a: b}\nspec:\n  \
         capacity:\n    storage: 1073741824\n  accessModes: [ReadWriteOnce]\n  volumeMode: null\n  claimRef: ~\n",
    )
    .unwrap();
    assert_eq!(loaded.parts.issues, []);
    let volume = &loaded.parts.objects.volumes[0];
    assert_eq!(volume.meta.created, Timestamp::parse("2026-06-01T10:00:00Z"));
    assert_eq!(volume.storage().unwrap().to_string(), "1073741824");
    assert_eq!((&volume.volume_mode, &volume.claim_ref), (&None, &None));
    // kubectl also refuses a bare `yes`, because YAML 1.1 reads it as a boolean and annotations are strings.
    let bare = load("apiVersion: v1\nkind: PersistentVolume\nmetadata:\n  name: a\n  annotations: {pv.kubernetes.io/bound-by-controller: yes}\n")
        .unwrap();
    assert_eq!(bare.parts.issues[0].value, "true");
}

#[test]
fn other_kinds_are_counted() {
    let event = json!({"apiVersion": "v1", "kind": "Event", "metadata": {"name": "e"}});
    let loaded = load(format!(
        "{event}{event}{{\"kind\":\"EventList\",\"apiVersion\":\"v1\",\"items\":[{{}},{{}}]}}\
         {{\"apiVersion\":\"v1\",\"items\":[{{\"metadata\":{{}}}}],\"kind\":\"ServiceList\"}}{}",
        volume("a")
    ))
    .unwrap();
    let skipped: Vec<(&str, u64)> = loaded.report.skipped.iter().map(|(kind, count)| (kind.as_str(), *count)).collect();
    assert_eq!(skipped, [("Event", 4), ("Service", 1)]);
    assert_eq!(names(&loaded.parts), ["pv/a"]);
}

#[test]
fn an_object_without_a_kind_is_an_issue_and_the_rest_is_read() {
    let loaded = load(format!("{{\"items\":[{{\"a\":1}},{},7],\"kind\":\"List\"}}", volume("a"))).unwrap();
    assert_eq!(names(&loaded.parts), ["pv/a"]);
    assert_eq!(loaded.parts.issues.len(), 2);
    assert!(load("{}").unwrap().parts.issues[0].reason.contains("kind"));
}

#[test]
fn a_claim_without_a_namespace_is_in_the_default_one() {
    let loaded = load(r#"{"apiVersion":"v1","kind":"PersistentVolumeClaim","metadata":{"name":"c"}}"#).unwrap();
    assert_eq!(names(&loaded.parts), ["pvc/default/c"]);
}
