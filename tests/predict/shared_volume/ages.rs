//! The rules of api-manager up to 1.1, which cannot be run, and how those of 1.2 differ: the cases of upstream's unit
//! and end-to-end tests, the cache, the filters, and the waits.

use super::{acts, claim, decide, endpoints, of, path, service, stored, volume};
use pvctl::controllers::shared_volume::{
    Again, ApiManager, CACHE_EXPIRY, Cached, Circumstances, Refusal, Request, SharedVolume, VolumeEvent, filter,
    reconcile,
};
use pvctl::model::StorageOsVolume;
use serde_json::{Value, json};

fn cached(internal: &str, until: u64) -> Cached {
    let volume = SharedVolume::of(&volume(Some(internal), "1.2.3.4:2049")).unwrap();
    Cached { volume, until }
}

/// A case: the label, the endpoint of the server, the objects, the cache, the actions, and the last leaf.
type Row<'a> = (&'a str, &'a str, Vec<Value>, Option<Cached>, &'a [&'a str], &'a str);

/// The five cases of upstream's unit tests of 1.1. Their volumes have no endpoint, because they do not come from
/// the list. Here they have one.
#[test]
fn each_row_of_the_unit_tests() {
    const SERVER: &str = "1.2.3.4:5678";
    let created = ["create Service", "Normal Created", "create Endpoints", "publish 1.2.3.4:2049"];
    let again = ["create Service", "Normal Created", "create Endpoints"];
    let rows: [Row<'_>; 5] = [
        ("", SERVER, vec![claim()], None, &created, "SQ1"),
        ("", SERVER, vec![], None, &[], "SV9"),
        ("1.2.3.4:2049", SERVER, vec![claim()], Some(cached(SERVER, 10)), &[], "SV14"),
        ("1.2.3.4:2049", SERVER, vec![claim()], Some(cached(SERVER, 5)), &again, "SQ2"),
        ("1.2.3.4:2049", "1.2.3.4:1234", vec![claim()], Some(cached(SERVER, 10)), &again, "SQ2"),
    ];
    for (row, (external, internal, objects, cached, wanted, leaf)) in rows.into_iter().enumerate() {
        let volume = volume(Some(internal), external);
        let of = Circumstances { cached, now: 5, ..of(ApiManager::UpTo1_1) };
        let made = reconcile(Some(&volume), stored(&volume, &objects), &of);
        assert_eq!((acts(&made), path(&made).last().copied()), (to_owned(wanted), Some(leaf)), "case {}", row + 1);
        assert_eq!(made.again, Again::WithNextPass);
        let ends_well = leaf.starts_with("SQ");
        if ends_well {
            let record = SharedVolume { external: "1.2.3.4:2049".into(), ..SharedVolume::of(&volume).unwrap() };
            let until = 5 + made.took + CACHE_EXPIRY;
            assert_eq!(made.cached, Some(Cached { volume: record, until }), "case {}", row + 1);
            let service = made.stored.service.as_ref().unwrap();
            assert_eq!((service.owners[0].uid.as_str(), service.owners[0].controller), ("U", false));
            assert_eq!(
                (service.owners[0].kind.as_str(), service.owners[0].name.as_str()),
                ("PersistentVolumeClaim", "foo")
            );
        } else {
            assert_eq!(made.cached, of.cached, "case {}", row + 1);
        }
        assert!(!made.observed, "the metric of 1.1 counts passes");
    }
    // An error of the list ends the pass.
    let volume = volume(Some(SERVER), "");
    let refused = [((Request::GetVolume, 0), Refusal::Failed("no".into()))].into();
    let made =
        reconcile(Some(&volume), stored(&volume, &[claim()]), &Circumstances { refused, ..of(ApiManager::UpTo1_1) });
    assert_eq!(
        (path(&made), made.log, made.error.as_deref()),
        (vec!["SV12"], vec!["failed to list shared volumes"], Some("no"))
    );
}

fn to_owned(words: &[&str]) -> Vec<String> {
    words.iter().map(|word| (*word).to_owned()).collect()
}

