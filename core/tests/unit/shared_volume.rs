//! The endpoint of a shared volume as Go splits it, and volumes of StorageOS as they are decoded.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use pvctl_core::controllers::shared_volume::{EndpointError, SharedVolume, is_usable, split_address_port};
use pvctl_core::model::{NotStorageOs, StorageOsVolume, Timestamp};
use serde_json::json;

/// The table of upstream's test `TestSplitAddressPort`.
#[test]
fn endpoints_are_split_as_upstream_does() {
    for (endpoint, address) in [
        ("localhost:80", "localhost"),
        ("localhost%lo0:80", "localhost%lo0"),
        ("[localhost%lo0]:80", "localhost%lo0"),
        ("127.0.0.1:80", "127.0.0.1"),
        ("[::1]:80", "::1"),
        ("[::1%lo0]:80", "::1%lo0"),
        (":80", ""),
    ] {
        assert_eq!(split_address_port(endpoint), Ok((address.into(), 80)), "{endpoint}");
    }
    for (endpoint, error) in [
        ("golang.org", EndpointError::MissingPort),
        ("127.0.0.1", EndpointError::MissingPort),
        ("[::1]", EndpointError::MissingPort),
        ("[fe80::1%lo0]", EndpointError::MissingPort),
        ("[localhost%lo0]", EndpointError::MissingPort),
        ("localhost%lo0", EndpointError::MissingPort),
        ("::1", EndpointError::TooManyColons),
        ("fe80::1%lo0", EndpointError::TooManyColons),
        ("fe80::1%lo0:80", EndpointError::TooManyColons),
        ("golang.org:", EndpointError::InvalidPort),
        ("127.0.0.1:", EndpointError::InvalidPort),
        ("[::1]:", EndpointError::InvalidPort),
        ("[foo:bar]", EndpointError::MissingPort),
        ("[foo:bar]baz", EndpointError::MissingPort),
        ("[foo]bar:baz", EndpointError::MissingPort),
        ("[foo]:[bar]:baz", EndpointError::TooManyColons),
        ("[foo]:[bar]baz", EndpointError::UnexpectedOpeningBracket),
        ("foo[bar]:baz", EndpointError::UnexpectedOpeningBracket),
        ("foo]bar:baz", EndpointError::UnexpectedClosingBracket),
        ("", EndpointError::MissingPort),
        ("[foo:80", EndpointError::MissingBracket),
    ] {
        assert_eq!(split_address_port(endpoint), Err(error), "{endpoint}");
    }
}

#[test]
fn ports_are_numbers_of_go() {
    for (endpoint, port) in [("a:+80", 80), ("a:-80", -80), ("a:0080", 80), ("a:4294969345", 4_294_969_345)] {
        assert_eq!(split_address_port(endpoint), Ok(("a".into(), port)), "{endpoint}");
    }
    for endpoint in ["a:1_0", "a: 80", "a:0x50", "a:9223372036854775808", "a:+"] {
        assert_eq!(split_address_port(endpoint), Err(EndpointError::InvalidPort), "{endpoint}");
    }
}

#[test]
fn mount_endpoints_need_an_address_and_a_port() {
    for endpoint in ["10.96.0.9:2049", "[fd00::9]:2049"] {
        assert!(is_usable(endpoint), "{endpoint}");
    }
    for endpoint in ["None:2049", ":2049", "fd00::9:2049", "", "10.96.0.9"] {
        assert!(!is_usable(endpoint), "{endpoint}");
    }
}

#[test]
fn volumes_are_decoded_from_objects_and_from_the_list_of_the_storage_system() {
    let labels = json!({
        "csi.storage.k8s.io/pv/name": "pvc-1", "csi.storage.k8s.io/pvc/name": "c",
        "csi.storage.k8s.io/pvc/namespace": "n", "storageos.com/nfs/mount-endpoint": "10.96.0.9:2049",
    });
    let object = json!({
        "apiVersion": "api.storageos.com/v1", "kind": "Volume",
        "metadata": {"name": "pvc-1", "deletionTimestamp": "1970-01-01T00:00:07Z"},
        "spec": {"configLabels": labels, "nfs": {"serviceEndpoint": "10.0.0.5:25710"}}, "status": {"volumeId": "id"},
    });
    let volume = StorageOsVolume::of_object(&object).unwrap();
    assert_eq!((volume.name.as_str(), volume.deleted), ("pvc-1", Some(Timestamp(7))));
    let entry = json!({"id": "id", "labels": labels, "nfs": {"serviceEndpoint": "10.0.0.5:25710"}, "version": "1"});
    let listed = StorageOsVolume::of_entry(&entry).unwrap();
    assert_eq!(SharedVolume::of(&volume), SharedVolume::of(&listed));
    let shared = SharedVolume::of(&volume).unwrap();
    assert_eq!((shared.address().as_str(), shared.port()), ("10.0.0.5", 25710));
    assert_eq!((shared.external.as_str(), shared.id.as_str()), ("10.96.0.9:2049", "id"));
    let empty = json!({"apiVersion": "api.storageos.com/v1", "kind": "Volume", "metadata": {"name": "v"}});
    let empty = StorageOsVolume::of_object(&empty).unwrap();
    assert_eq!((SharedVolume::of(&empty), empty.service_endpoint, empty.id.as_str()), (None, None, ""));
}

#[test]
fn what_is_no_volume_is_said_to_be_so() {
    let volume = json!({"apiVersion": "api.storageos.com/v1", "kind": "Volume", "metadata": {"name": "v"}});
    for (pointer, value, field) in [
        ("/apiVersion", json!("longhorn.io/v1beta2"), "apiVersion"),
        ("/kind", json!("Pool"), "kind"),
        ("/metadata", json!({"name": 1}), "metadata.name"),
        ("/metadata", json!({"deletionTimestamp": "soon"}), "metadata.deletionTimestamp"),
        ("/status", json!({"volumeId": 1}), "status.volumeId"),
        ("/spec", json!({"configLabels": []}), "spec.configLabels"),
        ("/spec", json!({"configLabels": {"a": 1}}), "spec.configLabels"),
        ("/spec", json!({"nfs": {"serviceEndpoint": 1}}), "spec.nfs.serviceEndpoint"),
    ] {
        let mut volume = volume.clone();
        volume[pointer.trim_start_matches('/')] = value;
        assert_eq!(StorageOsVolume::of_object(&volume), Err(NotStorageOs { field }));
    }
    assert_eq!(StorageOsVolume::of_entry(&json!({"id": 1})), Err(NotStorageOs { field: "id" }));
}
