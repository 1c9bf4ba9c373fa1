//! Repeated reconciliations: whether they end, and which requests are sent again and again if not.

use super::{acts, claim, endpoints, of, path, service, stored, volume, with};
use pvctl::controllers::shared_volume::{
    Act, ApiManager, Circumstances, EndpointsUpdate, Refusal, Request, Series, SeriesEnd, ServiceUpdate, series,
};
use serde_json::{Value, json};

fn repeated(internal: &str, objects: &[Value], follows: bool) -> Series {
    let volume = volume(Some(internal), "10.96.0.9:2049");
    series(&volume, stored(&volume, objects), &of(ApiManager::From1_2), follows)
}

#[test]
fn drift_that_is_written_ends() {
    let moved = with(endpoints(), "/subsets/0/addresses/0/ip", json!("10.0.0.4"));
    for (objects, reconciliations) in [
        (vec![claim(), service(), endpoints()], 1),
        (vec![claim(), service(), moved], 2),
        (vec![claim(), with(service(), "/spec/ports", json!([])), endpoints()], 2),
        // The new address is published, and then recorded.
        (vec![claim()], 2),
    ] {
        let made = repeated("10.0.0.5:25710", &objects, true);
        assert_eq!((made.end, made.decisions.len()), (SeriesEnd::Settled, reconciliations));
    }
}

#[test]
fn drift_that_is_not_written_is_repeated() {
    let target = || Act::UpdateService(ServiceUpdate::Target(25710));
    let address = || Act::UpdateEndpoints(EndpointsUpdate::Target { address: "10.0.0.5".into(), port: 25710 });
    let nameless = with(endpoints(), "/subsets/0/ports/0", json!({"port": 25710, "protocol": "TCP"}));
    let of_other_port = with(service(), "/spec/ports/0/port", json!(12049));
    for (objects, from, wanted) in [
        (vec![claim(), with(service(), "/spec/type", json!("NodePort")), endpoints()], 0, vec![target()]),
        // The wrong port is published once, if the storage system records it.
        (vec![claim(), of_other_port, endpoints()], 1, vec![target()]),
        (vec![claim(), service(), nameless.clone()], 0, vec![address()]),
        (
            vec![claim(), with(service(), "/spec/ports/0/protocol", json!("UDP")), nameless],
            0,
            vec![target(), address()],
        ),
    ] {
        let made = repeated("10.0.0.5:25710", &objects, true);
        assert_eq!(made.end, SeriesEnd::Repeats { from, requests: wanted, error: None });
        assert_eq!(made.decisions.len(), from + 1);
    }
}

#[test]
fn an_error_is_repeated() {
    let made = repeated("10.0.0.5", &[claim()], true);
    let SeriesEnd::Repeats { from, requests, error } = &made.end else { panic!("{made:?}") };
    assert_eq!((*from, requests.len()), (1, 2));
    assert!(error.as_ref().unwrap().starts_with("failed to create endpoints resource: "), "{error:?}");
    assert_eq!(acts(&made.decisions[1]), ["target 0", "create Endpoints!"]);
    let made = repeated("10.0.0.5:25710", &[], true);
    let error = Some("PersistentVolumeClaim \"foo\" not found".to_owned());
    assert_eq!(made.end, SeriesEnd::Repeats { from: 0, requests: Vec::new(), error });
}

#[test]
fn a_mount_endpoint_that_is_not_recorded_is_published_again() {
    let made = repeated("10.0.0.5:25710", &[claim()], false);
    assert_eq!(path(made.decisions.last().unwrap()), ["SV11", "SS6", "SN6", "SQ1"]);
    let SeriesEnd::Repeats { from, requests, error } = made.end else { panic!("{made:?}") };
    assert_eq!((from, requests.len(), error), (1, 1, None));
    assert!(matches!(requests[0], Act::Publish(_)));
}

#[test]
fn a_request_that_fails_once_is_made_up_for() {
    let volume = volume(Some("10.0.0.5:25710"), "");
    for request in [Request::GetClaim, Request::CreateService, Request::CreateEndpoints, Request::Publish] {
        let refused = [((request, 0), Refusal::Failed("no".into()))].into();
        for manager in ApiManager::ALL {
            let of = Circumstances { refused: std::collections::BTreeMap::clone(&refused), ..of(manager) };
            let made = series(&volume, stored(&volume, &[claim()]), &of, true);
            assert_eq!(made.end, SeriesEnd::Settled, "{request:?}");
            assert!(made.decisions[0].error.is_some() && made.decisions[1].error.is_none(), "{request:?}");
        }
    }
}
