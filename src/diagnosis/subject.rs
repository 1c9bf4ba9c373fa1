//! The kinds of object at which rules look: one table, from which everything follows that differs by them.

use super::{Case, Detection};
use crate::model::surroundings::{Namespace, StatefulSet, VolumeAttachment};
use crate::model::{Kind, ObjectId, ObjectMeta, PersistentVolume, PersistentVolumeClaim, Pod, StorageClass, TypedId};
use crate::snapshot::{ClaimId, Snapshot, VolumeId};

/// Looks at one object of a kind, and says what is wrong with it.
pub type DetectFn<T> = fn(&Case<'_>, &T) -> Option<Detection>;

/// Each line is a kind of object: the word for it here, its type, which has the name of its [`Kind`], that of the id by
/// which controllers know it, where they do, and where all of them stand. They are looked at in the order of the lines.
macro_rules! subjects {
    ($(#[$doc:meta] $word:ident($object:ident $(, $id:ident)?) = $all:expr;)+) => {
        /// An object at which rules look.
        #[derive(Clone, Copy, Debug)]
        pub enum Subject<'s> {
            $(#[$doc] $word(&'s $object $(, $id)?),)+
        }

        impl<'s> Subject<'s> {
            /// Everything at which rules look, in the order of kinds and names.
            pub(super) fn all(snapshot: &'s Snapshot) -> Vec<Self> {
                let all = std::iter::empty();
                $(
                    let objects: fn(&Snapshot) -> &[$object] = $all;
                    let all = all.chain((0_u32..).zip(objects(snapshot)).map(|at| Self::$word(at.1 $(, $id::new(at.0))?)));
                )+
                all.collect()
            }

            /// Its kind.
            pub(super) fn kind(self) -> Kind {
                match self {
                    $(Self::$word(..) => Kind::$object,)+
                }
            }

            /// Its metadata.
            pub(super) fn meta(self) -> &'s ObjectMeta {
                match self {
                    $(Self::$word(object, ..) => &object.meta,)+
                }
            }
        }

        /// At which kind of object a rule looks, and how.
        #[derive(Debug)]
        pub enum Detect {
            $(#[$doc] $word(DetectFn<$object>),)+
        }

        impl Detect {
            /// The kind of object that it looks at.
            pub fn kind(&self) -> Kind {
                match self {
                    $(Self::$word(_) => Kind::$object,)+
                }
            }

            /// Whether it looks at such an object.
            pub(super) fn is_about(&self, subject: Subject<'_>) -> bool {
                matches!((self, subject), $((Self::$word(_), Subject::$word(..)))|+)
            }

            /// Looks at the object; nothing where it is of another kind.
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
    /// An attachment of a volume to a node.
    Attachment(VolumeAttachment) = Snapshot::all;
    /// A StatefulSet.
    StatefulSet(StatefulSet) = Snapshot::all;
}

impl<'s> Subject<'s> {
    /// What controllers sync, as an object at which rules look; none where they look at no object of its kind.
    pub(super) fn of(snapshot: &'s Snapshot, target: ObjectId) -> Option<Self> {
        match target.typed() {
            TypedId::PersistentVolume(id) => Some(Self::Volume(snapshot.volume(id), id)),
            TypedId::PersistentVolumeClaim(id) => Some(Self::Claim(snapshot.claim(id), id)),
            _ => None,
        }
    }

    /// The object that controllers sync, if it is one.
    pub(super) fn target(self) -> Option<ObjectId> {
        match self {
            Self::Volume(_, id) => Some(ObjectId::from(id)),
            Self::Claim(_, id) => Some(ObjectId::from(id)),
            _ => None,
        }
    }
}
