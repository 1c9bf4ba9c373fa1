//! Tests of the table of systems, of addresses, and of what the objects of systems say.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use crate::manifests::{world, world_without};
use pvctl::diagnosis::shared_volumes::{Address, Providers, ServiceBehind, ServiceIndex, Services, Template};
use pvctl::model::{Kind, PersistentVolume, SourceKind};
use serde_json::{Value, json};
use std::collections::BTreeSet;

fn volume(spec: &Value) -> PersistentVolume {
    let object = json!({
        "apiVersion": "v1", "kind": "PersistentVolume",
        "metadata": {"name": "v1", "uid": "u1", "labels": {"team": "web"}},
        "spec": spec,
    });
    world(&[object]).volumes()[0].clone()
}

fn csi(driver: &str, handle: &str, attributes: &Value) -> PersistentVolume {
    volume(&json!({
        "accessModes": ["ReadWriteMany"],
        "claimRef": {"namespace": "db", "name": "data", "uid": "u2"},
        "csi": {"driver": driver, "volumeHandle": handle, "volumeAttributes": attributes},
    }))
}

#[test]
fn the_table_of_systems_can_be_read_and_has_no_id_twice() {
    let ids: Vec<&str> = Providers::built_in().all().map(|provider| provider.id.as_str()).collect();
    assert!(ids.len() >= 12, "{ids:?}");
    assert_eq!(ids.iter().collect::<BTreeSet<_>>().len(), ids.len(), "{ids:?}");
    // The entry for every NFS volume would hide each entry after it.
    assert_eq!(ids.last(), Some(&"generic-nfs"));
}

#[test]
fn the_first_system_that_fits_serves_a_volume() {
    let id = |volume: &PersistentVolume| Providers::built_in().of(volume, None).map(|provider| provider.id.clone());
    let shared = json!({"share": "true"});
    assert_eq!(id(&csi("driver.longhorn.io", "v1", &shared)).as_deref(), Some("longhorn"));
    assert_eq!(id(&csi("driver.longhorn.io", "v1", &json!({}))), None);
    let migratable = json!({"share": "true", "migratable": "true"});
    assert_eq!(id(&csi("driver.longhorn.io", "v1", &migratable)), None);
    // csi-driver-nfs ignores upper and lower case in the names of attributes.
    assert_eq!(id(&csi("nfs.csi.k8s.io", "a#b#c", &json!({"Server": "a"}))).as_deref(), Some("csi-nfs"));
    // The handle of HPE's volumes is the uid of their claim.
    assert_eq!(id(&csi("csi.hpe.com", "u2", &json!({}))).as_deref(), Some("hpe-nfs"));
    assert_eq!(id(&csi("csi.hpe.com", "other", &json!({}))), None);
    let nfs = volume(&json!({"nfs": {"server": "nas.example.com", "path": "/"}}));
    assert_eq!(nfs.source.kind, SourceKind::Nfs);
    assert_eq!(id(&nfs).as_deref(), Some("generic-nfs"));
    assert_eq!(id(&volume(&json!({"hostPath": {"path": "/data"}}))), None);
}

#[test]
fn placeholders_are_filled_from_the_volume_and_its_claim() {
    let shared = csi("driver.example.com", "pool/Vol_1#x", &json!({"server": "nas"}));
    let fill = |text: &str| Template::parse(text).unwrap().fill(&shared, None);
    assert_eq!(fill("nfs-{pv}").as_deref(), Some("nfs-v1"));
    assert_eq!(fill("{claim.namespace}/{claim.name}/{claim.uid}").as_deref(), Some("db/data/u2"));
    assert_eq!(fill("{handle.last}").as_deref(), Some("Vol_1#x"));
    assert_eq!(fill("{handle.first}").as_deref(), Some("pool/Vol_1"));
    assert_eq!(fill("{handle.dns}").as_deref(), Some("pool-vol-1-x"));
    assert_eq!(fill("{attribute:server}").as_deref(), Some("nas"));
    assert_eq!(fill("{label:team}").as_deref(), Some("web"));
    assert_eq!(fill("plain").as_deref(), Some("plain"));
    // A text whose placeholder has no value is not half filled.
    assert_eq!(fill("x-{attribute:share}"), None);
    assert_eq!(fill("{server}"), None);
    for (text, said) in [("{pvc}", "there is no placeholder pvc"), ("{pv", "a brace is not closed")] {
        assert_eq!(Template::parse(text), Err(format!("{text}: {said}")));
    }
}

#[test]
fn addresses_have_a_host_and_perhaps_a_port() {
    let parsed = |text: &str| Address::parse(text).map(|address| (address.host, address.port));
    let host = |host: &str, port: Option<i64>| Some((host.to_owned(), port));
    assert_eq!(parsed("10.0.0.1"), host("10.0.0.1", None));
    assert_eq!(parsed("10.0.0.1:2049"), host("10.0.0.1", Some(2049)));
    assert_eq!(parsed("nfs://[fd00::1]:2049/v1"), host("fd00::1", Some(2049)));
    assert_eq!(parsed("fd00::1"), host("fd00::1", None));
    assert_eq!(parsed("nfs://a.b.svc:1001/res"), host("a.b.svc", Some(1001)));
    assert_eq!(parsed("None:2049"), host("None", Some(2049)));
    assert_eq!(parsed(":2049"), None);
    assert_eq!(parsed(""), None);
    assert_eq!(parsed("[fd00::1"), None);
}

