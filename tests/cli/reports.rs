//! The forms in which a report leaves the program, read as those read them for whom they are: an XML parser, a JSON
//! parser, lines. The names of the objects are as hostile as files can make them.
#![expect(
    clippy::disallowed_methods,
    clippy::expect_used,
    clippy::panic,
    reason = "reports are files, and tests fail by panicking"
)]

use crate::project::schema::{assert_valid, validator};
use crate::support::{Run, files, root};
use pvctl::model::Kind;
use pvctl::text::sanitize;
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, BTreeSet};

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
    let kinds: Vec<&str> = Kind::listed().map(Kind::resource).collect();
    let complete = format!("--assume-complete={}", kinds.join(","));
    let arguments = [&["audit", &complete, "-f", "-", "-o", format], more].concat();
    let run = Run::new(&arguments).current_dir(root()).stdin(&hostile()).finish();
    assert_eq!(run.code, Some(1), "{format}: {}", run.stderr);
    let safe =
        |text: &str| text.chars().all(|letter| letter == '\n' || !letter.is_control()) && !text.contains('\u{202e}');
    assert!(safe(&run.stdout) && safe(&run.stderr), "{format}: {}", run.stdout);
    run.stdout
}

/// What is printed in that form: of the hostile objects, of each example, with and without what could be judged, and of
/// all fixtures of the rules together.
fn all_printed(format: &str) -> Vec<(String, String)> {
    let mut texts = vec![("hostile".to_owned(), printed(format, &[]))];
    let examples = files("examples", "json").into_iter().map(|(path, _)| path);
    for path in examples.chain(["tests/audit".to_owned()]) {
        for more in [&["--assume-complete"][..], &[], &["--partial", "pvc,pods", "--fail-on", "info"]] {
            let arguments = [&["audit", "-R", "-f", &path, "-o", format], more].concat();
            let run = Run::new(&arguments).current_dir(root()).finish();
            assert!(matches!(run.code, Some(0 | 1 | 3)), "{path}: {}", run.stderr);
            texts.push((format!("{path} {more:?}"), run.stdout));
        }
    }
    texts
}

#[test]
fn documents_follow_the_schema() {
    let validator = validator("Report");
    let mut reached = BTreeSet::new();
    for (from, text) in all_printed("json") {
        let report: Value = serde_json::from_str(&text).expect("a document");
        assert_valid(&validator, &report, &from);
        let findings = report["findings"].as_array().expect("a list");
        reached.extend(findings.iter().flat_map(|finding| finding.as_object().expect("an object").keys().cloned()));
        let open: Vec<&Value> = findings.iter().filter(|finding| finding["suppressed"].is_null()).collect();
        let number = |value: &Value| usize::try_from(value.as_u64().expect("a number")).expect("a small one");
        for severity in ["error", "warning", "info"] {
            let count = open.iter().filter(|finding| finding["severity"] == severity).count();
            assert_eq!(number(&report["summary"][severity]), count, "{from}: {severity}");
        }
        let by_id = report["summary"]["byId"].as_object().expect("numbers");
        assert_eq!(by_id.values().map(number).sum::<usize>(), open.len(), "{from}");
        let fingerprints: BTreeSet<&str> =
            findings.iter().filter_map(|finding| finding["fingerprint"].as_str()).collect();
        assert_eq!(fingerprints.len(), findings.len(), "{from}: a fingerprint is of one finding");
    }
    for field in ["remedies", "evidence", "causedBy", "affects", "assumed", "since"] {
        assert!(reached.contains(field), "nothing has {field}");
    }
}

