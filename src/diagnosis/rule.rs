//! What a rule is: what it looks at, what it reports at worst, and the page that explains it.

use super::{Case, Found, Risk, Severity};
use crate::model::surroundings::{Namespace, StatefulSet, VolumeAttachment};
use crate::model::{Kind, PersistentVolume, PersistentVolumeClaim, Pod, StorageClass};
use crate::simulate::Target;
use crate::snapshot::{ClaimId, VolumeId};

/// What should come about with an object and does not. A finding follows from another one only where both share it: the
/// root hinders it, and the consequence misses it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Act {
    /// A claim gets its volume.
    Bind,
    /// A claim stays without a class.
    StayClassless,
    /// A volume's `claimRef` lets other claims have it.
    Offer,
    /// A volume is given back to the claim that has the name in its `claimRef`.
    GiveBack,
    /// The `claimRef` of a volume, or of all volumes of a namespace, has the uid of the claim that lives.
    NameOwner,
    /// A volume has its storage for itself.
    OwnStorage,
    /// Some node can use a volume.
    Reach,
    /// Volumes of a class are made.
    Provision,
    /// Volumes of a class grow.
    Expand,
    /// One class alone is the default.
    Default,
    /// Pods with claims, or with claims of a class, get a node.
    Schedule,
    /// Claims stay when the set that they are of goes.
    Outlive,
    /// An object that is being deleted goes.
    Delete,
    /// A volume is detached.
    Detach,
}

/// What a verb of pvctl does about what a rule finds. A [`super::Remedy`] is a way out in words, for people.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Repair {
    /// The claim gets its volume back.
    Restore,
    /// The data are kept, of the volume or of the claim's volumes.
    Retain,
    /// The volume is kept, and offered to its last claim again.
    Release,
    /// The half-made binding of the volume is rolled back, in favour of the only claim that names the volume.
    Unbind,
    /// The choice of a node is taken back.
    Unselect,
    /// The claim, which has no volume, is made anew with the class that is meant.
    Reclass,
}

/// One thing that can be wrong.
#[derive(Debug)]
pub struct Rule {
    /// Its id: kebab-case, stable for ever.
    pub id: &'static str,
    /// What is wrong, in a few words without a full stop.
    pub title: &'static str,
    /// The highest severity that it reports.
    pub severity: Severity,
    /// The highest risk to data that it reports.
    pub risk: Risk,
    /// The kinds on whose reading it rests, besides the object's own.
    pub reads: &'static [Kind],
    /// What does not come about with its object as long as it is found.
    pub hinders: &'static [Act],
    /// What repairs it, or makes it harmless, the safest first; nothing where only a person can.
    pub repairs: &'static [Repair],
    /// What people read about it.
    pub page: Page,
    /// How it is found.
    pub detect: Detect,
}

/// What people read about a rule. Each part is one or more sentences, in which `NAME`, `NAMESPACE` and other words in
/// capitals stand for what is theirs; code is in backquotes.
#[derive(Debug)]
pub struct Page {
    /// What is seen with kubectl.
    pub seen: &'static str,
    /// Why it happens: which function of the controller does what.
    pub why: &'static str,
    /// How to confirm it by hand: commands, one in each line.
    pub confirm: &'static str,
    /// How it is repaired, the safest way first.
    pub repair: &'static str,
    /// How it is kept from happening again.
    pub prevention: &'static str,
    /// What can go wrong with the data, and which repair makes it worse.
    pub hazard: &'static str,
    /// Where the facts are from: functions of Kubernetes with the version, documents, issues.
    pub sources: &'static [&'static str],
}

/// An object at which rules look.
#[derive(Clone, Copy, Debug)]
pub enum Subject<'s> {
    /// A volume.
    Volume(VolumeId, &'s PersistentVolume),
    /// A claim.
    Claim(ClaimId, &'s PersistentVolumeClaim),
    /// A class.
    Class(&'s StorageClass),
    /// A pod.
    Pod(&'s Pod),
    /// A namespace.
    Namespace(&'s Namespace),
    /// An attachment of a volume to a node.
    Attachment(&'s VolumeAttachment),
    /// A StatefulSet.
    StatefulSet(&'s StatefulSet),
}

impl Subject<'_> {
    /// The object that controllers sync, if it is one.
    pub(super) fn target(self) -> Option<Target> {
        match self {
            Self::Volume(id, _) => Some(Target::Volume(id)),
            Self::Claim(id, _) => Some(Target::Claim(id)),
            Self::Class(_) | Self::Pod(_) | Self::Namespace(_) | Self::Attachment(_) | Self::StatefulSet(_) => None,
        }
    }
}

/// Looks at one object of a kind, and says what is wrong with it.
pub type Look<T> = fn(&Case<'_>, &T) -> Option<Found>;

/// At which kind of object a rule looks, and how.
#[derive(Debug)]
pub enum Detect {
    /// At volumes.
    Volume(Look<PersistentVolume>),
    /// At claims.
    Claim(Look<PersistentVolumeClaim>),
    /// At classes.
    Class(Look<StorageClass>),
    /// At pods.
    Pod(Look<Pod>),
    /// At namespaces.
    Namespace(Look<Namespace>),
    /// At attachments of volumes to nodes.
    Attachment(Look<VolumeAttachment>),
    /// At StatefulSets.
    StatefulSet(Look<StatefulSet>),
}

impl Detect {
    /// The kind of object that it looks at.
    pub fn kind(&self) -> Kind {
        match self {
            Self::Volume(_) => Kind::PersistentVolume,
            Self::Claim(_) => Kind::PersistentVolumeClaim,
            Self::Class(_) => Kind::StorageClass,
            Self::Pod(_) => Kind::Pod,
            Self::Namespace(_) => Kind::Namespace,
            Self::Attachment(_) => Kind::VolumeAttachment,
            Self::StatefulSet(_) => Kind::StatefulSet,
        }
    }

    /// Whether it looks at such an object.
    pub(super) fn is_about(&self, subject: Subject<'_>) -> bool {
        matches!(
            (self, subject),
            (Self::Volume(_), Subject::Volume(..))
                | (Self::Claim(_), Subject::Claim(..))
                | (Self::Class(_), Subject::Class(_))
                | (Self::Pod(_), Subject::Pod(_))
                | (Self::Namespace(_), Subject::Namespace(_))
                | (Self::Attachment(_), Subject::Attachment(_))
                | (Self::StatefulSet(_), Subject::StatefulSet(_))
        )
    }

    /// Looks at the object; nothing where it is of another kind.
    pub(super) fn ask(&self, case: &Case<'_>, subject: Subject<'_>) -> Option<Found> {
        match (self, subject) {
            (Self::Volume(look), Subject::Volume(_, volume)) => look(case, volume),
            (Self::Claim(look), Subject::Claim(_, claim)) => look(case, claim),
            (Self::Class(look), Subject::Class(class)) => look(case, class),
            (Self::Pod(look), Subject::Pod(pod)) => look(case, pod),
            (Self::Namespace(look), Subject::Namespace(namespace)) => look(case, namespace),
            (Self::Attachment(look), Subject::Attachment(attachment)) => look(case, attachment),
            (Self::StatefulSet(look), Subject::StatefulSet(set)) => look(case, set),
            _ => None,
        }
    }
}
