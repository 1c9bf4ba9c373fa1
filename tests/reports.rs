//! The forms in which a report leaves the program, read as those read them for whom they are: an XML parser, a JSON
//! parser, lines. The names of the objects are as hostile as files can make them.
#![expect(clippy::disallowed_methods, clippy::expect_used, reason = "reports are files, and tests fail by panicking")]

use crate::support::{Run, root};
use serde_json::{Value, json};

/// Everything that means something in some form: markup, quotes, table ends, commands, metrics, terminals.
const HOSTILE: &str = "x<y>&\"'|`%0A::error::\\ {}\u{1b}[31m\u{202e},;\n# a\r*_[](z)@me";

fn hostile() -> Vec<u8> {
    let claim = |name: &str, namespace: &str| {
        json!({
            "apiVersion": "v1", "kind": "PersistentVolumeClaim",
            "metadata": {
                "name": name, "namespace": namespace, "uid": "5d93bf78-bc1d-4977-b341-fde73cc60842",
                "annotations": { "pv.kubernetes.io/bind-completed": "yes" },
            },
            "spec": {
                "accessModes": ["ReadWriteOnce"], "resources": { "requests": { "storage": "1Gi" } },
                "storageClassName": "", "volumeName": HOSTILE,
            },
            "status": { "phase": "Lost" },
        })
    };
    let items = [claim(HOSTILE, "db"), claim("data", HOSTILE)];
    json!({ "apiVersion": "v1", "kind": "List", "items": items }).to_string().into_bytes()
}

fn printed(format: &str, more: &[&str]) -> String {
    let arguments = [&["audit", "--assume-complete", "-f", "-", "-o", format], more].concat();
    let run = Run::new(&arguments).current_dir(root()).stdin(&hostile()).finish();
    assert_eq!(run.code, Some(1), "{format}: {}", run.stderr);
    let safe =
        |text: &str| text.chars().all(|letter| letter == '\n' || !letter.is_control()) && !text.contains('\u{202e}');
    assert!(safe(&run.stdout) && safe(&run.stderr), "{format}: {}", run.stdout);
    run.stdout
}

#[test]
fn junit_is_xml_with_a_failure_for_each_error() {
    let text = printed("junit", &[]);
    let document = roxmltree::Document::parse(&text).expect("well-formed XML");
    let count = |name: &str| document.descendants().filter(|node| node.has_tag_name(name)).count();
    let suite = document.descendants().find(|node| node.has_tag_name("testsuite")).expect("a suite");
    let stated = |name: &str| suite.attribute(name).and_then(|text| text.parse::<usize>().ok()).expect("a number");
    assert_eq!((stated("tests"), stated("failures"), stated("skipped")), (count("testcase"), 2, 0));
    assert_eq!(count("failure"), 2);
    let failing = document.descendants().find(|node| node.has_tag_name("failure")).expect("a failure");
    assert!(failing.attribute("message").expect("a message").contains("x<y>&\"'|"), "{failing:?}");
    // What does not count for the exit code does not fail.
    let mild = printed("junit", &["--fail-on", "lost-pv-missing,pv-recycle-policy"]);
    assert_eq!(mild.matches("<failure").count(), 2);
    let hidden = Run::new(&["audit", "-f", "-", "-o", "junit", "--partial", "pv"]).stdin(&hostile()).finish();
    assert_eq!(hidden.code, Some(3));
    let document = roxmltree::Document::parse(&hidden.stdout).expect("well-formed XML");
    let skipped = document.descendants().filter(|node| node.has_tag_name("skipped"));
    let names: Vec<_> = skipped.filter_map(|node| node.parent()?.attribute("name")).collect();
    assert!(names.contains(&"lost-pv-missing"), "what could not be judged has not passed: {names:?}");
}

#[test]
fn sarif_names_its_rules_and_places() {
    let document: Value = serde_json::from_str(&printed("sarif", &[])).expect("JSON");
    assert_eq!(document["version"], "2.1.0");
    let run = &document["runs"][0];
    let driver = &run["tool"]["driver"];
    assert_eq!(driver["name"], "kubectl-pvctl");
    let results = run["results"].as_array().expect("results");
    assert_eq!(results.len(), 2);
    for result in results {
        let index = usize::try_from(result["ruleIndex"].as_u64().expect("an index")).expect("a small one");
        assert_eq!(driver["rules"][index]["id"], result["ruleId"]);
        assert_eq!(result["level"], "error");
        let uri = result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"].as_str().expect("a path");
        let plain = |letter: char| letter.is_ascii_alphanumeric() || "-._~/%:".contains(letter);
        assert!(uri.starts_with("persistentvolumeclaims/") && uri.chars().all(plain), "{uri}");
        assert!(
            result["partialFingerprints"]["pvctl/v1"].as_str().expect("a text").starts_with("lost-pv-missing:pvc/")
        );
    }
    assert_eq!(run["invocations"][0]["executionSuccessful"], true);
}

