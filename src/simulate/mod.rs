//! From controllers to predictions: what one sync does now, and in which states the objects can be when nothing moves
//! any more.

pub mod component;
pub mod decide;
pub mod explore;
mod failures;
mod fixpoint;
mod nested;
pub mod outcome;
pub mod predict;
mod recycling;
pub mod settle;
mod state;
mod step;

pub use crate::controllers::persistent_volume::alike::Alike;
pub use crate::controllers::persistent_volume::candidates::{
    Candidate, Candidates, Planned, Search, match_claim, planned,
};
pub use crate::controllers::persistent_volume::nearest::{Nearest, Nearness};
pub use crate::controllers::settings::{Budget, Limit, Settings};
pub use component::Component;
pub use decide::{Decision, Decisions, NextSync, Target, decide_folded};
pub use outcome::{Outcome, OutcomeSet};
pub use predict::{Assumed, DecidedBy, Prediction, Simulation, Unknown, key_of};
pub use settle::{Settled, settle};
pub use step::{Stepped, stepped};
