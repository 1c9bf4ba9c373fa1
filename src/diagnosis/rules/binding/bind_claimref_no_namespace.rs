//! This rule reports a volume whose `claimRef` has no namespace or no name.

use crate::controllers::persistent_volume::matching::Query;
use crate::controllers::{CandidateVerdict, VolumeBranch};
use crate::diagnosis::case::key_of_claim;
use crate::diagnosis::facts::{is_bound, is_complete, is_open};
use crate::diagnosis::mention::part_of;
use crate::diagnosis::remedy::{by_hand, expect, patch_volume, retain};
use crate::diagnosis::{Act, Case, Detect, Detection, Page, Remedy, Repair, Risk, Rule, Severity};
use crate::model::{ClaimRef, Kind, NO_PROVISIONER, PersistentVolume, PersistentVolumeClaim};
use serde_json::json;

pub(super) static RULE: Rule = Rule {
    id: "bind-claimref-no-namespace",
    title: "the volume's claimRef has no namespace or no name",
    severity: Severity::Error,
    risk: Risk::Imminent,
    reads: &[Kind::PersistentVolumeClaim, Kind::StorageClass],
    hinders: &[Act::Offer],
    repairs: &[Repair::Unbind],
    page: Page {
        seen: "The volume is Available, and its CLAIM begins or ends with a slash, such as `/data`. The claim that \
               should get the volume is Pending and has an event `FailedBinding`. If the claim names the volume, the \
               event reports a different claim. Otherwise the event says that there is no volume.",
        why: "A volume is reserved for a claim only if the namespace and the name in its `claimRef` are those of the \
              claim. The API server checks neither of them, so it accepts a `claimRef` without a namespace or without \
              a name. No claim has an empty name or namespace, so no claim matches such a `claimRef`. A volume itself \
              has no namespace, so the API server cannot add a namespace by default.",
        confirm: "kubectl get pv VOLUME -o jsonpath='{.spec.claimRef}'\n\
                  kubectl get pvc --all-namespaces --field-selector metadata.name=NAME",
        repair: "Write the missing namespace or name into `spec.claimRef`; both can be changed. The next sync of that \
                 claim then binds it to the volume.",
        prevention: "State namespace and name in every `claimRef`, and no uid.",
        hazard: "If you remove the `claimRef` instead, any claim of any namespace can get the volume. If the \
                 `claimRef` also has a uid, the controller concludes that the claim was deleted. With policy Delete \
                 the storage is then deleted.",
        sources: &[
            "IsVolumeBoundToClaim, component-helpers, Kubernetes 1.36",
            "syncVolume, Kubernetes 1.36 (V3, V5)",
            "kubernetes/kubernetes#99266",
            "kubernetes/kubernetes#71843",
            "kubernetes/kubernetes#78492",
        ],
    },
    detect: Detect::Volume(detect),
};

