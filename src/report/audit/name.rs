//! The objects with findings, named as kubectl names them.

use super::listing::{Audited, open};
use crate::text::sanitize;
use std::collections::BTreeSet;

/// Prints one line for each object.
pub(super) fn names(audited: &Audited<'_>) -> String {
    let objects: BTreeSet<_> = open(audited.shown).map(|finding| &finding.object).collect();
    let line = |kind: &str, name: &str| format!("{}\n", sanitize(&format!("{}/{name}", kind.to_ascii_lowercase())));
    objects.into_iter().map(|object| line(object.kind.as_str(), &object.name)).collect()
}
