//! Sentences about an audit: how much was found, and which rules could not be judged.

use super::listing::{Audited, lines, open, worst_first};
use crate::diagnosis::reason::counted;
use crate::diagnosis::{Finding, Findings, Severity, Suppression};
use crate::model::{Kind, ObjectKey};
use std::collections::BTreeSet;

/// Returns a sentence that says how many findings are listed.
pub(super) fn summary_words(audited: &Audited<'_>, all: bool) -> String {
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
    let young = if young == 0 { String::new() } else { format!(" {young} more, younger than --min-age.") };
    let found = match parts.as_slice() {
        [] if open(shown).next().is_some() => "Nothing is wrong".to_owned(),
        [] => "Nothing was found".to_owned(),
        parts => parts.join(", "),
    };
    format!("{found} on {looked}.{kept_back}{known}{young}")
}

/// Returns a sentence that names these suppressions, which match no finding. Returns `None` if there are none.
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
            "note: {} matched nothing, and can be removed unless misspelt: {}",
            counted(names.len(), "suppression"),
            names.join("; ")
        )
    })
}

/// Returns a text that says how many findings are listed, like [`summary_words`], and what the table leaves out.
pub fn summary_with_omissions(audited: &Audited<'_>, all: bool, wide: bool) -> String {
    let Audited { shown, .. } = *audited;
    let summary = summary_words(audited, all);
    let hidden = open(shown).count().saturating_sub(lines(audited).len());
    let rest = match if all { 0 } else { hidden } {
        0 => String::new(),
        1 => " --all shows one more: it follows from another finding, is not the worst one on its object, or only \
             informs."
            .to_owned(),
        more => {
            format!(
                " --all shows {more} more: they follow from others, are not the worst on their object, or only \
                 inform."
            )
        }
    };
    let going: BTreeSet<&ObjectKey> =
        open(shown).filter(|finding| finding.is_asked_for()).map(|finding| &finding.object).collect();
    let going = match going.len() {
        0 => String::new(),
        1 => format!(
            " The data of one object are deleted, as somebody asked{}.",
            if all { "" } else { "; --all shows it" }
        ),
        more => {
            let where_to_see = if all { "" } else { "; --all shows them" };
            format!(" The data of {more} objects are deleted, as somebody asked{where_to_see}.")
        }
    };
    let rules = match (open(shown).next(), wide) {
        (None, _) => "",
        (Some(_), false) => " -o wide adds what to try first; kubectl pvctl rules ID explains a rule.",
        (Some(_), true) => " kubectl pvctl rules ID explains a rule.",
    };
    format!("{summary}{going}{rest}{rules}")
}

/// Returns a sentence that says what was assumed to be absent. Returns `None` if no finding rests on such an
/// assumption. A finding that rests on one is at most a warning, and its commands do no harm if the assumption is
/// wrong.
pub fn assumed_words(shown: &[&Finding]) -> Option<String> {
    let resting: Vec<&&Finding> = shown.iter().filter(|finding| !finding.assumed.is_empty()).collect();
    let kinds: BTreeSet<Kind> = resting.iter().flat_map(|finding| &finding.assumed).map(|one| one.kind).collect();
    let kinds: Vec<&str> = kinds.into_iter().map(Kind::resource).collect();
    (!resting.is_empty()).then(|| {
        format!(
            "note: {} on the assumption that the input holds all {}: such findings are at most warnings, with only \
             safe commands; --assume-complete states that it does, --partial that it does not",
            if resting.len() == 1 {
                "one finding rests".to_owned()
            } else {
                format!("{} findings rest", resting.len())
            },
            kinds.join(", ")
        )
    })
}

/// Returns a sentence that says how many rules could not be judged, and which kinds were not read. Returns `None` if
/// every rule was judged.
///
/// The sentence is a note if only surrounding kinds were not read, because few files contain these kinds. Otherwise it
/// is a warning, because the missing kind influences decisions about volumes and claims.
pub fn unjudged_words(findings: &Findings) -> Option<String> {
    let kinds: BTreeSet<Kind> = findings.unjudged.values().flatten().map(|missing| missing.kind).collect();
    if kinds.is_empty() {
        return None;
    }
    let lead = if kinds.iter().all(|kind| kind.is_surrounding()) { "note" } else { "warning" };
    let names: Vec<&str> = kinds.into_iter().map(Kind::resource).collect();
    let rules = match findings.unjudged.len() {
        1 => "one rule".to_owned(),
        several => format!("{several} rules"),
    };
    let how = if lead == "note" { ", and kubectl pvctl snapshot reads the objects that they need" } else { "" };
    Some(format!(
        "{lead}: because not all {} were read, {rules} could not be judged everywhere; -o json names them{how}",
        names.join(", ")
    ))
}
