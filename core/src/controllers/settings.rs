//! The settings of a prediction. Only the settings and the objects decide the prediction. The settings also say how
//! much of an answer is listed.

use super::{CONTROLLERS, Controller, KubernetesBehavior};
use crate::world::{Answers, ControllerState};
use std::fmt;

/// The limit of an exploration. It is a number of states and not a time, so that every machine gives the same answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Budget {
    /// The largest number of states that the exploration of one component may visit.
    pub states: usize,
}

impl Budget {
    /// The default limit. It is enough for most components of up to 32 objects.
    pub const DEFAULT: Self = Self { states: 20_000 };

    /// No exploration. The answer has only what can be concluded without visiting single states.
    pub const NONE: Self = Self { states: 0 };
}

/// The limit for the number of entries that a list shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    /// At most this number of entries.
    AtMost(usize),
    /// All entries.
    All,
}

impl Limit {
    /// Returns whether one more entry may be listed after `listed` entries.
    pub fn allows(self, listed: usize) -> bool {
        match self {
            Self::AtMost(limit) => listed < limit,
            Self::All => true,
        }
    }

    /// Returns the same limit, raised to at least `least` entries.
    #[must_use]
    pub fn at_least(self, least: usize) -> Self {
        match self {
            Self::AtMost(limit) => Self::AtMost(limit.max(least)),
            Self::All => Self::All,
        }
    }

    /// Returns how many more entries may be listed after `listed` entries.
    pub fn left_after(self, listed: usize) -> usize {
        match self {
            Self::AtMost(limit) => limit.saturating_sub(listed),
            Self::All => usize::MAX,
        }
    }
}

impl Default for Limit {
    /// Returns 16, the number that the documentation of the output states.
    fn default() -> Self {
        Self::AtMost(LISTED)
    }
}

impl fmt::Display for Limit {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::AtMost(limit) => write!(out, "{limit}"),
            Self::All => out.write_str("all"),
        }
    }
}

/// The settings of a prediction. Only the settings and the objects decide the prediction. The settings also say how
/// much of an answer is listed.
#[derive(Clone, Debug)]
pub struct Settings<'s> {
    /// The version, feature gates and flags of Kubernetes.
    pub behavior: KubernetesBehavior,
    /// The controllers that take part, in order.
    pub controllers: Vec<Controller>,
    /// The caches and operations of the controllers at the start. By default, all caches are in step with the API
    /// server.
    pub controller: ControllerState<'s>,
    /// The answers of the API server and of plugins. An unusual answer may occur for some time, but not any more in the
    /// end state.
    pub answers: Answers,
    /// Whether every comparison of a decision is recorded.
    pub tracing: bool,
    /// The limit for the decisions that an answer lists for each object.
    pub decisions: Limit,
    /// The limit for the outcomes that an answer lists for each object.
    pub outcomes: Limit,
    /// The largest number of states that the exploration of one component may visit.
    pub budget: Budget,
    /// Whether outcomes also cover requests that fail, crashes inside a sync, and caches that lag.
    pub failures: bool,
}

/// The number of decisions and outcomes of an object that are listed by default. At least this number is always
/// computed, because a sentence about an object must not depend on how much of the answer is listed.
pub const LISTED: usize = 16;

impl Settings<'_> {
    /// Makes settings with all controllers, caches in step, and sixteen decisions and outcomes listed.
    pub fn new(behavior: KubernetesBehavior) -> Self {
        Self {
            behavior,
            controllers: CONTROLLERS.to_vec(),
            controller: ControllerState::in_step(),
            answers: Answers::default(),
            tracing: false,
            decisions: Limit::AtMost(LISTED),
            outcomes: Limit::AtMost(LISTED),
            budget: Budget::DEFAULT,
            failures: false,
        }
    }
}

impl Settings<'_> {
    /// Returns whether all caches are in step at the start, no operation runs, and the API server and plugins answer as
    /// usual.
    pub fn starts_in_step(&self) -> bool {
        self.controller.in_step_with_all() && self.answers == Answers::default()
    }

    /// Returns whether a sync may end between two of its writes, because a request is refused or fails, or a cache
    /// lags.
    pub fn may_be_interrupted(&self) -> bool {
        self.failures || !self.starts_in_step()
    }
}
