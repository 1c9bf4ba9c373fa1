//! Compares how attaching ends: the `VolumeAttachment`s and the entries of the nodes, when nothing new happens. After a
//! run with one behavior of the attachers, its end must be one of the predicted ends. After runs with all behaviors of
//! the attachers, the ends must be exactly the predicted ends.

use super::attaching::flags;
use super::{Difference, Judged, Verdict, snapshot_of, whole_snapshot_of};
use crate::attaching::Attaching;
use anyhow::{Result, ensure};
use pvctl::controllers::attach_detach::{
    AttachDetach, Attachers, AttachmentComponent, AttachmentEnd, AttachmentEnds, Flags, Moment, RecordEnd,
};
use pvctl::model::{Node, Str, VolumeAttachment};
use pvctl::snapshot::Snapshot;
use pvctl::world::View;
use std::collections::BTreeSet;

/// The controller at the beginning of a run, and the objects then.
struct Beginning {
    controller: AttachDetach,
    snapshot: Snapshot,
}

impl Beginning {
    /// Returns the predicted ends of a component.
    fn ends(&self, component: &AttachmentComponent, attachers: Attachers) -> AttachmentEnds {
        let records = self.controller.records_of(&self.snapshot, component);
        self.controller.ends(&self.snapshot, component, &records, |situation| situation.ends(attachers))
    }

    /// Returns the end of a component among the objects at the end of a run.
    fn end(&self, last: &Snapshot, component: &AttachmentComponent) -> AttachmentEnd {
        let AttachmentComponent { volume, nodes, is_part } = component;
        let is_it = |node: &Node| !is_part || nodes.contains(&node.meta.name);
        let listing = last.all::<Node>().iter().filter(|node| is_it(node) && node.volumes_attached.contains(volume));
        let records = self.controller.records_of(last, component);
        AttachmentEnd {
            records: records.found.iter().map(|record| (record.meta.name.clone(), RecordEnd::of(record))).collect(),
            listed: listing.map(|node| node.meta.name.clone()).collect(),
        }
    }

    /// Returns the `VolumeAttachment`s that the controller has created or deleted, although they are of no component.
    fn surprising(&self, components: &[AttachmentComponent], last: &Snapshot) -> Vec<String> {
        let known = |snapshot: &Snapshot| -> BTreeSet<Str> {
            let records = components.iter().flat_map(|component| self.controller.records_of(snapshot, component).found);
            records.map(|record| record.meta.name.clone()).collect()
        };
        let names = |snapshot: &Snapshot| -> BTreeSet<Str> {
            let known = known(snapshot);
            let live = snapshot.all::<VolumeAttachment>().iter().filter(|record| record.meta.deleted.is_none());
            live.map(|record| record.meta.name.clone()).filter(|name| !known.contains(name)).collect()
        };
        names(&self.snapshot).symmetric_difference(&names(last)).map(ToString::to_string).collect()
    }
}

impl Judged<'_> {
    fn beginning(&self, flags: Flags) -> Result<Beginning> {
        let snapshot = whole_snapshot_of(&self.line.world.items)?;
        let controller = AttachDetach::restarted(View::Snapshot(&snapshot), flags, Moment(0));
        Ok(Beginning { controller, snapshot })
    }

    /// Compares the end of a run with the ends that are predicted from its start.
    pub(super) fn compare_attachment_end(&self, last: &Snapshot, flags: Flags, verdict: &mut Verdict) -> Result<()> {
        let beginning = self.beginning(flags)?;
        for component in beginning.controller.components() {
            let predicted = beginning.ends(&component, Attachers::Free);
            let external = beginning.ends(&component, Attachers::External);
            ensure!(
                !predicted.is_complete || external.ends.is_subset(&predicted.ends),
                "volume {}: the external attacher leads to an end that no attacher can lead to",
                component.volume
            );
            verdict.counts.attachment_ends += 1;
            let real = beginning.end(last, &component);
            if !predicted.is_complete {
                verdict.counts.attachment_ends_open += 1;
            } else if !predicted.ends.contains(&real) {
                verdict.differences.push(differing(&component, &BTreeSet::from([real]), &predicted.ends));
            }
        }
        Ok(())
    }

    /// Compares the ends under all behaviors of the attachers. If the oracle found no ends, nothing is compared. The
    /// controller must create and delete no `VolumeAttachment` about which nothing is predicted.
    pub(super) fn compare_every_end(&self, asked: &Attaching, verdict: &mut Verdict) -> Result<()> {
        let mut lasts = Vec::new();
        for items in &asked.ends {
            lasts.push(snapshot_of(items)?);
        }
        if lasts.is_empty() {
            ensure!(!asked.without_ends.is_empty(), "there are neither ends nor a reason why there are none");
            verdict.counts.attachment_ends_skipped += 1;
            return Ok(());
        }
        let beginning = self.beginning(flags(asked, self.behavior))?;
        let components = beginning.controller.components();
        for last in &lasts {
            let surprising = beginning.surprising(&components, last);
            ensure!(surprising.is_empty(), "nothing is predicted about VolumeAttachments {}", surprising.join(", "));
        }
        for component in &components {
            *verdict.compared.entry("attachment ends".to_owned()).or_default() += 1;
            let predicted = beginning.ends(component, Attachers::Free);
            let real: BTreeSet<AttachmentEnd> = lasts.iter().map(|last| beginning.end(last, component)).collect();
            verdict.counts.attachment_ends_exact += 1;
            verdict.counts.attachment_ends_members += predicted.ends.len();
            if !predicted.is_complete || predicted.ends != real {
                verdict.differences.push(differing(component, &real, &predicted.ends));
            }
        }
        Ok(())
    }
}

fn differing(
    component: &AttachmentComponent,
    real: &BTreeSet<AttachmentEnd>,
    predicted: &BTreeSet<AttachmentEnd>,
) -> Difference {
    let nodes = component.nodes.iter().map(Str::as_str).collect::<Vec<_>>().join(", ");
    let only = |these: &BTreeSet<AttachmentEnd>, others: &BTreeSet<AttachmentEnd>| {
        these.difference(others).map(|end| format!("{end:?}")).collect()
    };
    Difference {
        part: "attachment ends".to_owned(),
        object: format!("volume {} on {nodes}", component.volume),
        only_real: only(real, predicted),
        only_predicted: only(predicted, real),
    }
}
