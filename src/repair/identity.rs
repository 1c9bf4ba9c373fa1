//! Which volume a plan means. A name alone does not say that: a volume may go, and another one get its name.

use super::guards::storage_of;
use crate::model::{PersistentVolume, Str};
use serde::{Deserialize, Serialize};

/// A volume by its name, its uid and its storage. There is none without a uid.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", try_from = "Stated")]
pub struct VolumeIdentity {
    name: Str,
    uid: Str,
    storage: String,
}

/// What a plan file or a journal states.
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
    /// That volume. One that was never on an API server has no uid; no other volume is taken for it.
    pub fn of(volume: &PersistentVolume) -> Self {
        let uid = if volume.meta.uid.is_empty() { "<none>".into() } else { volume.meta.uid.clone() };
        Self { name: volume.meta.name.clone(), uid, storage: storage_of(volume) }
    }

    /// Its name.
    pub fn name(&self) -> &Str {
        &self.name
    }

    /// Its uid.
    pub fn uid(&self) -> &Str {
        &self.uid
    }

    /// Why the volume that has the name now is another one, in a sentence without a full stop; nothing where it is
    /// this one.
    pub fn differs(&self, found: &PersistentVolume) -> Option<String> {
        let name = &self.name;
        if found.meta.uid != self.uid {
            return Some(format!(
                "another volume has the name {name} by now, with uid {}, where {} was expected",
                found.meta.uid, self.uid
            ));
        }
        let storage = storage_of(found);
        (storage != self.storage).then(|| {
            format!("volume {name} has another storage by now: {storage}, where {} was expected", self.storage)
        })
    }
}

impl std::fmt::Display for VolumeIdentity {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str(&self.name)
    }
}
