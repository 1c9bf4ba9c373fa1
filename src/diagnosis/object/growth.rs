//! The stages of the expansion of a claim's volume and of its change to another VolumeAttributesClass, in words.

use crate::controllers::resizer::{ModifyStage, ResizeSizes, ResizeStage};
use crate::model::{ModifyVolume, PersistentVolumeClaim};

/// Returns what the claim records about its expansion and about the change of its class, as sentences.
pub(super) fn of_claim(claim: &PersistentVolumeClaim) -> Vec<String> {
    expansion(claim).into_iter().chain(modification(claim)).collect()
}

fn expansion(claim: &PersistentVolumeClaim) -> Option<String> {
    let stage = ResizeStage::of(claim)?;
    let ResizeSizes { target, requested, target_is_counted } = ResizeSizes::of(claim)?;
    let what = match stage {
        ResizeStage::Requested => "no resizer has begun",
        ResizeStage::ControllerInProgress => "the resizer has begun, and the driver has not said that it is done",
        ResizeStage::ControllerFailing => "the driver has failed, and the resizer asks it again",
        ResizeStage::ControllerInfeasible => {
            "the driver has refused this size, and the resizer asks for it again only every five minutes"
        }
        ResizeStage::NodePending => "the volume has its new size, and a node expands it when a pod uses the claim",
        ResizeStage::NodeInProgress => "the volume has its new size, and a node expands it now",
        ResizeStage::NodeFailing => "a node has failed to expand it, and tries again",
        ResizeStage::NodeInfeasible => {
            "a node has failed to expand it, and tries again only after the resizer has acted"
        }
    };
    let next = match (requested, stage) {
        (None, _) => String::new(),
        (Some(requested), ResizeStage::ControllerInfeasible) => {
            format!(" The claim now requests {requested}, which the resizer tries next.")
        }
        (Some(requested), _) => format!(" The claim now requests {requested}, which the resizer tries after this."),
    };
    let counted = if target_is_counted { format!(" Until then, a quota counts {target}.") } else { String::new() };
    Some(format!("Stage of the expansion to {target}: {}: {what}.{next}{counted}", stage.as_str()))
}

fn modification(claim: &PersistentVolumeClaim) -> Option<String> {
    let stage = ModifyStage::of(claim)?;
    let wanted = claim.attributes_class();
    let status = claim.details.as_ref().and_then(|details| details.modify.as_ref());
    // Only a change that the driver was asked for keeps its target.
    let is_tried = matches!(stage, ModifyStage::InProgress | ModifyStage::Failing | ModifyStage::Cancelled);
    let target = status.filter(|_| is_tried).map_or(wanted, |ModifyVolume { target, .. }| target);
    let what = match stage {
        ModifyStage::Requested => "no resizer has begun",
        ModifyStage::Pending => {
            "the class did not exist when the resizer looked for it; it looks again every ten minutes"
        }
        ModifyStage::InProgress => "the resizer has begun, and the driver has not said that it is done",
        ModifyStage::Failing => "the driver has failed, and the resizer asks it again",
        ModifyStage::Infeasible => {
            "the driver has refused this class, and the resizer asks for it again only every five minutes"
        }
        ModifyStage::Cancelled => "the claim names no class any more, and nothing goes on",
    };
    let next = if stage == ModifyStage::Cancelled || wanted == target {
        String::new()
    } else if wanted.is_empty() {
        " The claim names no class any more.".to_owned()
    } else {
        format!(" The claim now names class {wanted}, which the resizer tries after this.")
    };
    Some(format!("Stage of the change to class {target}: {}: {what}.{next}", stage.as_str()))
}
