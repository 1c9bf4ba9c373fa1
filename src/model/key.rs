//! How objects are named.

use super::Str;
use std::fmt;

/// The kinds of object that some answer reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// `v1` PersistentVolume.
    PersistentVolume,
    /// `v1` PersistentVolumeClaim.
    PersistentVolumeClaim,
    /// `storage.k8s.io/v1` StorageClass.
    StorageClass,
    /// `v1` Pod.
    Pod,
    /// `v1` Node.
    Node,
    /// `coordination.k8s.io/v1` Lease: that of kube-controller-manager alone, which no decision reads. It says whether
    /// the controllers live.
    Lease,
}

impl Kind {
    /// Every kind that some decision reads, in the order in which they are listed.
    pub const ALL: [Self; 5] =
        [Self::PersistentVolume, Self::PersistentVolumeClaim, Self::StorageClass, Self::Pod, Self::Node];

    /// The kind as manifests write it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::PersistentVolume => "PersistentVolume",
            Self::PersistentVolumeClaim => "PersistentVolumeClaim",
            Self::StorageClass => "StorageClass",
            Self::Pod => "Pod",
            Self::Node => "Node",
            Self::Lease => "Lease",
        }
    }

    /// The resource as the API's paths write it.
    pub fn resource(self) -> &'static str {
        match self {
            Self::PersistentVolume => "persistentvolumes",
            Self::PersistentVolumeClaim => "persistentvolumeclaims",
            Self::StorageClass => "storageclasses",
            Self::Pod => "pods",
            Self::Node => "nodes",
            Self::Lease => "leases",
        }
    }

    /// The short name that people type: `pv`, `pvc`, `sc`, `pod`, `node`.
    pub fn short(self) -> &'static str {
        match self {
            Self::PersistentVolume => "pv",
            Self::PersistentVolumeClaim => "pvc",
            Self::StorageClass => "sc",
            Self::Pod => "pod",
            Self::Node => "node",
            Self::Lease => "lease",
        }
    }

    /// The API version that serves the kind.
    pub fn api_version(self) -> &'static str {
        match self {
            Self::StorageClass => "storage.k8s.io/v1",
            Self::Lease => "coordination.k8s.io/v1",
            Self::PersistentVolume | Self::PersistentVolumeClaim | Self::Pod | Self::Node => "v1",
        }
    }

    /// Whether objects of the kind live in namespaces.
    pub fn namespaced(self) -> bool {
        match self {
            Self::PersistentVolumeClaim | Self::Pod | Self::Lease => true,
            Self::PersistentVolume | Self::StorageClass | Self::Node => false,
        }
    }

    /// The kind that manifests call `kind`, if it is one of these.
    pub fn from_manifest(kind: &str) -> Option<Self> {
        Self::ALL.into_iter().chain([Self::Lease]).find(|known| known.as_str() == kind)
    }

    /// The kind that a person means: singular, plural, short or full resource name, in any case.
    pub fn from_word(word: &str) -> Option<Self> {
        let word = word.to_ascii_lowercase();
        let bare = word.split_once('.').map_or(word.as_str(), |(resource, _)| resource);
        Self::ALL.into_iter().find(|kind| {
            let singular = kind.as_str().to_ascii_lowercase();
            bare == kind.resource()
                || bare == singular
                || bare == kind.short()
                || (*kind == Self::Pod && bare == "po")
                || (*kind == Self::Node && bare == "no")
        })
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.as_str())
    }
}

/// A claim's name with its namespace: `db/data-0`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ClaimKey {
    /// The namespace.
    pub namespace: Str,
    /// The name in it.
    pub name: Str,
}

impl fmt::Display for ClaimKey {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}/{}", self.namespace, self.name)
    }
}

/// What names one object: its kind, its namespace if it has one, and its name. The order is that of all listings.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ObjectKey {
    /// The kind.
    pub kind: Kind,
    /// The namespace; empty for kinds that have none.
    pub namespace: Str,
    /// The name.
    pub name: Str,
}

impl fmt::Display for ObjectKey {
    /// As people type it: `pv/data`, `pvc/data-0 -n db`.
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}/{}", self.kind.short(), self.name)?;
        if self.namespace.is_empty() { Ok(()) } else { write!(out, " -n {}", self.namespace) }
    }
}
