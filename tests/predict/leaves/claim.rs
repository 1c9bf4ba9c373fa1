//! C: the ends of a claim's sync (`docs/controllers/claims.md`).

use super::build::{claim, class, pod, volume};
use super::case::case;
use pvctl::model::Kind;
use pvctl::world::{OperationState, Read};
use serde_json::json;

cases! {
    // The provisioner is a migrated in-tree plugin, so the controller adds migrated-to. The sync wraps the error as
    // text.
    c1_the_migration_annotation_is_refused: case(&["C1"])
        .only_with("a refused write")
        .claim(claim("c").annotated("volume.kubernetes.io/storage-provisioner", "kubernetes.io/aws-ebs"))
        .refuses(1, "etcdserver: request timed out")
        .syncs_claim("c")
        .expect(json!({
            "branch": "C1",
            "writes": [{
                "update": "pvc/a/c",
                "patch": {"metadata": {"annotations": {"pv.kubernetes.io/migrated-to": "ebs.csi.aws.com"}}},
                "refused": "etcdserver: request timed out",
            }],
            "error": "persistent Volume Controller can't anneal migration annotations: etcdserver: request timed out",
            "next": "backoff",
        }));

    // IsDelayBindingMode fails if the lister fails, or if the class has no mode. Its caller returns both errors at the
    // same place, so both end at C2.
    c2_the_binding_mode_is_not_known: case(&["C2"])
        .only_with("a failing lister of classes: reading an input fills in an absent volumeBindingMode, as the API \
                    server does; upstream returns the error of the lister and the error about an absent mode from the \
                    same place")
        .claim(claim("c"))
        .class(class("gold"))
        .read_fails(Read::Lister(Kind::StorageClass), "the cache is gone")
        .syncs_claim("c")
        .expect(json!({"branch": "C2", "error": "the cache is gone", "next": "backoff"}));

    // The search parses the selector only if some volume has the access modes of the claim. Here one volume has them.
    c3_the_selector_cannot_be_used: case(&["C3"])
        .only_with("an object that no API server stores: it refuses such a selector")
        .volume(volume("pv-1"))
        .claim(claim("c").wants_label_by("disk", "Sometimes"))
        .class(class("gold"))
        .syncs_claim("c")
        .expect(json!({
            "branch": "C3",
            "error": "error finding PV for claim \"a/c\": error creating internal label selector for claim: a/c: \
                      \"Sometimes\" is not a valid label selector operator",
            "next": "backoff",
        }));

    c3_goes_unnoticed_without_a_bucket: case(&["C12"])
        .only_with("an object that no API server stores: it refuses such a selector")
        .volume(volume("pv-1").modes(&["ROX"]))
        .claim(claim("c").wants_label_by("disk", "Sometimes").annotated("volume.kubernetes.io/storage-provisioner", "csi.example.com"))
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

    // The binding (B) makes all four writes. The volume was not reserved, so volume and claim get bound-by-controller.
    c4_a_matching_volume_is_bound: case(&["C4"])
        .volume(volume("pv-1").size("2Gi"))
        .claim(claim("c"))
        .class(class("gold"))
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
                    "phase": "Bound", "accessModes": ["ReadWriteOnce"], "capacity": {"storage": "2Gi"},
                }}},
            ],
            "next": "event",
        }));

    // The newest default class is used, and among classes of the same age the first one by name. There is no event and
    // no status write.
    c5_the_default_class_is_assigned: case(&["C5"])
        .claim(claim("c").without_class())
        .class(class("older").default_since(100))
        .class(class("newest-b").default_since(200))
        .class(class("newest-a").default_since(200))
        .syncs_claim("c")
        .expect(json!({
            "branch": "C5",
            "writes": [{"update": "pvc/a/c", "patch": {"spec": {"storageClassName": "newest-a"}}}],
            "next": "event",
        }));

    // A volume without a class has precedence over the default class.
    c5_comes_after_matching: case(&["C4"])
        .volume(volume("pv-1").class("").claimed_by("c", "uid-c").phase("Bound"))
        .claim(claim("c").without_class())
        .class(class("standard").default_since(100))
        .syncs_claim("c")
        .expect(json!({
            "branch": "C4",
            "steps": ["M7", "B3", "B4"],
            "writes": [
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

    c6_classes_cannot_be_listed: case(&["C6"])
        .only_with("a failing lister of classes")
        .claim(claim("c").without_class())
        .read_fails(Read::Lister(Kind::StorageClass), "the cache is gone")
        .syncs_claim("c")
        .expect(json!({
            "branch": "C6",
            "error": "can't update PersistentVolumeClaim[\"a/c\"]: the cache is gone",
            "next": "backoff",
        }));

    c6_the_default_class_is_refused: case(&["C6"])
        .only_with("a refused write")
        .claim(claim("c").without_class())
        .class(class("standard").default_since(100))
        .refuses(1, "etcdserver: request timed out")
        .syncs_claim("c")
        .expect(json!({
            "branch": "C6",
            "writes": [{
                "update": "pvc/a/c",
                "patch": {"spec": {"storageClassName": "standard"}},
                "refused": "etcdserver: request timed out",
            }],
            "error": "can't update PersistentVolumeClaim[\"a/c\"]: etcdserver: request timed out",
            "next": "backoff",
        }));

    // A running or finished pod is no reason to wait for the scheduler. The status is Pending already.
    c7_no_pod_could_be_scheduled: case(&["C7"])
        .claim(claim("c"))
        .class(class("gold").waits())
        .pod(pod("runs").uses("c").runs_on("n-1"))
        .pod(pod("done").uses("c").phase("Succeeded"))
        .syncs_claim("c")
        .expect(json!({
            "branch": "C7",
            "events": ["Normal WaitForFirstConsumer pvc/a/c: waiting for first consumer to be created before binding"],
            "next": "resync",
        }));

    // If no volume justifies the status, updateClaimStatus(Pending) resets it.
    c7_puts_the_claim_back_to_pending: case(&["C7"])
        .claim(claim("c").status("Bound", &["RWO"], "1Gi"))
        .class(class("gold").waits())
        .syncs_claim("c")
        .expect(json!({
            "branch": "C7",
            "writes": [{"updateStatus": "pvc/a/c", "patch": {"status": {
                "phase": "Pending", "accessModes": null, "capacity": null,
            }}}],
            "events": ["Normal WaitForFirstConsumer pvc/a/c: waiting for first consumer to be created before binding"],
            "next": "event",
        }));

    c8_one_pod_waits_for_a_node: case(&["C8"])
        .claim(claim("c"))
        .class(class("gold").waits())
        .pod(pod("web").uses("c"))
        .syncs_claim("c")
        .expect(json!({
            "branch": "C8",
            "events": ["Normal WaitForPodScheduled pvc/a/c: waiting for pod web to be scheduled"],
            "next": "resync",
        }));

    // Generic ephemeral volumes are found by the computed name of their claim. The owner is not checked.
    c8_several_pods_wait_for_a_node: case(&["C8"])
        .claim(claim("web-data"))
        .class(class("gold").waits())
        .pod(pod("web").uses_ephemeral("web-data"))
        .pod(pod("batch").uses("web-data"))
        .syncs_claim("web-data")
        .expect(json!({
            "branch": "C8",
            "events": ["Normal WaitForPodScheduled pvc/a/web-data: waiting for pods batch,web to be scheduled"],
            "next": "resync",
        }));

    c9_dynamic_provisioning_is_off: case(&["C9"])
        .claim(claim("c"))
        .class(class("gold"))
        .flag("enable-dynamic-provisioning", "false")
        .syncs_claim("c")
        .expect(json!({"branch": "C9", "next": "resync"}));

    c10_the_class_is_missing: case(&["C10"])
        .claim(claim("c"))
        .syncs_claim("c")
        .expect(json!({
            "branch": "C10",
            "events": ["Warning ProvisioningFailed pvc/a/c: storageclass.storage.k8s.io \"gold\" not found"],
            "next": "resync",
        }));

    c11_the_in_tree_provisioner_is_unknown: case(&["C11"])
        .claim(claim("c"))
        .class(class("gold").provisioner("kubernetes.io/glusterfs"))
        .syncs_claim("c")
        .expect(json!({
            "branch": "C11",
            "events": ["Warning ProvisioningFailed pvc/a/c: no volume plugin matched name: kubernetes.io/glusterfs"],
            "next": "resync",
        }));

    c11_nfs_cannot_provision: case(&["C11"])
        .claim(claim("c"))
        .class(class("gold").provisioner("kubernetes.io/nfs"))
        .syncs_claim("c")
        .expect(json!({
            "branch": "C11",
            "events": ["Warning ProvisioningFailed pvc/a/c: no provisionable volume plugin matched"],
            "next": "resync",
        }));

    // With the annotation selected-node the claim does not wait, even if the value is empty. The static volume is not
    // used (M9).
    c12_an_external_provisioner_is_asked: case(&["C12"])
        .volume(volume("pv-1"))
        .claim(claim("c").annotated("volume.kubernetes.io/selected-node", ""))
        .class(class("gold").waits())
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
        }));

    c13_an_in_tree_plugin_provisions: case(&["C13"])
        .claim(claim("c").annotated("volume.kubernetes.io/storage-provisioner", "kubernetes.io/host-path"))
        .class(class("gold").provisioner("kubernetes.io/host-path"))
        .syncs_claim("c")
        .expect(json!({
            "branch": "C13",
            "steps": ["PI6"],
            "events": ["Warning ProvisioningFailed pvc/a/c: Failed to create provisioner: provisioning in volume plugin \
                        \"kubernetes.io/host-path\" is disabled"],
            "operations": ["started provision-a/c[uid-c]"],
            "next": "backoff",
        }));

    // The operation cannot start. The sync does not report this as an error.
    c14_provisioning_is_under_way: case(&["C14"])
        .only_with("a running operation")
        .claim(claim("c"))
        .class(class("gold"))
        .operation("provision-a/c[uid-c]", OperationState::Running)
        .syncs_claim("c")
        .expect(json!({"branch": "C14", "operations": ["running provision-a/c[uid-c]"], "next": "resync"}));

    c15_provisioning_backs_off: case(&["C15"])
        .only_with("an operation that backs off")
        .claim(claim("c"))
        .class(class("gold"))
        .operation("provision-a/c[uid-c]", OperationState::Backoff)
        .syncs_claim("c")
        .expect(json!({"branch": "C15", "operations": ["backoff provision-a/c[uid-c]"], "next": "backoff"}));

    // Since 1.30 a claim with an explicitly empty class never gets the default class.
    c16_no_volume_and_no_class: case(&["C16"])
        .claim(claim("c").class(""))
        .class(class("standard").default_since(100))
        .syncs_claim("c")
        .expect(json!({
            "branch": "C16",
            "events": ["Normal FailedBinding pvc/a/c: no persistent volumes available for this claim and no storage \
                        class is set"],
            "next": "resync",
        }));

    c17_the_named_volume_is_missing: case(&["C17"])
        .claim(claim("c").names("pv-1").status("Bound", &["RWO"], "1Gi"))
        .syncs_claim("c")
        .expect(json!({
            "branch": "C17",
            "writes": [{"updateStatus": "pvc/a/c", "patch": {"status": {
                "phase": "Pending", "accessModes": null, "capacity": null,
            }}}],
            "next": "event",
        }));

    // Only the first test that fails is reported. So each volume here, except the last, also fails the next test.
    c18a_the_named_volume_is_deleted: case(&["C18a"])
        .volume(volume("pv-1").size("1Mi").class("silver").finalizers(&["kubernetes.io/pv-protection"]).terminating())
        .claim(claim("c").names("pv-1"))
        .syncs_claim("c")
        .expect(json!({
            "branch": "C18a",
            "events": ["Warning VolumeMismatch pvc/a/c: Cannot bind to requested volume \"pv-1\": the volume is marked \
                        for deletion \"pv-1\""],
            "next": "resync",
        }));

    c18b_the_named_volume_is_too_small: case(&["C18b"])
        .volume(volume("pv-1").size("1Mi").class("silver"))
        .claim(claim("c").names("pv-1"))
        .syncs_claim("c")
        .expect(json!({
            "branch": "C18b",
            "events": ["Warning VolumeMismatch pvc/a/c: Cannot bind to requested volume \"pv-1\": requested PV is too \
                        small"],
            "next": "resync",
        }));

    // The beta annotation has precedence over the field.
    c18c_the_named_volume_has_another_class: case(&["C18c"])
        .volume(volume("pv-1").annotated("volume.beta.kubernetes.io/storage-class", "silver").attributes_class("fast"))
        .claim(claim("c").names("pv-1"))
        .syncs_claim("c")
        .expect(json!({
            "branch": "C18c",
            "events": ["Warning VolumeMismatch pvc/a/c: Cannot bind to requested volume \"pv-1\": storageClassName does \
                        not match"],
            "next": "resync",
        }));

    c18d_the_named_volume_has_another_attributes_class: case(&["C18d"])
        .volume(volume("pv-1").attributes_class("fast").block())
        .claim(claim("c").names("pv-1"))
        .syncs_claim("c")
        .expect(json!({
            "branch": "C18d",
            "events": ["Warning VolumeMismatch pvc/a/c: Cannot bind to requested volume \"pv-1\": \
                        volumeAttributesClassName does not match"],
            "next": "resync",
        }));

    c18e_attributes_classes_are_off: case(&["C18e"])
        .only_with("rules of 1.31 to 1.35 with the gate VolumeAttributesClass off; it is locked on in 1.36")
        .kube(31)
        .volume(volume("pv-1").attributes_class("fast").block())
        .claim(claim("c").names("pv-1").attributes_class("fast"))
        .syncs_claim("c")
        .expect(json!({
            "branch": "C18e",
            "events": ["Warning VolumeMismatch pvc/a/c: Cannot bind to requested volume \"pv-1\": \
                        volumeAttributesClassName is not supported when the feature-gate VolumeAttributesClass is \
                        disabled"],
            "next": "resync",
        }));

    c18f_the_named_volume_has_another_mode: case(&["C18f"])
        .volume(volume("pv-1").block().modes(&["ROX"]))
        .claim(claim("c").names("pv-1"))
        .syncs_claim("c")
        .expect(json!({
            "branch": "C18f",
            "events": ["Warning VolumeMismatch pvc/a/c: Cannot bind to requested volume \"pv-1\": incompatible \
                        volumeMode"],
            "next": "resync",
        }));

    // RWX does not include RWO.
    c18g_the_named_volume_lacks_a_mode: case(&["C18g"])
        .volume(volume("pv-1").modes(&["RWX"]))
        .claim(claim("c").names("pv-1"))
        .syncs_claim("c")
        .expect(json!({
            "branch": "C18g",
            "events": ["Warning VolumeMismatch pvc/a/c: Cannot bind to requested volume \"pv-1\": incompatible \
                        accessMode"],
            "next": "resync",
        }));

    // Phase, labels and selector are not tested. The capacity 1500m is rounded up to the requested 2 bytes.
    c19_the_named_volume_is_free: case(&["C19"])
        .volume(volume("pv-1").size("1500m").phase("Pending"))
        .claim(claim("c").request("2").names("pv-1").wants_label("disk", "ssd"))
        .syncs_claim("c")
        .expect(json!({
            "branch": "C19",
            "steps": ["B1", "B2", "B3", "B4"],
            "writes": [
                {"update": "pv/pv-1", "patch": {
                    "metadata": {"annotations": {"pv.kubernetes.io/bound-by-controller": "yes"}},
                    "spec": {"claimRef": {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "namespace": "a", "name": "c",
                                          "uid": "uid-c", "resourceVersion": "20"}},
                }},
                {"updateStatus": "pv/pv-1", "patch": {"status": {"phase": "Bound"}}},
                {"update": "pvc/a/c", "patch": {"metadata": {"annotations": {"pv.kubernetes.io/bind-completed": "yes"}}}},
                {"updateStatus": "pvc/a/c", "patch": {"status": {
                    "phase": "Bound", "accessModes": ["ReadWriteOnce"], "capacity": {"storage": "1500m"},
                }}},
            ],
            "next": "event",
        }));

    // A reserved volume is not tested at all. This one is too small, has another class and another mode, and is being
    // deleted. The whole claimRef is replaced. A volume that a person reserved never gets bound-by-controller.
    c20_the_named_volume_is_reserved: case(&["C20"])
        .volume(volume("pv-1").size("1Mi").class("silver").modes(&["ROX"]).reserved_for("c")
            .finalizers(&["kubernetes.io/pv-protection"]).terminating())
        .claim(claim("c").names("pv-1"))
        .syncs_claim("c")
        .expect(json!({
            "branch": "C20",
            "steps": ["B1", "B2", "B3", "B4"],
            "writes": [
                {"update": "pv/pv-1", "patch": {"spec": {"claimRef": {
                    "apiVersion": "v1", "kind": "PersistentVolumeClaim", "uid": "uid-c", "resourceVersion": "20",
                }}}},
                {"updateStatus": "pv/pv-1", "patch": {"status": {"phase": "Bound"}}},
                {"update": "pvc/a/c", "patch": {"metadata": {"annotations": {"pv.kubernetes.io/bind-completed": "yes"}}}},
                {"updateStatus": "pvc/a/c", "patch": {"status": {
                    "phase": "Bound", "accessModes": ["ReadOnlyMany"], "capacity": {"storage": "1Mi"},
                }}},
            ],
            "next": "event",
        }));

    c21_the_named_volume_is_taken: case(&["C21"])
        .volume(volume("pv-1").claimed_by("other", "uid-other").phase("Bound"))
        .claim(claim("c").names("pv-1").status("Lost", &["RWO"], "1Gi"))
        .syncs_claim("c")
        .expect(json!({
            "branch": "C21",
            "writes": [{"updateStatus": "pvc/a/c", "patch": {"status": {
                "phase": "Pending", "accessModes": null, "capacity": null,
            }}}],
            "events": ["Warning FailedBinding pvc/a/c: volume \"pv-1\" already bound to a different claim."],
            "next": "event",
        }));

    // In 1.36 this path emits the event as well. The status does not change.
    c22_the_named_volume_is_taken_and_the_controller_chose_it: case(&["C22"])
        .volume(volume("pv-1").claimed_by("other", "uid-other").phase("Bound"))
        .claim(claim("c").names("pv-1").annotated("pv.kubernetes.io/bound-by-controller", "yes")
            .status("Bound", &["RWO"], "1Gi"))
        .syncs_claim("c")
        .expect(json!({
            "branch": "C22",
            "events": ["Warning FailedBinding pvc/a/c: volume \"pv-1\" already bound to a different claim."],
            "error": "invalid binding of claim \"a/c\" to volume \"pv-1\": volume already claimed by \"a/other\"",
            "next": "backoff",
        }));

    c23_a_bound_claim_names_nothing: case(&["C23"])
        .claim(claim("c").bound_to(""))
        .syncs_claim("c")
        .expect(json!({
            "branch": "C23",
            "writes": [{"updateStatus": "pvc/a/c", "patch": {"status": {
                "phase": "Lost", "accessModes": null, "capacity": null,
            }}}],
            "events": ["Warning ClaimLost pvc/a/c: Bound claim has lost reference to PersistentVolume. Data on the \
                        volume is lost!"],
            "next": "event",
        }));

    c24_the_bound_volume_is_missing: case(&["C24"])
        .claim(claim("c").bound_to("pv-1"))
        .syncs_claim("c")
        .expect(json!({
            "branch": "C24",
            "writes": [{"updateStatus": "pvc/a/c", "patch": {"status": {
                "phase": "Lost", "accessModes": null, "capacity": null,
            }}}],
            "events": ["Warning ClaimLost pvc/a/c: Bound claim has lost its PersistentVolume. Data on the volume is \
                        lost!"],
            "next": "event",
        }));

    // A claim that is Lost already causes neither a write nor an event. Its old capacity stays.
    c24_says_nothing_twice: case(&["C24"])
        .claim(claim("c").bound_to("pv-1").status("Lost", &["RWO"], "1Gi"))
        .syncs_claim("c")
        .expect(json!({"branch": "C24", "next": "resync"}));

    // The volume gets its claimRef again without a test of size or class. spec.volumeName of the claim is already
    // right, so only the volume is written. A claim that is already Bound does not get the capacity of the smaller
    // volume.
    c25_the_bound_volume_is_unclaimed: case(&["C25"])
        .volume(volume("pv-1").size("1Mi").class("silver"))
        .claim(claim("c").bound_to("pv-1"))
        .syncs_claim("c")
        .expect(json!({
            "branch": "C25",
            "steps": ["B1", "B2"],
            "writes": [
                {"update": "pv/pv-1", "patch": {
                    "metadata": {"annotations": {"pv.kubernetes.io/bound-by-controller": "yes"}},
                    "spec": {"claimRef": {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "namespace": "a", "name": "c",
                                          "uid": "uid-c", "resourceVersion": "20"}},
                }},
                {"updateStatus": "pv/pv-1", "patch": {"status": {"phase": "Bound"}}},
            ],
            "next": "event",
        }));

    c26_the_binding_is_whole: case(&["C26"])
        .volume(volume("pv-1").claimed_by("c", "uid-c").annotated("pv.kubernetes.io/bound-by-controller", "yes").phase("Bound"))
        .claim(claim("c").bound_to("pv-1"))
        .syncs_claim("c")
        .expect(json!({"branch": "C26", "steps": ["B0"], "next": "resync"}));

    // Only uids are compared. The controller corrects a wrong name in the claimRef, and sets the annotation
    // bound-by-controller on the volume.
    c26_a_wrong_name_is_repaired: case(&["C26"])
        .volume(volume("pv-1").claimed_by("misspelt", "uid-c").phase("Bound"))
        .claim(claim("c").bound_to("pv-1"))
        .syncs_claim("c")
        .expect(json!({
            "branch": "C26",
            "steps": ["B1"],
            "writes": [{"update": "pv/pv-1", "patch": {
                "metadata": {"annotations": {"pv.kubernetes.io/bound-by-controller": "yes"}},
                "spec": {"claimRef": {"name": "c"}},
            }}],
            "next": "event",
        }));

    // An empty uid counts as a different uid.
    c27_the_bound_volume_has_no_uid: case(&["C27"])
        .volume(volume("pv-1").reserved_for("c"))
        .claim(claim("c").bound_to("pv-1"))
        .syncs_claim("c")
        .expect(json!({
            "branch": "C27",
            "writes": [{"updateStatus": "pvc/a/c", "patch": {"status": {
                "phase": "Lost", "accessModes": null, "capacity": null,
            }}}],
            "events": ["Warning ClaimMisbound pvc/a/c: Two claims are bound to the same volume, this one is bound \
                        incorrectly"],
            "next": "event",
        }));
}
