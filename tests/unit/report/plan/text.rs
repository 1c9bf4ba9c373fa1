//! Tests of `pvctl::report::plan::text`.

use pvctl::error::ErrorKind;
use pvctl::repair::{Harm, Interleaving, Refusal};
use pvctl::report::plan::refused;
use pvctl::report::plan::text::{fields, merge};
use serde_json::json;

#[test]
fn a_refusal_says_which_guard_and_move_by_move_how_something_is_lost() {
    let refusal = Refusal::new("adversary", "the plan could go wrong").hint("keep the data first");
    let moves = vec!["step 1: delete pvc/data".to_owned(), "the data of volume disk are deleted".to_owned()];
    let way = Interleaving { volume: "disk".into(), harm: Harm::DataDeleted, moves };
    let error = refused(&refusal, Some(&way));
    assert_eq!(error.kind(), ErrorKind::Refused);
    assert_eq!(
        error.to_string(),
        "error: the plan could go wrong\n  because: 1. step 1: delete pvc/data\n  \
         because: 2. the data of volume disk are deleted\nhint: keep the data first"
    );
    let kind = |by: &'static str| refused(&Refusal::new(by, "no"), None).kind();
    assert_eq!(kind("missing"), ErrorKind::Usage);
    assert_eq!(kind("unknown"), ErrorKind::Unreadable);
    assert_eq!(kind("unused"), ErrorKind::Refused);
}

#[test]
fn a_merge_patch_takes_away_what_is_null() {
    let mut object = json!({"spec": {"claimRef": {"name": "a", "uid": "u"}, "mode": "x"}});
    merge(&mut object, json!({"spec": {"claimRef": {"name": "b", "uid": null}}, "metadata": {"labels": {"k": "v"}}}));
    assert_eq!(object, json!({"spec": {"claimRef": {"name": "b"}, "mode": "x"}, "metadata": {"labels": {"k": "v"}}}));
    merge(&mut object, json!({"spec": {"claimRef": null}}));
    assert_eq!(object["spec"], json!({"mode": "x"}));
}

#[test]
fn fields_have_the_paths_that_people_type() {
    let found = fields(&json!({"metadata": {"annotations": {"a.b/c": "d"}}, "spec": {"modes": ["RWO"], "no": null}}));
    let found: Vec<(&str, &str)> = found.iter().map(|(path, value)| (path.as_str(), value.as_str())).collect();
    assert_eq!(found, [("metadata.annotations[a.b/c]", "d"), ("spec.modes", "[\"RWO\"]")]);
}
