//! `Report`: what audit found, as data and as a table.

mod github;
mod junit;
mod markdown;
mod prometheus;
mod sarif;

pub use github::github;
pub use junit::junit;
pub use markdown::markdown;
pub use prometheus::prometheus;
pub use sarif::sarif;

use super::machine::{API_VERSION, CoverageOut, Model, coverage_out};
use super::prediction::AssumedOut;
use super::table::Table;
use super::why::counted;
use crate::diagnosis::{Diagnosis, Evidence, Finding, Remedy, Severity, Suppression, Unread};
use crate::model::ObjectKey;
use crate::snapshot::Snapshot;
use crate::snapshot::printed;
use crate::text::human_age;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};

/// What was looked at, and what of it is shown.
#[derive(Clone, Copy, Debug)]
pub struct Audited<'a> {
    /// What was looked at.
    pub snapshot: &'a Snapshot,
    /// Everything that was found.
    pub diagnosis: &'a Diagnosis,
    /// The findings in scope, in their order.
    pub shown: &'a [&'a Finding],
    /// How many volumes and claims are in scope.
    pub looked_at: [usize; 2],
    /// How many findings are left out because a baseline has them, and because they are too young.
    pub left_out: [usize; 2],
    /// The suppressions of a file that keep nothing back, where everything was looked at.
    pub unmatched: &'a [&'a Suppression],
    /// Whether somebody named objects: of these also that is listed which may come right by itself, or was asked for.
    pub is_named: bool,
}

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

/// The findings that nobody wants to be kept back.
fn open<'f, 'a>(shown: &'f [&'a Finding]) -> impl Iterator<Item = &'a Finding> + 'f {
    shown.iter().copied().filter(|finding| finding.suppressed.is_none())
}

/// The resources that were not read, each once.
fn unread(missing: &BTreeSet<Unread>) -> String {
    let kinds: BTreeSet<&str> = missing.iter().map(|one| one.kind.resource()).collect();
    kinds.into_iter().collect::<Vec<_>>().join(", ")
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

/// The columns of the table.
pub fn columns(all: bool, wide: bool) -> Vec<&'static str> {
    let mut columns = vec!["NAMESPACE", "NAME", "SEVERITY", "DATA", "RULE"];
    columns.extend([if all { "CAUSE" } else { "AFFECTS" }, "WHY", "AGE"]);
    // Behind AGE, where kubectl has what only -o wide shows: nothing has to be aligned after a long command.
    if wide {
        columns.push("TRY");
    }
    columns
}

/// The roots, the worst first, each with what it drags along; or all findings in their order, each with its cause.
pub fn table(audited: &Audited<'_>, all: bool, wide: bool) -> Table {
    let Audited { snapshot, diagnosis, .. } = *audited;
    let mut table = Table::new(columns(all, wide));
    for finding in worst_first(audited, all) {
        let relation = if all { cause(diagnosis, finding) } else { affected(finding) };
        let age = match (snapshot.now(), finding.since) {
            (Some(now), Some(since)) => human_age(now.seconds_since(since)),
            _ => "<unknown>".to_owned(),
        };
        let ObjectKey { kind, namespace, name } = &finding.object;
        let mut row = vec![
            namespace.to_string(),
            format!("{}/{name}", kind.short()),
            finding.severity.as_str().to_owned(),
            finding.risk.as_str().to_owned(),
            finding.rule.id.to_owned(),
            relation,
            finding.message.clone(),
            age,
        ];
        if wide {
            let first = finding.remedies.first();
            row.push(
                first
                    .map(|remedy| if remedy.command.is_empty() { &remedy.does } else { &remedy.command })
                    .cloned()
                    .unwrap_or_default(),
            );
        }
        table.row(row);
    }
    table
}

/// What is listed, the worst first: all findings, or the roots that are no mere information.
fn worst_first<'a>(audited: &Audited<'a>, all: bool) -> Vec<&'a Finding> {
    let Audited { diagnosis, shown, .. } = *audited;
    let mut listed: Vec<&Finding> = if all { open(shown).collect() } else { lines(audited) };
    // What follows stands below its root, as bad as it may be.
    let order = |finding: &'a Finding| {
        let root = diagnosis.findings.get(finding.role.root).unwrap_or(finding);
        (root.gravity(), !std::ptr::eq(root, finding), finding.gravity())
    };
    listed.sort_by(|a, b| order(a).cmp(&order(b)));
    listed
}

