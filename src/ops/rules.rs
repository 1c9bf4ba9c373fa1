//! The selection of rules, and the kinds that rules read.

use crate::diagnosis::{Rule, matches_glob, rules};
use crate::error::Error;
use crate::model::Kind;
use crate::text::nearest;
use std::collections::BTreeSet;

/// The maximum number of similar ids that are offered for an id that does not exist.
const OFFERED: usize = 3;

/// Returns the surrounding kinds that these rules read.
pub fn reads(rules: &[&Rule]) -> Vec<Kind> {
    Kind::SURROUNDING.into_iter().filter(|kind| is_read(rules, *kind)).collect()
}

/// Returns the surrounding kinds that any rule reads.
pub fn all_reads() -> Vec<Kind> {
    reads(rules::all())
}

/// Returns whether these rules read objects of that kind.
pub fn is_read(rules: &[&Rule], kind: Kind) -> bool {
    rules.iter().any(|rule| rule.detect.kind() == kind || rule.reads.contains(&kind))
}

/// Returns the rules with an id that matches the word. In the word `*` matches any characters.
pub fn matching(word: &str) -> impl Iterator<Item = &'static Rule> {
    rules::all().iter().copied().filter(move |rule| matches_glob(word, rule.id))
}

/// Returns the error that no rule has that id.
pub fn unknown(place: &str, id: &str) -> Error {
    let near = nearest(id, rules::all().iter().map(|rule| rule.id), OFFERED);
    let error = Error::usage(format!("{place}: there is no rule {id:?}"));
    if near.is_empty() {
        error.hint("kubectl pvctl rules lists all rules")
    } else {
        error.hint(format!("did you mean {}?", near.join(" or ")))
    }
}

/// Returns the selected rules in order: the named rules or all rules, without the skipped ones.
///
/// # Errors
/// Returns a usage error that names the wrong word.
pub fn chosen(only: &[String], skipped: &[String]) -> Result<Vec<&'static Rule>, Error> {
    let find = |flag: &str, words: &[String]| -> Result<BTreeSet<&'static str>, Error> {
        let mut ids = BTreeSet::new();
        for word in words {
            let mut found = matching(word).map(|rule| rule.id).peekable();
            if found.peek().is_none() {
                return Err(unknown(flag, word));
            }
            ids.extend(found);
        }
        Ok(ids)
    };
    let (wanted, skipped) = (find("--rules", only)?, find("--skip-rules", skipped)?);
    let is_chosen = |rule: &&&Rule| (only.is_empty() || wanted.contains(rule.id)) && !skipped.contains(rule.id);
    let chosen: Vec<&'static Rule> = rules::all().iter().filter(is_chosen).copied().collect();
    if chosen.is_empty() {
        return Err(Error::usage("--rules and --skip-rules leave no rule to apply"));
    }
    Ok(chosen)
}
