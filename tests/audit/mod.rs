//! What `audit` finds in a cluster, and what it leaves alone.

mod cases;
mod danger;
mod proposals;
mod roots;
mod rules;
mod scope;