fn detect(case: &Case<'_>, volume: &PersistentVolume) -> Option<Detection> {
    let named = volume.claim_ref.as_ref()?;
    if volume.terminating() || is_complete(named) {
        return None;
    }
    // A bound claim finds the volume by the uid in the `claimRef`, and the controller then completes the `claimRef`.
    if !named.uid.is_empty() && case.always_ends("Bound")? {
        return None;
    }
    let released = !named.uid.is_empty()
        && matches!(case.volume_branch(), Some(VolumeBranch::VolumeClaimMissing | VolumeBranch::VolumeClaimReplaced));
    let destroyed = released && case.destroys(volume);
    let stated = match (named.namespace.is_empty(), named.name.is_empty()) {
        (true, true) => "neither a namespace nor a claim".to_owned(),
        (true, false) => format!("claim {} without a namespace", named.name),
        (false, _) => format!("namespace {} but no claim", named.namespace),
    };
    let snapshot = case.snapshot();
    let lives = |claim: &&PersistentVolumeClaim| !claim.terminating();
    let waiting: Vec<&PersistentVolumeClaim> =
        snapshot.claims_naming(&volume.meta.name).iter().map(|id| snapshot.claim(*id)).filter(lives).collect();
    // A `claimRef` without a name still has the namespace of the claim.
    let meant = if waiting.is_empty() { meant(case, volume, named) } else { Vec::new() };
    let waits = match waiting.as_slice() {
        [] => match meant.as_slice() {
            [] => String::new(),
            [only] => {
                format!(". Claim {} would fit and gets no other volume, but it does not get this volume", only.key())
            }
            several => format!(
                ". {} claims of that namespace would fit and get no other volume, but they do not get this volume",
                several.len()
            ),
        },
        [only] => format!(". Claim {} names the volume and does not get it", only.key()),
        several => format!(". {} claims name the volume and do not get it", several.len()),
    };
    let policy = volume.reclaim_policy.as_str();
    let fate = if destroyed {
        format!(". The volume is treated as Released, and policy {policy} destroys its data")
    } else {
        String::new()
    };
    let found = Detection::new(format!(
        "{} names {stated}, so no claim matches it{fate}{waits}",
        part_of(&case.object(), "spec.claimRef")
    ));
    let mut found = found
        .risk(if destroyed { Risk::Imminent } else { Risk::None })
        .severity(if destroyed || !(waiting.is_empty() && meant.is_empty()) {
            Severity::Error
        } else {
            Severity::Warning
        })
        .evidence(&case.object(), "spec.claimRef.namespace", named.namespace.as_str())
        .evidence(&case.object(), "spec.claimRef.name", named.name.as_str());
    for claim in waiting.iter().take(3) {
        found = found.evidence(&key_of_claim(&claim.meta), "spec.volumeName", volume.meta.name.as_str());
    }
    for claim in meant.iter().take(3) {
        found = found.evidence(&key_of_claim(&claim.meta), "status.phase", claim.status.phase.as_str());
    }
    if destroyed {
        found = found.remedies(retain(volume));
    }
    Some(found.remedy(match (waiting.as_slice(), meant.as_slice()) {
        ([only], _) => complete(
            volume,
            named,
            only,
            format!("reserve the volume for {}, the only claim that names it", only.key()),
        ),
        ([], [only]) => {
            let does = format!(
                "if the volume is meant for {}, the only claim of that namespace that it fits, reserve it for that \
                 claim",
                only.key()
            );
            complete(volume, named, only, does)
        }
        _ => by_hand("write the namespace and the name of the right claim into spec.claimRef"),
    }))
}

/// Returns the unbound claims in the namespace of the `claimRef` that fit the volume and get no other volume: no free
/// volume fits them, and nobody provisions a volume for them. Returns no claims if the `claimRef` has a uid, because
/// the uid identifies one claim.
fn meant<'a>(case: &Case<'a>, volume: &PersistentVolume, named: &ClaimRef) -> Vec<&'a PersistentVolumeClaim> {
    if named.namespace.is_empty() || !named.name.is_empty() || !named.uid.is_empty() {
        return Vec::new();
    }
    let claims = case.snapshot().claims();
    let there = &claims[claims.partition_point(|claim| claim.meta.namespace < named.namespace)..];
    let there = there.iter().take_while(|claim| claim.meta.namespace == named.namespace);
    let fits = |claim: &&PersistentVolumeClaim| {
        let is_taken =
            |verdict| matches!(verdict, CandidateVerdict::CandidateClaimedByOther | CandidateVerdict::CandidatePhase);
        Query::new(case.behavior(), claim, false).is_ok_and(|query| query.misfits(volume).into_iter().all(is_taken))
    };
    let waits_in_vain = |claim: &&PersistentVolumeClaim| match case.class(claim.class()) {
        Some(class) => class.provisioner == NO_PROVISIONER,
        None => claim.class().is_empty() || case.lacks(Kind::StorageClass, "", claim.class()),
    };
    let looks = |claim: &&PersistentVolumeClaim| is_open(claim) && claim.class() == volume.class();
    let finds_none = |claim: &&PersistentVolumeClaim| !case.nearest(claim).fits;
    there.filter(looks).filter(fits).filter(waits_in_vain).filter(finds_none).collect()
}

/// Creates a remedy that makes the `claimRef` name that claim.
fn complete(volume: &PersistentVolume, named: &ClaimRef, claim: &PersistentVolumeClaim, does: String) -> Remedy {
    let mut steps = Vec::new();
    for (path, value) in [("/spec/claimRef/namespace", &named.namespace), ("/spec/claimRef/name", &named.name)] {
        if !value.is_empty() {
            steps.push(expect(path, value));
        }
    }
    steps.push(json!({ "op": "add", "path": "/spec/claimRef/namespace", "value": claim.meta.namespace }));
    steps.push(json!({ "op": "add", "path": "/spec/claimRef/name", "value": claim.meta.name }));
    if is_bound(claim) {
        // A bound claim gets the volume again only if the `claimRef` has the claim's uid.
        steps.push(json!({ "op": "add", "path": "/spec/claimRef/uid", "value": claim.meta.uid }));
    } else if !named.uid.is_empty() && named.uid != claim.meta.uid {
        steps.push(json!({ "op": "remove", "path": "/spec/claimRef/uid" }));
    }
    patch_volume(volume, steps, does)
}
