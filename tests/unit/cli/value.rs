//! Tests of `pvctl::cli::value`.

use clap::error::ErrorKind;
use pvctl::cli::{Cli, KindScope, PredictArgs, UserExtra, Verb, parse, parse_reference};
use pvctl::model::Kind;
use pvctl::simulate::Limit;

/// Returns the flags of `predict` after parsing, or `None` if a value is refused.
fn predict(flags: &str) -> Option<(Cli, PredictArgs)> {
    match parse(["kubectl-pvctl", "predict"].into_iter().chain(flags.split(' ')).map(Into::into).collect()) {
        Ok(cli) => match cli.verb.clone() {
            Some(Verb::Predict(args)) => Some((cli, args)),
            other => panic!("{flags} must be parsed as predict, not as {other:?}"),
        },
        Err(error) if error.kind() == ErrorKind::ValueValidation => None,
        Err(error) => panic!("{flags}: {error}"),
    }
}

fn scope(word: &str) -> Option<KindScope> {
    let (_, args) = predict(&format!("-f dump.json --assume-complete={word}"))?;
    args.source.assume_complete?.pop()
}

#[test]
fn kinds_are_taken_in_every_form_of_kubectl() {
    for word in ["pvc", "PVC", "persistentvolumeclaim", "PersistentVolumeClaims", "pvc.v1.", "pvc."] {
        let found = parse_reference(&format!("{word}/db/data"));
        assert_eq!(found.map(|key| key.kind), Ok(Kind::PersistentVolumeClaim), "{word}");
    }
    for word in ["sc", "storageclasses.storage.k8s.io", "StorageClass.v1.storage.k8s.io"] {
        assert_eq!(parse_reference(&format!("{word}/fast")).map(|key| key.kind), Ok(Kind::StorageClass), "{word}");
    }
}

#[test]
fn a_kind_of_another_group_is_another_kind() {
    for word in ["nodes.longhorn.io", "pvc.storage.k8s.io", "deployment", ""] {
        for object in ["data", "db/data"] {
            let error = parse_reference(&format!("{word}/{object}")).unwrap_err();
            assert!(error.starts_with(&format!("the type '{word}' is not known here")), "{error}");
        }
    }
}

#[test]
fn references_have_a_namespace_exactly_when_the_kind_has() {
    assert_eq!(parse_reference("pvc/db/data-0").map(|key| key.to_string()), Ok("pvc/data-0 -n db".to_owned()));
    assert_eq!(parse_reference("pv/data").map(|key| key.to_string()), Ok("pv/data".to_owned()));
    for word in ["pvc/data-0", "pv/db/data", "pvc//x", "pv/", "pv", "pvc/a/b/c"] {
        assert!(parse_reference(word).is_err(), "{word}");
    }
}

#[test]
fn scopes_have_a_namespace_only_if_the_kind_has() {
    assert!(scope("pvc/db").is_some());
    assert!(scope("pv").is_some());
    assert!(scope("pv/db").is_none());
    assert!(scope("pvc/").is_none());
    assert_eq!(scope("csinodes").map(|scope| scope.kind), Some(Kind::CsiNode));
    assert!(scope("volumeattachments.storage.k8s.io").is_some());
    assert!(scope("events.storage.k8s.io").is_none());
}

#[test]
fn limits_and_gates() {
    let outcomes = |limit: &str| predict(&format!("--outcomes={limit}")).map(|(_, args)| args.model.outcomes);
    assert_eq!(outcomes("all"), Some(Limit::All));
    assert_eq!(outcomes("-1"), None);
    assert_eq!(outcomes("0"), None);
    assert!(predict("--feature-gates=A=yes").is_none());
    assert!(predict("--feature-gates==true").is_none());
    let extra =
        |extra: &str| predict(&format!("--as-user-extra={extra}")).map(|(cli, _)| cli.global.cluster.as_user_extra);
    assert_eq!(extra("scopes"), None);
    assert_eq!(extra("=view"), None);
    assert_eq!(extra("a=b=c"), Some(vec![UserExtra { key: "a".to_owned(), value: "b=c".to_owned() }]));
}
