//! A repair as data: ordered conditional writes, each with its reason, its expected effects and its undo.

use super::guards::machine::MachineSign;
use super::identity::VolumeIdentity;
use super::request::Request;
use super::service::{ClusterAddress, ServerService};
use super::situation::volume_key;
use super::wait::Wait;
use super::write::{Change, Expect, Seen, Write};
use crate::model::{Kind, ObjectKey, PersistentVolume, Str, Timestamp};
use serde::{Deserialize, Serialize};

/// A plan: the steps of a repair, as data.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Plan {
    /// The id: the verb, and a hash of the request and of the deciding fields of the objects.
    pub id: String,
    /// The request.
    pub request: Request,
    /// The goal of the plan, in a sentence without a full stop.
    pub goal: String,
    /// The volumes about whose data the plan decides. Each has the losses that the person asked for.
    pub volumes: Vec<Carried>,
    /// The volumes that have policy Retain while the plan is carried out, either from the start or after a step has set
    /// it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub keeps: Vec<VolumeIdentity>,
    /// The objects that the journal saves completely before the first write.
    pub saves: Vec<ObjectKey>,
    /// The steps, in order.
    pub steps: Vec<Step>,
    /// What the person should know: what is dropped, what cannot be checked, and what remains to be done.
    pub notes: Vec<String>,
    /// The reason why only a person can decide on the plan, in a sentence without a full stop. It is `None` if no such
    /// decision is needed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub judgement: Option<String>,
    /// The name that the person has to type, for example if data are given away or deleted. It is `None` if nothing has
    /// to be typed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub type_name: Option<Str>,
    /// A hash of those fields of the objects on which the plan depends.
    pub world: String,
}

/// A volume about whose data a plan decides.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Carried {
    /// The volume.
    pub volume: Str,
    /// The claims to which the plan gives the volume: namespace and name. The claim that the volume names before the
    /// plan may have the volume in the end even if it is not in this list.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub for_claims: Vec<(Str, Str)>,
    /// The losses that the person asked for. The plan would be refused if the person had not asked for them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub given_up: Vec<GivenUp>,
}

/// A loss or disclosure of data that a person may ask for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum GivenUp {
    /// The data may be deleted.
    Data,
    /// The object of the volume may be removed. The data are kept.
    Object,
    /// Any claim may get the volume.
    Privacy,
    /// The claim of the volume becomes Lost again.
    Claim,
}

/// One step of a plan.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Step {
    /// The number of the step, from 1.
    pub id: u32,
    /// The reason, in a sentence without a full stop.
    pub why: String,
    /// The write. It is `None` for a step that only waits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub write: Option<Write>,
    /// The rechecks immediately before the write.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub recheck: Vec<Recheck>,
    /// The condition for which the step waits before the next step.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wait: Option<Wait>,
    /// The simulated states of the objects after the controllers have answered.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub expects: Vec<Expected>,
    /// How the step is undone.
    pub undo: Undo,
}

/// The simulated states of an object after a step.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Expected {
    /// The object.
    pub object: ObjectKey,
    /// The possible states of the object, in words. For example: `Available, Retain`, `Bound, volume pv-1` or `gone`.
    pub states: Vec<String>,
}

/// Describes the state of an object, predicted or read, in the words of [`Expected::states`].
pub fn state_in_words(kind: Kind, seen: Option<&Seen>) -> String {
    let Some(seen) = seen else {
        let may_come = matches!(kind, Kind::PersistentVolumeClaim | Kind::Service);
        return if may_come { "not there" } else { "gone" }.to_owned();
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
        Seen::Attachment(_) if !ending.is_empty() => "being deleted".to_owned(),
        Seen::Attachment(attachment) => {
            let state = if attachment.attached { "attached" } else { "not attached" };
            format!("{state}, volume {} on node {}", attachment.volume_name, attachment.node_name)
        }
        Seen::Service(service) => format!("at address {}{ending}", service.cluster_ip),
    }
}

