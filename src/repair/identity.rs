//! The identity of the volume that a plan means. A name is not enough, because a volume may be deleted, and another
//! volume may get its name.

use super::guards::storage_of;
use crate::model::{PersistentVolume, Str};
use serde::{Deserialize, Serialize};

/// A volume's name, uid and storage. The uid is never empty.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", try_from = "Stated")]
pub struct VolumeIdentity {
    name: Str,
    uid: Str,
    storage: String,
}

/// The form of an identity in a plan file or a journal.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Stated {
    name: Str,
    uid: Str,
    storage: String,
}

impl TryFrom<Stated> for VolumeIdentity {
    type Error = String;

    fn try_from(stated: Stated) -> Result<Self, String> {
        let Stated { name, uid, storage } = stated;
        if uid.is_empty() {
            return Err(format!("volume {name:?} has no uid"));
        }
        Ok(Self { name, uid, storage })
    }
}

impl VolumeIdentity {
    /// Returns the identity of a volume. A volume that was never on an API server has no uid. Its identity has the uid
    /// `<none>`, which matches no volume.
    pub fn of(volume: &PersistentVolume) -> Self {
        let uid = if volume.meta.uid.is_empty() { "<none>".into() } else { volume.meta.uid.clone() };
        Self { name: volume.meta.name.clone(), uid, storage: storage_of(volume) }
    }

    /// Returns the name of the volume.
    pub fn name(&self) -> &Str {
        &self.name
    }

    /// Returns the uid of the volume.
    pub fn uid(&self) -> &Str {
        &self.uid
    }

    /// Returns why `found`, which has the same name, is another volume. The text is a sentence without a full stop.
    /// Returns `None` if it is the same volume.
    pub fn differs(&self, found: &PersistentVolume) -> Option<String> {
        let name = &self.name;
        if found.meta.uid != self.uid {
            return Some(format!(
                "another volume has the name {name} now: its uid is {}, but {} was expected",
                found.meta.uid, self.uid
            ));
        }
        let storage = storage_of(found);
        (storage != self.storage)
            .then(|| format!("volume {name} has another storage now: {storage}, but {} was expected", self.storage))
    }
}

impl std::fmt::Display for VolumeIdentity {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str(&self.name)
    }
}
