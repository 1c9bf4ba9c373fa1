//! The stages of a pod's volumes, from the claim to the running pod, as objects record them.

use super::facts::{
    Attaching, UsedClaim, attach_failure, attaching, attachment, blocked_container, bound, gone_node, has_mounted,
    is_about_volume, is_starting, is_summary, mount_failure, unschedulable, used_claims,
};
use super::scheduling::{Attempt, PodScheduling};
use crate::controllers::KubernetesBehavior;
use crate::controllers::kubelet_volumes::{KubeletVolumes, MountBranch, PodVolumes, PopulatorBranch, is_for_one_pod};
use crate::diagnosis::attaching::{Attachments, is_silent};
use crate::diagnosis::case::{PATIENCE, claim_key, volume_key};
use crate::diagnosis::key;
use crate::model::{ClaimPhase, Kind, ObjectKey, PersistentVolume, Pod, PodPhase, Str, Timestamp};
use crate::snapshot::{Absence, Snapshot};
use crate::text::{human_age, sanitize};
use crate::world::View;

/// A stage between a claim and the containers that use its volume.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum PodStage {
    /// The claim exists.
    Claim,
    /// The claim is bound to a volume.
    Bound,
    /// The pod has a node.
    Scheduled,
    /// The volume is attached to the node.
    Attached,
    /// The kubelet has mounted the volume.
    Mounted,
    /// The containers run, or have run to their end.
    Running,
}

impl PodStage {
    /// All stages in order.
    pub const ALL: [Self; 6] =
        [Self::Claim, Self::Bound, Self::Scheduled, Self::Attached, Self::Mounted, Self::Running];

    /// Returns the word that documents print.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Claim => "claim",
            Self::Bound => "bound",
            Self::Scheduled => "scheduled",
            Self::Attached => "attached",
            Self::Mounted => "mounted",
            Self::Running => "running",
        }
    }
}

/// Whether a volume has reached a stage.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Reached {
    /// The stage is reached.
    Done,
    /// Something works on the stage, and it may be reached without a person.
    Waiting,
    /// The stage is not reached, and an object shows why.
    Broken,
    /// An earlier stage is not reached.
    NotYet,
    /// No object shows whether the stage is reached.
    Unknown,
}

impl Reached {
    /// Returns the word that documents print.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Done => "done",
            Self::Waiting => "waiting",
            Self::Broken => "broken",
            Self::NotYet => "notYet",
            Self::Unknown => "unknown",
        }
    }
}

/// What an object shows about one stage.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StageFact {
    /// The stage.
    pub stage: PodStage,
    /// Whether the volume has reached the stage.
    pub reached: Reached,
    /// The object that shows this.
    pub object: ObjectKey,
    /// The moment since which this is so, if an object states it.
    pub since: Option<Timestamp>,
    /// What the object shows, in a few words. It is empty if there is nothing to say.
    pub says: String,
    /// Whether `says` is the message of an event of the kubelet.
    pub is_quote: bool,
}

/// A volume of a pod that uses a claim, and its stages.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PodVolume {
    /// The name of the volume in the pod.
    pub volume: Str,
    /// The claim.
    pub claim: ObjectKey,
    /// The volume that the claim is bound to. It is empty if there is none.
    pub persistent: Str,
    /// All stages in order.
    pub stages: Vec<StageFact>,
}

impl PodVolume {
    /// Returns the first stage that is not done.
    pub fn open(&self) -> Option<&StageFact> {
        self.stages.iter().find(|fact| fact.reached != Reached::Done)
    }
}

/// What a person has to know about a claim that is not bound: whether a person has to act, and the cause.
#[derive(Clone, Debug)]
pub struct ClaimProspect {
    /// Whether a person has to act.
    pub is_problem: bool,
    /// The cause in one sentence.
    pub says: String,
}

/// Finds the stages of the volumes of one pod.
pub struct Stages<'s> {
    snapshot: &'s Snapshot,
    behavior: &'s KubernetesBehavior,
    pod: &'s Pod,
    /// What the attach/detach controller does with the volumes.
    attachments: &'s Attachments<'s>,
    /// What the kubelet decides about the volumes, if the pod is starting and its node was read.
    kubelet: Option<PodVolumes<'s>>,
    /// What the scheduler does with the pod, if it has no node.
    scheduling: Option<&'s PodScheduling>,
}

