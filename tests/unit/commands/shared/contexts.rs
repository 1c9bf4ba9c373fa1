//! Tests of `pvctl::commands::shared::contexts`.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use pvctl::commands::shared::contexts::chosen;

fn strings(names: &[&str]) -> Vec<String> {
    names.iter().map(ToString::to_string).collect()
}

#[test]
fn contexts_are_asked_once_each_and_in_the_order_given() {
    let known = || strings(&["prod", "dev", "stage"]);
    assert_eq!(chosen(&strings(&["stage", "dev", "stage"]), known()).unwrap(), ["stage", "dev"]);
    assert_eq!(chosen(&strings(&["all"]), known()).unwrap(), ["dev", "prod", "stage"]);
    let error = chosen(&strings(&["dev", "prdo"]), known()).unwrap_err();
    assert_eq!(
        error.to_string(),
        "error: --contexts: context \"prdo\" does not exist\nhint: the kubeconfig has prod, dev, stage"
    );
    assert!(chosen(&strings(&["all"]), Vec::new()).is_err());
    assert_eq!(chosen(&strings(&["all"]), strings(&["", "dev"])).unwrap(), ["dev"]);
    // If other contexts are given as well, `all` is the name of a context.
    assert_eq!(chosen(&strings(&["all", "dev"]), strings(&["all", "dev"])).unwrap(), ["all", "dev"]);
}
