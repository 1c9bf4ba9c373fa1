//! This rule reports a claim whose driver fails to enlarge the volume.

use super::{Sizes, driver_of, event, lasts, with_event};
use crate::controllers::KubeVersion;
use crate::controllers::resizer::ResizeStage;
use crate::controllers::resizing::{CONTROLLER_ERROR, RESIZING, progress, true_condition};
use crate::diagnosis::case::PATIENCE;
use crate::diagnosis::mention::volume_of;
use crate::diagnosis::remedy::{by_hand, describe, kubectl, quoted, retain};
use crate::diagnosis::{Case, Detect, Detection, Page, Remedy, Risk, Rule, Severity};
use crate::model::surroundings::Event;
use crate::model::{Kind, PersistentVolumeClaim};
use crate::text::human_age;

/// The number of seconds for which a driver may work without reporting anything.
const LONG: i64 = 3_600;

pub(super) static RULE: Rule = Rule {
    id: "resize-controller-failing",
    title: "the driver does not expand the volume",
    severity: Severity::Error,
    risk: Risk::Possible,
    reads: &[Kind::PersistentVolume, Kind::Pod, Kind::Event],
    hinders: &[],
    repairs: &[],
    page: Page {
        seen: "The claim is Bound with its old CAPACITY; it has the condition `Resizing`, and often \
               `ControllerResizeError`. Events `VolumeResizeFailed` repeat. `status.allocatedResourceStatuses` says \
               `ControllerResizeInProgress`, or `ControllerResizeInfeasible` if the driver has refused the size.",
        why: "The driver's resizer asks the storage system for the larger size, and is refused again and again. \
              Perhaps there is no space or quota, or the storage system does not support the size. Perhaps a disk may \
              be changed only once in some hours, or the driver expands a volume only if no pod uses it. After an \
              error that cannot go away by itself, the resizer asks only at long intervals.",
        confirm: "kubectl describe pvc NAME -n NAMESPACE\n\
                  kubectl get pvc NAME -n NAMESPACE -o jsonpath='{.status.conditions} \
                  {.status.allocatedResourceStatuses}'",
        repair: "Read what the driver says in the event or the condition. If the volume must not be in use, stop the \
                 pods that use it. If the size is the problem, lower the request to a size above `status.capacity`, \
                 which is possible since Kubernetes 1.32. The request cannot be lowered to `status.capacity` itself. \
                 In older versions, set policy Retain first, and then create the claim again for its old volume.",
        prevention: "Request only sizes and steps that the storage system supports.",
        hazard: "None as long as the claim stays: the data are not changed. If you delete the claim to remove the \
                 request, a volume with policy Delete is deleted, too.",
        sources: &[
            "expandAndRecover, markControllerExpansionInfeasible, external-resizer",
            "ValidatePersistentVolumeClaimUpdate, Kubernetes 1.36 (H2)",
            "https://kubernetes.io/docs/concepts/storage/persistent-volumes/#recovering-from-failure-when-expanding-volumes",
            "kubernetes-csi/external-resizer#226",
            "longhorn/longhorn#2749",
        ],
    },
    detect: Detect::Claim(detect),
};

