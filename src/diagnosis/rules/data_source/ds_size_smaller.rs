//! This rule reports a claim that should be cloned from a claim with a larger request.

use super::{clone_source, create_again, stage};
use crate::diagnosis::case::claim_key;
use crate::diagnosis::mention::{mention, part_of};
use crate::diagnosis::{Act, Case, Detect, Detection, Page, Risk, Rule, Severity};
use crate::model::{Kind, PersistentVolumeClaim};

pub(super) static RULE: Rule = Rule {
    id: "ds-size-smaller",
    title: "the copy would be smaller than its source",
    severity: Severity::Error,
    risk: Risk::None,
    reads: &[Kind::PersistentVolume, Kind::StorageClass, Kind::Pod],
    hinders: &[Act::Bind],
    repairs: &[],
    page: Page {
        seen: "The claim is Pending. An event `ProvisioningFailed` says that the new claim must be at least as large \
               as its data source, and states both sizes in bytes.",
        why: "The driver's provisioner compares the requests of the two claims before it calls the driver. If the \
              source was expanded after the manifest of the copy was written, the copy is too small. As long as a \
              claim has no volume, neither its request nor its data source can be changed.",
        confirm: "kubectl get pvc NAME SOURCE -n NAMESPACE -o \
                  custom-columns=NAME:.metadata.name,WANTS:.spec.resources.requests.storage,HAS:.status.capacity.storage",
        repair: "Delete the claim, which has no volume, and create it again with at least the request of its source.",
        prevention: "When you make a copy, request the present size of its source.",
        hazard: "No data are at risk, because nothing has been copied yet. If you create the claim again without a data \
                 source, it gets an empty volume.",
        sources: &[
            "getPVCSource, external-provisioner",
            "kubernetes-csi/external-provisioner#484",
            "https://kubernetes.io/docs/concepts/storage/volume-pvc-datasource/",
        ],
    },
    detect: Detect::Claim(detect),
};

fn detect(case: &Case<'_>, claim: &PersistentVolumeClaim) -> Option<Detection> {
    let name = clone_source(claim)?;
    let source = case.claim(&claim.meta.namespace, name).filter(|source| !source.terminating())?;
    let (wants, least) = (claim.requested()?, source.requested()?);
    // The provisioner compares whole bytes.
    if wants.value() >= least.value() {
        return None;
    }
    stage(case)?;
    let source_words = part_of(&case.object(), "the data source");
    let found = Detection::new(format!(
        "{} requests {wants}, but {source_words}, claim {name}, requests {least}. No provisioner makes a copy \
         that is smaller than its source. The request cannot be changed before the claim is bound",
        mention(&case.object())
    ));
    Some(
        found
            .evidence(&case.object(), "spec.resources.requests.storage", wants.to_string())
            .evidence(&claim_key(&claim.meta.namespace, name), "spec.resources.requests.storage", least.to_string())
            .remedies(create_again(claim, &format!("with a request of at least {least}"))),
    )
}
