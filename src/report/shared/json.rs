//! Whole documents as JSON.

use crate::error::Error;
use crate::text::escape_json;
use serde::Serialize;
use std::borrow::Cow;

/// Returns the document as indented JSON. Control characters that a terminal would interpret are escaped.
///
/// # Errors
/// Returns an error if the type cannot be encoded as JSON, which is a bug.
pub fn json(document: &impl Serialize) -> Result<String, Error> {
    let mut text = serde_json::to_string_pretty(document).map_err(|failure| unencodable(&failure))?;
    if let Cow::Owned(escaped) = escape_json(text.as_bytes()) {
        text = String::from_utf8_lossy(&escaped).into_owned();
    }
    text.push('\n');
    Ok(text)
}

/// Returns the error for a value that cannot be encoded as JSON.
pub(super) fn unencodable(failure: &serde_json::Error) -> Error {
    Error::bug("the answer cannot be encoded as JSON").caused_by(failure)
}
