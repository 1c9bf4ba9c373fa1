//! `audit`: what is wrong, its root, and what follows from it.

use super::gather::{Evidence, Gathered, Question, gather, keeps_from_judging};
use super::rules::unknown;
use super::scope::{is_of, object_belongs_to};
use super::{Status, named, offer};
use crate::cli::{AuditArgs, GlobalArgs, parse_objects};
use crate::diagnosis::{
    Diagnosis, Finding, Risk, Rule, Scrutiny, Severity, Suppression, diagnose_named, matches_glob, rules,
};
use crate::engines::simulation;
use crate::error::Error;
use crate::model::{Kind, ObjectKey, parse_label_filter};
use crate::report::audit::{Audited, Printed, ReportFormat as Format, closing_words, unmatched_words};
use crate::source::suppressions::{baseline, suppressions};
use crate::terminal::Terminal;
use std::collections::BTreeSet;
use std::path::Path;

/// The kinds of which somebody may name an object here.
const KINDS: [Kind; 2] = [Kind::PersistentVolume, Kind::PersistentVolumeClaim];

/// Looks and prints.
pub(super) fn run(args: &AuditArgs, global: &GlobalArgs, terminal: &Terminal) -> Result<Status, Error> {
    let threshold = Threshold::of(&args.fail_on)?;
    let words = parse_objects(&args.objects, &KINDS)?;
    if !words.is_empty() && global.scope.selector.is_some() {
        return Err(Error::usage("-l does not go with names of objects"));
    }
    let chosen = chosen_rules(args)?;
    let filter = global
        .scope
        .selector
        .as_deref()
        .map(|text| parse_label_filter(text).map_err(|error| Error::usage(format!("--selector: {error}"))))
        .transpose()?;
    let reads = |kind: Kind| chosen.iter().any(|rule| rule.detect.kind() == kind || rule.reads.contains(&kind));
    let surroundings: Vec<Kind> = Kind::SURROUNDING.into_iter().filter(|kind| reads(*kind)).collect();
    let evidence = Evidence {
        nodes: true,
        pods: reads(Kind::Pod),
        recyclers: reads(Kind::Pod),
        lease: reads(Kind::Lease),
        surroundings: &surroundings,
        ..Evidence::default()
    };
    let question =
        Question { source: &args.source, model: &args.model, global, object: None, pods_decide: true, evidence };
    question.check()?;
    args.table.check(&args.output.columns(args.all))?;
    let suppressions = read_suppressions(args)?;
    let known = args.baseline.as_deref().map(baseline).transpose()?;
    let gathered = gather(question, terminal)?;
    let settings = gathered.modelled.settings(&gathered.snapshot, &args.model, false)?;
    terminal.progress().step("looking", 0);
    let simulation = simulation(&gathered.snapshot, settings, gathered.threads);
    let snapshot = &gathered.snapshot;
    // Classes and nodes are everybody's; labels choose among volumes and claims.
    let labelled: Option<BTreeSet<ObjectKey>> = filter.map(|filter| {
        let volumes = snapshot.volumes().iter().map(|volume| &volume.meta.labels);
        let claims = snapshot.claims().iter().map(|claim| &claim.meta.labels);
        let labels = volumes.chain(claims);
        let keys = simulation.targets().map(|target| snapshot.key(target));
        keys.zip(labels).filter(|(_, labels)| filter.matches(labels)).map(|(key, _)| key).collect()
    });
    let named = named::with_ties(snapshot, &words, gathered.named_namespace())?;
    let is_named = |object: &ObjectKey| named.as_ref().is_some_and(|named| named.contains(object));
    // What is looked at, and what it may rest on.
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
    let scrutiny = Scrutiny { rules: &chosen, suppressions: &suppressions, scope: &in_scope };
    let mut diagnosis = diagnose_named(&simulation, scrutiny, &is_named, gathered.threads);
    let concerned = diagnosis.narrow(&is_own);
    let all_in_scope: Vec<&Finding> = concerned.iter().filter_map(|place| diagnosis.findings.get(*place)).collect();
    let is_old = |finding: &&&Finding| args.min_age.is_none_or(|least| is_older(finding, least, &gathered));
    let is_known = |finding: &Finding| {
        let known = known.as_ref().and_then(|known| known.get(&finding.fingerprint()));
        known.is_some_and(|severity| {
            Severity::ALL.iter().any(|one| one.as_str() == severity && *one <= finding.severity)
        })
    };
    let old: Vec<&Finding> = all_in_scope.iter().filter(is_old).copied().collect();
    let shown: Vec<&Finding> = old.iter().filter(|finding| !is_known(finding)).copied().collect();
    let left_out = [old.len() - shown.len(), all_in_scope.len() - old.len()];
    let targets = || simulation.targets().map(|target| snapshot.key(target)).filter(|key| is_own(key));
    let claims = targets().filter(|key| key.kind == Kind::PersistentVolumeClaim).count();
    let looked_at = [targets().count() - claims, claims];
    if !suppressions.is_empty() {
        let is_of_a_rule = |entry: &&Suppression| rules::all().iter().any(|rule| matches_glob(&entry.rule, rule.id));
        for entry in suppressions.iter().filter(|entry| !is_of_a_rule(entry)) {
            terminal.message(&format!("warning: the suppression of {} is of no rule that exists", entry.rule));
        }
    }
    for entry in suppressions.iter().filter(|entry| entry.has_expired(snapshot.now())) {
        terminal.message(&format!(
            "warning: the suppression of {} ({}) has expired, and suppresses nothing",
            entry.rule, entry.reason
        ));
    }
    // Of what was not looked at nobody can say that it is well.
    let everything = gathered.namespace.is_none()
        && named.is_none()
        && labelled.is_none()
        && chosen.len() == rules::all().len()
        && !gathered.dropped()
        && !gathered.unlisted(&JUDGED);
    let is_idle = |entry: &&Suppression| everything && entry.is_idle(snapshot.now(), &diagnosis);
    let unmatched: Vec<&Suppression> = suppressions.iter().filter(is_idle).collect();
    if let Some(note) = unmatched_words(&unmatched) {
        terminal.message(&note);
    }
    let model = gathered.modelled.document();
    let audited = Audited {
        snapshot,
        diagnosis: &diagnosis,
        shown: &shown,
        looked_at,
        left_out,
        unmatched: &unmatched,
        is_named: named.is_some(),
    };
    let is_table = args.output.is_table();
    if is_table {
        for note in &gathered.notes {
            terminal.message(note);
        }
        if let Some(note) = assumed(&shown) {
            terminal.message(&note);
        }
    }
    let printed = Printed {
        audited: &audited,
        model: &model,
        rules: &chosen,
        all: args.all,
        fails: &|finding| threshold.counts(finding),
        view: args.table.view(terminal.width()),
    };
    let mut output = terminal.output();
    args.output.render(printed, |text| output.print(text))?;
    // What is said of a table stands below it, and is not said at all where nobody reads it.
    output.finish()?;
    if is_table {
        terminal.message(&closing_words(&audited, args.all, args.output == Format::Wide));
        if let Some(note) = unjudged(&diagnosis) {
            terminal.message(&note);
        }
        // What is read from files nobody can repair.
        if args.source.filenames.is_empty()
            && let Some(line) = offer::of_findings(&simulation, &shown, &args.objects, global)
        {
            terminal.message(&line);
        }
    }
    Ok(threshold.status(args, &gathered, &audited))
}