/// A condition that is read again immediately before a write, because it may have changed since the review.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "camelCase", rename_all_fields = "camelCase", deny_unknown_fields)]
pub enum Recheck {
    /// No scheduled pod uses the claim.
    Unused {
        /// The claim's namespace.
        namespace: Str,
        /// The claim's name.
        name: Str,
    },
    /// The claim is gone, and all scheduled pods that used it have ended. A pod that has not ended may still have the
    /// volume mounted.
    Unmounted {
        /// The claim's namespace.
        namespace: Str,
        /// The claim's name.
        name: Str,
        /// The creation time of another claim that now has the name. Pods that are not older than that claim use its
        /// volume.
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
    /// Every volume that the claim names, or that names the claim, has policy Retain. This includes volumes that were
    /// created since the review.
    AllRetained {
        /// The claim's namespace.
        namespace: Str,
        /// The claim's name.
        name: Str,
    },
    /// The claim that has the volume exists, has the uid in the volume's claimRef, and is not being deleted.
    Lives {
        /// The claim's namespace.
        namespace: Str,
        /// The claim's name.
        name: Str,
        /// The volume.
        volume: VolumeIdentity,
    },
    /// The volume is reserved for the claim. Its claimRef names the claim and does not have the uid of another claim. A
    /// uid of another claim would prevent the binding.
    Reserved {
        /// The volume.
        volume: VolumeIdentity,
        /// The claim's namespace.
        namespace: Str,
        /// The claim's name.
        name: Str,
    },
    /// No recycler pod erases the volume.
    NotRecycled {
        /// The volume.
        volume: Str,
    },
    /// No pod on the node needs the volume.
    NotNeeded {
        /// The node.
        node: Str,
        /// The volume. The claim that it names at that moment is checked as well.
        volume: VolumeIdentity,
        /// The names of all volumes that are the same disk. Every claim that names one of them is checked as well.
        same: Vec<Str>,
        /// The claims whose pods use the disk of the volume: namespace and name.
        claims: Vec<(Str, Str)>,
    },
    /// The driver knows the machine of the node by this id, and no other node has this machine.
    OneMachine {
        /// The node.
        node: Str,
        /// The driver.
        driver: Str,
        /// The id of the machine.
        id: Str,
    },
    /// The node that is selected for a claim does not exist, and no volume was made for the claim.
    Unprovisioned {
        /// The selected node.
        node: Str,
        /// The uid of the claim.
        claim: Str,
    },
    /// The node still says about its machine what it said when the plan was made.
    MachineOff {
        /// The node.
        node: Str,
        /// What the node said.
        sign: MachineSign,
        /// The name of the volume in the status of the node. If the node only does not answer, it must not list this
        /// name as mounted.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        mounted_as: Option<Str>,
    },
    /// No Service has the address.
    AddressFree {
        /// The address.
        address: ClusterAddress,
    },
    /// The Service of the server is the one that was reviewed.
    SameServer {
        /// The Service.
        server: ServerService,
    },
    /// Nobody can use a server at the address: no running pod uses a volume that records the address, or one of the
    /// other volumes, and no VolumeAttachment names such a volume.
    NoClients {
        /// The address.
        address: ClusterAddress,
        /// The names of further volumes whose clients use the address.
        volumes: Vec<Str>,
    },
}

impl Recheck {
    /// Returns what the person can do if the condition does not hold and a new request for the same repair does not
    /// help. Returns `None` if a new request helps.
    pub fn way_on(&self) -> Option<String> {
        match self {
            Self::Reserved { volume, namespace, name } => Some(format!(
                "kubectl pvctl restore pvc/{name} -n {namespace} --from pv/{volume} reserves the volume for the claim \
                 again, and creates the claim"
            )),
            Self::Retained { volume } => {
                Some(format!("kubectl pvctl retain pv/{volume} sets Retain again; first find out who has changed it"))
            }
            Self::Unused { .. }
            | Self::Unmounted { .. }
            | Self::Detached { .. }
            | Self::AllRetained { .. }
            | Self::Lives { .. }
            | Self::NotRecycled { .. }
            | Self::NotNeeded { .. }
            | Self::OneMachine { .. }
            | Self::Unprovisioned { .. }
            | Self::MachineOff { .. }
            | Self::AddressFree { .. }
            | Self::SameServer { .. }
            | Self::NoClients { .. } => None,
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
                write!(out, "volume {volume} is reserved for claim {namespace}/{name}")
            }
            Self::NotRecycled { volume } => write!(out, "no pod of the recycler erases volume {volume}"),
            Self::NotNeeded { node, volume, .. } => write!(out, "no pod on node {node} needs volume {volume}"),
            Self::OneMachine { node, driver, id } => {
                write!(out, "driver {driver} knows machine {id} only as node {node}")
            }
            Self::Unprovisioned { node, .. } => {
                write!(out, "node {node} does not exist, and no volume was made for the claim")
            }
            Self::MachineOff { node, sign, .. } => write!(out, "node {node} {sign}"),
            Self::AddressFree { address } => write!(out, "no Service has address {address}"),
            Self::SameServer { server } => {
                write!(out, "Service {}/{} has the same selector and ports", server.namespace, server.name)
            }
            Self::NoClients { address, .. } => write!(out, "no pod uses a volume at address {address}"),
        }
    }
}

