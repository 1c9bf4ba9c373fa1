//! Unit tests of the library, in a folder for each of its modules. They are a binary of their own: if they were inside
//! the library, cargo would compile the library twice.

mod cli;
mod commands;
mod diagnosis;
mod manifests;
mod ops;
mod repair;
mod report;
mod source;
mod terminal;
