//! This rule reports a StatefulSet whose claims request another size than its template.

use super::{claims_of, some};
use crate::diagnosis::case::key_of_claim;
use crate::diagnosis::remedy::{by_hand, kubectl, quoted};
use crate::diagnosis::{Case, Detect, Detection, Page, Risk, Rule, Severity};
use crate::model::surroundings::StatefulSet;
use crate::model::{Kind, PersistentVolumeClaim};

pub(super) static RULE: Rule = Rule {
    id: "resize-sts-template-drift",
    title: "the claims of the StatefulSet request another size than its template",
    severity: Severity::Info,
    risk: Risk::None,
    reads: &[Kind::PersistentVolumeClaim],
    hinders: &[],
    repairs: &[],
    page: Page {
        seen: "There is nothing to see until the StatefulSet gets a new member. The claim of this member has the old \
               size.",
        why: "The claims were expanded, and the template was not. A template is used only when a claim is created, and \
              the API server refuses any change of it.",
        confirm: "kubectl get sts NAME -n NAMESPACE -o jsonpath='{.spec.volumeClaimTemplates[*].spec.resources}'\n\
                  kubectl get pvc -n NAMESPACE",
        repair: "Delete the StatefulSet with `--cascade=orphan`, so that its pods and claims stay, and create it again \
                 with the new size in the template.",
        prevention: "Whenever you expand the claims, also create the StatefulSet again with the new size in its \
                     template.",
        hazard: "Without `--cascade=orphan`, the pods are deleted. If \
                 `persistentVolumeClaimRetentionPolicy.whenDeleted` is Delete, the claims are deleted, too.",
        sources: &[
            "ValidateStatefulSetUpdate, Kubernetes 1.36",
            "scaleway/scaleway-csi#45",
            "https://kubernetes.io/docs/concepts/workloads/controllers/statefulset/#limitations",
        ],
    },
    detect: Detect::StatefulSet(detect),
};

fn detect(case: &Case<'_>, set: &StatefulSet) -> Option<Detection> {
    if set.meta.deleted.is_some() {
        return None;
    }
    let (template, claims) = set.templates.iter().find_map(|template| {
        let wanted = template.request?;
        let differs = |claim: &PersistentVolumeClaim| {
            !claim.terminating() && claim.requested().is_some_and(|request| request.compare(&wanted).is_ne())
        };
        let all = claims_of(case, set).into_iter();
        let of_template = all.filter(|(_, claim)| set.ordinal(template, &claim.meta.name).is_some());
        let claims: Vec<&PersistentVolumeClaim> =
            of_template.map(|(_, claim)| claim).filter(|claim| differs(claim)).collect();
        (!claims.is_empty()).then_some((template, claims))
    })?;
    let first = claims.first()?;
    let (wanted, has) = (template.request?, first.requested()?);
    let (name, namespace) = (set.meta.name.as_str(), set.meta.namespace.as_str());
    let found = Detection::new(format!(
        "its template {} requests {wanted}, but claims of its replicas request another size: {has} ({}). A new replica \
         gets a claim of {wanted}",
        template.name,
        some(claims.iter().map(|claim| claim.meta.name.as_str()))
    ));
    Some(
        found
            .evidence(&case.object(), "spec.volumeClaimTemplates[].spec.resources.requests.storage", wanted.to_string())
            .evidence(&key_of_claim(&first.meta), "spec.resources.requests.storage", has.to_string())
            .remedy(kubectl(
                format!("get sts {} -n {} -o yaml", quoted(name), quoted(namespace)),
                "save the manifest of the StatefulSet",
            ))
            .remedy(by_hand(
                "delete the StatefulSet with --cascade=orphan, so that its pods and claims stay, and create it again \
                 with the new size in its template",
            )),
    )
}
