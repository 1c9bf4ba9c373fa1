//! Access modes: a list where the order is stored, and a set where only membership matters.

use super::Str;
use std::sync::Arc;

/// One access mode.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum AccessMode {
    /// Read-write by one node.
    ReadWriteOnce,
    /// Read-only by many nodes.
    ReadOnlyMany,
    /// Read-write by many nodes.
    ReadWriteMany,
    /// Read-write by one pod.
    ReadWriteOncePod,
    /// A mode that the API server would refuse. Only files can contain it.
    Other(Str),
}

impl AccessMode {
    /// The modes that the API server accepts, as manifests write them.
    pub const NAMES: [&'static str; 4] = ["ReadWriteOnce", "ReadOnlyMany", "ReadWriteMany", "ReadWriteOncePod"];

    /// Returns the mode as manifests write it.
    pub fn as_str(&self) -> &str {
        match self {
            Self::ReadWriteOnce => "ReadWriteOnce",
            Self::ReadOnlyMany => "ReadOnlyMany",
            Self::ReadWriteMany => "ReadWriteMany",
            Self::ReadWriteOncePod => "ReadWriteOncePod",
            Self::Other(mode) => mode,
        }
    }

    /// Returns the mode with this spelling.
    pub fn from_manifest(mode: &str) -> Self {
        match mode {
            "ReadWriteOnce" => Self::ReadWriteOnce,
            "ReadOnlyMany" => Self::ReadOnlyMany,
            "ReadWriteMany" => Self::ReadWriteMany,
            "ReadWriteOncePod" => Self::ReadWriteOncePod,
            other => Self::Other(other.into()),
        }
    }

    fn bit(&self) -> Option<u8> {
        match self {
            Self::ReadWriteOnce => Some(1),
            Self::ReadOnlyMany => Some(2),
            Self::ReadWriteMany => Some(4),
            Self::ReadWriteOncePod => Some(8),
            Self::Other(_) => None,
        }
    }
}

/// Access modes in their stored order, duplicates included.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct AccessModes(pub Arc<[AccessMode]>);

impl AccessModes {
    /// Returns the modes as a set. The set leaves out modes that Kubernetes does not know.
    pub fn set(&self) -> AccessModeSet {
        AccessModeSet(self.0.iter().filter_map(AccessMode::bit).fold(0, |set, bit| set | bit))
    }

    /// Returns whether this list contains every mode of `requested` in the same spelling.
    pub fn contains_all(&self, requested: &Self) -> bool {
        requested.0.iter().all(|mode| self.0.contains(mode))
    }

    /// Returns whether the list is empty.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// A set of the four known access modes. It is the key of the controller's volume index. Upstream:
/// `GetAccessModesAsString`, `pkg/apis/core/v1/helper`, 1.36.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct AccessModeSet(u8);

impl AccessModeSet {
    /// Returns all sixteen sets.
    pub fn all() -> impl Iterator<Item = Self> {
        (0..16).map(Self)
    }

    /// Returns the number of modes in the set.
    pub fn len(self) -> u32 {
        self.0.count_ones()
    }

    /// Returns whether the set is empty.
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Returns whether every requested mode is in this set. A mode that Kubernetes does not know is in no set.
    pub fn contains_all(self, requested: &AccessModes) -> bool {
        requested.0.iter().all(|mode| mode.bit().is_some_and(|bit| self.0 & bit != 0))
    }

    /// Returns whether every mode of this set is in the other set.
    pub fn is_subset_of(self, other: Self) -> bool {
        self.0 & !other.0 == 0
    }

    /// Returns the index of the set among the sixteen sets.
    pub fn index(self) -> usize {
        usize::from(self.0)
    }

    /// Returns the set as `kubectl get pv` prints it: `RWO,RWX`.
    pub fn short(self) -> String {
        [(1, "RWO"), (2, "ROX"), (4, "RWX"), (8, "RWOP")]
            .into_iter()
            .filter(|(bit, _)| self.0 & bit != 0)
            .map(|(_, name)| name)
            .collect::<Vec<_>>()
            .join(",")
    }
}
