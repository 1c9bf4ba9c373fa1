//! Judges only the recordings, without the other tests of the project. Mutants are tested with this binary.

use anyhow::Result;
use std::env;
use std::path::Path;
use xtask::recorded::{check, check_only};

/// Judges only the recordings whose names contain the value of the variable `PVCTL_RECORDINGS`, if the environment has
/// this variable. Otherwise judges all recordings.
#[test]
fn the_recordings_are_predicted() -> Result<()> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap_or(Path::new(".."));
    match env::var("PVCTL_RECORDINGS") {
        Ok(text) => check_only(root, &text),
        Err(_) => check(root),
    }
}
