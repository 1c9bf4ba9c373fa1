//! Tests of `pvctl::source::archive`.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use pvctl::model::Kind;
use pvctl::source::Statement;
use pvctl::source::archive::{ArchivedObject, order, write, write_yaml};
use pvctl::text::sanitize;
use serde_json::{Value, json};
use std::borrow::Cow;

fn text(objects: &[ArchivedObject]) -> String {
    let mut out = Vec::new();
    write(objects, &Statement::default(), &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

#[test]
fn json_has_the_form_of_kubectl() {
    let node = ArchivedObject::new(Kind::Node, br#"{"metadata":{"name":"n","labels":{}}}"#).unwrap();
    let expected = r#"{
    "apiVersion": "v1",
    "items": [
        {
            "apiVersion": "v1",
            "kind": "Node",
            "metadata": {
                "labels": {},
                "name": "n"
            }
        }
    ],
    "kind": "List",
    "metadata": {
        "resourceVersion": ""
    }
}
"#;
    assert_eq!(text(&[node]), expected);
    assert_eq!(serde_json::from_str::<Value>(&text(&[])).unwrap()["items"], serde_json::json!([]));
}

#[test]
fn yaml_says_the_same() {
    let volume = json!({"metadata": {"name": "v", "annotations": {
        "pv.kubernetes.io/bound-by-controller": "yes",
        "volume.kubernetes.io/selected-node": "a\n\n  b: c\n\n"
    }}, "spec": {"capacity": {"storage": "1Gi"}, "csi": {"driver": "1e3", "readOnly": false}}});
    let volume = ArchivedObject::new(Kind::PersistentVolume, volume.to_string().as_bytes()).unwrap();
    let node = ArchivedObject::new(Kind::Node, br#"{"metadata":{"name":"n"}}"#).unwrap();
    for objects in [vec![], vec![volume.clone()], vec![volume, node]] {
        let mut out = Vec::new();
        write_yaml(&objects, &Statement::default(), &mut out).unwrap();
        let read: Value = serde_yaml::from_slice(&out).unwrap();
        assert_eq!(read, serde_json::from_str::<Value>(&text(&objects)).unwrap());
        let alike = serde_yaml::to_string(&read).unwrap();
        assert_eq!(String::from_utf8(out).unwrap().replace("\n  ", "\n"), alike.replace("\n  ", "\n"));
    }
}

#[test]
fn control_characters_are_escaped() {
    let label = "a\u{1b}[2J\u{9b}31m\u{202e}\u{e0001}\nb";
    let volume = json!({"metadata": {"name": "v", "labels": {label: label}}});
    let volume = ArchivedObject::new(Kind::PersistentVolume, volume.to_string().as_bytes()).unwrap();
    let mut yaml = Vec::new();
    write_yaml(std::slice::from_ref(&volume), &Statement::default(), &mut yaml).unwrap();
    let yaml = String::from_utf8(yaml).unwrap();
    for (shown, read) in [
        (text(std::slice::from_ref(&volume)), serde_json::from_str::<Value>(&text(&[volume])).unwrap()),
        (yaml.clone(), serde_yaml::from_str::<Value>(&yaml).unwrap()),
    ] {
        assert!(shown.lines().all(|line| matches!(sanitize(line), Cow::Borrowed(_))), "{shown}");
        assert_eq!(read["items"][0]["metadata"]["labels"][label], label);
    }
}

#[test]
fn order_does_not_depend_on_reading_and_the_newest_stays() {
    let make = |json: &str| ArchivedObject::from_manifest(json.as_bytes()).unwrap();
    let old = make(r#"{"kind":"PersistentVolume","metadata":{"name":"b","resourceVersion":"9"}}"#);
    let new = make(r#"{"kind":"PersistentVolume","metadata":{"name":"b","resourceVersion":"10"}}"#);
    let other = make(r#"{"kind":"PersistentVolume","metadata":{"name":"a"}}"#);
    let claim = make(r#"{"kind":"PersistentVolumeClaim","metadata":{"name":"a","namespace":"n"}}"#);
    let mut one = vec![claim.clone(), old.clone(), new.clone(), other.clone()];
    let mut two = vec![new.clone(), other.clone(), old, claim.clone()];
    order(&mut one);
    order(&mut two);
    assert_eq!(one, [other, new, claim]);
    assert_eq!(one, two);
}

#[test]
fn only_objects_of_known_kinds_are_archived() {
    assert_eq!(ArchivedObject::from_manifest(br#"{"kind":"Secret","data":{"p":"x"}}"#), None);
    assert_eq!(ArchivedObject::from_manifest(b"[]"), None);
    assert_eq!(ArchivedObject::new(Kind::Pod, b"7"), None);
}
