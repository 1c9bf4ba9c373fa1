//! The regular check whether volumes are still attached. Upstream: `syncStates`, `GenerateVolumesAreAttachedFunc` and
//! `VolumesAreAttached` of the plugins, 1.36.

use super::actual::AttachState;
use super::{AttachDetach, Moment};
use crate::model::VolumeAttachment;
use crate::world::View;

impl AttachDetach {
    /// Checks the attached volumes if it is time to do so. A volume whose VolumeAttachment is gone, or does not say
    /// that it is attached, counts as detached from then on.
    pub(super) fn verify(&mut self, view: View<'_>, now: Moment) {
        if self.flags.verify_period.is_none_or(|period| now.since(self.verified) <= period) {
            return;
        }
        self.verified = now;
        for (name, node) in self.actual.all() {
            // The plugin of a volume that only the status of a node names is not asked.
            let Some(volume) = self.actual.volume(&name) else { continue };
            if self.actual.state(&name, &node) != AttachState::Attached || !volume.needs_attaching(view) {
                continue;
            }
            let Some((attachment, _)) = volume.attachment_on(&node) else { continue };
            if !view.find::<VolumeAttachment>("", &attachment).is_some_and(|attachment| attachment.attached) {
                self.actual.set_detached(&name, &node);
            }
        }
    }
}
