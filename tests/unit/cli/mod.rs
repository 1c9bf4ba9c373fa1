//! Tests of `pvctl::cli`.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

mod line;
mod object;
mod request;
mod value;

use pvctl::cli::{Cli, KindScope, Verb, command, parse, shown_name};
use pvctl::controllers::KubeVersion;
use pvctl::model::Kind;
use pvctl::report::prediction::PredictionFormat;
use pvctl::simulate::Limit;
use std::ffi::OsStr;

fn parsed(line: &str) -> Cli {
    parse(line.split(' ').map(Into::into).collect()).unwrap()
}

fn refused(line: &str) -> String {
    match parse(line.split(' ').map(Into::into).collect()) {
        Ok(cli) => panic!("`{line}` was accepted as {cli:?}"),
        Err(error) => error.to_string(),
    }
}

#[test]
fn the_definitions_are_consistent() {
    command().debug_assert();
}

#[test]
fn the_flags_of_kubectl_go_in_any_position() {
    for line in [
        "kubectl-pvctl -n db --context prod predict pvc/a",
        "kubectl-pvctl predict -n db pvc/a --context prod",
        "kubectl-pvctl predict pvc/a --context=prod --namespace=db",
    ] {
        let cli = parsed(line);
        assert_eq!(cli.global.scope.namespace.as_deref(), Some("db"), "{line}");
        assert_eq!(cli.global.cluster.context.as_deref(), Some("prod"), "{line}");
    }
}

#[test]
fn flags_may_be_repeated_on_both_sides_of_the_verb() {
    for line in [
        "kubectl-pvctl -n db --as-group ops predict -n web --as-group=dev pvc/a",
        "kubectl-pvctl -n db --as-group ops -n web predict --as-group dev pvc/a",
        "kubectl-pvctl predict -n db --as-group ops pvc/a --as-group dev -n web",
        "kubectl-pvctl -n db --as-group ops --as-group dev -n web predict pvc/a",
    ] {
        let cli = parsed(line);
        assert_eq!(cli.global.scope.namespace.as_deref(), Some("web"), "{line}");
        assert_eq!(cli.global.cluster.as_group, ["ops", "dev"], "{line}");
        let Some(Verb::Predict(args)) = cli.verb else { panic!("the verb must be predict") };
        assert_eq!(args.objects, ["pvc/a"], "{line}");
    }
    assert!(refused("kubectl-pvctl --no-such-flag predict").contains("--no-such-flag"));
    assert!(refused("kubectl-pvctl -n db predcit").contains("'predict'"));
    assert!(refused("kubectl-pvctl -n db --help predict").contains("EXIT CODES"));
    assert!(refused("kubectl-pvctl -n db --version").contains(env!("CARGO_PKG_VERSION")));
    assert!(parsed("kubectl-pvctl -n db").verb.is_none());
}

#[test]
fn the_values_of_predict_are_parsed() {
    let cli = parsed(
        "kubectl-pvctl predict -f a.json -f - -R --assume-complete=pvc/db,pv --partial pods --now \
         2026-06-01T10:00:00Z --kube-version 1.30 --feature-gates A=true,B=false --controller-flag x=y \
         --controllers *,-persistentvolume-protection-controller --unseen pvc/db/data-0 --decisions all \
         --outcomes 3 --budget 0 -o wide -A -l app=db -v 6",
    );
    let Some(Verb::Predict(args)) = cli.verb else { panic!("the verb must be predict") };
    assert_eq!(args.source.filenames.len(), 2);
    assert_eq!(
        args.source.assume_complete.unwrap(),
        [
            KindScope { kind: Kind::PersistentVolumeClaim, namespace: Some("db".into()) },
            KindScope { kind: Kind::PersistentVolume, namespace: None }
        ]
    );
    assert_eq!(args.source.now.unwrap().0, 1_780_308_000);
    assert_eq!(args.model.kubernetes.kube_version, KubeVersion::parse("1.30"));
    assert!(args.model.kubernetes.feature_gates[0].enabled && !args.model.kubernetes.feature_gates[1].enabled);
    assert_eq!(args.model.controllers, ["*", "-persistentvolume-protection-controller"]);
    assert_eq!(args.model.unseen[0].to_string(), "pvc/data-0 -n db");
    assert_eq!((args.model.decisions, args.model.outcomes), (Limit::All, Limit::AtMost(3)));
    assert_eq!(args.output, PredictionFormat::Wide);
    assert_eq!(cli.global.verbosity, 6);
}

#[test]
fn complete_without_kinds_means_all_and_takes_no_object() {
    let cli = parsed("kubectl-pvctl predict -f a.json --assume-complete pvc/a");
    let Some(Verb::Predict(args)) = cli.verb else { panic!("the verb must be predict") };
    assert_eq!(args.source.assume_complete, Some(Vec::new()));
    assert_eq!(args.objects, ["pvc/a"]);
}

#[test]
fn formats_that_do_not_exist_name_those_that_do() {
    let message = refused("kubectl-pvctl predict -o jsonpath={.items}");
    assert!(message.contains("-o json"), "{message}");
    assert!(message.contains("jq"), "{message}");
    let message = refused("kubectl-pvctl explain pvc/a -o table");
    assert!(message.contains("text, wide, json, yaml"), "{message}");
}

#[test]
fn versions_that_are_not_modelled_are_refused() {
    let message = refused("kubectl-pvctl predict --kube-version 1.20");
    assert!(message.contains("1.14, 1.28"), "{message}");
}

#[test]
fn match_takes_one_of_claim_and_object() {
    refused("kubectl-pvctl match");
    refused("kubectl-pvctl match pvc/a --claim b.yaml");
    parsed("kubectl-pvctl match --claim b.yaml");
}

#[test]
fn a_token_is_not_shown_by_debug_output() {
    let cli = parsed("kubectl-pvctl version --token s3cr3t");
    assert!(!format!("{cli:?}").contains("s3cr3t"));
    assert_eq!(cli.global.cluster.token.unwrap().expose(), "s3cr3t");
}

#[test]
fn usage_shows_the_name_by_which_it_was_called() {
    let shown = |program: &str| shown_name(Some(OsStr::new(program)));
    assert_eq!(shown("/usr/bin/kubectl-pvctl"), "kubectl pvctl");
    assert_eq!(shown("kubectl-pvctl.exe"), "kubectl pvctl");
    assert_eq!(shown("./pvctl"), "pvctl");
    assert_eq!(shown_name(None), "kubectl pvctl");
}
