//! The words about a volume and a node.

use super::{AttachmentOutlook, Leaf, Next, Step, When};
use crate::controllers::attach_detach::{AttachBranch, AttachState};
use crate::model::AnnotationKey;
use crate::text::human_age;

impl AttachmentOutlook {
    /// Returns whether the volume is attached and a pod needs it, so that nothing happens.
    pub fn is_done(&self) -> bool {
        !self.is_going
            && !self.leaves.is_empty()
            && self.leaves.iter().all(|leaf| *leaf == Leaf::Attach(AttachBranch::AttachDone))
    }

    /// Mentions the volume: by its name, or else by its unique name.
    pub fn volume_words(&self) -> String {
        match self.volume.as_str() {
            "" => format!("volume {}", self.unique_name),
            name => format!("volume {name}"),
        }
    }

    /// Returns a clause without a subject that says whether the volume is attached to the node, and mounted there.
    pub fn state_words(&self) -> String {
        let state = match self.state {
            AttachState::Attached => "is attached to",
            AttachState::Uncertain => "may be attached to",
            AttachState::Detached => "is not attached to",
        };
        let mounted = match (self.state, self.mounted) {
            (AttachState::Detached, _) => "",
            (_, Some(true)) => ", where it is mounted",
            (_, Some(false)) => ", where it is not mounted",
            (_, None) => ", which does not exist",
        };
        format!("{state} node {}{mounted}", self.node)
    }

    /// Returns a clause that says which pods on the node need the volume.
    pub fn need_words(&self) -> String {
        let pods: Vec<String> = self.needed_by.iter().map(|pod| format!("{}/{}", pod.namespace, pod.name)).collect();
        match pods.as_slice() {
            [] => "no pod there needs it".to_owned(),
            [only] => format!("pod {only} needs it there"),
            several => format!("pods {} need it there", several.join(", ")),
        }
    }

    /// Returns a sentence for each thing that happens by itself. If the controller does not attach volumes to the node,
    /// the first sentence says so.
    pub fn next_words(&self) -> Vec<String> {
        let is_unmanaged = !self.is_managed && self.mounted.is_some() && !self.needed_by.is_empty();
        let unmanaged = is_unmanaged.then(|| {
            format!(
                "kube-controller-manager does not know of the pods on node {}, because the node does not have the \
                 annotation {}.",
                self.node,
                AnnotationKey::ControllerManagedAttach.as_str()
            )
        });
        unmanaged.into_iter().chain(self.next.iter().map(|next| next.words(&self.node))).collect()
    }
}

impl Next {
    /// Returns a sentence that says what happens and when.
    fn words(&self, node: &str) -> String {
        let (does, does_not) = match self.step {
            Step::Attach => (format!("It is attached to node {node}"), format!("It is not attached to node {node}")),
            Step::Request => (
                format!("kube-controller-manager begins to attach it to node {node}"),
                format!("kube-controller-manager does not begin to attach it to node {node}"),
            ),
            Step::Retry => ("The attachment is tried again".to_owned(), "The attachment is not tried again".to_owned()),
            Step::Detach => ("It is detached".to_owned(), "It is not detached".to_owned()),
            Step::ForcedDetach => {
                ("It is detached without a check".to_owned(), "It is not detached without a check".to_owned())
            }
        };
        // Within a time the controller begins. The driver then needs time of its own.
        let does = match (self.step, &self.when) {
            (Step::Detach, When::Within { .. }) => "kube-controller-manager begins to detach it".to_owned(),
            (Step::ForcedDetach, When::Within { .. }) => {
                "kube-controller-manager begins to detach it without a check".to_owned()
            }
            _ => does,
        };
        let unknown = match self.unknown.as_slice() {
            [] => String::new(),
            all => format!(" It is not known {}.", all.join(", nor ")),
        };
        match &self.when {
            When::Within { seconds, latest, .. } => {
                let within = human_age(i64::try_from(*seconds).unwrap_or(i64::MAX));
                let latest = latest.map(|moment| format!(", at {moment} at the latest")).unwrap_or_default();
                format!("{does} within {within}{latest}.{unknown}")
            }
            When::After(after) => format!("{does} after {after}.{unknown}"),
            When::Never(never) => format!("{does_not}, because {never}.{unknown}"),
        }
    }
}
