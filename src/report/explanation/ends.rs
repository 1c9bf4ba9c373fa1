//! The possible ends of an object in words.

use crate::controllers::PodPlace;
use crate::diagnosis::misfit::claim_words;
use crate::model::{Str, VolumePhase};
use crate::simulate::{Outcome, Prediction};

/// Returns the possible ends, one on each line.
pub(super) fn ends(prediction: &Prediction<'_>) -> Vec<String> {
    let Some(outcomes) = &prediction.outcomes else { return Vec::new() };
    let listed = prediction.listed_outcomes();
    let mut ends: Vec<String> = listed.iter().map(end).collect();
    let more = outcomes.count.saturating_sub(listed.len() as u64);
    if more > 0 {
        ends.push(format!("and {more} more"));
    }
    ends
}

/// Returns one end in words.
fn end(outcome: &Outcome) -> String {
    let kept = |terminating: &Option<Vec<Str>>| match terminating.as_deref() {
        None => String::new(),
        Some([]) => ", being deleted".to_owned(),
        Some(left) => {
            let left: Vec<&str> = left.iter().map(Str::as_str).collect();
            format!(", being deleted, kept by {}", left.join(", "))
        }
    };
    let round = |unsettled: bool| if unsettled { " (for a while: it never stops changing)" } else { "" };
    match outcome {
        Outcome::Claim { phase, volume_name, terminating, unsettled, created } => {
            let volume = if volume_name.is_empty() {
                String::new()
            } else {
                format!(" to {}", crate::snapshot::printed(volume_name))
            };
            let joined = match phase.as_str() {
                "Bound" => format!("Bound{volume}"),
                other if volume.is_empty() => other.to_owned(),
                other => format!("{other}, naming{}", &volume[3..]),
            };
            let made = if *created { ", newly created" } else { "" };
            format!("{joined}{made}{}{}", kept(terminating), round(*unsettled))
        }
        Outcome::Volume { phase, claim_ref, terminating, unsettled, .. } => {
            let claim = claim_ref.as_ref().map_or_else(String::new, |(namespace, name, _)| {
                let claim = claim_words(namespace, name);
                match phase {
                    VolumePhase::Bound => format!(" to {claim}"),
                    // Only in these two phases it is certain that the claim is deleted or has another volume.
                    VolumePhase::Released | VolumePhase::Failed => format!(", last of {claim}"),
                    _ => format!(", reserved for {claim}"),
                }
            });
            format!("{}{claim}{}{}", phase.as_str(), kept(terminating), round(*unsettled))
        }
        Outcome::Pod { place, unsettled } => {
            let place = match place {
                PodPlace::OnNode(node) => format!("on node {}", crate::snapshot::printed(node)),
                PodPlace::WaitsForVolumes(node) => {
                    format!("waits until its volumes are bound for node {}", crate::snapshot::printed(node))
                }
                PodPlace::Unschedulable(_) => "on no node".to_owned(),
            };
            format!("{place}{}", round(*unsettled))
        }
        Outcome::Gone { unsettled, .. } => format!("gone{}", round(*unsettled)),
    }
}
