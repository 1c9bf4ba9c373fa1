//! The findings of audit as data.

use super::listing::{Audited, open};
use crate::diagnosis::{Diagnoser, Evidence, Finding, Findings, Remedy, Severity, Suppression};
use crate::model::ObjectKey;
use crate::report::prediction::AssumedOut;
use crate::report::shared::diagnosis::DiagnosisOut;
use crate::report::shared::machine::{API_VERSION, CoverageOut, Model, coverage_out};
use crate::snapshot::Snapshot;
use crate::snapshot::printed;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};

/// The document that `audit` prints as JSON and YAML.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Report<'a> {
    /// `pvctl.dev/v1`.
    pub api_version: &'static str,
    /// `Report`.
    pub kind: &'static str,
    /// What the model assumes about Kubernetes.
    pub model: Model,
    /// For each kind and namespace, whether all objects were read.
    pub coverage: Vec<AuditCoverageOut<'a>>,
    /// The numbers of findings.
    pub summary: SummaryOut<'a>,
    /// The findings in the order of their objects. If an object has several findings, the worst is first.
    pub findings: Vec<FindingOut<'a>>,
    /// The suppressions in a file that have not expired and match no finding. The field exists only if all objects were
    /// audited with all rules.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "schema", schemars(default))]
    pub unmatched_suppressions: Vec<UnmatchedOut<'a>>,
}

/// Whether all objects of one kind were read, and which rules could not be judged because objects were not read.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct AuditCoverageOut<'a> {
    /// What was read of the kind.
    #[serde(flatten)]
    pub reading: CoverageOut<'a>,
    /// The rules that could not be judged on some object because objects of this kind were not read.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "schema", schemars(default))]
    pub unjudged_rules: Vec<&'a str>,
}

/// The numbers of findings.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct SummaryOut<'a> {
    /// The number of findings of severity error.
    pub error: usize,
    /// The number of findings of severity warning.
    pub warning: usize,
    /// The number of findings of severity info.
    pub info: usize,
    /// The number of findings that are roots.
    pub roots: usize,
    /// The number of suppressed findings. They are not included in the other numbers.
    pub suppressed: usize,
    /// The number of findings of each rule, by the id of the rule.
    pub by_id: BTreeMap<&'a str, usize>,
}

/// Something that is wrong with one object.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct FindingOut<'a> {
    /// The id of the rule.
    pub id: &'a str,
    /// `error`, `warning` or `info`.
    pub severity: &'a str,
    /// What may happen to data: `none`, `possible` or `imminent`.
    pub risk: &'a str,
    /// Whether the finding is a root. A root follows from no other finding and is the worst finding on its object. A
    /// finding is also a root if other findings follow from it, or if it has an imminent risk to data that the root of
    /// its object does not have.
    pub root: bool,
    /// The object that the finding is about.
    pub object: ObjectOut<'a>,
    /// The title of the rule: what is wrong, in a few words.
    pub title: &'a str,
    /// What is wrong with this object and why, in words.
    pub message: &'a str,
    /// The fields on which the finding rests.
    pub evidence: Vec<EvidenceOut<'a>>,
    /// The remedies, the safest first. If the finding rests on an assumption, the list has only remedies that do no
    /// harm if the assumption is wrong.
    pub remedies: Vec<RemedyOut<'a>>,
    /// The findings from which this finding follows.
    pub caused_by: Vec<CauseOut<'a>>,
    /// For a root: the other objects that are affected by it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "schema", schemars(default))]
    pub affects: Vec<ObjectOut<'a>>,
    /// What was assumed to be absent because the input files do not say whether it exists.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "schema", schemars(default))]
    pub assumed: Vec<AssumedOut<'a>>,
    /// The diagnosis of the object, the same as in `explain`.
    pub diagnosis: DiagnosisOut,
    /// The time since which the finding has been true, as RFC 3339. The field is absent if no object shows this time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub since: Option<String>,
    /// The identity of the finding. It is the same in every run, and no other finding has it.
    pub fingerprint: String,
    /// Why the finding is suppressed. A suppressed finding does not change the exit code.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub suppressed: Option<SuppressedOut<'a>>,
}

/// Why a finding is suppressed.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SuppressedOut<'a> {
    /// The reason that the suppression states.
    pub reason: &'a str,
    /// Where the suppression is written: in an `annotation` of the object or in a `file`.
    pub by: &'a str,
}

/// A suppression that matches no finding, as its file states it.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct UnmatchedOut<'a> {
    /// The rules that the suppression names.
    pub rule: &'a str,
    /// The objects that the suppression names. The field is absent if the suppression is for all objects.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub object: Option<&'a str>,
    /// The namespaces that the suppression names. The field is absent if the suppression is for all namespaces.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub namespace: Option<&'a str>,
    /// The reason that the suppression states.
    pub reason: &'a str,
}

