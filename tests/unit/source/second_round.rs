//! Tests of `pvctl::source::second_round`.

use pvctl::model::{
    AnnotationKey, BindingMode, ClaimRef, Kind, ObjectMeta, Objects, PersistentVolume, PersistentVolumeClaim,
    ReclaimPolicy, SourceKind, StorageClass, Str, Timestamp, VolumePhase,
};
use pvctl::snapshot::{Coverage, Parts};
use pvctl::source::second_round::MOST_NAMESPACES;
use pvctl::source::{Needs, second_round};

fn claim(namespace: &str, class: Option<&str>) -> PersistentVolumeClaim {
    PersistentVolumeClaim {
        meta: ObjectMeta { namespace: namespace.into(), name: "data".into(), uid: "u".into(), ..ObjectMeta::default() },
        class_name: class.map(Str::from),
        ..PersistentVolumeClaim::default()
    }
}

fn class(name: &str, mode: BindingMode, default: bool) -> StorageClass {
    let mut class = StorageClass {
        meta: ObjectMeta { name: name.into(), ..ObjectMeta::default() },
        binding_mode: Some(mode),
        ..StorageClass::default()
    };
    if default {
        class.meta.annotations.set(AnnotationKey::IsDefaultClass, "true");
    }
    class
}

fn parts(claims: Vec<PersistentVolumeClaim>, classes: Vec<StorageClass>) -> Parts {
    Parts {
        objects: Objects { claims, classes, ..Objects::default() },
        coverage: Coverage::complete(),
        ..Parts::default()
    }
}

/// Returns the namespaces whose pods are read. A star stands for all of them.
fn pod_namespaces(parts: &Parts, needs: Needs<'_>) -> Vec<String> {
    let lists = second_round(parts, needs).into_iter().filter(|(kind, _)| *kind == Kind::Pod);
    lists.map(|(_, namespace)| namespace.map_or_else(|| "*".to_owned(), |namespace| namespace.to_string())).collect()
}

/// Returns the namespaces whose pods are read. Checks that nothing else is read.
fn pods_in(parts: &Parts) -> Vec<String> {
    let kinds: Vec<Kind> = second_round(parts, Needs::default()).into_iter().map(|(kind, _)| kind).collect();
    assert!(kinds.iter().all(|kind| *kind == Kind::Pod), "{kinds:?}");
    pod_namespaces(parts, Needs::default())
}

#[test]
fn pods_only_where_a_claim_is_terminating_or_waits() {
    let waiting = class("slow", BindingMode::WaitForFirstConsumer, false);
    let immediate = class("fast", BindingMode::Immediate, true);
    let mut bound = claim("a", Some("slow"));
    bound.volume_name = "pv-1".into();
    let mut leaving = claim("b", Some("fast"));
    leaving.meta.deleted = Some(Timestamp(1));
    leaving.volume_name = "pv-2".into();
    let claims = vec![
        bound,
        leaving,
        claim("c", Some("slow")),
        claim("d", Some("fast")),
        claim("e", Some("none")),
        claim("f", None),
    ];
    assert_eq!(pods_in(&parts(claims, vec![waiting, immediate])), ["b", "c"]);
}

/// With the gate, `processPVC` also reads the pods of each claim that is not being deleted.
#[test]
fn with_the_condition_unused_the_pods_of_every_claim_count() {
    let mut bound = claim("a", Some("fast"));
    bound.volume_name = "pv-1".into();
    let world = parts(vec![bound], vec![class("fast", BindingMode::Immediate, false)]);
    assert_eq!(second_round(&world, Needs::default()), []);
    let needs = Needs { unused_condition: true, ..Needs::default() };
    assert_eq!(second_round(&world, needs), [(Kind::Pod, Some("a".into()))]);
}

