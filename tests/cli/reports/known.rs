//! Findings that are known and therefore not shown: baselines and suppressions.

use super::{hostile, printed};
use crate::project::schema::{assert_valid, validator};
use crate::support::{Run, root};
use serde_json::{Value, json};

/// A finding stays the same if only the resource version of its object changes. A baseline can be a report as JSON or
/// as YAML.
#[test]
fn a_baseline_hides_only_the_findings_that_it_has() {
    let folder = tempfile::tempdir().expect("a folder");
    for format in ["json", "yaml"] {
        let path = folder.path().join(format);
        std::fs::write(&path, printed(format, &[])).expect("a file");
        let known = path.to_str().expect("a path");
        let again = |input: &str| {
            let run = Run::new(&["audit", "--assume-complete", "-f", "-", "--baseline", known, "-o", "name"]);
            let run = run.stdin(input.as_bytes()).finish();
            (run.code, run.stdout)
        };
        let text = String::from_utf8(hostile()).expect("text");
        assert_eq!(again(&text), (Some(0), String::new()));
        let newer = text.replace("\"uid\"", "\"resourceVersion\":\"77\",\"uid\"");
        assert_eq!(again(&newer), (Some(0), String::new()));
        let other = text.replace("\"name\":\"data\"", "\"name\":\"other\"");
        assert_eq!(again(&other), (Some(1), "persistentvolumeclaim/other\n".to_owned()));
    }
    for (content, said) in [
        ("{\"kind\":\"PredictionList\",\"findings\":[]}", "it is a PredictionList, but a Report is expected"),
        ("{\"kind\":\"Report\"", "EOF"),
        ("", "unexpected end of input"),
        ("{\"kind\":\"Report\",\n\"findings\":[{\"severity\":\"error\"}]}", "missing field `fingerprint` at line 2"),
        ("kind: Report\nfindings: none\n", "line 2 column 11"),
        ("\u{0}", "bad: "),
    ] {
        let path = folder.path().join("bad");
        std::fs::write(&path, content).expect("a file");
        let run =
            Run::new(&["audit", "-f", "-", "--baseline", path.to_str().expect("a path")]).stdin(&hostile()).finish();
        assert_eq!((run.code, run.stdout.as_str()), (Some(3), ""), "{content}");
        assert!(run.stderr.contains(said) && run.stderr.contains("bad: "), "{}", run.stderr);
    }
    std::fs::write(folder.path().join("bytes"), [0x7f, 0x45, 0xff]).expect("a file");
    std::fs::create_dir(folder.path().join("folder")).expect("a folder");
    for (name, said) in [("absent", "there is no such file"), ("bytes", "it is not UTF-8"), ("folder", "directory")] {
        for flag in ["--baseline", "--suppressions"] {
            let path = folder.path().join(name);
            let arguments = ["audit", "-f", "-", flag, path.to_str().expect("a path")];
            let run = Run::new(&arguments).stdin(&hostile()).finish();
            assert_eq!((run.code, run.stdout.as_str()), (Some(3), ""), "{flag} {name}");
            assert!(run.stderr.contains(said) && run.stderr.contains(name), "{flag} {name}: {}", run.stderr);
        }
    }
}

#[test]
fn suppressions_need_a_reason_and_end_on_their_day() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("known.yaml");
    let audit = |entries: &str, more: &[&str]| {
        let file = format!("apiVersion: pvctl.dev/v1\nkind: Suppressions\nitems:\n{entries}");
        std::fs::write(&path, file).expect("a file");
        let arguments = ["audit", "--assume-complete", "-f", "-", "--suppressions", path.to_str().expect("a path")];
        let run = Run::new(&[&arguments[..], more].concat()).stdin(&hostile()).finish();
        (run.code, run.stdout, run.stderr)
    };
    let all = "- rule: lost-*\n  reason: a ticket is open\n";
    let (code, stdout, stderr) = audit(all, &[]);
    assert_eq!((code, stdout.as_str()), (Some(0), ""));
    assert!(stderr.contains("2 findings suppressed"), "{stderr}");
    let (code, stdout, _) = audit(all, &["-o", "json"]);
    let report: Value = serde_json::from_str(&stdout).expect("a document");
    assert_eq!((code, &report["summary"]["suppressed"], &report["summary"]["error"]), (Some(0), &json!(2), &json!(0)));
    assert_eq!(report["findings"][0]["suppressed"], json!({ "reason": "a ticket is open", "by": "file" }));
    assert_eq!(audit("- rule: lost-*\n  namespace: db\n  reason: a ticket is open\n", &[]).0, Some(1));
    assert_eq!(audit("- rule: lost-*\n  object: pvc/*\n  reason: a ticket is open\n", &[]).0, Some(0));
    let until = "- rule: lost-*\n  reason: a ticket is open\n  expires: 2026-03-31\n";
    assert_eq!(audit(until, &["--now", "2026-03-31T23:59:59Z"]).0, Some(0));
    let (code, _, stderr) = audit(until, &["--now", "2026-04-01T00:00:00Z"]);
    assert_eq!(code, Some(1));
    assert!(stderr.contains("the suppression of lost-* (a ticket is open) has expired"), "{stderr}");
    for (entries, said) in [
        ("- rule: lost-*\n", "known.yaml: line 4 column 3: missing field `reason`"),
        ("- rule: lost-*\n  reason: \" \"\n", "items[0]: the reason is empty"),
        ("- rule: lost-*\n  reason: r\n  expires: soon\n", "items[0]: expires: soon is not a day such as 2027-01-31"),
        ("- rule: lost-*\n  reason: r\n  objects: pvc/*\n", "unknown field `objects`"),
    ] {
        let (code, stdout, stderr) = audit(entries, &[]);
        assert_eq!((code, stdout.as_str()), (Some(3), ""), "{entries}");
        assert!(stderr.contains(said) && stderr.contains("known.yaml"), "{entries}: {stderr}");
    }
}

