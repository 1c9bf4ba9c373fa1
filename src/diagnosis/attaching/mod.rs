//! What the attach/detach controller of kube-controller-manager does with the volumes of nodes: whether a volume is
//! attached, which other nodes have it, and what happens next.
//!
//! A snapshot does not show the memory of the controller. So two memories are asked: that of a controller that has just
//! been started, and that of one that has attached the volumes itself. If their answers differ, both are possible.

mod ends;
mod words;

pub use ends::ComponentEnds;
use ends::Explored;

use super::pod::facts::{attachment, bound, is_exclusive};
use crate::controllers::attach_detach::{
    AttachBranch, AttachDetach, AttachState, AttachableVolume, DetachBranch, Flags, LONGEST_BACKOFF,
    MAX_WAIT_FOR_UNMOUNT, Moment, Plugin, PodName,
};
use crate::controllers::{Branch, KubernetesBehavior};
use crate::model::{Kind, Node, PersistentVolume, Pod, Str, Timestamp, VolumeAttachment};
use crate::simulate::Simulation;
use crate::snapshot::{Absence, CoverageState, Snapshot};
use crate::world::View;
use std::collections::BTreeSet;
use std::sync::{Mutex, OnceLock};

/// The kinds that the controller reads, apart from claims and pods.
pub const READ: [Kind; 4] = [Kind::Node, Kind::VolumeAttachment, Kind::PersistentVolume, Kind::CsiDriver];
/// The nanoseconds of a second.
const SECOND: u64 = 1_000_000_000;
/// The moment at which both controllers were started.
const NOW: Moment = Moment(0);

/// The attach/detach controller with the objects of a snapshot.
#[derive(Debug)]
pub struct Attachments<'s> {
    snapshot: &'s Snapshot,
    behavior: &'s KubernetesBehavior,
    memories: OnceLock<[AttachDetach; 2]>,
    /// The situations whose ends were found.
    explored: Mutex<Vec<Explored>>,
}

/// What is known about the attachments of an object.
#[derive(Clone, Debug)]
pub enum AttachmentAnswer {
    /// The outlook of each volume and node.
    Known(Vec<AttachmentOutlook>),
    /// Objects of these kinds are missing.
    Unread(Vec<(Kind, CoverageState)>),
}

/// The leaf that the next loop of the controller reaches for a volume and a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Leaf {
    /// A pod on the node needs the volume.
    Attach(AttachBranch),
    /// No pod on the node needs the volume.
    Detach(DetachBranch),
}

impl Leaf {
    /// Returns the name of the leaf.
    pub fn name(self) -> &'static str {
        match self {
            Self::Attach(branch) => branch.name(),
            Self::Detach(branch) => branch.name(),
        }
    }

    /// Returns what the controller finds and does there.
    pub fn about(self) -> &'static str {
        match self {
            Self::Attach(branch) => branch.about(),
            Self::Detach(branch) => branch.about(),
        }
    }
}

impl From<Leaf> for Branch {
    fn from(leaf: Leaf) -> Self {
        match leaf {
            Leaf::Attach(branch) => branch.into(),
            Leaf::Detach(branch) => branch.into(),
        }
    }
}

