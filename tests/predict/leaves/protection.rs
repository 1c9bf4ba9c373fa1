//! X: the ends of a sync by the protection controllers (`docs/controllers/protection.md`). These controllers emit no
//! events.

use super::build::{Claim, claim, pod, volume};
use super::case::case;
use pvctl::model::Kind;
use pvctl::world::Read;
use serde_json::json;

/// Returns a claim that is being deleted and has the protection finalizer.
fn leaving() -> Claim {
    claim("c").finalizers(&["kubernetes.io/pvc-protection", "example.com/backup"]).terminating()
}

cases! {
    x1_the_claim_is_gone: case(&["X1"])
        .only_with("a deletion between two syncs")
        .claim(claim("c"))
        .protects_deleted_claim("c")
        .expect(json!({"branch": "X1"}));

    x2_a_claim_gets_its_finalizer: case(&["X2"])
        .claim(claim("c").finalizers(&["example.com/backup"]))
        .protects_claim("c")
        .expect(json!({
            "branch": "X2",
            "writes": [{"update": "pvc/a/c", "patch": {"metadata": {"finalizers": [
                "example.com/backup", "kubernetes.io/pvc-protection",
            ]}}}],
            "next": "event",
        }));

    // A scheduled pod uses the claim. Neither its phase nor its deletion matters.
    x3_a_finished_pod_keeps_the_claim: case(&["X3"])
        .claim(leaving())
        .pod(pod("done").uses("c").runs_on("n-1").phase("Succeeded").terminating())
        .protects_claim("c")
        .expect(json!({"branch": "X3", "next": "event"}));

    x3_an_ephemeral_claim_of_a_running_pod: case(&["X3"])
        .claim(leaving().owned_by("uid-web"))
        .pod(pod("web").uses_ephemeral("c").runs_on("n-1"))
        .protects_claim("c")
        .expect(json!({"branch": "X3", "next": "event"}));

    x4_a_pod_that_only_the_server_knows: case(&["X4"])
        .only_with("a stale cache: the pod is missing in the informer")
        .claim(leaving())
        .unseen_pod(pod("new").uses("c").runs_on("n-1"))
        .protects_claim("c")
        .expect(json!({"branch": "X4", "next": "event"}));

    x5_the_live_list_fails: case(&["X5"])
        .only_with("a failing read")
        .claim(leaving())
        .read_fails(Read::List(Kind::Pod), "etcdserver: request timed out")
        .protects_claim("c")
        .expect(json!({
            "branch": "X5",
            "error": "live list of pods failed: etcdserver: request timed out",
            "next": "backoff",
        }));

    // Unlike the persistent volume controller, these controllers retry errors in every version.
    x5_is_retried_in_every_version: case(&["X5"])
        .only_with("a failing read")
        .kube(28)
        .claim(leaving())
        .read_fails(Read::List(Kind::Pod), "etcdserver: request timed out")
        .protects_claim("c")
        .expect(json!({
            "branch": "X5",
            "error": "live list of pods failed: etcdserver: request timed out",
            "next": "backoff",
        }));

    // These pods do not use the claim: a pod that is not scheduled, a pod with an ephemeral volume whose claim has
    // another owner, and a pod that is shut down and has an ephemeral volume.
    x6_nobody_uses_the_claim: case(&["X6"])
        .claim(leaving().owned_by("uid-ended"))
        .pod(pod("new").uses("c"))
        .pod(pod("foreign").uses_ephemeral("c").runs_on("n-1"))
        .pod(pod("ended").uses_ephemeral("c").runs_on("n-1").terminating())
        .protects_claim("c")
        .expect(json!({
            "branch": "X6",
            "writes": [{"update": "pvc/a/c", "patch": {"metadata": {"finalizers": ["example.com/backup"]}}}],
            "next": "event",
        }));

    x7_nothing_is_due_on_the_claim: case(&["X7"])
        .claim(claim("c").finalizers(&["kubernetes.io/pvc-protection"]))
        .protects_claim("c")
        .expect(json!({"branch": "X7", "next": "event"}));

    x7_another_finalizer_holds_it: case(&["X7"])
        .claim(claim("c").finalizers(&["example.com/backup"]).terminating())
        .protects_claim("c")
        .expect(json!({"branch": "X7", "next": "event"}));

    // The gate is alpha and off by default. Only the condition of this type is printed; other conditions stay.
    x8_an_unused_claim_is_marked: case(&["X8"])
        .only_with("the gate PersistentVolumeClaimUnusedSinceTime")
        .gate("PersistentVolumeClaimUnusedSinceTime", true)
        .claim(claim("c").finalizers(&["kubernetes.io/pvc-protection"]).unused(false))
        .pod(pod("done").uses("c").runs_on("n-1").phase("Failed"))
        .protects_claim("c")
        .expect(json!({
            "branch": "X7",
            "steps": ["X8"],
            "writes": [{"updateStatus": "pvc/a/c", "patch": {"status": {"conditions": [{
                "type": "Unused", "status": "True", "reason": "NoPodsUsingPVC",
                "message": "No pods are currently referencing this PVC", "lastProbeTime": null, "lastTransitionTime": "<now>",
            }]}}}],
            "next": "event",
        }));

    // For this condition, a pod that is not scheduled counts as a user.
    x8_a_used_claim_is_marked: case(&["X8"])
        .only_with("the gate PersistentVolumeClaimUnusedSinceTime")
        .gate("PersistentVolumeClaimUnusedSinceTime", true)
        .claim(claim("c").finalizers(&["kubernetes.io/pvc-protection"]))
        .pod(pod("new").uses("c"))
        .protects_claim("c")
        .expect(json!({
            "branch": "X7",
            "steps": ["X8"],
            "writes": [{"updateStatus": "pvc/a/c", "patch": {"status": {"conditions": [{
                "type": "Unused", "status": "False", "reason": "PodUsingPVC",
                "message": "A pod is currently referencing this PVC", "lastProbeTime": null, "lastTransitionTime": "<now>",
            }]}}}],
            "next": "event",
        }));

    // If the condition has the right status, neither the condition nor its time is changed.
    x8_not_when_the_condition_is_right: case(&["X7"])
        .only_with("the gate PersistentVolumeClaimUnusedSinceTime")
        .gate("PersistentVolumeClaimUnusedSinceTime", true)
        .claim(claim("c").finalizers(&["kubernetes.io/pvc-protection"]).unused(true))
        .pod(pod("foreign").uses_ephemeral("c").runs_on("n-1"))
        .protects_claim("c")
        .expect(json!({"branch": "X7", "next": "event"}));

    // The live list is also read for this condition.
    x8_fails_with_the_live_list: case(&["X5"])
        .only_with("a failing read")
        .gate("PersistentVolumeClaimUnusedSinceTime", true)
        .claim(claim("c"))
        .read_fails(Read::List(Kind::Pod), "etcdserver: request timed out")
        .protects_claim("c")
        .expect(json!({
            "branch": "X5",
            "error": "live list of pods failed: etcdserver: request timed out",
            "next": "backoff",
        }));

    // The finalizer is then added to the object as it was before the condition was written. So the second write is a
    // conflict.
    x8_makes_the_finalizer_wait: case(&["X8", "X2"])
        .only_with("the gate PersistentVolumeClaimUnusedSinceTime")
        .gate("PersistentVolumeClaimUnusedSinceTime", true)
        .claim(claim("c"))
        .protects_claim("c")
        .expect(json!({
            "branch": "X2",
            "steps": ["X8"],
            "writes": [
                {"updateStatus": "pvc/a/c", "patch": {"status": {"conditions": [{
                    "type": "Unused", "status": "True", "reason": "NoPodsUsingPVC",
                    "message": "No pods are currently referencing this PVC", "lastProbeTime": null, "lastTransitionTime": "<now>",
                }]}}},
                {
                    "update": "pvc/a/c",
                    "patch": {"metadata": {"finalizers": ["kubernetes.io/pvc-protection"]}},
                    "refused": "Operation cannot be fulfilled on persistentvolumeclaims \"c\": the object has been \
                                modified; please apply your changes to the latest version and try again",
                },
            ],
            "error": "Operation cannot be fulfilled on persistentvolumeclaims \"c\": the object has been modified; \
                      please apply your changes to the latest version and try again",
            "next": "backoff",
        }));

    x9_a_volume_gets_its_finalizer: case(&["X9"])
        .volume(volume("pv-1"))
        .protects_volume("pv-1")
        .expect(json!({
            "branch": "X9",
            "writes": [{"update": "pv/pv-1", "patch": {"metadata": {"finalizers": ["kubernetes.io/pv-protection"]}}}],
            "next": "event",
        }));

    // Only the recorded phase matters: no claim is bound to this volume.
    x10_a_bound_volume_is_kept: case(&["X10"])
        .volume(volume("pv-1").phase("Bound").finalizers(&["kubernetes.io/pv-protection"]).terminating())
        .protects_volume("pv-1")
        .expect(json!({"branch": "X10", "next": "event"}));

    // The volume has a claimRef, but is not Bound yet.
    x11_a_volume_that_is_not_bound_goes: case(&["X11"])
        .volume(volume("pv-1").claimed_by("c", "uid-c").finalizers(&["kubernetes.io/pv-protection"]).terminating())
        .claim(claim("c"))
        .protects_volume("pv-1")
        .expect(json!({
            "branch": "X11",
            "writes": [{"update": "pv/pv-1", "patch": {"metadata": {"finalizers": null}}}],
            "next": "event",
        }));

    x12_nothing_is_due_on_the_volume: case(&["X12"])
        .volume(volume("pv-1").finalizers(&["kubernetes.io/pv-protection"]))
        .protects_volume("pv-1")
        .expect(json!({"branch": "X12", "next": "event"}));
}
