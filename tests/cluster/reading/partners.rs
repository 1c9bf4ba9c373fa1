//! If two lists contradict each other, the objects are read again by name.

use super::{CLAIMS, CLASSES, VOLUMES, claim, class, connect, names, read, reason, to, volume};
use crate::support::api::ApiServer;
use crate::support::faults::Fault;
use pvctl::model::Kind;
use pvctl::progress::Silent;
use pvctl::snapshot::{Absence, CoverageState};
use pvctl::source::Needs;

/// A user who may not list volumes may still be allowed to get them.
#[tokio::test]
async fn volumes_that_are_named_are_read_one_by_one_where_their_list_is_forbidden() {
    let fake = ApiServer::start().await;
    fake.hold((0..20).map(|n| volume(&format!("pv-{n}"), None)));
    fake.hold((0..10).map(|n| claim("db", &format!("data-{n}"), &format!("pv-{n}"))));
    fake.hold([claim("db", "gone", "pv-gone"), claim("db", "waiting", "")]);
    fake.fail(&format!("{VOLUMES}?"), usize::MAX, Fault::Refused(403, "no list"));
    let parts = read(&to(&fake)).await.unwrap();
    assert_eq!(parts.objects.volumes.len(), 10);
    assert_eq!(fake.count(&format!("{VOLUMES}/")), 11);
    assert_eq!(parts.coverage.state(Kind::PersistentVolume, ""), CoverageState::Forbidden);
    assert_eq!(
        reason(&parts, Kind::PersistentVolume),
        "no list; 10 of the 11 volumes whose names are known were read one by one, 1 not found"
    );
    let absence = |name: &str| parts.coverage.absence_of(Kind::PersistentVolume, "", name);
    assert_eq!(absence("pv-gone"), Absence::Certain, "the server has answered that the volume does not exist");
    assert_eq!(absence("pv-19"), Absence::Unknown(CoverageState::Forbidden), "the volume was not requested");
    let asked = Needs { users_of: Some((Kind::PersistentVolume, "db", "pv-19")), ..Needs::default() };
    let parts = connect(&to(&fake)).await.unwrap().read(asked, &Silent).await.unwrap();
    assert!(names(&parts).0.contains(&"pv-19"), "{:?}", names(&parts).0);
}

/// If the claim is gone as well, the volume certainly does not exist. If the claim was created again, or cannot be read
/// again, its volume may exist: it may have been created together with the claim.
#[tokio::test]
async fn a_missing_volume_is_certain_only_if_its_claim_is_unchanged_or_gone() {
    const ANEW: &str = r#"{"apiVersion": "v1", "kind": "PersistentVolumeClaim",
        "metadata": {"namespace": "db", "name": "data", "uid": "anew", "resourceVersion": "12"},
        "spec": {"volumeName": "pv-gone"}}"#;
    let unknown = Absence::Unknown(CoverageState::Forbidden);
    for (again, claims, absence) in [
        (None, 1, Absence::Certain),
        (Some(Fault::Refused(404, "gone")), 0, Absence::Certain),
        (Some(Fault::Refused(403, "no")), 1, unknown.clone()),
        (Some(Fault::Body(ANEW)), 1, unknown),
    ] {
        let fake = ApiServer::start().await;
        fake.hold([claim("db", "data", "pv-gone")]);
        fake.fail(&format!("{VOLUMES}?"), usize::MAX, Fault::Refused(403, "no list"));
        if let Some(answer) = again {
            fake.fail("/api/v1/namespaces/db/persistentvolumeclaims/data", usize::MAX, answer);
        }
        let parts = read(&to(&fake)).await.unwrap();
        let found = parts.coverage.absence_of(Kind::PersistentVolume, "", "pv-gone");
        assert_eq!((parts.objects.claims.len(), found), (claims, absence));
    }
}

/// If the requests for the first volumes are all refused, the remaining volumes are not requested. Otherwise the user
/// would wait for one refusal per claim.
#[tokio::test]
async fn after_eight_refusals_no_more_volumes_are_requested() {
    let fake = ApiServer::start().await;
    fake.hold((0..100).map(|n| claim("db", &format!("data-{n}"), &format!("pv-{n}"))));
    fake.fail(VOLUMES, usize::MAX, Fault::Refused(403, "no"));
    let parts = read(&to(&fake)).await.unwrap();
    assert_eq!((parts.objects.volumes.len(), fake.count(&format!("{VOLUMES}/"))), (0, 8));
    assert_eq!(reason(&parts, Kind::PersistentVolume), "no");
}

/// A class that is created between the lists is found.
#[tokio::test]
async fn a_class_that_a_claim_waits_for_is_confirmed() {
    let fake = ApiServer::start().await;
    fake.hold([claim("db", "data", ""), claim("db", "more", "")]);
    fake.hold_later([class("fast", "Immediate")]);
    let parts = read(&to(&fake)).await.unwrap();
    assert_eq!(names(&parts).2, ["fast"]);
    assert_eq!(fake.count(&format!("{CLASSES}/")), 1);
}

