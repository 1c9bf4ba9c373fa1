//! What `audit` finds in a cluster, and what it does not report.

mod asked;
mod cases;
mod danger;
mod detachments;
mod headlines;
mod healthy;
mod mounting;
mod mounts;
mod neighbours;
mod pods;
mod proposals;
mod resizing;
mod roots;
mod rules;
mod scope;
mod shared;
mod topology;
