//! Tests of `pvctl::commands::shared::complete`.

#![expect(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    clippy::unwrap_used,
    reason = "a slow cluster needs a clock, paths need files, and a test fails by panicking"
)]

use pvctl::commands::shared::complete::{Names, Question, Wanted, answer, requested};
use pvctl::diagnosis::rules;
use pvctl::model::Kind;
use std::time::{Duration, Instant};

const CLUSTER: Names = |question: &Question| match (question.wanted, question.namespace.as_deref()) {
    (Wanted::Objects(Kind::PersistentVolumeClaim), Some("db")) => vec!["data-0".into(), "data-1".into()],
    (Wanted::Objects(Kind::PersistentVolumeClaim), _) => vec!["web".into()],
    (Wanted::Objects(Kind::PersistentVolume), _) => vec!["pv-1".into(), "pv\u{1b}[2J".into()],
    (Wanted::Objects(Kind::StorageClass), _) => vec!["fast".into(), "slow".into()],
    (Wanted::Namespaces, _) => vec!["db".into(), "default".into()],
    (Wanted::Contexts, _) => question.cluster.kubeconfig.iter().map(|path| path.display().to_string()).collect(),
    _ => Vec::new(),
};

fn completed(words: &[&str]) -> Vec<String> {
    let words: Vec<_> = words.iter().map(Into::into).collect();
    answer(&words, CLUSTER, None).lines().map(str::to_owned).collect()
}

#[test]
fn only_the_first_word_asks_for_completion() {
    let words = |words: &[&str]| words.iter().map(Into::into).collect::<Vec<_>>();
    assert_eq!(requested(&words(&["kubectl-pvctl", "__complete", ""])), Some(&words(&[""])[..]));
    assert_eq!(requested(&words(&["kubectl-pvctl", "predict", "__complete"])), None);
    assert_eq!(requested(&words(&["kubectl-pvctl"])), None);
}

#[test]
fn verbs_come_with_their_descriptions() {
    assert_eq!(completed(&["exp"]), ["explain\tExplain why an object has its state, and what to do", ":4"]);
    assert!(completed(&[]).iter().any(|line| line.starts_with("predict\t")));
}

#[test]
fn flags_and_their_values_are_completed() {
    assert!(completed(&["predict", "--kube"]).iter().any(|line| line.starts_with("--kube-version")));
    assert_eq!(completed(&["predict", "-o", "y"]), ["yaml", ":4"]);
    assert_eq!(completed(&["audit", "-o", "table", "-o", "sa"]), ["sarif", ":4"]);
    assert_eq!(completed(&["audit", "-o", "sarif=Cargo.to"]), ["sarif=Cargo.toml", ":4"]);
    assert_eq!(completed(&["completion", "nu"])[0].split('\t').next(), Some("nushell"));
    assert!(
        !completed(&["predict", "--b"]).iter().any(|line| line.starts_with("--budget")),
        "a hidden flag must not be offered"
    );
}

#[test]
fn flags_wait_for_a_hyphen() {
    for words in [&["predict", ""][..], &["audit", "-A", ""], &["fix", "--yes", "p"], &[""]] {
        assert!(!completed(words).iter().any(|line| line.starts_with('-')), "{words:?}");
    }
    for (words, flag) in [(&["predict", "-"][..], "-n\t"), (&["predict", "--"], "--namespace\t"), (&["-"], "-n\t")] {
        assert!(completed(words).iter().any(|line| line.starts_with(flag)), "{words:?}");
    }
}

/// `kubectl help VERB` completes the verb and nothing after it.
#[test]
fn help_is_followed_by_a_verb() {
    assert_eq!(completed(&["help", "exp"]), completed(&["exp"]));
    assert_eq!(completed(&["help", "explain", ""]), [":4"]);
}

#[test]
fn rules_are_completed_with_their_titles() {
    let lost = "lost-pv-missing\t";
    for words in [
        &["rules", "lost-pv-m"][..],
        &["audit", "--rules", "lost-pv-m"],
        &["audit", "--skip-rules", "lost-pv-m"],
        &["audit", "--fail-on", "lost-pv-m"],
        &["fix", "--only", "lost-pv-m"],
    ] {
        let found = completed(words);
        assert!(found.len() == 2 && found[0].starts_with(lost), "{words:?}: {found:?}");
    }
    let listed = completed(&["audit", "--rules", "pv-recycle-failed,lost-pv-m"]);
    assert!(listed[0].starts_with("pv-recycle-failed,lost-pv-missing"), "{listed:?}");
    assert_eq!(completed(&["rules", ""]).len(), rules::all().len() + 1);
}

#[test]
fn severities_come_before_the_rules() {
    assert_eq!(completed(&["audit", "--fail-on", ""])[..4], ["error", "warning", "info", "unknown"]);
    assert_eq!(completed(&["audit", "--fail-on", "unknown,w"]), ["unknown,warning", ":4"]);
}