/// An element of XML: its name, the attributes that it must have and those that it may have, and what it may hold.
type Element = (&'static str, &'static [&'static str], &'static [&'static str], &'static [&'static str]);

/// What Jenkins' `junit-10.xsd` allows. What an element holds has to come in this order.
const JUNIT: [Element; 6] = [
    ("testsuites", &[], &["name", "time", "tests", "failures", "disabled", "errors"], &["testsuite"]),
    (
        "testsuite",
        &["name", "tests"],
        &[
            "failures",
            "errors",
            "group",
            "time",
            "skipped",
            "timestamp",
            "hostname",
            "id",
            "package",
            "file",
            "log",
            "url",
            "version",
        ],
        &["properties", "testcase", "system-out", "system-err"],
    ),
    (
        "testcase",
        &["name", "classname"],
        &["time", "group"],
        &["skipped", "error", "failure", "system-out", "system-err"],
    ),
    ("skipped", &[], &["type", "message"], &[]),
    ("failure", &[], &["type", "message"], &[]),
    ("system-out", &[], &[], &[]),
];

#[test]
fn junit_follows_what_jenkins_reads() {
    for (from, text) in all_printed("junit") {
        let document = roxmltree::Document::parse(&text).expect("well-formed XML");
        let suites = document.root_element();
        assert_eq!(suites.tag_name().name(), "testsuites", "{from}");
        for element in document.descendants().filter(roxmltree::Node::is_element) {
            let name = element.tag_name().name();
            let known = JUNIT.iter().find(|(known, ..)| *known == name);
            let (_, needed, optional, inside) = known.unwrap_or_else(|| panic!("{from}: <{name}>"));
            let has = |attribute: &&&str| element.attribute(**attribute).is_some();
            assert_eq!(needed.iter().filter(has).count(), needed.len(), "{from}: {element:?}");
            for attribute in element.attributes() {
                assert!(
                    needed.contains(&attribute.name()) || optional.contains(&attribute.name()),
                    "{from}: <{name}> has no {}",
                    attribute.name()
                );
            }
            let places: Vec<usize> = element
                .children()
                .filter(roxmltree::Node::is_element)
                .map(|child| {
                    let place = inside.iter().position(|known| *known == child.tag_name().name());
                    place.unwrap_or_else(|| panic!("{from}: {child:?} in <{name}>"))
                })
                .collect();
            assert!(places.is_sorted(), "{from}: the order in <{name}>");
        }
        for element in
            document.descendants().filter(|node| matches!(node.tag_name().name(), "testsuites" | "testsuite"))
        {
            let count = |name: &str| element.descendants().filter(|node| node.has_tag_name(name)).count();
            for (attribute, counted) in
                [("tests", "testcase"), ("failures", "failure"), ("errors", "error"), ("skipped", "skipped")]
            {
                let stated = element.attribute(attribute).map(|text| text.parse::<usize>().expect("a number"));
                assert!(stated.is_none_or(|stated| stated == count(counted)), "{from}: {attribute}");
            }
            let time: f64 = element.attribute("time").and_then(|text| text.parse().ok()).expect("a time");
            assert!(time >= 0.0, "{from}");
        }
        let cases = document.descendants().filter(|node| node.has_tag_name("testcase"));
        let names: Vec<_> = cases.map(|case| (case.attribute("classname"), case.attribute("name"))).collect();
        assert_eq!(names.iter().collect::<BTreeSet<_>>().len(), names.len(), "{from}: tests are told apart by name");
    }
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

/// What drivers say in events is printed in no form in which a terminal would act on it.
#[test]
fn what_drivers_say_is_safe_to_print() {
    let fixture =
        std::fs::read_to_string(root().join("tests/audit/pvc-provisioning-failed/fires.yaml")).expect("a fixture");
    let mut objects: Vec<Value> = serde_yaml::from_str_multiple(&fixture).expect("YAML");
    for event in objects.iter_mut().filter(|object| object["kind"] == "Event") {
        let message = event["message"].as_str().expect("a message").to_owned();
        event["message"] = format!("\u{1b}[31m{message}\u{202e}\u{9b}2J\n@everyone |").into();
    }
    let input = json!({"apiVersion": "v1", "kind": "List", "items": objects}).to_string();
    for format in ["table", "wide", "json", "yaml", "sarif", "junit", "markdown", "github", "prometheus"] {
        let arguments = ["audit", "--assume-complete", "--all", "-f", "-", "-o", format];
        let run = Run::new(&arguments).stdin(input.as_bytes()).finish();
        assert!(run.stdout.contains("pvc-provisioning-failed"), "{format}: {}", run.stdout);
        let safe = |letter: char| letter == '\n' || !(letter.is_control() || letter == '\u{202e}');
        assert!(run.stdout.chars().all(safe), "{format}: {}", run.stdout);
    }
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

/// The object's fields, which are among these.
fn fields<'v>(value: &'v Value, allowed: &[&str], at: &str) -> &'v Map<String, Value> {
    let fields = value.as_object().unwrap_or_else(|| panic!("{at} is no object: {value}"));
    for (name, value) in fields {
        assert!(allowed.contains(&name.as_str()), "{at} has no {name}");
        assert!(!value.is_null(), "{at}.{name} is null");
    }
    fields
}

fn string<'v>(value: &'v Value, at: &str) -> &'v str {
    value.as_str().unwrap_or_else(|| panic!("{at} is no string: {value}"))
}

fn list<'v>(value: &'v Value, at: &str) -> &'v [Value] {
    value.as_array().unwrap_or_else(|| panic!("{at} is no array: {value}"))
}

