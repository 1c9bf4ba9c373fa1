//! Orders that are not fixed, because upstream takes the entries from a map.

use crate::world::Choices;
use std::collections::BTreeMap;

/// Puts the entries in one of the orders that can differ: those of entries that have a common key, directly or through
/// others. All other entries keep their order.
pub(super) fn pick<T, K: Ord>(entries: Vec<T>, keys: impl Fn(&T) -> Vec<K>, choices: &mut Choices) -> Vec<T> {
    let keys: Vec<Vec<K>> = entries.iter().map(keys).collect();
    let mut with: BTreeMap<&K, Vec<usize>> = BTreeMap::new();
    for (at, keys) in keys.iter().enumerate() {
        for key in keys {
            with.entry(key).or_default().push(at);
        }
    }
    let mut left: Vec<Option<T>> = entries.into_iter().map(Some).collect();
    let mut ordered = Vec::with_capacity(left.len());
    let mut seen = vec![false; left.len()];
    for first in 0..left.len() {
        if seen[first] {
            continue;
        }
        seen[first] = true;
        let (mut group, mut at) = (vec![first], 0);
        while let Some(one) = group.get(at).copied() {
            at += 1;
            for key in &keys[one] {
                // All entries with this key join the group now, so nobody has to look at the key again.
                for other in with.remove(key).unwrap_or_default() {
                    if !std::mem::replace(&mut seen[other], true) {
                        group.push(other);
                    }
                }
            }
        }
        group.sort_unstable();
        while !group.is_empty() {
            let picked = group.remove(choices.pick(group.len()));
            ordered.extend(left[picked].take());
        }
    }
    ordered
}
