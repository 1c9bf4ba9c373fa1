//! Repairs on a real API server with a real controller manager.

mod actors;
mod apply;
mod case;
mod cases;
mod faults;
mod findings;
mod harm;
mod journals;
mod manner;
mod planners;
mod promises;
mod races;
mod trap;
mod two_operators;
mod verbs;
