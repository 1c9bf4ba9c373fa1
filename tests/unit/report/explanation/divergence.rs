//! Tests of `pvctl::report::explanation::divergence`.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use crate::manifests::{bound_pv, bound_pvc, deleted, parts, pv, pvc, simulate, target, with};
use pvctl::controllers::{CONTROLLERS, KubernetesBehavior};
use pvctl::diagnosis::attaching::Attachments;
use pvctl::diagnosis::shared_volumes::Providers;
use pvctl::diagnosis::{diagnose_with_neighbours, rules};
use pvctl::model::{Kind, Lease, ObjectKey, ObjectMeta, ResourceVersion, Timestamp};
use pvctl::report::explanation::{DivergenceOut, Explanation, ExplanationInput};
use pvctl::report::shared::machine::Model;
use pvctl::snapshot::{Parts, Snapshot};
use serde_json::json;
use std::sync::Arc;

/// Returns a claim that should be bound at the time `now`. The claim was written at `written`; the volume became
/// Available long before.
fn waiting(written: Option<&str>, now: &str) -> Parts {
    let free = json!({ "status": { "lastPhaseTransitionTime": "2026-01-01T00:00:00Z" } });
    let mut parts = parts(&[pvc("data"), with(pv("a"), free)]);
    parts.now = Timestamp::parse(now);
    let key = ObjectKey { kind: Kind::PersistentVolumeClaim, namespace: "db".into(), name: "data".into() };
    parts.changed = written.map(|written| (key, Timestamp::parse(written).unwrap())).into_iter().collect();
    parts
}

