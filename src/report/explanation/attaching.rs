//! The part about the attach/detach controller in the explanation of a pod, a VolumeAttachment or a node.

use super::text::Page;
use crate::controllers::attach_detach::{AttachState, PodName, loop_entries};
use crate::diagnosis::attaching::{AttachmentOutlook, Leaf, Next, When};
use crate::text::capitalized;
use serde::Serialize;

/// The largest number of volumes that are shown.
const MOST_VOLUMES: usize = 10;

/// What the attach/detach controller does with a volume and a node.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct AttachmentOut {
    /// The name of the PersistentVolume. The field is absent if only the status of a node names the volume.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub volume: Option<String>,
    /// The name of the volume in the status of nodes.
    pub unique_name: String,
    /// The node.
    pub node: String,
    /// The name of the VolumeAttachment, whether it exists or not. The field is absent if there is never one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub attachment: Option<String>,
    /// Since when the VolumeAttachment exists. The field is absent if there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub since: Option<String>,
    /// `attached`, `uncertain` or `detached`: what the controller knows.
    pub state: &'static str,
    /// Whether `status.volumesInUse` of the node lists the volume. The field is null if the node does not exist.
    pub mounted: Option<bool>,
    /// The pods on the node that need the volume.
    pub needed_by: Vec<PodNameOut>,
    /// Whether the controller attaches volumes to the node, and knows of its pods. It does if the node has the
    /// annotation `volumes.kubernetes.io/controller-managed-attach-detach`.
    pub managed: bool,
    /// What the next loop of the controller does. The list has several entries if this depends on what the controller
    /// remembers, because a snapshot does not show this.
    pub leaves: Vec<LeafOut>,
    /// The other nodes to which the volume is or may be attached, if only one node can have it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "schema", schemars(default))]
    pub held_by: Vec<AttachmentOut>,
    /// What happens if nobody acts.
    pub next: Vec<NextStepOut>,
    #[serde(skip)]
    is_done: bool,
    /// The state and the need as sentences: about the volume by its name, and about it as `It`.
    #[serde(skip)]
    sentences: [String; 2],
    #[serde(skip)]
    next_sentences: Vec<String>,
}

/// The name of a pod.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PodNameOut {
    /// `metadata.namespace`.
    pub namespace: String,
    /// `metadata.name`.
    pub name: String,
}

/// A leaf of the attach/detach controller.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LeafOut {
    /// The name, as in `docs/controllers/attach-detach.md`.
    pub name: &'static str,
    /// What the controller finds and does there.
    pub says: &'static str,
    /// What the controller logs there at `-v=5` about the volume and the node, in klog's text format without the
    /// header. Entries with values that a snapshot does not show are left out.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "schema", schemars(default))]
    pub log: Vec<String>,
}

/// Something that happens if nobody acts.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct NextStepOut {
    /// `attach`, `request` (the controller begins to attach the volume), `retry`, `detach` or `forcedDetach`. If `when`
    /// has a time, `detach` and `forcedDetach` begin in this time, and the driver then needs time of its own.
    pub what: &'static str,
    /// When it happens.
    pub when: WhenOut,
    /// What a snapshot does not show, if the moment depends on it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "schema", schemars(default))]
    pub unknown: Vec<&'static str>,
}

/// When something happens.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", untagged)]
pub enum WhenOut {
    /// Between two moments.
    Within {
        /// The largest number of seconds from now.
        #[serde(rename = "withinSeconds")]
        seconds: u64,
        /// The first possible moment. The field is absent if the input does not tell the current time.
        #[serde(skip_serializing_if = "Option::is_none")]
        earliest: Option<String>,
        /// The last possible moment.
        #[serde(skip_serializing_if = "Option::is_none")]
        latest: Option<String>,
    },
    /// After something that has no known moment.
    After {
        /// What has to happen before.
        after: String,
    },
    /// It does not happen.
    Never {
        /// Why it does not happen.
        never: String,
    },
}

