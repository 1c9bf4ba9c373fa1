//! The fate of data, and the fate of objects that the controller has not seen yet. Each test is a small world, with the
//! rule that decides the fate.
#![expect(clippy::unwrap_used, reason = "a world that cannot be made is a failed test")]

use crate::support::Run;
use pvctl::controllers::persistent_volume::reclaim::DataFate;
use pvctl::controllers::{KubernetesBehavior, persistent_volume, pv_protection};
use pvctl::engines::{settle, simulation};
use pvctl::model::Kind;
use pvctl::simulate::component::components;
use pvctl::simulate::{Outcome, Settings};
use pvctl::snapshot::{ClaimId, Coverage, CoverageEntry, CoverageState, Item, Parts, Snapshot, decode};
use pvctl::world::Cached;
use serde_json::{Value, json};

fn snapshot(objects: &[Value]) -> Snapshot {
    with_coverage(objects, Coverage::complete())
}

fn with_coverage(objects: &[Value], coverage: Coverage) -> Snapshot {
    let mut parts = Parts { coverage, ..Parts::default() };
    for object in objects {
        match decode::decode(object.to_string().as_bytes(), "test").unwrap() {
            Item::Object(object) => parts.objects.push(object),
            Item::Skipped(_) => {}
        }
    }
    Snapshot::new(parts)
}

/// Returns the coverage of a reading in which one kind has this state and all other kinds were read completely.
fn complete_but(kind: Kind, state: CoverageState) -> Coverage {
    let mut coverage = Coverage::complete();
    coverage.set(CoverageEntry::new(kind, None, state));
    coverage
}

fn volume(path: &str, terminating: bool) -> Value {
    let mut volume = json!({
        "apiVersion": "v1", "kind": "PersistentVolume",
        "metadata": { "name": "pv-1", "uid": "v-1", "resourceVersion": "1", "finalizers": ["kubernetes.io/pv-protection"] },
        "spec": {
            "accessModes": ["ReadWriteOnce"], "capacity": { "storage": "1Gi" }, "hostPath": { "path": path },
            "persistentVolumeReclaimPolicy": "Delete", "storageClassName": "a", "volumeMode": "Filesystem",
            "claimRef": { "apiVersion": "v1", "kind": "PersistentVolumeClaim", "namespace": "db", "name": "gone", "uid": "c-0" },
        },
        "status": { "phase": "Released" },
    });
    if terminating {
        volume["metadata"]["deletionTimestamp"] = "2026-06-01T10:00:00Z".into();
        volume["metadata"]["deletionGracePeriodSeconds"] = 0.into();
    }
    volume
}

fn ends_of_volume(snapshot: &Snapshot, settings: &Settings<'_>) -> Vec<Outcome> {
    let component = &components(snapshot, settings)[0];
    settle(snapshot, settings, component).sets[0].listed.to_vec()
}

fn gone(data: DataFate) -> Outcome {
    Outcome::Gone { data: Some(data), unsettled: false }
}

/// The host-path deleter removes the data below `/tmp/`. Then the controller deletes the volume
/// (`docs/controllers/reclaiming.md`). pv-protection removes its finalizer from a volume that is not Bound.
#[test]
fn a_released_host_path_below_tmp_loses_its_data() {
    let snapshot = snapshot(&[volume("/tmp/x", false)]);
    assert_eq!(ends_of_volume(&snapshot, &Settings::new(KubernetesBehavior::default())), [gone(DataFate::Destroyed)]);
}

/// The deleter (DO8) and pv-protection (X11) both act on a volume that is being deleted. Their order decides about the
/// data, so both fates are outcomes.
#[test]
fn a_terminating_host_path_below_tmp_may_lose_its_data() {
    let snapshot = snapshot(&[volume("/tmp/x", true)]);
    let both = [gone(DataFate::Kept), gone(DataFate::Destroyed)];
    assert_eq!(ends_of_volume(&snapshot, &Settings::new(KubernetesBehavior::default())), both);
    let mut bounded = Settings::new(KubernetesBehavior::default());
    bounded.budget.states = 0;
    let ends = ends_of_volume(&snapshot, &bounded);
    assert!(both.iter().all(|end| ends.contains(end)), "{ends:?}");
}

