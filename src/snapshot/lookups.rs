//! What is asked of the objects by more than their names.

use super::Snapshot;
use crate::model::surroundings::{Event, LimitRange, ResourceQuota, VolumeAttachment};
use crate::model::{ObjectKey, Str};

impl Snapshot {
    /// The VolumeAttachments of that volume, by name.
    pub fn attachments_of<'s>(&'s self, volume: &str) -> impl Iterator<Item = &'s VolumeAttachment> + use<'s> {
        let all = self.all::<VolumeAttachment>();
        self.index.attachments_of(all, volume).iter().map(|at| &all[*at as usize])
    }

    /// The Events about the object of that name and uid, the newest first. Those about an earlier one of that name tell
    /// nothing; one without a uid may be meant.
    pub fn events_about<'s>(&'s self, object: &ObjectKey, uid: &str) -> impl Iterator<Item = &'s Event> + use<'s> {
        let uid = Str::from(uid);
        let all = self.all::<Event>();
        let about = self.index.events_about(all, object).iter().map(|at| &all[*at as usize]);
        about.filter(move |event| event.uid.is_empty() || event.uid == uid)
    }

    /// The ResourceQuotas of a namespace.
    pub fn quotas_of<'s>(&'s self, namespace: &'s str) -> impl Iterator<Item = &'s ResourceQuota> {
        self.all::<ResourceQuota>().iter().filter(move |quota| quota.meta.namespace == namespace)
    }

    /// The LimitRanges of a namespace.
    pub fn limit_ranges_of<'s>(&'s self, namespace: &'s str) -> impl Iterator<Item = &'s LimitRange> {
        self.all::<LimitRange>().iter().filter(move |range| range.meta.namespace == namespace)
    }
}
