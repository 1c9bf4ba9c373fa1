//! Differences between minor versions (`docs/controllers/versions.md`): the booleans of [`KubernetesBehavior`] and the
//! decisions that depend on them.

use super::build::{claim, class, volume};
use super::case::case;
use pvctl::controllers::{BehaviorError, KubeVersion, KubernetesBehavior, SchedulerBehavior};
use pvctl::model::{Kind, ListForm};
use pvctl::world::{Read, WithoutNamespace};
use serde_json::json;

fn of(minor: u32) -> KubernetesBehavior {
    KubernetesBehavior::of(KubeVersion::modelled(minor).unwrap())
}

fn with(minor: u32, gate: &str, state: bool) -> KubernetesBehavior {
    let mut behavior = of(minor);
    behavior.set_gate(gate, state).unwrap();
    behavior
}

/// Returns the minor versions that have a line in `MODELLED`.
fn modelled() -> impl Iterator<Item = u32> {
    let all = KubeVersion::all().filter(|version| *version != KubeVersion::HISTORICAL);
    all.map(|version| version.to_string()["1.".len()..].parse().unwrap())
}

/// Returns the modelled minor versions for which the function returns true by default.
fn minors(rule: impl Fn(&KubernetesBehavior) -> bool) -> Vec<u32> {
    modelled().filter(|minor| rule(&of(*minor))).collect()
}

#[test]
fn each_behavior_holds_in_the_minors_of_the_pages() {
    assert_eq!(minors(|behavior| behavior.errors_are_retried), [36]);
    assert_eq!(minors(|behavior| behavior.default_class_for_empty_class), [28, 29]);
    assert_eq!(minors(|behavior| behavior.static_csi_is_external), [30, 31, 32, 33, 34, 35, 36]);
    assert_eq!(minors(|behavior| behavior.attributes_class_compared), [31, 32, 33, 34, 35, 36]);
    assert_eq!(minors(|behavior| behavior.attributes_class), [34, 35, 36]);
    assert_eq!(minors(|behavior| behavior.deletion_finalizers), [31, 32, 33, 34, 35, 36]);
    assert_eq!(minors(|behavior| behavior.skip_delete_when_terminating), [28, 29, 30]);
    assert_eq!(minors(|behavior| behavior.delete_plugin_first), [36]);
    assert_eq!(minors(|behavior| behavior.unused_condition), [0_u32; 0]);
    assert_eq!(minors(|behavior| behavior.portworx_migrated), [31, 32, 33, 34, 35, 36]);
    assert_eq!(minors(|behavior| behavior.kubelets_lack_ceph), [34, 35, 36]);
    assert_eq!(minors(|behavior| behavior.rbd_in_tree), [28, 29, 30]);
    assert_eq!(minors(|behavior| behavior.portworx_in_tree), [28, 29, 30, 31, 32, 33, 34, 35]);
    assert_eq!(minors(|behavior| behavior.value_lists == ListForm::Go), [28, 29, 30, 31, 32, 33]);
    assert_eq!(minors(|behavior| behavior.without_namespace == WithoutNamespace::Refused), [28, 29, 30]);
    assert_eq!(minors(|behavior| behavior.selected_node_ends_delay), [0_u32; 0]);
    assert_eq!(minors(|behavior| behavior.recheck_only_bound_by_controller), [0_u32; 0]);
    assert_eq!(minors(|behavior| behavior.requests_can_be_lowered), [32, 33, 34, 35, 36]);
    let scheduler = |holds: fn(&SchedulerBehavior) -> bool| minors(move |behavior| holds(&behavior.scheduler));
    assert_eq!(scheduler(|behavior| behavior.features_are_declared), [36]);
    assert_eq!(scheduler(|behavior| behavior.device_classes_have_resources), [36]);
    assert_eq!(scheduler(|behavior| behavior.requests_can_be_unresolvable), [34, 35, 36]);
    assert_eq!(scheduler(|behavior| behavior.taint_is_named), [28, 29, 30, 31, 32, 33]);
    assert_eq!(scheduler(|behavior| behavior.claim_in_use.starts_with("node has pod")), [28, 29, 30, 31, 32, 33]);
    assert_eq!(scheduler(|behavior| behavior.volume_affinity_conflict.contains("had")), [28, 29, 30, 31, 32]);
    assert_eq!(scheduler(|behavior| behavior.attachments_count), [32, 33, 34, 35, 36]);
    assert_eq!(scheduler(|behavior| behavior.node_states_limits), [28, 29, 30, 31]);
    assert_eq!(scheduler(|behavior| behavior.in_tree_limits), [28, 29, 30]);
    assert_eq!(scheduler(|behavior| behavior.sidecar_ports_count), [33, 34, 35, 36]);
    assert_eq!(scheduler(|behavior| behavior.left_out_nodes_have_reasons), [32, 33, 34, 35, 36]);
}

