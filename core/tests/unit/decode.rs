//! Tests of `pvctl_core::snapshot::decode`.
#![expect(clippy::unwrap_used, clippy::panic, clippy::needless_pass_by_value, reason = "tests")]

use pvctl_core::model::{Kind, Node, PersistentVolume, Timestamp};
use pvctl_core::snapshot::decode::*;
use serde_json::{Value, json};

fn item(value: &Value) -> Item {
    decode(value.to_string().as_bytes(), "test.json").unwrap()
}

fn issue(value: &Value) -> DecodeIssue {
    decode(serde_json::to_string_pretty(value).unwrap().as_bytes(), "test.json").unwrap_err()
}

fn pv(spec: Value) -> Value {
    json!({"apiVersion": "v1", "kind": "PersistentVolume", "metadata": {"name": "pv-1"}, "spec": spec})
}

/// The result is the newest of the times. Only the object that was asked for has a result.
#[test]
fn the_last_change_is_the_newest_time_of_a_manager() {
    let entry = |time: Value| json!({"manager": "m", "time": time, "fieldsV1": {"f:spec": {}}});
    let change = |managers: Value, asked: (Kind, &str)| {
        let mut object = pv(json!({}));
        object["metadata"]["managedFields"] = managers;
        let json = object.to_string();
        let item = decode(json.as_bytes(), "x").unwrap();
        change_of(&item, json.as_bytes(), &(asked.0, asked.1.to_owned()))
    };
    let own = (Kind::PersistentVolume, "pv-1");
    let (old, new) = ("2026-06-01T10:00:00Z", "2026-06-02T10:00:00Z");
    let found = change(json!([entry(new.into()), entry(old.into()), entry(Value::Null)]), own).unwrap();
    assert_eq!((found.0.to_string().as_str(), Some(found.1)), ("pv/pv-1", Timestamp::parse(new)));
    assert_eq!(change(json!([entry(new.into())]), (Kind::PersistentVolume, "pv-2")), None);
    assert_eq!(change(json!([entry(new.into())]), (Kind::PersistentVolumeClaim, "pv-1")), None);
    for odd in [json!(null), json!([]), json!("x"), json!([entry(7.into())]), json!([{}])] {
        assert_eq!(change(odd.clone(), own), None, "{odd}");
    }
}

#[test]
fn other_kinds_are_skipped() {
    for (version, kind) in [("v1", "Secret"), ("apps/v1", "PersistentVolume"), ("v1", "StorageClass")] {
        let object = json!({"apiVersion": version, "kind": kind, "metadata": 5});
        assert!(matches!(item(&object), Item::Skipped(skipped) if skipped == kind), "{version} {kind}");
    }
    let bare = json!({"kind": "PersistentVolume", "metadata": {"name": "pv-1"}});
    assert!(item(&bare).of::<PersistentVolume>().is_some(), "an object without an API version is read");
}

#[test]
fn an_item_of_a_typed_list_needs_no_kind() {
    let json = json!({"metadata": {"name": "n1"}}).to_string();
    let node: Node = decode_as(Kind::Node, json.as_bytes(), "x").unwrap().of().unwrap();
    assert_eq!(node.meta.name, "n1");
    let issue = decode(json.as_bytes(), "x").unwrap_err();
    assert_eq!((issue.field.as_str(), issue.name.as_str()), ("kind", "n1"));
}