/// SARIF 3.11 and 3.12: one that can be shown, in plain text whatever else it has.
fn assert_message(value: &Value, at: &str) {
    let message = fields(value, &["text", "markdown"], at);
    assert!(!string(&message["text"], at).is_empty(), "{at} is empty");
    assert!(message.get("markdown").is_none_or(Value::is_string), "{at}.markdown");
}

fn assert_level(value: &Value, at: &str) {
    assert!(["none", "note", "warning", "error"].contains(&string(value, at)), "{at}: {value}");
}

/// RFC 3986, 4.2, a relative reference without authority, query and fragment: what a reference with a base has to be
/// (SARIF 3.4.4).
fn assert_relative(uri: &str, at: &str) {
    let segments: Vec<&str> = uri.split('/').collect();
    assert!(!segments[0].is_empty() && !segments[0].contains(':'), "{at}: {uri} is absolute");
    assert!(!segments.iter().any(|segment| matches!(*segment, "" | "." | "..")), "{at}: {uri} changes its place");
    let mut bytes = uri.bytes();
    while let Some(byte) = bytes.next() {
        if byte == b'%' {
            let hex = [bytes.next(), bytes.next()];
            let is_hex = |byte: Option<u8>| byte.is_some_and(|byte| matches!(byte, b'0'..=b'9' | b'A'..=b'F'));
            assert!(hex.into_iter().all(is_hex), "{at}: {uri}");
        } else {
            assert!(byte.is_ascii_alphanumeric() || b"-._~!$&'()*+,;=:@/".contains(&byte), "{at}: {uri}");
        }
    }
}

