//! Pods that wait for their claims.

crate::diagnosis::rules::section! {
    sts_pvc_deleted_race,
    pod_claim_missing,
    pod_claim_lost,
    pod_claim_deleting,
    pod_ephemeral_name_conflict,
    pod_unbound_immediate,
    rwop_conflict,
    pod_node_affinity_conflict,
}

use crate::diagnosis::case::claim_key;
use crate::diagnosis::pod::facts::is_unscheduled;
use crate::diagnosis::{Act, Detection};
use crate::model::Pod;

/// Returns whether a `StatefulSet` probably created the claim for the pod. A `StatefulSet` names the claim after its
/// template and the pod, and names the pod after itself and a number. Upstream: `getPersistentVolumeClaimName`,
/// `getPodName`, `pkg/controller/statefulset`, 1.36.
fn is_of_set(pod: &Pod, claim: &str) -> bool {
    let is_number = |word: &str| !word.is_empty() && word.bytes().all(|letter| letter.is_ascii_digit());
    let numbered = pod.meta.name.rsplit_once('-').is_some_and(|(_, number)| is_number(number));
    let template = claim.strip_suffix(pod.meta.name.as_str()).and_then(|start| start.strip_suffix('-'));
    pod.owner_kind == "StatefulSet" && numbered && template.is_some_and(|template| !template.is_empty())
}

/// Returns words that name one claim and say how many other claims there are.
fn some_claims(first: &str, more: usize) -> String {
    if more == 0 { format!("claim {first}") } else { format!("claim {first} (and {more} more)") }
}

/// States that the finding follows from the pod's claims with these names.
fn blame(found: Detection, pod: &Pod, claims: &[&str]) -> Detection {
    claims.iter().fold(found, |found, claim| found.follows_from(claim_key(&pod.meta.namespace, claim), Act::Bind))
}