/// The six cases of upstream's end-to-end tests.
#[test]
fn each_row_of_the_end_to_end_tests() {
    for manager in ApiManager::ALL {
        let first = volume(Some("1.2.3.4:5678"), "");
        let made = decide(manager, &first, &[claim()]);
        let service = made.stored.service.clone().unwrap();
        assert_eq!((service.meta.name.as_str(), service.meta.namespace.as_str()), ("baz-service", "bar"));
        assert_eq!(&*service.meta.labels, [("storageos.com/volume-id".into(), "id".into())]);
        assert_eq!((service.cluster_ip.as_str(), service.ports[0].port), ("1.2.3.4", 2049), "case 1");
        assert_eq!(service.selector.len(), 0);
        assert_eq!(acts(&made).last().map(String::as_str), Some("publish 1.2.3.4:2049"), "case 1");
        let target = |endpoints: &pvctl::model::Endpoints| {
            (endpoints.subsets[0].ready[0].ip.to_string(), endpoints.subsets[0].ports[0].port)
        };
        let made_endpoints = made.stored.endpoints.clone().unwrap();
        assert_eq!(target(&made_endpoints), ("1.2.3.4".to_owned(), Some(5678)), "case 2");
        assert_eq!((made_endpoints.owners.len(), made_endpoints.meta.labels.len()), (0, 1), "case 2");

        let moved = volume(Some("5.6.7.8:9999"), "1.2.3.4:2049");
        let after = reconcile(Some(&moved), made.stored.clone(), &of(manager));
        assert_eq!(acts(&after), ["target 9999", "address 5.6.7.8:9999", "Warning Updated"]);
        assert_eq!(after.stored.service.as_ref().unwrap().cluster_ip, "1.2.3.4", "case 3");
        assert_eq!(target(after.stored.endpoints.as_ref().unwrap()), ("5.6.7.8".to_owned(), Some(9999)), "case 4");

        let gone = reconcile(None, after.stored.clone(), &of(manager));
        assert_eq!((path(&gone), acts(&gone)), (vec!["SV6"], Vec::new()));
        assert_eq!(gone.stored, after.stored, "cases 5 and 6");
    }
}

/// What cannot be split is dropped up to 1.1. From 1.2, it stands for an empty address and the port 0.
#[test]
fn an_endpoint_that_cannot_be_split_is_dropped_up_to_1_1() {
    for endpoint in ["", "10.0.0.5", "10.0.0.5:", "10.0.0.5:nfs", "::1", "fe80::1%lo0:80", "[::1]"] {
        let volume = volume(Some(endpoint), "");
        let made = decide(ApiManager::UpTo1_1, &volume, &[claim()]);
        assert_eq!((path(&made), acts(&made)), (vec!["SV13"], Vec::new()), "{endpoint}");
        let made = decide(ApiManager::From1_2, &volume, &[claim()]);
        assert_eq!(path(&made), ["SV11", "SS5", "SS9", "SN2"], "{endpoint}");
        assert_eq!(acts(&made), ["create Service", "Normal Created", "target 0", "create Endpoints!"], "{endpoint}");
        // The API server has set the target port to the port.
        assert_eq!(made.stored.service.as_ref().unwrap().ports[0].target, "2049", "{endpoint}");
    }
    for endpoint in [":25710", "[fe80::1%lo0]:25710", "node-1:25710"] {
        let made = decide(ApiManager::UpTo1_1, &volume(Some(endpoint), ""), &[claim()]);
        assert_eq!(path(&made), ["SV11", "SS5", "SN2"], "{endpoint}");
    }
}

#[test]
fn a_volume_without_a_label_of_kubernetes_is_left() {
    let whole = volume(Some("10.0.0.5:25710"), "");
    for label in ["csi.storage.k8s.io/pv/name", "csi.storage.k8s.io/pvc/name", "csi.storage.k8s.io/pvc/namespace"] {
        let mut volume = whole.clone();
        volume.labels.insert(label.into(), "".into());
        for (manager, log) in [(ApiManager::UpTo1_1, &[][..]), (ApiManager::From1_2, &["non StorageOS shared volume"])]
        {
            let made = reconcile(Some(&volume), stored(&whole, &[claim()]), &of(manager));
            assert_eq!((path(&made), made.log.as_slice(), made.observed), (vec!["SV8"], log, false), "{label}");
        }
    }
}

