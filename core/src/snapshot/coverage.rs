//! Coverage: which lists were read completely, and therefore what the absence of an object means.

use super::decode::DecodeIssue;
use crate::model::{Kind, Str};
use std::collections::{BTreeMap, BTreeSet};

/// Whether all objects of one kind were read, or why not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CoverageState {
    /// All objects were read. An absent object does not exist.
    Complete,
    /// Some objects were read, and some could not be read.
    Partial,
    /// RBAC forbids the user to read the objects.
    Forbidden,
    /// The API server does not serve the kind.
    NotServed,
    /// No decision needed the objects, so they were not read.
    NotNeeded,
    /// The request failed.
    Failed,
    /// A file does not state whether it is complete. An absent object is assumed not to exist.
    Assumed,
}

impl CoverageState {
    /// Every state. The states that give most information come first.
    pub const ALL: [Self; 7] =
        [Self::Complete, Self::Partial, Self::Forbidden, Self::Failed, Self::NotServed, Self::NotNeeded, Self::Assumed];

    /// Returns the state for which documents print this word.
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|state| state.as_str() == word)
    }

    /// Returns the word that documents print for the state.
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

/// The coverage of one kind, in one namespace or in all namespaces.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CoverageEntry {
    /// The kind.
    pub kind: Kind,
    /// The namespace. `None` means all namespaces.
    pub namespace: Option<Str>,
    /// The completeness.
    pub state: CoverageState,
    /// The resource version of the list, if a list was read.
    pub resource_version: Option<Str>,
    /// The reason why the coverage is not complete, for people.
    pub reason: Option<String>,
    /// The names of objects that were requested one by one and do not exist. The absence of these objects is known even
    /// if nothing is known about other objects.
    pub absent: BTreeSet<Str>,
}

impl CoverageEntry {
    /// Creates an entry with this state and no further information.
    pub fn new(kind: Kind, namespace: Option<Str>, state: CoverageState) -> Self {
        Self { kind, namespace, state, resource_version: None, reason: None, absent: BTreeSet::new() }
    }

    /// Returns whether the state is [`CoverageState::NotServed`] and this state is normal for the kind. The output does
    /// not mention such an entry.
    pub fn is_normal_gap(&self) -> bool {
        self.state == CoverageState::NotServed && self.kind.is_optional()
    }
}

/// The meaning of an object's absence from the snapshot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Absence {
    /// The object does not exist.
    Certain,
    /// The object is assumed not to exist, because an input file does not state whether it is complete.
    Assumed,
    /// It is unknown whether the object exists, for this reason.
    Unknown(CoverageState),
}

/// The coverage of all kinds. The state of a kind without an entry is [`CoverageState::Assumed`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Coverage {
    entries: Vec<CoverageEntry>,
}

impl Coverage {
    /// Returns the coverage of a fully known cluster: every kind in [`Kind::ALL`] is complete.
    pub fn complete() -> Self {
        let mut coverage = Self::default();
        for kind in Kind::ALL {
            coverage.set(CoverageEntry::new(kind, None, CoverageState::Complete));
        }
        coverage
    }

    /// Records one entry. It replaces an earlier entry of the same kind and namespace.
    pub fn set(&mut self, entry: CoverageEntry) {
        let place = self
            .entries
            .binary_search_by(|present| (present.kind, &present.namespace).cmp(&(entry.kind, &entry.namespace)));
        match place {
            Ok(found) => self.entries[found] = entry,
            Err(free) => self.entries.insert(free, entry),
        }
    }

    /// Removes each entry of the kind if `states` is true for the state of the entry.
    pub fn forget(&mut self, kind: Kind, states: impl Fn(CoverageState) -> bool) {
        self.entries.retain(|entry| entry.kind != kind || !states(entry.state));
    }

    /// Records that a kind is partial, in one namespace or in all. An entry for all namespaces removes all other
    /// entries of the kind. The new entry has no names of absent objects, because the object that could not be decoded
    /// may have any of these names.
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

    /// Records as partial the kind of each object that could not be decoded. Such an object exists, but its content is
    /// unknown.
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
        // Entries for all namespaces come first, because they replace the other entries of their kind.
        for ((kind, namespace), name) in last {
            self.set_partial(kind, namespace.map(Str::from), format!("{name} could not be decoded"));
        }
    }

    /// Returns the entry for exactly this kind and namespace. If the namespace is `None`, the function returns the
    /// entry for all namespaces.
    pub fn entry(&self, kind: Kind, namespace: Option<&str>) -> Option<&CoverageEntry> {
        let sought = (kind, namespace);
        let place =
            self.entries.binary_search_by(|entry| (entry.kind, entry.namespace.as_deref()).cmp(&sought)).ok()?;
        self.entries.get(place)
    }

    /// Returns the entries, sorted by kind and namespace. Entries for all namespaces come first.
    pub fn entries(&self) -> &[CoverageEntry] {
        &self.entries
    }

    /// Returns the state of a kind in a namespace. An entry for the namespace has precedence over an entry for all
    /// namespaces.
    pub fn state(&self, kind: Kind, namespace: &str) -> CoverageState {
        let specific = if kind.namespaced() { self.entry(kind, Some(namespace)) } else { None };
        specific.or_else(|| self.entry(kind, None)).map_or(CoverageState::Assumed, |entry| entry.state)
    }

    /// Returns whether the object of this name was requested and does not exist. `namespace` is empty for kinds without
    /// namespaces.
    pub fn is_known_absent(&self, kind: Kind, namespace: &str, name: &str) -> bool {
        let place = Some(namespace).filter(|_| kind.namespaced());
        self.entry(kind, place).is_some_and(|entry| entry.absent.contains(name))
    }

    /// Returns the meaning of the absence of the object of this name from the snapshot.
    pub fn absence_of(&self, kind: Kind, namespace: &str, name: &str) -> Absence {
        if self.is_known_absent(kind, namespace, name) { Absence::Certain } else { self.absence(kind, namespace) }
    }

    /// Returns the meaning of the absence of any object of this kind from the snapshot.
    pub fn absence(&self, kind: Kind, namespace: &str) -> Absence {
        match self.state(kind, namespace) {
            CoverageState::Complete => Absence::Certain,
            CoverageState::NotServed if kind.is_custom() => Absence::Certain,
            CoverageState::Assumed => Absence::Assumed,
            // In these states, objects of the kind may exist. A decision that needs these objects must not treat the
            // kind as empty.
            state @ (CoverageState::NotNeeded
            | CoverageState::Partial
            | CoverageState::Forbidden
            | CoverageState::NotServed
            | CoverageState::Failed) => Absence::Unknown(state),
        }
    }
}
