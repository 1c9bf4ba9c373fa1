//! Reads a plan from a file.

use crate::error::Error;
use serde_json::Value;
use std::io::Read as _;
use std::path::Path;

/// The largest size of a plan, in bytes. Real plans are much smaller.
const LONGEST: u64 = 4 << 20;

/// Reads one document of YAML or JSON. The path `-` means standard input. A field that occurs twice is an error.
///
/// # Errors
/// Returns an error that says what is wrong with the file.
#[expect(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "a small file that was written by this program"
)]
pub fn plan(path: &Path) -> Result<Value, Error> {
    let wrong = |reason: &str| Error::unreadable(format!("{}: {reason}", path.display()));
    let mut text = String::new();
    let read = if path == Path::new("-") {
        std::io::stdin().lock().take(LONGEST + 1).read_to_string(&mut text)
    } else {
        std::fs::File::open(path).and_then(|file| file.take(LONGEST + 1).read_to_string(&mut text))
    };
    let length = read.map_err(|failure| wrong(&failure.to_string()))?;
    if u64::try_from(length).is_ok_and(|length| length > LONGEST) {
        return Err(wrong("it is too long to be a plan"));
    }
    serde_yaml::from_str(&text).map_err(|failure| {
        let said = failure.to_string();
        let line = said.lines().next().unwrap_or_default();
        wrong(line.strip_prefix("error: ").unwrap_or(line))
    })
}
