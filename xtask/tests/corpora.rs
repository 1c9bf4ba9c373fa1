//! Judges only the recordings, without the other tests of the project. Mutants are tested with this binary.

use anyhow::Result;
use std::path::Path;

#[test]
fn the_recordings_are_predicted() -> Result<()> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent();
    xtask::recorded::check(root.unwrap_or(Path::new("..")))
}
