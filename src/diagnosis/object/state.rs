//! The state of an object in one word.

use super::decisive::Decisive;
use super::plain::Plain;
use crate::diagnosis::reason::View;
use crate::diagnosis::rules::is_about_growth;
use crate::diagnosis::{Risk, Severity};
use crate::model::{ClaimPhase, ObjectId, ObjectKey, TypedId, VolumePhase};
use crate::simulate::Outcome;
use crate::snapshot::Snapshot;

/// The state of an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum State {
    /// Nothing is wrong, and nothing has to happen.
    Well,
    /// Something has to happen, and it happens without a repair.
    Waiting,
    /// Something has to happen, and it does not happen until a person acts.
    Stuck,
    /// The object cannot be used.
    Broken,
    /// The object can be used now. Its data are in danger, or something will fail later.
    AtRisk,
    /// The state is not known: an object on which the state depends could not be read, or too many objects influence
    /// each other.
    Unknown,
}

impl State {
    /// Returns the word that documents print.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Well => "well",
            Self::Waiting => "waiting",
            Self::Stuck => "stuck",
            Self::Broken => "broken",
            Self::AtRisk => "atRisk",
            Self::Unknown => "unknown",
        }
    }

    /// Returns whether the object has a problem that a person should examine.
    pub fn is_problem(self) -> bool {
        matches!(self, Self::Stuck | Self::Broken | Self::AtRisk)
    }

    /// Returns the state of the object. `plain` is the answer without any finding.
    pub(super) fn of(
        view: Option<View<'_>>,
        snapshot: &Snapshot,
        object: &ObjectKey,
        decisive: Option<Decisive<'_>>,
        plain: &Plain,
    ) -> Self {
        let asks = plain.words.ask_person();
        let stage = Completion::of(view, snapshot, object, plain);
        match decisive {
            Some(decisive) if decisive.is_early() => match stage {
                Completion::Ended => Self::Broken,
                _ if asks => Self::Stuck,
                _ => Self::Waiting,
            },
            Some(decisive) if decisive.worst.risk == Risk::Imminent && !decisive.worst.is_asked_for() => Self::AtRisk,
            Some(decisive) => match stage {
                Completion::Ended => Self::Broken,
                Completion::Open => Self::Stuck,
                Completion::Done
                    if decisive.worst.severity == Severity::Error && !is_about_growth(decisive.worst.rule) =>
                {
                    Self::Broken
                }
                Completion::Done => Self::AtRisk,
            },
            None if view.is_some_and(is_unknown) => Self::Unknown,
            None => match stage {
                _ if plain.state.is_some() => plain.state.unwrap_or(Self::Unknown),
                Completion::Ended => Self::Broken,
                _ if asks => Self::Stuck,
                Completion::Done if view.is_some_and(|view| view.prediction.changes()) => Self::Waiting,
                Completion::Done => Self::Well,
                Completion::Open => Self::Waiting,
            },
        }
    }
}

/// Whether something still has to happen to an object.
#[derive(Clone, Copy)]
enum Completion {
    /// Nothing more has to happen to the object.
    Done,
    /// Something still has to happen to the object.
    Open,
    /// Nothing more can happen to the object, and it cannot be used.
    Ended,
}

impl Completion {
    fn of(view: Option<View<'_>>, snapshot: &Snapshot, object: &ObjectKey, plain: &Plain) -> Self {
        let ends_badly = view.and_then(View::only_outcome).is_some_and(|end| match end {
            Outcome::Claim { phase, terminating, .. } => *phase == ClaimPhase::Lost && terminating.is_none(),
            Outcome::Volume { phase, terminating, .. } => *phase == VolumePhase::Failed && terminating.is_none(),
            Outcome::Pod { .. } | Outcome::Gone { .. } => false,
        });
        match snapshot.object_id(object).map(ObjectId::typed) {
            _ if ends_badly => Self::Ended,
            Some(TypedId::PersistentVolumeClaim(id)) => {
                let claim = snapshot.claim(id);
                match claim.status.phase {
                    _ if claim.terminating() => Self::Open,
                    ClaimPhase::Bound => Self::Done,
                    _ => Self::Open,
                }
            }
            Some(TypedId::PersistentVolume(id)) => {
                let volume = snapshot.volume(id);
                match volume.status.phase {
                    _ if volume.terminating() => Self::Open,
                    VolumePhase::Bound => Self::Done,
                    VolumePhase::Available if volume.claim_ref.is_none() => Self::Done,
                    _ => Self::Open,
                }
            }
            // A pod or a workload whose state is not well still needs something.
            _ => match plain.state {
                None | Some(State::Well) => Self::Done,
                Some(_) => Self::Open,
            },
        }
    }
}

/// Returns whether the ends of the object are unknown, although objects of its kind have ends.
fn is_unknown(view: View<'_>) -> bool {
    view.prediction.outcomes.is_none() && !view.prediction.has_no_ends()
}
