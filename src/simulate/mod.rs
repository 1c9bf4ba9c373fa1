//! From controllers to predictions: what one sync does now, and in which states the objects can be when nothing moves
//! any more. Nothing here knows a controller or a kind by name: the controllers are in the settings, and what they know
//! beyond single syncs are engines, which are an argument.

pub mod component;
mod created;
pub mod decide;
pub mod engine;
pub mod explore;
pub mod failures;
pub mod predict;
pub mod settle;
mod state;
mod step;

pub use crate::controllers::{Alike, Budget, DecidedBy, Limit, Outcome, OutcomeSet, Settings};
pub use component::Component;
pub use decide::{Decision, Decisions, NextSync, decide_folded};
pub use engine::Engine;
pub use predict::{Assumed, Joint, Prediction, Simulation, Unknown};
pub use settle::{Settled, settle};
pub use step::{Stepped, stepped};
