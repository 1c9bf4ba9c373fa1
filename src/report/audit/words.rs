//! How much was found, in sentences.

use super::listing::{Audited, lines, open, worst_first};
use crate::diagnosis::{Severity, Suppression};
use crate::model::ObjectKey;
use crate::report::shared::why::counted;
use std::collections::BTreeSet;

/// How much is listed, in words.
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
