//! The recorded answers alone, without the project's other tests: what a mutated controller has to get past.

use anyhow::Result;
use std::path::Path;

#[test]
fn the_recordings_are_predicted() -> Result<()> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent();
    xtask::recorded::check(root.unwrap_or(Path::new("..")))
}