/// The kinds without which nothing can be judged.
const JUDGED: [Kind; 3] = [Kind::PersistentVolume, Kind::PersistentVolumeClaim, Kind::StorageClass];

/// From when on the exit code says that something was found.
struct Threshold {
    severity: Option<Severity>,
    unknown: bool,
    rules: BTreeSet<&'static str>,
}

impl Threshold {
    fn of(words: &[String]) -> Result<Self, Error> {
        let mut threshold = Self { severity: None, unknown: false, rules: BTreeSet::new() };
        for word in words {
            if let Some(severity) = Severity::ALL.into_iter().find(|severity| severity.as_str() == word) {
                // The mildest one that is named includes the others.
                threshold.severity = threshold.severity.max(Some(severity));
            } else if word == "unknown" {
                threshold.unknown = true;
            } else {
                let named: Vec<&str> =
                    rules::all().iter().map(|rule| rule.id).filter(|id| matches_glob(word, id)).collect();
                if named.is_empty() {
                    return Err(Error::usage(format!("--fail-on {word}: there is no such severity and no such rule"))
                        .hint("it takes error, warning, info, unknown and ids of rules; --exit-zero never fails"));
                }
                threshold.rules.extend(named);
            }
        }
        // Whoever asks for unknown or for a rule asks for errors as well.
        if threshold.rules.is_empty() {
            threshold.severity.get_or_insert(Severity::Error);
        }
        Ok(threshold)
    }

    /// Whether the exit code speaks of that finding.
    fn counts(&self, finding: &Finding) -> bool {
        let is_bad = self.severity.is_some_and(|severity| finding.severity <= severity);
        finding.suppressed.is_none() && (is_bad || self.rules.contains(finding.rule.id))
    }