/// How a step is undone.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "camelCase", rename_all_fields = "camelCase", deny_unknown_fields)]
pub enum Undo {
    /// The step is undone by another write.
    Write {
        /// The write. If it writes to the object that the step created, the journal has the uid of that object.
        write: Box<Write>,
        /// The condition to wait for afterwards.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        wait: Option<Wait>,
    },
    /// There is nothing to undo.
    Nothing,
    /// The step cannot be undone.
    Impossible {
        /// The reason, in a sentence without a full stop.
        why: String,
    },
}

/// The reason why there is no plan.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// The guard or rule that forbids the plan: a stable word.
    pub by: &'static str,
    /// The reason, in a sentence without a full stop.
    pub message: String,
    /// The hints: sentences or commands.
    pub hints: Vec<String>,
}

impl Refusal {
    /// Makes a refusal without a hint.
    pub fn new(by: &'static str, message: impl Into<String>) -> Self {
        Self { by, message: message.into(), hints: Vec::new() }
    }

    /// Adds a hint.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hints.push(hint.into());
        self
    }
}

/// The result of a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Proposed {
    /// A plan, which has to be reviewed.
    Plan(Box<Plan>),
    /// There is nothing to write. The text is the reason, in a sentence without a full stop.
    Nothing(String),
    /// The request is refused.
    Refused(Refusal),
}

impl Plan {
    /// Returns the objects to which the steps write or for which they wait, and the objects that the plan carries or
    /// saves. They are sorted and without duplicates.
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

    /// Returns the writes of the steps, in order.
    pub fn writes(&self) -> impl DoubleEndedIterator<Item = &Write> {
        self.steps.iter().filter_map(|step| step.write.as_ref())
    }

    /// Returns why a volume is not the volume that the plan means by this name, in a sentence without a full stop.
    /// Returns `None` if it is the same volume.
    pub fn replaced_by(&self, volume: &PersistentVolume) -> Option<String> {
        let (key, found) = (volume_key(&volume.meta.name), &volume.meta.uid);
        let mut kept = self.keeps.iter().filter(|kept| *kept.name() == volume.meta.name);
        let mut written = self.writes().filter(|write| write.object == key && write.uid != *found);
        kept.find_map(|kept| kept.differs(volume)).or_else(|| {
            let uids = &written.next()?.uid;
            Some(format!("another volume has the name {} now: its uid is {found}, but {uids} was expected", key.name))
        })
    }

    /// Returns the volumes whose data the plan keeps after a step. If a step of the plan sets Retain, the volume is
    /// kept only from that step. If a step restores the former policy, the volume is kept only before that step.
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

    /// Returns whether some step removes something that cannot be restored.
    pub fn is_destructive(&self) -> bool {
        self.writes().any(Write::is_destructive)
    }

    /// Returns whether a write makes a bound claim name its own volume again. This is so if the claimRef of the volume
    /// has the uid of the claim, and no step of this plan wrote the claimRef. The claim can never have another volume,
    /// so there is no choice to make.
    fn gives_own_name(&self, write: &Write) -> bool {
        let Change::NameVolume { volume } = &write.change else { return false };
        let made_so =
            |other: &Write| other.object.name == *volume && matches!(other.change, Change::SetClaimRef { .. });
        write.expect.contains(&Expect::BindCompleted { is: true }) && !self.writes().any(made_so)
    }

    /// Returns whether every step can be undone or can be repeated without harm, no data are at risk, and no person has
    /// to decide. `fix --yes` carries out only such plans.
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

/// The hash FNV-1a, which is the same in every version and on every machine.
#[derive(Clone, Copy, Debug)]
pub struct StableHash(u64);

impl Default for StableHash {
    fn default() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }
}

impl StableHash {
    /// Adds a text and its end to the hash.
    #[must_use]
    pub fn with(self, text: &str) -> Self {
        let step = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
        Self(text.bytes().chain([0xff]).fold(self.0, step))
    }

    /// Returns the hash as sixteen hexadecimal digits.
    pub fn hex(self) -> String {
        format!("{:016x}", self.0)
    }
}
