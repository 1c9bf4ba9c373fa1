//! Selectors.
/// A label selector.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LabelSelector {}
/// A node selector.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NodeSelector {}
/// Why a selector cannot be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SelectorError(pub String);
