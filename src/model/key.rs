//! How objects are named.

use super::{Kind, ObjectMeta, Str};
use serde::{Deserialize, Serialize};
use std::fmt;

/// A claim's name with its namespace: `db/data-0`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ClaimKey {
    /// The namespace.
    pub namespace: Str,
    /// The name in it.
    pub name: Str,
}

impl fmt::Display for ClaimKey {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}/{}", self.namespace, self.name)
    }
}

/// What names one object: its kind, its namespace if it has one, and its name. The order is that of all listings.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ObjectKey {
    /// The kind.
    pub kind: Kind,
    /// The namespace; empty for kinds that have none.
    #[serde(default, skip_serializing_if = "Str::is_empty")]
    pub namespace: Str,
    /// The name.
    pub name: Str,
}

impl ObjectKey {
    /// What names the object of that kind with that metadata.
    pub fn of(kind: Kind, meta: &ObjectMeta) -> Self {
        Self { kind, namespace: meta.namespace.clone(), name: meta.name.clone() }
    }
}

impl fmt::Display for ObjectKey {
    /// As people type it: `pv/data`, `pvc/data-0 -n db`.
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}/{}", self.kind.short(), self.name)?;
        if self.namespace.is_empty() { Ok(()) } else { write!(out, " -n {}", self.namespace) }
    }
}

/// One object that was named, or all of a kind.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ObjectArgument {
    /// The kind.
    pub kind: Kind,
    /// The name; none where a type stands alone, which means all objects of it in scope.
    pub name: Option<String>,
}
