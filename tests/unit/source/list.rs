//! Tests of `pvctl::source::list`.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use pvctl::model::Kind;
use pvctl::source::list::{items, meta, path};
use serde_json::value::RawValue;

#[test]
fn paths_are_those_of_the_api() {
    assert_eq!(path(Kind::PersistentVolume, Some("db")), "/api/v1/persistentvolumes");
    assert_eq!(path(Kind::StorageClass, None), "/apis/storage.k8s.io/v1/storageclasses");
    assert_eq!(path(Kind::Pod, Some("db")), "/api/v1/namespaces/db/pods");
}

#[test]
fn metadata_is_found_before_and_after_the_items() {
    let first = br#"{"kind":"List","metadata":{"resourceVersion":"7","continue":"t"},"items":[nonsense"#;
    let found = meta(first).unwrap();
    assert_eq!((found.resource_version.as_deref(), found.token.as_deref()), (Some("7"), Some("t")));
    let last = br#"{"items":[{"a":[1,2]}],"metadata":{"resourceVersion":"8"}}"#;
    assert_eq!(meta(last).unwrap().resource_version.as_deref(), Some("8"));
    assert!(meta(b"<html>").is_err());
    assert!(meta(b"{}").is_err());
    assert!(meta(b"[]").is_err());
}

#[test]
fn items_may_be_null_or_absent() {
    assert_eq!(items(br#"{"metadata":{},"items":null}"#).unwrap().len(), 0);
    assert_eq!(items(br#"{"metadata":{}}"#).unwrap().len(), 0);
    let page = br#"{"items":[{"a":1}, {"b":2}]}"#;
    let cut: Vec<&str> = items(page).unwrap().into_iter().map(RawValue::get).collect();
    assert_eq!(cut, [r#"{"a":1}"#, r#"{"b":2}"#]);
}
