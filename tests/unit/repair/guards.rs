//! Tests of `pvctl::repair::guards`.

use pvctl::model::surroundings::{ClaimTemplate, StatefulSet};
use pvctl::repair::guards::set_that_makes;

#[test]
fn a_set_makes_the_claims_of_its_ordinals() {
    let mut set = StatefulSet { replicas: 2, first_ordinal: 1, ..StatefulSet::default() };
    (set.meta.namespace, set.meta.name) = ("db".into(), "web".into());
    set.templates = [ClaimTemplate { name: "data".into(), ..ClaimTemplate::default() }].into();
    let makes = |namespace: &str, name: &str| set_that_makes(std::slice::from_ref(&set), namespace, name).is_some();
    assert!(makes("db", "data-web-1") && makes("db", "data-web-2"));
    for name in ["data-web-0", "data-web-3", "data-web-", "data-web-x", "data-web", "log-web-1"] {
        assert!(!makes("db", name), "{name}");
    }
    assert!(!makes("shop", "data-web-1"));
    let idle = StatefulSet { replicas: 0, ..set.clone() };
    assert!(set_that_makes(&[idle], "db", "data-web-1").is_none());
}
