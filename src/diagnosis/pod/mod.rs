//! Pods: the stages of their volumes by recorded facts, and what is said about a pod that no rule reports.
//!
//! A stage is reached, or the record shows why it is not, or the record leaves it open. What the record leaves open is
//! `unknown` and never a guess.

pub mod facts;
mod scheduling;
mod stages;
mod words;

pub use scheduling::{Attempt, NodeGroup, PodScheduling, Recorded, UNMODELLED, cause_words};
pub use stages::{ClaimProspect, PodStage, PodVolume, Reached, StageFact, Stages};
pub(super) use words::answer;