/// A volume and a node.
#[derive(Clone, Debug)]
pub struct AttachmentOutlook {
    /// The name of the PersistentVolume. It is empty if the controller knows only the unique name.
    pub volume: Str,
    /// The name of the volume in the status of nodes.
    pub unique_name: Str,
    /// The node.
    pub node: Str,
    /// The name of the VolumeAttachment, whether it exists or not. The value is `None` if the plugin uses none.
    pub attachment: Option<Str>,
    /// Since when the VolumeAttachment exists.
    pub since: Option<Timestamp>,
    /// Whether the VolumeAttachment is being deleted.
    pub is_going: bool,
    /// Whether the volume is attached, as a controller knows it that has just been started or that attached it.
    pub state: AttachState,
    /// The pods on the node that need the volume.
    pub needed_by: Vec<PodName>,
    /// Whether the status of the node lists the volume as mounted. The value is `None` if the node does not exist.
    pub mounted: Option<bool>,
    /// Whether the controller attaches volumes to the node. If it does not, it does not know of the pods on the node.
    pub is_managed: bool,
    /// The leaves that the next loop can reach. More than one is possible, because the memory of the controller is not
    /// known. The list is empty if the controller has nothing to do with the volume on this node.
    pub leaves: Vec<Leaf>,
    /// The other nodes to which the volume is or may be attached, if only one node can have it. It is empty for a node
    /// that is itself listed here.
    pub held_by: Vec<AttachmentOutlook>,
    /// What happens if nobody acts.
    pub next: Vec<Next>,
}

/// Something that happens by itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Next {
    /// What happens.
    pub step: Step,
    /// When it happens.
    pub when: When,
    /// What a snapshot does not show, if the moment depends on it.
    pub unknown: Vec<&'static str>,
}

/// What the controller does next with a volume and a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// The volume is attached.
    Attach,
    /// The controller requests that the volume is attached.
    Request,
    /// The volume is attached in another try.
    Retry,
    /// The volume is detached.
    Detach,
    /// The volume is detached although the node may have it mounted.
    ForcedDetach,
}

impl Step {
    /// Returns the word that documents print.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Attach => "attach",
            Self::Request => "request",
            Self::Retry => "retry",
            Self::Detach => "detach",
            Self::ForcedDetach => "forcedDetach",
        }
    }
}

/// When something happens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum When {
    /// It happens in this time. The moments are absent if the input does not tell the current time.
    Within {
        /// The largest number of seconds from now.
        seconds: u64,
        /// The first possible moment.
        earliest: Option<Timestamp>,
        /// The last possible moment.
        latest: Option<Timestamp>,
    },
    /// It happens after something else, which has no known moment.
    After(String),
    /// It does not happen, for this reason.
    Never(String),
}

impl<'s> Attachments<'s> {
    /// Prepares the answers. Nothing is computed before the first question.
    pub fn new(snapshot: &'s Snapshot, behavior: &'s KubernetesBehavior) -> Self {
        Self { snapshot, behavior, memories: OnceLock::new(), explored: Mutex::default() }
    }

    /// Prepares the answers about the snapshot of a simulation.
    pub fn of(simulation: &'s Simulation<'_>) -> Self {
        Self::new(simulation.snapshot(), &simulation.settings().behavior)
    }

    /// Returns the kinds of which objects are missing. As long as there are some, only what objects show is known.
    pub fn unread(&self, namespace: &str) -> Vec<(Kind, CoverageState)> {
        let coverage = self.snapshot.coverage();
        let of_claims = [Kind::PersistentVolumeClaim, Kind::Pod].map(|kind| (kind, namespace));
        let all = READ.map(|kind| (kind, "")).into_iter().chain(of_claims);
        let unread = |(kind, namespace)| match coverage.absence(kind, namespace) {
            Absence::Unknown(state) => Some((kind, state)),
            Absence::Certain | Absence::Assumed => None,
        };
        all.filter_map(unread).collect()
    }

    /// Returns the outlook of each volume of the pod on its node, in the order of the pod. The list is empty if the pod
    /// has no node or has ended.
    pub fn of_pod(&self, pod: &Pod) -> Vec<AttachmentOutlook> {
        if pod.node_name.is_empty() || pod.terminated() {
            return Vec::new();
        }
        let claims = pod.claim_names();
        let volumes = claims.filter_map(|claim| bound(self.snapshot, &pod.meta.namespace, claim));
        let volumes = volumes.filter_map(|(_, volume)| self.attachable(volume, &pod.node_name));
        volumes.map(|volume| self.outlook(&volume.unique_name(), &pod.node_name, Some(&volume))).collect()
    }

