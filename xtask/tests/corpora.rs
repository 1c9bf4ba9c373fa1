//! The recorded answers alone, without the project's other tests: what a mutated controller has to get past.
#![expect(clippy::unwrap_used, reason = "what cannot be read fails the test")]

use std::path::Path;
use xtask::corpus::files;
use xtask::replay::replay;

#[test]
fn the_recordings_are_predicted() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    for file in files(&root.join("tests/conformance")).unwrap() {
        let verdict = replay(&file).unwrap();
        assert!(!verdict.counts.is_empty(), "{}", file.display());
        assert!(verdict.differences.is_empty(), "{}: {}", file.display(), verdict.differences[0]);
    }
}
