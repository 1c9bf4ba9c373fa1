//! The program from outside: its arguments, its exit codes, and the forms in which it answers.

mod reports;
mod usage;
