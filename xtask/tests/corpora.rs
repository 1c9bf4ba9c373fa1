//! Judges only the recordings, without the other tests of the project. Mutants are tested with this binary.

use anyhow::Result;
use std::env;
use std::path::Path;
use xtask::recorded::{check, check_only};

/// With `PVCTL_RECORDINGS` in the environment, only the recordings are judged whose names contain its text.
#[test]
fn the_recordings_are_predicted() -> Result<()> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap_or(Path::new(".."));
    match env::var("PVCTL_RECORDINGS") {
        Ok(text) => check_only(root, &text),
        Err(_) => check(root),
    }
}