/// `explain` shows the users of an object even if no decision needs pods.
#[test]
fn the_users_of_one_object_are_looked_for() {
    let mut bound = claim("a", Some("fast"));
    bound.volume_name = "pv-1".into();
    let mut world = parts(vec![bound], vec![class("fast", BindingMode::Immediate, false)]);
    let named = |namespace: &str| PersistentVolume {
        meta: ObjectMeta { name: "pv-1".into(), ..ObjectMeta::default() },
        claim_ref: Some(ClaimRef { namespace: namespace.into(), name: "data".into(), ..ClaimRef::default() }),
        ..PersistentVolume::default()
    };
    let pods = |world: &Parts, kind, namespace, name| {
        second_round(world, Needs { users_of: Some((kind, namespace, name)), ..Needs::default() })
    };
    assert_eq!(pods(&world, Kind::PersistentVolumeClaim, "x", "data"), [(Kind::Pod, Some("x".into()))]);
    world.objects.volumes = vec![named("b")];
    let both = [(Kind::Pod, Some("a".into())), (Kind::Pod, Some("b".into()))];
    assert_eq!(pods(&world, Kind::PersistentVolume, "x", "pv-1"), both);
    world.objects.volumes = vec![named("")];
    assert_eq!(pods(&world, Kind::PersistentVolume, "x", "pv-1"), both[..1]);
    assert_eq!(pods(&world, Kind::StorageClass, "x", "fast"), []);
}

/// Rules examine pods that no decision reads, and surrounding kinds.
#[test]
fn an_audit_reads_what_its_rules_rest_on() {
    let mut bound = claim("a", Some("fast"));
    bound.volume_name = "pv-1".into();
    let world = parts(vec![bound], vec![class("fast", BindingMode::Immediate, false)]);
    let lists = |needs| second_round(&world, needs);
    assert_eq!(lists(Needs { pods_of: Some(None), ..Needs::default() }), [(Kind::Pod, None)]);
    let shown = Needs { pods_of: Some(Some("x")), ..Needs::default() };
    assert_eq!(lists(shown), [(Kind::Pod, Some("x".into()))]);
    let namespaces = Needs { namespaces: true, surroundings: &[Kind::Event], ..Needs::default() };
    assert_eq!(lists(namespaces), [(Kind::Namespace, None), (Kind::Event, None)]);
    assert_eq!(lists(Needs { surroundings: &[Kind::Namespace], ..namespaces }), [(Kind::Namespace, None)]);
    let around = Needs { surroundings: &[Kind::CsiNode, Kind::Event], ..Needs::default() };
    assert_eq!(lists(around), [(Kind::CsiNode, None), (Kind::Event, None)]);
}

/// Later commands may ask a snapshot about any object in it.
#[test]
fn for_a_snapshot_all_pods_that_could_use_a_claim_are_looked_for() {
    let mut bound = claim("a", Some("fast"));
    bound.volume_name = "pv-1".into();
    let mut world = parts(vec![bound], vec![class("fast", BindingMode::Immediate, false)]);
    world.objects.volumes = ["b", ""]
        .map(|namespace| PersistentVolume {
            claim_ref: Some(ClaimRef { namespace: namespace.into(), name: "data".into(), ..ClaimRef::default() }),
            ..PersistentVolume::default()
        })
        .into();
    assert_eq!(second_round(&world, Needs::default()), []);
    let lists = second_round(&world, Needs { everything: true, ..Needs::default() });
    let (deciding, around) = lists.split_at(3);
    assert_eq!(deciding, [(Kind::Pod, Some("a".into())), (Kind::Pod, Some("b".into())), (Kind::Node, None)]);
    assert_eq!(around, Kind::SURROUNDING.map(|kind| (kind, None)));
}

#[test]
fn a_claim_without_a_class_waits_when_the_default_does() {
    let waiting = class("slow", BindingMode::WaitForFirstConsumer, true);
    let claims = vec![claim("a", None), claim("b", Some(""))];
    assert_eq!(pods_in(&parts(claims, vec![waiting])), ["a"]);
}

#[test]
fn hidden_classes_may_all_wait() {
    let mut hidden = parts(vec![claim("a", Some("x")), claim("b", None), claim("c", Some(""))], Vec::new());
    hidden.coverage = Coverage::default();
    assert_eq!(pods_in(&hidden), ["a", "b"]);
}

