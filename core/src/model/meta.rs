//! The metadata of objects, and times.

use super::{Annotations, Labels, Str};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::sync::Arc;

/// `metadata` of an object, with the fields that some answer reads.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ObjectMeta {
    /// `metadata.name`.
    pub name: Str,
    /// `metadata.namespace`. It is empty for kinds without namespaces.
    pub namespace: Str,
    /// `metadata.uid`. It is empty for an object that was never on an API server.
    pub uid: Str,
    /// `metadata.resourceVersion`.
    pub resource_version: ResourceVersion,
    /// `metadata.creationTimestamp`.
    pub created: Option<Timestamp>,
    /// `metadata.deletionTimestamp`: set while the object is being deleted.
    pub deleted: Option<Timestamp>,
    /// `metadata.deletionGracePeriodSeconds`.
    pub deletion_grace_seconds: Option<i64>,
    /// `metadata.annotations`: the known keys, and the number of all other annotations.
    pub annotations: Annotations,
    /// `metadata.labels`.
    pub labels: Labels,
    /// `metadata.finalizers`, in the stored order.
    pub finalizers: Arc<[Str]>,
    /// The `uid` of the owner with `controller: true`, if there is one.
    pub controller_owner: Option<Str>,
}

impl ObjectMeta {
    /// Returns whether the finalizer is in the list.
    pub fn has_finalizer(&self, finalizer: &str) -> bool {
        self.finalizers.iter().any(|present| present == finalizer)
    }
}

/// The resource version of an object. After a simulated write, the version of the object is unknown.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum ResourceVersion {
    /// The version as it was read from the input. It is empty for an object that was never on an API server.
    Recorded(Str),
    /// The version after the n-th simulated write of this object, with n counted from 1. It is printed as `<next>`.
    Next(u32),
}

impl ResourceVersion {
    /// Returns the version after one more write.
    #[must_use]
    pub fn successor(&self) -> Self {
        match self {
            Self::Recorded(_) => Self::Next(1),
            Self::Next(writes) => Self::Next(writes.saturating_add(1)),
        }
    }
}

impl Default for ResourceVersion {
    fn default() -> Self {
        Self::Recorded(Str::default())
    }
}

impl fmt::Display for ResourceVersion {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Recorded(version) => out.write_str(version),
            Self::Next(_) => out.write_str("<next>"),
        }
    }
}

/// A time as Kubernetes stores it: whole seconds since 1970-01-01T00:00:00Z.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Timestamp(pub i64);

impl From<Timestamp> for String {
    fn from(moment: Timestamp) -> Self {
        moment.to_string()
    }
}

impl TryFrom<String> for Timestamp {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        Self::parse(&text).ok_or_else(|| format!("{text} is not a time such as 2026-06-01T10:00:00Z"))
    }
}

impl Timestamp {
    /// Parses an RFC 3339 time such as `2026-06-01T10:00:00Z`. Fractions of a second are dropped.
    pub fn parse(text: &str) -> Option<Self> {
        text.parse::<jiff::Timestamp>().ok().map(|moment| Self(moment.as_second()))
    }

    /// Returns the whole seconds from `earlier` to this time. The value is negative if this time is earlier.
    pub fn seconds_since(self, earlier: Self) -> i64 {
        self.0.saturating_sub(earlier.0)
    }
}

impl fmt::Display for Timestamp {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match jiff::Timestamp::from_second(self.0) {
            Ok(moment) => write!(out, "{moment}"),
            Err(_) => write!(out, "{}s", self.0),
        }
    }
}