fn detect(case: &Case<'_>, claim: &PersistentVolumeClaim) -> Option<Detection> {
    let sizes = Sizes::of(case, claim)?;
    let stage = ResizeStage::of(claim);
    // When the node has to act, an earlier error of the driver does not matter any more.
    if !sizes.grows() || stage.is_some_and(ResizeStage::is_on_node) {
        return None;
    }
    let (running, error) = (true_condition(claim, RESIZING), true_condition(claim, CONTROLLER_ERROR));
    let refused = stage == Some(ResizeStage::ControllerInfeasible);
    if running.is_none() && error.is_none() && !refused {
        return None;
    }
    let began = running.or(error).and_then(|condition| condition.since);
    let waited = case.seconds_since(began).filter(|waited| *waited >= PATIENCE);
    let said = event(case, claim, "VolumeResizeFailed").filter(|event| began.is_none() || event.last_seen >= began);
    let driver =
        driver_of(case, sizes.volume).map_or_else(|| "its driver".to_owned(), |driver| format!("driver {driver}"));
    let (volume, has, wants) = (volume_of(&case.object(), &sizes.volume.meta.name), sizes.has, sizes.wants);
    let (severity, fact, next) = match waited {
        _ if refused => (
            Severity::Error,
            format!("{driver} has refused to expand {volume} to {wants}"),
            ". The driver is asked again only rarely",
        ),
        _ if error.is_some() => {
            (Severity::Error, format!("{driver} fails to expand {volume} to {wants}"), ". The driver tries again")
        }
        Some(_) if said.is_some_and(wants_it_unused) => {
            (Severity::Error, format!("{driver} expands {volume} to {wants} only when no pod uses it"), "")
        }
        Some(waited) if said.is_some() => {
            let passed = human_age(waited);
            (
                Severity::Error,
                format!("the expansion of {volume} to {wants} by {driver} has been failing for {passed}"),
                "",
            )
        }
        Some(waited) if waited >= LONG => {
            let passed = human_age(waited);
            (Severity::Warning, format!("{driver} has been expanding {volume} to {wants} for {passed}"), "")
        }
        _ => return None,
    };
    if !lasts(case) {
        return None;
    }
    let found = Detection::new(format!("{fact}. The volume still has {has}{next}. The data are not affected"))
        .severity(severity)
        .since(began);
    let found =
        sizes.told(found, case).evidence(&case.object(), "status.allocatedResourceStatuses.storage", progress(claim));
    let found = match error {
        Some(_) => found.evidence(&case.object(), "status.conditions[type=ControllerResizeError].status", "True"),
        None => found.evidence(&case.object(), "status.conditions[type=Resizing].status", "True"),
    };
    let found = match said {
        Some(event) => with_event(found, case, event),
        None => found,
    };
    let found = found.remedy(describe(&case.object(), "read what the driver says in its events and conditions"));
    let found = if said.is_some_and(wants_it_unused) { found.remedy(stop_pods(case, claim)) } else { found };
    if case.behavior().requests_can_be_lowered {
        return Some(found.risk(Risk::None).remedy(lower(claim, &sizes)));
    }
    Some(found.remedies(retain(sizes.volume)).remedy(by_hand(format!(
        "if that size is not possible, set policy Retain on volume {}, and then create the claim again for this \
         volume, with a smaller request; before Kubernetes {} a request cannot be lowered",
        sizes.volume.meta.name,
        KubeVersion::LOWERS_REQUESTS
    ))))
}

/// Returns whether the driver, or the resizer on its behalf, refuses the resize because the volume is in use.
fn wants_it_unused(event: &Event) -> bool {
    ["offline expansion", "currently in-use", "FailedPrecondition"].iter().any(|words| event.message.contains(words))
}

/// Creates a remedy that stops the pods that use the claim, and names them.
fn stop_pods(case: &Case<'_>, claim: &PersistentVolumeClaim) -> Remedy {
    let users = case.snapshot().pods_of(&claim.meta.namespace, &claim.meta.name).filter(|pod| !pod.terminated());
    let names: Vec<&str> = users.map(|pod| pod.meta.name.as_str()).collect();
    let pods = if names.is_empty() { String::new() } else { format!(" ({})", names.join(", ")) };
    by_hand(format!("stop the pods that use the claim{pods} until the volume is larger, for instance by scaling down"))
}

/// Creates a remedy that lowers the request. Only a person can choose the new size.
fn lower(claim: &PersistentVolumeClaim, sizes: &Sizes<'_>) -> Remedy {
    let command = format!("edit pvc {} -n {}", quoted(&claim.meta.name), quoted(&claim.meta.namespace));
    let does = format!(
        "lower spec.resources.requests.storage of the claim to a size that the storage can provide; the size must stay above {}",
        sizes.has
    );
    kubectl(command, does)
}
