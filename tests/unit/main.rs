//! Unit tests of the library, in a folder for each of its modules. They stand beside it: with the tests inside, cargo
//! would compile it twice.

mod cli;
mod commands;
mod diagnosis;
mod manifests;
mod ops;
mod repair;
mod report;
mod source;
mod terminal;
