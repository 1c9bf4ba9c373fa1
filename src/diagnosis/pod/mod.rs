//! Pods: the stages of their volumes, as objects record them, and the words about a pod on which no rule reports a
//! problem.
//!
//! Objects show that a stage is reached, or they show why it is not reached, or they show neither. In the last case the
//! stage is `unknown`, because pvctl does not guess.

pub mod facts;
pub(super) mod scheduling;
mod stages;
mod words;

pub use scheduling::{Attempt, NodeGroup, PodScheduling, Recorded, UNMODELLED, cause_words};
pub use stages::{ClaimProspect, PodStage, PodVolume, Reached, StageFact, Stages};
pub(super) use words::answer;
