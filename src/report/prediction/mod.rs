//! `PredictionList`: what will become of volumes and claims.

mod decision;
mod document;
pub mod ends;
mod folded;

pub use decision::{ComparedOut, DecisionOut, EventOut, OperationOut, TestOut, WriteOut};
pub use document::{
    AssumedOut, ClaimRefOut, Head, JointOut, JointStateOut, NeedOut, PredictionList, PredictionOut, StateOut,
    UnknownOut, WaitingOut,
};
pub use folded::write_folded;