/// The deleter refuses this path, so the data are kept. The volume is Failed until pv-protection removes its finalizer.
#[test]
fn a_terminating_host_path_elsewhere_keeps_its_data() {
    let snapshot = snapshot(&[volume("/mnt/x", true)]);
    assert_eq!(ends_of_volume(&snapshot, &Settings::new(KubernetesBehavior::default())), [gone(DataFate::Kept)]);
}

/// In 1.36 the controller asks the API server before it treats a claim as deleted. The cache becomes current later, so
/// volume and claim end Bound. In 1.14 the volume becomes Released for a time, and in this time a driver could delete
/// its storage.
#[test]
fn a_claim_that_the_cache_has_not_seen_yet_is_bound_in_the_end() {
    let mut volume = volume("/mnt/x", false);
    volume["spec"]["claimRef"] = json!({
        "apiVersion": "v1", "kind": "PersistentVolumeClaim", "namespace": "db", "name": "data", "uid": "c-1",
    });
    volume["spec"]["persistentVolumeReclaimPolicy"] = "Retain".into();
    volume["status"]["phase"] = "Pending".into();
    let claim = json!({
        "apiVersion": "v1", "kind": "PersistentVolumeClaim",
        "metadata": {
            "name": "data", "namespace": "db", "uid": "c-1", "resourceVersion": "2",
            "finalizers": ["kubernetes.io/pvc-protection"],
        },
        "spec": {
            "accessModes": ["ReadWriteOnce"], "resources": { "requests": { "storage": "1Gi" } },
            "storageClassName": "a", "volumeMode": "Filesystem",
        },
        "status": { "phase": "Pending" },
    });
    let snapshot = snapshot(&[volume, claim]);
    for (version, phases) in [("1.36", &["Bound"][..]), ("1.14", &["Bound"])] {
        let behavior = KubernetesBehavior::of(pvctl::controllers::KubeVersion::parse(version).unwrap());
        let mut settings = Settings { controllers: vec![persistent_volume::CONTROLLER], ..Settings::new(behavior) };
        settings.controller.lag(ClaimId::new(0), Cached::Unseen);
        let component = &components(&snapshot, &settings)[0];
        let settled = settle(&snapshot, &settings, component);
        let found: Vec<&str> = settled.sets[0].listed.iter().map(Outcome::phase).collect();
        assert_eq!(found, phases, "the volume under the rules of {version}");
        assert_eq!(settled.sets[1].listed.iter().map(Outcome::phase).collect::<Vec<_>>(), ["Bound"], "{version}");
    }
}

/// Unknown is not absent. A pod that may not be listed may use the claim (X3), and then the claim keeps its volume
/// Bound. So the ends of both objects are unknown, and the answer does not say that the volume ends Released.
#[test]
fn hidden_pods_make_the_ends_of_claim_and_volume_unknown() {
    let mut volume = volume("/mnt/x", false);
    volume["spec"]["claimRef"] = json!({
        "apiVersion": "v1", "kind": "PersistentVolumeClaim", "namespace": "db", "name": "data", "uid": "c-1",
    });
    volume["status"]["phase"] = "Bound".into();
    let claim = json!({
        "apiVersion": "v1", "kind": "PersistentVolumeClaim",
        "metadata": {
            "name": "data", "namespace": "db", "uid": "c-1", "resourceVersion": "2",
            "annotations": { "pv.kubernetes.io/bind-completed": "yes" },
            "finalizers": ["kubernetes.io/pvc-protection"],
            "deletionTimestamp": "2026-06-01T10:00:00Z", "deletionGracePeriodSeconds": 0,
        },
        "spec": {
            "accessModes": ["ReadWriteOnce"], "resources": { "requests": { "storage": "1Gi" } },
            "storageClassName": "a", "volumeMode": "Filesystem", "volumeName": "pv-1",
        },
        "status": { "phase": "Bound" },
    });
    for (state, known) in [(CoverageState::Complete, true), (CoverageState::Forbidden, false)] {
        let snapshot = with_coverage(&[volume.clone(), claim.clone()], complete_but(Kind::Pod, state));
        let simulation = simulation(&snapshot, Settings::new(KubernetesBehavior::default()), 1);
        for target in simulation.targets() {
            let prediction = simulation.predict(target);
            assert_eq!(prediction.outcomes.is_some(), known, "{target:?} with pods {state:?}");
            assert_eq!(prediction.unknown.iter().any(|unknown| unknown.field == "outcomes"), !known, "{target:?}");
        }
        assert_eq!(
            simulation.joint(1).is_some(),
            known,
            "if the outcomes are unknown, the joint outcomes must be unknown, too"
        );
    }
}

