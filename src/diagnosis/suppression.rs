//! Suppressions: findings that somebody knows and accepts, each with a reason. They are stated in a file or in an
//! annotation of the object.

use super::{Finding, Findings, rules};
use crate::model::{AnnotationKey, ObjectKey, ObjectMeta, Timestamp};

/// One entry of a suppression file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Suppression {
    /// The rules that the entry is about: an id in which `*` stands for any characters.
    pub rule: String,
    /// The objects that the entry is about: `TYPE/NAME`, in which `*` stands for any characters. None stands for all
    /// objects.
    pub object: Option<String>,
    /// The namespaces that the entry is about, in which `*` stands for any characters. None stands for all namespaces
    /// and for objects without a namespace.
    pub namespace: Option<String>,
    /// The reason why the findings are accepted.
    pub reason: String,
    /// The moment from which the entry has no effect.
    pub expires: Option<Timestamp>,
}

/// The reason why a finding is suppressed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Suppressed {
    /// The reason that the suppression states.
    pub reason: String,
    /// Whether the suppression is the annotation `pvctl.dev/ignore` of the object.
    pub by_object: bool,
}

impl Suppression {
    /// Returns whether the entry has expired. An entry does not expire if the time of the reading is unknown.
    pub fn has_expired(&self, now: Option<Timestamp>) -> bool {
        now.zip(self.expires).is_some_and(|(now, expires)| now >= expires)
    }

    /// Returns whether the entry is about findings of that rule on that object.
    pub fn covers(&self, rule: &str, object: &ObjectKey) -> bool {
        let named = format!("{}/{}", object.kind.short(), object.name);
        matches_glob(&self.rule, rule)
            && self.object.as_ref().is_none_or(|pattern| matches_glob(pattern, &named))
            && self.namespace.as_ref().is_none_or(|pattern| matches_glob(pattern, &object.namespace))
    }

    /// Returns whether the entry has no effect although it could have one. This is so if it has not expired, its rules
    /// exist and could be evaluated everywhere, and none of its rules reports an object that the entry is about.
    pub fn is_idle(&self, now: Option<Timestamp>, findings: &Findings) -> bool {
        let mut ids = rules::all().iter().map(|rule| rule.id).filter(|id| matches_glob(&self.rule, id)).peekable();
        !self.has_expired(now)
            && ids.peek().is_some()
            && ids.all(|id| !findings.unjudged.contains_key(id))
            && !findings.listed.iter().any(|found| self.covers(found.rule.id, &found.object))
    }
}

/// Returns why this finding is suppressed, if it is. The object's annotation takes precedence over entries of files.
pub(super) fn suppressed(
    suppressions: &[Suppression],
    now: Option<Timestamp>,
    finding: &Finding,
    meta: &ObjectMeta,
) -> Option<Suppressed> {
    let own = ignored(meta).find(|(rule, _)| matches_glob(rule, finding.rule.id));
    let own = own.map(|(_, reason)| Suppressed { reason: reason.to_owned(), by_object: true });
    own.or_else(|| {
        let live = suppressions.iter().filter(|entry| !entry.has_expired(now));
        let mut covering = live.filter(|entry| entry.covers(finding.rule.id, &finding.object));
        covering.next().map(|entry| Suppressed { reason: entry.reason.clone(), by_object: false })
    })
}

/// Returns the entries of the annotation `pvctl.dev/ignore`: `RULE=REASON`, separated by `;`. An entry without a reason
/// suppresses nothing.
pub fn ignored(meta: &ObjectMeta) -> impl Iterator<Item = (&str, &str)> {
    let entries = meta.annotations.get(AnnotationKey::Ignore).unwrap_or_default().split(';');
    entries.filter_map(|entry| {
        let (rule, reason) = entry.split_once('=')?;
        let (rule, reason) = (rule.trim(), reason.trim());
        (!rule.is_empty() && !reason.is_empty()).then_some((rule, reason))
    })
}

/// Returns whether the text matches the pattern, in which `*` stands for any number of any characters.
pub fn matches_glob(pattern: &str, text: &str) -> bool {
    let mut parts = pattern.split('*');
    let Some(mut rest) = parts.next().and_then(|first| text.strip_prefix(first)) else { return false };
    let mut parts = parts.peekable();
    if parts.peek().is_none() {
        return rest.is_empty();
    }
    while let Some(part) = parts.next() {
        if parts.peek().is_none() {
            return rest.ends_with(part);
        }
        let Some(at) = rest.find(part) else { return false };
        rest = &rest[at + part.len()..];
    }
    true
}
