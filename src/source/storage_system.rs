//! Reads the objects that a storage system defines for its own use. They show what the system knows about its volumes.

use super::cluster::Cluster;
use super::http::escape;
use super::list;
use crate::diagnosis::shared_volumes::{Providers, StateRecord, StateResource};
use crate::error::Error;
use serde_json::Value;
use std::io::Read as _;
use std::path::Path;

/// The largest file of `--provider-state`, in bytes.
const LARGEST: u64 = 64 << 20;

/// Reads a file with what a storage system says about its volumes: a list of objects, an object with `items`, or one
/// object. `-` is standard input.
///
/// # Errors
/// Returns an error if the file cannot be read, or if no object in it is about a volume.
pub fn read_state(path: &Path, providers: &mut Providers) -> Result<(), Error> {
    let wrong = |reason: &str| Error::unreadable(format!("--provider-state {}: {reason}", path.display()));
    let text = text(path).map_err(|error| wrong(&error.to_string()))?;
    if text.len() as u64 > LARGEST {
        return Err(wrong("it is larger than 64 MiB"));
    }
    let parsed: Result<Value, String> = if text.trim_start().starts_with(['{', '[']) {
        serde_json::from_str(&text).map_err(|error| error.to_string())
    } else {
        serde_yaml::from_str(&text).map_err(|error| error.to_string())
    };
    let value = parsed.map_err(|reason| wrong(&reason))?;
    let objects = match value {
        Value::Array(objects) => objects,
        Value::Object(mut fields) if fields.get("items").is_some_and(Value::is_array) => match fields.remove("items") {
            Some(Value::Array(items)) => items,
            _ => Vec::new(),
        },
        other => vec![other],
    };
    let records: Vec<StateRecord> =
        objects.iter().filter_map(|object| providers.record(object, "--provider-state")).collect();
    if records.is_empty() {
        return Err(wrong("no object in it is about a volume of a known storage system"));
    }
    providers.add(records);
    Ok(())
}

#[expect(clippy::disallowed_methods, clippy::disallowed_types, reason = "a file that the user names, or stdin")]
fn text(path: &Path) -> std::io::Result<String> {
    let mut text = String::new();
    if path.as_os_str() == "-" {
        std::io::stdin().lock().take(LARGEST + 1).read_to_string(&mut text)?;
    } else {
        std::fs::File::open(path)?.take(LARGEST + 1).read_to_string(&mut text)?;
    }
    Ok(text)
}

/// The maximum number of objects of one resource that are read. The volumes of all others are reported as unknown.
const MOST: usize = 500;

impl Cluster<'_> {
    /// Returns the objects of a resource in all namespaces. The list is empty if the cluster does not have the
    /// resource, if the user may not list it, or if anything fails: then nothing is known about the volumes of the
    /// system.
    pub(super) async fn of_system(&self, resource: &StateResource) -> Vec<Value> {
        let StateResource { group, version, resource, kind } = resource;
        let path = format!("/apis/{}/{}/{}?limit={MOST}", escape(group), escape(version), escape(resource));
        let Some((json, _)) = self.hint(&path).await else { return Vec::new() };
        let items = list::items(&json).unwrap_or_default();
        let named = |item: &serde_json::value::RawValue| {
            let mut object: Value = serde_json::from_str(item.get()).ok()?;
            // The items of a list state neither their kind nor their version.
            let fields = object.as_object_mut()?;
            fields.insert("kind".to_owned(), Value::from(kind.as_str()));
            fields.insert("apiVersion".to_owned(), Value::from(format!("{group}/{version}")));
            Some(object)
        };
        items.into_iter().filter_map(named).collect()
    }
}
