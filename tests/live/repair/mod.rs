//! Repairs on a real API server with a real controller manager.

mod actors;
mod apply;
mod case;
mod cases;
mod faults;
mod findings;
mod harm;
mod interception;
mod journals;
mod manner;
mod planners;
mod promises;
mod races;
mod services;
mod two_operators;
mod verbs;
