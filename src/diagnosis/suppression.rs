//! Findings that somebody knows of and does not want to be told again, each with the reason: stated in a file, or on
//! the object itself.

use super::{Diagnosis, Finding, rules};
use crate::model::{AnnotationKey, ObjectKey, ObjectMeta, Timestamp};

/// An entry of a file of suppressions.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Suppression {
    /// Which rules: an id, in which `*` stands for any letters.
    pub rule: String,
    /// Which objects: `TYPE/NAME`, in which `*` stands for any letters; all without it.
    pub object: Option<String>,
    /// In which namespaces, in the same way; in all without it, and then of objects that have none, too.
    pub namespace: Option<String>,
    /// Why.
    pub reason: String,
    /// From when on it has no effect any more.
    pub expires: Option<Timestamp>,
}

/// Why a finding is kept back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Suppressed {
    /// What the entry says.
    pub reason: String,
    /// Whether the object itself says so, by the annotation `pvctl.dev/ignore`.
    pub by_object: bool,
}

impl Suppression {
    /// Whether it is past its time. Where the time of the reading is not known, it is not.
    pub fn has_expired(&self, now: Option<Timestamp>) -> bool {
        now.zip(self.expires).is_some_and(|(now, expires)| now >= expires)
    }

    /// Whether it is about what that rule finds on that object.
    fn covers(&self, rule: &str, object: &ObjectKey) -> bool {
        let named = format!("{}/{}", object.kind.short(), object.name);
        matches_glob(&self.rule, rule)
            && self.object.as_ref().is_none_or(|pattern| matches_glob(pattern, &named))
            && self.namespace.as_ref().is_none_or(|pattern| matches_glob(pattern, &object.namespace))
    }

    /// Whether it keeps nothing back although it could: it has not expired, there are such rules, all of them could be
    /// judged everywhere, and none found anything on such an object.
    pub fn is_idle(&self, now: Option<Timestamp>, diagnosis: &Diagnosis) -> bool {
        let mut ids = rules::all().iter().map(|rule| rule.id).filter(|id| matches_glob(&self.rule, id)).peekable();
        !self.has_expired(now)
            && ids.peek().is_some()
            && ids.all(|id| !diagnosis.unjudged.contains_key(id))
            && !diagnosis.findings.iter().any(|found| self.covers(found.rule.id, &found.object))
    }
}

/// Why this finding is kept back, if it is: what the object says goes first.
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

/// What the annotation `pvctl.dev/ignore` says: `RULE=REASON`, several of them parted by `;`. What states no reason
/// suppresses nothing.
fn ignored(meta: &ObjectMeta) -> impl Iterator<Item = (&str, &str)> {
    let entries = meta.annotations.get(AnnotationKey::Ignore).unwrap_or_default().split(';');
    entries.filter_map(|entry| {
        let (rule, reason) = entry.split_once('=')?;
        let (rule, reason) = (rule.trim(), reason.trim());
        (!rule.is_empty() && !reason.is_empty()).then_some((rule, reason))
    })
}

/// Whether the text is as the pattern says, in which `*` stands for any letters.
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

#[cfg(test)]
mod tests {
    use super::{Suppression, ignored, matches_glob};
    use crate::diagnosis::key;
    use crate::model::{AnnotationKey, Annotations, Kind, ObjectMeta, Timestamp};

    #[test]
    fn a_star_stands_for_any_letters() {
        for (pattern, text, expected) in [
            ("lost-pv-missing", "lost-pv-missing", true),
            ("lost-pv", "lost-pv-missing", false),
            ("lost-*", "lost-pv-missing", true),
            ("*", "lost-pv-missing", true),
            ("*", "", true),
            ("*-missing", "lost-pv-missing", true),
            ("l*pv*g", "lost-pv-missing", true),
            ("l*pv*x", "lost-pv-missing", false),
            ("*pv", "lost-pv-missing", false),
            ("lost*lost", "lost", false),
            ("", "lost", false),
        ] {
            assert_eq!(matches_glob(pattern, text), expected, "{pattern} {text}");
        }
    }

    #[test]
    fn an_entry_covers_what_it_names_until_it_expires() {
        let entry = Suppression {
            rule: "pv-released-*".into(),
            object: Some("pv/archive-*".into()),
            expires: Some(Timestamp(100)),
            ..Suppression::default()
        };
        let volume = key(Kind::PersistentVolume, "", "archive-1");
        assert!(entry.covers("pv-released-retain", &volume));
        assert!(!entry.covers("pv-recycle-policy", &volume));
        assert!(!entry.covers("pv-released-retain", &key(Kind::PersistentVolume, "", "data-1")));
        assert!(!entry.covers("pv-released-retain", &key(Kind::PersistentVolumeClaim, "a", "archive-1")));
        let of_teams = Suppression { namespace: Some("team-*".into()), object: None, ..entry.clone() };
        assert!(of_teams.covers("pv-released-x", &key(Kind::PersistentVolumeClaim, "team-a", "x")));
        assert!(!of_teams.covers("pv-released-x", &volume), "a volume is in no namespace");
        let at = |now: Option<i64>| entry.has_expired(now.map(Timestamp));
        assert_eq!([at(Some(99)), at(Some(100)), at(None)], [false, true, false]);
    }

    #[test]
    fn an_annotation_without_a_reason_ignores_nothing() {
        let said = |value: &str| {
            let annotations = Annotations::new(vec![(AnnotationKey::Ignore, value.into())], 0);
            let meta = ObjectMeta { annotations, ..ObjectMeta::default() };
            ignored(&meta).map(|(rule, reason)| format!("{rule}:{reason}")).collect::<Vec<_>>()
        };
        assert_eq!(said("a=kept; b-* = an=archive "), ["a:kept", "b-*:an=archive"]);
        assert!(said("a=; =b; c;").is_empty());
        assert!(ignored(&ObjectMeta::default()).next().is_none());
    }
}