#[test]
fn recycling_looks_for_pods_of_the_claim_that_is_gone() {
    let recycled = |namespace: &str, uid: &str| PersistentVolume {
        reclaim_policy: ReclaimPolicy::Recycle,
        claim_ref: Some(ClaimRef {
            namespace: namespace.into(),
            name: "data".into(),
            uid: uid.into(),
            ..ClaimRef::default()
        }),
        ..PersistentVolume::default()
    };
    let mut world = parts(vec![claim("held", Some("fast"))], Vec::new());
    let mut retained = recycled("kept", "u");
    retained.reclaim_policy = ReclaimPolicy::Retain;
    world.objects.volumes = vec![recycled("held", "u"), recycled("gone", "u"), recycled("reserved", ""), retained];
    assert_eq!(pods_in(&world), ["gone"]);
    world.objects.volumes.push(recycled("held", "other"));
    assert_eq!(pods_in(&world), ["gone", "held"]);
}

/// A pod that erases a volume may have started before the policy became Retain. It continues after the claimRef was
/// changed.
#[test]
fn recyclers_are_looked_for_where_one_may_be_at_work() {
    let world = |kind: SourceKind, phase: VolumePhase, policy: ReclaimPolicy| {
        let mut volume = PersistentVolume { reclaim_policy: policy, ..PersistentVolume::default() };
        volume.meta.name = "pv-1".into();
        volume.source.kind = kind;
        volume.status.phase = phase;
        Parts { objects: Objects { volumes: vec![volume], ..Objects::default() }, ..parts(Vec::new(), Vec::new()) }
    };
    let read = |kind: SourceKind, phase: VolumePhase, policy: ReclaimPolicy| {
        let world = world(kind, phase, policy);
        let asked = [
            Needs::default(),
            Needs { recyclers: true, ..Needs::default() },
            Needs { everything: true, ..Needs::default() },
        ];
        asked.map(|needs| pod_namespaces(&world, needs).join(" "))
    };
    for phase in [VolumePhase::Available, VolumePhase::Released, VolumePhase::Failed, VolumePhase::Pending] {
        for policy in [ReclaimPolicy::Retain, ReclaimPolicy::Delete, ReclaimPolicy::Recycle] {
            let read = |kind| read(kind, phase.clone(), policy.clone());
            assert_eq!(read(SourceKind::Nfs), ["", "default", "default"]);
            assert_eq!(read(SourceKind::HostPath), ["", "default", "default"]);
            assert_eq!(read(SourceKind::Csi), ["", "", ""]);
        }
    }
    assert_eq!(read(SourceKind::Nfs, VolumePhase::Bound, ReclaimPolicy::Retain), ["", "", ""]);
    // The claim of a Bound volume may be deleted later.
    assert_eq!(read(SourceKind::Nfs, VolumePhase::Bound, ReclaimPolicy::Recycle), ["", "default", "default"]);
    assert_eq!(read(SourceKind::Csi, VolumePhase::Bound, ReclaimPolicy::Recycle), ["", "", ""]);
    // What is read about one named volume does not depend on other volumes.
    let free = world(SourceKind::Nfs, VolumePhase::Available, ReclaimPolicy::Retain);
    let named = |name| {
        let users_of = Some((Kind::PersistentVolume, "", name));
        pod_namespaces(&free, Needs { recyclers: true, users_of, ..Needs::default() }).len()
    };
    assert_eq!((named("pv-1"), named("pv-2")), (1, 0));
}

#[test]
fn many_namespaces_are_one_list_and_nodes_are_for_host_paths() {
    let claims = (0..=MOST_NAMESPACES)
        .map(|n| {
            let mut leaving = claim(&format!("ns-{n}"), Some("fast"));
            leaving.meta.deleted = Some(Timestamp(1));
            leaving
        })
        .collect();
    let world = parts(claims, Vec::new());
    assert_eq!(
        second_round(&world, Needs { host_path_provisioning: true, ..Needs::default() }),
        [(Kind::Pod, None), (Kind::Node, None)]
    );
    assert_eq!(second_round(&parts(Vec::new(), Vec::new()), Needs::default()), []);
}
