//! What audit found, as data.

use super::listing::{Audited, open};
use crate::diagnosis::{Diagnosis, Evidence, Finding, Remedy, Severity, Suppression};
use crate::model::ObjectKey;
use crate::report::prediction::AssumedOut;
use crate::report::shared::machine::{API_VERSION, CoverageOut, Model, coverage_out};
use crate::snapshot::Snapshot;
use crate::snapshot::printed;
use serde::Serialize;
use std::collections::BTreeMap;

/// The whole document.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Report<'a> {
    /// `pvctl.dev/v1`.
    pub api_version: &'static str,
    /// `Report`.
    pub kind: &'static str,
    /// What the model assumes about Kubernetes.
    pub model: Model,
    /// How complete the reading is.
    pub coverage: Vec<AuditCoverageOut<'a>>,
    /// How much was found.
    pub summary: SummaryOut<'a>,
    /// What is wrong: by object, and of each object the worst first.
    pub findings: Vec<FindingOut<'a>>,
    /// The suppressions of a file that have not expired and keep nothing back. Absent unless everything was looked at
    /// with all rules.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(test, schemars(default))]
    pub unmatched_suppressions: Vec<UnmatchedOut<'a>>,
}

/// How complete the reading of one kind is, and what that keeps from being judged.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct AuditCoverageOut<'a> {
    /// The reading.
    #[serde(flatten)]
    pub reading: CoverageOut<'a>,
    /// The rules that could not be judged on some object for want of it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(test, schemars(default))]
    pub unjudged_rules: Vec<&'a str>,
}

/// How much was found.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct SummaryOut<'a> {
    /// Findings of severity error.
    pub error: usize,
    /// Findings of severity warning.
    pub warning: usize,
    /// Findings of severity info.
    pub info: usize,
    /// How many of all are roots.
    pub roots: usize,
    /// Findings that are kept back; the other numbers do not count them.
    pub suppressed: usize,
    /// How many there are of each rule.
    pub by_id: BTreeMap<&'a str, usize>,
}

/// Something that is wrong with one object.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct FindingOut<'a> {
    /// The id of the rule.
    pub id: &'a str,
    /// `error`, `warning` or `info`.
    pub severity: &'a str,
    /// What may become of data: `none`, `possible` or `imminent`.
    pub risk: &'a str,
    /// It is the worst on its object, and follows from nothing else that was found.
    pub root: bool,
    /// The object.
    pub object: ObjectOut<'a>,
    /// What is wrong, in a few words.
    pub title: &'a str,
    /// What is so and why.
    pub message: &'a str,
    /// The fields that show it.
    pub evidence: Vec<EvidenceOut<'a>>,
    /// The ways out, the safest first; none on an assumption.
    pub remedies: Vec<RemedyOut<'a>>,
    /// The findings that it follows from.
    pub caused_by: Vec<CauseOut<'a>>,
    /// Of a root: the other objects that are not well because of it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(test, schemars(default))]
    pub affects: Vec<ObjectOut<'a>>,
    /// Absences that were assumed, because files cannot tell.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(test, schemars(default))]
    pub assumed: Vec<AssumedOut<'a>>,
    /// Since when it has been so, where an object tells: RFC 3339.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub since: Option<String>,
    /// What tells this finding from all others, in every run.
    pub fingerprint: String,
    /// Why it is kept back: it does not count for the exit code.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub suppressed: Option<SuppressedOut<'a>>,
}

/// Why a finding is kept back.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct SuppressedOut<'a> {
    /// The reason that somebody stated.
    pub reason: &'a str,
    /// Where: `annotation` or `file`.
    pub by: &'a str,
}

/// A suppression that keeps nothing back, as its file states it.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct UnmatchedOut<'a> {
    /// Which rules.
    pub rule: &'a str,
    /// Which objects, if it says so.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub object: Option<&'a str>,
    /// In which namespaces, if it says so.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub namespace: Option<&'a str>,
    /// Why.
    pub reason: &'a str,
}

/// An object, as findings name it.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ObjectOut<'a> {
    /// The kind.
    pub kind: &'static str,
    /// The namespace, for kinds that have one.
    #[serde(skip_serializing_if = "str::is_empty")]
    #[cfg_attr(test, schemars(default))]
    pub namespace: &'a str,
    /// The name.
    pub name: &'a str,
    /// The uid; absent where the object is only named.
    #[serde(skip_serializing_if = "str::is_empty")]
    #[cfg_attr(test, schemars(default))]
    pub uid: &'a str,
}

/// A field that somebody can look up.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct EvidenceOut<'a> {
    /// The object, as people type it.
    pub object: String,
    /// The path of the field.
    pub field: &'a str,
    /// Its value; `<unset>` for none.
    pub value: &'a str,
}

