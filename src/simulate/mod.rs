//! From controllers to predictions: what one sync does now, and in which states the objects can be when nothing moves
//! any more.

mod alike;
pub mod candidates;
pub mod component;
pub mod decide;
pub mod explore;
mod failures;
mod fixpoint;
pub mod nearest;
mod needs;
mod nested;
pub mod outcome;
pub mod predict;
mod recycling;
pub mod settle;
mod state;
mod step;

pub use alike::Alike;
pub use candidates::{Candidate, Candidates, Planned, Search, match_claim, planned};
pub use component::Component;
pub use decide::{Decision, Decisions, Limit, NextSync, Settings, Target, decide_folded};
pub use nearest::{Nearest, Nearness};
pub use outcome::{Outcome, OutcomeSet};
pub use predict::{Assumed, DecidedBy, Prediction, Simulation, Unknown, key_of};
pub use settle::{Settled, settle};
pub use step::{Stepped, stepped};
