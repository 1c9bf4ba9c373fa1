//! The volumes that may be chosen, named as kubectl names them.

use super::document::MatchTable;
use crate::text::sanitize;

/// Prints one line for each volume.
pub(super) fn names(answer: &MatchTable<'_>) -> String {
    let lines: Vec<String> =
        answer.names().into_iter().map(|name| format!("persistentvolume/{}\n", sanitize(name))).collect();
    lines.concat()
}
