//! The decision table of `docs/controllers/shared-volume.md`: for a Service, Endpoints and a label, what is created,
//! updated, left and published. Both ages decide the same.

use super::{acts, claim, decide, endpoints, path, service, volume, with};
use pvctl::controllers::shared_volume::{ApiManager, VolumeEvent, filter};
use serde_json::{Value, json};

/// A row: its number, the Service, the Endpoints, the label, the actions, and the leaves.
type Row = (&'static str, Option<Value>, Option<Value>, &'static str, &'static [&'static str], [&'static str; 3]);

const EQUAL: &str = "10.96.0.9:2049";

fn drifted(pointer: &str, value: Value) -> Value {
    with(service(), pointer, value)
}

fn subsets(value: Value) -> Value {
    with(endpoints(), "/subsets", value)
}

fn ports() -> Value {
    json!([{"name": "nfs", "port": 25710, "protocol": "TCP"}])
}

fn rows() -> Vec<Row> {
    let two_ports = json!([
        {"name": "nfs", "port": 2049, "protocol": "TCP", "targetPort": 25710},
        {"name": "mountd", "port": 20048, "protocol": "TCP", "targetPort": 20048},
    ]);
    let addresses =
        |all: [&str; 2]| subsets(json!([{"addresses": [{"ip": all[0]}, {"ip": all[1]}], "ports": ports()}]));
    let nameless = json!([{"addresses": [{"ip": "10.0.0.5"}], "ports": [{"port": 25710, "protocol": "TCP"}]}]);
    let headless = with(service(), "/spec/clusterIP", json!("None"));
    let node_port = with(service(), "/spec/type", json!("NodePort"));
    let moved = json!([{
        "addresses": [{"ip": "10.0.0.4"}], "ports": [{"name": "nfs", "port": 25700, "protocol": "TCP"}],
    }]);
    let other_port = with(service(), "/spec/ports/0/port", json!(12049));
    vec![
        (
            "1",
            None,
            None,
            "",
            &["create Service", "Normal Created", "create Endpoints", "publish 1.2.3.4:2049"],
            ["SS5", "SN4", "SQ1"],
        ),
        ("2", Some(service()), Some(endpoints()), EQUAL, &[], ["SS6", "SN6", "SQ2"]),
        ("3", Some(service()), Some(endpoints()), "other", &["publish 10.96.0.9:2049"], ["SS6", "SN6", "SQ1"]),
        (
            "4",
            Some(drifted("/spec/ports/0/targetPort", json!(25700))),
            Some(subsets(moved)),
            EQUAL,
            &["target 25710", "address 10.0.0.5:25710", "Warning Updated"],
            ["SS8", "SN8", "SQ2"],
        ),
        ("5", Some(service()), None, EQUAL, &["create Endpoints"], ["SS6", "SN4", "SQ2"]),
        (
            "6",
            None,
            Some(endpoints()),
            EQUAL,
            &["create Service", "Normal Created", "publish 1.2.3.4:2049"],
            ["SS5", "SN6", "SQ1"],
        ),
        (
            "7",
            Some(drifted("/spec/ports", two_ports)),
            Some(endpoints()),
            EQUAL,
            &["ports 2049:25710"],
            ["SS7", "SN6", "SQ2"],
        ),
        (
            "8",
            Some(other_port),
            Some(endpoints()),
            EQUAL,
            &["target 25710", "publish 10.96.0.9:12049"],
            ["SS9", "SN6", "SQ1"],
        ),
        ("9", Some(node_port), Some(endpoints()), EQUAL, &["target 25710"], ["SS9", "SN6", "SQ2"]),
        (
            "9, name of the port",
            Some(drifted("/spec/ports/0/name", json!("rpc"))),
            Some(endpoints()),
            EQUAL,
            &["target 25710"],
            ["SS9", "SN6", "SQ2"],
        ),
        (
            "9, protocol",
            Some(drifted("/spec/ports/0/protocol", json!("UDP"))),
            Some(endpoints()),
            EQUAL,
            &["target 25710"],
            ["SS9", "SN6", "SQ2"],
        ),
        (
            "9, name of the target port",
            Some(drifted("/spec/ports/0/targetPort", json!("nfs"))),
            Some(endpoints()),
            EQUAL,
            &["target 25710"],
            ["SS8", "SN6", "SQ2"],
        ),
        (
            "10",
            Some(drifted("/spec/selector", json!({"app": "nfs"}))),
            Some(endpoints()),
            EQUAL,
            &[],
            ["SS6", "SN6", "SQ2"],
        ),
        (
            "11",
            Some(drifted("/metadata/ownerReferences", json!([]))),
            Some(endpoints()),
            EQUAL,
            &[],
            ["SS6", "SN6", "SQ2"],
        ),
        (
            "12",
            Some(drifted("/metadata/ownerReferences/0/uid", json!("other"))),
            Some(endpoints()),
            EQUAL,
            &[],
            ["SS6", "SN6", "SQ2"],
        ),
        ("13", Some(service()), Some(addresses(["10.0.0.5", "10.0.0.9"])), EQUAL, &[], ["SS6", "SN6", "SQ2"]),
        (
            "13b",
            Some(service()),
            Some(addresses(["10.0.0.9", "10.0.0.5"])),
            EQUAL,
            &["subset 10.0.0.5:25710", "Warning Updated"],
            ["SS6", "SN7", "SQ2"],
        ),
        (
            "14",
            Some(service()),
            Some(subsets(nameless)),
            EQUAL,
            &["address 10.0.0.5:25710", "Warning Updated"],
            ["SS6", "SN9", "SQ2"],
        ),
        (
            "15",
            Some(service()),
            Some(subsets(json!([{"notReadyAddresses": [{"ip": "10.0.0.5"}], "ports": ports()}]))),
            EQUAL,
            &["subset 10.0.0.5:25710", "Warning Updated"],
            ["SS6", "SN7", "SQ2"],
        ),
        ("16", Some(headless), Some(endpoints()), EQUAL, &["publish None:2049"], ["SS6", "SN6", "SQ4"]),
    ]
}

#[test]
fn each_row_of_the_decision_table() {
    for (row, service, endpoints, label, wanted, leaves) in rows() {
        for manager in ApiManager::ALL {
            let objects: Vec<Value> =
                [Some(claim()), service.clone(), endpoints.clone()].into_iter().flatten().collect();
            let made = decide(manager, &volume(Some("10.0.0.5:25710"), label), &objects);
            assert_eq!(acts(&made), wanted, "row {row}, {manager:?}");
            assert_eq!(path(&made), [&["SV11"][..], &leaves].concat(), "row {row}, {manager:?}");
            assert_eq!(made.error, None, "row {row}, {manager:?}");
        }
    }
}

/// Row 17: nothing is created or deleted.
#[test]
fn without_the_claim_nothing_happens() {
    for manager in ApiManager::ALL {
        let made = decide(manager, &volume(Some("10.0.0.5:25710"), ""), &[service(), endpoints()]);
        assert_eq!((acts(&made), path(&made)), (Vec::new(), vec!["SV9"]));
        assert_eq!(made.error.as_deref(), Some("PersistentVolumeClaim \"foo\" not found"));
        assert_eq!(made.log, ["failed to fetch pvc for shared volume"]);
        assert!(made.stored.service.is_some() && made.stored.endpoints.is_some() && made.cached.is_none());
    }
}

/// Row 18: while the server is down, its Service, its Endpoints and the label stay.
#[test]
fn a_volume_without_a_server_is_left() {
    let volume = volume(None, "10.96.0.9:2049");
    let made = decide(ApiManager::UpTo1_1, &volume, &[claim(), service(), endpoints()]);
    assert_eq!((acts(&made), path(&made)), (Vec::new(), vec!["SV4"]));
    assert_eq!(filter(VolumeEvent::Update, &volume).id(), "SV4");
}

/// Row 19: the Service is created before the API server refuses the Endpoints.
#[test]
fn an_empty_address_fails_after_the_service_is_created() {
    for manager in ApiManager::ALL {
        let made = decide(manager, &volume(Some(":25710"), ""), &[claim()]);
        assert_eq!(acts(&made), ["create Service", "Normal Created", "create Endpoints!"], "{manager:?}");
        assert_eq!(path(&made), ["SV11", "SS5", "SN2"]);
        assert_eq!(
            made.error.as_deref(),
            Some(
                "failed to create endpoints resource: Endpoints \"baz-service\" is invalid: \
                 [subsets[0].addresses[0].ip: Invalid value: \"\": must be a valid IP address, (e.g. 10.9.8.7 or \
                 2001:db8::ffff), subsets[0].addresses[0].ip: Invalid value: \"\": must be a valid IP address]"
            )
        );
        assert!(made.stored.service.is_some() && made.stored.endpoints.is_none() && made.cached.is_none());
    }
}

#[test]
fn a_mount_endpoint_that_no_client_can_use_is_published() {
    let external_name = with(with(service(), "/spec/clusterIP", json!("")), "/spec/type", json!("ExternalName"));
    let of_ipv6 = with(service(), "/spec/clusterIP", json!("fd00::9"));
    for (service, endpoint) in [(external_name, ":2049"), (of_ipv6, "fd00::9:2049")] {
        let volume = volume(Some("10.0.0.5:25710"), "10.96.0.9:2049");
        let made = decide(ApiManager::From1_2, &volume, &[claim(), service, endpoints()]);
        assert_eq!(acts(&made).last(), Some(&format!("publish {endpoint}")));
        assert_eq!(path(&made).last(), Some(&"SQ4"));
    }
}