    fn status(&self, args: &AuditArgs, gathered: &Gathered, audited: &Audited<'_>) -> Status {
        let hides = |kind: Kind| self.unknown || keeps_from_judging(kind);
        let unjudged = audited.diagnosis.unjudged.values().flatten().any(|missing| hides(missing.kind))
            || gathered.dropped()
            || gathered.unlisted(&JUDGED);
        if args.exit_zero {
            Status::Done
        } else if unjudged {
            Status::Unjudged
        } else if audited.shown.iter().any(|finding| self.counts(finding)) {
            Status::Findings
        } else {
            Status::Done
        }
    }
}

/// The file of suppressions in the working directory, which is read where no other one is named.
const SUPPRESSIONS: &str = ".pvctl.yaml";

/// What is to be kept back. A file that somebody names has to be there.
fn read_suppressions(args: &AuditArgs) -> Result<Vec<Suppression>, Error> {
    match &args.suppressions {
        Some(path) => suppressions(path)?
            .ok_or_else(|| Error::unreadable(format!("--suppressions {}: there is no such file", path.display()))),
        None => Ok(suppressions(Path::new(SUPPRESSIONS))?.unwrap_or_default()),
    }
}

/// The rules that were asked for, in their order.
fn chosen_rules(args: &AuditArgs) -> Result<Vec<&'static Rule>, Error> {
    let find = |flag: &str, words: &[String]| -> Result<BTreeSet<&'static str>, Error> {
        let mut ids = BTreeSet::new();
        for word in words {
            let before = ids.len();
            ids.extend(rules::all().iter().map(|rule| rule.id).filter(|id| matches_glob(word, id)));
            if ids.len() == before && !rules::all().iter().any(|rule| matches_glob(word, rule.id)) {
                return Err(unknown(flag, word));
            }
        }
        Ok(ids)
    };
    let (wanted, skipped) = (find("--rules", &args.rules)?, find("--skip-rules", &args.skip_rules)?);
    let is_chosen = |rule: &&&Rule| (args.rules.is_empty() || wanted.contains(rule.id)) && !skipped.contains(rule.id);
    let chosen: Vec<&'static Rule> = rules::all().iter().filter(is_chosen).copied().collect();
    if chosen.is_empty() {
        return Err(Error::usage("--rules and --skip-rules leave no rule to look with"));
    }
    Ok(chosen)
}

/// Whether it has been so for that many seconds, as far as anybody can tell; data at imminent risk cannot wait.
fn is_older(finding: &Finding, least: i64, gathered: &Gathered) -> bool {
    let lasted = gathered.snapshot.now().zip(finding.since).map(|(now, since)| now.seconds_since(since));
    finding.risk == Risk::Imminent || lasted.is_none_or(|lasted| lasted >= least)
}

/// What the input may lack, and what that takes away from the findings.
fn assumed(shown: &[&Finding]) -> Option<String> {
    let resting: Vec<&&Finding> = shown.iter().filter(|finding| !finding.assumed.is_empty()).collect();
    let kinds: BTreeSet<Kind> = resting.iter().flat_map(|finding| &finding.assumed).map(|one| one.kind).collect();
    let kinds: Vec<&str> = kinds.into_iter().map(Kind::resource).collect();
    (!resting.is_empty()).then(|| {
        format!(
            "note: {} on there being no other {} than those in the input: no error and no command comes of that; \
             --assume-complete confirms that there are none, --partial denies it",
            if resting.len() == 1 {
                "one finding rests".to_owned()
            } else {
                format!("{} findings rest", resting.len())
            },
            kinds.join(", ")
        )
    })
}

/// How many rules could not be judged for want of which readings, in one sentence: a warning, where what decides was
/// not read. What stands around volumes and claims only adds to what is known of them, and few files hold it.
fn unjudged(diagnosis: &Diagnosis) -> Option<String> {
    let kinds: BTreeSet<Kind> = diagnosis.unjudged.values().flatten().map(|missing| missing.kind).collect();
    if kinds.is_empty() {
        return None;
    }
    let lead = if kinds.iter().all(|kind| kind.is_surrounding()) { "note" } else { "warning" };
    let names: Vec<&str> = kinds.into_iter().map(Kind::resource).collect();
    let rules = match diagnosis.unjudged.len() {
        1 => "one rule".to_owned(),
        several => format!("{several} rules"),
    };
    let how = if lead == "note" { ", and kubectl pvctl snapshot reads what they need" } else { "" };
    Some(format!(
        "{lead}: without all {} {rules} could not be judged everywhere; -o json names them{how}",
        names.join(", ")
    ))
}
