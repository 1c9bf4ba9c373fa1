//! The regular check whether volumes are still attached. Upstream: `syncStates`, `GenerateVolumesAreAttachedFunc` and
//! `VolumesAreAttached` of the plugins, 1.36.

use super::actual::AttachState;
use super::{Action, ApiAnswers, AttachDetach, AttachStep, Moment, Refusal};
use crate::model::{Str, VolumeAttachment};
use crate::world::{Choices, View};
use std::collections::BTreeMap;

/// The check of the volumes of a node, if the cache has not all their VolumeAttachments. The others are read from the
/// API server, one after another.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Check {
    /// The moment of the next read.
    pub(super) at: Moment,
    node: Str,
    /// The volumes whose VolumeAttachments are still to be read, with the names of these.
    unread: Vec<(Str, Str)>,
    /// The volumes that are not attached.
    detached: Vec<Str>,
}

impl AttachDetach {
    /// Checks the attached volumes if it is time to do so. A volume whose VolumeAttachment is gone, or does not say
    /// that it is attached, counts as detached at the end of the check of its node.
    pub(super) fn verify(&mut self, view: View<'_>, now: Moment, out: &mut Vec<Action>) {
        let Some(period) = self.flags.verify_period else {
            out.push(AttachStep::AttachNotVerified.passed());
            return;
        };
        if now.since(self.verified) <= period {
            return;
        }
        out.push(AttachStep::AttachVerified.passed());
        self.verified = now;
        let mut checks: BTreeMap<Str, Check> = BTreeMap::new();
        for (name, node) in self.actual.all() {
            // The plugin of a volume that only the status of a node names is not asked.
            let Some(volume) = self.actual.volume(&name) else { continue };
            if self.actual.state(&name, &node) != AttachState::Attached || !volume.needs_attaching(view) {
                continue;
            }
            let Some((attachment, _)) = volume.attachment_on(&node) else { continue };
            let check = checks.entry(node).or_default();
            match view.find::<VolumeAttachment>("", &attachment) {
                Some(found) if found.attached => {}
                Some(_) => check.detached.push(name),
                None => check.unread.push((name, attachment)),
            }
        }
        let at = now.after(self.flags.latency);
        let checks = checks.into_iter().map(|(node, check)| Check { at, node, ..check });
        self.checks.extend(checks);
        self.end_checks();
    }

    /// Returns whether a check waits for the API server.
    pub fn is_checking(&self) -> bool {
        !self.checks.is_empty()
    }

    /// Reads the VolumeAttachments that are due. The order of those of one node is not fixed.
    pub(super) fn run_checks(
        &mut self,
        view: View<'_>,
        now: Moment,
        api: &mut dyn ApiAnswers,
        choices: &mut Choices,
        out: &mut Vec<Action>,
    ) {
        let latency = self.flags.latency;
        for check in self.checks.iter_mut().filter(|check| check.at <= now) {
            let (volume, name) = check.unread.remove(choices.pick(check.unread.len()));
            let found: Option<&VolumeAttachment> = view.find("", &name);
            let absent = || Refusal::NotFound(format!("volumeattachments.storage.k8s.io \"{name}\" not found"));
            let refusal = api.get_attachment(&name).or_else(|| found.is_none().then(absent));
            if refusal.is_some() || found.is_none_or(|found| !found.attached) {
                check.detached.push(volume);
            }
            out.push(AttachStep::AttachVerified.passed());
            out.push(Action::GetAttachment { name, refused: refusal.map(|refusal| refusal.text().to_owned()) });
            check.at = now.after(latency);
        }
        self.end_checks();
    }

    /// Ends the checks that have read everything.
    fn end_checks(&mut self) {
        for check in self.checks.extract_if(.., |check| check.unread.is_empty()) {
            for name in &check.detached {
                self.actual.set_detached(name, &check.node);
            }
        }
    }
}
