//! This rule reports claims of ordinals that a StatefulSet no longer has.

use super::{claims_of, some};
use crate::diagnosis::case::key_of_claim;
use crate::diagnosis::remedy::{by_hand, kubectl, quoted};
use crate::diagnosis::{Case, Detect, Detection, Page, Risk, Rule, Severity};
use crate::model::surroundings::StatefulSet;
use crate::model::{Kind, PersistentVolumeClaim};

pub(super) static RULE: Rule = Rule {
    id: "sts-orphan-claims",
    title: "claims of removed members of the set still exist",
    severity: Severity::Info,
    risk: Risk::Possible,
    reads: &[Kind::PersistentVolumeClaim, Kind::Pod],
    hinders: &[],
    repairs: &[],
    page: Page {
        seen: "After scaling down, claims of the removed members are still Bound, and `kubectl describe pvc` shows \
               `Used By: <none>`.",
        why: "A StatefulSet creates the claims of its members and, unless its retention policy says otherwise, never \
              deletes them. When it is scaled up again, the member of that ordinal gets the old claim with the old \
              data.",
        confirm: "kubectl get sts NAME -n NAMESPACE -o jsonpath='{.spec.replicas}'\n\
                  kubectl get pvc -n NAMESPACE\n\
                  kubectl describe pvc CLAIM -n NAMESPACE",
        repair: "If the set will be scaled up again, do nothing. Otherwise check the data of the claims, save what you \
                 need, and only then delete the claims.",
        prevention: "Set `spec.persistentVolumeClaimRetentionPolicy.whenScaled` to Delete for sets whose data can be \
                     created again.",
        hazard: "If a pod of the set starts again with very old data, it can disturb the application, for \
                 example the other members of a database. If the reclaim policy \
                 of the volume is Delete, deleting the claim destroys the data. They may be the only copy.",
        sources: &[
            "getPersistentVolumeClaimName and podInOrdinalRange, pkg/controller/statefulset, Kubernetes 1.36",
            "https://kubernetes.io/docs/concepts/workloads/controllers/statefulset/#persistentvolumeclaim-retention",
            "helm/helm#5156",
        ],
    },
    detect: Detect::StatefulSet(detect),
};

fn detect(case: &Case<'_>, set: &StatefulSet) -> Option<Detection> {
    // A StatefulSet that is scaled to zero keeps its claims on purpose.
    if set.replicas == 0 || set.meta.deleted.is_some() || set.deletes_when_scaled() {
        return None;
    }
    let (name, namespace) = (set.meta.name.as_str(), set.meta.namespace.as_str());
    let unused = |claim: &PersistentVolumeClaim| {
        !claim.terminating()
            && !claim.volume_name.is_empty()
            && case.snapshot().pods_of(namespace, &claim.meta.name).next().is_none()
    };
    let claims: Vec<&PersistentVolumeClaim> = claims_of(case, set)
        .into_iter()
        .filter(|(ordinal, claim)| !set.has_member(*ordinal) && unused(claim))
        .map(|(_, claim)| claim)
        .collect();
    let first = claims.first()?;
    if !case.knows_all(Kind::Pod, namespace) {
        return None;
    }
    let found = Detection::new(format!(
        "it has {} replica(s), so the claims of its former replicas are not used: {}. The claims keep their data, and a \
         new replica of the same ordinal gets them",
        set.replicas,
        some(claims.iter().map(|claim| claim.meta.name.as_str()))
    ));
    let found = claims.iter().fold(found, |found, claim| found.affects(key_of_claim(&claim.meta)));
    let last = set.first_ordinal.saturating_add(set.replicas).saturating_sub(1);
    Some(
        found
            .evidence(&case.object(), "spec.replicas", set.replicas.to_string())
            .evidence(&key_of_claim(&first.meta), "spec.volumeName", first.volume_name.as_str())
            .remedy(kubectl(
                format!("get pvc -n {}", quoted(namespace)),
                format!("see the claims of {name} with an ordinal above {last}, or below the first ordinal of the set"),
            ))
            .remedy(by_hand("keep these claims, or check their data before you delete one of them")),
    )
}
