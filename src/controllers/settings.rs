//! What decides besides the objects, and how much of an answer is wanted.

use super::{CONTROLLERS, Controller, KubernetesBehavior};
use crate::world::{Answers, ControllerState};
use std::fmt;

/// How far an exploration may go: a number of states, never a time, so that the answer is the same on every machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Budget {
    /// The most states that one component may have.
    pub states: usize,
}

impl Budget {
    /// What most components of up to 32 objects need.
    pub const DEFAULT: Self = Self { states: 20_000 };

    /// Nothing is explored, so that an answer is what holds without looking at single states.
    pub const NONE: Self = Self { states: 0 };
}

/// How many of a set are listed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    /// At most so many.
    AtMost(usize),
    /// All of them.
    All,
}

impl Limit {
    /// Whether one more is listed after that many.
    pub fn allows(self, listed: usize) -> bool {
        match self {
            Self::AtMost(limit) => listed < limit,
            Self::All => true,
        }
    }

    /// The same, but at least that many.
    #[must_use]
    pub fn at_least(self, least: usize) -> Self {
        match self {
            Self::AtMost(limit) => Self::AtMost(limit.max(least)),
            Self::All => Self::All,
        }
    }

    /// How many more are listed after that many.
    pub fn left_after(self, listed: usize) -> usize {
        match self {
            Self::AtMost(limit) => limit.saturating_sub(listed),
            Self::All => usize::MAX,
        }
    }
}

impl Default for Limit {
    /// Sixteen, as the output contract says.
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

/// What decides besides the objects.
#[derive(Clone, Debug)]
pub struct Settings<'s> {
    /// Version, gates and flags.
    pub behavior: KubernetesBehavior,
    /// Who takes part, in order.
    pub controllers: Vec<Controller>,
    /// The controllers' memory at the start: in step, unless asked otherwise.
    pub controller: ControllerState<'s>,
    /// What the API server and plugins answer; on the way to an outcome they may do so for a while, and do no more in
    /// the end.
    pub answers: Answers,
    /// Whether every comparison is recorded.
    pub tracing: bool,
    /// How many decisions are listed for each object in answers.
    pub decisions: Limit,
    /// How many outcomes are listed for each object in answers.
    pub outcomes: Limit,
    /// How many states the exploration of one component may meet.
    pub budget: Budget,
    /// Whether outcomes also quantify over requests that fail, crashes inside a sync and caches that lag.
    pub failures: bool,
}

/// So many decisions and outcomes of an object are listed unless somebody asks for more or fewer, and so many are at
/// hand in any case, because what is said of an object must not depend on how much of it is listed.
pub const LISTED: usize = 16;

impl Settings<'_> {
    /// All controllers of the default version, caches in step, sixteen decisions.
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
    /// Whether caches are in step at the start, no operation runs, and the API server and plugins answer as usual.
    pub fn starts_in_step(&self) -> bool {
        self.controller.in_step_with_all() && self.answers == Answers::default()
    }

    /// Whether a sync may end between its writes: what is refused, fails or is written again by a cache that lags.
    pub fn may_be_interrupted(&self) -> bool {
        self.failures || !self.starts_in_step()
    }
}
