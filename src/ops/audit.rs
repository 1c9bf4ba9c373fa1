//! `audit`: reports what is wrong, the roots, and the consequences.

use super::gather::{Evidence, Gathered, JUDGED, Question, ReadOptions, keeps_from_judging};
use super::rules::{matching, reads};
use super::scope::{is_of, object_belongs_to};
use super::{Status, named, offer};
use crate::diagnosis::{AuditSettings, Finding, Risk, Rule, Severity, Suppression, diagnose_named, rules};
use crate::engines::simulation;
use crate::error::Error;
use crate::model::{Kind, LabelFilter, ObjectArgument, ObjectKey, Timestamp};
use crate::progress::Progress;
use crate::report::audit::{Audited, unmatched_words};
use crate::report::shared::machine::Model;
use std::collections::{BTreeMap, BTreeSet};

/// The kinds of objects that a person can name for this verb.
pub const KINDS: [Kind; 2] = [Kind::PersistentVolume, Kind::PersistentVolumeClaim];

/// The word of `--fail-on` for objects that could not be judged.
pub const UNJUDGED: &str = "unknown";

/// The options of an audit.
#[derive(Debug)]
pub struct AuditOptions {
    /// The objects that were named. If there are none, all objects in scope are audited.
    pub objects: Vec<ObjectArgument>,
    /// The rules to apply, in order.
    pub rules: Vec<&'static Rule>,
    /// The labels that a volume or claim must have.
    pub labels: Option<LabelFilter>,
    /// The options for reading and judging objects.
    pub read: ReadOptions,
    /// The minimum number of seconds for which a problem must have existed.
    pub min_age: Option<i64>,
    /// The suppressions.
    pub suppressions: Vec<Suppression>,
    /// The findings of an earlier audit: for each fingerprint the severity.
    pub baseline: Option<BTreeMap<String, String>>,
    /// The threshold: which findings change the exit code.
    pub threshold: Threshold,
    /// Whether the status ignores the findings, and what could not be judged.
    pub exit_zero: bool,
    /// Whether the run counts the repairs that `fix` has.
    pub offers: bool,
}

/// The answer of an audit, as it is shown.
#[derive(Debug)]
pub struct Answer<'a> {
    /// The findings, and what was audited.
    pub audited: Audited<'a>,
    /// The Kubernetes version and settings that were modelled.
    pub model: Model,
    /// Warnings about suppressions, one sentence each.
    pub warnings: Vec<String>,
    /// Notes about the reading, one sentence each.
    pub notes: &'a [String],
    /// The number of repairs that `fix` has. It is 0 if they were not counted.
    pub repairs: usize,
}

impl AuditOptions {
    /// Returns the question to a source. `surroundings` are the surrounding kinds that the rules read.
    pub fn question<'a>(&'a self, surroundings: &'a [Kind]) -> Question<'a> {
        let evidence = Evidence::of_rules(&self.rules, surroundings);
        Question { evidence, ..self.read.question() }
    }

    /// Returns the surrounding kinds that the rules read.
    pub fn surroundings(&self) -> Vec<Kind> {
        reads(&self.rules)
    }
}