/// `docs/two-bugs.md` states this rule.
#[test]
fn the_historical_version_is_the_oldest_one_with_two_bugs() {
    let oldest = of(28);
    let mut historical = of(14);
    assert!(historical.selected_node_ends_delay && historical.recheck_only_bound_by_controller);
    historical.selected_node_ends_delay = false;
    historical.recheck_only_bound_by_controller = false;
    historical.version = oldest.version;
    historical.gates.clone_from(&oldest.gates);
    assert_eq!(historical, oldest);
}

#[test]
fn flags_have_the_defaults_of_the_controller_manager() {
    for minor in modelled() {
        let behavior = of(minor);
        assert!(
            behavior.dynamic_provisioning && !behavior.hostpath_provisioning && behavior.resync_seconds == 15,
            "{minor}"
        );
    }
    let mut behavior = of(36);
    behavior.set_flag("pvclaimbinder-sync-period", "2m").unwrap();
    assert_eq!(behavior.resync_seconds, 120);
    assert_eq!(behavior.set_flag("cluster-name", "x"), Err(BehaviorError::UnknownFlag("cluster-name".into())));
    let bad = BehaviorError::BadFlagValue("enable-dynamic-provisioning".into(), "perhaps".into());
    assert_eq!(behavior.set_flag("enable-dynamic-provisioning", "perhaps"), Err(bad));
}

#[test]
fn each_gate_changes_the_behavior_that_it_controls() {
    for minor in 28..=30 {
        let behavior = with(minor, "HonorPVReclaimPolicy", true);
        assert!(behavior.deletion_finalizers && !behavior.skip_delete_when_terminating, "{minor}");
        assert_eq!(behavior.static_csi_is_external, minor == 30, "{minor}");
        assert!(with(minor, "CSIMigrationPortworx", true).portworx_migrated, "{minor}");
    }
    for minor in 31..=32 {
        let behavior = with(minor, "HonorPVReclaimPolicy", false);
        assert!(!behavior.deletion_finalizers && behavior.skip_delete_when_terminating, "{minor}");
        assert!(
            behavior.static_csi_is_external,
            "in {minor} without the gate, static CSI volumes must be left to their driver"
        );
        assert!(!with(minor, "CSIMigrationPortworx", false).portworx_migrated, "{minor}");
    }
    for minor in 31..=35 {
        let other = !of(minor).attributes_class;
        assert_eq!(with(minor, "VolumeAttributesClass", other).attributes_class, other, "{minor}");
    }
    assert!(with(36, "PersistentVolumeClaimUnusedSinceTime", true).unused_condition);
}

