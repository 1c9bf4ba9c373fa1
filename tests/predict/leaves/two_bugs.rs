//! The two old bugs of `docs/two-bugs.md`, reproduced with the library: the decisions of Kubernetes 1.14 and of 1.36.

use super::build::{Claim, Class, Volume, claim, class, volume};
use super::case::case;
use pvctl::controllers::{KubeVersion, KubernetesBehavior, persistent_volume};
use pvctl::engines::settle;
use pvctl::model::{ClaimPhase, Objects};
use pvctl::simulate::component::components;
use pvctl::simulate::{Outcome, Settings};
use pvctl::snapshot::{Coverage, Parts, Snapshot};
use serde_json::json;

/// Returns a class with binding mode WaitForFirstConsumer.
fn delayed() -> Class {
    class("gold").waits()
}

/// Returns a claim for which the scheduler chose a node. No static volume fits there, so a volume should be
/// provisioned.
fn to_be_provisioned() -> Claim {
    claim("c").annotated("volume.kubernetes.io/selected-node", "n-1")
}

/// Returns a volume as an external provisioner creates it: its claimRef has a uid, and bound-by-controller is absent.
fn provisioned() -> Volume {
    volume("pv-1")
        .claimed_by("c", "uid-c")
        .phase("Pending")
        .policy("Delete")
        .annotated("pv.kubernetes.io/provisioned-by", "csi.example.com")
}

/// Returns the phase and the volume with which the claim of the first bug ends in this minor version.
fn claim_ends(minor: u32) -> Vec<(ClaimPhase, String)> {
    let snapshot = Snapshot::new(Parts {
        objects: Objects {
            volumes: vec![volume("pv-1").0],
            claims: vec![to_be_provisioned().0],
            classes: vec![delayed().0],
            ..Objects::default()
        },
        coverage: Coverage::complete(),
        ..Parts::default()
    });
    let settings = Settings {
        controllers: vec![persistent_volume::CONTROLLER],
        ..Settings::new(KubernetesBehavior::of(KubeVersion::modelled(minor).unwrap()))
    };
    components(&snapshot, &settings)
        .iter()
        .flat_map(|component| settle(&snapshot, &settings, component).sets)
        .flat_map(|set| set.listed.to_vec())
        .filter_map(|outcome| match outcome {
            Outcome::Claim { phase, volume_name, .. } => Some((phase, volume_name.to_string())),
            Outcome::Volume { .. } | Outcome::Pod { .. } => None,
            other @ Outcome::Gone { .. } => panic!("the outcome of a claim must be a phase, not {other:?}"),
        })
        .collect()
}

#[test]
fn the_claim_ends_bound_in_1_14_and_waits_in_1_36() {
    assert_eq!(claim_ends(14), [(ClaimPhase::Bound, "pv-1".to_owned())]);
    assert_eq!(claim_ends(36), [(ClaimPhase::Pending, String::new())]);
}

