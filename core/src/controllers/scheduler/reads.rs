//! What the scheduler reads. A read that finds nothing is only an answer if the kind was read completely.

use crate::model::{Kind, Resource};
use crate::snapshot::{Absence, Snapshot};
use std::collections::BTreeMap;

/// The objects, with a record of the kinds whose absence is not certain.
#[derive(Clone, Debug)]
pub(super) struct Reads<'s> {
    snapshot: &'s Snapshot,
    doubts: BTreeMap<Kind, Absence>,
}

impl<'s> Reads<'s> {
    pub(super) fn new(snapshot: &'s Snapshot) -> Self {
        Self { snapshot, doubts: BTreeMap::new() }
    }

    /// Returns the kinds whose absence counted but is not certain.
    pub(super) fn into_doubts(self) -> BTreeMap<Kind, Absence> {
        self.doubts
    }

    /// Returns the object of this name, as the informer has it.
    pub(super) fn find<T: Resource>(&mut self, namespace: &str, name: &str) -> Option<&'s T> {
        let found = self.snapshot.find(namespace, name);
        if found.is_none() {
            self.doubt(T::KIND, self.snapshot.coverage().absence_of(T::KIND, namespace, name));
        }
        found
    }

    /// Returns all objects of a kind.
    pub(super) fn list<T: Resource>(&mut self) -> &'s [T] {
        self.doubt(T::KIND, self.snapshot.coverage().absence(T::KIND, ""));
        self.snapshot.all()
    }

    fn doubt(&mut self, kind: Kind, absence: Absence) {
        if absence != Absence::Certain {
            self.doubts.insert(kind, absence);
        }
    }
}
