//! PE, PI: the ends of a provisioning operation (`docs/controllers/provisioning.md`).

use super::build::{Claim, Class, claim, class, node, volume};
use super::case::case;
use pvctl::model::Kind;
use pvctl::world::Read;
use serde_json::json;

/// Returns a class of the only in-tree plugin that provisions.
fn host_path() -> Class {
    class("gold").provisioner("kubernetes.io/host-path")
}

/// Returns a claim that already names the plugin. So nothing is written before the plugin is called.
fn asked() -> Claim {
    claim("c")
        .annotated("volume.beta.kubernetes.io/storage-provisioner", "kubernetes.io/host-path")
        .annotated("volume.kubernetes.io/storage-provisioner", "kubernetes.io/host-path")
}

cases! {
    pe2_the_claim_is_refused: case(&["PE2"])
        .only_with("a refused write")
        .claim(claim("c"))
        .class(class("gold"))
        .refuses(1, "etcdserver: request timed out")
        .syncs_claim("c")
        .expect(json!({
            "branch": "C12",
            "steps": ["PE2"],
            "writes": [{
                "update": "pvc/a/c",
                "patch": {"metadata": {"annotations": {
                    "volume.beta.kubernetes.io/storage-provisioner": "csi.example.com",
                    "volume.kubernetes.io/storage-provisioner": "csi.example.com",
                }}},
                "refused": "etcdserver: request timed out",
            }],
            "events": ["Warning ProvisioningFailed pvc/a/c: Error saving claim: etcdserver: request timed out"],
            "operations": ["started provision-a/c[uid-c]"],
            "next": "backoff",
        }));

    // The class names a migrated plugin, so its CSI driver is asked to provision. The annotation migrated-to is removed
    // from the claim.
    pe3_the_provisioner_is_named: case(&["PE3"])
        .claim(claim("c").annotated("pv.kubernetes.io/migrated-to", "ebs.csi.aws.com"))
        .class(class("gold").provisioner("kubernetes.io/aws-ebs"))
        .syncs_claim("c")
        .expect(json!({
            "branch": "C12",
            "steps": ["PE3"],
            "writes": [{"update": "pvc/a/c", "patch": {"metadata": {"annotations": {
                "volume.beta.kubernetes.io/storage-provisioner": "ebs.csi.aws.com",
                "volume.kubernetes.io/storage-provisioner": "ebs.csi.aws.com",
                "pv.kubernetes.io/migrated-to": null,
            }}}}],
            "events": ["Normal ExternalProvisioning pvc/a/c: Waiting for a volume to be created either by the external \
                        provisioner 'ebs.csi.aws.com' or manually by the system administrator. If volume creation is \
                        delayed, please verify that the provisioner is running and correctly registered."],
            "operations": ["started provision-a/c[uid-c]"],
            "next": "event",
        }));

    // A missing beta annotation is not added. The event is emitted at every sync.
    pe4_the_provisioner_is_named_already: case(&["PE4"])
        .claim(claim("c").annotated("volume.kubernetes.io/storage-provisioner", "csi.example.com"))
        .class(class("gold"))
        .syncs_claim("c")
        .expect(json!({
            "branch": "C12",
            "steps": ["PE4"],
            "events": ["Normal ExternalProvisioning pvc/a/c: Waiting for a volume to be created either by the external \
                        provisioner 'csi.example.com' or manually by the system administrator. If volume creation is \
                        delayed, please verify that the provisioner is running and correctly registered."],
            "operations": ["started provision-a/c[uid-c]"],
            "next": "resync",
        }));

    // This test comes before any write.
    pi1_a_data_source_is_not_supported: case(&["PI1"])
        .claim(claim("c").with_data_source())
        .class(host_path())
        .syncs_claim("c")
        .expect(json!({
            "branch": "C13",
            "steps": ["PI1"],
            "events": ["Warning ProvisioningFailed pvc/a/c: plugin \"kubernetes.io/host-path\" is not a CSI plugin. Only \
                        CSI plugin can provision a claim with a datasource"],
            "operations": ["started provision-a/c[uid-c]"],
            "next": "backoff",
        }));

    // There is no event.
    pi2_the_claim_is_refused: case(&["PI2"])
        .only_with("a refused write")
        .claim(claim("c"))
        .class(host_path())
        .refuses(1, "etcdserver: request timed out")
        .syncs_claim("c")
        .expect(json!({
            "branch": "C13",
            "steps": ["PI2"],
            "writes": [{
                "update": "pvc/a/c",
                "patch": {"metadata": {"annotations": {
                    "volume.beta.kubernetes.io/storage-provisioner": "kubernetes.io/host-path",
                    "volume.kubernetes.io/storage-provisioner": "kubernetes.io/host-path",
                }}},
                "refused": "etcdserver: request timed out",
            }],
            "operations": ["started provision-a/c[uid-c]"],
            "next": "backoff",
        }));

    pi3_the_volume_cannot_be_read: case(&["PI3"])
        .only_with("a failing read")
        .claim(asked())
        .class(host_path())
        .read_fails(Read::Get(Kind::PersistentVolume), "etcdserver: request timed out")
        .syncs_claim("c")
        .expect(json!({
            "branch": "C13",
            "steps": ["PI3"],
            "operations": ["started provision-a/c[uid-c]"],
            "next": "backoff",
        }));

    // A volume with the name of the new volume exists, and does not match the claim.
    pi4_the_volume_exists: case(&["PI4"])
        .volume(volume("pvc-uid-c").class("silver"))
        .claim(asked())
        .class(host_path())
        .syncs_claim("c")
        .expect(json!({
            "branch": "C13",
            "steps": ["PI4"],
            "operations": ["started provision-a/c[uid-c]"],
            "next": "resync",
        }));

    // This test comes before the test whether the plugin may provision.
    pi5_mount_options_are_not_supported: case(&["PI5"])
        .claim(asked())
        .class(host_path().mount_options(&["ro", "noatime"]))
        .syncs_claim("c")
        .expect(json!({
            "branch": "C13",
            "steps": ["PI5"],
            "events": ["Warning ProvisioningFailed pvc/a/c: Mount options are not supported by the provisioner but \
                        StorageClass \"gold\" has mount options [ro noatime]"],
            "operations": ["started provision-a/c[uid-c]"],
            "next": "backoff",
        }));

    pi6_host_path_provisioning_is_off: case(&["PI6"])
        .claim(claim("c"))
        .class(host_path())
        .syncs_claim("c")
        .expect(json!({
            "branch": "C13",
            "steps": ["PI6"],
            "writes": [{"update": "pvc/a/c", "patch": {"metadata": {"annotations": {
                "volume.beta.kubernetes.io/storage-provisioner": "kubernetes.io/host-path",
                "volume.kubernetes.io/storage-provisioner": "kubernetes.io/host-path",
            }}}}],
            "events": ["Warning ProvisioningFailed pvc/a/c: Failed to create provisioner: provisioning in volume plugin \
                        \"kubernetes.io/host-path\" is disabled"],
            "operations": ["started provision-a/c[uid-c]"],
            "next": "backoff",
        }));

    pi7_the_selected_node_is_missing: case(&["PI7"])
        .claim(asked().annotated("volume.kubernetes.io/selected-node", "n-9"))
        .class(host_path().waits())
        .node(node("n-1"))
        .flag("enable-hostpath-provisioner", "true")
        .syncs_claim("c")
        .expect(json!({
            "branch": "C13",
            "steps": ["PI7"],
            "events": ["Warning ProvisioningFailed pvc/a/c: Failed to get target node: node \"n-9\" not found"],
            "operations": ["started provision-a/c[uid-c]"],
            "next": "backoff",
        }));

    // selected-node is removed, so that the scheduler can choose another node.
    pi8_the_plugin_fails: case(&["PI8"])
        .claim(asked().block().annotated("volume.kubernetes.io/selected-node", "n-1"))
        .class(host_path().waits())
        .node(node("n-1"))
        .flag("enable-hostpath-provisioner", "true")
        .syncs_claim("c")
        .expect(json!({
            "branch": "C13",
            "steps": ["PI8"],
            "writes": [{"update": "pvc/a/c", "patch": {"metadata": {"annotations": {
                "volume.kubernetes.io/selected-node": null,
            }}}}],
            "events": ["Warning ProvisioningFailed pvc/a/c: Failed to provision volume with StorageClass \"gold\": \
                        kubernetes.io/host-path does not support block volume provisioning"],
            "operations": ["started provision-a/c[uid-c]"],
            "next": "backoff",
        }));

    pi9_the_storage_is_cleaned_up: case(&["PI9"])
        .only_with("refused writes, and the gate HonorPVReclaimPolicy off, as in the rules up to 1.30: if the gate is \
                    on, the clean-up asks for the volume that could not be created, and fails (PI10)")
        .kube(30)
        .claim(asked())
        .class(host_path())
        .flag("enable-hostpath-provisioner", "true")
        .refuses_from(1, "etcdserver: request timed out")
        .syncs_claim("c")
        .expect(json!({
            "branch": "C13",
            "steps": ["PI9"],
            "writes": [
                {"create": "pv/pvc-uid-c", "refused": "etcdserver: request timed out"},
                {"create": "pv/pvc-uid-c", "refused": "etcdserver: request timed out"},
                {"create": "pv/pvc-uid-c", "refused": "etcdserver: request timed out"},
                {"create": "pv/pvc-uid-c", "refused": "etcdserver: request timed out"},
                {"create": "pv/pvc-uid-c", "refused": "etcdserver: request timed out"},
            ],
            "events": ["Warning ProvisioningFailed pvc/a/c: Error creating provisioned PV object for claim a/c: \
                        etcdserver: request timed out. Deleting the volume."],
            "operations": ["started provision-a/c[uid-c]"],
            "next": "resync",
        }));

    // doDeleteVolume deletes the storage, and then reads the volume because of its finalizer. The volume was never
    // created.
    pi10_the_clean_up_misses_the_volume: case(&["PI10"])
        .only_with("refused writes")
        .claim(asked())
        .class(host_path())
        .flag("enable-hostpath-provisioner", "true")
        .refuses_from(1, "etcdserver: request timed out")
        .syncs_claim("c")
        .expect(json!({
            "branch": "C13",
            "steps": ["PI10"],
            "writes": [
                {"create": "pv/pvc-uid-c", "refused": "etcdserver: request timed out"},
                {"create": "pv/pvc-uid-c", "refused": "etcdserver: request timed out"},
                {"create": "pv/pvc-uid-c", "refused": "etcdserver: request timed out"},
                {"create": "pv/pvc-uid-c", "refused": "etcdserver: request timed out"},
                {"create": "pv/pvc-uid-c", "refused": "etcdserver: request timed out"},
            ],
            "events": [
                "Warning ProvisioningFailed pvc/a/c: Error creating provisioned PV object for claim a/c: etcdserver: \
                 request timed out. Deleting the volume.",
                "Warning ProvisioningCleanupFailed pvc/a/c: Error cleaning provisioned volume for claim a/c: \
                 persistentvolumes \"pvc-uid-c\" not found. Please delete manually.",
            ],
            "operations": ["started provision-a/c[uid-c]"],
            "next": "resync",
        }));

    pi10_the_storage_cannot_be_deleted: case(&["PI10"])
        .only_with("refused writes and a scripted answer of the plugin")
        .claim(asked())
        .class(host_path())
        .flag("enable-hostpath-provisioner", "true")
        .refuses_from(1, "etcdserver: request timed out")
        .cleanup_fails("unlinkat /tmp/hostpath_pv: device or resource busy")
        .syncs_claim("c")
        .expect(json!({
            "branch": "C13",
            "steps": ["PI10"],
            "writes": [
                {"create": "pv/pvc-uid-c", "refused": "etcdserver: request timed out"},
                {"create": "pv/pvc-uid-c", "refused": "etcdserver: request timed out"},
                {"create": "pv/pvc-uid-c", "refused": "etcdserver: request timed out"},
                {"create": "pv/pvc-uid-c", "refused": "etcdserver: request timed out"},
                {"create": "pv/pvc-uid-c", "refused": "etcdserver: request timed out"},
            ],
            "events": [
                "Warning ProvisioningFailed pvc/a/c: Error creating provisioned PV object for claim a/c: etcdserver: \
                 request timed out. Deleting the volume.",
                "Warning ProvisioningCleanupFailed pvc/a/c: Error cleaning provisioned volume for claim a/c: unlinkat \
                 /tmp/hostpath_pv: device or resource busy. Please delete manually.",
            ],
            "operations": ["started provision-a/c[uid-c]"],
            "next": "resync",
        }));

    // The controller sends the phase Bound, and the API server drops it (`docs/controllers/api-server.md`).
    pi11_the_volume_is_created: case(&["PI11"])
        .claim(asked())
        .class(host_path())
        .flag("enable-hostpath-provisioner", "true")
        .syncs_claim("c")
        .expect(json!({
            "branch": "C13",
            "steps": ["PI11"],
            "writes": [{"create": "pv/pvc-uid-c", "volume": {
                "annotations": {"pv.kubernetes.io/bound-by-controller": "yes",
                                "pv.kubernetes.io/provisioned-by": "kubernetes.io/host-path"},
                "finalizers": ["kubernetes.io/pv-controller"],
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

    // If a single write is refused, the next attempt succeeds.
    pi11_the_second_try_succeeds: case(&["PI11"])
        .only_with("a refused write")
        .claim(asked())
        .class(host_path())
        .flag("enable-hostpath-provisioner", "true")
        .refuses(1, "etcdserver: request timed out")
        .syncs_claim("c")
        .expect(json!({
            "branch": "C13",
            "steps": ["PI11"],
            "writes": [
                {"create": "pv/pvc-uid-c", "refused": "etcdserver: request timed out"},
                {"create": "pv/pvc-uid-c", "volume": {
                    "annotations": {"pv.kubernetes.io/bound-by-controller": "yes",
                                    "pv.kubernetes.io/provisioned-by": "kubernetes.io/host-path"},
                    "finalizers": ["kubernetes.io/pv-controller"],
                    "capacity": "1Gi",
                    "accessModes": ["ReadWriteOnce"],
                    "claimRef": "a/c uid-c",
                    "persistentVolumeReclaimPolicy": "Delete",
                    "storageClassName": "gold",
                    "phase": "Pending",
                }},
            ],
            "events": ["Normal ProvisioningSucceeded pvc/a/c: Successfully provisioned volume pvc-uid-c using \
                        kubernetes.io/host-path"],
            "operations": ["started provision-a/c[uid-c]"],
            "next": "event",
        }));
}
