//! What the controller does, as data, and what the API server answers.

use super::AttachStep;
use crate::controllers::Branch;
use crate::model::Str;

/// The name of a pod.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PodName {
    /// `metadata.namespace`.
    pub namespace: Str,
    /// `metadata.name`.
    pub name: Str,
}

/// Why the controller detaches a volume although the node may still use it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Force {
    /// The controller has waited six minutes.
    Timeout,
    /// The node has the taint `node.kubernetes.io/out-of-service`.
    OutOfService,
}

/// One action of the controller. Others can see it, unless it is [`Action::Passed`].
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Action {
    /// The controller passes a leaf.
    Passed(Branch),
    /// The controller starts to attach a volume.
    Attach {
        /// The unique name of the volume.
        volume: Str,
        /// The name of the node.
        node: Str,
    },
    /// The controller starts to detach a volume.
    Detach {
        /// The unique name of the volume.
        volume: Str,
        /// The name of the node.
        node: Str,
        /// Why the controller does not check whether the node still uses the volume. It checks this if the value is
        /// `None`.
        force: Option<Force>,
    },
    /// A node is read from the API server.
    GetNode {
        /// The name of the node.
        name: Str,
        /// Why the API server refuses the request.
        refused: Option<String>,
    },
    /// A VolumeAttachment is read from the API server.
    GetAttachment {
        /// The name of the VolumeAttachment.
        name: Str,
        /// Why the API server refuses the request.
        refused: Option<String>,
    },
    /// A VolumeAttachment is created.
    CreateAttachment {
        /// `metadata.name`.
        name: Str,
        /// `spec.attacher`.
        attacher: Str,
        /// `spec.nodeName`.
        node: Str,
        /// `spec.source.persistentVolumeName`. The value is `None` if the volume is specified inline.
        volume: Option<Str>,
        /// Why the API server refuses the request.
        refused: Option<String>,
    },
    /// A VolumeAttachment is deleted.
    DeleteAttachment {
        /// The name of the VolumeAttachment.
        name: Str,
        /// Why the API server refuses the request.
        refused: Option<String>,
    },
    /// `status.volumesAttached` of a node is set.
    SetAttached {
        /// The name of the node.
        node: Str,
        /// The unique names of the volumes, sorted. Their order in the request is not fixed. The request repeats the
        /// device paths that the node had when the controller was started.
        volumes: Vec<Str>,
        /// Why the API server refuses the request.
        refused: Option<String>,
    },
    /// An event about a pod is recorded.
    Event {
        /// The pod.
        pod: PodName,
        /// Whether the event is a warning.
        warning: bool,
        /// `reason`.
        reason: &'static str,
        /// `message`.
        message: String,
    },
}

impl AttachStep {
    /// Returns that the controller passes this leaf.
    pub(super) fn passed(self) -> Action {
        Action::Passed(self.into())
    }
}

/// The answer of the API server to a request that it refuses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// The object does not exist.
    NotFound(String),
    /// An object of this name exists already.
    AlreadyExists(String),
    /// Any other error.
    Other(String),
}

impl Refusal {
    /// Returns the text of the error.
    pub fn text(&self) -> &str {
        match self {
            Self::NotFound(text) | Self::AlreadyExists(text) | Self::Other(text) => text,
        }
    }
}

/// The answers of the API server. Each function returns why a request is refused, or `None` if it is accepted.
pub trait ApiAnswers {
    /// A node is read.
    fn get_node(&mut self, name: &str) -> Option<Refusal>;
    /// A VolumeAttachment is read.
    fn get_attachment(&mut self, name: &str) -> Option<Refusal>;
    /// The status of a node is patched.
    fn patch_node(&mut self, name: &str) -> Option<Refusal>;
    /// A VolumeAttachment is created.
    fn create_attachment(&mut self, name: &str) -> Option<Refusal>;
    /// A VolumeAttachment is deleted.
    fn delete_attachment(&mut self, name: &str) -> Option<Refusal>;
    /// Returns whether an answer depends on the requests before it.
    fn depends_on_order(&self) -> bool;
}
