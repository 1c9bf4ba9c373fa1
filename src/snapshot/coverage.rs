//! What was read, and so what the absence of an object means.

use super::decode::DecodeIssue;
use crate::model::{Kind, Str};
use std::collections::{BTreeMap, BTreeSet};

/// How complete the reading of one kind is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CoverageState {
    /// Everything was read: what is absent does not exist.
    Complete,
    /// Some of it was read, and some could not be.
    Partial,
    /// RBAC hides it.
    Forbidden,
    /// The API server does not serve it.
    NotServed,
    /// No decision asked for it.
    NotNeeded,
    /// Reading it failed.
    Failed,
    /// A file that does not say: what is absent is assumed not to exist.
    Assumed,
}

impl CoverageState {
    /// Every state, the one that says most first.
    pub const ALL: [Self; 7] =
        [Self::Complete, Self::Partial, Self::Forbidden, Self::Failed, Self::NotServed, Self::NotNeeded, Self::Assumed];

    /// The state that the output contract writes so.
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|state| state.as_str() == word)
    }

    /// The state as the output contract writes it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Complete => "complete",
            Self::Partial => "partial",
            Self::Forbidden => "forbidden",
            Self::NotServed => "notServed",
            Self::NotNeeded => "notNeeded",
            Self::Failed => "failed",
            Self::Assumed => "assumed",
        }
    }
}

/// The reading of one kind, in one namespace or in all.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CoverageEntry {
    /// The kind that was to be read.
    pub kind: Kind,
    /// The namespace, or all of them.
    pub namespace: Option<Str>,
    /// How it went.
    pub state: CoverageState,
    /// The list's resource version, where there was a list.
    pub resource_version: Option<Str>,
    /// Why it is not complete, for people.
    pub reason: Option<String>,
    /// The names of objects that were asked for one by one and are not there, whatever is known of the others.
    pub absent: BTreeSet<Str>,
}

impl CoverageEntry {
    /// A reading that went so, of which nothing more is known.
    pub fn new(kind: Kind, namespace: Option<Str>, state: CoverageState) -> Self {
        Self { kind, namespace, state, resource_version: None, reason: None, absent: BTreeSet::new() }
    }
}

/// What an object's absence means.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Absence {
    /// It does not exist.
    Certain,
    /// It is taken not to exist, because files cannot tell.
    Assumed,
    /// Nobody can tell, for this reason.
    Unknown(CoverageState),
}

/// The readings of all kinds. A kind without an entry counts as [`CoverageState::Assumed`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Coverage {
    entries: Vec<CoverageEntry>,
}

impl Coverage {
    /// The coverage of a world that is known in full: every kind complete.
    pub fn complete() -> Self {
        let mut coverage = Self::default();
        for kind in Kind::ALL {
            coverage.set(CoverageEntry::new(kind, None, CoverageState::Complete));
        }
        coverage
    }

    /// Records one reading, in place of an earlier one of the same kind and namespace.
    pub fn set(&mut self, entry: CoverageEntry) {
        let place = self
            .entries
            .binary_search_by(|present| (present.kind, &present.namespace).cmp(&(entry.kind, &entry.namespace)));
        match place {
            Ok(found) => self.entries[found] = entry,
            Err(free) => self.entries.insert(free, entry),
        }
    }

    /// Drops the entries of a kind in those states.
    pub fn forget(&mut self, kind: Kind, states: impl Fn(CoverageState) -> bool) {
        self.entries.retain(|entry| entry.kind != kind || !states(entry.state));
    }

    /// Says that a kind is partial, in a namespace or at all; in the latter case nothing else is said of it any more.
    /// No name is known to be absent then: the object of which nobody knows what it is may have it.
    pub fn set_partial(&mut self, kind: Kind, namespace: Option<Str>, reason: String) {
        let resource_version = self.entry(kind, namespace.as_deref()).and_then(|entry| entry.resource_version.clone());
        if namespace.is_none() {
            self.forget(kind, |_| true);
        }
        let reason = Some(reason);
        self.set(CoverageEntry {
            resource_version,
            reason,
            ..CoverageEntry::new(kind, namespace, CoverageState::Partial)
        });
    }

    /// What could not be decoded is there, and nobody knows as what: its kind is partial.
    pub fn doubt(&mut self, issues: &[DecodeIssue]) {
        let mut last: BTreeMap<(Kind, Option<&str>), &str> = BTreeMap::new();
        for issue in issues {
            let Some(kind) = Kind::from_manifest(&issue.kind) else { continue };
            let namespace = Some(issue.namespace.as_str()).filter(|name| kind.namespaced() && !name.is_empty());
            last.insert(
                (kind, namespace),
                if issue.name.is_empty() { "an object without a name" } else { &issue.name },
            );
        }
        // What is said of all namespaces comes first, because it takes the place of the rest.
        for ((kind, namespace), name) in last {
            self.set_partial(kind, namespace.map(Str::from), format!("{name} could not be decoded"));
        }
    }

    /// What was said of just that: a kind in one namespace, or in all of them.
    pub fn entry(&self, kind: Kind, namespace: Option<&str>) -> Option<&CoverageEntry> {
        let sought = (kind, namespace);
        let place =
            self.entries.binary_search_by(|entry| (entry.kind, entry.namespace.as_deref()).cmp(&sought)).ok()?;
        self.entries.get(place)
    }

    /// The readings in the order of kinds and namespaces, those for all namespaces first.
    pub fn entries(&self) -> &[CoverageEntry] {
        &self.entries
    }

