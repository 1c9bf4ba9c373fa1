//! The engine for all components of volumes and claims for which there is no exact engine. It adds possible states of
//! each object until no sync leads to a new state.
//!
//! Objects that do not differ in anything that influences a decision form a group. Two members represent a group: the
//! examined object, and another one. A sync runs the controllers' own code. Its world holds the synced object in one of
//! its states, and at most one other object in one of its states. A searching claim is synced with each volume that it
//! could find. It is also synced without a volume, unless some volume that fits always exists.
//!
//! A state is kept as an end only if each object that the state depends on has an end that is possible at the same
//! time. For example, a free volume and a claim that would take it cannot both be ends. The engine misses no end, but
//! some ends that it lists may be impossible.

mod ends;
mod groups;
mod growth;
mod sets;

use self::groups::Groups;
use self::growth::Growth;
use self::sets::Sets;
use crate::controllers::OutcomeSet;
use crate::controllers::persistent_volume::sameness::{same_claim, same_volume};
use crate::controllers::settings::Settings;
use crate::model::{PersistentVolume, PersistentVolumeClaim};
use crate::simulate::Component;
use crate::snapshot::Snapshot;
use std::sync::Arc;

/// Returns the outcomes of each object of a component.
pub(super) fn fixpoint(snapshot: &Snapshot, settings: &Settings<'_>, component: &Component) -> Vec<OutcomeSet> {
    let groups = Groups::new(snapshot, settings, component);
    let mut growth = Growth::new(snapshot, settings, &groups, component);
    while growth.grow() {}
    let ends = growth.ends();
    let mut sets = Sets::new(&growth, &ends);
    component.objects.iter().map(|object| sets.of(*object)).collect()
}

/// A possible state of an object.
#[derive(Clone, Debug)]
enum ObjectState {
    Volume(Option<Arc<PersistentVolume>>),
    Claim(Option<Arc<PersistentVolumeClaim>>),
}

impl ObjectState {
    fn same(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Volume(None), Self::Volume(None)) | (Self::Claim(None), Self::Claim(None)) => true,
            (Self::Volume(Some(a)), Self::Volume(Some(b))) => Arc::ptr_eq(a, b) || same_volume(a, b),
            (Self::Claim(Some(a)), Self::Claim(Some(b))) => Arc::ptr_eq(a, b) || same_claim(a, b),
            _ => false,
        }
    }

    fn volume(&self) -> Option<&PersistentVolume> {
        match self {
            Self::Volume(volume) => volume.as_deref(),
            Self::Claim(_) => None,
        }
    }

    fn claim(&self) -> Option<&PersistentVolumeClaim> {
        match self {
            Self::Claim(claim) => claim.as_deref(),
            Self::Volume(_) => None,
        }
    }
}
