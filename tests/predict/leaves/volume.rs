//! V: the ends of a volume's sync (`docs/controllers/volumes.md`).

use super::build::{claim, volume};
use super::case::case;
use pvctl::model::Kind;
use pvctl::world::Read;
use serde_json::json;

cases! {
    // A provisioned volume of a migrated plugin gets migrated-to and loses the in-tree finalizer in one write.
    v1_the_annotations_are_refused: case(&["V1"])
        .only_with("a refused write")
        .volume(volume("pv-1").annotated("pv.kubernetes.io/provisioned-by", "kubernetes.io/aws-ebs").policy("Delete")
            .finalizers(&["kubernetes.io/pv-protection", "kubernetes.io/pv-controller"]))
        .refuses(1, "etcdserver: request timed out")
        .syncs_volume("pv-1")
        .expect(json!({
            "branch": "V1",
            "writes": [{
                "update": "pv/pv-1",
                "patch": {"metadata": {
                    "annotations": {"pv.kubernetes.io/migrated-to": "ebs.csi.aws.com"},
                    "finalizers": ["kubernetes.io/pv-protection"],
                }},
                "refused": "etcdserver: request timed out",
            }],
            "error": "persistent Volume Controller can't anneal migration annotations or finalizer: etcdserver: request \
                      timed out",
            "next": "backoff",
        }));

    // A terminating volume cannot get a finalizer. So every sync ends here.
    v1_a_terminating_volume_gets_no_finalizer: case(&["V1"])
        .volume(volume("pv-1").annotated("pv.kubernetes.io/provisioned-by", "kubernetes.io/host-path").policy("Delete")
            .phase("Bound").claimed_by("gone", "uid-gone").finalizers(&["kubernetes.io/pv-protection"]).terminating())
        .syncs_volume("pv-1")
        .expect(json!({
            "branch": "V1",
            "writes": [{
                "update": "pv/pv-1",
                "patch": {"metadata": {"finalizers": ["kubernetes.io/pv-protection", "kubernetes.io/pv-controller"]}},
                "refused": "PersistentVolume \"pv-1\" is invalid: metadata.finalizers: Forbidden: no new finalizers can \
                            be added if the object is being deleted, found new finalizers \
                            []string{\"kubernetes.io/pv-controller\"}",
            }],
            "error": "persistent Volume Controller can't anneal migration annotations or finalizer: PersistentVolume \
                      \"pv-1\" is invalid: metadata.finalizers: Forbidden: no new finalizers can be added if the object \
                      is being deleted, found new finalizers []string{\"kubernetes.io/pv-controller\"}",
            "next": "backoff",
        }));

    // When the phase is written, the message is removed. The reason is never written.
    v2_nobody_claims_it: case(&["V2"])
        .volume(volume("pv-1").phase("Failed").message("it broke"))
        .syncs_volume("pv-1")
        .expect(json!({
            "branch": "V2",
            "writes": [{"updateStatus": "pv/pv-1", "patch": {"status": {"phase": "Available", "message": null}}}],
            "next": "event",
        }));

    // If the phase does not change, it is not written, and the message stays.
    v2_it_is_available_already: case(&["V2"])
        .volume(volume("pv-1").message("an old one"))
        .syncs_volume("pv-1")
        .expect(json!({"branch": "V2", "next": "resync"}));

    // The claim is not looked up. The volume also leaves the phase Released.
    v3_it_is_reserved: case(&["V3"])
        .volume(volume("pv-1").reserved_for("c").phase("Released"))
        .syncs_volume("pv-1")
        .expect(json!({
            "branch": "V3",
            "writes": [{"updateStatus": "pv/pv-1", "patch": {"status": {"phase": "Available"}}}],
            "next": "event",
        }));

    // Neither cache has the claim. So the controller asks the API server, and this read fails.
    v4_the_claim_cannot_be_read: case(&["V4"])
        .only_with("a failing read")
        .volume(volume("pv-1").claimed_by("gone", "uid-gone").phase("Bound"))
        .read_fails(Read::Get(Kind::PersistentVolumeClaim), "etcdserver: request timed out")
        .syncs_volume("pv-1")
        .expect(json!({"branch": "V4", "error": "etcdserver: request timed out", "next": "backoff"}));

    v4_the_informer_fails: case(&["V4"])
        .only_with("a failing read")
        .volume(volume("pv-1").claimed_by("gone", "uid-gone").phase("Bound"))
        .read_fails(Read::Lister(Kind::PersistentVolumeClaim), "the cache is gone")
        .syncs_volume("pv-1")
        .expect(json!({"branch": "V4", "error": "the cache is gone", "next": "backoff"}));

    // The error comes from Request.Namespace of client-go 0.30.
    v4_the_claim_has_no_namespace: case(&["V4"])
        .only_with("a failing read")
        .kube(30)
        .volume(volume("pv-1").claimed_by("gone", "uid-gone").claim_namespace("").phase("Bound"))
        .syncs_volume("pv-1")
        .expect(json!({
            "branch": "V4",
            "error": "an empty namespace may not be set when a resource name is provided",
            "next": "resync",
        }));

    v5_the_claim_is_gone: case(&["V5"])
        .volume(volume("pv-1").claimed_by("gone", "uid-gone").phase("Bound"))
        .syncs_volume("pv-1")
        .expect(json!({
            "branch": "V5",
            "steps": ["R2"],
            "writes": [{"updateStatus": "pv/pv-1", "patch": {"status": {"phase": "Released"}}}],
            "next": "event",
        }));

    // gentype.Client.Get of client-go 0.31: without a namespace the server does not know the path.
    v5_the_claim_has_no_namespace: case(&["V5"])
        .volume(volume("pv-1").claimed_by("gone", "uid-gone").claim_namespace("").phase("Bound"))
        .syncs_volume("pv-1")
        .expect(json!({
            "branch": "V5",
            "steps": ["R2"],
            "writes": [{"updateStatus": "pv/pv-1", "patch": {"status": {"phase": "Released"}}}],
            "next": "event",
        }));

    // The phase Failed stays, and the volume is reclaimed again.
    v5_a_failed_volume_stays_failed: case(&["V5"])
        .volume(volume("pv-1").claimed_by("gone", "uid-gone").phase("Failed").message("it broke"))
        .syncs_volume("pv-1")
        .expect(json!({"branch": "V5", "steps": ["R2"], "next": "resync"}));

    v6_another_claim_has_the_name: case(&["V6"])
        .volume(volume("pv-1").claimed_by("c", "uid-before").phase("Bound"))
        .claim(claim("c"))
        .syncs_volume("pv-1")
        .expect(json!({
            "branch": "V6",
            "steps": ["R2"],
            "writes": [{"updateStatus": "pv/pv-1", "patch": {"status": {"phase": "Released"}}}],
            "next": "event",
        }));

    // Both objects get events. The claim is not enqueued, and no phase is written.
    v7_the_modes_differ: case(&["V7"])
        .volume(volume("pv-1").claimed_by("c", "uid-c").block())
        .claim(claim("c"))
        .syncs_volume("pv-1")
        .expect(json!({
            "branch": "V7",
            "events": [
                "Warning VolumeMismatch pv/pv-1: Cannot bind PersistentVolume to requested PersistentVolumeClaim \"c\" \
                 due to incompatible volumeMode.",
                "Warning VolumeMismatch pvc/a/c: Cannot bind PersistentVolume \"pv-1\" to requested \
                 PersistentVolumeClaim due to incompatible volumeMode.",
            ],
            "next": "resync",
        }));

    v8_the_controller_waits_for_the_claim: case(&["V8"])
        .volume(volume("pv-1").claimed_by("c", "uid-c").annotated("pv.kubernetes.io/bound-by-controller", "yes"))
        .claim(claim("c"))
        .syncs_volume("pv-1")
        .expect(json!({"branch": "V8", "enqueued": ["pvc/a/c"], "next": "event"}));

    v9_a_person_waits_for_the_claim: case(&["V9"])
        .volume(volume("pv-1").claimed_by("c", "uid-c"))
        .claim(claim("c"))
        .syncs_volume("pv-1")
        .expect(json!({"branch": "V9", "enqueued": ["pvc/a/c"], "next": "event"}));

    // The claim's own phase and its bind-completed do not matter. The volume also leaves the phase Failed.
    v10_the_claim_names_it: case(&["V10"])
        .volume(volume("pv-1").claimed_by("c", "uid-c").phase("Failed").message("it broke"))
        .claim(claim("c").names("pv-1").phase("Lost"))
        .syncs_volume("pv-1")
        .expect(json!({
            "branch": "V10",
            "writes": [{"updateStatus": "pv/pv-1", "patch": {"status": {"phase": "Bound", "message": null}}}],
            "next": "event",
        }));

    // The volume was provisioned for the claim, but the claim took another volume. Its driver deletes the storage.
    v11_a_provisioned_volume_is_surplus: case(&["V11"])
        .volume(volume("pv-1").claimed_by("c", "uid-c").annotated("pv.kubernetes.io/provisioned-by", "csi.example.com")
            .annotated("pv.kubernetes.io/bound-by-controller", "yes").policy("Delete"))
        .claim(claim("c").bound_to("pv-2"))
        .syncs_volume("pv-1")
        .expect(json!({
            "branch": "V11",
            "steps": ["R4", "DO3"],
            "writes": [{"updateStatus": "pv/pv-1", "patch": {"status": {"phase": "Released"}}}],
            "operations": ["started delete-pv-1[uid-pv-1]"],
            "next": "event",
        }));

    // The map of annotations is removed because it is empty.
    v12_a_volume_of_the_controller_is_surplus: case(&["V12"])
        .volume(volume("pv-1").claimed_by("c", "uid-c").annotated("pv.kubernetes.io/bound-by-controller", "yes").phase("Bound"))
        .claim(claim("c").bound_to("pv-2"))
        .syncs_volume("pv-1")
        .expect(json!({
            "branch": "V12",
            "steps": ["U1"],
            "writes": [
                {"update": "pv/pv-1", "patch": {"metadata": {"annotations": null}, "spec": {"claimRef": null}}},
                {"updateStatus": "pv/pv-1", "patch": {"status": {"phase": "Available"}}},
            ],
            "next": "event",
        }));

    v13_a_volume_of_a_person_is_surplus: case(&["V13"])
        .volume(volume("pv-1").claimed_by("c", "uid-c").phase("Bound"))
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
}
