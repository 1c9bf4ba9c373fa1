//! Tests of `pvctl::repair::guards::clients`.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use pvctl::model::Object;
use pvctl::repair::ClusterAddress;
use pvctl::repair::guards::clients::{of, states};
use pvctl::snapshot::{Item, decode};
use serde_json::{Value, json};

fn decoded(object: &Value) -> Object {
    match decode::read(None, object.to_string().as_bytes(), "test").unwrap() {
        Item::Object(object) => object,
        Item::Skipped(_) => panic!("the program must know this kind: {object}"),
    }
}

fn volume(name: &str, source: &Value) -> pvctl::model::PersistentVolume {
    let mut spec = source.clone();
    spec["claimRef"] = json!({"namespace": "db", "name": format!("c-{name}"), "uid": "u"});
    let object = json!({"apiVersion": "v1", "kind": "PersistentVolume", "metadata": {"name": name}, "spec": spec});
    match decoded(&object) {
        Object::PersistentVolume(volume) => *volume,
        other => panic!("{other:?}"),
    }
}

fn pod(name: &str, phase: &str, volume: &Value) -> pvctl::model::Pod {
    let object = json!({
        "apiVersion": "v1", "kind": "Pod", "metadata": {"namespace": "db", "name": name},
        "spec": {"nodeName": "n", "volumes": [volume]}, "status": {"phase": phase},
    });
    match decoded(&object) {
        Object::Pod(pod) => *pod,
        other => panic!("{other:?}"),
    }
}

fn attachment(volume: &str) -> pvctl::model::VolumeAttachment {
    let object = json!({
        "apiVersion": "storage.k8s.io/v1", "kind": "VolumeAttachment", "metadata": {"name": "va"},
        "spec": {"attacher": "d", "nodeName": "n", "source": {"persistentVolumeName": volume}},
    });
    match decoded(&object) {
        Object::VolumeAttachment(attachment) => *attachment,
        other => panic!("{other:?}"),
    }
}

fn csi(attributes: &Value) -> Value {
    json!({"csi": {"driver": "nfs.csi.k8s.io", "volumeHandle": "10.0.0.9#share#", "volumeAttributes": attributes}})
}

/// The address can be in any field that states a server, also with a port and in another form.
#[test]
fn a_volume_states_an_address() {
    let address = ClusterAddress::parse("10.0.0.7").unwrap();
    for source in [
        json!({"nfs": {"server": "10.0.0.7", "path": "/"}}),
        csi(&json!({"server": "10.0.0.7"})),
        csi(&json!({"Server": "10.0.0.7"})),
        csi(&json!({"linstor.csi.linbit.com/nfs-export": "10.0.0.7:2049/x"})),
    ] {
        assert!(states(&volume("v", &source), address), "{source}");
    }
    for source in [json!({"nfs": {"server": "10.0.0.70", "path": "/"}}), csi(&json!({"server": "nfs"}))] {
        assert!(!states(&volume("v", &source), address), "{source}");
    }
    assert!(states(&volume("v", &csi(&json!({}))), ClusterAddress::parse("10.0.0.9").unwrap()));
    let nfs = json!({"nfs": {"server": "fd00:0:0::7", "path": "/"}});
    assert!(states(&volume("v", &nfs), ClusterAddress::parse("fd00::7").unwrap()));
}

#[test]
fn who_can_use_an_address() {
    let address = ClusterAddress::parse("10.0.0.7").unwrap();
    let nfs = |server: &str| json!({"nfs": {"server": server, "path": "/"}});
    let volumes = [volume("a", &nfs("10.0.0.7")), volume("b", &nfs("10.0.0.8"))];
    let claim = |name: &str| json!({"name": "v", "persistentVolumeClaim": {"claimName": name}});
    let own = json!({"name": "v", "nfs": {"server": "10.0.0.7", "path": "/"}});
    let users = |pods: &[pvctl::model::Pod], attachments: &[pvctl::model::VolumeAttachment], named: &[&str]| {
        let named: Vec<_> = named.iter().map(|name| (*name).into()).collect();
        of(address, &named, &volumes, pods, attachments)
    };
    assert_eq!(users(&[pod("p", "Running", &claim("c-a"))], &[], &[]), ["pod db/p"]);
    assert_eq!(users(&[pod("p", "Unknown", &claim("c-a"))], &[], &[]), ["pod db/p"]);
    assert_eq!(users(&[pod("p", "Running", &own)], &[], &[]), ["pod db/p"]);
    assert_eq!(users(&[], &[attachment("a")], &[]), ["volume a on node n"]);
    for (volume, phase) in [(claim("c-b"), "Running"), (claim("c-a"), "Succeeded"), (own, "Failed")] {
        assert!(users(&[pod("p", phase, &volume)], &[attachment("b")], &[]).is_empty(), "{volume}");
    }
    // A system that records no address: the volume is known by its name.
    assert_eq!(users(&[pod("p", "Running", &claim("c-b"))], &[attachment("b")], &["b"]).len(), 2);
}
