//! R, DO, RO: what happens to a volume whose claim is gone (`docs/controllers/reclaiming.md`).

use super::build::{Volume, claim, pod, volume};
use super::case::case;
use pvctl::model::{Kind, ResourceVersion};
use pvctl::world::{OperationState, PluginAnswer, Read};
use serde_json::json;

/// Returns a volume that was bound to a claim that is gone.
fn orphan(policy: &str) -> Volume {
    volume("pv-1").claimed_by("gone", "uid-gone").phase("Bound").policy(policy)
}

/// Returns the same volume in phase Released. Its sync writes nothing before the reclaiming.
fn released(policy: &str) -> Volume {
    orphan(policy).phase("Released")
}

/// Returns the same object with an earlier resource version.
fn older(mut volume: Volume) -> Volume {
    volume.0.meta.resource_version = ResourceVersion::Recorded("9".into());
    volume
}

cases! {
    // First migrated-to is corrected. Then no policy is carried out.
    r1_the_volume_is_migrated: case(&["R1"])
        .volume(orphan("Delete").annotated("pv.kubernetes.io/provisioned-by", "kubernetes.io/gce-pd").source("gcePersistentDisk"))
        .syncs_volume("pv-1")
        .expect(json!({
            "branch": "V5",
            "steps": ["R1"],
            "writes": [
                {"update": "pv/pv-1", "patch": {"metadata": {"annotations": {
                    "pv.kubernetes.io/migrated-to": "pd.csi.storage.gke.io",
                }}}},
                {"updateStatus": "pv/pv-1", "patch": {"status": {"phase": "Released"}}},
            ],
            "next": "event",
        }));

    r2_the_policy_is_retain: case(&["R2"])
        .volume(orphan("Retain"))
        .syncs_volume("pv-1")
        .expect(json!({
            "branch": "V5",
            "steps": ["R2"],
            "writes": [{"updateStatus": "pv/pv-1", "patch": {"status": {"phase": "Released"}}}],
            "next": "event",
        }));

    // The phase Released is written at once. After that, the volume changes only when the recycler pod has ended.
    r3_the_policy_is_recycle: case(&["R3"])
        .volume(orphan("Recycle").source("nfs"))
        .syncs_volume("pv-1")
        .expect(json!({
            "branch": "V5",
            "steps": ["R3"],
            "writes": [{"updateStatus": "pv/pv-1", "patch": {"status": {"phase": "Released"}}}],
            "operations": ["started recycle-pv-1[uid-pv-1]"],
            "next": "event",
        }));

    r4_the_policy_is_delete: case(&["R4"])
        .volume(released("Delete"))
        .syncs_volume("pv-1")
        .expect(json!({
            "branch": "V5",
            "steps": ["R4", "DO3"],
            "operations": ["started delete-pv-1[uid-pv-1]"],
            "next": "resync",
        }));

    r5_the_policy_is_unknown: case(&["R5"])
        .only_with("an object that no API server stores: it refuses such a policy")
        .volume(released("Shred"))
        .syncs_volume("pv-1")
        .expect(json!({
            "branch": "V5",
            "steps": ["R5"],
            "writes": [{"updateStatus": "pv/pv-1", "patch": {"status": {
                "phase": "Failed", "message": "Volume has unrecognized PersistentVolumeReclaimPolicy",
            }}}],
            "events": ["Warning VolumeUnknownReclaimPolicy pv/pv-1: Volume has unrecognized \
                        PersistentVolumeReclaimPolicy"],
            "next": "event",
        }));

    r6_the_operation_runs: case(&["R6"])
        .only_with("a running operation")
        .volume(released("Delete"))
        .operation("delete-pv-1[uid-pv-1]", OperationState::Running)
        .syncs_volume("pv-1")
        .expect(json!({
            "branch": "V5", "steps": ["R6"], "operations": ["running delete-pv-1[uid-pv-1]"], "next": "resync",
        }));

    r7_the_operation_backs_off: case(&["R7"])
        .only_with("an operation that backs off")
        .volume(released("Recycle").source("nfs"))
        .operation("recycle-pv-1[uid-pv-1]", OperationState::Backoff)
        .syncs_volume("pv-1")
        .expect(json!({
            "branch": "V5", "steps": ["R7"], "operations": ["backoff recycle-pv-1[uid-pv-1]"], "next": "backoff",
        }));

    // A static nfs volume: its plugin exists, but cannot delete. The operation ends without an error, and so there is
    // no back-off.
    do1_no_plugin_can_delete: case(&["DO1"])
        .volume(orphan("Delete").source("nfs"))
        .syncs_volume("pv-1")
        .expect(json!({
            "branch": "V5",
            "steps": ["R4", "DO1"],
            "writes": [
                {"updateStatus": "pv/pv-1", "patch": {"status": {"phase": "Released"}}},
                {"updateStatus": "pv/pv-1", "patch": {"status": {
                    "phase": "Failed",
                    "message": "error getting deleter volume plugin for volume \"pv-1\": no deletable volume plugin \
                                matched",
                }}},
            ],
            "events": ["Warning VolumeFailedDelete pv/pv-1: error getting deleter volume plugin for volume \"pv-1\": no \
                        deletable volume plugin matched"],
            "operations": ["started delete-pv-1[uid-pv-1]"],
            "next": "event",
        }));

    // For a provisioned volume of a removed type the message is not wrapped. Nothing is written once the volume is
    // Failed.
    do1_a_failed_volume_is_tried_silently: case(&["DO1"])
        .volume(orphan("Delete").annotated("pv.kubernetes.io/provisioned-by", "kubernetes.io/glusterfs").source("glusterfs")
            .finalizers(&["kubernetes.io/pv-controller"]).phase("Failed").message("kept"))
        .syncs_volume("pv-1")
        .expect(json!({
            "branch": "V5",
            "steps": ["R4", "DO1"],
            "operations": ["started delete-pv-1[uid-pv-1]"],
            "next": "resync",
        }));

    do2_failed_is_refused: case(&["DO2"])
        .only_with("a refused write")
        .volume(released("Delete").source("local"))
        .refuses(1, "etcdserver: request timed out")
        .syncs_volume("pv-1")
        .expect(json!({
            "branch": "V5",
            "steps": ["R4", "DO2"],
            "writes": [{
                "updateStatus": "pv/pv-1",
                "patch": {"status": {
                    "phase": "Failed",
                    "message": "error getting deleter volume plugin for volume \"pv-1\": no volume plugin matched",
                }},
                "refused": "etcdserver: request timed out",
            }],
            "operations": ["started delete-pv-1[uid-pv-1]"],
            "next": "backoff",
        }));

    // A static CSI volume. Since 1.30 the controller leaves it to its driver. Since 1.36 it does not read the volume
    // before.
    do3_the_driver_deletes: case(&["DO3"])
        .volume(orphan("Delete"))
        .syncs_volume("pv-1")
        .expect(json!({
            "branch": "V5",
            "steps": ["R4", "DO3"],
            "writes": [{"updateStatus": "pv/pv-1", "patch": {"status": {"phase": "Released"}}}],
            "operations": ["started delete-pv-1[uid-pv-1]"],
            "next": "event",
        }));

    do4_the_volume_cannot_be_read: case(&["DO4"])
        .only_with("a failing read")
        .volume(released("Delete").host_path("/tmp/data"))
        .read_fails(Read::Get(Kind::PersistentVolume), "etcdserver: request timed out")
        .syncs_volume("pv-1")
        .expect(json!({
            "branch": "V5",
            "steps": ["R4", "DO4"],
            "operations": ["started delete-pv-1[uid-pv-1]"],
            "next": "resync",
        }));

    // The API server's volume has lost its claimRef meanwhile.
    do5_the_volume_is_free_by_now: case(&["DO5"])
        .only_with("a stale cache")
        .volume(volume("pv-1").policy("Delete").host_path("/tmp/data"))
        .stale_volume(older(released("Delete").host_path("/tmp/data")))
        .syncs_volume("pv-1")
        .expect(json!({
            "branch": "V5",
            "steps": ["R4", "DO5"],
            "operations": ["started delete-pv-1[uid-pv-1]"],
            "next": "resync",
        }));

    // The deleter accepts only paths that contain /tmp/ and more text after it.
    do6_the_plugin_fails: case(&["DO6"])
        .volume(released("Delete").host_path("/srv/data"))
        .syncs_volume("pv-1")
        .expect(json!({
            "branch": "V5",
            "steps": ["R4", "DO6"],
            "writes": [{"updateStatus": "pv/pv-1", "patch": {"status": {
                "phase": "Failed",
                "message": "host_path deleter only supports /tmp/.+ but received provided /srv/data",
            }}}],
            "events": ["Warning VolumeFailedDelete pv/pv-1: host_path deleter only supports /tmp/.+ but received \
                        provided /srv/data"],
            "operations": ["started delete-pv-1[uid-pv-1]"],
            "next": "backoff",
        }));

    do6_the_finalizer_is_refused: case(&["DO6"])
        .only_with("a refused write")
        .volume(released("Delete").host_path("/tmp/data").annotated("pv.kubernetes.io/provisioned-by", "kubernetes.io/host-path")
            .finalizers(&["kubernetes.io/pv-controller"]))
        .refuses(1, "etcdserver: request timed out")
        .syncs_volume("pv-1")
        .expect(json!({
            "branch": "V5",
            "steps": ["R4", "DO6"],
            "writes": [
                {
                    "update": "pv/pv-1",
                    "patch": {"metadata": {"finalizers": null}},
                    "refused": "etcdserver: request timed out",
                },
                {"updateStatus": "pv/pv-1", "patch": {"status": {
                    "phase": "Failed",
                    "message": "persistent volume controller can't update finalizer: etcdserver: request timed out",
                }}},
            ],
            "events": ["Warning VolumeFailedDelete pv/pv-1: persistent volume controller can't update finalizer: \
                        etcdserver: request timed out"],
            "operations": ["started delete-pv-1[uid-pv-1]"],
            "next": "backoff",
        }));

    do7_the_storage_is_in_use: case(&["DO7"])
        .only_with("a scripted answer: no plugin of 1.36 gives it")
        .volume(released("Delete").host_path("/tmp/data"))
        .plugin(PluginAnswer::InUse("the disk is attached to n-1".to_owned()))
        .syncs_volume("pv-1")
        .expect(json!({
            "branch": "V5",
            "steps": ["R4", "DO7"],
            "events": ["Normal VolumeDelete pv/pv-1: the disk is attached to n-1"],
            "operations": ["started delete-pv-1[uid-pv-1]"],
            "next": "backoff",
        }));

    // The pattern is not anchored: any path with /tmp/ and more text after it matches.
    do8_storage_and_volume_are_deleted: case(&["DO8"])
        .volume(orphan("Delete").host_path("/srv/tmp/data").annotated("pv.kubernetes.io/provisioned-by", "kubernetes.io/host-path")
            .finalizers(&["kubernetes.io/pv-protection", "kubernetes.io/pv-controller"]))
        .syncs_volume("pv-1")
        .expect(json!({
            "branch": "V5",
            "steps": ["R4", "DO8"],
            "writes": [
                {"updateStatus": "pv/pv-1", "patch": {"status": {"phase": "Released"}}},
                {"update": "pv/pv-1", "patch": {"metadata": {"finalizers": ["kubernetes.io/pv-protection"]}}},
                {"delete": "pv/pv-1"},
            ],
            "operations": ["started delete-pv-1[uid-pv-1]"],
            "next": "event",
        }));

    // The error is only logged.
    do9_deleting_the_volume_is_refused: case(&["DO9"])
        .only_with("a refused write")
        .volume(released("Delete").host_path("/tmp/data"))
        .refuses(1, "etcdserver: request timed out")
        .syncs_volume("pv-1")
        .expect(json!({
            "branch": "V5",
            "steps": ["R4", "DO9"],
            "writes": [{"delete": "pv/pv-1", "refused": "etcdserver: request timed out"}],
            "operations": ["started delete-pv-1[uid-pv-1]"],
            "next": "resync",
        }));

    ro1_the_volume_cannot_be_read: case(&["RO1"])
        .only_with("a failing read")
        .volume(released("Recycle").source("nfs"))
        .read_fails(Read::Get(Kind::PersistentVolume), "etcdserver: request timed out")
        .syncs_volume("pv-1")
        .expect(json!({
            "branch": "V5",
            "steps": ["R3", "RO1"],
            "operations": ["started recycle-pv-1[uid-pv-1]"],
            "next": "resync",
        }));

    // The API server's volume is a reservation now. A volume whose claimRef has no uid is not released.
    ro2_the_volume_is_reserved_by_now: case(&["RO2"])
        .only_with("a stale cache")
        .volume(volume("pv-1").policy("Recycle").source("nfs").reserved_for("gone"))
        .stale_volume(older(released("Recycle").source("nfs")))
        .syncs_volume("pv-1")
        .expect(json!({
            "branch": "V5",
            "steps": ["R3", "RO2"],
            "operations": ["started recycle-pv-1[uid-pv-1]"],
            "next": "resync",
        }));

    // A pod uses the volume whether the pod is scheduled or not. A finished pod does not use it.
    ro3_pods_use_the_volume: case(&["RO3"])
        .volume(released("Recycle").source("nfs"))
        .pod(pod("web").uses("gone").runs_on("n-1"))
        .pod(pod("batch").uses("gone"))
        .pod(pod("done").uses("gone").phase("Succeeded"))
        .syncs_volume("pv-1")
        .expect(json!({
            "branch": "V5",
            "steps": ["R3", "RO3"],
            "events": ["Normal VolumeFailedRecycle pv/pv-1: Volume is used by pods: a/batch,a/web"],
            "operations": ["started recycle-pv-1[uid-pv-1]"],
            "next": "resync",
        }));

    // The cache has a new claim with this name, so the pods that use the name do not use the old volume.
    ro3_not_when_a_new_claim_has_the_name: case(&["V6"])
        .volume(released("Recycle").source("nfs"))
        .claim(claim("gone").uid("uid-new"))
        .pod(pod("web").uses("gone").runs_on("n-1"))
        .syncs_volume("pv-1")
        .expect(json!({
            "branch": "V6",
            "steps": ["R3"],
            "operations": ["started recycle-pv-1[uid-pv-1]"],
            "next": "resync",
        }));

    ro4_no_plugin_can_recycle: case(&["RO4"])
        .volume(released("Recycle"))
        .syncs_volume("pv-1")
        .expect(json!({
            "branch": "V5",
            "steps": ["R3", "RO4"],
            "writes": [{"updateStatus": "pv/pv-1", "patch": {"status": {
                "phase": "Failed", "message": "No recycler plugin found for the volume!",
            }}}],
            "events": ["Warning VolumeFailedRecycle pv/pv-1: No recycler plugin found for the volume!"],
            "operations": ["started recycle-pv-1[uid-pv-1]"],
            "next": "event",
        }));

    // There is no error, and so no back-off. Every sync tries again.
    ro5_the_recycler_fails: case(&["RO5"])
        .only_with("a scripted answer of the recycler")
        .volume(released("Recycle").host_path("/srv/data"))
        .plugin(PluginAnswer::Failed("failed to recycle volume: recycler pod was deleted".to_owned()))
        .syncs_volume("pv-1")
        .expect(json!({
            "branch": "V5",
            "steps": ["R3", "RO5"],
            "writes": [{"updateStatus": "pv/pv-1", "patch": {"status": {
                "phase": "Failed", "message": "Recycle failed: failed to recycle volume: recycler pod was deleted",
            }}}],
            "events": ["Warning VolumeFailedRecycle pv/pv-1: Recycle failed: failed to recycle volume: recycler pod was \
                        deleted"],
            "operations": ["started recycle-pv-1[uid-pv-1]"],
            "next": "event",
        }));

    ro6_the_volume_is_recycled: case(&["RO6"])
        .only_with("a scripted answer of the recycler")
        .volume(released("Recycle").source("nfs").annotated("pv.kubernetes.io/bound-by-controller", "yes"))
        .plugin(PluginAnswer::Done)
        .syncs_volume("pv-1")
        .expect(json!({
            "branch": "V5",
            "steps": ["R3", "RO6", "U1"],
            "writes": [
                {"update": "pv/pv-1", "patch": {"metadata": {"annotations": null}, "spec": {"claimRef": null}}},
                {"updateStatus": "pv/pv-1", "patch": {"status": {"phase": "Available"}}},
            ],
            "events": ["Normal VolumeRecycled pv/pv-1: Volume recycled"],
            "operations": ["started recycle-pv-1[uid-pv-1]"],
            "next": "event",
        }));
}