#[test]
fn only_updates_of_exported_volumes_pass() {
    let whole = volume(Some("10.0.0.5:25710"), "");
    for event in [VolumeEvent::Create, VolumeEvent::Delete, VolumeEvent::Generic] {
        assert_eq!(filter(event, &whole).id(), "SV1", "{event:?}");
    }
    let deleted = StorageOsVolume { deleted: Some(pvctl::model::Timestamp(0)), id: "".into(), ..whole.clone() };
    let without_id = StorageOsVolume { id: "".into(), service_endpoint: None, ..whole.clone() };
    let without_server = StorageOsVolume { service_endpoint: None, ..whole.clone() };
    let empty = StorageOsVolume { service_endpoint: Some("".into()), ..whole.clone() };
    for (volume, leaf) in
        [(&whole, "SV5"), (&deleted, "SV2"), (&without_id, "SV3"), (&without_server, "SV4"), (&empty, "SV5")]
    {
        assert_eq!(filter(VolumeEvent::Update, volume).id(), leaf);
    }
}

fn late(request: Request, first: usize, count: usize) -> Circumstances {
    let numbers = first..first + count;
    let refused = numbers.map(|number| ((request, number), Refusal::NotFound("not found".into()))).collect();
    Circumstances { refused, ..of(ApiManager::From1_2) }
}

#[test]
fn the_controller_waits_for_what_it_has_created() {
    let volume = volume(Some("10.0.0.5:25710"), "");
    let decide = |of: &Circumstances| reconcile(Some(&volume), stored(&volume, &[claim()]), of);
    // The first look is the one before the creation.
    let made = decide(&late(Request::GetService, 1, 4));
    assert_eq!((path(&made), made.took, made.observed), (vec!["SV11", "SS5", "SN4", "SQ1"], 6_000, true));
    let made = decide(&late(Request::GetService, 1, 30));
    assert_eq!((path(&made), made.took, made.observed), (vec!["SV11", "SS3"], 20_000, false));
    assert_eq!(
        made.error.as_deref(),
        Some("failed to get service resource after create: timed out waiting for the condition")
    );
    // It does not wait for the Endpoints: not found is an answer.
    let made = decide(&late(Request::GetEndpoints, 1, 1));
    assert_eq!((path(&made), made.took), (vec!["SV11", "SS5", "SN4", "SN5"], 2_000));
    assert_eq!(acts(&made), ["create Service", "Normal Created", "create Endpoints"]);
    assert_eq!(made.again, Again::AfterFailure);
    assert!(made.stored.endpoints.is_some());
}

#[test]
fn an_object_that_the_cache_does_not_have_yet_exists() {
    let volume = volume(Some("10.0.0.5:25710"), "");
    for (request, leaf, error) in [
        (Request::GetService, "SS2", "failed to create service resource: services \"baz-service\" already exists"),
        (Request::GetEndpoints, "SN2", "failed to create endpoints resource: endpoints \"baz-service\" already exists"),
    ] {
        let objects = [claim(), service(), endpoints()];
        let made = reconcile(Some(&volume), stored(&volume, &objects), &late(request, 0, 1));
        assert_eq!((path(&made).last(), made.error.as_deref()), (Some(&leaf), Some(error)));
    }
}

#[test]
fn a_service_that_is_updated_keeps_its_address_and_its_node_port() {
    let volume = volume(Some("10.0.0.5:25711"), "");
    let mut node_port = service();
    node_port["spec"]["type"] = json!("NodePort");
    node_port["spec"]["ports"] = json!([
        {"name": "rpc", "port": 111, "protocol": "TCP", "targetPort": 111, "nodePort": 30001},
        {"name": "nfs", "port": 2049, "protocol": "TCP", "targetPort": 1, "nodePort": 30002},
    ]);
    let refused = [((Request::GetService, 0), Refusal::WithoutAddress)].into();
    let of = Circumstances { refused, ..of(ApiManager::From1_2) };
    let made = reconcile(Some(&volume), stored(&volume, &[claim(), node_port, endpoints()]), &of);
    let service = made.stored.service.unwrap();
    assert_eq!((service.cluster_ip.as_str(), service.ports.len()), ("10.96.0.9", 1));
    assert_eq!((service.ports[0].node_port, service.ports[0].target.as_str()), (Some(30002), "25711"));
}
