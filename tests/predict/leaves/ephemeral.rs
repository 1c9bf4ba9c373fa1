//! E: the ends of a pod's sync by the ephemeral-volume controller. EV: what the sync does for one volume.

use super::build::{PodBuilder, claim, pod};
use super::case::case;
use serde_json::{Value, json};

/// Returns a pod with a generic ephemeral volume `scratch`.
fn web() -> PodBuilder {
    pod("web").uses_ephemeral("web-scratch")
}

/// Returns the expected decision if a claim with the name for `scratch` exists and the pod is not its owner.
fn not_owned() -> Value {
    json!({
        "branch": "E4", "steps": ["EV1"],
        "events": [
            "Warning FailedBinding pod/a/web: ephemeral volume scratch: PVC a/web-scratch was not created for pod \
             a/web (pod is not owner)",
        ],
        "error": "pod a/web, ephemeral volume scratch: PVC a/web-scratch was not created for pod a/web (pod is not \
                  owner)",
        "next": "backoff",
    })
}

cases! {
    e1_the_informer_has_no_such_pod: case(&["E1"])
        .only_with("a stale cache: the pod is missing in the informer")
        .unseen_pod(web())
        .syncs_pod("web")
        .expect(json!({"branch": "E1", "next": "event"}));

    e2_a_pod_that_is_being_deleted_gets_no_claim: case(&["E2"])
        .pod(web().terminating())
        .syncs_pod("web")
        .expect(json!({"branch": "E2", "next": "event"}));

    // Neither node nor phase is checked, so a claim is also created for a pod that has ended.
    e3_the_claim_of_an_ended_pod_is_made: case(&["E3", "EV3"])
        .pod(web().runs_on("n-1").phase("Succeeded"))
        .syncs_pod("web")
        .expect(json!({
            "branch": "E3", "steps": ["EV3"], "writes": [{"create": "pvc/a/web-scratch"}], "next": "event",
        }));

    // Only the owner of the claim is checked. The claim may even be terminating.
    e3_the_claim_is_there: case(&["E3", "EV2"])
        .claim(claim("web-scratch").owned_by("uid-web").finalizers(&["example.com/backup"]).terminating())
        .pod(web())
        .syncs_pod("web")
        .expect(json!({"branch": "E3", "steps": ["EV2"], "next": "event"}));

    e4_the_claim_is_somebody_elses: case(&["E4", "EV1"])
        .claim(claim("web-scratch"))
        .pod(web())
        .syncs_pod("web")
        .expect(not_owned());

    e4_the_claim_is_of_an_earlier_pod_of_the_name: case(&["E4", "EV1"])
        .claim(claim("web-scratch").owned_by("uid-of-yesterday"))
        .pod(web())
        .syncs_pod("web")
        .expect(not_owned());

    // The first error ends the sync. The claim of the earlier volume was created. The later volume is not handled.
    e4_the_first_error_ends_the_sync: case(&["E4", "EV3", "EV1"])
        .claim(claim("web-data"))
        .pod(web().uses_ephemeral("web-data").uses_ephemeral("web-logs"))
        .syncs_pod("web")
        .expect(json!({
            "branch": "E4", "steps": ["EV3", "EV1"],
            "writes": [{"create": "pvc/a/web-scratch"}],
            "events": [
                "Warning FailedBinding pod/a/web: ephemeral volume data: PVC a/web-data was not created for pod a/web \
                 (pod is not owner)",
            ],
            "error": "pod a/web, ephemeral volume data: PVC a/web-data was not created for pod a/web (pod is not owner)",
            "next": "backoff",
        }));

    // The controller does not treat this error specially. The retry finds the claim in the informer.
    e4_the_claim_is_there_already: case(&["E4", "EV4"])
        .only_with("a stale cache: the claim is missing in the informer")
        .claim(claim("web-scratch").owned_by("uid-web"))
        .unseen_claim("web-scratch")
        .pod(web())
        .syncs_pod("web")
        .expect(json!({
            "branch": "E4", "steps": ["EV4"],
            "writes": [{
                "create": "pvc/a/web-scratch", "refused": "persistentvolumeclaims \"web-scratch\" already exists",
            }],
            "events": [
                "Warning FailedBinding pod/a/web: ephemeral volume scratch: create PVC web-scratch: \
                 persistentvolumeclaims \"web-scratch\" already exists",
            ],
            "error": "pod a/web, ephemeral volume scratch: create PVC web-scratch: persistentvolumeclaims \
                      \"web-scratch\" already exists",
            "next": "backoff",
        }));

    e4_the_claim_of_the_name_is_on_its_way_out: case(&["E4", "EV4"])
        .only_with("a stale cache: the claim is missing in the informer")
        .claim(claim("web-scratch").finalizers(&["kubernetes.io/pvc-protection"]).terminating())
        .unseen_claim("web-scratch")
        .pod(web())
        .syncs_pod("web")
        .expect(json!({
            "branch": "E4", "steps": ["EV4"],
            "writes": [{
                "create": "pvc/a/web-scratch",
                "refused": "object is being deleted: persistentvolumeclaims \"web-scratch\" already exists",
            }],
            "events": [
                "Warning FailedBinding pod/a/web: ephemeral volume scratch: create PVC web-scratch: object is being \
                 deleted: persistentvolumeclaims \"web-scratch\" already exists",
            ],
            "error": "pod a/web, ephemeral volume scratch: create PVC web-scratch: object is being deleted: \
                      persistentvolumeclaims \"web-scratch\" already exists",
            "next": "backoff",
        }));

    e4_the_api_server_fails: case(&["E4", "EV4"])
        .only_with("a failing write")
        .pod(web())
        .refuses(1, "etcdserver: request timed out")
        .syncs_pod("web")
        .expect(json!({
            "branch": "E4", "steps": ["EV4"],
            "writes": [{"create": "pvc/a/web-scratch", "refused": "etcdserver: request timed out"}],
            "events": [
                "Warning FailedBinding pod/a/web: ephemeral volume scratch: create PVC web-scratch: etcdserver: request \
                 timed out",
            ],
            "error": "pod a/web, ephemeral volume scratch: create PVC web-scratch: etcdserver: request timed out",
            "next": "backoff",
        }));
}