impl<'s> Stages<'s> {
    /// Prepares the stages of a pod.
    pub fn new(
        snapshot: &'s Snapshot,
        behavior: &'s KubernetesBehavior,
        pod: &'s Pod,
        attachments: &'s Attachments<'s>,
    ) -> Self {
        // The kubelet has mounted the volumes of any other pod with a node.
        let node = snapshot.node(&pod.node_name).filter(|_| is_starting(pod));
        let kubelet = node.map(|node| KubeletVolumes::new(View::Snapshot(snapshot), behavior, node).volumes_of(pod));
        Self { snapshot, behavior, pod, attachments, kubelet, scheduling: None }
    }

    /// Adds what the scheduler does with the pod now, because the message that the scheduler has recorded may be out of
    /// date.
    #[must_use]
    pub fn scheduled_by(self, scheduling: Option<&'s PodScheduling>) -> Self {
        Self { scheduling, ..self }
    }

    /// Returns the stages of each volume that uses a claim. `of_claim` returns the cause why a claim is not bound.
    pub fn of_volumes(&self, of_claim: &dyn Fn(&ObjectKey) -> ClaimProspect) -> Vec<PodVolume> {
        used_claims(self.pod).map(|used| self.of_volume(used, of_claim)).collect()
    }

    fn of_volume(&self, used: UsedClaim<'_>, of_claim: &dyn Fn(&ObjectKey) -> ClaimProspect) -> PodVolume {
        let namespace = &self.pod.meta.namespace;
        let object = claim_key(namespace, used.claim);
        let volume = bound(self.snapshot, namespace, used.claim).map(|(_, volume)| volume);
        // A pod that has ended does not depend on its claim any more.
        let claim = if self.has_ended() { self.fact(PodStage::Claim, Reached::Done) } else { self.claim(used) };
        let is_there = claim.reached;
        let bound = match is_there {
            Reached::Done => self.binding(&object, volume, of_claim),
            Reached::Unknown => self.fact(PodStage::Bound, Reached::Unknown),
            _ => self.fact(PodStage::Bound, Reached::NotYet),
        };
        let scheduled = self.scheduled();
        let attached = match scheduled.reached {
            Reached::Done => self.attached(used, volume, bound.reached),
            _ => self.fact(PodStage::Attached, Reached::NotYet),
        };
        let mounted = self.mounted(used, volume, attached.reached);
        let running = self.running(mounted.reached);
        PodVolume {
            volume: used.volume.clone(),
            claim: object,
            persistent: volume.map(|volume| volume.meta.name.clone()).unwrap_or_default(),
            stages: vec![claim, bound, scheduled, attached, mounted, running],
        }
    }

    /// Returns the stages that concern the pod and not one volume: scheduled, mounted and running.
    pub fn of_pod(&self) -> [StageFact; 3] {
        let scheduled = self.scheduled();
        let mounted = match scheduled.reached {
            Reached::Done if has_mounted(self.pod) => self.fact(PodStage::Mounted, Reached::Done),
            Reached::Done => match mount_failure(self.snapshot, self.pod) {
                Some(event) => {
                    self.fact(PodStage::Mounted, Reached::Broken).quotes(&event.message).since(event.last_seen)
                }
                None => self.fact(PodStage::Mounted, Reached::Waiting),
            },
            _ => self.fact(PodStage::Mounted, Reached::NotYet),
        };
        let running = self.running(mounted.reached);
        [scheduled, mounted, running]
    }

