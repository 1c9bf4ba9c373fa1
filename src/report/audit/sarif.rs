//! Findings as SARIF 2.1.0 (OASIS, 2020-03-27), which code scanners and editors read.
//!
//! An object of a cluster is a logical location. Many readers show a finding only if it also has a location in a file.
//! So each object also has a path: its path in the API, relative to the base `CLUSTER`.

use super::listing::{Audited, unread};
use crate::diagnosis::{Finding, Rule, Severity, Unread};
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// The address of the schema of SARIF 2.1.0.
const SCHEMA: &str = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";

/// Builds the document. `rules` are the rules that were applied.
pub(super) fn sarif(audited: &Audited<'_>, rules: &[&'static Rule]) -> Value {
    let Audited { findings, shown, .. } = *audited;
    // Surrounding kinds only add to what is known about volumes and claims.
    let is_minor = |missing: &BTreeSet<Unread>| missing.iter().all(|one| one.kind.is_surrounding());
    let complete = findings.unjudged.values().all(is_minor);
    let notes: Vec<Value> = findings
        .unjudged
        .iter()
        .map(|(id, missing)| {
            let read = unread(missing);
            json!({
                "level": if is_minor(missing) { "note" } else { "warning" },
                "message": { "text": format!("could not be judged on some object: not all {} were read", read) },
                "associatedRule": { "id": id },
            })
        })
        .collect();
    let results = shown.iter().map(|finding| result(finding, rules)).collect::<Vec<_>>();
    json!({
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": {
                "name": "kubectl-pvctl",
                "semanticVersion": env!("CARGO_PKG_VERSION"),
                "rules": rules.iter().map(|rule| descriptor(rule)).collect::<Vec<_>>(),
            } },
            "originalUriBaseIds": { "CLUSTER": { "description": { "text": "the API server" } } },
            "invocations": [{ "executionSuccessful": complete, "toolExecutionNotifications": notes }],
            "results": results,
        }],
    })
}

fn level(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Info => "note",
    }
}

fn descriptor(rule: &Rule) -> Value {
    let page = &rule.page;
    json!({
        "id": rule.id,
        "shortDescription": { "text": rule.title },
        "fullDescription": { "text": page.why },
        "help": {
            "text": format!("{}\n\n{}\n\n{}", page.repair, page.prevention, page.hazard),
            "markdown": crate::report::rules::page(rule),
        },
        "defaultConfiguration": { "level": level(rule.severity) },
        "properties": { "risk": rule.risk.as_str() },
    })
}

fn result(finding: &Finding, rules: &[&'static Rule]) -> Value {
    let object = &finding.object;
    let (resource, name) = (object.kind.resource(), object.name.as_str());
    let place = if object.namespace.is_empty() {
        format!("{resource}/{name}")
    } else {
        format!("{resource}/{}/{name}", object.namespace)
    };
    let uri: String = place.chars().flat_map(percent).collect();
    let mut result = json!({
        "ruleId": finding.rule.id,
        "level": level(finding.severity),
        "message": { "text": format!("{object}: {}", finding.message) },
        "locations": [{
            "logicalLocations": [{ "name": name, "fullyQualifiedName": place, "kind": "resource" }],
            "physicalLocation": { "artifactLocation": { "uri": uri, "uriBaseId": "CLUSTER" } },
        }],
        "partialFingerprints": { "pvctl/v1": finding.fingerprint() },
        "properties": { "risk": finding.risk.as_str(), "root": finding.role.is_root },
    });
    if let Some(suppressed) = &finding.suppressed {
        let kind = if suppressed.by_object { "inSource" } else { "external" };
        result["suppressions"] = json!([{ "kind": kind, "justification": suppressed.reason }]);
    }
    if let Some(index) = rules.iter().position(|rule| rule.id == finding.rule.id) {
        result["ruleIndex"] = index.into();
    }
    result
}

/// Percent-encodes a character if a path of a URI must not contain it (RFC 3986).
fn percent(letter: char) -> Vec<char> {
    if letter.is_ascii_alphanumeric() || "-._~/:".contains(letter) {
        return vec![letter];
    }
    let mut bytes = [0; 4];
    letter.encode_utf8(&mut bytes).bytes().flat_map(|byte| format!("%{byte:02X}").chars().collect::<Vec<_>>()).collect()
}