/// The columns are those of the table that the earlier flags choose.
#[test]
fn columns_are_completed() {
    assert_eq!(completed(&["predict", "--sort-by", "NAM"]), ["NAMESPACE", "NAME", ":4"]);
    assert_eq!(completed(&["audit", "--sort-by", "ag"]), ["age", ":4"]);
    assert_eq!(completed(&["predict", "--sort-by", "COMP"]), [":4"]);
    assert_eq!(completed(&["predict", "-o", "wide", "--sort-by", "COMP"]), ["COMPONENT", ":4"]);
    assert_eq!(completed(&["audit", "--sort-by", "CAU"]), [":4"]);
    assert_eq!(completed(&["audit", "--all", "--sort-by", "CAU"]), ["CAUSE", ":4"]);
    assert_eq!(completed(&["match", "-o", "wide", "--sort-by", "VOLUMEM"]), ["VOLUMEMODE", ":4"]);
}

#[test]
fn settings_have_keys_and_then_values() {
    let set = |value: &str| completed(&["recreate", "pvc/data", "--set", value]);
    assert_eq!(set("volume"), ["volumeMode=", "volumeName=", ":6"]);
    assert_eq!(set("class="), ["class=fast", "class=slow", ":4"]);
    assert_eq!(set("storageClassName=f"), ["storageClassName=fast", ":4"]);
    assert_eq!(set("volumeName=pv-"), ["volumeName=pv-1", ":4"]);
    assert_eq!(set("modes=RWO,ReadOnly"), ["modes=RWO,ReadOnlyMany", ":4"]);
    assert_eq!(set("volumeMode="), ["volumeMode=Filesystem", "volumeMode=Block", ":4"]);
    assert_eq!(set("selector="), ["selector=none", ":4"]);
    assert_eq!(set("size="), [":4"]);
}

#[test]
fn paths_are_completed_in_the_working_directory() {
    let directory = tempfile::tempdir().unwrap();
    for name in ["dump.json", ".pvctl.yaml", "-odd"] {
        std::fs::write(directory.path().join(name), "").unwrap();
    }
    std::fs::create_dir(directory.path().join("dumps")).unwrap();
    let completed = |words: &[&str]| {
        let words: Vec<_> = words.iter().map(Into::into).collect();
        answer(&words, CLUSTER, Some(directory.path()))
    };
    assert_eq!(completed(&["predict", "-f", "du"]), "dump.json\ndumps/\n:4\n");
    assert_eq!(completed(&["apply", "du"]), "dump.json\ndumps/\n:4\n");
    assert_eq!(completed(&["apply", "dumps"]), "dumps/\n:6\n");
    assert_eq!(completed(&["audit", "--suppressions", ".pv"]), ".pvctl.yaml\n:4\n");
    assert_eq!(completed(&["audit", "--baseline", ""]), "dump.json\ndumps/\n:4\n");
}

#[test]
fn types_come_first_and_wait_for_a_name() {
    assert_eq!(completed(&["match", "p"]), ["pvc/\tPersistentVolumeClaim", ":6"]);
    assert_eq!(completed(&["predict", "p"]), ["pvc/\tPersistentVolumeClaim", "pv/\tPersistentVolume", ":6"]);
}

#[test]
fn names_come_from_the_cluster_that_the_flags_mean() {
    assert_eq!(completed(&["explain", "-n", "db", "pvc/"]), ["pvc/data-0", "pvc/data-1", ":4"]);
    assert_eq!(completed(&["explain", "pvc", "-n", "db", "data-1"]), ["data-1", ":4"]);
    assert_eq!(completed(&["-n", "db", "explain", "PVC/d"]), ["PVC/data-0", "PVC/data-1", ":4"]);
    assert_eq!(completed(&["explain", "pvc/"]), ["pvc/web", ":4"]);
    assert_eq!(completed(&["predict", "-n", "de"]), ["default", ":4"]);
    assert_eq!(completed(&["predict", "--kubeconfig", "other", "--context", ""]), ["other", ":4"]);
    assert_eq!(completed(&["predict", "--kubeconfig", "other", "--contexts", ""]), ["other", "all", ":4"]);
    assert_eq!(completed(&["predict", "--kubeconfig", "other", "--contexts", "x,o"]), ["x,other", ":4"]);
}

#[test]
fn a_name_that_a_terminal_would_act_on_is_not_offered() {
    assert_eq!(completed(&["explain", "pv/"]), ["pv/pv-1", ":4"]);
}

#[test]
fn with_files_no_cluster_is_asked() {
    assert_eq!(completed(&["explain", "-f", "dump.json", "pvc/"]), [":4"]);
}

#[test]
fn nonsense_completes_to_nothing() {
    assert_eq!(completed(&["no-such-verb", "--", "x"]), [":4"]);
    assert_eq!(completed(&["explain", "deployment/"]), [":4"]);
}

#[test]
fn a_cluster_that_does_not_answer_is_given_up() {
    let slow: Names = |_| {
        std::thread::sleep(Duration::from_secs(20));
        vec!["late".to_owned()]
    };
    let before = Instant::now();
    assert_eq!(answer(&["explain".into(), "pvc/".into()], slow, None), ":4\n");
    assert!(before.elapsed() < Duration::from_secs(10));
}