impl AttachmentOut {
    /// Returns this part of the document.
    pub(super) fn new(of: &AttachmentOutlook) -> Self {
        Self {
            volume: Some(of.volume.to_string()).filter(|name| !name.is_empty()),
            unique_name: of.unique_name.to_string(),
            node: of.node.to_string(),
            attachment: of.attachment.as_ref().map(ToString::to_string),
            since: of.since.map(|since| since.to_string()),
            state: match of.state {
                AttachState::Attached => "attached",
                AttachState::Uncertain => "uncertain",
                AttachState::Detached => "detached",
            },
            mounted: of.mounted,
            managed: of.is_managed,
            needed_by: of.needed_by.iter().map(PodNameOut::new).collect(),
            leaves: of.leaves.iter().map(|leaf| LeafOut::new(*leaf, of)).collect(),
            held_by: of.held_by.iter().map(Self::new).collect(),
            next: of.next.iter().map(NextStepOut::new).collect(),
            is_done: of.is_done(),
            sentences: [capitalized(&of.volume_words()), "It".to_owned()]
                .map(|subject| format!("{subject} {}. {}.", of.state_words(), capitalized(&of.need_words()))),
            next_sentences: of.next_words(),
        }
    }

    fn lines(&self, page: &mut Page, trace: bool) {
        let [own, _] = &self.sentences;
        page.line(1, own);
        for other in &self.held_by {
            let [_, other_sentence] = &other.sentences;
            page.line(2, other_sentence);
            for next in &other.next_sentences {
                page.line(3, next);
            }
        }
        let possible = if self.leaves.len() > 1 { "possible: " } else { "" };
        for leaf in &self.leaves {
            page.line(2, &format!("{possible}{}: {}", leaf.name, leaf.says));
            if trace && !leaf.log.is_empty() {
                page.line(3, "log at -v=5:");
                for entry in &leaf.log {
                    page.line(4, entry);
                }
            }
        }
        for next in &self.next_sentences {
            page.line(2, next);
        }
    }
}

impl LeafOut {
    fn new(leaf: Leaf, of: &AttachmentOutlook) -> Self {
        let entries = loop_entries(leaf.into(), &of.unique_name, &of.node, &of.needed_by);
        Self { name: leaf.name(), says: leaf.about(), log: entries.iter().map(ToString::to_string).collect() }
    }
}

impl PodNameOut {
    fn new(pod: &PodName) -> Self {
        Self { namespace: pod.namespace.to_string(), name: pod.name.to_string() }
    }
}

impl NextStepOut {
    fn new(next: &Next) -> Self {
        let when = match &next.when {
            When::Within { seconds, earliest, latest } => WhenOut::Within {
                seconds: *seconds,
                earliest: earliest.map(|moment| moment.to_string()),
                latest: latest.map(|moment| moment.to_string()),
            },
            When::After(after) => WhenOut::After { after: after.clone() },
            When::Never(never) => WhenOut::Never { never: never.clone() },
        };
        Self { what: next.step.as_str(), when, unknown: next.unknown.clone() }
    }
}

/// Writes the section about attachments. A volume that is attached where a pod needs it is only counted, unless
/// `all` is true. With `trace`, the section has what the controller logs.
pub(super) fn section(page: &mut Page, attachments: &[AttachmentOut], all: bool, trace: bool) {
    let (done, told): (Vec<&AttachmentOut>, Vec<&AttachmentOut>) =
        attachments.iter().partition(|one| !all && one.is_done);
    if told.is_empty() {
        return;
    }
    page.heading("Attachments");
    for one in told.iter().take(MOST_VOLUMES) {
        one.lines(page, trace);
    }
    if told.len() > MOST_VOLUMES {
        page.line(1, &format!("and {} more; -o json shows all", told.len() - MOST_VOLUMES));
    }
    match done.len() {
        0 => {}
        1 => page.line(1, "1 other volume is attached, and a pod needs it."),
        others => page.line(1, &format!("{others} other volumes are attached, and pods need them.")),
    }
}
