//! Tests of `pvctl_core::controllers::scheduler::orders`.

use pvctl_core::controllers::scheduler::orders::*;

#[test]
fn orders_that_contradict_each_other_do_not_exist() {
    let mut order = Order::default();
    assert!(order.begin(&["a", "b", "c"]));
    assert!(order.begin(&["b", "d"]));
    assert!(!order.clone().begin(&["d", "a"]));
    let mut other = Order::default();
    assert!(other.begin(&["d", "c"]) && order.join(&other));
    assert!(!order.begin(&["c", "a"]));
}
