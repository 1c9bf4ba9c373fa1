//! A repair as data: ordered conditional writes, each with its reason, what follows from it and how it is taken back.

use super::identity::VolumeIdentity;
use super::request::Request;
use super::situation::volume_key;
use super::wait::Wait;
use super::write::{Change, Expect, Seen, Write};
use crate::model::{Kind, ObjectKey, PersistentVolume, Str, Timestamp};
use serde::{Deserialize, Serialize};

/// A repair.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Plan {
    /// A short name: the verb and a hash of what was asked and of the world.
    pub id: String,
    /// What was asked for.
    pub request: Request,
    /// What the plan comes to, in a sentence without a full stop.
    pub goal: String,
    /// The volumes that carry data, and what may become of them because it was asked for.
    pub volumes: Vec<Carried>,
    /// The volumes that have policy Retain while the plan is under way: from the start, or once a step has set it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub keeps: Vec<VolumeIdentity>,
    /// The objects that the journal keeps whole before the first write.
    pub saves: Vec<ObjectKey>,
    /// The writes in order.
    pub steps: Vec<Step>,
    /// What people should know: what is dropped, what cannot be seen, what stays to be done.
    pub notes: Vec<String>,
    /// Why only a person can decide on it, in a sentence without a full stop, where that is so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub judgement: Option<String>,
    /// The name that the person has to type, where data are given away or deleted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub type_name: Option<Str>,
    /// A hash of what decided, in the objects on which the plan rests.
    pub world: String,
}

/// A volume of which a plan says what becomes of its data.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Carried {
    /// The volume.
    pub volume: Str,
    /// Claims that may have it in the end, besides the one that has or had it: namespace and name.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub for_claims: Vec<(Str, Str)>,
    /// What the person asked for that a plan would otherwise be refused for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub given_up: Vec<GivenUp>,
}

/// What a person may ask for that loses or discloses data.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum GivenUp {
    /// The data may be deleted.
    Data,
    /// The object may go, with the data kept.
    Object,
    /// Anybody may have it.
    Privacy,
    /// Its claim becomes Lost again.
    Claim,
}

/// One step.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Step {
    /// From 1.
    pub id: u32,
    /// Why, in a sentence without a full stop.
    pub why: String,
    /// What is written; nothing for a step that only waits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub write: Option<Write>,
    /// What is looked at once more right before the write.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub recheck: Vec<Recheck>,
    /// What is waited for before the next step.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wait: Option<Wait>,
    /// The states in which the objects are once the controllers have answered, by the simulation.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub expects: Vec<Expected>,
    /// How it is taken back.
    pub undo: Undo,
}

/// What the simulation says of an object after a step.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Expected {
    /// The object.
    pub object: ObjectKey,
    /// Its possible states, in words: `Released`, `Bound to pv-1`, `gone`.
    pub states: Vec<String>,
}

/// How an object stands, in the words of [`Expected::states`]: what the simulation predicts, and what is there.
pub fn state_in_words(kind: Kind, seen: Option<&Seen>) -> String {
    let Some(seen) = seen else {
        return if kind == Kind::PersistentVolume { "gone" } else { "not there" }.to_owned();
    };
    let ending = if seen.meta().deleted.is_some() { ", being deleted" } else { "" };
    match seen {
        Seen::Volume(volume) => {
            let named = volume.claim_ref.as_ref().map_or_else(String::new, |named| {
                let how = if named.uid.is_empty() { "reserved for" } else { "claimRef" };
                format!(", {how} {}/{}", named.namespace, named.name)
            });
            format!("{}, {}{named}{ending}", volume.status.phase.as_str(), volume.reclaim_policy.as_str())
        }
        Seen::Claim(claim) if claim.volume_name.is_empty() => format!("{}{ending}", claim.status.phase.as_str()),
        Seen::Claim(claim) => format!("{}, volume {}{ending}", claim.status.phase.as_str(), claim.volume_name),
    }
}

