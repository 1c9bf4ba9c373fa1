//! Compares the predictions with the real controllers.
//!
//! [`mod@line`] is the format in which the oracle writes worlds and answers. [`judge`] compares an answer with the
//! prediction. [`provisioning`] is the part of the format that is about the external provisioner, [`attaching`] the
//! part about the attach/detach controller, [`attacher`] the part about the external attacher, [`resizer`] the part
//! about the external resizer, [`shared_volume`] the part about the shared-volume controller, and [`mounting`] the part
//! about the kubelet. [`replay`] judges many lines. [`corpus`] reads and writes files of lines. [`recorded`] judges the
//! recordings of the project. [`oracle`] runs the oracle. [`schedule`] finds schedules for ends that random schedules
//! did not reach. [`shrink`] reduces a world that differs. [`differential`] compares many random worlds. [`mutants`]
//! checks whether the recordings notice changes of the core. [`plans`] tests repairs in random worlds with the whole
//! adversary.

pub mod attacher;
pub mod attaching;
pub mod corpus;
pub mod differential;
pub mod judge;
pub mod line;
pub mod managing;
pub mod mounting;
// `ulimit` and its signal stop a mutant that never ends. Windows does not have them.
#[cfg(unix)]
pub mod mutants;
pub mod oracle;
pub mod plans;
pub mod provisioning;
pub mod recorded;
pub mod replay;
pub mod resizer;
pub mod schedule;
pub mod shared_volume;
pub mod shrink;
