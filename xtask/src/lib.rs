//! The real controllers as judge of the predictions: what both sides share.
//!
//! [`line`] is the format in which the oracle writes worlds and answers; [`judge`] compares an answer with the
//! prediction; [`replay`] judges many lines; [`corpus`] reads and writes files of them, and [`recorded`] judges those
//! of the project; [`oracle`] runs the oracle; [`schedule`] says how ends are reached that chance did not show;
//! [`shrink`] makes a difference small; [`differential`] is the long run; [`mutants`] asks whether the recordings
//! notice when the core is changed; [`plans`] puts repairs in random worlds before the whole adversary.

pub mod corpus;
pub mod differential;
pub mod judge;
pub mod line;
// A mutant that does not end is stopped by `ulimit` and its signal, which Windows has not.
#[cfg(unix)]
pub mod mutants;
pub mod oracle;
pub mod plans;
pub mod recorded;
pub mod replay;
pub mod schedule;
pub mod shrink;