fn service(namespace: &str, name: &str, ip: &str, port: i64) -> Value {
    json!({
        "apiVersion": "v1", "kind": "Service", "metadata": {"namespace": namespace, "name": name, "uid": name},
        "spec": {"type": "ClusterIP", "clusterIP": ip, "clusterIPs": [ip], "ports": [{"name": "nfs", "port": port}]},
    })
}

#[test]
fn the_service_behind_a_server_is_found_by_address_and_by_name() {
    let objects = [service("infra", "nfs", "10.96.0.10", 2049), service("web", "web", "10.96.0.11", 80)];
    let snapshot = world(&objects);
    let index = ServiceIndex::of(&snapshot);
    let services = Services { snapshot: &snapshot, index: &index };
    let name = |host: &str, short: Option<&str>| match services.behind(host, short, &snapshot) {
        ServiceBehind::Service(service) => service.meta.name.to_string(),
        ServiceBehind::NoService { namespace, name } => format!("no {namespace}/{name}"),
        ServiceBehind::NoAddress { instead } => {
            format!("no address, {}", instead.map_or("nothing", |service| service.meta.name.as_str()))
        }
        ServiceBehind::Unknown => "unknown".to_owned(),
    };
    assert_eq!(name("10.96.0.10", None), "nfs");
    assert_eq!(name("nfs.infra.svc.cluster.local", None), "nfs");
    assert_eq!(name("nfs.infra", None), "nfs");
    assert_eq!(name("nfs", Some("infra")), "nfs");
    assert_eq!(name("nfs", None), "unknown");
    assert_eq!(name("gone.infra.svc", None), "no infra/gone");
    // A name with two parts can be a computer outside of the cluster.
    assert_eq!(name("nas.example", None), "unknown");
    assert_eq!(name("10.96.0.99", None), "no address, nfs");
    assert_eq!(name("192.168.1.1", None), "unknown");
}

#[test]
fn a_service_that_was_not_read_is_not_missing() {
    let snapshot = world_without(Kind::Service, &[service("web", "web", "10.96.0.11", 80)]);
    let index = ServiceIndex::of(&snapshot);
    let services = Services { snapshot: &snapshot, index: &index };
    for host in ["gone.infra.svc", "10.96.0.99"] {
        assert_eq!(services.behind(host, None, &snapshot), ServiceBehind::Unknown, "{host}");
    }
}

#[test]
fn objects_of_a_system_tell_the_addresses_of_its_volumes() {
    let resource = json!({
        "apiVersion": "api.storageos.com/v1", "kind": "Volume", "metadata": {"name": "other"},
        "spec": {
            "configLabels": {
                "csi.storage.k8s.io/pv/name": "v1", "storageos.com/nfs/mount-endpoint": "10.96.0.5:2049",
                "csi.storage.k8s.io/pvc/name": "data", "csi.storage.k8s.io/pvc/namespace": "db",
            },
            "nfs": {"serviceEndpoint": "192.168.0.7:25705"},
        },
        "status": {"volumeId": "id-1", "attachmentType": "nfs"},
    });
    let of_api = json!({
        "id": "id-1", "labels": {"storageos.com/nfs/mount-endpoint": "10.96.0.6:2049"}, "nfs": {}, "attachmentType": "detached",
    });
    let built_in = Providers::built_in();
    let storageos = csi("csi.storageos.com", "ns/id-1", &json!({}));
    let provider = built_in.of(&storageos, None).unwrap();
    let read = built_in.with_objects(std::slice::from_ref(&resource));
    let state = read.state_of(provider, &storageos, None).unwrap();
    assert_eq!(state.endpoint.as_deref(), Some("10.96.0.5:2049"));
    assert_eq!(state.target.as_deref(), Some("192.168.0.7:25705"));
    assert_eq!(state.claim, Some(("db".to_owned(), "data".to_owned())));
    assert_eq!(state.origin, "Volume other");
    assert_eq!(state.server_field, "spec.nfs.serviceEndpoint");
    assert_eq!(state.endpoint_field, "spec.configLabels[storageos.com/nfs/mount-endpoint]");
    // What the user gives counts more than what was read.
    let mut given = Providers::default();
    given.add([built_in.record(&of_api, "state.json").unwrap()]);
    let given = given.with_objects(std::slice::from_ref(&resource));
    let state = given.state_of(provider, &storageos, None).unwrap();
    assert_eq!((state.endpoint.as_deref(), state.target.as_deref()), (Some("10.96.0.6:2049"), None));
    assert_eq!((state.phase.as_deref(), state.origin.as_str()), (Some("detached"), "state.json"));
    // Only what the table names stays in a snapshot.
    let mut secret = resource.clone();
    secret["spec"]["configLabels"]["password"] = "hidden".into();
    secret["metadata"]["annotations"] = json!({"note": "hidden"});
    let kept = built_in.kept(&secret).unwrap();
    assert!(!kept.to_string().contains("hidden"), "{kept}");
    assert_eq!(built_in.record(&kept, "x"), built_in.record(&resource, "x"));
    // An object of another group with the same kind says nothing.
    let foreign = json!({"apiVersion": "example.com/v1", "kind": "Volume", "metadata": {"name": "v1"}});
    assert_eq!(built_in.record(&foreign, "x"), None);
}
