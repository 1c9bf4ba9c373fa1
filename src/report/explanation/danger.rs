//! The data that are about to be lost with an object, or by an action on it. The rules of the diagnosis find them. The
//! explanation of the claim shows the same as the explanation of the volume.

use super::document::{NextOut, YOU};
use crate::diagnosis::reason::View;
use crate::diagnosis::{Finding, Remedy, Risk, Rule, diagnose_one, rules};
use crate::model::{Kind, TypedId};
use crate::snapshot::{ClaimId, VolumeId};

/// The rules about a volume whose claim is deleted: what happens to the volume and its data.
const OF_VOLUMES: [&str; 2] = ["data-about-to-go", "pv-terminating-bound"];

/// The prefix of the rules about a claim that is being deleted: what keeps it, and what is lost with it.
const OF_CLAIMS: &str = "pvc-terminating-";

/// A volume that is about to be lost, or whose data are about to be lost.
pub(super) struct Danger {
    /// Whether the volume is the explained object, or the one that the explained claim names.
    pub(super) is_own: bool,
    /// What is lost and why, as a sentence. The value is `None` if the explanation says so already.
    pub(super) words: Option<String>,
    /// The remedy that keeps the data.
    pub(super) way_out: Option<NextOut>,
}

/// The dangers of an object and of its partners. The partner of a volume is its claim. The partners of a claim are the
/// volume that it names and the volumes that name it.
pub(super) fn of_object(view: View<'_>) -> Vec<Danger> {
    let snapshot = view.snapshot();
    let (own, others, claim): (Option<VolumeId>, Vec<VolumeId>, Option<ClaimId>) = match view.prediction.target.typed()
    {
        TypedId::PersistentVolume(id) => {
            let named = snapshot.volume(id).claim_ref.as_ref();
            let claim = named.and_then(|named| {
                let claim = snapshot.claim_id(&named.namespace, &named.name)?;
                (snapshot.claim(claim).meta.uid == named.uid).then_some(claim)
            });
            (Some(id), Vec::new(), claim)
        }
        TypedId::PersistentVolumeClaim(id) => {
            let claim = snapshot.claim(id);
            let has_uid = |volume: VolumeId| {
                let named = snapshot.volume(volume).claim_ref.as_ref();
                named.is_some_and(|named| !named.uid.is_empty() && named.uid == claim.meta.uid)
            };
            let all = (0u32..).map(VolumeId::new).take(snapshot.volumes().len());
            let naming = snapshot.volumes_naming(&claim.meta.namespace, &claim.meta.name);
            let others = all.filter(|volume| has_uid(*volume) || naming.contains(volume)).collect();
            (snapshot.volume_id(&claim.volume_name), others, Some(id))
        }
        _ => (None, Vec::new(), None),
    };
    let others = others.into_iter().filter(|volume| Some(*volume) != own).map(|volume| (volume, false));
    let volumes = own.into_iter().map(|volume| (volume, true)).chain(others);
    let of_volumes = volumes.filter_map(|(id, is_own)| of_volume(view, id, is_own));
    of_volumes.chain(claim.and_then(|claim| of_claim(view, claim))).collect()
}

fn of_volume(view: View<'_>, id: VolumeId, is_own: bool) -> Option<Danger> {
    let rules: Vec<&'static Rule> = OF_VOLUMES.into_iter().filter_map(rules::by_id).collect();
    let finding = diagnose_one(view.simulation, id.into(), &rules).into_iter().next()?;
    let name = &view.snapshot().volume(id).meta.name;
    // The explanation of a volume already says that the volume is being deleted.
    let is_told = finding.rule.id != OF_VOLUMES[0] && view.prediction.target.kind == Kind::PersistentVolume;
    let lead = if finding.risk == Risk::None { "Volume" } else { "Danger: volume" };
    let end = if finding.is_asked_for() { " (asked for)" } else { "" };
    let words = (!is_told).then(|| format!("{lead} {name}: {}{end}.", finding.message));
    Some(Danger { is_own, words, way_out: finding.remedies.first().and_then(way_out) })
}

/// The danger of a claim that is being deleted, with the remedy that keeps its data. The headline says what is lost.
fn of_claim(view: View<'_>, id: ClaimId) -> Option<Danger> {
    if !view.snapshot().claim(id).terminating() {
        return None;
    }
    let rules: Vec<&'static Rule> =
        rules::all().iter().copied().filter(|rule| rule.id.starts_with(OF_CLAIMS)).collect();
    let findings = diagnose_one(view.simulation, id.into(), &rules);
    // Advice to keep the data is useful only if the data are in danger. Whether a controller waits for the claim
    // depends on the nodes of its pods, which are not always read.
    let endangers = |finding: &&Finding| finding.risk != Risk::None;
    let keeps = |finding: &Finding| finding.remedies.iter().find(|way| way.verb == "retain").and_then(way_out);
    Some(Danger { is_own: true, words: None, way_out: Some(findings.iter().filter(endangers).find_map(keeps)?) })
}

fn way_out(way: &Remedy) -> Option<NextOut> {
    let what = || format!("{}: {}", way.does, way.command);
    (!way.command.is_empty()).then(|| NextOut { who: YOU.to_owned(), what: what() })
}
