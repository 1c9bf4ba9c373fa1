//! Repairs: what is planned and refused, what is written, and what happens if a request fails.

mod execute;
mod faults;
mod guards;
mod journals;
mod manner;
mod planners;
mod plans;
mod prompts;
mod recipes;
mod undo_policies;
mod use_cases;
mod verbs;