/// What is looked at right before a write, because it may have changed since the review.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "camelCase", rename_all_fields = "camelCase", deny_unknown_fields)]
pub enum Recheck {
    /// No pod that has a node uses the claim.
    Unused {
        /// The claim's namespace.
        namespace: Str,
        /// The claim's name.
        name: Str,
    },
    /// No pod that has a node and has not ended uses the claim, which is gone: its volume may be mounted all the same.
    Unmounted {
        /// The claim's namespace.
        namespace: Str,
        /// The claim's name.
        name: Str,
        /// When another claim got the name: pods that are not older use what that one has.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        before: Option<Timestamp>,
    },
    /// No VolumeAttachment names the volume.
    Detached {
        /// The volume.
        volume: Str,
    },
    /// The volume's policy is Retain.
    Retained {
        /// The volume.
        volume: VolumeIdentity,
    },
    /// Every volume that the claim names, or that names the claim, has policy Retain: also one that came since.
    AllRetained {
        /// The claim's namespace.
        namespace: Str,
        /// The claim's name.
        name: Str,
    },
    /// The claim that has the volume, by its uid, is there and is not being deleted.
    Lives {
        /// The claim's namespace.
        namespace: Str,
        /// The claim's name.
        name: Str,
        /// The volume.
        volume: VolumeIdentity,
    },
    /// The volume waits for the claim: it names it, and not by the uid of one that was there since, which keeps any
    /// other from it.
    Reserved {
        /// The volume.
        volume: VolumeIdentity,
        /// The claim's namespace.
        namespace: Str,
        /// The claim's name.
        name: Str,
    },
    /// No pod of the recycler erases the volume.
    NotRecycled {
        /// The volume.
        volume: Str,
    },
}

impl Recheck {
    /// What leads on where it does not hold and asking for the same repair again does not help.
    pub fn way_on(&self) -> Option<String> {
        match self {
            Self::Reserved { volume, namespace, name } => Some(format!(
                "kubectl pvctl restore pvc/{name} -n {namespace} --from pv/{volume} makes the volume wait for the claim \
                 again, and creates it"
            )),
            Self::Retained { volume } => {
                Some(format!("kubectl pvctl retain pv/{volume} sets it again; find out first who has changed it"))
            }
            Self::Unused { .. }
            | Self::Unmounted { .. }
            | Self::Detached { .. }
            | Self::AllRetained { .. }
            | Self::Lives { .. }
            | Self::NotRecycled { .. } => None,
        }
    }
}

impl std::fmt::Display for Recheck {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Unused { namespace, name } => write!(out, "no pod uses claim {namespace}/{name}"),
            Self::Unmounted { namespace, name, .. } => {
                write!(out, "no pod still uses the volume that claim {namespace}/{name} had")
            }
            Self::Detached { volume } => write!(out, "volume {volume} is attached to no node"),
            Self::Retained { volume } => write!(out, "volume {volume} has policy Retain"),
            Self::AllRetained { namespace, name } => {
                write!(out, "all volumes of claim {namespace}/{name} have policy Retain")
            }
            Self::Lives { namespace, name, volume } => {
                write!(out, "claim {namespace}/{name} has volume {volume} and is not being deleted")
            }
            Self::Reserved { volume, namespace, name } => {
                write!(out, "volume {volume} waits for claim {namespace}/{name}")
            }
            Self::NotRecycled { volume } => write!(out, "no pod of the recycler erases volume {volume}"),
        }
    }
}

/// How a step is taken back.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "camelCase", rename_all_fields = "camelCase", deny_unknown_fields)]
pub enum Undo {
    /// By another write.
    Write {
        /// The write. Where its object is the one that the step created, its uid is filled in from the journal.
        write: Box<Write>,
        /// What is waited for afterwards.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        wait: Option<Wait>,
    },
    /// There is nothing to take back.
    Nothing,
    /// It cannot be.
    Impossible {
        /// Why, in a sentence without a full stop.
        why: String,
    },
}

/// Why there is no plan.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// Which guard or rule stands against it: a stable word.
    pub by: &'static str,
    /// What stands against it, in a sentence without a full stop.
    pub message: String,
    /// What leads further: sentences or commands.
    pub hints: Vec<String>,
}

impl Refusal {
    /// A refusal without a hint.
    pub fn new(by: &'static str, message: impl Into<String>) -> Self {
        Self { by, message: message.into(), hints: Vec::new() }
    }

    /// Adds what leads further.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hints.push(hint.into());
        self
    }
}

/// What comes of a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Proposed {
    /// A plan, to be reviewed.
    Plan(Box<Plan>),
    /// There is nothing to write: why, in a sentence without a full stop.
    Nothing(String),
    /// It is not done.
    Refused(Refusal),
}

