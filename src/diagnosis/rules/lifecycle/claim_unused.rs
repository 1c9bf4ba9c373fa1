//! This rule reports an old claim that no pod uses.

use crate::diagnosis::mention::mention;
use crate::diagnosis::remedy::{kubectl, quoted};
use crate::diagnosis::{Case, Detect, Detection, Page, Risk, Rule, Severity};
use crate::model::{ClaimPhase, Kind, PersistentVolumeClaim};
use crate::text::human_age;

/// A claim without pods is reported from this age in seconds: 30 days. A claim does not record when its last pod ended.
const LONG: i64 = 30 * 86_400;

pub(super) static RULE: Rule = Rule {
    id: "claim-unused",
    title: "no pod uses the claim",
    severity: Severity::Info,
    risk: Risk::None,
    reads: &[Kind::Pod, Kind::StatefulSet],
    hinders: &[],
    repairs: &[],
    page: Page {
        seen: "The claim is Bound, and `kubectl describe pvc` shows nothing after `Used By`.",
        why: "The workload was scaled down or removed, or a job uses the claim only now and then. The storage is still \
              paid for, and the data are still there. Claims of a StatefulSet are reported by `sts-orphan-claims`.",
        confirm: "kubectl describe pvc NAME -n NAMESPACE\n\
                  kubectl get deploy,sts,ds,jobs,cronjobs -n NAMESPACE -o yaml | grep NAME",
        repair: "Nothing has to be done. Ask the owner whether the data are still needed.",
        prevention: "Label claims with their owner.",
        hazard: "An unused claim can hold the only copy of data: check its data before you delete it.",
        sources: &["https://kubernetes.io/docs/concepts/storage/persistent-volumes/", "helm/helm#5156"],
    },
    detect: Detect::Claim(detect),
};

fn detect(case: &Case<'_>, claim: &PersistentVolumeClaim) -> Option<Detection> {
    if claim.terminating() || claim.status.phase != ClaimPhase::Bound {
        return None;
    }
    let age = case.seconds_since(claim.meta.created).filter(|age| *age >= LONG)?;
    let (namespace, name) = (claim.meta.namespace.as_str(), claim.meta.name.as_str());
    let snapshot = case.snapshot();
    let is_of_set = || snapshot.sets_making(namespace, name).next().is_some();
    if snapshot.pods_of(namespace, name).next().is_some() || is_of_set() {
        return None;
    }
    // Files often have no pods at all, because nobody saved them.
    if snapshot.pods().is_empty() || !case.knows_all(Kind::Pod, namespace) {
        return None;
    }
    let found = Detection::new(format!(
        "no pod uses {}. It is {} old, and its data are still there",
        mention(&case.object()),
        human_age(age)
    ));
    Some(found.evidence(&case.object(), "status.phase", claim.status.phase.as_str()).remedy(kubectl(
        format!("get deploy,sts,ds,jobs,cronjobs -n {} -o yaml", quoted(namespace)),
        format!("see whether a workload without pods names claim {name}"),
    )))
}