cases! {
    // 1.14: the selected-node annotation ends delayed binding, so the claim is matched with the static volume.
    in_1_14_a_selected_node_lets_a_static_volume_win: case(&["C4"])
        .only_with("the historical rules of 1.14")
        .kube(14)
        .volume(volume("pv-1"))
        .claim(to_be_provisioned())
        .class(delayed())
        .syncs_claim("c")
        .expect(json!({
            "branch": "C4",
            "steps": ["M16", "B1", "B2", "B3", "B4"],
            "writes": [
                {"update": "pv/pv-1", "patch": {
                    "metadata": {"annotations": {"pv.kubernetes.io/bound-by-controller": "yes"}},
                    "spec": {"claimRef": {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "namespace": "a", "name": "c",
                                          "uid": "uid-c", "resourceVersion": "20"}},
                }},
                {"updateStatus": "pv/pv-1", "patch": {"status": {"phase": "Bound"}}},
                {"update": "pvc/a/c", "patch": {
                    "metadata": {"annotations": {"pv.kubernetes.io/bind-completed": "yes",
                                                 "pv.kubernetes.io/bound-by-controller": "yes"}},
                    "spec": {"volumeName": "pv-1"},
                }},
                {"updateStatus": "pvc/a/c", "patch": {"status": {
                    "phase": "Bound", "accessModes": ["ReadWriteOnce"], "capacity": {"storage": "1Gi"},
                }}},
            ],
            "next": "event",
        }));

    // 1.36: only the class decides whether binding is delayed. The provisioner is asked.
    in_1_36_the_provisioner_is_asked: case(&["C12", "M9"])
        .volume(volume("pv-1"))
        .claim(to_be_provisioned())
        .class(delayed())
        .syncs_claim("c")
        .expect(json!({
            "branch": "C12",
            "steps": ["PE3"],
            "writes": [{"update": "pvc/a/c", "patch": {"metadata": {"annotations": {
                "volume.beta.kubernetes.io/storage-provisioner": "csi.example.com",
                "volume.kubernetes.io/storage-provisioner": "csi.example.com",
            }}}}],
            "events": ["Normal ExternalProvisioning pvc/a/c: Waiting for a volume to be created either by the external \
                        provisioner 'csi.example.com' or manually by the system administrator. If volume creation is \
                        delayed, please verify that the provisioner is running and correctly registered."],
            "operations": ["started provision-a/c[uid-c]"],
            "next": "event",
            "verdicts": {"pv-1": "M9"},
        }));

    // 1.14: the event of the volume is handled before the event of the claim. Without bound-by-controller the
    // controller does not ask the API server.
    in_1_14_an_unseen_claim_releases_its_volume: case(&["V5"])
        .only_with("the historical rules of 1.14 and a stale cache")
        .kube(14)
        .volume(provisioned())
        .claim(claim("c"))
        .unseen_claim("c")
        .syncs_volume("pv-1")
        .expect(json!({
            "branch": "V5",
            "steps": ["R4", "DO3"],
            "writes": [{"updateStatus": "pv/pv-1", "patch": {"status": {"phase": "Released"}}}],
            "operations": ["started delete-pv-1[uid-pv-1]"],
            "next": "event",
        }));

    // 1.14: with bound-by-controller the controller asks the API server as well.
    in_1_14_the_mark_of_the_controller_saves_the_volume: case(&["V8"])
        .only_with("the historical rules of 1.14 and a stale cache")
        .kube(14)
        .volume(provisioned().annotated("pv.kubernetes.io/bound-by-controller", "yes"))
        .claim(claim("c"))
        .unseen_claim("c")
        .syncs_volume("pv-1")
        .expect(json!({"branch": "V8", "enqueued": ["pvc/a/c"], "next": "event"}));

    // 1.36: a live GET finds the claim, which has no volumeName yet.
    in_1_36_an_unseen_claim_is_asked_for: case(&["V9"])
        .only_with("a stale cache")
        .volume(provisioned())
        .claim(claim("c"))
        .unseen_claim("c")
        .syncs_volume("pv-1")
        .expect(json!({"branch": "V9", "enqueued": ["pvc/a/c"], "next": "event"}));

    in_1_36_an_unseen_bound_claim_is_asked_for: case(&["V10"])
        .only_with("a stale cache")
        .volume(provisioned())
        .claim(claim("c").bound_to("pv-1"))
        .unseen_claim("c")
        .syncs_volume("pv-1")
        .expect(json!({
            "branch": "V10",
            "writes": [{"updateStatus": "pv/pv-1", "patch": {"status": {"phase": "Bound"}}}],
            "next": "event",
        }));

    // The part of the bug that 1.36 still has: if a volume is already Released, only the cache decides that it is
    // reclaimed.
    in_1_36_a_released_volume_is_not_asked_about: case(&["V5"])
        .only_with("a stale cache")
        .volume(provisioned().phase("Released"))
        .claim(claim("c").bound_to("pv-1"))
        .unseen_claim("c")
        .syncs_volume("pv-1")
        .expect(json!({
            "branch": "V5",
            "steps": ["R4", "DO3"],
            "operations": ["started delete-pv-1[uid-pv-1]"],
            "next": "resync",
        }));

    // If the cache has a claim with another uid, there is always one live GET, no matter which phase the volume has.
    in_1_36_an_older_claim_of_the_name_is_asked_about: case(&["V9"])
        .only_with("a stale cache")
        .volume(provisioned())
        .claim(claim("c"))
        .stale_claim(claim("c").uid("uid-before"))
        .syncs_volume("pv-1")
        .expect(json!({"branch": "V9", "enqueued": ["pvc/a/c"], "next": "event"}));
}
