//! Whole objects from files, for plans that are made without a cluster.

use super::files::{FileOptions, SourceError, each_raw_with};
use crate::model::{Kind, ObjectKey};
use serde::Deserialize;
use serde_json::Value;
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::io::Read;
use std::ops::ControlFlow;

/// The fields that identify an object.
#[derive(Deserialize)]
struct Named<'a> {
    #[serde(borrow, default)]
    metadata: Metadata<'a>,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Metadata<'a> {
    #[serde(borrow, default)]
    namespace: Cow<'a, str>,
    #[serde(borrow, default)]
    name: Cow<'a, str>,
    #[serde(borrow, default)]
    resource_version: Cow<'a, str>,
}

/// Returns the objects with these keys, as they are in the files. An object that is not in the files is left out. If
/// the files have several versions of an object, the newest version is returned.
///
/// # Errors
/// Returns the same errors as [`each_raw_with`].
pub fn manifests(
    options: &FileOptions,
    stdin: &mut dyn Read,
    keys: &[ObjectKey],
) -> Result<Vec<(ObjectKey, Value)>, SourceError> {
    let mut found: BTreeMap<&ObjectKey, (u64, Value)> = BTreeMap::new();
    each_raw_with(options, stdin, &mut |kind, json, _origin| {
        if let Some((key, version)) = wanted(keys, kind, json)
            && found.get(key).is_none_or(|(known, _)| *known < version)
            && let Ok(mut object) = serde_json::from_slice::<Value>(json)
        {
            // Objects in typed lists do not state their kind.
            object["apiVersion"] = kind.api_version().into();
            object["kind"] = kind.as_str().into();
            object["metadata"]["namespace"] = key.namespace.as_str().into();
            if !kind.namespaced()
                && let Some(metadata) = object["metadata"].as_object_mut()
            {
                metadata.remove("namespace");
            }
            found.insert(key, (version, object));
        }
        ControlFlow::Continue(())
    })?;
    Ok(found.into_iter().map(|(key, (_, object))| (key.clone(), object)).collect())
}

/// Returns the key and the version of an object, if its key is one of `keys`.
fn wanted<'k>(keys: &'k [ObjectKey], kind: Kind, json: &[u8]) -> Option<(&'k ObjectKey, u64)> {
    if keys.iter().all(|key| key.kind != kind) {
        return None;
    }
    let Metadata { namespace, name, resource_version } = serde_json::from_slice::<Named<'_>>(json).ok()?.metadata;
    let namespace = match (kind.namespaced(), &*namespace) {
        (false, _) => "",
        // As in kubectl, an object without a namespace is in `default`.
        (true, "") => "default",
        (true, namespace) => namespace,
    };
    let key = keys.iter().find(|key| key.kind == kind && key.name == *name && key.namespace == namespace)?;
    Some((key, resource_version.parse().unwrap_or_default()))
}
