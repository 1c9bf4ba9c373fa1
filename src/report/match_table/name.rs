//! The volumes that may be chosen, as kubectl names them.

use super::document::MatchTable;
use crate::text::sanitize;

/// A line for each.
pub(super) fn names(answer: &MatchTable<'_>) -> String {
    let lines: Vec<String> =
        answer.chosen.iter().map(|name| format!("persistentvolume/{}\n", sanitize(name))).collect();
    lines.concat()
}
