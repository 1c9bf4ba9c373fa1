//! The comparison with the volumes of the driver. Upstream: `ReconcileVA`, v4.13.0.

use super::decision::NotEvaluated;
use super::input::Published;
use super::leaves::ReconcileBranch;
use super::source::{Named, NotCsi, Unusable};
use super::work::Work;
use super::{Attacher, Circumstances};
use crate::controllers::provisioner::in_tree_name;
use crate::controllers::scheduler::migration::InTree;
use crate::model::{Kind, Str, VolumeAttachment};
use crate::snapshot::Absence;
use std::collections::{BTreeMap, BTreeSet};

/// What the comparison finds about one attachment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Comparison {
    /// What is found. The value is `None` if it is not known: `not_evaluated` says why.
    pub leaf: Option<ReconcileBranch>,
    /// The kinds that the answer needs and that may not have been read completely. The value says whether an object
    /// that was not found is assumed not to exist, or whether this is unknown.
    pub doubts: BTreeMap<Kind, Absence>,
    /// What is not modelled and could change the answer.
    pub not_evaluated: BTreeSet<NotEvaluated>,
}

impl<'s> Attacher<'s> {
    /// Returns what the comparison finds about an attachment, if the driver attaches volumes and has listed its
    /// volumes.
    pub fn compare(&self, attachment: &VolumeAttachment, published: &Published) -> Comparison {
        let circumstances = Circumstances::default();
        let mut work = Work::new(self, &circumstances);
        let leaf = self.compared(&mut work, attachment, published);
        let Work { reads, not_evaluated, .. } = work;
        Comparison { leaf, doubts: reads.into_doubts(), not_evaluated }
    }

    fn compared(
        &self,
        work: &mut Work<'_, 's>,
        attachment: &VolumeAttachment,
        published: &Published,
    ) -> Option<ReconcileBranch> {
        if attachment.attacher != self.sidecar.driver {
            return Some(ReconcileBranch::ReconcileOtherAttacher);
        }
        let Ok(node_id) = self.node_id(work, &attachment.node_name, Some(attachment)) else {
            return Some(ReconcileBranch::ReconcileNodeUnknown);
        };
        let handle: Str = match self.named(work, attachment) {
            // Upstream treats every inline volume as one of a migrated plugin.
            Ok(Named::Inline(volume)) => match in_tree_name(&volume.driver) {
                None => return Some(ReconcileBranch::ReconcileHandleUnusable),
                Some(plugin) if plugin == InTree::Gce.name() => {
                    work.not_evaluated.insert(NotEvaluated::MigratedVolume);
                    return None;
                }
                Some(_) => volume.handle,
            },
            Ok(Named::Volume(volume)) => match self.csi_volume(work, volume) {
                Ok(volume) => volume.handle,
                Err(NotCsi::Unknown) => return None,
                Err(NotCsi::Untranslatable(_) | NotCsi::Other) => {
                    return Some(ReconcileBranch::ReconcileVolumeUnusable);
                }
            },
            Err(Unusable::Unknown) => return None,
            Err(Unusable::Source(_) | Unusable::Missing(_)) => return Some(ReconcileBranch::ReconcileVolumeUnusable),
        };
        let is_published = published.get(&handle).is_some_and(|nodes| nodes.contains(&node_id));
        Some(if is_published == attachment.attached {
            ReconcileBranch::ReconcileAgrees
        } else {
            ReconcileBranch::ReconcileForced
        })
    }
}
