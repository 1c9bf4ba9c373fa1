//! Whole documents as YAML.

use super::json::json;
use crate::error::Error;
use crate::text::sanitize;
use serde::Serialize;
use std::borrow::Cow;

/// The document, with the content of its JSON.
///
/// # Errors
/// Where the type cannot be put into YAML, which is a bug.
pub fn yaml(document: &impl Serialize) -> Result<String, Error> {
    let text = serde_yaml::to_string(document).map_err(|failure| unencodable(&failure))?;
    if text.lines().all(|line| matches!(sanitize(line), Cow::Borrowed(_))) {
        return Ok(text);
    }
    // JSON is YAML too, and has escapes in every place.
    json(document)
}

/// A value that cannot be put into YAML.
pub(in crate::report) fn unencodable(failure: &(dyn std::error::Error + 'static)) -> Error {
    Error::bug("the answer cannot be put into YAML").caused_by(failure)
}
