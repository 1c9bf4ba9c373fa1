//! How objects are named.

use super::Str;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
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
    /// `v1` Namespace.
    Namespace,
    /// `storage.k8s.io/v1` VolumeAttachment.
    VolumeAttachment,
    /// `storage.k8s.io/v1` CSIDriver.
    CsiDriver,
    /// `storage.k8s.io/v1` CSINode.
    CsiNode,
    /// `storage.k8s.io/v1` CSIStorageCapacity.
    CsiStorageCapacity,
    /// `v1` Event, about a volume or a claim.
    Event,
    /// `v1` ResourceQuota.
    ResourceQuota,
    /// `v1` LimitRange.
    LimitRange,
    /// `apps/v1` StatefulSet.
    StatefulSet,
}

impl Kind {
    /// Every kind that some decision reads, in the order in which they are listed.
    pub const ALL: [Self; 5] =
        [Self::PersistentVolume, Self::PersistentVolumeClaim, Self::StorageClass, Self::Pod, Self::Node];

    /// Every kind that no decision reads and some finding rests on, in the order in which they are listed.
    pub const SURROUNDING: [Self; 9] = [
        Self::Namespace,
        Self::VolumeAttachment,
        Self::CsiDriver,
        Self::CsiNode,
        Self::CsiStorageCapacity,
        Self::Event,
        Self::ResourceQuota,
        Self::LimitRange,
        Self::StatefulSet,
    ];

    /// Every kind of which whole lists are read: [`Self::ALL`] and then [`Self::SURROUNDING`].
    pub fn listed() -> impl Iterator<Item = Self> {
        Self::ALL.into_iter().chain(Self::SURROUNDING)
    }

    /// Whether no decision reads it and some finding may rest on it.
    pub fn is_surrounding(self) -> bool {
        Self::SURROUNDING.contains(&self)
    }

    /// The kind as manifests write it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::PersistentVolume => "PersistentVolume",
            Self::PersistentVolumeClaim => "PersistentVolumeClaim",
            Self::StorageClass => "StorageClass",
            Self::Pod => "Pod",
            Self::Node => "Node",
            Self::Lease => "Lease",
            Self::Namespace => "Namespace",
            Self::VolumeAttachment => "VolumeAttachment",
            Self::CsiDriver => "CSIDriver",
            Self::CsiNode => "CSINode",
            Self::CsiStorageCapacity => "CSIStorageCapacity",
            Self::Event => "Event",
            Self::ResourceQuota => "ResourceQuota",
            Self::LimitRange => "LimitRange",
            Self::StatefulSet => "StatefulSet",
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
            Self::Namespace => "namespaces",
            Self::VolumeAttachment => "volumeattachments",
            Self::CsiDriver => "csidrivers",
            Self::CsiNode => "csinodes",
            Self::CsiStorageCapacity => "csistoragecapacities",
            Self::Event => "events",
            Self::ResourceQuota => "resourcequotas",
            Self::LimitRange => "limitranges",
            Self::StatefulSet => "statefulsets",
        }
    }

    /// The short name that people type, such as `pv`, `pvc`, `sc`, `pod` or `node`; the singular where there is none.
    pub fn short(self) -> &'static str {
        match self {
            Self::PersistentVolume => "pv",
            Self::PersistentVolumeClaim => "pvc",
            Self::StorageClass => "sc",
            Self::Pod => "pod",
            Self::Node => "node",
            Self::Lease => "lease",
            Self::Namespace => "ns",
            Self::VolumeAttachment => "volumeattachment",
            Self::CsiDriver => "csidriver",
            Self::CsiNode => "csinode",
            Self::CsiStorageCapacity => "csistoragecapacity",
            Self::Event => "event",
            Self::ResourceQuota => "quota",
            Self::LimitRange => "limits",
            Self::StatefulSet => "sts",
        }
    }

    /// The API version that serves the kind.
    pub fn api_version(self) -> &'static str {
        match self {
            Self::StorageClass
            | Self::VolumeAttachment
            | Self::CsiDriver
            | Self::CsiNode
            | Self::CsiStorageCapacity => "storage.k8s.io/v1",
            Self::Lease => "coordination.k8s.io/v1",
            Self::StatefulSet => "apps/v1",
            Self::PersistentVolume
            | Self::PersistentVolumeClaim
            | Self::Pod
            | Self::Node
            | Self::Namespace
            | Self::Event
            | Self::ResourceQuota
            | Self::LimitRange => "v1",
        }
    }

    /// Whether objects of the kind live in namespaces.
    pub fn namespaced(self) -> bool {
        match self {
            Self::PersistentVolumeClaim
            | Self::Pod
            | Self::Lease
            | Self::CsiStorageCapacity
            | Self::Event
            | Self::ResourceQuota
            | Self::LimitRange
            | Self::StatefulSet => true,
            Self::PersistentVolume
            | Self::StorageClass
            | Self::Node
            | Self::Namespace
            | Self::VolumeAttachment
            | Self::CsiDriver
            | Self::CsiNode => false,
        }
    }

    /// The kind that manifests call `kind`, if it is one of these.
    pub fn from_manifest(kind: &str) -> Option<Self> {
        Self::listed().chain([Self::Lease]).find(|known| known.as_str() == kind)
    }

    /// The kind that a person means, of those that some decision reads: singular, plural, short or full resource name,
    /// in any case.
    pub fn from_word(word: &str) -> Option<Self> {
        Self::of_word(&Self::ALL, word)
    }

    /// The kind that a person means, of those that some finding rests on alone.
    pub fn surrounding_from_word(word: &str) -> Option<Self> {
        Self::of_word(&Self::SURROUNDING, word)
    }

    fn of_word(kinds: &[Self], word: &str) -> Option<Self> {
        let word = word.to_ascii_lowercase();
        let bare = word.split_once('.').map_or(word.as_str(), |(resource, _)| resource);
        kinds.iter().copied().find(|kind| {
            let singular = kind.as_str().to_ascii_lowercase();
            bare == kind.resource()
                || bare == singular
                || bare == kind.short()
                || (*kind == Self::Pod && bare == "po")
                || (*kind == Self::Node && bare == "no")
        })
    }
}

impl Serialize for Kind {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

impl<'de> Deserialize<'de> for Kind {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        Self::from_manifest(&text).ok_or_else(|| de::Error::custom(format!("{text:?} is no kind that is known here")))
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
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ObjectKey {
    /// The kind.
    pub kind: Kind,
    /// The namespace; empty for kinds that have none.
    #[serde(default, skip_serializing_if = "Str::is_empty")]
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
