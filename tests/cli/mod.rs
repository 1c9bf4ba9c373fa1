//! Runs of the program: its arguments, its exit codes, and the forms of its answers.

mod log;
mod outputs;
mod reports;
mod usage;
