//! Findings as metrics in the text format of Prometheus (version 0.0.4), for a textfile collector or a push gateway.

use super::listing::{Audited, open};
use crate::diagnosis::Severity;
use crate::text::sanitize;
use std::fmt::Write as _;

/// Prints the metrics.
pub(super) fn prometheus(audited: &Audited<'_>) -> String {
    let Audited { snapshot, findings, shown, looked_at: [volumes, claims], .. } = *audited;
    let mut text = String::new();
    head(&mut text, "pvctl_audit_findings", "Findings by severity.");
    for severity in Severity::ALL {
        let count = open(shown).filter(|finding| finding.severity == severity).count();
        _ = writeln!(text, "pvctl_audit_findings{{severity=\"{}\"}} {count}", severity.as_str());
    }
    head(&mut text, "pvctl_audit_finding", "1 for each finding.");
    for finding in open(shown) {
        let object = &finding.object;
        _ = writeln!(
            text,
            "pvctl_audit_finding{{rule=\"{}\",severity=\"{}\",risk=\"{}\",root=\"{}\",kind=\"{}\",namespace=\"{}\",name=\"{}\"}} 1",
            finding.rule.id,
            finding.severity.as_str(),
            finding.risk.as_str(),
            finding.role.is_root,
            object.kind.as_str(),
            label(&object.namespace),
            label(&object.name)
        );
    }
    head(
        &mut text,
        "pvctl_audit_unjudged_rules",
        "Rules that could not be judged on some object, because objects were not read.",
    );
    _ = writeln!(text, "pvctl_audit_unjudged_rules {}", findings.unjudged.len());
    head(&mut text, "pvctl_audit_objects", "Objects that were examined.");
    for (kind, count) in [("PersistentVolume", volumes), ("PersistentVolumeClaim", claims)] {
        _ = writeln!(text, "pvctl_audit_objects{{kind=\"{kind}\"}} {count}");
    }
    if let Some(now) = snapshot.now() {
        head(&mut text, "pvctl_audit_read_timestamp_seconds", "When the objects were read, in seconds since 1970.");
        _ = writeln!(text, "pvctl_audit_read_timestamp_seconds {}", now.0);
    }
    text
}

fn head(text: &mut String, name: &str, help: &str) {
    _ = writeln!(text, "# HELP {name} {help}\n# TYPE {name} gauge");
}

/// Escapes the value of a label, which is printed between quotes.
fn label(value: &str) -> String {
    sanitize(value).replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n")
}
