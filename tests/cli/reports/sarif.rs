//! These tests check the format `sarif`.

use super::{all_printed, hostile, printed};
use crate::support::Run;
use serde_json::{Map, Value};
use std::collections::BTreeSet;

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

/// Returns the fields of an object, all of which must be allowed and not null.
fn fields<'v>(value: &'v Value, allowed: &[&str], at: &str) -> &'v Map<String, Value> {
    let fields = value.as_object().unwrap_or_else(|| panic!("{at} is no object: {value}"));
    for (name, value) in fields {
        assert!(allowed.contains(&name.as_str()), "{at} must not have the property {name}");
        assert!(!value.is_null(), "{at}.{name} is null");
    }
    fields
}

fn string<'v>(value: &'v Value, at: &str) -> &'v str {
    value.as_str().unwrap_or_else(|| panic!("{at} is no string: {value}"))
}

pub(super) fn list<'v>(value: &'v Value, at: &str) -> &'v [Value] {
    value.as_array().unwrap_or_else(|| panic!("{at} is no array: {value}"))
}

/// Checks a message by SARIF 3.11 and 3.12: it must have `text`. It may also have `markdown`, but
/// no other field.
fn assert_message(value: &Value, at: &str) {
    let message = fields(value, &["text", "markdown"], at);
    assert!(!string(&message["text"], at).is_empty(), "{at} is empty");
    assert!(message.get("markdown").is_none_or(Value::is_string), "{at}.markdown");
}

fn assert_level(value: &Value, at: &str) {
    assert!(["none", "note", "warning", "error"].contains(&string(value, at)), "{at}: {value}");
}

/// Checks a relative reference without authority, query and fragment (RFC 3986, 4.2). A reference with a base must be
/// relative (SARIF 3.4.4).
fn assert_relative(uri: &str, at: &str) {
    let segments: Vec<&str> = uri.split('/').collect();
    assert!(!segments[0].is_empty() && !segments[0].contains(':'), "{at}: {uri} is absolute");
    assert!(
        !segments.iter().any(|segment| matches!(*segment, "" | "." | "..")),
        "{at}: {uri} has an empty segment, \".\" or \"..\""
    );
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

/// Checks the used properties by SARIF 2.1.0: which ones exist, which are required, and their values.
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
        assert_eq!(ids.len(), rules.len(), "{at}: two rules have the same id");
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
            assert!(
                !base.is_empty() && location.get("uri").is_none(),
                "{at}: the base must have a description and no uri"
            );
            assert_message(&location["description"], &at);
        }
        let mut unjudged = 0;
        for invocation in list(&run["invocations"], &at) {
            let invocation = fields(invocation, &["executionSuccessful", "toolExecutionNotifications"], &at);
            for notification in list(&invocation["toolExecutionNotifications"], &at) {
                // A rule that lacks only a surrounding kind gives no warning, because that kind only adds detail.
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
                assert!(
                    fingerprints.insert((name, string(value, &at))),
                    "{at}: two results have the fingerprint {value}"
                );
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
fn sarif_follows_its_standard() {
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
