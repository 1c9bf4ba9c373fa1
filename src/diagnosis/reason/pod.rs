//! The WHY of a pod: on which node the scheduler places it, or what happens to the claims of its generic ephemeral
//! volumes.

use super::View;
use crate::controllers::{Branch, EphemeralPodBranch, EphemeralVolumeStep, PodPlace};
use crate::model::{Id, Pod};
use crate::simulate::{Decision, Outcome};
use crate::world::{Effect, WriteBody};

/// Says on which node the scheduler places the pod, or why it places the pod on no node. If the component is too large,
/// says that the end is unknown. Returns None if the scheduler does not take part, or if the outcomes are unknown for
/// another reason.
pub(super) fn scheduled(view: View<'_>) -> Option<String> {
    if view.prediction.is_too_large {
        return Some(super::TOO_LARGE.to_owned());
    }
    let set = view.prediction.outcomes.as_ref()?;
    let place = |end: &'_ Outcome| match end {
        Outcome::Pod { place, .. } => Some(place.clone()),
        _ => None,
    };
    let places: Vec<PodPlace> = set.representatives().filter_map(place).collect();
    let recorded = view.snapshot().get(view.prediction.target.of::<Pod>()?);
    Some(match places.as_slice() {
        [] => return None,
        [PodPlace::OnNode(node)] if recorded.node_name == *node => "it has its node".to_owned(),
        [PodPlace::OnNode(node)] => format!("the scheduler puts it on node {node}"),
        [PodPlace::WaitsForVolumes(node)] => {
            format!("the scheduler chooses node {node} and waits until the volumes are bound")
        }
        [PodPlace::Unschedulable(Some(message))] => message.trim_end_matches('.').to_owned(),
        [PodPlace::Unschedulable(None)] => "the scheduler does not find a node".to_owned(),
        several if several.iter().all(|place| matches!(place, PodPlace::OnNode(_))) => {
            format!("it fits {} nodes; the scheduler's scores decide", set.count)
        }
        several if several.iter().all(|place| matches!(place, PodPlace::WaitsForVolumes(_))) => {
            format!("it fits {} nodes; the scheduler chooses one and waits until the volumes are bound", set.count)
        }
        _ => "where it ends depends on what the scheduler does first".to_owned(),
    })
}

/// Says what one sync of a pod does, or why it does nothing.
pub(super) fn sentence(view: View<'_>, id: Id<Pod>, decision: &Decision<'_>) -> String {
    let pod = view.snapshot().get(id);
    let made: Vec<&str> = made(decision).collect();
    let done = match made.as_slice() {
        [] => String::new(),
        [one] => format!("claim {one} is created for it"),
        several => format!("claims {} are created for it", several.join(", ")),
    };
    match decision.branch {
        Branch::EphemeralPodBranch(EphemeralPodBranch::PodTerminating) => {
            "it is being deleted, so no claim is created for it".to_owned()
        }
        Branch::EphemeralPodBranch(EphemeralPodBranch::PodVolumesHandled) if made.is_empty() => {
            "each of its ephemeral volumes has a claim".to_owned()
        }
        Branch::EphemeralPodBranch(EphemeralPodBranch::PodVolumesHandled) => done,
        Branch::EphemeralPodBranch(EphemeralPodBranch::PodVolumeFailed) => {
            // Each volume up to the failed one has one step, so the last step is that of the failed volume.
            let failed = decision.record.steps.len().checked_sub(1).and_then(|number| pod.ephemeral.get(number));
            let claim = failed.map(|volume| volume.template.meta.name.as_str()).unwrap_or_default();
            let not_owned = Branch::EphemeralVolumeStep(EphemeralVolumeStep::ClaimNotOwned);
            let is_not_owned = decision.record.steps.last() == Some(&not_owned);
            let snapshot = view.snapshot();
            let is_going =
                snapshot.claim_id(&pod.meta.namespace, claim).is_some_and(|id| snapshot.claim(id).terminating());
            let failure = if is_not_owned && is_going {
                format!("an earlier claim {claim} is being deleted, and a new one is created for the pod after that")
            } else if is_not_owned {
                format!("claim {claim} exists but was not created for this pod, so the volume of the pod has no claim")
            } else {
                format!("the API server refuses claim {claim}")
            };
            if done.is_empty() { failure } else { format!("{done}; but {failure}") }
        }
        other => other.about().trim_end_matches('.').to_owned(),
    }
}

/// Returns the names of the claims that a sync creates.
fn made<'d>(decision: &'d Decision<'_>) -> impl Iterator<Item = &'d str> {
    decision.record.effects.iter().filter_map(|effect| match effect {
        Effect::Write(write) if write.refused.is_none() => match &write.body {
            WriteBody::Create { sent, .. } => Some(sent.meta().name.as_str()),
            WriteBody::Update { .. } | WriteBody::Delete(_) => None,
        },
        _ => None,
    })
}
