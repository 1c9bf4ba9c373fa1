//! Objects that are larger than any object of Kubernetes. They are not decoded: only their kind, namespace and name are
//! read.

use super::wire::Loose;
use super::{DecodeIssue, Header, Item};
use crate::model::{Kind, Str};
use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, Visitor};
use std::borrow::Cow;
use std::fmt;

/// The largest object that is decoded, in bytes of JSON. The API server accepts no request above 3 MiB, and etcd by
/// default stores no object above 1.5 MiB. Indentation can double the size.
pub const LARGEST_OBJECT: usize = 8 << 20;

/// The longest name, namespace or kind in Kubernetes. A longer text is ignored as a name.
pub const LONGEST_NAME: usize = 253;

/// The kind, namespace and name of an object, if the beginning of its JSON states them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Named {
    /// The apiVersion.
    pub api_version: String,
    /// The kind.
    pub kind: String,
    /// The namespace.
    pub namespace: String,
    /// The name.
    pub name: String,
}

impl Named {
    /// Reads the names from the beginning of an object. The JSON may end at any byte.
    pub fn in_beginning(json: &[u8]) -> Self {
        let mut named = Self::default();
        // If the JSON is cut off, the parser returns an error. The names before the end are valid.
        let reader = Reader { named: &mut named, map: Map::Object };
        let _ = reader.deserialize(&mut serde_json::Deserializer::from_slice(json));
        for text in [&mut named.api_version, &mut named.kind, &mut named.namespace, &mut named.name] {
            if text.len() > LONGEST_NAME {
                text.clear();
            }
        }
        named
    }

    /// Returns the issue for the object. `size` is its length in bytes, if it is known.
    pub(super) fn issue(self, kind: Option<Kind>, size: Option<u64>, origin: &str) -> DecodeIssue {
        let kind = kind.map_or(self.kind, |kind| kind.as_str().to_owned());
        too_large(kind, self.namespace, self.name, size, origin)
    }
}

/// Decides about an object that is too large. The result is an issue, or a skipped item if its kind is not read. `kind`
/// is the kind of the list that has the object, if the list states one. `surroundings` are the kinds of
/// [`Kind::SURROUNDING`] that the caller wants.
///
/// # Errors
///
/// The error is the issue.
#[expect(clippy::result_large_err, reason = "an issue is rare, and its callers keep it")]
pub fn judge(
    kind: Option<Kind>,
    named: Named,
    size: u64,
    origin: &str,
    surroundings: &[Kind],
) -> Result<Item, DecodeIssue> {
    if kind.is_none() && !named.kind.is_empty() {
        let header = Header { api_version: Cow::Borrowed(&named.api_version), kind: Cow::Borrowed(&named.kind) };
        let Some(known) = header.known().filter(|kind| kind.is_asked(surroundings)) else {
            return Ok(Item::Skipped(Str::from(named.kind)));
        };
        return Err(named.issue(Some(known), Some(size), origin));
    }
    if let Some(kind) = kind.filter(|kind| !kind.is_asked(surroundings)) {
        return Ok(Item::Skipped(Str::from(kind.as_str())));
    }
    Err(named.issue(kind, Some(size), origin))
}

/// Returns the issue for an object above [`LARGEST_OBJECT`]. `size` is its length in bytes, if it is known.
pub fn too_large(kind: String, namespace: String, name: String, size: Option<u64>, origin: &str) -> DecodeIssue {
    let size = size.map(|size| format!(" ({size} bytes)")).unwrap_or_default();
    let limit = LARGEST_OBJECT >> 20;
    DecodeIssue {
        kind,
        namespace,
        name,
        field: String::new(),
        value: String::new(),
        reason: format!(
            "it is larger than {limit} MiB{size}, and an object of that size is not read; no object of Kubernetes is so \
             large: look at its fields, and make it smaller"
        ),
        origin: origin.to_owned(),
    }
}

/// A reader of the names of an object from one of its maps.
struct Reader<'a> {
    named: &'a mut Named,
    map: Map,
}

/// The JSON maps in which the names of an object are.
#[derive(Clone, Copy)]
enum Map {
    /// The object itself.
    Object,
    /// The `metadata` of the object.
    Metadata,
}

impl<'de> DeserializeSeed<'de> for Reader<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for Reader<'_> {
    type Value = ();

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let Self { named, map: within } = self;
        while let Some(key) = map.next_key::<String>()? {
            let field = match (within, key.as_str()) {
                (Map::Object, "metadata") => {
                    map.next_value_seed(Reader { named, map: Map::Metadata })?;
                    continue;
                }
                (Map::Object, "apiVersion") => &mut named.api_version,
                (Map::Object, "kind") => &mut named.kind,
                (Map::Metadata, "namespace") => &mut named.namespace,
                (Map::Metadata, "name") => &mut named.name,
                _ => {
                    map.next_value::<IgnoredAny>()?;
                    continue;
                }
            };
            *field = map.next_value::<Loose>()?.0;
        }
        Ok(())
    }
}