/// A claim that is being deleted and has no finalizer will be deleted. Then pods decide whether its volume is recycled.
/// Upstream: `recycleVolumeOperation` (`isVolumeUsed`), 1.36.
#[test]
fn pods_that_are_hidden_may_keep_a_volume_from_being_recycled() {
    let mut volume = volume("/data", false);
    volume["spec"]["persistentVolumeReclaimPolicy"] = "Recycle".into();
    volume["spec"]["claimRef"] = json!({
        "apiVersion": "v1", "kind": "PersistentVolumeClaim", "namespace": "db", "name": "data", "uid": "c-1",
    });
    let claim = json!({
        "apiVersion": "v1", "kind": "PersistentVolumeClaim",
        "metadata": {
            "name": "data", "namespace": "db", "uid": "c-1", "resourceVersion": "2",
            "deletionTimestamp": "2026-06-01T10:00:00Z", "deletionGracePeriodSeconds": 0,
        },
        "spec": {
            "accessModes": ["ReadWriteOnce"], "resources": { "requests": { "storage": "1Gi" } },
            "storageClassName": "a", "volumeMode": "Filesystem",
        },
        "status": { "phase": "Pending" },
    });
    for (state, known) in [(CoverageState::Complete, true), (CoverageState::Forbidden, false)] {
        let snapshot = with_coverage(&[volume.clone(), claim.clone()], complete_but(Kind::Pod, state));
        let simulation = simulation(&snapshot, Settings::new(KubernetesBehavior::default()), 1);
        let prediction = simulation.predict(simulation.targets().next().unwrap());
        assert_eq!(prediction.outcomes.is_some(), known, "with pods {state:?}");
    }
}

/// If two volumes are recycled by one plugin at the same time, both recyclings can fail. So the end of a single
/// recycled volume depends on the complete list of volumes. Upstream: `Recycle` (`pkg/volume/nfs`,
/// `pkg/volume/hostpath`), 1.36.
#[test]
fn a_volume_that_nobody_saw_could_be_recycled_at_the_same_time() {
    let mut recycled = volume("/data", true);
    recycled["spec"]["persistentVolumeReclaimPolicy"] = "Recycle".into();
    for field in ["deletionTimestamp", "deletionGracePeriodSeconds"] {
        recycled["metadata"].as_object_mut().unwrap().remove(field);
    }
    let mut kept = recycled.clone();
    kept["spec"]["persistentVolumeReclaimPolicy"] = "Retain".into();
    for (volume, matters) in [(recycled, true), (kept, false)] {
        for (state, assumed, unknown) in [
            (CoverageState::Complete, false, false),
            (CoverageState::Assumed, true, false),
            (CoverageState::Forbidden, false, true),
        ] {
            let kind = Kind::PersistentVolume;
            let snapshot = with_coverage(std::slice::from_ref(&volume), complete_but(kind, state));
            let simulation = simulation(&snapshot, Settings::new(KubernetesBehavior::default()), 1);
            let prediction = simulation.predict(simulation.targets().next().unwrap());
            let rests = prediction.assumed.iter().any(|assumed| assumed.kind == kind);
            assert_eq!(rests, matters && assumed, "{state:?}");
            assert_eq!(prediction.outcomes.is_none(), matters && unknown, "{state:?}");
        }
    }
}