#[test]
fn what_runners_and_scrapers_read_stays_in_its_line() {
    let github = printed("github", &[]);
    assert_eq!(github.lines().count(), 2);
    for line in github.lines() {
        let rest = line.strip_prefix("::error title=").expect("a command");
        let (title, message) = rest.split_once("::").expect("a message");
        assert!(!title.contains([':', ',']) && !message.is_empty(), "{line}");
        // A percent sign that is not ours is escaped, so that nothing in a name becomes a line break.
        assert!(!line.contains("%0A::error") && line.contains("%250A"), "{line}");
    }
    let metrics = printed("prometheus", &[]);
    for line in metrics.lines().filter(|line| !line.starts_with('#')) {
        let (series, value) = line.rsplit_once(' ').expect("a value");
        assert!(value.parse::<f64>().is_ok(), "{line}");
        let name: String = series.chars().take_while(|letter| *letter != '{').collect();
        assert!(metrics.contains(&format!("# TYPE {name} gauge\n")), "{line}");
        if let Some(labels) = series.strip_prefix(&name).and_then(|rest| rest.strip_prefix('{')) {
            let mut quoted = false;
            let mut letters = labels.chars();
            while let Some(letter) = letters.next() {
                match letter {
                    '\\' if quoted => assert!(matches!(letters.next(), Some('\\' | '"' | 'n')), "{line}"),
                    '"' => quoted = !quoted,
                    '}' if !quoted => assert_eq!(letters.as_str(), "", "{line}"),
                    _ => {}
                }
            }
            assert!(!quoted, "{line}");
        }
    }
    assert!(metrics.contains("pvctl_audit_findings{severity=\"error\"} 2\n"), "{metrics}");
}

#[test]
fn markdown_keeps_its_table() {
    let page = printed("markdown", &[]);
    let rows: Vec<&str> = page.lines().filter(|line| line.starts_with('|')).collect();
    assert_eq!(rows.len(), 4, "{page}");
    for row in rows {
        let bars = row.replace("\\|", "").matches('|').count();
        assert_eq!(bars, 6, "{row}");
    }
    assert!(page.contains("its volume x&lt;y&gt;&amp;"), "{page}");
    assert!(page.contains("    kubectl get pvc "), "{page}");
}

/// A new resource version is no new finding, and a report in either form is a baseline.
#[test]
fn a_baseline_hides_what_it_knows_and_nothing_else() {
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
        ("{\"kind\":\"PredictionList\",\"findings\":[]}", "it is a PredictionList, and a Report is wanted"),
        ("{\"kind\":\"Report\"", "EOF"),
        ("", "unexpected end of input"),
    ] {
        let path = folder.path().join("bad");
        std::fs::write(&path, content).expect("a file");
        let run =
            Run::new(&["audit", "-f", "-", "--baseline", path.to_str().expect("a path")]).stdin(&hostile()).finish();
        assert_eq!((run.code, run.stdout.as_str()), (Some(3), ""), "{content}");
        assert!(run.stderr.contains(said) && run.stderr.contains("bad: "), "{}", run.stderr);
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
        ("- rule: lost-*\n", "missing field `reason`"),
        ("- rule: lost-*\n  reason: \" \"\n", "items[0]: the reason is empty"),
        ("- rule: lost-*\n  reason: r\n  expires: soon\n", "items[0]: expires: soon is no day such as 2027-01-31"),
        ("- rule: lost-*\n  reason: r\n  objects: pvc/*\n", "unknown field `objects`"),
    ] {
        let (code, stdout, stderr) = audit(entries, &[]);
        assert_eq!((code, stdout.as_str()), (Some(3), ""), "{entries}");
        assert!(stderr.contains(said) && stderr.contains("known.yaml"), "{entries}: {stderr}");
    }
}

#[test]
fn an_object_says_itself_what_is_known_of_it() {
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

/// What is known of an object does not hide what is new on it.
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
    // What was a warning then and is an error now is new.
    let milder = std::fs::read_to_string(&known)
        .expect("the file")
        .replace("\"severity\": \"error\"", "\"severity\": \"warning\"");
    std::fs::write(&known, milder).expect("a file");
    assert_eq!(audit(&["--baseline", known.to_str().expect("a path")]).0, Some(1));
}

/// Objects that nobody saw are not well; and what cannot be judged elsewhere does not matter here.
#[test]
fn what_nobody_looked_at_has_not_passed() {
    let audit = |more: &[&str]| {
        let run = Run::new(&[&["audit", "-f", "-", "-o", "json"], more].concat()).stdin(&hostile()).finish();
        let report: Value = serde_json::from_str(&run.stdout).expect("a document");
        let unjudged = |resource: &str| -> Vec<Value> {
            let coverage = report["coverage"].as_array().expect("readings");
            let of = coverage.iter().filter(|one| one["resource"] == resource);
            of.filter_map(|one| one["unjudgedRules"].as_array().cloned()).flatten().collect()
        };
        (run.code, unjudged("pods"), unjudged("persistentvolumeclaims"))
    };
    let (code, pods, _) = audit(&["--partial", "pods", "--fail-on", "unknown"]);
    assert_eq!(code, Some(3));
    assert!(pods.contains(&"pod-claim-missing".into()), "{pods:?}");
    let (code, _, claims) = audit(&["--partial", "pvc/elsewhere", "-n", "db"]);
    assert!(claims.is_empty() && code == Some(0), "{code:?} {claims:?}");
    let (code, _, claims) = audit(&["--partial", "pvc/elsewhere"]);
    assert!(claims.contains(&"lost-pv-missing".into()) && code == Some(3), "{code:?} {claims:?}");
}

#[test]
fn columns_are_sorted_by_what_they_mean() {
    let ages = |sort: &str| -> Vec<String> {
        let file = root().join("examples/released.json");
        let run =
            Run::new(&["audit", "-f", file.to_str().expect("a path"), "--sort-by", sort, "--no-headers"]).finish();
        run.stdout.lines().map(|line| line.rsplit(' ').next().unwrap_or_default().to_owned()).collect()
    };
    let sorted = ages("age");
    assert!(sorted.len() > 4, "{sorted:?}");
    let position = |age: &str| sorted.iter().position(|found| found == age).expect(age);
    assert!(position("2m35s") < position("2d13h") && position("2d13h") < position("46d"), "{sorted:?}");
}
