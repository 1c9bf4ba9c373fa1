//! Predictions from controllers: what one sync does now, and in which states the objects can be when nothing changes
//! any more. Nothing in this module names a controller or a kind. The settings hold the controllers. The engines, which
//! know more about a controller than single syncs show, are passed as an argument.

pub mod component;
mod created;
pub mod decide;
pub mod engine;
pub mod explore;
pub mod failures;
pub mod predict;
pub mod settle;
pub mod settlement;
mod state;
mod step;

pub use crate::controllers::{Budget, DecidedBy, InterchangeableChoices, Limit, Outcome, OutcomeSet, Settings};
pub use component::Component;
pub use decide::{Decision, Decisions, NextSync, decide_folded};
pub use engine::Engine;
pub use predict::{Assumed, Joint, Prediction, Simulation, Unknown};
pub use settle::{Settled, settle};
pub use step::{Stepped, stepped};