impl Plan {
    /// The objects that its steps write to, and those that it carries, in order and once each.
    pub fn objects(&self) -> Vec<ObjectKey> {
        let written = self.writes().map(|write| write.object.clone());
        let waited = self.steps.iter().filter_map(|step| step.wait.as_ref()).flat_map(Wait::objects);
        let carried = self.volumes.iter().map(|carried| ObjectKey {
            kind: Kind::PersistentVolume,
            namespace: Str::default(),
            name: carried.volume.clone(),
        });
        let mut objects: Vec<ObjectKey> =
            written.chain(waited).chain(carried).chain(self.saves.iter().cloned()).collect();
        objects.sort();
        objects.dedup();
        objects
    }

    /// What its steps write, in order.
    pub fn writes(&self) -> impl DoubleEndedIterator<Item = &Write> {
        self.steps.iter().filter_map(|step| step.write.as_ref())
    }

    /// Why a volume is not the one of that name which the plan is about, in a sentence without a full stop; nothing
    /// where it is.
    pub fn replaced_by(&self, volume: &PersistentVolume) -> Option<String> {
        let (key, found) = (volume_key(&volume.meta.name), &volume.meta.uid);
        let mut kept = self.keeps.iter().filter(|kept| *kept.name() == volume.meta.name);
        let mut written = self.writes().filter(|write| write.object == key && write.uid != *found);
        kept.find_map(|kept| kept.differs(volume)).or_else(|| {
            let uids = &written.next()?.uid;
            Some(format!(
                "another volume has the name {} by now, with uid {found}, where {uids} was expected",
                key.name
            ))
        })
    }

    /// The volumes whose data the plan keeps once a step is written: not before a step of its own sets Retain, and not
    /// after one gives a volume its former policy back.
    pub fn kept_after(&self, step: u32) -> impl Iterator<Item = &VolumeIdentity> {
        self.keeps.iter().filter(move |volume| {
            let key = volume_key(volume.name());
            let sets = |known: &&Step| {
                let write = known.write.as_ref().filter(|write| write.object == key);
                write.is_some_and(|write| matches!(write.change, Change::SetReclaimPolicy { .. }))
            };
            let retains = |known: &Step| known.write.as_ref().is_some_and(Write::retains);
            let last = self.steps.iter().filter(sets).take_while(|known| known.id <= step).last();
            let kept_from_the_start = !self.steps.iter().filter(sets).any(retains);
            last.map_or(kept_from_the_start, retains)
        })
    }

    /// Whether some step takes something away for good.
    pub fn is_destructive(&self) -> bool {
        self.writes().any(Write::is_destructive)
    }

    /// Whether a claim that was bound names the volume again that names it by its uid, and by no step of this plan: it
    /// can never have another one, so that there is nothing to choose.
    fn gives_own_name(&self, write: &Write) -> bool {
        let Change::NameVolume { volume } = &write.change else { return false };
        let made_so =
            |other: &Write| other.object.name == *volume && matches!(other.change, Change::SetClaimRef { .. });
        write.expect.contains(&Expect::BindCompleted { is: true }) && !self.writes().any(made_so)
    }

    /// Whether every step can be taken back or does no harm when repeated, and nothing is at risk: what `fix --yes` may
    /// do.
    pub fn is_safe(&self) -> bool {
        let harmless = |step: &Step| match (&step.undo, &step.write) {
            (_, Some(write)) if write.retains() || self.gives_own_name(write) => true,
            (Undo::Impossible { .. }, _) => false,
            (_, Some(write)) => !write.is_destructive(),
            (_, None) => true,
        };
        self.type_name.is_none()
            && self.judgement.is_none()
            && self.volumes.iter().all(|carried| carried.given_up.is_empty())
            && self.steps.iter().all(harmless)
    }
}

/// FNV-1a: a hash that is the same in every version and on every machine.
#[derive(Clone, Copy, Debug)]
pub struct StableHash(u64);

impl Default for StableHash {
    fn default() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }
}

impl StableHash {
    /// Takes in some text and its end.
    #[must_use]
    pub fn with(self, text: &str) -> Self {
        let step = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
        Self(text.bytes().chain([0xff]).fold(self.0, step))
    }

    /// Sixteen hexadecimal digits.
    pub fn hex(self) -> String {
        format!("{:016x}", self.0)
    }
}
