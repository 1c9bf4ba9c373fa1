//! B: the four writes of a binding. A write that would change nothing is skipped, and an error ends the binding without
//! a rollback. U: the two ways to unbind a volume (`docs/controllers/binding.md`).

use super::build::{claim, volume};
use super::case::case;
use serde_json::json;

cases! {
    b0_both_sides_are_bound: case(&["B0"])
        .volume(volume("pv-1").claimed_by("c", "uid-c").phase("Bound").message("kept"))
        .claim(claim("c").bound_to("pv-1"))
        .syncs_claim("c")
        .expect(json!({"branch": "C26", "steps": ["B0"], "next": "resync"}));

    // Only the claimRef is missing. The controller bound this claim. Then the volume lost its claimRef, but its phase
    // is still Bound.
    b1_the_claim_ref_is_written: case(&["B1"])
        .volume(volume("pv-1").phase("Bound"))
        .claim(claim("c").bound_to("pv-1"))
        .syncs_claim("c")
        .expect(json!({
            "branch": "C25",
            "steps": ["B1"],
            "writes": [{"update": "pv/pv-1", "patch": {
                "metadata": {"annotations": {"pv.kubernetes.io/bound-by-controller": "yes"}},
                "spec": {"claimRef": {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "namespace": "a", "name": "c",
                                      "uid": "uid-c", "resourceVersion": "20"}},
            }}],
            "next": "event",
        }));

    // The phase is written and the message is removed. The outdated claimRef.resourceVersion is not refreshed.
    b2_the_phase_is_written: case(&["B2"])
        .volume(volume("pv-1").claimed_by("c", "uid-c").phase("Failed").message("it broke"))
        .claim(claim("c").bound_to("pv-1"))
        .syncs_claim("c")
        .expect(json!({
            "branch": "C26",
            "steps": ["B2"],
            "writes": [{"updateStatus": "pv/pv-1", "patch": {"status": {"phase": "Bound", "message": null}}}],
            "next": "event",
        }));

    // A person set the volumeName of the claim, so the claim gets only bind-completed.
    b3_the_claim_is_completed: case(&["B3"])
        .volume(volume("pv-1").claimed_by("c", "uid-c").phase("Bound"))
        .claim(claim("c").names("pv-1").status("Bound", &["RWO"], "1Gi"))
        .syncs_claim("c")
        .expect(json!({
            "branch": "C20",
            "steps": ["B3"],
            "writes": [{"update": "pvc/a/c", "patch": {"metadata": {"annotations": {"pv.kubernetes.io/bind-completed": "yes"}}}}],
            "next": "event",
        }));

    // When the claim changes from Pending to Bound, the current attributes class is written as well. A resize is in
    // progress, and the written capacity is the one before the resize.
    b4_the_status_is_written: case(&["B4"])
        .volume(volume("pv-1").size("5Gi").claimed_by("c", "uid-c").phase("Bound").attributes_class("fast")
            .annotated("volume.alpha.kubernetes.io/pre-resize-capacity", "3Gi"))
        .claim(claim("c").bound_to("pv-1").phase("Pending"))
        .syncs_claim("c")
        .expect(json!({
            "branch": "C26",
            "steps": ["B4"],
            "writes": [{"updateStatus": "pvc/a/c", "patch": {"status": {
                "phase": "Bound", "capacity": {"storage": "3Gi"}, "currentVolumeAttributesClassName": "fast",
            }}}],
            "next": "event",
        }));

    // The claim is Bound already. Its access modes become those of the volume, in the same order. Its capacity is not
    // copied.
    b4_access_modes_always_follow: case(&["B4"])
        .volume(volume("pv-1").size("5Gi").modes(&["RWX", "RWO"]).claimed_by("c", "uid-c").phase("Bound"))
        .claim(claim("c").bound_to("pv-1").status("Bound", &["RWO", "RWX"], "1Gi"))
        .syncs_claim("c")
        .expect(json!({
            "branch": "C26",
            "steps": ["B4"],
            "writes": [{"updateStatus": "pvc/a/c", "patch": {"status": {"accessModes": ["ReadWriteMany", "ReadWriteOnce"]}}}],
            "next": "event",
        }));

    // When the claim changes from Lost to Bound, the attributes class stays empty.
    b4_a_lost_claim_comes_back: case(&["B4"])
        .volume(volume("pv-1").claimed_by("c", "uid-c").phase("Bound").attributes_class("fast"))
        .claim(claim("c").bound_to("pv-1").phase("Lost"))
        .syncs_claim("c")
        .expect(json!({
            "branch": "C26",
            "steps": ["B4"],
            "writes": [{"updateStatus": "pvc/a/c", "patch": {"status": {"phase": "Bound"}}}],
            "next": "event",
        }));

    // The claim asks for 1Gi and names a volume that is reserved for it, so the size is not tested. Everything is
    // written except the claim's status.
    b5_the_volume_states_no_capacity: case(&["B5"])
        .only_with("an object that no API server stores: it requires spec.capacity.storage")
        .volume(volume("pv-1").without_capacity().claimed_by("c", "uid-c"))
        .claim(claim("c").names("pv-1"))
        .syncs_claim("c")
        .expect(json!({
            "branch": "C20",
            "steps": ["B2", "B3", "B5"],
            "writes": [
                {"updateStatus": "pv/pv-1", "patch": {"status": {"phase": "Bound"}}},
                {"update": "pvc/a/c", "patch": {"metadata": {"annotations": {"pv.kubernetes.io/bind-completed": "yes"}}}},
            ],
            "error": "PersistentVolume \"pv-1\" is without a storage capacity",
            "next": "backoff",
        }));

    b6_the_volume_is_refused: case(&["B6"])
        .only_with("a refused write")
        .volume(volume("pv-1"))
        .claim(claim("c"))
        .refuses(1, "etcdserver: request timed out")
        .syncs_claim("c")
        .expect(json!({
            "branch": "C4",
            "steps": ["M16", "B6"],
            "writes": [{
                "update": "pv/pv-1",
                "patch": {
                    "metadata": {"annotations": {"pv.kubernetes.io/bound-by-controller": "yes"}},
                    "spec": {"claimRef": {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "namespace": "a", "name": "c",
                                          "uid": "uid-c", "resourceVersion": "20"}},
                },
                "refused": "etcdserver: request timed out",
            }],
            "error": "etcdserver: request timed out",
            "next": "backoff",
        }));

    // The cache is stale: the API server's volume has a claimRef and is newer than the volume in the controller's
    // cache.
    b6_a_stale_volume_is_a_conflict: case(&["B6"])
        .only_with("a stale cache")
        .volume(volume("pv-1").claimed_by("other", "uid-other"))
        .stale_volume(older(volume("pv-1")))
        .claim(claim("c"))
        .syncs_claim("c")
        .expect(json!({
            "branch": "C4",
            "steps": ["M16", "B6"],
            "writes": [{
                "update": "pv/pv-1",
                "patch": {
                    "metadata": {"annotations": {"pv.kubernetes.io/bound-by-controller": "yes"}},
                    "spec": {"claimRef": {"name": "c", "uid": "uid-c"}},
                },
                "refused": "Operation cannot be fulfilled on persistentvolumes \"pv-1\": the object has been modified; \
                            please apply your changes to the latest version and try again",
            }],
            "error": "Operation cannot be fulfilled on persistentvolumes \"pv-1\": the object has been modified; please \
                      apply your changes to the latest version and try again",
            "next": "backoff",
        }));

    b7_the_volume_status_is_refused: case(&["B7"])
        .only_with("a refused write")
        .volume(volume("pv-1").claimed_by("c", "uid-c"))
        .claim(claim("c"))
        .refuses(1, "etcdserver: request timed out")
        .syncs_claim("c")
        .expect(json!({
            "branch": "C4",
            "steps": ["M7", "B7"],
            "writes": [{
                "updateStatus": "pv/pv-1",
                "patch": {"status": {"phase": "Bound"}},
                "refused": "etcdserver: request timed out",
            }],
            "error": "etcdserver: request timed out",
            "next": "backoff",
        }));

    b8_the_claim_is_refused: case(&["B8"])
        .only_with("a refused write")
        .volume(volume("pv-1").claimed_by("c", "uid-c"))
        .claim(claim("c"))
        .refuses(2, "etcdserver: request timed out")
        .syncs_claim("c")
        .expect(json!({
            "branch": "C4",
            "steps": ["M7", "B2", "B8"],
            "writes": [
                {"updateStatus": "pv/pv-1", "patch": {"status": {"phase": "Bound"}}},
                {
                    "update": "pvc/a/c",
                    "patch": {
                        "metadata": {"annotations": {"pv.kubernetes.io/bind-completed": "yes",
                                                     "pv.kubernetes.io/bound-by-controller": "yes"}},
                        "spec": {"volumeName": "pv-1"},
                    },
                    "refused": "etcdserver: request timed out",
                },
            ],
            "error": "etcdserver: request timed out",
            "next": "backoff",
        }));

    b9_the_claim_status_is_refused: case(&["B9"])
        .only_with("a refused write")
        .volume(volume("pv-1").claimed_by("c", "uid-c").phase("Bound"))
        .claim(claim("c").bound_to("pv-1").status("Pending", &["RWO"], "1Gi"))
        .refuses(1, "etcdserver: request timed out")
        .syncs_claim("c")
        .expect(json!({
            "branch": "C26",
            "steps": ["B9"],
            "writes": [{
                "updateStatus": "pvc/a/c",
                "patch": {"status": {"phase": "Bound"}},
                "refused": "etcdserver: request timed out",
            }],
            "error": "etcdserver: request timed out",
            "next": "backoff",
        }));

    // Only the annotation bound-by-controller is removed. Other annotations stay.
    u1_the_controller_made_the_binding: case(&["U1"])
        .volume(volume("pv-1").claimed_by("c", "uid-c").phase("Bound")
            .annotated("pv.kubernetes.io/bound-by-controller", "yes")
            .annotated("pv.kubernetes.io/provisioned-by", "csi.example.com"))
        .claim(claim("c").bound_to("pv-2"))
        .syncs_volume("pv-1")
        .expect(json!({
            "branch": "V12",
            "steps": ["U1"],
            "writes": [
                {"update": "pv/pv-1", "patch": {
                    "metadata": {"annotations": {"pv.kubernetes.io/bound-by-controller": null}},
                    "spec": {"claimRef": null},
                }},
                {"updateStatus": "pv/pv-1", "patch": {"status": {"phase": "Available"}}},
            ],
            "next": "event",
        }));

    u2_a_person_made_the_binding: case(&["U2"])
        .volume(volume("pv-1").claimed_by("c", "uid-c").phase("Released"))
        .claim(claim("c").bound_to("pv-2"))
        .syncs_volume("pv-1")
        .expect(json!({
            "branch": "V13",
            "steps": ["U2"],
            "writes": [
                {"update": "pv/pv-1", "patch": {"spec": {"claimRef": {"uid": null}}}},
                {"updateStatus": "pv/pv-1", "patch": {"status": {"phase": "Available"}}},
            ],
            "next": "event",
        }));

    u3_the_way_back_is_refused: case(&["U3"])
        .only_with("a refused write")
        .volume(volume("pv-1").claimed_by("c", "uid-c").phase("Bound"))
        .claim(claim("c").bound_to("pv-2"))
        .refuses(2, "etcdserver: request timed out")
        .syncs_volume("pv-1")
        .expect(json!({
            "branch": "V13",
            "steps": ["U3"],
            "writes": [
                {"update": "pv/pv-1", "patch": {"spec": {"claimRef": {"uid": null}}}},
                {
                    "updateStatus": "pv/pv-1",
                    "patch": {"status": {"phase": "Available"}},
                    "refused": "etcdserver: request timed out",
                },
            ],
            "error": "etcdserver: request timed out",
            "next": "backoff",
        }));
}

/// Returns the same object with an earlier resource version.
fn older(mut volume: super::build::Volume) -> super::build::Volume {
    volume.0.meta.resource_version = pvctl::model::ResourceVersion::Recorded("9".into());
    volume
}
