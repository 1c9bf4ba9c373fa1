//! The data that are about to go with an object, or by what is done to it: as the rules find it, on the page of the
//! claim as well as on that of the volume.

use super::{NextOut, YOU};
use crate::diagnosis::{Risk, Rule, diagnose_one, rules};
use crate::report::why::View;
use crate::simulate::Target;
use crate::snapshot::VolumeId;

/// The rules that tell what becomes of a volume and its data without its claim.
const RULES: [&str; 2] = ["data-about-to-go", "pv-terminating-bound"];

/// A volume whose data, or whose object, goes.
pub(super) struct Danger {
    /// It is the object that is explained, or the volume that the claim names.
    pub(super) is_own: bool,
    volume: String,
    message: String,
    /// The data go; otherwise the object alone does.
    loses_data: bool,
    /// What keeps the data.
    pub(super) way_out: Option<NextOut>,
}

impl Danger {
    pub(super) fn words(&self) -> String {
        let lead = if self.loses_data { "Danger: volume" } else { "Volume" };
        format!("{lead} {}: {}.", self.volume, self.message)
    }
}

/// Of a volume its own, of a claim those of the volume that it names and of those that name it.
pub(super) fn of_object(view: View<'_>) -> Vec<Danger> {
    let snapshot = view.snapshot();
    let (own, others): (Option<VolumeId>, Vec<VolumeId>) = match view.prediction.target {
        Target::Volume(id) => (Some(id), Vec::new()),
        Target::Claim(id) => {
            let claim = snapshot.claim(id);
            let has_uid = |volume: VolumeId| {
                let named = snapshot.volume(volume).claim_ref.as_ref();
                named.is_some_and(|named| !named.uid.is_empty() && named.uid == claim.meta.uid)
            };
            let all = (0u32..).map(VolumeId).take(snapshot.volumes().len());
            let naming = snapshot.volumes_naming(&claim.meta.namespace, &claim.meta.name);
            let others = all.filter(|volume| has_uid(*volume) || naming.contains(volume)).collect();
            (snapshot.volume_id(&claim.volume_name), others)
        }
    };
    let others = others.into_iter().filter(|volume| Some(*volume) != own).map(|volume| (volume, false));
    own.into_iter()
        .map(|volume| (volume, true))
        .chain(others)
        .filter_map(|(id, is_own)| of_volume(view, id, is_own))
        .collect()
}

fn of_volume(view: View<'_>, id: VolumeId, is_own: bool) -> Option<Danger> {
    let rules: Vec<&'static Rule> = RULES.into_iter().filter_map(rules::by_id).collect();
    let finding = diagnose_one(view.simulation, Target::Volume(id), &rules).into_iter().next()?;
    let loses_data = finding.risk != Risk::None;
    // Whoever reads of the volume itself that it is being deleted has been told.
    if finding.rule.id != RULES[0] && matches!(view.prediction.target, Target::Volume(_)) {
        return None;
    }
    let way = finding.remedies.first().filter(|way| !way.command.is_empty());
    let way_out = way.map(|way| NextOut { who: YOU.to_owned(), what: format!("{}: {}", way.does, way.command) });
    let message = if finding.is_asked_for() { format!("{} (asked for)", finding.message) } else { finding.message };
    Some(Danger { is_own, volume: view.snapshot().volume(id).meta.name.to_string(), message, loses_data, way_out })
}
