//! M: the verdict of the search on each volume (`docs/controllers/matching.md`). Each verdict is tested by a query
//! about the one volume, and by the decision that follows.
//!
//! The verdict on a rejected volume is that of the first test that it fails. In most cases the rejected volume also
//! fails the next test, to show which of the two comes first.

use super::build::{claim, class, volume};
use super::case::case;
use serde_json::json;

cases! {
    m2_its_claim_ref_names_another_claim: case(&["M2"])
        .volume(volume("pv-1").size("1Mi").claimed_by("other", "uid-other"))
        .volume(volume("pv-2").claimed_by("c", "uid-before"))
        .claim(claim("c"))
        .syncs_claim("c")
        .expect(json!({
            "branch": "C10",
            "events": ["Warning ProvisioningFailed pvc/a/c: storageclass.storage.k8s.io \"gold\" not found"],
            "next": "resync",
            "verdicts": {"pv-1": "M2", "pv-2": "M2"},
        }));

    // The comparison is exact: 1500m is less than 2. The size of a volume that a claim names is rounded up instead.
    m3_it_is_too_small: case(&["M3"])
        .volume(volume("pv-1").size("1500m").block())
        .volume(volume("pv-2").size("1"))
        .claim(claim("c").request("2"))
        .syncs_claim("c")
        .expect(json!({
            "branch": "C10",
            "events": ["Warning ProvisioningFailed pvc/a/c: storageclass.storage.k8s.io \"gold\" not found"],
            "next": "resync",
            "verdicts": {"pv-1": "M3", "pv-2": "M3"},
        }));

    m4_it_has_another_volume_mode: case(&["M4"])
        .volume(volume("pv-1").block().attributes_class("fast"))
        .claim(claim("c"))
        .syncs_claim("c")
        .expect(json!({
            "branch": "C10",
            "events": ["Warning ProvisioningFailed pvc/a/c: storageclass.storage.k8s.io \"gold\" not found"],
            "next": "resync",
            "verdicts": {"pv-1": "M4"},
        }));

    m5_it_has_another_attributes_class: case(&["M5"])
        .volume(volume("pv-1").attributes_class("fast").finalizers(&["kubernetes.io/pv-protection"]).terminating())
        .claim(claim("c"))
        .syncs_claim("c")
        .expect(json!({
            "branch": "C10",
            "events": ["Warning ProvisioningFailed pvc/a/c: storageclass.storage.k8s.io \"gold\" not found"],
            "next": "resync",
            "verdicts": {"pv-1": "M5"},
        }));

    // A reserved volume is also tested for deletion.
    m6_it_is_being_deleted: case(&["M6"])
        .volume(volume("pv-1").reserved_for("c").finalizers(&["kubernetes.io/pv-protection"]).terminating())
        .claim(claim("c"))
        .syncs_claim("c")
        .expect(json!({
            "branch": "C10",
            "events": ["Warning ProvisioningFailed pvc/a/c: storageclass.storage.k8s.io \"gold\" not found"],
            "next": "resync",
            "verdicts": {"pv-1": "M6"},
        }));

    // Phase, class, labels, binding mode and the existence of a smaller volume do not matter. The volume does not get
    // bound-by-controller, because a person reserved it.
    m7_it_is_reserved: case(&["M7"])
        .volume(volume("pv-1").size("5Gi").class("silver").phase("Released").reserved_for("c"))
        .volume(volume("pv-2").size("1Gi"))
        .claim(claim("c").wants_label("disk", "ssd"))
        .class(class("gold").waits())
        .syncs_claim("c")
        .expect(json!({
            "branch": "C4",
            "steps": ["M7", "B1", "B2", "B3", "B4"],
            "writes": [
                {"update": "pv/pv-1", "patch": {"spec": {"claimRef": {
                    "apiVersion": "v1", "kind": "PersistentVolumeClaim", "uid": "uid-c", "resourceVersion": "20",
                }}}},
                {"updateStatus": "pv/pv-1", "patch": {"status": {"phase": "Bound"}}},
                {"update": "pvc/a/c", "patch": {
                    "metadata": {"annotations": {"pv.kubernetes.io/bind-completed": "yes",
                                                 "pv.kubernetes.io/bound-by-controller": "yes"}},
                    "spec": {"volumeName": "pv-1"},
                }},
                {"updateStatus": "pvc/a/c", "patch": {"status": {
                    "phase": "Bound", "accessModes": ["ReadWriteOnce"], "capacity": {"storage": "5Gi"},
                }}},
            ],
            "next": "event",
            "verdicts": {"pv-1": "M7", "pv-2": "M9"},
        }));

    m9_the_class_delays_binding: case(&["M9"])
        .volume(volume("pv-1").phase("Pending"))
        .claim(claim("c"))
        .class(class("gold").waits())
        .syncs_claim("c")
        .expect(json!({
            "branch": "C7",
            "events": ["Normal WaitForFirstConsumer pvc/a/c: waiting for first consumer to be created before binding"],
            "next": "resync",
            "verdicts": {"pv-1": "M9"},
        }));

    // A new volume is Pending until its own first sync.
    m10_it_is_not_available: case(&["M10"])
        .volume(volume("pv-1").phase("Pending"))
        .volume(volume("pv-2").phase("Released"))
        .claim(claim("c").wants_label("disk", "ssd"))
        .syncs_claim("c")
        .expect(json!({
            "branch": "C10",
            "events": ["Warning ProvisioningFailed pvc/a/c: storageclass.storage.k8s.io \"gold\" not found"],
            "next": "resync",
            "verdicts": {"pv-1": "M10", "pv-2": "M10"},
        }));

    m11_its_labels_do_not_match: case(&["M11"])
        .volume(volume("pv-1").label("disk", "hdd").class("silver"))
        .volume(volume("pv-2"))
        .claim(claim("c").wants_label("disk", "ssd"))
        .syncs_claim("c")
        .expect(json!({
            "branch": "C10",
            "events": ["Warning ProvisioningFailed pvc/a/c: storageclass.storage.k8s.io \"gold\" not found"],
            "next": "resync",
            "verdicts": {"pv-1": "M11", "pv-2": "M11"},
        }));

    // The beta annotation has precedence if its key exists, even with an empty value.
    m12_it_has_another_class: case(&["M12"])
        .volume(volume("pv-1").annotated("volume.beta.kubernetes.io/storage-class", ""))
        .volume(volume("pv-2").class("silver"))
        .claim(claim("c"))
        .syncs_claim("c")
        .expect(json!({
            "branch": "C10",
            "events": ["Warning ProvisioningFailed pvc/a/c: storageclass.storage.k8s.io \"gold\" not found"],
            "next": "resync",
            "verdicts": {"pv-1": "M12", "pv-2": "M12"},
        }));

    // The smallest volume that fits is chosen, whatever its name.
    m15_m16_the_smallest_is_chosen: case(&["M15", "M16"])
        .volume(volume("pv-1").size("3Gi"))
        .volume(volume("pv-2").size("2Gi"))
        .volume(volume("pv-3").size("4Gi"))
        .claim(claim("c"))
        .syncs_claim("c")
        .expect(json!({
            "branch": "C4",
            "steps": ["M16", "B1", "B2", "B3", "B4"],
            "writes": [
                {"update": "pv/pv-2", "patch": {
                    "metadata": {"annotations": {"pv.kubernetes.io/bound-by-controller": "yes"}},
                    "spec": {"claimRef": {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "namespace": "a", "name": "c",
                                          "uid": "uid-c", "resourceVersion": "20"}},
                }},
                {"updateStatus": "pv/pv-2", "patch": {"status": {"phase": "Bound"}}},
                {"update": "pvc/a/c", "patch": {
                    "metadata": {"annotations": {"pv.kubernetes.io/bind-completed": "yes",
                                                 "pv.kubernetes.io/bound-by-controller": "yes"}},
                    "spec": {"volumeName": "pv-2"},
                }},
                {"updateStatus": "pvc/a/c", "patch": {"status": {
                    "phase": "Bound", "accessModes": ["ReadWriteOnce"], "capacity": {"storage": "2Gi"},
                }}},
            ],
            "next": "event",
            "verdicts": {"pv-1": "M15", "pv-2": "M16", "pv-3": "M15"},
        }));

    // A bucket must contain every requested mode literally. RWX includes none of the other modes.
    m16_every_requested_mode_is_there: case(&["M16"])
        .volume(volume("pv-1").modes(&["RWX"]))
        .volume(volume("pv-2").modes(&["RWO"]))
        .volume(volume("pv-3").size("9Gi").modes(&["RWX", "ROX", "RWO"]))
        .claim(claim("c").modes(&["RWO", "ROX"]))
        .syncs_claim("c")
        .expect(json!({
            "branch": "C4",
            "steps": ["M16", "B1", "B2", "B3", "B4"],
            "writes": [
                {"update": "pv/pv-3", "patch": {
                    "metadata": {"annotations": {"pv.kubernetes.io/bound-by-controller": "yes"}},
                    "spec": {"claimRef": {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "namespace": "a", "name": "c",
                                          "uid": "uid-c", "resourceVersion": "20"}},
                }},
                {"updateStatus": "pv/pv-3", "patch": {"status": {"phase": "Bound"}}},
                {"update": "pvc/a/c", "patch": {
                    "metadata": {"annotations": {"pv.kubernetes.io/bind-completed": "yes",
                                                 "pv.kubernetes.io/bound-by-controller": "yes"}},
                    "spec": {"volumeName": "pv-3"},
                }},
                {"updateStatus": "pvc/a/c", "patch": {"status": {
                    "phase": "Bound", "accessModes": ["ReadWriteMany", "ReadOnlyMany", "ReadWriteOnce"],
                    "capacity": {"storage": "9Gi"},
                }}},
            ],
            "next": "event",
        }));

    // If the bucket with fewer modes has a result, the search ends, although the other volume is smaller and even
    // reserved.
    m16_fewer_modes_go_first: case(&["M16"])
        .volume(volume("pv-1").size("1Ti"))
        .volume(volume("pv-2").modes(&["RWO", "RWX"]).reserved_for("c"))
        .claim(claim("c"))
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
                    "phase": "Bound", "accessModes": ["ReadWriteOnce"], "capacity": {"storage": "1Ti"},
                }}},
            ],
            "next": "event",
            "verdicts": {"pv-1": "M16", "pv-2": "M7"},
        }));
}