/// What SARIF 2.1.0 states of the properties that are used: which there are, which have to be, and their values.
fn assert_sarif(log: &Value, from: &str) {
    let top = fields(log, &["$schema", "version", "runs"], from);
    assert_eq!(top["version"], "2.1.0", "{from}");
    assert!(string(&top["$schema"], from).starts_with("https://"), "{from}");
    for run in list(&top["runs"], from) {
        let at = format!("{from}: run");
        let run = fields(run, &["tool", "originalUriBaseIds", "invocations", "results"], &at);
        let tool = fields(&run["tool"], &["driver"], &at);
        let driver = fields(&tool["driver"], &["name", "semanticVersion", "rules"], &at);
        assert!(!string(&driver["name"], &at).is_empty(), "{at}");
        let numbers = string(&driver["semanticVersion"], &at).split(['-', '+']).next().expect("a part").split('.');
        assert_eq!(numbers.filter(|number| number.parse::<u32>().is_ok()).count(), 3, "{at}: {driver:?}");
        let rules = list(&driver["rules"], &at);
        let ids: BTreeSet<&str> = rules.iter().map(|rule| string(&rule["id"], &at)).collect();
        assert_eq!(ids.len(), rules.len(), "{at}: ids are unique");
        for rule in rules {
            let at = format!("{from}: rule {}", rule["id"]);
            let known = ["id", "shortDescription", "fullDescription", "help", "defaultConfiguration", "properties"];
            let rule = fields(rule, &known, &at);
            for text in ["shortDescription", "fullDescription", "help"] {
                assert_message(&rule[text], &at);
            }
            assert_level(&fields(&rule["defaultConfiguration"], &["level"], &at)["level"], &at);
        }
        let bases = run["originalUriBaseIds"].as_object().expect("bases");
        for (base, location) in bases {
            let location = fields(location, &["uri", "description"], &at);
            assert!(!base.is_empty() && location.get("uri").is_none(), "{at}: a base that is nowhere has no uri");
            assert_message(&location["description"], &at);
        }
        let mut unjudged = 0;
        for invocation in list(&run["invocations"], &at) {
            let invocation = fields(invocation, &["executionSuccessful", "toolExecutionNotifications"], &at);
            for notification in list(&invocation["toolExecutionNotifications"], &at) {
                // What stands around only adds to what is known.
                unjudged += usize::from(notification["level"] == "warning");
                let notification = fields(notification, &["level", "message", "associatedRule"], &at);
                assert_level(&notification["level"], &at);
                assert_message(&notification["message"], &at);
                let rule = fields(&notification["associatedRule"], &["id"], &at);
                assert!(ids.contains(string(&rule["id"], &at)), "{at}: {rule:?}");
            }
            assert_eq!(invocation["executionSuccessful"], Value::Bool(unjudged == 0), "{at}");
        }
        let mut fingerprints = BTreeSet::new();
        for result in list(&run["results"], &at) {
            let at = format!("{from}: result {}", result["ruleId"]);
            let known = [
                "ruleId",
                "ruleIndex",
                "level",
                "message",
                "locations",
                "partialFingerprints",
                "suppressions",
                "properties",
            ];
            let result = fields(result, &known, &at);
            assert_level(&result["level"], &at);
            assert_message(&result["message"], &at);
            let index = usize::try_from(result["ruleIndex"].as_u64().expect("an index")).expect("a small one");
            assert_eq!(rules[index]["id"], result["ruleId"], "{at}");
            for (name, value) in result["partialFingerprints"].as_object().expect("an object") {
                assert!(!name.is_empty(), "{at}");
                assert!(fingerprints.insert((name, string(value, &at))), "{at}: {value} is of two results");
            }
            for location in list(&result["locations"], &at) {
                let location = fields(location, &["logicalLocations", "physicalLocation"], &at);
                for logical in list(&location["logicalLocations"], &at) {
                    let logical = fields(logical, &["name", "fullyQualifiedName", "kind"], &at);
                    assert!(logical.values().all(Value::is_string), "{at}: {logical:?}");
                    assert_eq!(logical["kind"], "resource", "{at}");
                }
                let physical = fields(&location["physicalLocation"], &["artifactLocation"], &at);
                let artifact = fields(&physical["artifactLocation"], &["uri", "uriBaseId"], &at);
                assert_relative(string(&artifact["uri"], &at), &at);
                assert!(bases.contains_key(string(&artifact["uriBaseId"], &at)), "{at}");
            }
            for suppression in result.get("suppressions").map_or(&[][..], |all| list(all, &at)) {
                let suppression = fields(suppression, &["kind", "justification"], &at);
                assert!(["inSource", "external"].contains(&string(&suppression["kind"], &at)), "{at}");
                assert!(!string(&suppression["justification"], &at).is_empty(), "{at}");
            }
        }
    }
}

