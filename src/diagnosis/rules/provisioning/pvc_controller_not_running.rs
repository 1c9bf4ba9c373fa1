//! This rule reports a claim that the controller would change now if kube-controller-manager were running.

use crate::diagnosis::case::PATIENCE;
use crate::diagnosis::remedy::{by_hand, kubectl};
use crate::diagnosis::{Act, Case, Detect, Detection, Page, Risk, Rule, Severity, key};
use crate::model::{Kind, Lease, PersistentVolumeClaim, Timestamp};
use crate::text::human_age;
use crate::world::Effect;

pub(super) static RULE: Rule = Rule {
    id: "pvc-controller-not-running",
    title: "kube-controller-manager does not run",
    severity: Severity::Error,
    risk: Risk::Possible,
    reads: &[Kind::PersistentVolume, Kind::StorageClass, Kind::Pod, Kind::Lease],
    hinders: &[Act::Bind],
    repairs: &[],
    page: Page {
        seen: "Claims stay Pending without any event, volumes stay in the phase Pending, deletions do not end. Other \
               controllers of the cluster do nothing either: for example, no pods are created for Deployments.",
        why: "Binding, provisioning and reclaiming are the work of controllers in kube-controller-manager. The \
              instance that works renews a Lease every few seconds. Nobody has renewed this Lease for minutes, and the \
              next change of this claim has not been made. So no instance runs, or no instance reaches the API server. \
              An old Lease alone does not prove this, because it can be left over after leader election was switched \
              off.",
        confirm: "kubectl get lease kube-controller-manager -n kube-system -o jsonpath='{.spec.holderIdentity} \
                  {.spec.renewTime}'\n\
                  kubectl get pods -n kube-system -l component=kube-controller-manager\n\
                  kubectl get events -n NAMESPACE --field-selector involvedObject.name=NAME",
        repair: "The claim needs no change. Start kube-controller-manager again. Before that, run `kubectl pvctl \
                 predict`, and set policy Retain on every volume that the controller would delete and that has to \
                 stay.",
        prevention: "Monitor whether kube-controller-manager renews its Lease.",
        hazard: "When kube-controller-manager runs again, it makes all waiting changes at once. Volumes whose claims \
                 are gone by then are reclaimed, and with policy Delete their data are destroyed.",
        sources: &[
            "LeaderElectionConfiguration, component-base, Kubernetes 1.36",
            "syncClaim, Kubernetes 1.36",
            "https://kubernetes.io/docs/concepts/architecture/leases/",
        ],
    },
    detect: Detect::Claim(detect),
};

fn detect(case: &Case<'_>, claim: &PersistentVolumeClaim) -> Option<Detection> {
    let lease = case.snapshot().lease()?;
    let now = case.snapshot().now()?;
    let silent = lease.age(now).filter(|age| *age >= PATIENCE)?;
    // A new claim may still be in the work queue, and other rules report deletions.
    let is_old = case.seconds_since(claim.meta.created).is_some_and(|age| age >= PATIENCE);
    if !is_old || claim.terminating() || lease.is_stale(now) != Some(true) {
        return None;
    }
    let decision = case.decision()?;
    let effects = decision.record.effects.iter();
    let mut written = effects.filter_map(|effect| match effect {
        Effect::Write(write) if write.refused.is_none() => Some(write.body.object().meta().created),
        _ => None,
    });
    // The object that makes the change possible may have been created just now.
    let is_old = |created: Option<Timestamp>| case.seconds_since(created).is_none_or(|age| age >= PATIENCE);
    let class = case.class(claim.class()).and_then(|class| class.meta.created);
    if written.next().is_none_or(|first| !is_old(first)) || !written.all(is_old) || !is_old(class) {
        return None;
    }
    let phase = claim.status.phase.as_str();
    let ends = if case.always_ends("Bound").unwrap_or(false) && phase != "Bound" {
        "would be Bound by now"
    } else {
        "would have been changed by now"
    };
    let object = key(Kind::Lease, Lease::MANAGER_NAMESPACE, Lease::MANAGER_NAME);
    let found = Detection::new(format!(
        "kube-controller-manager does not run. Nobody has renewed its Lease for {}. If it ran, the claim {ends}. No \
         controller binds, provisions or reclaims volumes. Once one runs again, all waiting changes happen at once",
        human_age(silent)
    ));
    // Files may have been written at different moments, so the Lease may look older than it was.
    let found = if case.snapshot().now_is_stated() { found } else { found.severity(Severity::Warning) };
    let read = format!("get lease {} -n {} -o yaml", Lease::MANAGER_NAME, Lease::MANAGER_NAMESPACE);
    Some(
        found
            .since(lease.renewed.max(claim.meta.created))
            .evidence(&object, "spec.holderIdentity", lease.holder.as_str())
            .evidence(&object, "spec.renewTime", lease.renewed.map_or_else(String::new, |moment| moment.to_string()))
            .evidence(&case.object(), "status.phase", phase)
            .remedy(kubectl(read, "see whether kube-controller-manager renews its Lease again"))
            .remedy(by_hand(
                "start kube-controller-manager again; before that, set policy Retain on volumes that it would delete \
                 and that must stay (kubectl pvctl predict lists them)",
            )),
    )
}