/// The same holds for a volume that was read, but has an unknown end.
#[test]
fn a_volume_of_an_unreadable_claim_could_be_recycled_at_the_same_time() {
    let recycled = |name: &str, namespace: &str| {
        let mut recycled = volume("/data", true);
        recycled["metadata"]["name"] = name.into();
        recycled["metadata"]["uid"] = name.into();
        recycled["spec"]["persistentVolumeReclaimPolicy"] = "Recycle".into();
        recycled["spec"]["claimRef"]["namespace"] = namespace.into();
        for field in ["deletionTimestamp", "deletionGracePeriodSeconds"] {
            recycled["metadata"].as_object_mut().unwrap().remove(field);
        }
        recycled
    };
    for (hidden, known) in [(false, true), (true, false)] {
        let mut coverage = Coverage::complete();
        if hidden {
            let (kind, state) = (Kind::PersistentVolumeClaim, CoverageState::Forbidden);
            let namespace = Some("b".into());
            coverage.set(CoverageEntry::new(kind, namespace, state));
        }
        let snapshot = with_coverage(&[recycled("pv-1", "a"), recycled("pv-2", "b")], coverage);
        let simulation = simulation(&snapshot, Settings::new(KubernetesBehavior::default()), 1);
        let first = simulation.predict(simulation.targets().next().unwrap());
        assert_eq!(first.outcomes.is_some(), known);
        // If the ends of both volumes are known, each recycling can fail.
        assert_eq!(first.outcomes.map(|ends| ends.count), known.then_some(2));
    }
}

/// In the JSON output a value that a dry run cannot know is a placeholder, `<uid>`. The controller names a provisioned
/// volume after the uid of the claim (`pvc-UID`). If two claims were never stored by a server, the names of both
/// volumes are printed as `pvc-<uid>`.
#[test]
fn a_volume_named_after_a_uid_that_nobody_knows_shows_the_placeholder() {
    let class = r#"{"apiVersion":"storage.k8s.io/v1","kind":"StorageClass","metadata":{"name":"hp"},
        "provisioner":"kubernetes.io/host-path"}"#;
    let claim = |name: &str| {
        json!({
            "apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": {"name": name, "namespace": "db"},
            "spec": {
                "accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}},
                "storageClassName": "hp",
            },
        })
    };
    let input = format!("{class}{}{}", claim("a"), claim("b"));
    let flag = ["-f", "-", "--controller-flag", "enable-hostpath-provisioner=true"];
    for verb in [
        &["predict"][..],
        &["predict", "-o", "wide"],
        &["predict", "-o", "json", "--trace", "--failures"],
        &["explain", "pvc/a", "-n", "db"],
        &["explain", "pvc/a", "-n", "db", "-o", "json", "--trace"],
        &["match", "pvc/a", "-n", "db", "-o", "json"],
    ] {
        let run = Run::new(&[verb, &flag].concat()).stdin(input.as_bytes()).finish();
        assert_eq!(run.code, Some(0), "{verb:?}: {}", run.stderr);
        assert_eq!(run.stdout.contains("pvc-<uid>"), verb[0] != "match", "{verb:?}: {}", run.stdout);
        assert!(!run.stdout.contains("<uid>db"), "{verb:?}: {}", run.stdout);
    }
    let run = Run::new(&[&["predict", "-o", "json"], &flag[..]].concat()).stdin(input.as_bytes()).finish();
    let document: Value = serde_json::from_str(&run.stdout).unwrap();
    for item in document["items"].as_array().unwrap() {
        assert_eq!(
            item["outcomes"],
            json!([{"phase": "Bound", "volumeName": "pvc-<uid>"}]),
            "each claim must get a volume of its own"
        );
        let decision = &item["decisions"][0];
        assert_eq!(decision["writes"][1]["name"], "pvc-<uid>");
        assert_eq!(decision["writes"][1]["object"]["metadata"]["name"], "pvc-<uid>");
        let message = "Successfully provisioned volume pvc-<uid> using kubernetes.io/host-path";
        assert_eq!(decision["events"][0]["message"], message);
    }
}

