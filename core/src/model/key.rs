//! The names of objects.

use super::{Kind, ObjectMeta, Str};
use serde::{Deserialize, Serialize};
use std::fmt;

/// The namespace and name of a claim: `db/data-0`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ClaimKey {
    /// The namespace.
    pub namespace: Str,
    /// The name in the namespace.
    pub name: Str,
}

impl fmt::Display for ClaimKey {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}/{}", self.namespace, self.name)
    }
}

/// The identification of one object: its kind, its namespace if it has one, and its name. The order is that of all
/// listings.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ObjectKey {
    /// The kind.
    pub kind: Kind,
    /// The namespace. It is empty for kinds without namespaces.
    #[serde(default, skip_serializing_if = "Str::is_empty")]
    pub namespace: Str,
    /// The name.
    pub name: Str,
}

impl ObjectKey {
    /// Returns the key of the object of this kind with this metadata.
    pub fn of(kind: Kind, meta: &ObjectMeta) -> Self {
        Self { kind, namespace: meta.namespace.clone(), name: meta.name.clone() }
    }
}

impl fmt::Display for ObjectKey {
    /// Writes the key as people type it: `pv/data`, `pvc/data-0 -n db`.
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}/{}", self.kind.short(), self.name)?;
        if self.namespace.is_empty() { Ok(()) } else { write!(out, " -n {}", self.namespace) }
    }
}

/// An argument of a command: one named object, or all objects of a kind.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ObjectArgument {
    /// The kind.
    pub kind: Kind,
    /// The name. `None` means all objects of this kind in scope.
    pub name: Option<String>,
}
