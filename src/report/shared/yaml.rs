//! Whole documents as YAML.

use super::json::json;
use crate::error::Error;
use crate::text::sanitize;
use serde::Serialize;
use std::borrow::Cow;

/// Returns the document as YAML. If a line has characters that are not safe to print, returns the document as JSON.
/// JSON is also valid YAML, and can escape these characters.
///
/// # Errors
/// Returns an error if the type cannot be encoded as YAML, which is a bug.
pub fn yaml(document: &impl Serialize) -> Result<String, Error> {
    let text = serde_yaml::to_string(document).map_err(|failure| unencodable(&failure))?;
    if text.lines().all(|line| matches!(sanitize(line), Cow::Borrowed(_))) {
        return Ok(text);
    }
    json(document)
}

/// Returns the error for a value that cannot be encoded as YAML. The error is a bug of this program.
pub(in crate::report) fn unencodable(failure: &(dyn std::error::Error + 'static)) -> Error {
    Error::bug("the answer cannot be encoded as YAML").caused_by(failure)
}
