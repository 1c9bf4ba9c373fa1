//! Reads the systems that a user describes in `.pvctl.yaml`, besides those that pvctl knows.

use super::suppressions::{OWN, documents, first_line, read, unusable};
use crate::diagnosis::shared_volumes::{Provider, Providers, VolumePattern};
use crate::error::Error;
use serde::Deserialize;
use std::path::Path;

/// The version and kind of a document with systems.
const API_VERSION: &str = "pvctl.dev/v1";
pub(super) const KIND: &str = "SharedVolumeProviders";

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Document {
    api_version: String,
    #[serde(rename = "kind")]
    _kind: String,
    items: Vec<Provider>,
}

/// Returns the known systems, and before them those of `.pvctl.yaml` in the working directory.
///
/// # Errors
/// Returns an error that says what is wrong with the file, and the position of the mistake.
pub fn providers() -> Result<Providers, Error> {
    providers_of(Path::new(OWN))
}

/// Returns the known systems, and before them those of the file. The file need not exist.
///
/// # Errors
/// Returns an error that says what is wrong with the file, and the position of the mistake.
pub fn providers_of(path: &Path) -> Result<Providers, Error> {
    let Some(text) = read(path)? else { return Ok(Providers::default()) };
    let mut own = Vec::new();
    for document in documents(&text).iter().filter(|document| document.kind == KIND) {
        let wrong = |reason: String| unusable(path, &reason);
        let Document { api_version, items, .. } =
            serde_yaml::from_str(&document.padded()).map_err(|error| wrong(first_line(&error.to_string())))?;
        if api_version != API_VERSION {
            return Err(wrong(format!("it is {api_version} {KIND}, but {API_VERSION} {KIND} is expected")));
        }
        own.extend(items);
    }
    for (place, provider) in own.iter().enumerate() {
        let is_repeated = own.iter().take(place).any(|other: &Provider| other.id == provider.id);
        if provider.id.is_empty() || is_repeated {
            return Err(unusable(path, &format!("items[{place}]: the id {:?} is empty or repeated", provider.id)));
        }
        if provider.volume == VolumePattern::default() {
            let reason = format!("items[{place}]: volume states nothing, so it would recognise every volume");
            return Err(unusable(path, &reason));
        }
    }
    Ok(Providers::with(own))
}