/// A suppression that matches nothing is named once on stderr, and also in documents. It is named only if all objects
/// were checked by all rules. An expired suppression, and one that matches no rule, have a warning instead.
#[test]
fn a_suppression_that_matches_nothing_is_named() {
    let folder = tempfile::tempdir().expect("a folder");
    let entries = "apiVersion: pvctl.dev/v1\nkind: Suppressions\nitems:\n\
                   - rule: lost-*\n  reason: a ticket is open\n\
                   - rule: pv-released-*\n  object: pv/archive-*\n  reason: kept for the auditors\n\
                   - rule: lost-*\n  namespace: team-*\n  reason: theirs\n\
                   - rule: pv-recycle-policy\n  reason: over\n  expires: 2020-01-01\n\
                   - rule: no-such-rule\n  reason: gone\n";
    // `.pvctl.yaml` in the working directory is read if no other file is named.
    std::fs::write(folder.path().join(".pvctl.yaml"), entries).expect("a file");
    let audit = |more: &[&str]| {
        let arguments = [&["audit", "-f", "-", "--now", "2026-01-01T00:00:00Z", "-o", "json"], more].concat();
        let run = Run::new(&arguments).current_dir(folder.path()).stdin(&hostile()).finish();
        let report: Value = serde_json::from_str(&run.stdout).expect("a document");
        assert_valid(&validator("Report"), &report, "with suppressions");
        (report["unmatchedSuppressions"].clone(), run.stderr)
    };
    let (unmatched, said) = audit(&["--assume-complete"]);
    let expected = json!([
        { "rule": "pv-released-*", "object": "pv/archive-*", "reason": "kept for the auditors" },
        { "rule": "lost-*", "namespace": "team-*", "reason": "theirs" },
    ]);
    assert_eq!(unmatched, expected, "{said}");
    let note = "note: 2 suppressions matched nothing, and can be removed unless misspelt: pv-released-* on \
                pv/archive-* (kept for the auditors); lost-* in team-* (theirs)\n";
    assert_eq!(said.matches("matched nothing").count(), 1, "{said}");
    assert!(said.contains(note), "{said}");
    for more in [
        &["-n", "db"][..],
        &["-l", "app=x"],
        &["--rules", "lost-*"],
        &["--skip-rules", "lost-*"],
        &["--partial", "pv,pvc"],
    ] {
        let (unmatched, said) = audit(more);
        assert!(unmatched.is_null() && !said.contains("matched nothing"), "{more:?}: {unmatched} {said}");
    }
}

#[test]
fn an_annotation_of_the_object_suppresses_its_finding() {
    let ignoring = |value: &str| {
        let text = String::from_utf8(hostile()).expect("text");
        let annotation = format!("\"pvctl.dev/ignore\":{},\"pv.kubernetes.io/bind-completed\"", json!(value));
        let input = text.replace("\"pv.kubernetes.io/bind-completed\"", &annotation);
        let run = Run::new(&["audit", "--assume-complete", "-f", "-", "-o", "sarif"]).stdin(input.as_bytes()).finish();
        let document: Value = serde_json::from_str(&run.stdout).expect("a document");
        (run.code, document["runs"][0]["results"][0]["suppressions"].clone())
    };
    let (code, suppressions) = ignoring("lost-pv-missing=restored by hand on Monday");
    assert_eq!(code, Some(0));
    assert_eq!(suppressions, json!([{ "kind": "inSource", "justification": "restored by hand on Monday" }]));
    assert_eq!(ignoring("lost-pv-missing"), (Some(1), Value::Null));
    assert_eq!(ignoring("bind-*=no"), (Some(1), Value::Null));
}

/// A new finding on an object is shown even if another finding on that object is in the baseline.
#[test]
fn a_new_finding_beside_a_known_one_is_shown() {
    let file = root().join("tests/audit/pv-terminating-leak/fires.yaml");
    let file = file.to_str().expect("a path");
    let audit = |more: &[&str]| {
        let run = Run::new(&[&["audit", "--assume-complete", "-f", file], more].concat()).finish();
        (run.code, run.stdout, run.stderr)
    };
    let folder = tempfile::tempdir().expect("a folder");
    let known = folder.path().join("known.json");
    std::fs::write(&known, audit(&["--rules", "pv-terminating-bound", "-o", "json"]).1).expect("a file");
    let (code, table, said) = audit(&["--baseline", known.to_str().expect("a path")]);
    assert_eq!(code, Some(0), "{table}");
    assert!(table.contains(" pv-terminating-leak ") && !table.contains(" pv-terminating-bound "), "{table}");
    assert!(said.contains("1 more in the baseline"), "{said}");
    // A finding that was a warning in the baseline and is an error now is new.
    let milder = std::fs::read_to_string(&known)
        .expect("the file")
        .replace("\"severity\": \"error\"", "\"severity\": \"warning\"");
    std::fs::write(&known, milder).expect("a file");
    assert_eq!(audit(&["--baseline", known.to_str().expect("a path")]).0, Some(1));
}
