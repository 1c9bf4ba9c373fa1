//! What the model says about the next loop of the attach/detach controller, as `explain` shows it. The loop that
//! follows must start these operations.

use pvctl::controllers::attach_detach::{AttachBranch, AttachDetach, AttachState, DetachBranch, Moment};
use pvctl::model::Str;
use pvctl::world::View;

/// The operations that the next loop starts, if nothing changes before: the action as the judge writes it, and the
/// volume.
pub(super) struct Foretold(Vec<(String, Str)>);

impl Foretold {
    /// Asks for each volume and each node.
    pub(super) fn of(controller: &AttachDetach, view: View<'_>, now: Moment) -> Self {
        let mut all = Vec::new();
        for component in controller.components() {
            let name = &component.volume;
            for node in component.nodes.iter().filter(|node| controller.volumes_on(node).contains(name)) {
                let is_needed = !controller.pods_with(name, node).is_empty();
                if is_needed && controller.manages(node) {
                    let known = controller.known(name, node).filter(|volume| volume.unique_name() == *name);
                    let branch = known.map(|volume| controller.if_needed(volume, node, now));
                    if branch == Some(AttachBranch::AttachStarted) {
                        all.push((format!("attach {name} {node} "), name.clone()));
                    }
                } else if !is_needed && controller.attach_state(name, node) != AttachState::Detached {
                    let force = match controller.if_not_needed(view, name, node, now) {
                        DetachBranch::DetachStarted => "",
                        DetachBranch::DetachTimedOut => "timeout",
                        DetachBranch::DetachOutOfService => "out-of-service",
                        DetachBranch::DetachBusy
                        | DetachBranch::DetachWaitsForUnmount
                        | DetachBranch::DetachUnknownPlugin => continue,
                    };
                    all.push((format!("detach {name} {node} {force}"), name.clone()));
                }
            }
        }
        Self(all)
    }

    /// Returns the foretold operations that are not among the actions of the loop, and the operations that are not
    /// foretold. Two operations with one exclusive volume exclude each other, so one of them is enough.
    pub(super) fn differs(&self, actions: &[String]) -> Vec<String> {
        let is_operation = |action: &&String| action.starts_with("attach ") || action.starts_with("detach ");
        let started: Vec<&String> = actions.iter().filter(is_operation).collect();
        // The name of a Fibre Channel volume can contain blanks.
        let of_volume = |action: &str, volume: &str| {
            let after = action.split_once(' ').and_then(|(_, rest)| rest.strip_prefix(volume));
            after.is_some_and(|rest| rest.starts_with(' '))
        };
        let missing = self.0.iter().filter(|(_, volume)| !started.iter().any(|action| of_volume(action, volume)));
        let surprising = started.iter().filter(|action| !self.0.iter().any(|(foretold, _)| foretold == **action));
        missing.map(|(foretold, _)| foretold.clone()).chain(surprising.map(|action| (*action).clone())).collect()
    }
}