#[test]
fn gates_are_locked_absent_or_gone_as_upstream_declares() {
    let set = |minor, gate: &str, state| of(minor).set_gate(gate, state);
    let locked = |gate: &str, state| Err(BehaviorError::LockedGate(gate.to_owned(), state));
    let is_unknown = |minor, gate: &str| match set(minor, gate, true) {
        Err(BehaviorError::UnknownGate(name, gates)) => name == gate && !gates.contains(&gate),
        _ => false,
    };
    for minor in 33..=35 {
        for gate in ["HonorPVReclaimPolicy", "CSIMigrationPortworx"] {
            assert_eq!(set(minor, gate, false), locked(gate, true), "{minor}");
            assert_eq!(
                set(minor, gate, true),
                Ok(()),
                "in {minor} it must be allowed to set a locked gate to the state that it has"
            );
        }
    }
    for gate in ["HonorPVReclaimPolicy", "CSIMigrationPortworx"] {
        assert!(is_unknown(36, gate), "{gate} must be unknown in 1.36");
    }
    assert_eq!(set(36, "VolumeAttributesClass", false), locked("VolumeAttributesClass", true));
    assert_eq!(set(35, "VolumeAttributesClass", false), Ok(()));
    assert!(is_unknown(28, "VolumeAttributesClass"));
    assert_eq!(set(29, "VolumeAttributesClass", true), Ok(()));
    let unused = "PersistentVolumeClaimUnusedSinceTime";
    assert!(is_unknown(35, unused));
    assert!(is_unknown(36, "AnyVolumeDataSource"));
}

#[test]
fn versions_are_read_as_people_write_them() {
    let read = |text, minor| {
        let version = KubeVersion::modelled(minor);
        assert!(version.is_some() && KubeVersion::parse(text) == version, "{text}");
    };
    read("1.36", 36);
    read("v1.28.9", 28);
    read("1.14", 14);
    read("1.30", 30);
    read("v1.30.4-gke.1", 30);
    read("1.30+", 30);
    for unmodelled in ["1.27", "1.99", "1.15", "2.30", "1", "1.", "", "1.x", "1.+30"] {
        assert_eq!(KubeVersion::parse(unmodelled), None, "{unmodelled}");
    }
    assert_eq!(KubeVersion::nearest(99), KubeVersion::NEWEST);
    assert_eq!(KubeVersion::nearest(20), KubeVersion::OLDEST);
    assert_eq!(Some(KubeVersion::nearest(33)), KubeVersion::modelled(33));
    assert_eq!(of(33).version.to_string(), "1.33");
}

/// `--help` says "1.14 or 1.28 to 1.36". This is true only if the versions are in order and have no gaps.
#[test]
fn versions_are_in_order_and_without_gaps() {
    let all: Vec<KubeVersion> = KubeVersion::all().collect();
    let current: Vec<KubeVersion> = (28..).map_while(KubeVersion::modelled).collect();
    assert_eq!(all[0], KubeVersion::HISTORICAL);
    assert_eq!(all[1..], current);
    assert_eq!((current.first(), current.last()), (Some(&KubeVersion::OLDEST), Some(&KubeVersion::NEWEST)));
    let newest_recorded = all.iter().rfind(|version| version.recorded().is_some());
    assert_eq!(newest_recorded, Some(&KubeVersion::DEFAULT));
}