/// A way out.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct RemedyOut<'a> {
    /// Whose verb the command is; absent where no command does it.
    #[serde(skip_serializing_if = "str::is_empty")]
    #[cfg_attr(test, schemars(default))]
    pub verb: &'a str,
    /// The command as it is typed; absent where no command does it.
    #[serde(skip_serializing_if = "str::is_empty")]
    #[cfg_attr(test, schemars(default))]
    pub command: &'a str,
    /// What it does, or what there is to do.
    pub does: &'a str,
}

/// A finding that another one follows from.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct CauseOut<'a> {
    /// The id of its rule.
    pub id: &'a str,
    /// Its object.
    pub object: ObjectOut<'a>,
}

impl<'a> ObjectOut<'a> {
    fn named(object: &'a ObjectKey) -> Self {
        Self { kind: object.kind.as_str(), namespace: &object.namespace, name: &object.name, uid: "" }
    }

    fn of(finding: &'a Finding) -> Self {
        Self { uid: printed(&finding.uid), ..Self::named(&finding.object) }
    }
}

impl<'a> EvidenceOut<'a> {
    fn new(evidence: &'a Evidence) -> Self {
        let Evidence { object, field, value } = evidence;
        Self { object: object.to_string(), field, value }
    }
}

impl<'a> UnmatchedOut<'a> {
    fn new(entry: &'a Suppression) -> Self {
        let Suppression { rule, object, namespace, reason, .. } = entry;
        Self { rule, object: object.as_deref(), namespace: namespace.as_deref(), reason }
    }
}

impl<'a> RemedyOut<'a> {
    fn new(remedy: &'a Remedy) -> Self {
        let Remedy { verb, command, does } = remedy;
        Self { verb, command, does }
    }
}

impl<'a> FindingOut<'a> {
    fn new(diagnosis: &'a Diagnosis, finding: &'a Finding) -> Self {
        let causes = finding.role.caused_by.iter().map(|place| &diagnosis.findings[*place]);
        Self {
            id: finding.rule.id,
            severity: finding.severity.as_str(),
            risk: finding.risk.as_str(),
            root: finding.role.is_root,
            object: ObjectOut::of(finding),
            title: finding.rule.title,
            message: &finding.message,
            evidence: finding.evidence.iter().map(EvidenceOut::new).collect(),
            remedies: finding.remedies.iter().map(RemedyOut::new).collect(),
            caused_by: causes.map(|cause| CauseOut { id: cause.rule.id, object: ObjectOut::of(cause) }).collect(),
            affects: finding.role.drags.iter().map(ObjectOut::named).collect(),
            assumed: finding
                .assumed
                .iter()
                .map(|assumed| AssumedOut {
                    resource: assumed.kind.resource(),
                    namespace: &assumed.namespace,
                    taken_as: "empty",
                })
                .collect(),
            since: finding.since.map(|since| since.to_string()),
            fingerprint: finding.fingerprint(),
            suppressed: finding.suppressed.as_ref().map(|suppressed| SuppressedOut {
                reason: &suppressed.reason,
                by: if suppressed.by_object { "annotation" } else { "file" },
            }),
        }
    }
}

impl<'a> Report<'a> {
    /// What was found, as data.
    pub fn new(model: Model, audited: &Audited<'a>) -> Self {
        let Audited { snapshot, diagnosis, shown, unmatched, .. } = *audited;
        let count = |severity: Severity| open(shown).filter(|finding| finding.severity == severity).count();
        let mut by_id = BTreeMap::new();
        for finding in open(shown) {
            *by_id.entry(finding.rule.id).or_default() += 1;
        }
        Self {
            api_version: API_VERSION,
            kind: "Report",
            model,
            coverage: coverage(snapshot, diagnosis),
            summary: SummaryOut {
                error: count(Severity::Error),
                warning: count(Severity::Warning),
                info: count(Severity::Info),
                roots: shown.iter().filter(|finding| finding.role.is_root).count(),
                suppressed: shown.len() - open(shown).count(),
                by_id,
            },
            findings: shown.iter().map(|finding| FindingOut::new(diagnosis, finding)).collect(),
            unmatched_suppressions: unmatched.iter().map(|entry| UnmatchedOut::new(entry)).collect(),
        }
    }
}

/// The readings, each with the rules that could not be judged for want of it.
fn coverage<'a>(snapshot: &'a Snapshot, diagnosis: &'a Diagnosis) -> Vec<AuditCoverageOut<'a>> {
    let entries = snapshot.coverage().entries();
    let lacking = |at: usize| {
        let entry = &entries[at];
        let is_it = |kind, namespace: &str| {
            kind == entry.kind
                && match &entry.namespace {
                    Some(own) => own == namespace,
                    None => snapshot.coverage().entry(kind, Some(namespace)).is_none(),
                }
        };
        let rules = diagnosis.unjudged.iter();
        let rules = rules.filter(|(_, missing)| missing.iter().any(|one| is_it(one.kind, &one.namespace)));
        rules.map(|(rule, _)| *rule).collect()
    };
    let readings = coverage_out(snapshot.coverage()).into_iter().enumerate();
    readings.map(|(at, reading)| AuditCoverageOut { reading, unjudged_rules: lacking(at) }).collect()
}