#[test]
fn sarif_is_what_its_standard_states() {
    for (from, text) in all_printed("sarif") {
        assert_sarif(&serde_json::from_str(&text).expect("JSON"), &from);
    }
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("known.yaml");
    let entries = "apiVersion: pvctl.dev/v1\nkind: Suppressions\nitems:\n- rule: lost-*\n  reason: known\n";
    std::fs::write(&path, entries).expect("a file");
    let arguments = ["audit", "--assume-complete", "-f", "-", "-o", "sarif", "--suppressions"];
    let run = Run::new(&[&arguments[..], &[path.to_str().expect("a path")]].concat()).stdin(&hostile()).finish();
    let log: Value = serde_json::from_str(&run.stdout).expect("JSON");
    assert_sarif(&log, "suppressed");
    assert_eq!(log["runs"][0]["results"][0]["suppressions"][0]["kind"], "external");
}

/// A sample of the text format of Prometheus: name, labels, value.
type Sample = (String, BTreeMap<String, String>, f64);

/// One line of samples, read letter by letter as the description of the format (version 0.0.4) has it.
fn sample(line: &str) -> Sample {
    let name_end = line.find(['{', ' ']).expect("labels or a value");
    let name = &line[..name_end];
    let is_name = |text: &str, more: &str| {
        let good = |letter: char| letter.is_ascii_alphanumeric() || letter == '_' || more.contains(letter);
        !text.is_empty() && text.chars().all(good) && !text.starts_with(|letter: char| letter.is_ascii_digit())
    };
    assert!(is_name(name, ":"), "{line}");
    let mut labels = BTreeMap::new();
    let mut rest = &line[name_end..];
    if let Some(inside) = rest.strip_prefix('{') {
        rest = inside;
        loop {
            let (label, quoted) = rest.split_once("=\"").expect("a label and its value");
            assert!(is_name(label, ""), "{line}");
            let mut value = String::new();
            let mut letters = quoted.char_indices();
            let end = loop {
                match letters.next().expect("a quote ends the value") {
                    (at, '"') => break at + 1,
                    (_, '\\') => value.push(match letters.next() {
                        Some((_, 'n')) => '\n',
                        Some((_, same @ ('\\' | '"'))) => same,
                        other => panic!("{other:?} is no escape: {line}"),
                    }),
                    (_, letter) => value.push(letter),
                }
            };
            assert!(labels.insert(label.to_owned(), value).is_none(), "{label} twice: {line}");
            rest = &quoted[end..];
            match rest.strip_prefix(',') {
                Some(more) => rest = more,
                None => break,
            }
        }
        rest = rest.strip_prefix('}').expect("the end of the labels");
    }
    let value = rest.strip_prefix(' ').expect("a blank before the value");
    (name.to_owned(), labels, value.parse().unwrap_or_else(|_| panic!("{value:?} is no number: {line}")))
}

/// All samples of a page, which has to be in order: of each metric the help, then the type, then its samples in one
/// group, none of them twice.
fn samples(page: &str) -> Vec<Sample> {
    assert!(page.ends_with('\n'), "the last line ends, too");
    let (mut found, mut seen, mut helped) = (Vec::<Sample>::new(), BTreeSet::new(), String::new());
    let mut current = String::new();
    for line in page.lines() {
        if let Some(help) = line.strip_prefix("# HELP ") {
            let (name, text) = help.split_once(' ').expect("a text");
            assert!(!text.is_empty() && !text.contains('\\'), "{line}");
            assert!(seen.insert(name.to_owned()), "{name} comes twice");
            name.clone_into(&mut helped);
        } else if let Some(kind) = line.strip_prefix("# TYPE ") {
            let (name, kind) = kind.split_once(' ').expect("a type");
            assert_eq!((name, kind), (helped.as_str(), "gauge"));
            name.clone_into(&mut current);
        } else {
            let sample = sample(line);
            assert_eq!(sample.0, current, "{line}");
            assert!(!found.iter().any(|(name, labels, _)| (name, labels) == (&sample.0, &sample.1)), "twice: {line}");
            found.push(sample);
        }
    }
    found
}

