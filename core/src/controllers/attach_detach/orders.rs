//! Orders that are not fixed, because upstream takes the entries from a map.

use crate::world::Choices;

/// Puts the entries in one of the orders that can differ: those of entries that are related, directly or through
/// others. All other entries keep their order.
pub(super) fn pick<T>(mut entries: Vec<T>, related: impl Fn(&T, &T) -> bool, choices: &mut Choices) -> Vec<T> {
    let mut ordered = Vec::with_capacity(entries.len());
    while !entries.is_empty() {
        let mut group = vec![0];
        let mut at = 0;
        while let Some(&one) = group.get(at) {
            let is_new = |other: &usize| !group.contains(other) && related(&entries[one], &entries[*other]);
            let new: Vec<usize> = (0..entries.len()).filter(is_new).collect();
            group.extend(new);
            at += 1;
        }
        group.sort_unstable();
        let picked = group[choices.pick(group.len()).min(group.len() - 1)];
        ordered.push(entries.remove(picked));
    }
    ordered
}
