//! Tests of `pvctl::diagnosis::graph`.

use pvctl::diagnosis::graph::root_of;

#[test]
fn the_root_has_no_parent_or_is_the_worst_of_a_cycle() {
    let up = |at: usize| [Some(1), Some(2), None, Some(4), Some(5), Some(4), Some(6)][at];
    let worst_is_least = |at: usize| at;
    assert_eq!([0, 1, 2].map(|start| root_of(start, up, worst_is_least)), [2, 2, 2]);
    assert_eq!([3, 4, 5].map(|start| root_of(start, up, worst_is_least)), [4, 4, 4]);
    assert_eq!(root_of(5, up, |at| usize::MAX - at), 5);
    assert_eq!(root_of(6, up, worst_is_least), 6);
}
