//! The reads of the scheduler and of the external provisioner. If a read finds nothing, the object is certainly absent
//! only if its kind was read completely.

use crate::model::{Kind, Resource};
use crate::snapshot::Absence;
use crate::world::View;
use std::collections::{BTreeMap, BTreeSet};

/// The objects, and a record of the kinds that are needed and that may not have been read completely.
#[derive(Clone, Debug)]
pub(in crate::controllers) struct Reads<'s> {
    view: View<'s>,
    doubts: BTreeMap<Kind, Absence>,
    /// The kinds of which all objects were needed.
    listed: BTreeSet<Kind>,
}

impl<'s> Reads<'s> {
    pub(in crate::controllers) fn new(view: View<'s>) -> Self {
        Self { view, doubts: BTreeMap::new(), listed: BTreeSet::new() }
    }

    /// Returns the kinds that are needed and that may not have been read completely. The value says whether an object
    /// that was not found is assumed not to exist, or whether this is unknown.
    pub(in crate::controllers) fn into_doubts(self) -> BTreeMap<Kind, Absence> {
        self.doubts
    }

    /// Returns the object of this name, as the informer has it.
    pub(in crate::controllers) fn find<T: Resource>(&mut self, namespace: &str, name: &str) -> Option<&'s T> {
        let found = self.view.find(namespace, name);
        if found.is_none() {
            self.doubt(T::KIND, self.view.coverage().absence_of(T::KIND, namespace, name));
        }
        found
    }

    /// Returns all objects of a kind.
    pub(in crate::controllers) fn list<T: Resource>(&mut self) -> impl Iterator<Item = &'s T> + use<'s, T> {
        self.need_all::<T>();
        self.view.all()
    }

    /// Records that the answer depends on all objects of a kind. One namespace that was not read completely is enough
    /// for a doubt.
    pub(in crate::controllers) fn need_all<T: Resource>(&mut self) {
        if self.listed.insert(T::KIND) {
            let coverage = self.view.coverage();
            self.doubt(T::KIND, coverage.absence(T::KIND, ""));
            let entries = coverage.entries().iter().filter(|entry| entry.kind == T::KIND);
            for namespace in entries.filter_map(|entry| entry.namespace.as_deref()) {
                self.doubt(T::KIND, coverage.absence(T::KIND, namespace));
            }
        }
    }

    /// Records the doubt about a kind. An unknown absence replaces an assumed one.
    fn doubt(&mut self, kind: Kind, absence: Absence) {
        match absence {
            Absence::Certain => {}
            Absence::Assumed => {
                self.doubts.entry(kind).or_insert(absence);
            }
            Absence::Unknown(_) => {
                self.doubts.insert(kind, absence);
            }
        }
    }
}