/// The volume is being deleted, has policy Recycle, and its claim is gone. pv-protection removes its finalizer as soon
/// as the volume is not Bound. Meanwhile the controller starts the recycler pod (RO6). This pod may or may not finish,
/// so the data are kept or scrubbed. No pod is started in four cases: the volume is still in use (RO3), no plugin
/// recycles its source (RO4), the volume never had a claim, or the controller is switched off.
#[test]
fn a_terminating_recycled_volume_may_be_scrubbed_before_it_is_gone() {
    let recycled = |change: &dyn Fn(&mut Value)| {
        let mut volume = volume("/data", true);
        volume["spec"]["persistentVolumeReclaimPolicy"] = "Recycle".into();
        change(&mut volume);
        volume
    };
    let (kept, both) = ([gone(DataFate::Kept)], [gone(DataFate::Kept), gone(DataFate::Scrubbed)]);
    let user = json!({
        "apiVersion": "v1", "kind": "Pod", "metadata": {"name": "user", "namespace": "db", "uid": "p"},
        "spec": {"volumes": [{"name": "v", "persistentVolumeClaim": {"claimName": "gone"}}]},
        "status": {"phase": "Running"},
    });
    let csi = json!({"driver": "d", "volumeHandle": "h"});
    let of_source = |volume: &mut Value| {
        volume["spec"]["csi"] = csi.clone();
        volume["spec"].as_object_mut().unwrap().remove("hostPath");
    };
    let settings = Settings::new(KubernetesBehavior::default());
    for (name, objects, expected) in [
        ("released", vec![recycled(&|_| {})], &both[..]),
        ("still Bound", vec![recycled(&|volume| volume["status"]["phase"] = "Bound".into())], &both),
        ("in use", vec![recycled(&|_| {}), user], &kept),
        ("nothing recycles it", vec![recycled(&of_source)], &kept),
        ("reserved", vec![recycled(&|volume| volume["spec"]["claimRef"]["uid"] = "".into())], &kept),
        (
            "retained",
            vec![recycled(&|volume| volume["spec"]["persistentVolumeReclaimPolicy"] = "Retain".into())],
            &kept,
        ),
    ] {
        let snapshot = snapshot(&objects);
        assert_eq!(ends_of_volume(&snapshot, &settings), expected, "{name}");
        let mut bounded = settings.clone();
        bounded.budget.states = 0;
        let ends = ends_of_volume(&snapshot, &bounded);
        assert!(expected.iter().all(|end| ends.contains(end)), "{name}: {ends:?}");
    }
    let snapshot = snapshot(&[recycled(&|_| {})]);
    let controllers = vec![pv_protection::CONTROLLER];
    assert_eq!(ends_of_volume(&snapshot, &Settings { controllers, ..settings.clone() }), kept);
    let component = &components(&snapshot, &settings)[0];
    let joint = settle(&snapshot, &settings, component).worlds.unwrap();
    assert_eq!(joint, both.map(|end| vec![end]), "the joint outcomes must be the outcomes of the volume");
    // While the volume exists, the pod ends at some time. If the pod fails, another one is started.
    let mut staying = recycled(&|_| {});
    for field in ["deletionTimestamp", "deletionGracePeriodSeconds"] {
        staying["metadata"].as_object_mut().unwrap().remove(field);
    }
    let ends = ends_of_volume(&self::snapshot(&[staying]), &settings);
    assert!(matches!(ends.as_slice(), [Outcome::Volume { data: Some(DataFate::Scrubbed), .. }]), "{ends:?}");
}