/// Explains `object`, from files or from a cluster, and lets `add` change the explanation. Returns the divergence and
/// the lines of text about it, or `None` if there is no divergence.
fn diverging(
    parts: Parts,
    object: &str,
    from_files: bool,
    add: impl FnOnce(&mut Explanation<'_>),
) -> Option<(DivergenceOut, String)> {
    colored::control::set_override(false);
    let snapshot = Snapshot::new(parts);
    let simulation = simulate(&snapshot);
    let prediction = simulation.predict(target(&snapshot, object));
    let attachments = Arc::new(Attachments::of(&simulation));
    let key = snapshot.key(prediction.target);
    let findings =
        diagnose_with_neighbours(&simulation, &key, rules::all(), Arc::clone(&attachments), Providers::built_in());
    let asked = ExplanationInput {
        simulation: &simulation,
        findings: &findings,
        attachments,
        model: Model::new(&KubernetesBehavior::default(), &CONTROLLERS, "assumed"),
        from_files,
        providers: Providers::built_in(),
    };
    let mut explanation = Explanation::of_object(asked, &prediction);
    add(&mut explanation);
    let text = explanation.text(None, false);
    // The words of the diagnosis come first, and then the name of the rule.
    let cause = usize::from(explanation.diagnosis.root.is_some());
    let skipped = 1 + explanation.diagnosis.details.len() + cause;
    let lines: Vec<&str> = text.split("\n\n").next().unwrap().lines().skip(skipped).collect();
    let said = lines.join("\n");
    explanation.divergence.clone().map(|divergence| (divergence, said))
}

fn lease(renewed: &str) -> Lease {
    Lease {
        meta: ObjectMeta {
            namespace: Lease::MANAGER_NAMESPACE.into(),
            name: Lease::MANAGER_NAME.into(),
            ..ObjectMeta::default()
        },
        holder: "master-1_x".into(),
        renewed: Timestamp::parse(renewed),
        duration_seconds: Some(15),
    }
}

const WRITTEN: &str = "2026-01-02T00:00:00Z";
const OFFER: &str = "To see whether the controller acts on it, add --recheck: it reads again after two resync periods.";

#[test]
fn in_files_the_controller_is_possibly_not_running_where_the_times_show_it() {
    let of = |parts| diverging(parts, "pvc/data", true, |_| ()).unwrap();
    // The controller resyncs every 15 seconds. 30 seconds are not enough; 31 seconds are.
    for (now, lasted, sure) in [("2026-01-02T00:00:30Z", 30, None), ("2026-01-02T00:00:31Z", 31, Some("possibly"))] {
        let (divergence, said) = of(waiting(Some(WRITTEN), now));
        assert_eq!(
            (divergence.recorded.as_str(), divergence.predicted.as_slice()),
            ("Pending", &["Bound".to_owned()][..])
        );
        assert_eq!((divergence.lasted_seconds, divergence.controller_not_running), (Some(lasted), sure), "{now}");
        let expected = match sure {
            None => "Recorded as Pending, and the next syncs make it Bound.",
            Some(_) => {
                "Recorded as Pending, although a sync would already have made it Bound: possibly the controller is not \
                 running (this state has lasted for 31s)."
            }
        };
        assert_eq!(said, expected);
    }
    let (divergence, _) = of(waiting(Some(WRITTEN), "2026-01-02T01:00:00Z"));
    let document = serde_json::to_value(&divergence).unwrap();
    assert_eq!(
        document["evidence"],
        json!([
            { "object": "pvc/data", "field": "metadata.managedFields[].time", "value": WRITTEN },
            { "object": "pv/a", "field": "status.lastPhaseTransitionTime", "value": "2026-01-01T00:00:00Z" },
        ])
    );
    // The creation time of a claim does not say since when the claim is in its present state.
    let mut unknown = waiting(None, "2026-06-01T00:00:00Z");
    unknown.objects.claims[0].meta.created = Timestamp::parse("2026-01-01T00:00:00Z");
    let (divergence, _) = of(unknown);
    assert_eq!((divergence.lasted_seconds, divergence.controller_not_running), (None, None));
    // No field says when the claim of a volume was deleted.
    let mut orphan = parts(&[with(
        bound_pv("a", "data"),
        json!({ "status": { "lastPhaseTransitionTime": "2026-01-01T00:00:00Z" } }),
    )]);
    orphan.now = Timestamp::parse("2026-06-01T00:00:00Z");
    let (divergence, _) = diverging(orphan, "pv/a", true, |_| ()).unwrap();
    assert_eq!((divergence.lasted_seconds, divergence.controller_not_running), (None, None));
    let as_it_is = parts(&[bound_pv("a", "data"), bound_pvc("data", "a")]);
    assert_eq!(diverging(as_it_is, "pv/a", true, |_| ()), None);
}

/// The next sync makes a Pending volume Available. The volume has been in its state since the later of two times: the
/// last change of its phase, and the last write to it.
#[test]
fn both_times_of_a_volume_count() {
    let of = |written: Option<&str>| {
        let new = json!({ "status": { "phase": "Pending", "lastPhaseTransitionTime": "2026-01-01T00:00:00Z" } });
        let mut parts = parts(&[with(pv("a"), new)]);
        parts.now = Timestamp::parse("2026-01-01T00:01:00Z");
        let key = ObjectKey { kind: Kind::PersistentVolume, namespace: "".into(), name: "a".into() };
        parts.changed = written.map(|written| (key, Timestamp::parse(written).unwrap())).into_iter().collect();
        let (divergence, _) = diverging(parts, "pv/a", true, |_| ()).unwrap();
        (
            divergence.lasted_seconds,
            divergence.controller_not_running,
            divergence.evidence.first().map(|entry| entry.field),
        )
    };
    assert_eq!(of(None), (Some(60), Some("possibly"), Some("status.lastPhaseTransitionTime")));
    assert_eq!(of(Some("2026-01-01T00:00:20Z")), (Some(40), Some("possibly"), Some("metadata.managedFields[].time")));
    assert_eq!(of(Some("2026-01-01T00:00:50Z")), (Some(10), None, None));
}

/// On a cluster the age of an object is no evidence, but a stale Lease is. A fresh Lease shows that
/// kube-controller-manager runs.
#[test]
fn on_a_cluster_the_lease_tells() {
    let old = || waiting(Some(WRITTEN), "2026-01-02T01:00:00Z");
    let read_at = Timestamp::parse("2026-01-02T01:00:00Z").unwrap();
    let with_lease = |lease: Lease| {
        diverging(old(), "pvc/data", false, |explanation| explanation.add_lease(&lease, read_at)).unwrap()
    };
    let (none, said) = diverging(old(), "pvc/data", false, |_| ()).unwrap();
    assert_eq!((none.lasted_seconds, none.controller_not_running), (Some(3600), None));
    assert_eq!((none.controller_manager, none.evidence.as_slice()), (None, &[][..]));
    assert_eq!(said, format!("Recorded as Pending, and the next syncs make it Bound.\n{OFFER}"));

    let (stale, said) = with_lease(lease("2026-01-02T00:00:00Z"));
    assert_eq!((stale.controller_manager, stale.controller_not_running), (Some("stale"), Some("probably")));
    assert_eq!(
        said,
        "Recorded as Pending, although a sync would already have made it Bound: probably the controller is not running \
         (the Lease kube-controller-manager in kube-system, held by master-1_x, was last renewed 60m before it was \
         read)."
    );
    let entries: Vec<(&str, &str, &str)> =
        stale.evidence.iter().map(|entry| (entry.object.as_str(), entry.field, entry.value.as_str())).collect();
    let object = "lease/kube-controller-manager -n kube-system";
    assert_eq!(
        entries,
        [
            (object, "spec.holderIdentity", "master-1_x"),
            (object, "spec.renewTime", "2026-01-02T00:00:00Z"),
            (object, "spec.leaseDurationSeconds", "15"),
            (object, "age", "3600s"),
        ]
    );

    // A Lease is fresh until its duration has passed. The clock of its holder may also be ahead.
    for (renewed, ago) in
        [("2026-01-02T00:59:57Z", "3s"), ("2026-01-02T00:59:45Z", "15s"), ("2026-01-02T01:00:09Z", "0s")]
    {
        let (alive, said) = with_lease(lease(renewed));
        assert_eq!((alive.controller_manager, alive.controller_not_running), (Some("alive"), None), "{renewed}");
        assert_eq!(
            said,
            format!(
                "Recorded as Pending, and the next syncs make it Bound. The controller manager is alive (master-1_x \
                 renewed its Lease {ago} ago), so this should change within 15s.\n{OFFER}"
            )
        );
    }
    // These Leases show nothing. The first two state no duration. The other two have expired, but not for longer than
    // the margin: another instance may be about to become the leader.
    for nothing in [
        Lease::default(),
        Lease { duration_seconds: None, ..lease("2026-01-01T00:00:00Z") },
        lease("2026-01-02T00:59:44Z"),
        lease("2026-01-02T00:58:45Z"),
    ] {
        assert_eq!(with_lease(nothing).0, none);
    }
    let next = |lease: &Lease| {
        let mut next = Vec::new();
        diverging(old(), "pvc/data", false, |explanation| {
            explanation.add_lease(lease, read_at);
            next = explanation.next.iter().map(|next| format!("{}: {}", next.who, next.what)).collect();
        });
        next
    };
    assert_eq!(
        next(&lease("2026-01-02T00:00:00Z")),
        ["you: find out why kube-controller-manager does not run: nobody renews its Lease"]
    );
    assert!(next(&lease("2026-01-02T00:59:57Z")).is_empty());
    let hostile = Lease { holder: "a\u{1b}[2Jb".into(), ..lease("2026-01-02T00:00:00Z") };
    assert!(!with_lease(hostile).1.contains('\u{1b}'));
}

/// In files, which may be old, a stale Lease only makes it possible that the controller does not run.
#[test]
fn a_lease_in_files_makes_it_possible_at_most() {
    let of = |renewed: &str, stated: bool| {
        let mut parts = waiting(None, "2026-01-02T01:00:00Z");
        parts.objects.leases.push(lease(renewed));
        parts.now_is_stated = stated;
        let (divergence, said) = diverging(parts, "pvc/data", true, |_| ()).unwrap();
        let found = (divergence.controller_manager, divergence.controller_not_running, divergence.evidence.len());
        (found, said)
    };
    for stated in [false, true] {
        assert_eq!(of("2026-01-02T00:00:00Z", stated).0, (Some("stale"), Some("possibly"), 4));
    }
    // The Lease is fresh at `now`. If the files do not state when they were made, `now` is only the newest time in the
    // files. When the files were made, the Lease may have been stale for a long time. So the Lease shows nothing.
    let base = "Recorded as Pending, and the next syncs make it Bound.";
    assert_eq!(of("2026-01-02T00:59:59Z", false), ((None, None, 0), base.to_owned()));
    let lived =
        "The controller manager was alive at 2026-01-02T01:00:00Z (master-1_x had renewed its Lease 1s before).";
    assert_eq!(of("2026-01-02T00:59:59Z", true), ((Some("alive"), None, 4), format!("{base} {lived}")));
}

/// pvc-protection syncs a claim only after an event. So neither the elapsed time nor a second reading shows whether
/// this controller runs. A fresh Lease of kube-controller-manager does not show when this controller will act.
#[test]
fn an_object_that_waits_for_an_event_shows_nothing_of_the_controller() {
    let leaving = || {
        let deleted = json!({ "metadata": {
            "deletionTimestamp": "2026-01-02T00:00:00Z", "finalizers": ["kubernetes.io/pvc-protection"] } });
        let mut parts = parts(&[with(bound_pvc("data", "a"), deleted), bound_pv("a", "data")]);
        parts.now = Timestamp::parse("2026-01-02T01:00:00Z");
        parts
    };
    let times = ["2026-01-02T00:59:28Z", "2026-01-02T01:00:00Z"].map(|time| Timestamp::parse(time).unwrap());
    for (object, recorded, end) in [("pvc/data", "Bound", "Gone"), ("pv/a", "Bound", "Released")] {
        let base = format!("Recorded as {recorded}, and the next syncs make it {end}.");
        let (found, said) = diverging(leaving(), object, false, |_| ()).unwrap();
        assert_eq!((found.controller_not_running, found.resynced()), (None, false), "{object}");
        assert_eq!(
            said,
            format!("{base}\nThe controller acts on it after an event and not at a resync, so nobody knows when.")
        );
        let (found, said) = diverging(leaving(), object, false, |explanation| {
            let key = ObjectKey { kind: Kind::PersistentVolume, namespace: "".into(), name: "a".into() };
            explanation.add_same_reading(&key, &ResourceVersion::Recorded("11".into()), times);
            explanation.add_lease(&lease("2026-01-02T00:59:59Z"), times[1]);
        })
        .unwrap();
        assert_eq!((found.controller_not_running, found.controller_manager), (None, Some("alive")), "{object}");
        assert_eq!(said, format!("{base} The controller manager is alive (master-1_x renewed its Lease 1s ago)."));
        // A controller that does not run does not react to events.
        let stale = |explanation: &mut Explanation<'_>| explanation.add_lease(&lease(WRITTEN), times[1]);
        let (found, said) = diverging(leaving(), object, false, stale).unwrap();
        assert_eq!(found.controller_not_running, Some("probably"));
        let start =
            format!("Recorded as {recorded}, and the next syncs would make it {end}: probably the controller is");
        assert!(said.starts_with(&start), "{said}");
        assert_eq!(diverging(leaving(), object, true, |_| ()).unwrap().0.controller_not_running, None);
    }
}

/// In the first case, the binder does not act on the claim but on its volume: it makes the volume Available. In the
/// second case, the binder does not act on the volume but on the claim that gets it. In the third case, the binder acts
/// on the claim itself.
#[test]
fn the_partners_of_an_object_are_resynced_too() {
    let new = json!({ "status": { "phase": "Pending" } });
    for (volume, object) in [(with(pv("a"), new), "pvc/data"), (pv("a"), "pv/a"), (pv("a"), "pvc/data")] {
        let (found, _) = diverging(parts(&[pvc("data"), volume]), object, false, |_| ()).unwrap();
        assert!(found.resynced(), "{object}");
    }
}

#[test]
fn two_readings_that_show_the_same_are_evidence() {
    let times = ["2026-01-02T00:00:00Z", "2026-01-02T00:00:32Z"].map(|time| Timestamp::parse(time).unwrap());
    let key = ObjectKey { kind: Kind::PersistentVolumeClaim, namespace: "db".into(), name: "data".into() };
    let version = ResourceVersion::Recorded("11".into());
    let same = |explanation: &mut Explanation<'_>| explanation.add_same_reading(&key, &version, times);
    let now = || waiting(None, "2026-01-02T00:00:32Z");
    let (divergence, said) = diverging(now(), "pvc/data", false, same).unwrap();
    assert_eq!((divergence.controller_not_running, divergence.controller_manager), (Some("probably"), None));
    let reason = "it is the same at 2026-01-02T00:00:32Z as it was at 2026-01-02T00:00:00Z, and the controller syncs \
                  every object every 15s";
    let start =
        "Recorded as Pending, although a sync would already have made it Bound: probably the controller is not running";
    assert_eq!(said, format!("{start} ({reason})."));
    let entries: Vec<(&str, &str, &str)> =
        divergence.evidence.iter().map(|entry| (entry.object.as_str(), entry.field, entry.value.as_str())).collect();
    assert_eq!(
        entries,
        [
            ("pvc/data", "metadata.resourceVersion", "11"),
            ("pvc/data", "readAt", "2026-01-02T00:00:00Z"),
            ("pvc/data", "readAt", "2026-01-02T00:00:32Z"),
        ]
    );
    // kube-controller-manager can run although one of its controllers does nothing.
    let both = |explanation: &mut Explanation<'_>| {
        same(explanation);
        explanation.add_lease(&lease("2026-01-02T00:00:31Z"), times[1]);
    };
    let (divergence, said) = diverging(now(), "pvc/data", false, both).unwrap();
    assert_eq!((divergence.controller_not_running, divergence.controller_manager), (Some("probably"), Some("alive")));
    assert_eq!(
        said,
        format!(
            "Recorded as Pending, although a sync would already have made it Bound: probably \
             persistentvolume-binder-controller is not running ({reason}). The controller manager itself is alive \
             (master-1_x renewed its Lease 1s ago): its log and its flag --controllers show why this controller does \
             nothing."
        )
    );
    // An object that is being deleted waits for another controller, which has no resync. So a second reading shows
    // nothing.
    let mut unused = parts(&[with(bound_pvc("data", "a"), deleted()), bound_pv("a", "data")]);
    unused.now = Some(times[1]);
    let (divergence, said) = diverging(unused, "pvc/data", false, both).unwrap();
    assert_eq!(divergence.controller_not_running, None);
    assert!(!said.contains("not running"), "{said}");
    let moved = |explanation: &mut Explanation<'_>| explanation.set_moved();
    let (divergence, said) = diverging(now(), "pvc/data", false, moved).unwrap();
    assert_eq!((divergence.controller_not_running, divergence.evidence.len()), (None, 0));
    assert!(
        said.ends_with(
            "\nThe object, or something that decides its state, changed after the first reading; this is \
                        the second reading."
        ),
        "{said}"
    );
}