/// One line for each root that is shown, and for what is worse for data than its root; for what is shown and has a root
/// that is not, the worst on its object. What is mere information has none, unless somebody named the object and it may
/// come right by itself or was asked for.
fn lines<'a>(audited: &Audited<'a>) -> Vec<&'a Finding> {
    let Audited { diagnosis, shown, is_named, .. } = *audited;
    let mut worst: BTreeMap<&ObjectKey, &Finding> = BTreeMap::new();
    for finding in open(shown) {
        worst.entry(&finding.object).or_insert(finding);
    }
    let is_shown = |root: &&Finding| open(shown).any(|finding| std::ptr::eq(finding, *root));
    let mut listed: BTreeMap<(&ObjectKey, &str), &Finding> = BTreeMap::new();
    let is_told = |finding: &Finding| {
        finding.severity != Severity::Info || (is_named && (finding.is_early || finding.is_asked_for()))
    };
    for finding in worst.values().filter(|finding| is_told(finding)) {
        let root = diagnosis.findings.get(finding.role.root);
        let line = if finding.role.is_root { finding } else { root.filter(is_shown).unwrap_or(finding) };
        listed.insert((&line.object, line.rule.id), line);
    }
    listed.into_values().collect()
}

/// The objects that are not well because of a root: one by name, several by number.
fn affected(finding: &Finding) -> String {
    match finding.role.drags.as_slice() {
        [] => String::new(),
        [one] => one.to_string(),
        several => counted(several.len(), "object"),
    }
}

/// What a finding follows from.
fn cause(diagnosis: &Diagnosis, finding: &Finding) -> String {
    let cause = |place: &usize| {
        let cause = &diagnosis.findings[*place];
        format!("{} ({})", cause.object, cause.rule.id)
    };
    finding.role.caused_by.iter().map(cause).collect::<Vec<_>>().join(", ")
}

/// How much is listed, in words.
pub fn summary_words(audited: &Audited<'_>, all: bool) -> String {
    let Audited { shown, looked_at: [volumes, claims], left_out: [known, young], .. } = *audited;
    let looked = format!("{} and {}", counted(volumes, "volume"), counted(claims, "claim"));
    let listed = worst_first(audited, all);
    let of = |severity: Severity| listed.iter().filter(|finding| finding.severity == severity).count();
    let parts = Severity::ALL.map(|severity| (of(severity), severity.as_str()));
    let parts = parts.iter().filter(|(count, _)| *count > 0);
    let parts: Vec<String> = parts
        .map(|(count, word)| if *word == "info" { format!("{count} info") } else { counted(*count, word) })
        .collect();
    let kept_back = match shown.len() - open(shown).count() {
        0 => String::new(),
        count => format!(" {} suppressed.", counted(count, "finding")),
    };
    let known = if known == 0 { String::new() } else { format!(" {known} more in the baseline.") };
    let young = if young == 0 { String::new() } else { format!(" {young} more younger than --min-age.") };
    let found = match parts.as_slice() {
        [] if open(shown).next().is_some() => "Nothing is wrong".to_owned(),
        [] => "Nothing was found".to_owned(),
        parts => parts.join(", "),
    };
    format!("{found} on {looked}.{kept_back}{known}{young}")
}

/// Which suppressions keep nothing back, in words.
pub fn unmatched_words(unmatched: &[&Suppression]) -> Option<String> {
    let named = |entry: &&Suppression| {
        let part = |word: &str, pattern: &Option<String>| {
            pattern.as_ref().map(|pattern| format!(" {word} {pattern}")).unwrap_or_default()
        };
        let (object, namespace) = (part("on", &entry.object), part("in", &entry.namespace));
        format!("{}{object}{namespace} ({})", entry.rule, entry.reason)
    };
    let names: Vec<String> = unmatched.iter().map(named).collect();
    (!names.is_empty()).then(|| {
        format!(
            "note: {} matched nothing, and can go unless misspelt: {}",
            counted(names.len(), "suppression"),
            names.join("; ")
        )
    })
}

/// The same as [`summary_words`], with what the table leaves out.
pub fn closing_words(audited: &Audited<'_>, all: bool, wide: bool) -> String {
    let Audited { shown, .. } = *audited;
    let summary = summary_words(audited, all);
    let hidden = open(shown).count().saturating_sub(lines(audited).len());
    let rest = match if all { 0 } else { hidden } {
        0 => String::new(),
        1 => {
            " --all shows one more, which follows from another, comes second on an object, or only informs.".to_owned()
        }
        more => {
            format!(" --all shows {more} more, which follow from others, come second on an object, or only inform.")
        }
    };
    let going: BTreeSet<&ObjectKey> =
        open(shown).filter(|finding| finding.is_asked_for()).map(|finding| &finding.object).collect();
    let going = match going.len() {
        0 => String::new(),
        1 => " Data go with one object (asked for); --all shows it.".to_owned(),
        more => format!(" Data go with {more} objects (asked for); --all shows them."),
    };
    let rules = match (open(shown).next(), wide) {
        (None, _) => "",
        (Some(_), false) => " -o wide adds what to try first; kubectl pvctl rules ID explains a rule.",
        (Some(_), true) => " kubectl pvctl rules ID explains a rule.",
    };
    format!("{summary}{going}{rest}{rules}")
}
