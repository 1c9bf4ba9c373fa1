//! From the bytes of one object to a value of the model: total, and strict about what a decision reads.

use crate::model::{Node, PersistentVolume, PersistentVolumeClaim, Pod, StorageClass, Str};

/// One decoded object.
#[derive(Clone, Debug)]
pub enum Item {
    /// A volume.
    Volume(Box<PersistentVolume>),
    /// A claim.
    Claim(Box<PersistentVolumeClaim>),
    /// A class.
    Class(Box<StorageClass>),
    /// A pod.
    Pod(Box<Pod>),
    /// A node.
    Node(Box<Node>),
    /// An object of a kind that no decision reads.
    Skipped(Str),
}

/// A well-formed object that could not be decoded, and so is left out of the snapshot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DecodeIssue {
    /// The kind, as the object states it; empty when it states none.
    pub kind: String,
    /// The namespace, if it could be read.
    pub namespace: String,
    /// The name, if it could be read.
    pub name: String,
    /// The path of the field, such as `spec.capacity.storage`.
    pub field: String,
    /// The value that was found, shortened.
    pub value: String,
    /// What is wrong with it, for people.
    pub reason: String,
    /// Where it was found: the file or the list.
    pub origin: String,
}