#[tokio::test]
async fn a_missing_partner_is_read_again_before_it_counts_as_absent() {
    let fake = ApiServer::start().await;
    // There are three pairs: a claim that was bound after the volumes were listed, a claim that was created after the
    // claims were listed, and a volume whose claim is really gone.
    fake.hold([claim("db", "bound-late", "pv-late"), volume("pv-new", Some(("created-late", "uid-created-late")))]);
    fake.hold([volume("pv-gone", Some(("gone", "uid-gone")))]);
    fake.hold_later([volume("pv-late", Some(("bound-late", "uid-bound-late"))), claim("db", "created-late", "pv-new")]);
    let parts = read(&to(&fake)).await.unwrap();
    let (mut volumes, mut claims, _) = names(&parts);
    volumes.sort_unstable();
    claims.sort_unstable();
    assert_eq!(volumes, ["pv-gone", "pv-late", "pv-new"]);
    assert_eq!(claims, ["bound-late", "created-late"]);
    assert_eq!(fake.count("/api/v1/namespaces/db/persistentvolumeclaims/gone"), 1);
    assert_eq!(parts.coverage.state(Kind::PersistentVolumeClaim, "db"), CoverageState::Complete);
}

#[tokio::test]
async fn the_newer_state_of_a_partner_counts_and_a_deleted_one_is_gone() {
    let fake = ApiServer::start().await;
    // The claim was created again under its name, but the list still shows the old one.
    fake.hold([volume("pv-1", Some(("data", "uid-new"))), claim("db", "data", "pv-1")]);
    let mut anew = claim("db", "data", "pv-1");
    anew["metadata"]["uid"] = "uid-new".into();
    fake.hold_later([anew]);
    let parts = read(&to(&fake)).await.unwrap();
    assert_eq!(parts.objects.claims.len(), 1);
    assert_eq!(parts.objects.claims[0].meta.uid, "uid-new");

    let fake = ApiServer::start().await;
    fake.hold([volume("pv-1", Some(("data", "uid-new"))), claim("db", "data", "")]);
    fake.fail("/api/v1/namespaces/db/persistentvolumeclaims/data", 1, Fault::Refused(404, "not found"));
    let parts = read(&to(&fake)).await.unwrap();
    assert_eq!(parts.objects.claims.len(), 0);
}

#[tokio::test]
async fn a_partner_that_may_not_be_read_alone_is_mentioned() {
    let fake = ApiServer::start().await;
    fake.hold([volume("pv-1", Some(("a", "u"))), volume("pv-2", Some(("b", "u")))]);
    fake.fail("/api/v1/namespaces/db/persistentvolumeclaims/", usize::MAX, Fault::Refused(403, "no get"));
    let parts = read(&to(&fake)).await.unwrap();
    assert_eq!(reason(&parts, Kind::PersistentVolumeClaim), "pvc/a -n db and 1 other could not be read again: no get");
}

/// If many claims name missing volumes, most of these volumes are not read by name. If a claim was written before the
/// volumes were listed, its volume was already missing when they were listed. Such a volume is not read again.
#[tokio::test]
async fn old_claims_of_many_missing_volumes_are_not_read_again() {
    let fake = ApiServer::start().await;
    fake.hold((0..200).map(|n| claim("db", &format!("lost-{n}"), &format!("pv-{n}"))));
    let mut late = claim("db", "late", "pv-late");
    late["metadata"]["resourceVersion"] = "78".into();
    fake.hold([late]);
    let parts = read(&to(&fake)).await.unwrap();
    assert_eq!((parts.objects.claims.len(), parts.objects.volumes.len()), (201, 0));
    assert_eq!((fake.count("/api/v1/persistentvolumes?"), fake.count("/api/v1/persistentvolumeclaims?")), (1, 1));
    assert_eq!(fake.count("/api/v1/persistentvolumes/"), 1);
    assert_eq!(fake.count("/api/v1/persistentvolumes/pv-late"), 1);
    assert_eq!(parts.coverage.entry(Kind::PersistentVolume, None).unwrap().reason, None);
}

#[tokio::test]
async fn many_missing_partners_are_confirmed_by_a_second_list() {
    let fake = ApiServer::start().await;
    fake.hold((0..201).map(|n| volume(&format!("pv-{n}"), Some((&format!("gone-{n}"), "u")))));
    let parts = read(&to(&fake)).await.unwrap();
    assert_eq!((parts.objects.volumes.len(), parts.objects.claims.len()), (201, 0));
    assert_eq!(fake.count(CLAIMS), 2);
    assert_eq!(fake.count("/api/v1/namespaces/"), 0);
}
