//! These tests compare predictions and explanations with `docs/controllers/` and with the recordings, and check
//! properties that hold for every world.

mod actors;
mod answers;
mod attach_detach;
mod attacher;
mod attachments;
mod candidates;
mod clusters;
mod conformance;
mod cuts;
mod ephemeral;
mod fates;
mod folded;
mod kubelet;
mod leaves;
mod match_node;
mod memory;
mod narrow;
pub(crate) mod properties;
mod prospects;
mod provisioner;
mod resizer;
mod said;
pub(crate) mod scheduler;
mod scheduling;
mod shared_volume;
mod shrink;