    /// Returns the outlook of the volume and node of a VolumeAttachment. The value is `None` if its volume is not
    /// known.
    pub fn of_attachment(&self, attachment: &VolumeAttachment) -> Option<AttachmentOutlook> {
        let volume = self.snapshot.find::<PersistentVolume>("", &attachment.volume_name)?;
        let volume = self.attachable(volume, &attachment.node_name)?;
        Some(self.outlook(&volume.unique_name(), &attachment.node_name, Some(&volume)))
    }

    /// Returns the outlook of all volumes that are needed on the node, or are or may be attached to it.
    pub fn of_node(&self, node: &str) -> Vec<AttachmentOutlook> {
        let [fresh, lasting] = self.memories();
        let names: BTreeSet<Str> = fresh.volumes_on(node).into_iter().chain(lasting.volumes_on(node)).collect();
        names.iter().map(|name| self.outlook(name, node, None)).collect()
    }

    /// Returns the other nodes that have the volume, if only one node can have it. They can have it through another
    /// PersistentVolume of the same storage.
    pub fn elsewhere<'a>(&'a self, volume: &'a PersistentVolume, node: &'a str) -> Vec<Elsewhere<'a>> {
        if !is_exclusive(volume) {
            return Vec::new();
        }
        let Some(attachable) = self.attachable(volume, node) else { return Vec::new() };
        let [_, lasting] = self.memories();
        let of_node = |other: Str| {
            let record = self.record_of(&attachable, &other);
            let attachment = record.filter(|record| record.attached);
            let is_listed = self.snapshot.node(&other).is_some_and(|known| self.lists(known, volume));
            (attachment.is_some() || is_listed).then_some(Elsewhere { node: other, attachment })
        };
        lasting.other_nodes(&attachable.unique_name(), node).into_iter().filter_map(of_node).collect()
    }

    /// Returns whether the controller waits for other nodes before it attaches the volume to the node. It does not wait
    /// if it only thinks that another node may have the volume.
    pub fn waits(&self, volume: &PersistentVolume, node: &str) -> bool {
        let Some(volume) = self.attachable(volume, node) else { return false };
        let is_going = |other: &Str| self.record_of(&volume, other).is_some_and(|record| record.meta.deleted.is_some());
        let [_, lasting] = self.memories();
        lasting.if_needed(&volume, node, NOW) == AttachBranch::AttachBlocked
            || lasting.other_nodes(&volume.unique_name(), node).iter().any(is_going)
    }

    /// Returns the pods on the node that need a disk, by its name in the status of the node. They can need it through
    /// any claim, and without a claim.
    pub fn pods_with_disk(&self, unique_name: &str, node: &str) -> Vec<&'s Pod> {
        let [fresh, _] = self.memories();
        let needs = |pod: &&Pod| {
            pod.node_name == node
                && !pod.terminated()
                && fresh.volumes_of(self.view(), pod).iter().any(|volume| volume.unique_name() == unique_name)
        };
        self.snapshot.pods().iter().filter(needs).collect()
    }

    /// Returns the pods on the node that need the storage of the volume.
    pub fn pods_with_storage_of(&self, volume: &PersistentVolume, node: &str) -> Vec<&'s Pod> {
        self.unique_name(volume, node).map(|disk| self.pods_with_disk(&disk, node)).unwrap_or_default()
    }

    /// Returns whether the controller attaches volumes to the node. If it does not, the kubelet of the node does.
    pub fn manages(&self, node: &str) -> bool {
        self.memories()[0].manages(node)
    }

    /// Returns whether the status of the node lists the volume as attached.
    pub fn lists(&self, node: &Node, volume: &PersistentVolume) -> bool {
        self.unique_name(volume, &node.meta.name).is_some_and(|name| node.volumes_attached.contains(&name))
    }

    /// Returns whether the status of the node lists the volume as mounted. The value is `None` if nobody attaches the
    /// volume: then no status lists it.
    pub fn is_mounted(&self, node: &Node, volume: &PersistentVolume) -> Option<bool> {
        self.unique_name(volume, &node.meta.name).map(|name| node.volumes_in_use.contains(&name))
    }

    fn view(&self) -> View<'s> {
        View::Snapshot(self.snapshot)
    }

    /// Returns a controller that has just been started, and one that has attached the volumes itself.
    fn memories(&self) -> &[AttachDetach; 2] {
        self.memories.get_or_init(|| {
            let fresh = AttachDetach::restarted(self.view(), Flags::of(self.behavior), NOW);
            let lasting = fresh.clone().with_attached(self.view());
            [fresh, lasting]
        })
    }

    /// Returns the volume as the controller attaches it to the node. The value is `None` if nobody attaches it.
    fn attachable(&self, volume: &PersistentVolume, node: &str) -> Option<AttachableVolume> {
        let [fresh, _] = self.memories();
        fresh.volume(self.view(), volume, node)
    }

    /// Returns why an attachment is not about the disk that its volume names now. Returns `None` if it is, or if nobody
    /// can know: an attachment that kube-controller-manager did not create can have any name.
    pub fn other_disk(&self, attachment: &VolumeAttachment, volume: &PersistentVolume) -> Option<String> {
        let attachable = self.attachable(volume, &attachment.node_name)?;
        if let Plugin::Csi { driver, .. } = &attachable.plugin
            && *driver != attachment.attacher
        {
            return Some(format!("the volume has driver {driver}, and the attachment {}", attachment.attacher));
        }
        let name = attachable.attachment_name_on(&attachment.node_name)?;
        let hash = attachment.meta.name.strip_prefix("csi-").unwrap_or_default();
        let is_hash = hash.len() == 64 && hash.bytes().all(|byte| byte.is_ascii_hexdigit());
        (is_hash && attachment.meta.name != name)
            .then(|| "its name is the one for another handle, and the volume was created again".to_owned())
    }

    /// Returns the volumes that are the same disk for the controller: they have the same name in the status of the
    /// node. The volume itself is one of them.
    pub fn same_disk(&self, volume: &PersistentVolume, node: &str) -> Vec<&'s PersistentVolume> {
        let name = self.unique_name(volume, node);
        let is_same = |other: &&PersistentVolume| {
            other.meta.name == volume.meta.name || name.is_some() && self.unique_name(other, node) == name
        };
        self.snapshot.volumes().iter().filter(is_same).collect()
    }

    /// Returns the name of the volume in the status of the node. The value is `None` if nobody attaches the volume.
    pub fn unique_name(&self, volume: &PersistentVolume, node: &str) -> Option<Str> {
        self.attachable(volume, node).map(|volume| volume.unique_name())
    }

    /// Returns the outlook of the volume with this name. The controller knows the volume, unless it is given.
    fn outlook(&self, name: &Str, node: &str, volume: Option<&AttachableVolume>) -> AttachmentOutlook {
        let [_, lasting] = self.memories();
        let volume = volume.or_else(|| lasting.known(name, node));
        let mut own = self.alone(name, node, volume);
        if volume.is_some_and(|volume| volume.exclusive) {
            let others = lasting.other_nodes(name, node);
            own.held_by = others.iter().map(|other| self.alone(name, other, volume)).collect();
            self.wait_for_others(&mut own);
        }
        own
    }

    /// Returns the outlook without other nodes.
    fn alone(&self, name: &Str, node: &str, known: Option<&AttachableVolume>) -> AttachmentOutlook {
        let memories = self.memories();
        let [_, lasting] = memories;
        let volume = known.map(|volume| volume.name.clone()).unwrap_or_default();
        let attachment = known.and_then(|volume| volume.attachment_name_on(node));
        let found = self.snapshot.node(node);
        let is_managed = lasting.manages(node);
        let needed_by = if is_managed { lasting.pods_with(name, node) } else { self.users(&volume, node) };
        let record = self.record(&volume, attachment.as_deref(), node);
        let leaf = |memory: &AttachDetach| match known {
            Some(volume) if memory.manages(node) && !needed_by.is_empty() => {
                Some(Leaf::Attach(memory.if_needed(volume, node, NOW)))
            }
            _ if memory.attach_state(name, node) == AttachState::Detached => None,
            _ => Some(Leaf::Detach(memory.if_not_needed(self.view(), name, node, NOW))),
        };
        let mut leaves: Vec<Leaf> = memories.iter().rev().filter_map(leaf).collect();
        leaves.dedup();
        let mut outlook = AttachmentOutlook {
            attachment: record.map(|record| record.meta.name.clone()).or(attachment),
            since: record.and_then(|record| record.meta.created),
            is_going: record.is_some_and(|record| record.meta.deleted.is_some()),
            state: lasting.attach_state(name, node),
            is_managed,
            mounted: found.map(|node| node.volumes_in_use.contains(name)),
            unique_name: name.clone(),
            node: node.into(),
            held_by: Vec::new(),
            next: Vec::new(),
            volume,
            needed_by,
            leaves,
        };
        outlook.next = self.next(&outlook, record);
        outlook
    }

    /// Returns the pods on the node that use the claim of the volume.
    fn users(&self, volume: &str, node: &str) -> Vec<PodName> {
        let volume = self.snapshot.find::<PersistentVolume>("", volume);
        let Some(claim) = volume.and_then(|volume| volume.claim_ref.as_ref()) else { return Vec::new() };
        let pods = self.snapshot.pods_of(&claim.namespace, &claim.name);
        pods.filter(|pod| pod.node_name == node && !pod.terminated())
            .map(|pod| PodName { namespace: pod.meta.namespace.clone(), name: pod.meta.name.clone() })
            .collect()
    }

    /// Returns the VolumeAttachment of the volume and the node: that of the PersistentVolume, or the one that has the
    /// name that the controller gives it.
    fn record(&self, volume: &str, name: Option<&str>, node: &str) -> Option<&'s VolumeAttachment> {
        let of_name = || name.and_then(|name| self.snapshot.find::<VolumeAttachment>("", name));
        attachment(self.snapshot, volume, node).or_else(of_name)
    }

    /// Returns the VolumeAttachment of a volume that the controller attaches to the node.
    fn record_of(&self, volume: &AttachableVolume, node: &str) -> Option<&'s VolumeAttachment> {
        self.record(&volume.name, volume.attachment_name_on(node).as_deref(), node)
    }

    /// Adds that the volume has to be detached from other nodes first.
    fn wait_for_others(&self, own: &mut AttachmentOutlook) {
        if own.state == AttachState::Attached || own.needed_by.is_empty() {
            return;
        }
        let is_going = |other: &AttachmentOutlook| {
            let record = self.record(&other.volume, other.attachment.as_deref(), &other.node);
            record.is_some_and(|record| record.attached && record.meta.deleted.is_some())
        };
        if own.held_by.iter().any(is_going) {
            // The operation that detaches the volume may still run.
            own.leaves.push(Leaf::Attach(AttachBranch::AttachBusy));
        } else if !own.leaves.contains(&Leaf::Attach(AttachBranch::AttachBlocked)) {
            return;
        }
        if let Some(refused) = self.refused(own, "the attacher") {
            own.next = refused;
            return;
        }
        let nodes: Vec<&str> = own.held_by.iter().map(|other| other.node.as_str()).collect();
        let nodes = if nodes.len() == 1 { format!("node {}", nodes[0]) } else { format!("nodes {}", nodes.join(", ")) };
        let unknown =
            if own.leaves.len() > 1 { vec!["what the controller knows about the other node"] } else { Vec::new() };
        let after = When::After(format!("the volume is detached from {nodes}"));
        // The controller that was just started may attach the volume before.
        let may_start = own.leaves.contains(&Leaf::Attach(AttachBranch::AttachStarted));
        let mut next = vec![Next { step: Step::Attach, when: after, unknown }];
        if may_start {
            let at_once = When::After("the controller was started again, or a detachment has failed".to_owned());
            next.push(Next { step: Step::Attach, when: at_once, unknown: Vec::new() });
        }
        own.next = next;
    }

    fn next(&self, of: &AttachmentOutlook, record: Option<&VolumeAttachment>) -> Vec<Next> {
        let Some(leaf) = of.leaves.first() else { return Vec::new() };
        let is_going = of.is_going;
        let driver = record.map_or("the storage", |record| record.attacher.as_str());
        match leaf {
            Leaf::Attach(AttachBranch::AttachDone) if is_going => {
                let detach = When::After(format!("{driver} detaches the volume, although pods need it"));
                let attach = When::After("the controller has noticed that the VolumeAttachment is gone".to_owned());
                vec![
                    Next { step: Step::Detach, when: detach, unknown: Vec::new() },
                    Next { step: Step::Attach, when: attach, unknown: Vec::new() },
                ]
            }
            Leaf::Attach(AttachBranch::AttachDone) => {
                let after = When::After(self.end_of_pods(of));
                vec![Next { step: Step::Detach, when: after, unknown: Vec::new() }]
            }
            // A caller that knows the other nodes replaces this.
            Leaf::Attach(AttachBranch::AttachBlocked) => Vec::new(),
            Leaf::Attach(_) => match record {
                Some(record) if is_going => {
                    let gone = format!("the VolumeAttachment {} is gone", record.meta.name);
                    vec![Next { step: Step::Retry, when: When::After(gone), unknown: Vec::new() }]
                }
                Some(record) if !record.attached => self.refused(of, driver).unwrap_or_else(|| {
                    let mut next = vec![Next {
                        step: Step::Attach,
                        when: When::After(format!("{driver} attaches the volume")),
                        unknown: Vec::new(),
                    }];
                    if record.attach_error.is_some() {
                        let unknown = vec!["how often the controller has tried before"];
                        next.push(Next { step: Step::Retry, when: self.within(LONGEST_BACKOFF), unknown });
                    }
                    next
                }),
                Some(_) => vec![Next { step: Step::Attach, when: self.within(SECOND), unknown: Vec::new() }],
                None => self.refused(of, "the attacher").unwrap_or_else(|| {
                    let unknown = vec!["whether an attachment failed a short time ago"];
                    vec![Next { step: Step::Request, when: self.within(LONGEST_BACKOFF), unknown }]
                }),
            },
            Leaf::Detach(_) if is_going => {
                let after = When::After(format!("{driver} detaches the volume"));
                vec![Next { step: Step::Detach, when: after, unknown: Vec::new() }]
            }
            Leaf::Detach(DetachBranch::DetachWaitsForUnmount) => self.unmounts(of),
            Leaf::Detach(DetachBranch::DetachUnknownPlugin) => {
                let never = "kube-controller-manager does not have the plugin of the volume".to_owned();
                vec![Next { step: Step::Detach, when: When::Never(never), unknown: Vec::new() }]
            }
            Leaf::Detach(branch) => {
                let is_forced = matches!(branch, DetachBranch::DetachOutOfService | DetachBranch::DetachTimedOut);
                let step = if is_forced { Step::ForcedDetach } else { Step::Detach };
                let unknown = vec!["whether a detachment failed a short time ago"];
                vec![Next { step, when: self.within(LONGEST_BACKOFF), unknown }]
            }
        }
    }

    /// Returns the next steps if the attacher refuses the volume: it is never attached. Returns `None` otherwise.
    /// Upstream: `csiAttach`, external-attacher v4.13.0.
    fn refused(&self, of: &AttachmentOutlook, attacher: &str) -> Option<Vec<Next>> {
        let volume = self.snapshot.find::<PersistentVolume>("", &of.volume)?;
        let never = || When::Never(format!("{attacher} refuses a volume that is being deleted"));
        volume.terminating().then(|| vec![Next { step: Step::Attach, when: never(), unknown: Vec::new() }])
    }

    /// Returns the event after which no pod on the node needs the volume, in words. A pod that is being deleted stays
    /// until the kubelet of its node has stopped it.
    fn end_of_pods(&self, of: &AttachmentOutlook) -> String {
        let names: Vec<String> = of.needed_by.iter().map(|pod| format!("{}/{}", pod.namespace, pod.name)).collect();
        let is_going = |name: &PodName| {
            self.snapshot.pod(&name.namespace, &name.name).is_some_and(|pod| pod.meta.deleted.is_some())
        };
        let node = self.snapshot.node(&of.node);
        let gone = match names.as_slice() {
            [only] => format!("pod {only} is gone"),
            several => format!("pods {} are gone", several.join(", ")),
        };
        if node.is_some() && !of.needed_by.iter().all(is_going) {
            return gone;
        }
        let by = match node {
            None => ": kube-controller-manager deletes the pods of a node that does not exist".to_owned(),
            Some(node) if node.is_out_of_service() && !node.is_ready() => {
                ": kube-controller-manager deletes the pods of a node that is out of service".to_owned()
            }
            Some(node) if is_silent(node) => {
                format!(", which waits for the kubelet of node {}, which does not answer", of.node)
            }
            Some(_) => format!(", which waits for the kubelet of node {}", of.node),
        };
        format!("{gone}{by}")
    }

    /// Returns what happens to a volume that a node may have mounted although no pod needs it there.
    fn unmounts(&self, of: &AttachmentOutlook) -> Vec<Next> {
        let node = self.snapshot.node(&of.node);
        let is_ready = node.is_some_and(Node::is_ready);
        let forced = if is_ready {
            When::Never(format!("node {} is ready", of.node))
        } else if self.behavior.disable_force_detach {
            When::Never("kube-controller-manager runs with --disable-force-detach-on-timeout".to_owned())
        } else {
            self.within(MAX_WAIT_FOR_UNMOUNT + SECOND)
        };
        let unknown = match forced {
            When::Within { .. } => vec!["since when the controller wants to detach the volume"],
            When::After(_) | When::Never(_) => Vec::new(),
        };
        let unmounted = node.map(|_| Next {
            step: Step::Detach,
            when: When::After(format!("the kubelet of node {} unmounts the volume", of.node)),
            unknown: Vec::new(),
        });
        unmounted.into_iter().chain([Next { step: Step::ForcedDetach, when: forced, unknown }]).collect()
    }

    /// Returns the time from now on in which something happens.
    fn within(&self, nanoseconds: u64) -> When {
        let seconds = nanoseconds.div_ceil(SECOND);
        let earliest = self.snapshot.now();
        let latest = earliest.map(|now| Timestamp(now.0.saturating_add(i64::try_from(seconds).unwrap_or(i64::MAX))));
        When::Within { seconds, earliest, latest }
    }
}

/// Returns whether the kubelet of the node has not reported for some time, so that its machine may be off. A kubelet
/// that reports `False` is not ready, but its machine runs.
pub fn is_silent(node: &Node) -> bool {
    node.readiness().is_some_and(|ready| ready.status == "Unknown")
}

/// A node that has a volume, and the VolumeAttachment that shows it. Without one, only the status of the node shows it.
#[derive(Clone, Debug)]
pub struct Elsewhere<'a> {
    /// The node.
    pub node: Str,
    /// The VolumeAttachment.
    pub attachment: Option<&'a VolumeAttachment>,
}