    /// Returns the node of the pod if this node certainly does not exist.
    pub fn gone_node(&self) -> Option<&'s str> {
        gone_node(self.snapshot, self.pod)
    }

    /// Returns whether the pod has ended, or shows that its volumes are mounted.
    fn is_past_mounting(&self) -> bool {
        self.has_ended() || has_mounted(self.pod) && self.gone_node().is_none()
    }

    /// Returns the node of the pod if its kubelet does not report to the API server any more.
    pub fn silent_node(&self) -> Option<&'s str> {
        let node = self.snapshot.node(&self.pod.node_name)?;
        is_silent(node).then_some(node.meta.name.as_str())
    }

    /// Returns whether an administrator has stated that the node of the pod is shut down.
    pub fn is_out_of_service(&self) -> bool {
        self.snapshot.node(&self.pod.node_name).is_some_and(crate::model::Node::is_out_of_service)
    }

    /// Returns words for the volume of the claim if that volume is being deleted. Otherwise returns words for the claim
    /// if the claim is being deleted. Otherwise returns None.
    pub fn going(&self, volume: &PodVolume) -> Option<String> {
        let ObjectKey { namespace, name, .. } = &volume.claim;
        let claim = self.snapshot.claim(self.snapshot.claim_id(namespace, name)?);
        let persistent = self.snapshot.volume_id(&claim.volume_name).map(|id| self.snapshot.volume(id));
        match persistent.filter(|persistent| persistent.terminating()) {
            Some(persistent) => Some(format!("volume {} of claim {name}", persistent.meta.name)),
            None => claim.terminating().then(|| format!("claim {name}")),
        }
    }

    /// Returns a clause about a claim that is Lost, or about the phase of the volume of a claim that is Bound. Returns
    /// None for any other claim.
    pub fn phase_of(&self, volume: &PodVolume) -> Option<String> {
        let ObjectKey { namespace, name, .. } = &volume.claim;
        let claim = self.snapshot.claim(self.snapshot.claim_id(namespace, name)?);
        if claim.status.phase == ClaimPhase::Lost {
            return Some(format!("claim {name} is Lost"));
        }
        let persistent = self.snapshot.volume(self.snapshot.volume_id(&claim.volume_name)?);
        let phase = persistent.status.phase.as_str();
        (claim.status.phase == ClaimPhase::Bound).then(|| format!("the volume of claim {name} is in phase {phase}"))
    }

    /// Returns for how long a stage has not been reached, if this is at least [`PATIENCE`] seconds.
    pub fn overdue(&self, fact: &StageFact) -> Option<String> {
        let waited = self.snapshot.now()?.seconds_since(fact.since?);
        (waited >= PATIENCE).then(|| human_age(waited))
    }

    fn has_ended(&self) -> bool {
        matches!(self.pod.phase, PodPhase::Succeeded | PodPhase::Failed)
    }

    fn fact(&self, stage: PodStage, reached: Reached) -> StageFact {
        StageFact {
            stage,
            reached,
            object: super::facts::pod_key(self.pod),
            since: None,
            says: String::new(),
            is_quote: false,
        }
    }

    /// Returns whether the moment is so long ago that a step that takes seconds should have happened.
    fn is_overdue(&self, since: Option<Timestamp>) -> bool {
        self.snapshot.now().zip(since).is_some_and(|(now, since)| now.seconds_since(since) >= PATIENCE)
    }

    /// Returns for how many seconds the pod has existed after its deletion time, if this is at least [`PATIENCE`].
    pub fn overdue_deletion(&self) -> Option<i64> {
        let (now, deleted) = self.snapshot.now().zip(self.pod.meta.deleted)?;
        Some(now.seconds_since(deleted)).filter(|seconds| *seconds >= PATIENCE)
    }

    fn claim(&self, used: UsedClaim<'_>) -> StageFact {
        let (snapshot, pod) = (self.snapshot, self.pod);
        let namespace = pod.meta.namespace.as_str();
        let fact = |reached| self.fact(PodStage::Claim, reached).object(claim_key(namespace, used.claim));
        let Some(claim) = snapshot.claim_id(namespace, used.claim).map(|id| snapshot.claim(id)) else {
            return match snapshot.coverage().absence_of(Kind::PersistentVolumeClaim, namespace, used.claim) {
                Absence::Unknown(_) => fact(Reached::Unknown),
                _ if used.is_ephemeral => {
                    fact(Reached::Waiting).says("the claim is created for the pod and does not exist yet")
                }
                _ => fact(Reached::Broken).says("the claim does not exist"),
            };
        };
        let is_foreign = used.is_ephemeral
            && !pod.meta.uid.is_empty()
            && claim.meta.controller_owner.as_ref().is_none_or(|owner| *owner != pod.meta.uid);
        if is_foreign {
            return fact(Reached::Broken).says("the claim of this name was not made for the pod");
        }
        if claim.terminating() && pod.node_name.is_empty() {
            return fact(Reached::Broken).says("the claim is being deleted").since(claim.meta.deleted);
        }
        fact(Reached::Done).since(claim.meta.created)
    }

    fn binding(
        &self,
        object: &ObjectKey,
        volume: Option<&PersistentVolume>,
        of_claim: &dyn Fn(&ObjectKey) -> ClaimProspect,
    ) -> StageFact {
        let fact = |reached| self.fact(PodStage::Bound, reached).object(object.clone());
        if self.has_ended() {
            return fact(Reached::Done);
        }
        if let Some(volume) = volume {
            return fact(Reached::Done)
                .object(volume_key(&volume.meta.name))
                .since(volume.status.last_phase_transition);
        }
        let claim = self.snapshot.claim_id(&object.namespace, &object.name).map(|id| self.snapshot.claim(id));
        let is_hidden = claim.is_some_and(|claim| {
            let absence = self.snapshot.coverage().absence_of(Kind::PersistentVolume, "", &claim.volume_name);
            claim.status.phase == ClaimPhase::Bound
                && self.snapshot.volume_id(&claim.volume_name).is_none()
                && matches!(absence, Absence::Unknown(_))
        });
        if is_hidden {
            return fact(Reached::Unknown).says("its volume could not be read");
        }
        let prospect = of_claim(object);
        fact(if prospect.is_problem { Reached::Broken } else { Reached::Waiting }).says(&prospect.says)
    }

    fn scheduled(&self) -> StageFact {
        let pod = self.pod;
        let fact = |reached| self.fact(PodStage::Scheduled, reached);
        if !pod.node_name.is_empty() {
            let since = pod.condition("PodScheduled").and_then(|condition| condition.since);
            return fact(Reached::Done).object(key(Kind::Node, "", &pod.node_name)).since(since);
        }
        if pod.meta.deleted.is_some() || pod.terminated() {
            return fact(Reached::NotYet).says("the pod has ended without a node");
        }
        if pod.gated {
            return fact(Reached::Waiting).says("a scheduling gate blocks the pod");
        }
        let attempt = self.scheduling.and_then(PodScheduling::attempt);
        if let Some(node) = attempt.and_then(Attempt::new_node) {
            let says = format!("the pod can run on node {node} now, and the scheduler tries again");
            return fact(Reached::Waiting).says(&says);
        }
        match unschedulable(self.snapshot, pod) {
            // The scheduler tries again, and a node or a volume may be added.
            Some((message, since)) if !self.is_overdue(since.or(pod.meta.created)) => {
                fact(Reached::Waiting).says(message).since(since)
            }
            Some((message, since)) => fact(Reached::Broken).says(message).since(since),
            None => match attempt.and_then(|attempt| attempt.message.as_deref()) {
                Some(message) => {
                    let says =
                        format!("the scheduler has not reported anything yet; the expected message is: {message}");
                    fact(Reached::Waiting).says(&says)
                }
                None => fact(Reached::Waiting).says("no scheduler has reported anything about the pod yet"),
            },
        }
    }

    fn attached(&self, used: UsedClaim<'_>, volume: Option<&PersistentVolume>, bound: Reached) -> StageFact {
        let (snapshot, pod) = (self.snapshot, self.pod);
        let fact = |reached| self.fact(PodStage::Attached, reached);
        if self.is_past_mounting() {
            return fact(Reached::Done);
        }
        let Some(volume) = volume else {
            return fact(if bound == Reached::Unknown { Reached::Unknown } else { Reached::NotYet });
        };
        let needed = attaching(snapshot, self.behavior, volume);
        if needed == Attaching::NotNeeded {
            return fact(Reached::Done).says("no attachment is needed");
        }
        if let Some(attachment) = attachment(snapshot, &volume.meta.name, &pod.node_name) {
            let fact = |reached| fact(reached).object(key(Kind::VolumeAttachment, "", &attachment.meta.name));
            let node = snapshot.node(&pod.node_name).filter(|_| self.attachments.manages(&pod.node_name));
            return match &attachment.attach_error {
                _ if attachment.meta.deleted.is_some() => fact(Reached::Broken)
                    .says("the VolumeAttachment is being deleted: the driver detaches the volume, which the pod needs")
                    .since(attachment.meta.deleted),
                // The kubelet waits until the status of the node lists the volume. Upstream:
                // `GenerateVerifyControllerAttachedVolumeFunc`, `pkg/volume/util/operationexecutor`, 1.36.
                _ if attachment.attached && node.is_some_and(|node| !self.attachments.lists(node, volume)) => {
                    let says = format!("the status of node {} does not list the volume as attached yet", pod.node_name);
                    fact(Reached::Waiting).says(&says)
                }
                _ if attachment.attached => fact(Reached::Done),
                Some(error) => fact(Reached::Broken).says(&error.message).since(error.time),
                None => fact(Reached::Waiting).says("the attacher has not answered yet").since(attachment.meta.created),
            };
        }
        if snapshot.node(&pod.node_name).is_some_and(|node| self.attachments.lists(node, volume)) {
            return fact(Reached::Done).object(key(Kind::Node, "", &pod.node_name));
        }
        if let Some(other) = self.attachments.elsewhere(volume, &pod.node_name).first() {
            let object = match other.attachment {
                Some(attachment) => key(Kind::VolumeAttachment, "", &attachment.meta.name),
                None => key(Kind::Node, "", &other.node),
            };
            return fact(Reached::Broken)
                .object(object)
                .says(&format!("the volume is still attached to node {}", other.node))
                .since(other.attachment.and_then(|attachment| attachment.meta.created));
        }
        let is_own = |event: &&crate::model::Event| is_about_volume(&event.message, used.volume, &volume.meta.name);
        if let Some(event) = attach_failure(snapshot, pod).filter(is_own) {
            return fact(Reached::Broken).says(&event.message).since(event.last_seen);
        }
        // An event of the kubelet about this volume's mount shows that the volume is attached.
        let is_mounting = |event: &&crate::model::Event| event.message.starts_with("MountVolume.") && is_own(event);
        if mount_failure(snapshot, pod).as_ref().is_some_and(is_mounting) {
            return fact(Reached::Done);
        }
        match snapshot.coverage().absence(Kind::VolumeAttachment, "") {
            Absence::Unknown(_) => fact(Reached::Unknown).says("the VolumeAttachments were not read"),
            _ if needed == Attaching::Recorded => fact(Reached::Waiting).says("there is no VolumeAttachment yet"),
            _ => fact(Reached::Unknown),
        }
    }

    fn mounted(&self, used: UsedClaim<'_>, volume: Option<&PersistentVolume>, attached: Reached) -> StageFact {
        let pod = self.pod;
        let fact = |reached| self.fact(PodStage::Mounted, reached);
        if self.is_past_mounting() {
            return fact(Reached::Done).since(pod.started);
        }
        if self.gone_node().is_some() {
            return fact(Reached::Unknown).says("the node does not exist");
        }
        match attached {
            Reached::Done => {}
            Reached::Unknown if !pod.node_name.is_empty() => {}
            _ => return fact(Reached::NotYet),
        }
        let name = volume.map(|volume| volume.meta.name.as_str()).unwrap_or_default();
        let event =
            mount_failure(self.snapshot, pod).filter(|event| is_about_volume(&event.message, used.volume, name));
        // An event with a cause shows that the kubelet has come further than its decisions now would let it come.
        let is_open = attached == Reached::Done && event.is_none_or(|event| is_summary(&event.message));
        if let Some((reached, words)) = is_open.then(|| self.decided(used)).flatten() {
            let since = event.and_then(|event| event.last_seen).or(pod.started);
            return fact(reached).says(&words).since(since);
        }
        match event {
            Some(event) => fact(Reached::Broken).quotes(&event.message).since(event.last_seen),
            None if attached == Reached::Unknown => fact(Reached::Unknown),
            None => fact(Reached::Waiting),
        }
    }

    /// Returns what the kubelet decides about the volume, if the driver cannot change that.
    fn decided(&self, used: UsedClaim<'_>) -> Option<(Reached, String)> {
        let (snapshot, pod) = (self.snapshot, self.pod);
        let volumes = &self.kubelet.as_ref()?.volumes;
        let volume = volumes.iter().find(|volume| volume.populated.name == *used.volume)?;
        let broken = |words: String| Some((Reached::Broken, words));
        let wanted = || bound(snapshot, &pod.meta.namespace, used.claim).map(|(_, volume)| volume);
        match (volume.populated.leaf?, volume.mount) {
            (PopulatorBranch::VolumeUnused, _) => {
                Some((Reached::Done, "no container uses the volume, so the kubelet does not mount it".to_owned()))
            }
            (PopulatorBranch::VolumeWanted, Some(MountBranch::MountOnWrongNode)) => {
                broken(format!("the node affinity of the PersistentVolume does not match node {}", pod.node_name))
            }
            (PopulatorBranch::VolumeWanted, Some(MountBranch::MapWithoutPlugin)) => {
                let kind = wanted()?.source.kind.as_str();
                broken(format!("the kubelet cannot provide a volume of type {kind} as a block device"))
            }
            (PopulatorBranch::VolumeWanted, Some(MountBranch::MountOptionsUnsupported)) => {
                let kind = wanted()?.source.kind.as_str();
                broken(format!(
                    "the PersistentVolume has mountOptions, and the kubelet does not support any for type {kind}"
                ))
            }
            (PopulatorBranch::VolumeWanted, Some(MountBranch::MountSucceeded)) => {
                wanted().filter(|volume| is_for_one_pod(volume))?;
                let has = |other: &&Pod| {
                    other.meta.uid != pod.meta.uid
                        && other.node_name == pod.node_name
                        && !other.terminated()
                        && has_mounted(other)
                };
                let holder = snapshot.pods_of(&pod.meta.namespace, used.claim).find(has)?;
                let name = &holder.meta.name;
                match holder.meta.deleted {
                    Some(_) => {
                        Some((Reached::Waiting, format!("pod {name}, which is being deleted, still has the volume")))
                    }
                    None => broken(format!("pod {name} has the volume, and ReadWriteOncePod allows one pod")),
                }
            }
            // The stages before say that an object does not exist, or that it was not read.
            (PopulatorBranch::VolumeClaimUnread | PopulatorBranch::VolumeUnread | PopulatorBranch::VolumeWanted, _) => {
                None
            }
            _ => broken(format!("the kubelet refuses the volume: {}", volume.populated.error)),
        }
    }

    fn running(&self, mounted: Reached) -> StageFact {
        let pod = self.pod;
        let fact = |reached| self.fact(PodStage::Running, reached);
        match pod.phase {
            PodPhase::Succeeded => return fact(Reached::Done).says("the pod has completed"),
            PodPhase::Failed => return fact(Reached::Broken).says("the pod has failed"),
            _ if self.gone_node().is_some() => return fact(Reached::Unknown).says("the node does not exist"),
            _ => {}
        }
        if let Some((container, reason, message)) = blocked_container(pod) {
            let message = if message.is_empty() { String::new() } else { format!(": {message}") };
            return fact(Reached::Broken).says(&format!("container {container} waits ({reason}){message}"));
        }
        match mounted {
            Reached::Done if pod.phase == PodPhase::Running => fact(Reached::Done),
            Reached::Done => fact(Reached::Waiting),
            Reached::Unknown => fact(Reached::Unknown),
            _ => fact(Reached::NotYet),
        }
    }
}

impl StageFact {
    fn object(mut self, object: ObjectKey) -> Self {
        self.object = object;
        self
    }

    fn since(mut self, since: Option<Timestamp>) -> Self {
        self.since = since;
        self
    }

    /// Sets the message of an event of the kubelet.
    fn quotes(self, message: &str) -> Self {
        Self { is_quote: true, ..self.says(message) }
    }

    /// Sets what the object shows, on one line and without control characters.
    fn says(mut self, words: &str) -> Self {
        let words: Vec<&str> = words.split_whitespace().collect();
        self.says = sanitize(&words.join(" ")).into_owned();
        self
    }
}
