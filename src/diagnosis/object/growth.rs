//! The stages of the expansion of a claim's volume and of its change to another VolumeAttributesClass.

use crate::controllers::resizer::{ModifyStage, ResizeSizes, ResizeStage};
use crate::diagnosis::case::key_of_claim;
use crate::model::{ObjectKey, PersistentVolumeClaim, Str};

/// What a claim records about the expansion of its volume and about the change of its class of attributes.
#[derive(Clone, Debug)]
pub struct Growth {
    /// The claim.
    pub claim: ObjectKey,
    /// The expansion. It is `None` if no expansion is requested or going on.
    pub expansion: Option<Expansion>,
    /// The change of the class. It is `None` if no change is requested or going on.
    pub modification: Option<Modification>,
}

/// The expansion of a claim's volume.
#[derive(Clone, Copy, Debug)]
pub struct Expansion {
    /// The stage.
    pub stage: ResizeStage,
    /// The sizes.
    pub sizes: ResizeSizes,
}

/// The change of a claim's volume to another VolumeAttributesClass.
#[derive(Clone, Debug)]
pub struct Modification {
    /// The stage.
    pub stage: ModifyStage,
    /// The class to which the volume is being changed.
    pub target: Str,
    /// The class that the claim names, if it is another one. It is empty if the claim names no class any more.
    pub requested: Option<Str>,
}

impl Growth {
    /// Returns what the claim records. Returns `None` if it records neither an expansion nor a change of the class.
    pub(super) fn of(claim: &PersistentVolumeClaim) -> Option<Self> {
        let (expansion, modification) = (Expansion::of(claim), Modification::of(claim));
        let is_any = expansion.is_some() || modification.is_some();
        is_any.then(|| Self { claim: key_of_claim(&claim.meta), expansion, modification })
    }

    /// Returns the stages as sentences. The sentences name the claim on the page of any other object.
    pub(super) fn sentences(&self, page: &ObjectKey) -> Vec<String> {
        let of_claim = if self.claim == *page { String::new() } else { format!(" of claim {}", self.claim.name) };
        let expansion = self.expansion.iter().map(|expansion| expansion.sentence(&of_claim));
        expansion.chain(self.modification.iter().map(|modification| modification.sentence(&of_claim))).collect()
    }
}

impl Expansion {
    fn of(claim: &PersistentVolumeClaim) -> Option<Self> {
        let stage = ResizeStage::of(claim)?;
        Some(Self { stage, sizes: ResizeSizes::of(claim, stage)? })
    }

    fn sentence(&self, of_claim: &str) -> String {
        let Self { stage, sizes: ResizeSizes { target, requested, target_is_counted } } = self;
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
            (Some(requested), _) => {
                format!(" The claim now requests {requested}, which the resizer tries after this.")
            }
        };
        let counted = if *target_is_counted { format!(" Until then, a quota counts {target}.") } else { String::new() };
        format!("Stage of the expansion{of_claim} to {target}: {}: {what}.{next}{counted}", stage.as_str())
    }
}

impl Modification {
    fn of(claim: &PersistentVolumeClaim) -> Option<Self> {
        let stage = ModifyStage::of(claim)?;
        let (wanted, target) = (claim.attributes_class(), stage.target(claim));
        let requested = (wanted != target).then(|| wanted.into());
        Some(Self { stage, target: target.into(), requested })
    }

    fn sentence(&self, of_claim: &str) -> String {
        let Self { stage, target, requested } = self;
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
        let next = match requested.as_deref() {
            None => String::new(),
            Some(_) if *stage == ModifyStage::Cancelled => String::new(),
            Some("") => " The claim names no class any more.".to_owned(),
            Some(wanted) => format!(" The claim now names class {wanted}, which the resizer tries after this."),
        };
        format!("Stage of the change{of_claim} to class {target}: {}: {what}.{next}", stage.as_str())
    }
}
