//! This rule reports a claim that should be cloned from a claim that does not exist, is not Bound or is being deleted.

use super::{clone_source, create_again, failure, has_waited, stage, told};
use crate::diagnosis::case::claim_key;
use crate::diagnosis::mention::part_of;
use crate::diagnosis::remedy::{by_hand, describe};
use crate::diagnosis::{Act, Case, Detect, Detection, Page, Risk, Rule, Severity};
use crate::model::{ClaimPhase, Kind, PersistentVolumeClaim};

pub(super) static RULE: Rule = Rule {
    id: "ds-clone-source-not-bound",
    title: "the claim that is the data source cannot be copied",
    severity: Severity::Error,
    risk: Risk::None,
    reads: &[Kind::PersistentVolume, Kind::StorageClass, Kind::Pod, Kind::Event],
    hinders: &[Act::Bind],
    repairs: &[],
    page: Page {
        seen: "The claim is Pending. An event `ProvisioningFailed` mentions a handle for a DataSource, and says that \
               the source was not found, must have a status of Bound, or is being deleted.",
        why: "The driver's provisioner copies the volume of another claim in the same namespace. First it checks that \
              claim: the claim has to exist and to be Bound, and must not be in deletion. Otherwise the provisioner \
              tries again later, without a limit.",
        confirm: "kubectl get pvc NAME -n NAMESPACE -o jsonpath='{.spec.dataSource}'\n\
                  kubectl get pvc SOURCE -n NAMESPACE",
        repair: "Let the source claim become Bound: find out what it waits for. If its class waits for the first \
                 consumer, it needs a pod. If the name of the source is wrong, or the source is being deleted, create \
                 the claim again with another source. The data source of a claim cannot be changed.",
        prevention: "Copy only claims that are Bound, and keep them until the copies are Bound.",
        hazard: "No data are at risk, because nothing has been copied yet. If you create the claim again without a data \
                 source, it gets an empty volume.",
        sources: &[
            "getPVCSource, external-provisioner",
            "https://kubernetes.io/docs/concepts/storage/volume-pvc-datasource/",
        ],
    },
    detect: Detect::Claim(detect),
};

fn detect(case: &Case<'_>, claim: &PersistentVolumeClaim) -> Option<Detection> {
    let name = clone_source(claim)?;
    let namespace = &claim.meta.namespace;
    let source = case.claim(namespace, name);
    if source.is_some_and(|source| source.status.phase == ClaimPhase::Bound && !source.terminating()) {
        return None;
    }
    let stage = stage(case)?;
    let source_words = part_of(&case.object(), "the data source");
    let source_key = claim_key(namespace, name);
    let found = match source {
        None if !case.lacks(Kind::PersistentVolumeClaim, namespace, name) => return None,
        None => Detection::new(format!(
            "{source_words}, claim {name}, does not exist in namespace {namespace}. The driver makes no volume until \
             that claim exists"
        ))
        .evidence(&source_key, "metadata.name", "")
        .remedies(create_again(claim, "with the name of a claim that exists; or create the source")),
        Some(source) if source.terminating() => Detection::new(format!(
            "{source_words}, claim {name}, is being deleted. No driver begins or retries a copy of such a claim, and \
             the deletion cannot be undone"
        ))
        .evidence(
            &source_key,
            "metadata.deletionTimestamp",
            source.meta.deleted.map(|moment| moment.to_string()).unwrap_or_default(),
        )
        .remedies(create_again(claim, "from another source, or from a snapshot of that volume")),
        Some(_) if name == claim.meta.name => Detection::new(format!(
            "{source_words} is the claim itself. The driver makes no volume until the source is Bound, which never \
             happens"
        ))
        .evidence(&case.object(), "spec.dataSource.name", name)
        .remedies(create_again(claim, "with the right source")),
        Some(source) => {
            let phase = source.status.phase.as_str();
            let phase = if phase.is_empty() { "new" } else { phase };
            Detection::new(format!(
                "{source_words}, claim {name}, is {phase}. The driver makes no volume until that claim is Bound"
            ))
            .evidence(&source_key, "status.phase", phase)
            .follows_from(source_key.clone(), Act::Bind)
            .remedy(describe(&source_key, "see what the source waits for"))
            .remedy(by_hand(format!("let claim {name} become Bound: then the copy continues")))
        }
    };
    let found = found.info_if(!has_waited(case, claim, stage));
    Some(match failure(case, claim) {
        Some(event) => found.evidence(&case.object(), "event", told(event)),
        None => found,
    })
}
