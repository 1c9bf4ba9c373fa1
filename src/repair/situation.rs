//! The input of planners and guards: the snapshot, the settings of the simulation, and the complete manifests of the
//! few objects that a plan is about.

use crate::diagnosis::shared_volumes::{Absences, Providers};
use crate::model::{Kind, Node, ObjectKey, PersistentVolume, PersistentVolumeClaim, Service, Str, VolumeAttachment};
use crate::simulate::Settings;
use crate::snapshot::{Absence, Snapshot};
use serde_json::Value;
use std::collections::BTreeMap;

/// Complete objects as the API server sent them. They may contain credentials. They are sent back to the server and
/// stored in a journal, but never printed.
#[derive(Clone, Default)]
pub struct Manifests(BTreeMap<ObjectKey, Value>);

impl std::fmt::Debug for Manifests {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_list().entries(self.0.keys()).finish()
    }
}

impl Manifests {
    /// Adds an object.
    pub fn add(&mut self, key: ObjectKey, manifest: Value) {
        self.0.insert(key, manifest);
    }

    /// Returns the object of this key, if it was read.
    pub fn get(&self, key: &ObjectKey) -> Option<&Value> {
        self.0.get(key)
    }
}

/// The input of planners and guards.
#[derive(Clone, Debug)]
pub struct Situation<'a> {
    /// The objects as they were read.
    pub snapshot: &'a Snapshot,
    /// The settings of the simulation, with the behavior of Kubernetes.
    pub settings: Settings<'a>,
    /// The complete objects that [`crate::repair::reads`] names.
    pub manifests: &'a Manifests,
    /// The systems that serve shared volumes.
    pub providers: &'a Providers,
}

/// What is known about an object that was looked up by its name.
#[derive(Clone, Copy, Debug)]
pub enum Known<T> {
    /// The object exists.
    There(T),
    /// The object certainly does not exist.
    Absent,
    /// Whether the object exists is unknown.
    Unknown,
}

impl<T> Known<T> {
    /// Returns the object, if it is known to exist.
    pub fn there(self) -> Option<T> {
        match self {
            Self::There(object) => Some(object),
            Self::Absent | Self::Unknown => None,
        }
    }

    /// Returns whether the object certainly does not exist.
    pub fn is_absent(&self) -> bool {
        matches!(self, Self::Absent)
    }
}

impl<'a> Situation<'a> {
    /// Returns the volume of this name.
    pub fn volume(&self, name: &str) -> Known<&'a PersistentVolume> {
        match self.snapshot.volume_id(name) {
            Some(id) => Known::There(self.snapshot.volume(id)),
            None => self.absence(Kind::PersistentVolume, "", name),
        }
    }

    /// Returns the claim of this name.
    pub fn claim(&self, namespace: &str, name: &str) -> Known<&'a PersistentVolumeClaim> {
        match self.snapshot.claim_id(namespace, name) {
            Some(id) => Known::There(self.snapshot.claim(id)),
            None => self.absence(Kind::PersistentVolumeClaim, namespace, name),
        }
    }

    /// Returns whether the list of this kind and namespace is complete.
    pub fn knows_all(&self, kind: Kind, namespace: &str) -> bool {
        self.snapshot.coverage().absence(kind, namespace) == Absence::Certain
    }

    /// Returns the VolumeAttachment of this name.
    pub fn attachment(&self, name: &str) -> Known<&'a VolumeAttachment> {
        match self.snapshot.find::<VolumeAttachment>("", name) {
            Some(attachment) => Known::There(attachment),
            None => self.absence(Kind::VolumeAttachment, "", name),
        }
    }

    /// Returns the Service of this name.
    pub fn service(&self, namespace: &str, name: &str) -> Known<&'a Service> {
        match self.snapshot.find::<Service>(namespace, name) {
            Some(service) => Known::There(service),
            None => self.absence(Kind::Service, namespace, name),
        }
    }

    /// Returns the node of this name.
    pub fn node(&self, name: &str) -> Known<&'a Node> {
        match self.snapshot.node(name) {
            Some(node) => Known::There(node),
            None => self.absence(Kind::Node, "", name),
        }
    }

    fn absence<T>(&self, kind: Kind, namespace: &str, name: &str) -> Known<T> {
        match self.snapshot.coverage().absence_of(kind, namespace, name) {
            Absence::Certain => Known::Absent,
            Absence::Assumed | Absence::Unknown(_) => Known::Unknown,
        }
    }

    /// Returns the claim that holds the volume: it exists, and the volume's claimRef has its uid.
    pub fn holder(&self, volume: &PersistentVolume) -> Known<&'a PersistentVolumeClaim> {
        let Some(named) = volume.claim_ref.as_ref().filter(|named| !named.uid.is_empty()) else { return Known::Absent };
        match self.claim(&named.namespace, &named.name) {
            Known::There(claim) if claim.meta.uid == named.uid => Known::There(claim),
            Known::There(_) | Known::Absent => Known::Absent,
            Known::Unknown => Known::Unknown,
        }
    }
}

impl Absences for Situation<'_> {
    fn lacks(&self, kind: Kind, namespace: &str, name: &str) -> bool {
        self.snapshot.coverage().absence_of(kind, namespace, name) == Absence::Certain
    }

    fn knows_all(&self, kind: Kind, namespace: &str) -> bool {
        Situation::knows_all(self, kind, namespace)
    }
}

/// Returns the key of a volume.
pub fn volume_key(name: &str) -> ObjectKey {
    ObjectKey { kind: Kind::PersistentVolume, namespace: Str::default(), name: name.into() }
}

/// Returns the key of a node.
pub fn node_key(name: &str) -> ObjectKey {
    ObjectKey { kind: Kind::Node, namespace: Str::default(), name: name.into() }
}

/// Returns the key of a VolumeAttachment.
pub fn attachment_key(name: &str) -> ObjectKey {
    ObjectKey { kind: Kind::VolumeAttachment, namespace: Str::default(), name: name.into() }
}

/// Returns the key of a Service.
pub fn service_key(namespace: &str, name: &str) -> ObjectKey {
    ObjectKey { kind: Kind::Service, namespace: namespace.into(), name: name.into() }
}

/// Returns the key of a claim.
pub fn claim_key(namespace: &str, name: &str) -> ObjectKey {
    ObjectKey { kind: Kind::PersistentVolumeClaim, namespace: namespace.into(), name: name.into() }
}
