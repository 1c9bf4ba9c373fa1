//! The answers of several clusters as YAML.

use crate::error::Error;
use crate::report::shared::yaml::{unencodable, yaml as document};

/// Converts the JSON document to YAML.
///
/// # Errors
/// Returns an error if the document cannot be encoded as YAML, which is a bug.
pub fn yaml(json: &[u8]) -> Result<String, Error> {
    let read: serde_json::Value = serde_json::from_slice(json).map_err(|failure| unencodable(&failure))?;
    document(&read)
}