/// Audits the objects that were read, and calls `show` with the answer.
///
/// # Errors
/// Returns an error if a named object does not exist, or if `show` fails.
pub fn audit(
    options: &AuditOptions,
    gathered: &Gathered,
    progress: &dyn Progress,
    show: impl FnOnce(&Answer<'_>) -> Result<(), Error>,
) -> Result<Status, Error> {
    let suppressions = options.suppressions.as_slice();
    let settings = gathered.modelled.settings(&gathered.snapshot, &options.read.model, false)?;
    if let Some(deleted) = gathered.snapshot.deleted().first() {
        let key = gathered.snapshot.key(*deleted);
        return Err(Error::usage(format!("--stale {key}: there is no such object in what was read")).hint(
            "an audit judges the objects that exist; predict and explain also say what follows from a deletion that the \
             controller has not handled",
        ));
    }
    progress.step("looking", 0);
    let simulation = simulation(&gathered.snapshot, settings, gathered.threads);
    let snapshot = &gathered.snapshot;
    // The labels select only volumes and claims. Objects of other kinds are always examined.
    let labelled: Option<BTreeSet<ObjectKey>> = options.labels.as_ref().map(|labels_wanted| {
        let volumes = snapshot.volumes().iter().map(|volume| &volume.meta.labels);
        let claims = snapshot.claims().iter().map(|claim| &claim.meta.labels);
        let labels = volumes.chain(claims);
        let keys = simulation.targets().map(|target| snapshot.key(target));
        keys.zip(labels).filter(|(_, labels)| labels_wanted.matches(labels)).map(|(key, _)| key).collect()
    });
    let named = named::with_ties(snapshot, &options.objects, gathered.named_namespace())?;
    let is_named = |object: &ObjectKey| named.as_ref().is_some_and(|named| named.contains(object));
    // The scope contains the audited objects and the objects on which their findings may depend.
    let in_scope = |object: &ObjectKey| {
        let has_labels = |labelled: &BTreeSet<ObjectKey>| {
            !matches!(object.kind, Kind::PersistentVolume | Kind::PersistentVolumeClaim) || labelled.contains(object)
        };
        gathered.namespace.as_deref().is_none_or(|namespace| object_belongs_to(&simulation, object, namespace))
            && labelled.as_ref().is_none_or(has_labels)
            && (named.is_none() || is_named(object) || !KINDS.contains(&object.kind))
    };
    let is_own = |object: &ObjectKey| {
        let namespace = gathered.namespace.as_deref();
        (named.is_some() || namespace.is_none_or(|namespace| is_of(&simulation, object, namespace)))
            && labelled.as_ref().is_none_or(|labelled| labelled.contains(object))
            && (named.is_none() || is_named(object))
    };
    let scrutiny =
        AuditSettings { rules: &options.rules, suppressions, scope: &in_scope, providers: &gathered.providers };
    let mut findings = diagnose_named(&simulation, scrutiny, &is_named, gathered.threads);
    let concerned = findings.narrow(&is_own);
    let all_in_scope: Vec<&Finding> = concerned.iter().filter_map(|place| findings.listed.get(*place)).collect();
    let is_old = |finding: &&&Finding| options.min_age.is_none_or(|least| is_older(finding, least, gathered));
    let is_known = |finding: &Finding| {
        let known = options.baseline.as_ref().and_then(|known| known.get(&finding.fingerprint()));
        known.is_some_and(|severity| {
            Severity::ALL.iter().any(|one| one.as_str() == severity && *one <= finding.severity)
        })
    };
    let old: Vec<&Finding> = all_in_scope.iter().filter(is_old).copied().collect();
    let shown: Vec<&Finding> = old.iter().filter(|finding| !is_known(finding)).copied().collect();
    let left_out = [old.len() - shown.len(), all_in_scope.len() - old.len()];
    let targets = || simulation.targets().map(|target| snapshot.key(target)).filter(|key| is_own(key));
    let looked_at = [Kind::PersistentVolume, Kind::PersistentVolumeClaim]
        .map(|kind| targets().filter(|key| key.kind == kind).count());
    // A suppression is reported as unused only if everything was audited.
    let everything = gathered.namespace.is_none()
        && named.is_none()
        && labelled.is_none()
        && options.rules.len() == rules::all().len()
        && !gathered.dropped()
        && !gathered.unlisted(&JUDGED);
    let is_idle = |entry: &&Suppression| everything && entry.is_idle(snapshot.now(), &findings);
    let unmatched: Vec<&Suppression> = suppressions.iter().filter(is_idle).collect();
    let warnings = warnings(suppressions, snapshot.now()).chain(unmatched_words(&unmatched)).collect();
    let audited = Audited {
        simulation: &simulation,
        snapshot,
        findings: &findings,
        shown: &shown,
        looked_at,
        left_out,
        unmatched: &unmatched,
        is_named: named.is_some(),
    };
    let repairs = if options.offers { offer::repairs_of(&simulation, &shown, &gathered.providers) } else { 0 };
    let model = gathered.modelled.document();
    show(&Answer { audited, model, warnings, notes: &gathered.notes, repairs })?;
    Ok(options.status(gathered, &audited))
}

/// Returns warnings about suppressions that match no rule, and about those that have expired.
fn warnings(suppressions: &[Suppression], now: Option<Timestamp>) -> impl Iterator<Item = String> {
    let of_no_rule = suppressions
        .iter()
        .filter(|entry| matching(&entry.rule).next().is_none())
        .map(|entry| format!("warning: the suppression of {} matches no rule", entry.rule));
    let expired = suppressions.iter().filter(move |entry| entry.has_expired(now)).map(|entry| {
        let Suppression { rule, reason, .. } = entry;
        format!("warning: the suppression of {rule} ({reason}) has expired, so it suppresses nothing")
    });
    of_no_rule.chain(expired)
}

/// The findings that make the run exit with 1, and whether any unjudged rule makes it exit with 3.
#[derive(Clone, Debug)]
pub struct Threshold {
    severity: Option<Severity>,
    unknown: bool,
    rules: BTreeSet<&'static str>,
}

impl Threshold {
    /// Parses the words of `--fail-on`: severities, `unknown`, and rules.
    ///
    /// # Errors
    /// Returns a usage error that names the wrong word.
    pub fn of(words: &[String]) -> Result<Self, Error> {
        let mut threshold = Self { severity: None, unknown: false, rules: BTreeSet::new() };
        for word in words {
            if let Some(severity) = Severity::ALL.into_iter().find(|severity| severity.as_str() == word) {
                // If several severities are named, the mildest one is used, because it includes the others.
                threshold.severity = threshold.severity.max(Some(severity));
            } else if word == UNJUDGED {
                threshold.unknown = true;
            } else {
                let named: Vec<&str> = matching(word).map(|rule| rule.id).collect();
                if named.is_empty() {
                    return Err(Error::usage(format!("--fail-on {word}: there is no such severity and no such rule"))
                        .hint(
                            "it takes error, warning, info, unknown and ids of rules; with --exit-zero, findings do \
                               not change the exit code",
                        ));
                }
                threshold.rules.extend(named);
            }
        }
        // If neither a severity nor a rule is named, the threshold is `error`.
        if threshold.rules.is_empty() {
            threshold.severity.get_or_insert(Severity::Error);
        }
        Ok(threshold)
    }

    /// Returns whether the finding changes the exit code.
    pub fn counts(&self, finding: &Finding) -> bool {
        let is_bad = self.severity.is_some_and(|severity| finding.severity <= severity);
        finding.suppressed.is_none() && (is_bad || self.rules.contains(finding.rule.id))
    }
}

impl AuditOptions {
    fn status(&self, gathered: &Gathered, audited: &Audited<'_>) -> Status {
        let hides = |kind: Kind| self.threshold.unknown || keeps_from_judging(kind);
        let unjudged = audited.findings.unjudged.values().flatten().any(|missing| hides(missing.kind))
            || gathered.dropped()
            || gathered.unlisted(&JUDGED);
        if self.exit_zero {
            Status::Done
        } else if unjudged {
            Status::Unjudged
        } else if audited.shown.iter().any(|finding| self.threshold.counts(finding)) {
            Status::Findings
        } else {
            Status::Done
        }
    }
}

/// Returns whether the problem has existed for at least that number of seconds, or its age is unknown. The result is
/// always true if there is an imminent risk to data.
fn is_older(finding: &Finding, least: i64, gathered: &Gathered) -> bool {
    let lasted = gathered.snapshot.now().zip(finding.since).map(|(now, since)| now.seconds_since(since));
    finding.risk == Risk::Imminent || lasted.is_none_or(|lasted| lasted >= least)
}
