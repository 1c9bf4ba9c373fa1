//! The kinds of object that rules examine. One table defines everything that differs between the kinds.

use super::{Case, Detection};
use crate::model::surroundings::{Namespace, StatefulSet, VolumeAttachment};
use crate::model::{
    Deployment, EndpointSlice, Id, Kind, Node, ObjectId, ObjectKey, ObjectMeta, PersistentVolume,
    PersistentVolumeClaim, Pod, Service, StorageClass, TypedId, VolumeSnapshot,
};
use crate::snapshot::{ClaimId, Snapshot, VolumeId};

/// A function that examines one object of a kind and reports what is wrong with it.
pub type DetectFn<T> = fn(&Case<'_>, &T) -> Option<Detection>;

/// Each line of the table is one kind of object. It states the name of the variant and the Rust type, which has the
/// name of its [`Kind`]. If controllers sync this kind, it also states the type of the id. The last part is the
/// function that returns all objects. Objects are processed in the order of the lines.
macro_rules! subjects {
    ($(#[$doc:meta] $word:ident($object:ident $(, $id:ident)?) = $all:expr;)+) => {
        /// An object that rules examine.
        #[derive(Clone, Copy, Debug)]
        pub enum Subject<'s> {
            $(#[$doc] $word(&'s $object $(, $id)?),)+
        }

        impl<'s> Subject<'s> {
            /// Returns all objects that rules examine, in the order of kinds and names.
            pub(super) fn all(snapshot: &'s Snapshot) -> Vec<Self> {
                let all = std::iter::empty();
                $(
                    let objects: fn(&Snapshot) -> &[$object] = $all;
                    let all = all.chain((0_u32..).zip(objects(snapshot)).map(|at| Self::$word(at.1 $(, $id::new(at.0))?)));
                )+
                all.collect()
            }

            /// Returns the object with this key, and its place in the order of all objects: the place of its kind and
            /// its place in the kind.
            pub(super) fn find(snapshot: &'s Snapshot, key: &ObjectKey) -> Option<((usize, u32), Self)> {
                let id = snapshot.object_id(key)?;
                let kinds = [$(Kind::$object),+];
                let kind = kinds.iter().position(|kind| *kind == id.kind)?;
                let subject = match id.kind {
                    $(Kind::$object => Self::$word(snapshot.get(Id::new(id.at)) $(, $id::new(id.at))?),)+
                    _ => return None,
                };
                Some(((kind, id.at), subject))
            }

            /// Returns the kind of the object.
            pub(super) fn kind(self) -> Kind {
                match self {
                    $(Self::$word(..) => Kind::$object,)+
                }
            }

            /// Returns the metadata of the object.
            pub(super) fn meta(self) -> &'s ObjectMeta {
                match self {
                    $(Self::$word(object, ..) => &object.meta,)+
                }
            }
        }

        /// The kind of object that a rule examines, and the function that examines it.
        #[derive(Debug)]
        pub enum Detect {
            $(#[$doc] $word(DetectFn<$object>),)+
        }

        impl Detect {
            /// Returns the kind of object that the rule examines.
            pub fn kind(&self) -> Kind {
                match self {
                    $(Self::$word(_) => Kind::$object,)+
                }
            }

            /// Returns whether the rule examines this kind of object.
            pub(super) fn is_about(&self, subject: Subject<'_>) -> bool {
                matches!((self, subject), $((Self::$word(_), Subject::$word(..)))|+)
            }

            /// Applies the rule to the object. Returns None if the object is of another kind.
            pub(super) fn ask(&self, case: &Case<'_>, subject: Subject<'_>) -> Option<Detection> {
                match (self, subject) {
                    $((Self::$word(look), Subject::$word(object, ..)) => look(case, object),)+
                    _ => None,
                }
            }
        }
    };
}

subjects! {
    /// A volume.
    Volume(PersistentVolume, VolumeId) = Snapshot::volumes;
    /// A claim.
    Claim(PersistentVolumeClaim, ClaimId) = Snapshot::claims;
    /// A class.
    Class(StorageClass) = Snapshot::classes;
    /// A pod.
    Pod(Pod) = Snapshot::pods;
    /// A namespace.
    Namespace(Namespace) = Snapshot::all;
    /// An attachment of a volume to a node (VolumeAttachment).
    Attachment(VolumeAttachment) = Snapshot::all;
    /// A StatefulSet.
    StatefulSet(StatefulSet) = Snapshot::all;
    /// A node.
    Node(Node) = Snapshot::nodes;
    /// A VolumeSnapshot.
    VolumeSnapshot(VolumeSnapshot) = Snapshot::all;
    /// A Service.
    Service(Service) = Snapshot::all;
    /// A Deployment.
    Deployment(Deployment) = Snapshot::all;
    /// An EndpointSlice.
    EndpointSlice(EndpointSlice) = Snapshot::all;
}

impl<'s> Subject<'s> {
    /// Returns a volume or claim as an object that rules examine. Returns None for an object of any other kind.
    pub(super) fn of(snapshot: &'s Snapshot, target: ObjectId) -> Option<Self> {
        match target.typed() {
            TypedId::PersistentVolume(id) => Some(Self::Volume(snapshot.volume(id), id)),
            TypedId::PersistentVolumeClaim(id) => Some(Self::Claim(snapshot.claim(id), id)),
            _ => None,
        }
    }

    /// Returns the id by which controllers know the object. Returns None if the object is neither a volume nor a claim.
    pub(super) fn target(self) -> Option<ObjectId> {
        match self {
            Self::Volume(_, id) => Some(ObjectId::from(id)),
            Self::Claim(_, id) => Some(ObjectId::from(id)),
            _ => None,
        }
    }
}
