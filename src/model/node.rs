//! Nodes.

use super::ObjectMeta;

/// A Node as stored: decisions read its name and labels.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Node {
    /// `metadata`.
    pub meta: ObjectMeta,
}