cases! {
    // Before 1.30 the controller tried to set the default class for an explicitly empty class as well. The API server
    // refused this.
    an_empty_class_before_1_30: case(&["C6"])
        .only_with("rules of 1.28 or 1.29")
        .kube(29)
        .claim(claim("c").class(""))
        .class(class("standard").default_since(100))
        .syncs_claim("c")
        .expect(json!({
            "branch": "C6",
            "error": "can't update PersistentVolumeClaim[\"a/c\"]: PersistentVolumeClaim \"c\" is invalid: spec: \
                      Forbidden: spec is immutable after creation except resources.requests and \
                      volumeAttributesClassName for bound claims",
            "next": "resync",
        }));

    an_empty_class_since_1_30: case(&["C16"])
        .only_with("rules of 1.30")
        .kube(30)
        .claim(claim("c").class(""))
        .class(class("standard").default_since(100))
        .syncs_claim("c")
        .expect(json!({
            "branch": "C16",
            "events": ["Normal FailedBinding pvc/a/c: no persistent volumes available for this claim and no storage \
                        class is set"],
            "next": "resync",
        }));

    // A static CSI volume with policy Delete became Failed up to 1.29. Up to 1.35 a missing plugin was a failure with
    // back-off.
    a_static_csi_volume_before_1_30: case(&["DO6"])
        .only_with("rules of 1.28 and 1.29")
        .kube(29)
        .volume(volume("pv-1").claimed_by("gone", "uid-gone").phase("Released").policy("Delete"))
        .syncs_volume("pv-1")
        .expect(json!({
            "branch": "V5",
            "steps": ["R4", "DO6"],
            "writes": [{"updateStatus": "pv/pv-1", "patch": {"status": {
                "phase": "Failed",
                "message": "error getting deleter volume plugin for volume \"pv-1\": no volume plugin matched",
            }}}],
            "events": ["Warning VolumeFailedDelete pv/pv-1: error getting deleter volume plugin for volume \"pv-1\": no \
                        volume plugin matched"],
            "operations": ["started delete-pv-1[uid-pv-1]"],
            "next": "backoff",
        }));

    // This is the world s7-000004 of the oracle with 1.30.14.
    a_static_csi_volume_in_1_30: case(&["DO3"])
        .only_with("rules of 1.30")
        .kube(30)
        .volume(volume("pv-1").claimed_by("gone", "uid-gone").phase("Released").policy("Delete"))
        .syncs_volume("pv-1")
        .expect(json!({
            "branch": "V5",
            "steps": ["R4", "DO3"],
            "operations": ["started delete-pv-1[uid-pv-1]"],
            "next": "resync",
        }));

    // Before 1.36 the volume was read before the plugin was looked up.
    the_order_of_deleting_before_1_36: case(&["DO4"])
        .only_with("rules of 1.28 to 1.35 and a failing read")
        .kube(35)
        .volume(volume("pv-1").claimed_by("gone", "uid-gone").phase("Released").policy("Delete").source("nfs"))
        .read_fails(Read::Get(Kind::PersistentVolume), "etcdserver: request timed out")
        .syncs_volume("pv-1")
        .expect(json!({
            "branch": "V5",
            "steps": ["R4", "DO4"],
            "operations": ["started delete-pv-1[uid-pv-1]"],
            "next": "resync",
        }));

    the_order_of_deleting_in_1_36: case(&["DO1"])
        .only_with("a failing read")
        .volume(volume("pv-1").claimed_by("gone", "uid-gone").phase("Failed").policy("Delete").source("nfs"))
        .read_fails(Read::Get(Kind::PersistentVolume), "etcdserver: request timed out")
        .syncs_volume("pv-1")
        .expect(json!({
            "branch": "V5",
            "steps": ["R4", "DO1"],
            "operations": ["started delete-pv-1[uid-pv-1]"],
            "next": "resync",
        }));

    // Without the gate HonorPVReclaimPolicy the storage of a volume that is being deleted is not deleted.
    a_terminating_volume_before_1_31: case(&["DO5"])
        .only_with("rules of 1.28 to 1.30")
        .kube(30)
        .volume(volume("pv-1").claimed_by("gone", "uid-gone").phase("Released").policy("Delete").host_path("/tmp/data")
            .finalizers(&["kubernetes.io/pv-protection"]).terminating())
        .syncs_volume("pv-1")
        .expect(json!({
            "branch": "V5",
            "steps": ["R4", "DO5"],
            "operations": ["started delete-pv-1[uid-pv-1]"],
            "next": "resync",
        }));

    a_terminating_volume_since_1_31: case(&["DO8"])
        .only_with("rules of 1.31 to 1.35")
        .kube(31)
        .volume(volume("pv-1").claimed_by("gone", "uid-gone").phase("Released").policy("Delete").host_path("/tmp/data")
            .finalizers(&["kubernetes.io/pv-protection"]).terminating())
        .syncs_volume("pv-1")
        .expect(json!({
            "branch": "V5",
            "steps": ["R4", "DO8"],
            "writes": [{"delete": "pv/pv-1"}],
            "operations": ["started delete-pv-1[uid-pv-1]"],
            "next": "event",
        }));

    a_terminating_volume_in_1_36: case(&["DO8"])
        .volume(volume("pv-1").claimed_by("gone", "uid-gone").phase("Released").policy("Delete").host_path("/tmp/data")
            .finalizers(&["kubernetes.io/pv-protection"]).terminating())
        .syncs_volume("pv-1")
        .expect(json!({
            "branch": "V5",
            "steps": ["R4", "DO8"],
            "writes": [{"delete": "pv/pv-1"}],
            "operations": ["started delete-pv-1[uid-pv-1]"],
            "next": "event",
        }));

    // Without the gate the finalizer is neither added nor removed.
    a_provisioned_host_path_in_1_30: case(&["DO8"])
        .only_with("rules of 1.28 to 1.30")
        .kube(30)
        .volume(volume("pv-1").claimed_by("gone", "uid-gone").phase("Released").policy("Delete").host_path("/tmp/data")
            .annotated("pv.kubernetes.io/provisioned-by", "kubernetes.io/host-path")
            .finalizers(&["kubernetes.io/pv-controller"]))
        .syncs_volume("pv-1")
        .expect(json!({
            "branch": "V5",
            "steps": ["R4", "DO8"],
            "writes": [{"delete": "pv/pv-1"}],
            "operations": ["started delete-pv-1[uid-pv-1]"],
            "next": "event",
        }));

    a_new_host_path_volume_in_1_30: case(&["PI11"])
        .only_with("rules of 1.28 to 1.30")
        .kube(30)
        .flag("enable-hostpath-provisioner", "true")
        .claim(claim("c").annotated("volume.kubernetes.io/storage-provisioner", "kubernetes.io/host-path"))
        .class(class("gold").provisioner("kubernetes.io/host-path"))
        .syncs_claim("c")
        .expect(json!({
            "branch": "C13",
            "steps": ["PI11"],
            "writes": [{"create": "pv/pvc-uid-c", "volume": {
                "annotations": {"pv.kubernetes.io/bound-by-controller": "yes",
                                "pv.kubernetes.io/provisioned-by": "kubernetes.io/host-path"},
                "finalizers": [],
                "capacity": "1Gi",
                "accessModes": ["ReadWriteOnce"],
                "claimRef": "a/c uid-c",
                "persistentVolumeReclaimPolicy": "Delete",
                "storageClassName": "gold",
                "phase": "Pending",
            }}],
            "events": ["Normal ProvisioningSucceeded pvc/a/c: Successfully provisioned volume pvc-uid-c using \
                        kubernetes.io/host-path"],
            "operations": ["started provision-a/c[uid-c]"],
            "next": "event",
        }));

    // Before 1.31 attributes classes are not compared at all, and nothing is copied to the claim.
    attributes_classes_before_1_31: case(&["C19"])
        .only_with("rules of 1.28 to 1.30")
        .kube(30)
        .gate("VolumeAttributesClass", false)
        .volume(volume("pv-1").attributes_class("fast").phase("Bound"))
        .claim(claim("c").names("pv-1"))
        .syncs_claim("c")
        .expect(json!({
            "branch": "C19",
            "steps": ["B1", "B3", "B4"],
            "writes": [
                {"update": "pv/pv-1", "patch": {
                    "metadata": {"annotations": {"pv.kubernetes.io/bound-by-controller": "yes"}},
                    "spec": {"claimRef": {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "namespace": "a", "name": "c",
                                          "uid": "uid-c", "resourceVersion": "20"}},
                }},
                {"update": "pvc/a/c", "patch": {"metadata": {"annotations": {"pv.kubernetes.io/bind-completed": "yes"}}}},
                {"updateStatus": "pvc/a/c", "patch": {"status": {
                    "phase": "Bound", "accessModes": ["ReadWriteOnce"], "capacity": {"storage": "1Gi"},
                }}},
            ],
            "next": "event",
        }));

    // 1.31 with the gate off: a claim that requests an attributes class cannot be matched with any volume (C3).
    attributes_classes_in_1_31_without_the_gate: case(&["C3"])
        .only_with("rules of 1.31 to 1.35 with the gate VolumeAttributesClass off")
        .kube(31)
        .volume(volume("pv-1"))
        .claim(claim("c").attributes_class("fast"))
        .syncs_claim("c")
        .expect(json!({
            "branch": "C3",
            "error": "error finding PV for claim \"a/c\": unsupported volumeAttributesClassName is set on claim a/c when \
                      the feature-gate VolumeAttributesClass is disabled",
            "next": "resync",
        }));

    // Before 1.36 errors are only logged. The claim waits for its next event or the resync.
    errors_before_1_36: case(&["C22"])
        .only_with("rules of 1.28 to 1.35")
        .kube(35)
        .volume(volume("pv-1").claimed_by("other", "uid-other").phase("Bound"))
        .claim(claim("c").names("pv-1").annotated("pv.kubernetes.io/bound-by-controller", "yes"))
        .syncs_claim("c")
        .expect(json!({
            "branch": "C22",
            "events": ["Warning FailedBinding pvc/a/c: volume \"pv-1\" already bound to a different claim."],
            "error": "invalid binding of claim \"a/c\" to volume \"pv-1\": volume already claimed by \"a/other\"",
            "next": "resync",
        }));

    // Portworx is migrated by default since 1.31. Before 1.31, its in-tree plugin provisions, and the result of this
    // plugin is not modelled.
    portworx_since_1_31: case(&["PE3"])
        .only_with("rules of 1.31")
        .kube(31)
        .claim(claim("c"))
        .class(class("gold").provisioner("kubernetes.io/portworx-volume"))
        .syncs_claim("c")
        .expect(json!({
            "branch": "C12",
            "steps": ["PE3"],
            "writes": [{"update": "pvc/a/c", "patch": {"metadata": {"annotations": {
                "volume.beta.kubernetes.io/storage-provisioner": "pxd.portworx.com",
                "volume.kubernetes.io/storage-provisioner": "pxd.portworx.com",
            }}}}],
            "events": ["Normal ExternalProvisioning pvc/a/c: Waiting for a volume to be created either by the external \
                        provisioner 'pxd.portworx.com' or manually by the system administrator. If volume creation is \
                        delayed, please verify that the provisioner is running and correctly registered."],
            "operations": ["started provision-a/c[uid-c]"],
            "next": "event",
        }));

    portworx_before_1_31: case(&["C13"])
        .only_with("rules of 1.28 to 1.30")
        .kube(30)
        .claim(claim("c").annotated("volume.kubernetes.io/storage-provisioner", "kubernetes.io/portworx-volume"))
        .class(class("gold").provisioner("kubernetes.io/portworx-volume"))
        .syncs_claim("c")
        .expect(json!({
            "branch": "C13",
            "operations": ["started provision-a/c[uid-c]"],
            "next": "resync",
        }));

    rbd_since_1_31: case(&["C11"])
        .only_with("rules of 1.31")
        .kube(31)
        .claim(claim("c"))
        .class(class("gold").provisioner("kubernetes.io/rbd"))
        .syncs_claim("c")
        .expect(json!({
            "branch": "C11",
            "events": ["Warning ProvisioningFailed pvc/a/c: no volume plugin matched name: kubernetes.io/rbd"],
            "next": "resync",
        }));
}