/// The name of an object in findings.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ObjectOut<'a> {
    /// The kind.
    pub kind: &'static str,
    /// The namespace, for kinds that have one.
    #[serde(skip_serializing_if = "str::is_empty")]
    #[cfg_attr(feature = "schema", schemars(default))]
    pub namespace: &'a str,
    /// The name.
    pub name: &'a str,
    /// The uid. The field is absent if the finding is about another object and only names this one.
    #[serde(skip_serializing_if = "str::is_empty")]
    #[cfg_attr(feature = "schema", schemars(default))]
    pub uid: &'a str,
}

/// A field of an object, with its value, on which a finding rests.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct EvidenceOut<'a> {
    /// The object as users type it for kubectl.
    pub object: String,
    /// The path of the field.
    pub field: &'a str,
    /// The value of the field. It is `<unset>` if the field is not set.
    pub value: &'a str,
}

/// Something that a person can do about a finding.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RemedyOut<'a> {
    /// The verb of pvctl that the command runs, or `kubectl`. The field is absent if there is no command.
    #[serde(skip_serializing_if = "str::is_empty")]
    #[cfg_attr(feature = "schema", schemars(default))]
    pub verb: &'a str,
    /// The command as users type it. The field is absent if there is no command.
    #[serde(skip_serializing_if = "str::is_empty")]
    #[cfg_attr(feature = "schema", schemars(default))]
    pub command: &'a str,
    /// What the command does. If there is no command, what a person has to do.
    pub does: &'a str,
}

/// A finding from which another finding follows.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CauseOut<'a> {
    /// The id of the rule of that finding.
    pub id: &'a str,
    /// The object of that finding.
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
    fn new(diagnosis: DiagnosisOut, findings: &'a Findings, finding: &'a Finding) -> Self {
        let causes = finding.role.caused_by.iter().map(|place| &findings.listed[*place]);
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
            affects: finding.role.affected_objects.iter().map(ObjectOut::named).collect(),
            assumed: finding
                .assumed
                .iter()
                .map(|assumed| AssumedOut {
                    resource: assumed.kind.resource(),
                    namespace: &assumed.namespace,
                    taken_as: "empty",
                })
                .collect(),
            diagnosis,
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
    /// Builds the document from the result of an audit.
    pub fn new(model: Model, audited: &Audited<'a>) -> Self {
        let Audited { simulation, snapshot, findings, shown, unmatched, .. } = *audited;
        let diagnoser = Diagnoser::new(simulation, findings);
        // An object with several findings has one diagnosis.
        let objects: BTreeSet<&ObjectKey> = shown.iter().map(|finding| &finding.object).collect();
        let diagnosis = |object| (object, DiagnosisOut::new(&diagnoser.of(object), snapshot.now()));
        let diagnoses: BTreeMap<&ObjectKey, DiagnosisOut> = objects.into_iter().map(diagnosis).collect();
        let finding = |finding: &&'a Finding| FindingOut::new(diagnoses[&finding.object].clone(), findings, finding);
        let count = |severity: Severity| open(shown).filter(|finding| finding.severity == severity).count();
        let mut by_id = BTreeMap::new();
        for finding in open(shown) {
            *by_id.entry(finding.rule.id).or_default() += 1;
        }
        Self {
            api_version: API_VERSION,
            kind: "Report",
            model,
            coverage: coverage(snapshot, findings),
            summary: SummaryOut {
                error: count(Severity::Error),
                warning: count(Severity::Warning),
                info: count(Severity::Info),
                roots: shown.iter().filter(|finding| finding.role.is_root).count(),
                suppressed: shown.len() - open(shown).count(),
                by_id,
            },
            findings: shown.iter().map(finding).collect(),
            unmatched_suppressions: unmatched.iter().map(|entry| UnmatchedOut::new(entry)).collect(),
        }
    }
}

/// Returns for each kind and namespace whether all objects were read, and which rules could not be judged because
/// objects were not read.
fn coverage<'a>(snapshot: &'a Snapshot, findings: &'a Findings) -> Vec<AuditCoverageOut<'a>> {
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
        let rules = findings.unjudged.iter();
        let rules = rules.filter(|(_, missing)| missing.iter().any(|one| is_it(one.kind, &one.namespace)));
        rules.map(|(rule, _)| *rule).collect()
    };
    let readings = coverage_out(snapshot.coverage()).into_iter().enumerate();
    readings.map(|(at, reading)| AuditCoverageOut { reading, unjudged_rules: lacking(at) }).collect()
}
