//! Tests of `pvctl_core::snapshot::decode::size`.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use pvctl_core::model::Kind;
use pvctl_core::snapshot::decode::Item;
use pvctl_core::snapshot::decode::size::*;

#[test]
fn the_beginning_of_an_object_names_it() {
    let whole = r#"{"apiVersion":"v1","kind":"PersistentVolumeClaim","metadata":{"labels":{"a":"b"},"name":"c",
        "namespace":"n","finalizers":["x"]},"spec":{"volumeName":"v"#;
    let named = Named::in_beginning(whole.as_bytes());
    let texts = [&named.api_version, &named.kind, &named.namespace, &named.name];
    assert_eq!(texts, ["v1", "PersistentVolumeClaim", "n", "c"]);
    let cut = &whole[..whole.find("\"c\"").unwrap() + 2];
    let named = Named::in_beginning(cut.as_bytes());
    assert_eq!((named.kind.as_str(), named.name.as_str()), ("PersistentVolumeClaim", ""));
    assert_eq!(Named::in_beginning(b"[]"), Named::default());
    let long = format!(r#"{{"kind":7,"metadata":{{"name":"{}","namespace":"n"}}}}"#, "x".repeat(LONGEST_NAME + 1));
    assert_eq!(Named::in_beginning(long.as_bytes()), Named { namespace: "n".into(), ..Named::default() });
}

#[test]
fn a_kind_that_no_decision_reads_may_be_of_any_size() {
    let named = |json: &str| Named::in_beginning(json.as_bytes());
    let secret = named(r#"{"apiVersion":"v1","kind":"Secret","metadata":{"name":"s"}"#);
    assert!(
        matches!(judge(None, secret, 1 << 30, "x", &Kind::SURROUNDING), Ok(Item::Skipped(kind)) if kind == "Secret")
    );
    let volume = named(r#"{"apiVersion":"v1","kind":"PersistentVolume","metadata":{"name":"v"}"#);
    let issue = judge(None, volume, 9 << 20, "x", &[]).unwrap_err();
    assert_eq!((issue.kind.as_str(), issue.name.as_str()), ("PersistentVolume", "v"));
    assert!(issue.reason.starts_with("it is larger than 8 MiB (9437184 bytes), "), "{}", issue.reason);
}
