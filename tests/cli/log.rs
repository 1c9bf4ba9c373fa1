//! `explain --log`: what the lines of a log mean.
#![expect(clippy::expect_used, reason = "tests fail by panicking")]

use crate::files::hostile::assert_harmless;
use crate::project::schema::{assert_valid, validator};
use crate::support::{Run, root, text};
use serde_json::Value;

const EXAMPLE: &str = "examples/kube-controller-manager.log";

fn explain(arguments: &[&str], input: &str) -> crate::support::Finished {
    let all = [&["explain", "--log", "-"], arguments].concat();
    Run::new(&all).stdin(input.as_bytes()).env("KUBECONFIG", "/nowhere").current_dir(root()).finish()
}

/// Each line of the example is found or counted, and the claim of the example waits for its provisioner.
#[test]
fn each_line_is_found_or_counted() {
    let log = text(EXAMPLE);
    let run = explain(&["-o", "json"], &log);
    assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""), "{}", run.stdout);
    let document: Value = serde_json::from_str(&run.stdout).expect("JSON");
    assert_valid(&validator("LogReading"), &document, EXAMPLE);
    let (found, unknown) = (document["counts"]["found"].as_u64(), document["counts"]["unknown"].as_u64());
    assert_eq!(found.unwrap_or_default() + unknown.unwrap_or_default(), log.lines().count() as u64);
    assert_eq!(unknown, Some(1));
    assert_eq!(document["unknown"][0]["file"], "graph_builder.go");
    let syncs = document["syncs"].as_array().expect("syncs");
    let uploads = syncs.iter().find(|sync| sync["object"]["name"] == "uploads").expect("the claim");
    assert_eq!(uploads["ends"][0]["id"], "C12");
    assert_eq!(uploads["ends"][1], Value::Null);
}

/// The log of a kubelet has the leaves of its volume manager. The text has no placeholders of messages.
#[test]
fn the_lines_of_a_kubelet_are_found() {
    let log = text("examples/kubelet.log");
    let run = explain(&["-o", "json"], &log);
    let document: Value = serde_json::from_str(&run.stdout).expect("JSON");
    assert_eq!(document["counts"]["unknown"], 1);
    assert_eq!(document["unknown"][0]["file"], "kubelet.go");
    let lines = document["syncs"][0]["lines"].as_array().expect("lines");
    let line = |number: u64| lines.iter().find(|line| line["line"] == number).expect("a line");
    assert_eq!(lines.len() + 1, log.lines().count());
    assert_eq!(line(14)["steps"][0]["id"], "KM8");
    assert_eq!(line(14)["object"]["name"], line(4)["others"][0]["name"]);
    assert_eq!(line(18)["steps"][0]["id"], "KM14");
    let shown = explain(&[], &log).stdout;
    assert!(shown.contains("Starting operationExecutor.MountVolume ["), "{shown}");
    assert!(shown.contains("No retries permitted until … (durationBeforeRetry …). Error: MountVolume.SetUp failed ["));
    assert!(!shown.contains("{}") && !shown.contains("{specName}"), "{shown}");
}

/// Only the syncs of the named objects are shown, and the others are counted.
#[test]
fn only_the_syncs_of_the_named_objects_are_shown() {
    let run = explain(&["pvc/uploads", "-n", "media", "-o", "json"], &text(EXAMPLE));
    let document: Value = serde_json::from_str(&run.stdout).expect("JSON");
    let objects: Vec<&Value> = document["syncs"].as_array().into_iter().flatten().map(|sync| &sync["object"]).collect();
    assert!(!objects.is_empty());
    assert!(objects.iter().all(|object| object["name"] == "uploads"), "{objects:?}");
    assert_ne!(document["counts"]["other"], 0);
    let none = explain(&["pvc/uploads", "-n", "elsewhere"], &text(EXAMPLE));
    assert!(none.stdout.starts_with("No line is shown."), "{}", none.stdout);
}

/// The log has secrets and control characters in every place. None of them reaches the terminal.
#[test]
fn nothing_of_a_log_harms_the_terminal() {
    let evil = "\u{1b}[31mevil\u{202e}";
    let log = format!(
        "I1128 03:09:15.1 1 pv_controller_base.go:602] \"syncClaimByKey\" claimKey=\"db/{evil}\" x=\"s3cret-parameter\"\n\
         I1128 03:09:15.1 1 {evil}.go:602] \"s3cret-parameter\"\ns3cret-parameter {evil}\n\
         {{\"msg\":\"Claim entered phase\",\"PVC\":\"db/{evil}\",\"phase\":\"s3cret-parameter\",\"ts\":\"{evil}\"}}\n"
    );
    for format in ["text", "wide", "json", "yaml"] {
        let run = explain(&["-o", format], &log);
        assert_eq!(run.code, Some(0), "{format}: {}", run.stderr);
        assert!(run.stdout.contains("evil"), "{format}: {}", run.stdout);
        assert_harmless(&run, format);
    }
}

#[test]
fn a_log_that_cannot_be_read_is_an_error() {
    let run = Run::new(&["explain", "--log", "no-such-file.log"]).finish();
    assert_eq!((run.code, run.stdout.as_str()), (Some(3), ""));
    assert!(run.stderr.starts_with("error: no-such-file.log: "), "{}", run.stderr);
    let both = Run::new(&["explain", "--log", "a.log", "-f", "b.json"]).finish();
    assert_eq!((both.code, both.stdout.as_str()), (Some(2), ""));
}

/// A line that `--trace` predicts is found in the log of the real controller.
#[test]
fn the_predicted_lines_are_those_of_the_log() {
    let run = Run::new(&[
        "explain",
        "pvc/uploads",
        "-n",
        "media",
        "--trace",
        "-f",
        "examples/pending-provisioner-silent.json",
    ])
    .current_dir(root())
    .finish();
    let log = text(EXAMPLE);
    let section = run.stdout.split("log at -v=5:\n").nth(1).expect("a log");
    let entries: Vec<&str> = section.lines().take_while(|line| line.starts_with("      ")).map(str::trim).collect();
    assert!(entries.len() > 5, "{entries:?}");
    for entry in entries {
        assert!(log.contains(entry), "{entry}");
    }
}
