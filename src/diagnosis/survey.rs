//! What rules ask of the world as a whole, found once.

use crate::model::{PersistentVolume, Quantity, SourceKind, Str};
use crate::snapshot::{GroupKey, Snapshot, VolumeId};
use std::collections::{BTreeMap, HashMap};

/// What is known of all objects together.
#[derive(Debug, Default)]
pub struct Survey {
    /// Volumes that stand for the same storage, under what names it, in the order of their names.
    shared: HashMap<(String, String), Vec<VolumeId>>,
    /// Volumes that some claim has or had, or that are being deleted: by class and what else matching compares, the
    /// smallest first.
    taken: BTreeMap<Str, BTreeMap<GroupKey, Vec<VolumeId>>>,
}

impl Survey {
    /// Looks through all objects once.
    pub fn of(snapshot: &Snapshot) -> Self {
        let mut shared: HashMap<(String, String), Vec<VolumeId>> = HashMap::new();
        let mut taken: BTreeMap<Str, BTreeMap<GroupKey, Vec<VolumeId>>> = BTreeMap::new();
        for (id, volume) in (0u32..).map(VolumeId).zip(snapshot.volumes()) {
            if volume.claim_ref.is_some() || volume.terminating() {
                let key = Snapshot::group_key(volume);
                taken.entry(key.class.clone()).or_default().entry(key).or_default().push(id);
            }
            if let Some(backing) = backing(volume) {
                shared.entry(backing).or_default().push(id);
            }
        }
        shared.retain(|_, volumes| volumes.len() > 1);
        for volumes in taken.values_mut().flat_map(BTreeMap::values_mut) {
            volumes.sort_by(|a, b| size(snapshot, *a).compare(&size(snapshot, *b)).then(a.cmp(b)));
        }
        Self { shared, taken }
    }

    /// Volumes of that class that some claim has or had, or that are being deleted: in groups that are alike in what
    /// else matching compares, the smallest of each first.
    pub fn taken(&self, class: &str) -> impl Iterator<Item = (&GroupKey, &[VolumeId])> {
        self.taken.get(class).into_iter().flatten().map(|(key, volumes)| (key, volumes.as_slice()))
    }

    /// The volumes that stand for the same storage as this one, itself among them; none where it is the only one, or
    /// where nothing names its storage.
    pub fn sharing(&self, volume: &PersistentVolume) -> &[VolumeId] {
        backing(volume).and_then(|backing| self.shared.get(&backing)).map_or(&[], Vec::as_slice)
    }
}

fn size(snapshot: &Snapshot, id: VolumeId) -> Quantity {
    snapshot.volume(id).storage().copied().unwrap_or(Quantity::ZERO)
}

/// What names the storage behind a volume, whichever object stands for it: the driver and the handle.
fn backing(volume: &PersistentVolume) -> Option<(String, String)> {
    let source = &volume.source;
    let named = source.kind == SourceKind::Csi && !source.detail.is_empty() && !source.handle.is_empty();
    named.then(|| (source.detail.to_string(), source.handle.to_string()))
}
