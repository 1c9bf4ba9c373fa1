//! `History`: the repairs that were made from one machine. It names objects and steps, and prints no object whole.

mod document;
mod table;

pub use document::{History, Repair, Taken};