#[test]
fn a_wrong_value_is_named_with_its_field() {
    let cases = [
        (json!({"capacity": {"storage": "10Gx"}}), "spec.capacity.storage", "\"10Gx\""),
        (json!({"capacity": {"storage": {}}}), "spec.capacity.storage", "an object"),
        (json!({"capacity": {"storage": {"a": 1}}}), "spec.capacity.storage", "an object"),
        (json!({"capacity": ["10Gi"]}), "spec.capacity", "a list"),
        (json!({"capacity": true}), "spec.capacity", "true"),
        (json!({"accessModes": "ReadWriteOnce"}), "spec.accessModes", "\"ReadWriteOnce\""),
        (json!({"accessModes": {"a": "b"}}), "spec.accessModes", "an object"),
        (json!({"accessModes": ["ReadWriteOnce", 12]}), "spec.accessModes[1]", "12"),
        (json!({"claimRef": {"name": ["x"]}}), "spec.claimRef.name", "a list"),
        (json!({"claimRef": []}), "spec.claimRef", "a list"),
        (json!({"csi": {"driver": false}}), "spec.csi.driver", "false"),
        (
            json!({"nodeAffinity": {"required": {"nodeSelectorTerms": [{}, {"matchExpressions": [{"key": 1.5}]}]}}}),
            "spec.nodeAffinity.required.nodeSelectorTerms[1].matchExpressions[0].key",
            "1.5",
        ),
    ];
    for (spec, field, value) in cases {
        let found = issue(&pv(spec.clone()));
        assert_eq!((found.field.as_str(), found.value.as_str()), (field, value), "{spec}");
        assert_eq!((found.kind.as_str(), found.name.as_str()), ("PersistentVolume", "pv-1"));
        assert!(!found.reason.is_empty());
        assert!(!found.reason.contains(" line "), "{}", found.reason);
    }
}

#[test]
fn an_issue_reads_as_one_sentence() {
    let claim = json!({"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": {"name": "c", "namespace": "db"},
                       "spec": {"accessModes": "ReadWriteOnce"}});
    assert_eq!(
        issue(&claim).to_string(),
        "test.json: PersistentVolumeClaim db/c: spec.accessModes is \"ReadWriteOnce\": a list is expected here"
    );
}

#[test]
fn wrong_metadata_is_named_too() {
    let object = |metadata: Value| json!({"apiVersion": "v1", "kind": "PersistentVolume", "metadata": metadata});
    let time = issue(&object(json!({"name": "x", "creationTimestamp": "yesterday"})));
    assert_eq!((time.field.as_str(), time.value.as_str()), ("metadata.creationTimestamp", "\"yesterday\""));
    assert_eq!(issue(&object(json!([]))).field, "metadata");
    assert_eq!(issue(&object(json!({"namespace": "x"}))).field, "metadata.name");
    assert_eq!(issue(&object(json!({"name": 7}))).value, "7");
    let secret = issue(&object(json!({"name": "x", "annotations": "password=hunter2"})));
    assert_eq!((secret.field.as_str(), secret.value.as_str()), ("metadata.annotations", ""));
    let long = issue(&object(json!({"name": "x", "deletionTimestamp": "é".repeat(500)})));
    assert_eq!(long.value.chars().count(), 61);
    assert_eq!(issue(&json!({"apiVersion": "v1", "kind": 5})).field, "kind");
    assert_eq!(issue(&json!(["v1", "PersistentVolume"])).reason, "an object is expected here");
}

#[test]
fn a_field_that_stands_twice_is_an_issue() {
    let json = br#"{"apiVersion":"v1","kind":"PersistentVolume","metadata":{"name":"a","name":"b"}}"#;
    let issue = decode(json, "x").unwrap_err();
    assert_eq!(issue.field, "metadata.name");
    assert!(issue.reason.contains("twice"), "{}", issue.reason);
}

#[test]
fn broken_json_is_told_from_a_wrong_value() {
    let cases: [(&[u8], usize); 6] = [
        (b"{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":5},]", 55),
        (b"{\"apiVersion\":\"v1\",\"kind\":\"Event\",\n\n\"x\":tru}", 42),
        (b"{\"apiVersion\":\"v1\",\"kind\":\"Event\",\"x\":\"\xff\"}", 40),
        (b"{} x", 3),
        (b"{\"kind\":\"Pod\"", 13),
        (b"", 0),
    ];
    for (json, place) in cases {
        match read(None, json, "x") {
            Err(Failure::Syntax { offset, .. }) => {
                assert!(offset.abs_diff(place) <= 1, "{}: {offset}", String::from_utf8_lossy(json));
            }
            other => panic!("{}: {other:?}", String::from_utf8_lossy(json)),
        }
    }
}

#[test]
fn deep_nesting_in_an_unread_field_is_skipped() {
    let deep = format!(
        "{{\"apiVersion\":\"v1\",\"kind\":\"Node\",\"x\":{}{},\"metadata\":{{\"name\":\"n\"}}}}",
        "[".repeat(10_000),
        "]".repeat(10_000)
    );
    assert!(decode(deep.as_bytes(), "x").unwrap().of::<Node>().is_some());
}
