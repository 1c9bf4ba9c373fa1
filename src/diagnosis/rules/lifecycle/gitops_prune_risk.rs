//! This rule reports a claim that a deployment tool deletes together with its other objects.

use super::doomed;
use crate::diagnosis::case::volume_key;
use crate::diagnosis::mention::mention;
use crate::diagnosis::remedy::{by_hand, retain};
use crate::diagnosis::{Case, Detect, Detection, Page, Risk, Rule, Severity};
use crate::model::{AnnotationKey, ClaimPhase, Kind, PersistentVolumeClaim, label};

pub(super) static RULE: Rule = Rule {
    id: "gitops-prune-risk",
    title: "a deployment tool can delete the claim and its data together with its other objects",
    severity: Severity::Info,
    risk: Risk::Possible,
    reads: &[Kind::PersistentVolume],
    hinders: &[],
    repairs: &[],
    page: Page {
        seen: "There is nothing to see until the release is uninstalled, or the manifest is removed from its source. \
               Then the claim and its data are deleted.",
        why: "The claim is an object of a Helm release, an Argo CD application or a Flux Kustomization, and nothing \
              tells the tool to keep it. The policy of its volume is Delete. Claims that a StatefulSet creates from a \
              template are not objects of the tool, so they stay.",
        confirm: "kubectl get pvc NAME -n NAMESPACE -o jsonpath='{.metadata.annotations}'\n\
                  kubectl get pv VOLUME -o jsonpath='{.spec.persistentVolumeReclaimPolicy}'",
        repair: "Set the policy of the volume to Retain. Or tell the tool to keep the claim: `helm.sh/resource-policy: \
                 keep`, `argocd.argoproj.io/sync-options: Prune=false,Delete=false`, or \
                 `kustomize.toolkit.fluxcd.io/prune: disabled`. Write this into the manifest that the tool applies.",
        prevention: "Use a class with policy Retain for data that must outlive a release.",
        hazard: "The tool ignores or reverts annotations that are only set in the cluster.",
        sources: &[
            "https://helm.sh/docs/howto/charts_tips_and_tricks/#tell-helm-not-to-uninstall-a-resource",
            "https://argo-cd.readthedocs.io/en/stable/user-guide/sync-options/",
            "https://fluxcd.io/flux/components/kustomize/kustomizations/",
            "helm/helm#6261",
        ],
    },
    detect: Detect::Claim(detect),
};

fn detect(case: &Case<'_>, claim: &PersistentVolumeClaim) -> Option<Detection> {
    if claim.terminating() || claim.status.phase != ClaimPhase::Bound {
        return None;
    }
    let (tool, field, value) = tool(claim)?;
    let volume = doomed(case, claim)?;
    let name = &volume.meta.name;
    let found = Detection::new(format!(
        "{tool} will delete {} together with its other objects, and policy Delete of volume {name} then destroys the \
         data",
        mention(&case.object())
    ));
    Some(
        found
            .evidence(&case.object(), field, value)
            .evidence(&volume_key(name), "spec.persistentVolumeReclaimPolicy", volume.reclaim_policy.as_str())
            .remedies(retain(volume))
            .remedy(by_hand("if the data must outlive the release: tell the tool, in its manifest, to keep the claim")),
    )
}

/// Returns the tool that owns the claim, and the field that says this. Returns None if no tool owns the claim or if the
/// tool is told to keep it.
fn tool(claim: &PersistentVolumeClaim) -> Option<(String, &'static str, &str)> {
    let annotations = &claim.meta.annotations;
    let says = |key: AnnotationKey, word: &str| annotations.get(key).is_some_and(|value| value.contains(word));
    if let Some(release) = annotations.get(AnnotationKey::HelmRelease) {
        let field = "metadata.annotations[meta.helm.sh/release-name]";
        let keeps = says(AnnotationKey::HelmPolicy, "keep");
        return (!keeps).then(|| (format!("Helm release {release}"), field, release));
    }
    if let Some(tracking) = annotations.get(AnnotationKey::ArgoTracking) {
        // An annotation that was copied from another object names that object.
        let named = format!("/PersistentVolumeClaim:{}/{}", claim.meta.namespace, claim.meta.name);
        let application = tracking.split(':').next().unwrap_or_default();
        let keeps =
            says(AnnotationKey::ArgoSyncOptions, "Prune=false") && says(AnnotationKey::ArgoSyncOptions, "Delete=false");
        let field = "metadata.annotations[argocd.argoproj.io/tracking-id]";
        return (tracking.ends_with(&named) && !keeps)
            .then(|| (format!("Argo CD application {application}"), field, tracking));
    }
    let kustomization = label(&claim.meta.labels, "kustomize.toolkit.fluxcd.io/name")?;
    let keeps = says(AnnotationKey::FluxPrune, "disabled");
    let field = "metadata.labels[kustomize.toolkit.fluxcd.io/name]";
    (!keeps).then(|| (format!("Flux Kustomization {kustomization}"), field, kustomization))
}