#[test]
fn metrics_are_read_as_they_are_meant() {
    for (from, page) in all_printed("prometheus") {
        let samples = samples(&page);
        let of = |name: &str| samples.iter().filter(|sample| sample.0 == name).collect::<Vec<_>>();
        let stated: f64 = of("pvctl_audit_findings").iter().map(|sample| sample.2).sum();
        let listed: f64 = of("pvctl_audit_finding").iter().map(|sample| sample.2).sum();
        assert!((stated - listed).abs() < 0.5, "{from}: {stated} {listed}");
        assert_eq!(of("pvctl_audit_objects").len(), 2, "{from}");
        assert_eq!(of("pvctl_audit_unjudged_rules").len(), 1, "{from}");
        if from == "hostile" {
            let names: BTreeSet<&str> =
                of("pvctl_audit_finding").iter().map(|sample| sample.1["name"].as_str()).collect();
            assert_eq!(names, BTreeSet::from(["data", &sanitize(HOSTILE)]));
        }
    }
}

#[test]
fn what_runners_read_stays_in_its_line() {
    let github = printed("github", &[]);
    assert_eq!(github.lines().count(), 2);
    for line in github.lines() {
        let rest = line.strip_prefix("::error title=").expect("a command");
        let (title, message) = rest.split_once("::").expect("a message");
        assert!(!title.contains([':', ',']) && !message.is_empty(), "{line}");
        // A percent sign that is not ours is escaped, so that nothing in a name becomes a line break.
        assert!(!line.contains("%0A::error") && line.contains("%250A"), "{line}");
    }
}

/// A line of Markdown without its code spans (`CommonMark` 0.31, 6.1): a run of backquotes ends at the next run of that
/// length.
fn without_code(line: &str) -> String {
    let mut text = String::new();
    let mut rest = line;
    while let Some(letter) = rest.chars().next() {
        let run = rest.len() - rest.trim_start_matches('`').len();
        if run > 0 {
            let inside = &rest[run..];
            let fence = "`".repeat(run);
            let mut ends = inside.match_indices(&fence).map(|(at, _)| at);
            let is_alone = |at: &usize| !inside[..*at].ends_with('`') && !inside[at + run..].starts_with('`');
            let end = ends.find(is_alone);
            rest = &inside[end.unwrap_or_else(|| panic!("code without an end: {line}")) + run..];
            continue;
        }
        // A backslash takes its meaning from the sign behind it.
        let size =
            if letter == '\\' { 1 + rest[1..].chars().next().map_or(0, char::len_utf8) } else { letter.len_utf8() };
        text.push_str(&rest[..size]);
        rest = &rest[size..];
    }
    text
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
    // Nobody is called outside of code.
    let lines = page.lines().filter(|line| !line.starts_with("    "));
    let text: Vec<String> = lines.map(without_code).collect();
    let text = text.join("\n");
    assert!(text.contains("@&#8203;me") && !text.contains("@me"), "{text}");
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
        ("- rule: lost-*\n  reason: r\n  expires: soon\n", "items[0]: expires: soon is no day such as 2027-01-31"),
        ("- rule: lost-*\n  reason: r\n  objects: pvc/*\n", "unknown field `objects`"),
    ] {
        let (code, stdout, stderr) = audit(entries, &[]);
        assert_eq!((code, stdout.as_str()), (Some(3), ""), "{entries}");
        assert!(stderr.contains(said) && stderr.contains("known.yaml"), "{entries}: {stderr}");
    }
}

/// What keeps nothing back is said once, in documents too, and only where everything was looked at.
#[test]
fn a_suppression_that_matches_nothing_is_named() {
    let folder = tempfile::tempdir().expect("a folder");
    let entries = "apiVersion: pvctl.dev/v1\nkind: Suppressions\nitems:\n\
                   - rule: lost-*\n  reason: a ticket is open\n\
                   - rule: pv-released-*\n  object: pv/archive-*\n  reason: kept for the auditors\n\
                   - rule: lost-*\n  namespace: team-*\n  reason: theirs\n\
                   - rule: pv-recycle-policy\n  reason: over\n  expires: 2020-01-01\n\
                   - rule: no-such-rule\n  reason: gone\n";
    // The file of that name in the working directory is read where no other one is named.
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
    let note = "note: 2 suppressions matched nothing, and can go unless misspelt: pv-released-* on \
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
