//! What rules ask of the world as a whole, found once.

use crate::model::{PersistentVolume, SourceKind};
use crate::snapshot::{Snapshot, VolumeId};
use std::collections::HashMap;

/// What is known of all objects together.
#[derive(Debug, Default)]
pub struct Survey {
    /// Volumes that stand for the same storage, under what names it, in the order of their names.
    shared: HashMap<(String, String), Vec<VolumeId>>,
}

impl Survey {
    /// Looks through all objects once.
    pub fn of(snapshot: &Snapshot) -> Self {
        let mut shared: HashMap<(String, String), Vec<VolumeId>> = HashMap::new();
        for (id, volume) in (0u32..).map(VolumeId).zip(snapshot.volumes()) {
            if let Some(backing) = backing(volume) {
                shared.entry(backing).or_default().push(id);
            }
        }
        shared.retain(|_, volumes| volumes.len() > 1);
        Self { shared }
    }

    /// The volumes that stand for the same storage as this one, itself among them; none where it is the only one, or
    /// where nothing names its storage.
    pub fn sharing(&self, volume: &PersistentVolume) -> &[VolumeId] {
        backing(volume).and_then(|backing| self.shared.get(&backing)).map_or(&[], Vec::as_slice)
    }
}

/// What names the storage behind a volume, whichever object stands for it: the driver and the handle.
fn backing(volume: &PersistentVolume) -> Option<(String, String)> {
    let source = &volume.source;
    let named = source.kind == SourceKind::Csi && !source.detail.is_empty() && !source.handle.is_empty();
    named.then(|| (source.detail.to_string(), source.handle.to_string()))
}
