//! This rule reports a claim that a volume populator, and not a driver, has to fill.

use super::{CLAIM, awaited, create_again, has_waited, is_local, stage};
use crate::diagnosis::mention::mention;
use crate::diagnosis::misfit::shown;
use crate::diagnosis::remedy::{by_hand, describe, kubectl};
use crate::diagnosis::{Act, Case, Detect, Detection, Page, Risk, Rule, Severity};
use crate::model::{DataSource, Kind, PersistentVolumeClaim};
use crate::text::human_age;

pub(super) static RULE: Rule = Rule {
    id: "ds-populator-absent",
    title: "a populator has not filled the claim yet",
    severity: Severity::Warning,
    risk: Risk::None,
    reads: &[Kind::PersistentVolume, Kind::StorageClass, Kind::Pod],
    hinders: &[Act::Bind],
    repairs: &[],
    page: Page {
        seen: "The claim is Pending for minutes, and `spec.dataSourceRef` is neither a claim nor a VolumeSnapshot. \
               Events say that the claim waits for an external provisioner, or that a populator is assumed.",
        why: "Provisioners of drivers make no volume for such a claim. They leave this to a populator: a controller \
              that fills volumes from sources of one kind. It fills the volume of a temporary claim, and then binds \
              this volume to your claim. Kubernetes nevertheless asks the driver, so the events name the wrong \
              component. Without a populator for that kind of source, the claim stays Pending.",
        confirm: "kubectl get pvc NAME -n NAMESPACE -o jsonpath='{.spec.dataSourceRef}'\n\
                  kubectl get volumepopulators\n\
                  kubectl describe pvc NAME -n NAMESPACE",
        repair: "Install or repair the populator for that kind, and check that the source exists and is ready. If the \
                 kind is a mistake, create the claim again with the right source. The source of an existing claim \
                 cannot be changed.",
        prevention: "Install the volume data source validator of Kubernetes CSI, which warns of kinds without a \
                     populator.",
        hazard: "None: the claim waits. Without a data source, the claim gets an empty volume.",
        sources: &[
            "prepareProvision, external-provisioner",
            "https://kubernetes.io/docs/concepts/storage/persistent-volumes/#volume-populators-and-data-sources",
        ],
    },
    detect: Detect::Claim(detect),
};

fn detect(case: &Case<'_>, claim: &PersistentVolumeClaim) -> Option<Detection> {
    let source = awaited(claim).filter(|source| is_local(claim, source) && is_for_populators(source))?;
    let waited = case.seconds_since(claim.meta.created)?;
    let stage = stage(case)?;
    if !has_waited(case, claim, stage) {
        return None;
    }
    let namespace = &claim.meta.namespace;
    let uid = &claim.meta.uid;
    // Populators such as lib-volume-populator, CDI and VolSync first fill a temporary claim with such a name.
    if ["prime", "vs-prime"].iter().any(|prime| case.claim(namespace, &format!("{prime}-{uid}")).is_some()) {
        return None;
    }
    let DataSource { group, kind, name, .. } = source;
    let found = Detection::new(format!(
        "{} has waited {} for a volume populator to fill it from {kind} {name} ({group}). No driver does this, \
         whatever the events say: a populator for {kind} is needed. This rule cannot check whether one runs",
        mention(&case.object()),
        human_age(waited)
    ));
    Some(
        found
            .evidence(&case.object(), "spec.dataSourceRef.kind", kind.as_str())
            .evidence(&case.object(), "spec.dataSourceRef.apiGroup", shown(group))
            .evidence(&case.object(), "spec.dataSourceRef.name", name.as_str())
            .remedy(describe(&case.object(), "see whether a populator has written an event: if so, a populator runs"))
            .remedy(kubectl("get volumepopulators", "list the registered populators"))
            .remedy(by_hand(format!(
                "install or repair the populator for {kind} ({group}), and check that {name} exists"
            )))
            .remedies(create_again(claim, "with the right source, if the present one is wrong")),
    )
}

/// Returns whether provisioners of CSI drivers leave a source of that kind to populators. They decide by the name of
/// the kind. Upstream: `prepareProvision`, external-provisioner.
fn is_for_populators(source: &DataSource) -> bool {
    !source.group.is_empty() && source.kind != CLAIM && source.kind != "VolumeSnapshot"
}