    /// The state of a kind in a namespace; the entry for the namespace goes before the one for all.
    pub fn state(&self, kind: Kind, namespace: &str) -> CoverageState {
        let specific = if kind.namespaced() { self.entry(kind, Some(namespace)) } else { None };
        specific.or_else(|| self.entry(kind, None)).map_or(CoverageState::Assumed, |entry| entry.state)
    }

    /// Whether the object of that name was asked for and is not there; `namespace` is empty where its kind has none.
    pub fn was_missed(&self, kind: Kind, namespace: &str, name: &str) -> bool {
        let place = Some(namespace).filter(|_| kind.namespaced());
        self.entry(kind, place).is_some_and(|entry| entry.absent.contains(name))
    }

    /// What it means that the object of that name is not in the snapshot.
    pub fn absence_of(&self, kind: Kind, namespace: &str, name: &str) -> Absence {
        if self.was_missed(kind, namespace, name) { Absence::Certain } else { self.absence(kind, namespace) }
    }

    /// What it means that an object of that kind is not in the snapshot.
    pub fn absence(&self, kind: Kind, namespace: &str) -> Absence {
        match self.state(kind, namespace) {
            CoverageState::Complete => Absence::Certain,
            CoverageState::Assumed => Absence::Assumed,
            // A decision that asks for it after all must not take it for empty.
            state @ (CoverageState::NotNeeded
            | CoverageState::Partial
            | CoverageState::Forbidden
            | CoverageState::NotServed
            | CoverageState::Failed) => Absence::Unknown(state),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each place is said to be partial once, by the last object there that nobody understands; what is said of all
    /// namespaces takes the place of what was known of single ones, and not of what is in doubt.
    #[test]
    fn what_nobody_understands_makes_its_place_partial() {
        let issue = |namespace: &str, name: &str| DecodeIssue {
            kind: "PersistentVolumeClaim".into(),
            namespace: namespace.into(),
            name: name.into(),
            field: "spec".into(),
            value: "7".into(),
            reason: "it is no object".into(),
            origin: "a file".into(),
        };
        let mut coverage = Coverage::complete();
        let kind = Kind::PersistentVolumeClaim;
        let mut known = |namespace: &str| {
            coverage.set(CoverageEntry {
                resource_version: Some("7".into()),
                ..CoverageEntry::new(kind, Some(namespace.into()), CoverageState::Complete)
            });
        };
        known("a");
        known("b");
        coverage.doubt(&[issue("a", "one"), issue("c", ""), issue("a", "two")]);
        let said = |coverage: &Coverage, namespace: Option<&str>| {
            coverage
                .entry(kind, namespace)
                .map(|entry| (entry.state, entry.resource_version.clone(), entry.reason.clone()))
        };
        let partial = |version: Option<&str>, name: &str| {
            Some((CoverageState::Partial, version.map(Str::from), Some(format!("{name} could not be decoded"))))
        };
        assert_eq!(said(&coverage, Some("a")), partial(Some("7"), "two"));
        assert_eq!(said(&coverage, Some("b")), Some((CoverageState::Complete, Some("7".into()), None)));
        assert_eq!(said(&coverage, Some("c")), partial(None, "an object without a name"));
        assert_eq!(said(&coverage, None), Some((CoverageState::Complete, None, None)));
        coverage.doubt(&[issue("c", "three"), issue("", "four")]);
        assert_eq!((said(&coverage, Some("a")), said(&coverage, Some("b"))), (None, None));
        assert_eq!(said(&coverage, None), partial(None, "four"));
        assert_eq!(said(&coverage, Some("c")), partial(None, "three"));
        assert_eq!(coverage.state(Kind::Pod, "a"), CoverageState::Complete);
    }

    /// Only a file that does not say may be taken at its word; what was never read is unknown.
    #[test]
    fn what_was_not_read_is_not_absent() {
        let absence = |state| {
            let mut coverage = Coverage::default();
            coverage.set(CoverageEntry::new(Kind::Pod, None, state));
            coverage.absence(Kind::Pod, "db")
        };
        assert_eq!(absence(CoverageState::Complete), Absence::Certain);
        assert_eq!(absence(CoverageState::Assumed), Absence::Assumed);
        for state in [CoverageState::NotNeeded, CoverageState::Partial, CoverageState::Forbidden, CoverageState::Failed]
        {
            assert_eq!(absence(state), Absence::Unknown(state));
        }
    }

    /// What was asked for by name and is not there does not exist, whatever may not be listed; nothing follows for
    /// others, and nothing stays of it where an object is there that nobody understands.
    #[test]
    fn one_that_was_asked_for_and_is_not_there_does_not_exist() {
        let (kind, state) = (Kind::PersistentVolume, CoverageState::Forbidden);
        let mut coverage = Coverage::default();
        coverage.set(CoverageEntry { absent: ["gone".into()].into(), ..CoverageEntry::new(kind, None, state) });
        assert_eq!(coverage.absence_of(kind, "", "gone"), Absence::Certain);
        assert_eq!(coverage.absence_of(kind, "", "other"), Absence::Unknown(state));
        assert_eq!(coverage.absence_of(Kind::StorageClass, "", "gone"), Absence::Assumed);
        coverage.set_partial(kind, None, "pv-1 could not be decoded".into());
        assert_eq!(coverage.absence_of(kind, "", "gone"), Absence::Unknown(CoverageState::Partial));
    }
}
