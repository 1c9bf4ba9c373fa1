//! The first line of an explanation: the state and its reason, whether the state is normal, who has to act, and what
//! happens to the data.

use super::danger::Danger;
use super::document::released;
use crate::controllers::persistent_volume::matching::Query;
use crate::controllers::persistent_volume::reclaim::{DataFate, data_fate, is_guarded, migrated_to};
use crate::controllers::pv_protection::FINALIZER as VOLUME_FINALIZER;
use crate::controllers::{Branch, ClaimBranch, VolumeBranch};
use crate::diagnosis::misfit::misfit;
use crate::diagnosis::reason::{View, pod_with_node, why};
use crate::model::{
    AnnotationKey, Kind, PersistentVolume, PersistentVolumeClaim, ReclaimPolicy, SourceKind, TypedId, VolumePhase,
};
use crate::report::match_table::MatchRow;
use crate::simulate::Outcome;
use crate::snapshot::Absence;
use crate::text::nearest;

/// The first word of a sentence about data that are about to be lost.
const DANGER: &str = "Danger: ";

/// The word for an end at which the object is deleted.
const DELETED: &str = "deleted";

/// The first line for a claim or a volume.
pub(super) fn of_object(view: View<'_>, candidates: &[MatchRow<'_>], dangers: &[Danger]) -> String {
    let snapshot = view.snapshot();
    let (name, phase, deleted) = match view.prediction.target.typed() {
        TypedId::PersistentVolume(id) => {
            let volume = snapshot.volume(id);
            (format!("Volume {}", volume.meta.name), volume.status.phase.as_str(), volume.terminating())
        }
        TypedId::PersistentVolumeClaim(id) => {
            let claim = snapshot.claim(id);
            (format!("Claim {}", claim.key()), claim.status.phase.as_str(), claim.terminating())
        }
        _ => (snapshot.key(view.prediction.target).to_string(), "", false),
    };
    let reason = why(view.simulation, view.prediction);
    let mut sentences = vec![if deleted {
        format!("{name} {reason} (recorded phase {phase}).")
    } else {
        format!("{name} is {phase}{}: {reason}.", becomes(view, phase))
    }];
    match view.prediction.target.typed() {
        TypedId::PersistentVolumeClaim(id) => claim_sentences(view, snapshot.claim(id), candidates, &mut sentences),
        TypedId::PersistentVolume(id) => volume_sentences(view, snapshot.volume(id), &mut sentences),
        _ => {}
    }
    let is_told = sentences.iter().any(|sentence| sentence.starts_with(DANGER));
    sentences
        .extend(dangers.iter().filter(|danger| !is_told || !danger.is_own).filter_map(|danger| danger.words.clone()));
    sentences.join(" ")
}

/// Says whether the object keeps its phase, and which other phases are possible.
fn becomes(view: View<'_>, phase: &str) -> String {
    let Some(outcomes) = &view.prediction.outcomes else { return String::new() };
    let mut ends: Vec<String> = outcomes
        .representatives()
        .map(|outcome| match outcome {
            Outcome::Claim { volume_name, .. } if outcome.phase() == "Bound" => {
                format!("Bound to {}", crate::snapshot::printed(volume_name))
            }
            Outcome::Volume { claim_ref: Some((namespace, name, _)), .. } if outcome.phase() == "Bound" => {
                format!("Bound to {namespace}/{name}")
            }
            Outcome::Gone { .. } => DELETED.to_owned(),
            other if other.is_terminating() => format!("{}, being deleted", other.phase()),
            other => other.phase().to_owned(),
        })
        .collect();
    ends.dedup();
    match ends.as_slice() {
        // A volume that is Bound now may also end Bound to another claim.
        [only]
            if only == phase
                || (phase == "Bound" && only.starts_with("Bound") && !view.prediction.changes(view.snapshot())) =>
        {
            " and stays so".to_owned()
        }
        [only] if only == DELETED => " and will be deleted".to_owned(),
        [only] => format!(" and becomes {only}"),
        [] => String::new(),
        several if several.len() <= 3 => format!(" and ends {}", several.join(" or ")),
        several => format!(" and ends {} or in one of {} other ways", several[0], outcomes.count.saturating_sub(1)),
    }
}

/// The node that was selected for a claim, if it is certain that no node of that name exists.
fn missing_node<'v>(view: View<'v>, claim: &'v PersistentVolumeClaim) -> Option<&'v str> {
    let snapshot = view.snapshot();
    let node = claim.meta.annotations.get(AnnotationKey::SelectedNode)?;
    let is_absent = snapshot.coverage().absence_of(Kind::Node, "", node) == Absence::Certain;
    (snapshot.node(node).is_none() && is_absent).then_some(node)
}

fn claim_sentences(
    view: View<'_>,
    claim: &PersistentVolumeClaim,
    candidates: &[MatchRow<'_>],
    sentences: &mut Vec<String>,
) {
    if claim.terminating() {
        sentences.extend(dies_with(view, claim));
        return;
    }
    if claim.volume_name.is_empty() {
        sentences.extend(kept_of_an_earlier_claim(view, claim));
    }
    let Some(Branch::ClaimBranch(branch)) = view.binder().next().map(|decision| decision.branch) else { return };
    match branch {
        ClaimBranch::UnboundClaimWaitForFirstConsumer => {
            sentences.push(match pod_with_node(view.snapshot(), claim) {
                Some(_) => "You have to act: let the scheduler place the pod, without spec.nodeName.".to_owned(),
                None => "Nothing is wrong: the scheduler binds it when a pod uses it.".to_owned(),
            });
        }
        ClaimBranch::UnboundClaimWaitForPodScheduled => sentences.push(
            "Pending is normal until then; what keeps the pod stands in the events of the pod, not of the claim."
                .to_owned(),
        ),
        ClaimBranch::UnboundClaimProvisionExternal if let Some(node) = missing_node(view, claim) => {
            sentences.push(format!(
                "Node {node} does not exist: the driver waits until the annotation \
                 volume.kubernetes.io/selected-node is removed, which a recent provisioner does by itself."
            ));
        }
        ClaimBranch::UnboundClaimProvisionExternal => {
            sentences.push(
                "That driver has to act: Kubernetes itself only asks it. If nothing comes, see whether it runs."
                    .to_owned(),
            );
            if claim.selector.is_some() {
                sentences.push("Drivers usually do not provision for a claim with a selector.".to_owned());
            }
        }
        ClaimBranch::UnboundClaimClassMissing => {
            let names = view.snapshot().classes().iter().map(|class| class.meta.name.as_str());
            match nearest(claim.class(), names, 1).first() {
                Some(class) => sentences.push(format!("You have to act. Did you mean class \"{class}\"?")),
                None => sentences.push("You have to act.".to_owned()),
            }
            sentences.extend(nearest_miss(view, claim, candidates));
        }
        ClaimBranch::UnboundClaimProvisioningDisabled
        | ClaimBranch::UnboundClaimInTreeProvisionerUnknown
        | ClaimBranch::UnboundClaimNoVolumeNoClass => {
            if view.only_outcome().is_none_or(|end| end.phase() != "Bound") {
                sentences.push("You have to act: nobody else makes a volume for it.".to_owned());
                sentences.extend(nearest_miss(view, claim, candidates));
            }
        }
        ClaimBranch::UnboundClaimVolumeNameMissing => {
            sentences.push("You have to act; no event says so.".to_owned());
        }
        ClaimBranch::UnboundClaimVolumeMismatchDeleting
        | ClaimBranch::UnboundClaimVolumeMismatchTooSmall
        | ClaimBranch::UnboundClaimVolumeMismatchClass
        | ClaimBranch::UnboundClaimVolumeMismatchAttributesClass
        | ClaimBranch::UnboundClaimVolumeMismatchAttributesClassUnsupported
        | ClaimBranch::UnboundClaimVolumeMismatchMode
        | ClaimBranch::UnboundClaimVolumeMismatchAccessMode
        | ClaimBranch::UnboundClaimBindingModeUnset
        | ClaimBranch::UnboundClaimMatchFailed
        | ClaimBranch::UnboundClaimDefaultClassFailed => sentences.push("You have to act.".to_owned()),
        ClaimBranch::UnboundClaimNamedVolumeTaken | ClaimBranch::UnboundClaimNamedVolumeTakenByController => {
            sentences.extend(stale_uid(view, claim));
            sentences.push("You have to act.".to_owned());
        }
        ClaimBranch::BoundClaimVolumeNameCleared => {
            sentences.push(
                "The event says that the data are lost; it misleads: no controller touched them for this.".to_owned(),
            );
            let named = view.snapshot().volumes_naming(&claim.meta.namespace, &claim.meta.name);
            if let [id] = named {
                sentences.push(format!("Volume {} still names it.", view.snapshot().volume(*id).meta.name));
            }
            sentences.push("You have to act.".to_owned());
        }
        ClaimBranch::BoundClaimVolumeMissing => sentences.push(
            "The event says that the data are lost; it misleads: no controller touched them for this. The object is \
             gone; whether its storage is, only the storage system can tell."
                .to_owned(),
        ),
        ClaimBranch::BoundClaimMisbound => lost(view, claim, sentences),
        ClaimBranch::ClaimMigrationUpdateFailed
        | ClaimBranch::UnboundClaimVolumeFound
        | ClaimBranch::UnboundClaimDefaultClassAssigned
        | ClaimBranch::UnboundClaimProvisionInTree
        | ClaimBranch::UnboundClaimProvisionRunning
        | ClaimBranch::UnboundClaimProvisionBackoff
        | ClaimBranch::UnboundClaimNamedVolumeFree
        | ClaimBranch::UnboundClaimNamedVolumeReserved
        | ClaimBranch::BoundClaimVolumeUnbound
        | ClaimBranch::BoundClaimVolumeOurs => {}
    }
}

/// Says where the data of an earlier claim of this name are, and that they stay there.
fn kept_of_an_earlier_claim(view: View<'_>, claim: &PersistentVolumeClaim) -> Option<String> {
    let snapshot = view.snapshot();
    let naming = snapshot.volumes_naming(&claim.meta.namespace, &claim.meta.name).iter();
    let kept = naming.map(|id| snapshot.volume(*id)).find(|volume| {
        let other = volume.claim_ref.as_ref().is_some_and(|named| !named.uid.is_empty() && named.uid != claim.meta.uid);
        other && !volume.terminating() && data_fate(view.behavior(), volume) == DataFate::Kept
    })?;
    Some(format!(
        "The data of an earlier claim of this name are kept in volume {} ({}, policy {}); this claim does not get them \
         by itself.",
        kept.meta.name,
        kept.status.phase.as_str(),
        kept.reclaim_policy.as_str()
    ))
}

/// Names the volume that fails the fewest tests and that no other claim has, with all reasons why it does not fit.
fn nearest_miss(view: View<'_>, claim: &PersistentVolumeClaim, candidates: &[MatchRow<'_>]) -> Option<String> {
    let row = candidates.iter().find(|row| !row.is_taken()).filter(|row| !row.fits())?;
    let volume = view.snapshot().volume(view.snapshot().volume_id(row.object.name)?);
    let misfits = Query::new(view.behavior(), claim, false).map(|query| query.misfits(volume)).unwrap_or_default();
    // The table of candidates shows only the first test that the volume fails.
    let first = row.without_delay.unwrap_or(row.verdict);
    let more = misfits
        .into_iter()
        .filter(|verdict| verdict.name() != first)
        .filter_map(|verdict| misfit(volume, claim, verdict))
        .map(|found| found.words);
    let reasons: Vec<String> = std::iter::once(row.why.clone()).chain(more).collect();
    Some(format!("The nearest volume is {}: {}.", row.object.name, reasons.join("; ")))
}

/// Says that the uid in the claimRef of a volume is that of an earlier claim of this name.
fn stale_uid(view: View<'_>, claim: &PersistentVolumeClaim) -> Option<String> {
    let volume = view.snapshot().volume(view.snapshot().volume_id(&claim.volume_name)?);
    let named = volume.claim_ref.as_ref()?;
    (named.name == claim.meta.name && named.namespace == claim.meta.namespace && named.uid != claim.meta.uid).then(
        || {
            format!(
                "The volume remembers uid {}, and this claim has uid {}.",
                crate::snapshot::printed(&named.uid),
                crate::snapshot::printed(&claim.meta.uid)
            )
        },
    )
}

/// The sentences for a claim that names a volume, if the volume does not name the claim with its uid.
fn lost(view: View<'_>, claim: &PersistentVolumeClaim, sentences: &mut Vec<String>) {
    let snapshot = view.snapshot();
    let Some(id) = snapshot.volume_id(&claim.volume_name) else { return };
    let volume = snapshot.volume(id);
    let alone = volume.claim_ref.as_ref().is_some_and(|named| {
        let itself = named.name == claim.meta.name && named.namespace == claim.meta.namespace;
        let absence = snapshot.coverage().absence(Kind::PersistentVolumeClaim, &named.namespace);
        match snapshot.claim_id(&named.namespace, &named.name) {
            _ if itself => true,
            None => !matches!(absence, Absence::Unknown(_)),
            // A volume whose claimRef has no uid is reserved for any claim of that name.
            Some(id) => !named.uid.is_empty() && snapshot.claim(id).meta.uid != named.uid,
        }
    });
    if alone {
        sentences
            .push("The event speaks of two claims on one volume; it misleads: there is no other claim.".to_owned());
    }
    let ends = view.simulation.outcomes(id);
    let deleted = ends.representatives().any(|end| {
        let data = match end {
            Outcome::Volume { data, .. } | Outcome::Gone { data, .. } => *data,
            Outcome::Claim { .. } => None,
        };
        data.is_some_and(|fate| fate != DataFate::Kept)
    });
    sentences.push(if deleted {
        format!(
            "Danger: the volume counts as released, and its policy {} will destroy the data.",
            volume.reclaim_policy.as_str()
        )
    } else {
        "No data are lost by this.".to_owned()
    });
    sentences.push(format!(
        "It is Bound again as soon as spec.claimRef of {} names it with uid {}.",
        volume.meta.name,
        crate::snapshot::printed(&claim.meta.uid)
    ));
}

/// Says what is lost together with a claim that is being deleted.
fn dies_with(view: View<'_>, claim: &PersistentVolumeClaim) -> Option<String> {
    let id = view.snapshot().volume_id(&claim.volume_name)?;
    let volume = view.snapshot().volume(id);
    let ours = volume.claim_ref.as_ref().is_some_and(|named| named.uid == claim.meta.uid);
    ours.then(|| once_gone(view, volume))
}

/// Says what happens to a volume and its data after its claim, which is being deleted, is deleted.
fn once_gone(view: View<'_>, volume: &PersistentVolume) -> String {
    let fate = fate(view, volume);
    match data_fate(view.behavior(), volume) {
        DataFate::Kept => format!("When the claim is gone, {fate}."),
        DataFate::HandedToDriver | DataFate::Destroyed | DataFate::Scrubbed => {
            format!("Danger: when the claim is gone, {fate}.")
        }
    }
}

/// Says what happens to a volume and its data without its claim.
fn fate(view: View<'_>, volume: &PersistentVolume) -> String {
    let name = &volume.meta.name;
    let policy = volume.reclaim_policy.as_str();
    match data_fate(view.behavior(), volume) {
        DataFate::Kept if volume.reclaim_policy == ReclaimPolicy::Retain => {
            format!("volume {name} is Released and its data stay (policy Retain)")
        }
        DataFate::Kept => format!("volume {name} is Released and its data stay (policy {policy} does nothing to them)"),
        DataFate::HandedToDriver => {
            format!("{} deletes volume {name} and its data (policy {policy})", driver(view, volume))
        }
        DataFate::Destroyed => format!("volume {name} and its data are deleted (policy {policy})"),
        DataFate::Scrubbed => format!("the data of volume {name} are erased (policy {policy})"),
    }
}

/// The driver that would have to delete the storage.
fn driver(view: View<'_>, volume: &PersistentVolume) -> String {
    [migrated_to(view.behavior(), volume), volume.meta.annotations.get(AnnotationKey::ProvisionedBy)]
        .into_iter()
        .flatten()
        .chain((volume.source.kind == SourceKind::Csi).then_some(volume.source.detail.as_str()))
        .find(|name| !name.is_empty())
        .map_or_else(|| "its driver".to_owned(), str::to_owned)
}

fn volume_sentences(view: View<'_>, volume: &PersistentVolume, sentences: &mut Vec<String>) {
    if volume.terminating() {
        sentences.push(terminating_volume(view, volume));
        return;
    }
    let Some(Branch::VolumeBranch(branch)) = view.binder().next().map(|decision| decision.branch) else { return };
    if released(branch) {
        sentences.push(match data_fate(view.behavior(), volume) {
            DataFate::Kept if volume.reclaim_policy == ReclaimPolicy::Retain => {
                "You have to free it for another claim, or delete it.".to_owned()
            }
            DataFate::Kept => "Its data stay; you have to free it for another claim, or delete it.".to_owned(),
            // Drivers skip volumes that are Failed.
            DataFate::HandedToDriver if volume.status.phase == VolumePhase::Failed => {
                "When that happens, the data are gone.".to_owned()
            }
            DataFate::HandedToDriver => "Danger: when that happens, the data are gone.".to_owned(),
            DataFate::Destroyed => "Danger: the controller deletes the data at once.".to_owned(),
            DataFate::Scrubbed => "Danger: the data are erased.".to_owned(),
        });
        sentences.extend(recycled_beside(view));
        return;
    }
    match branch {
        VolumeBranch::VolumeBound => sentences.push(match claim_of(view, volume) {
            Some(claim) if claim.terminating() => once_gone(view, volume),
            _ => format!("If the claim is deleted, {}.", fate(view, volume)),
        }),
        VolumeBranch::VolumeReserved | VolumeBranch::VolumeAwaitsClaim | VolumeBranch::VolumeDanglingAwaitsClaim
            if view.only_outcome().is_some_and(|end| end.phase() != "Bound") =>
        {
            sentences.push("No other claim can take it.".to_owned());
        }
        VolumeBranch::VolumeClaimModeMismatch => sentences.push("You have to act: neither mode can change.".to_owned()),
        _ => {}
    }
}

/// A warning if several volumes of one plugin are recycled at the same time. A volume can then become Available
/// although its own data were not erased, because the pod erased the storage of another volume. Upstream: `Recycle`
/// (`pkg/volume/nfs`), whose calls change one shared pod template, 1.36.
fn recycled_beside(view: View<'_>) -> Option<String> {
    let others = match view.simulation.beside(view.prediction.target)?.others {
        0 => return None,
        1 => "another volume is".to_owned(),
        several => format!("{several} other volumes are"),
    };
    Some(format!(
        "Beware: {others} recycled at the same time, and the controller mixes up the pods that do it, so that this one \
         may fail, or be offered again with its data."
    ))
}

/// The claim that the claimRef of a volume names, if a claim of that name exists.
fn claim_of<'v>(view: View<'v>, volume: &PersistentVolume) -> Option<&'v PersistentVolumeClaim> {
    let named = volume.claim_ref.as_ref()?;
    view.snapshot().claim_id(&named.namespace, &named.name).map(|id| view.snapshot().claim(id))
}

/// Says what is lost together with a volume that is being deleted.
fn terminating_volume(view: View<'_>, volume: &PersistentVolume) -> String {
    // A volume that had no claim becomes Available. Only a volume whose claim was deleted is reclaimed.
    if volume.claim_ref.as_ref().is_none_or(|named| named.uid.is_empty()) {
        return "No claim has it, so nothing deletes its storage.".to_owned();
    }
    let until = if volume.status.phase == VolumePhase::Bound { "Once its claim is gone, it goes too; " } else { "" };
    let text = match data_fate(view.behavior(), volume) {
        DataFate::Kept => "the object vanishes, and its storage stays.".to_owned(),
        DataFate::HandedToDriver if is_guarded(volume) => {
            format!("its finalizer holds it until {} has deleted the storage.", driver(view, volume))
        }
        DataFate::HandedToDriver => {
            format!(
                "no finalizer holds it until {} has deleted the storage, which may be left behind.",
                driver(view, volume)
            )
        }
        // The deleter of the in-tree plugin runs only while the object exists.
        DataFate::Destroyed if volume.meta.finalizers.iter().any(|finalizer| finalizer != VOLUME_FINALIZER) => {
            "its storage is deleted.".to_owned()
        }
        DataFate::Destroyed => "its storage is deleted, unless the object vanishes first.".to_owned(),
        DataFate::Scrubbed => "its storage may be erased.".to_owned(),
    };
    if until.is_empty() {
        let mut characters = text.chars();
        characters.next().map_or_else(String::new, |first| first.to_uppercase().chain(characters).collect())
    } else {
        format!("{until}{text}")
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::super::tests::{explained, spec};
    use crate::diagnosis::testing::{bound_pv, bound_pvc, pod, with, world};
    use serde_json::{Value, json};

    /// All recyclings of one plugin change the same pod template. If several run at the same time, each can fail. The
    /// explanation warns about that. Upstream: `Recycle` (`pkg/volume/nfs`, `pkg/volume/hostpath`), 1.36.
    #[test]
    fn recycling_several_volumes_at_once_is_warned_of() {
        let released = |name: &str, claim: &str, fields: Value| {
            let volume = with(bound_pv(name, claim), json!({ "status": { "phase": "Released" } }));
            spec(spec(volume, json!({ "persistentVolumeReclaimPolicy": "Recycle" })), fields)
        };
        let host_path = json!({ "nfs": null, "hostPath": { "path": "/srv/d" } });
        let objects = [
            released("a", "of-a", json!({})),
            released("b", "of-b", json!({})),
            // These have another plugin, another reclaim policy, a pod that uses the claim, and a claim that exists.
            released("c", "of-c", host_path),
            released("d", "of-d", json!({ "persistentVolumeReclaimPolicy": "Retain" })),
            released("e", "of-e", json!({})),
            pod("web-0", "of-e", "node-1"),
            with(released("f", "of-f", json!({})), json!({ "status": { "phase": "Bound" } })),
            bound_pvc("of-f", "f"),
        ];
        let of = |objects: &[Value], object: &str| {
            explained(&world(objects), object, |explanation| {
                let document = serde_json::to_value(explanation).unwrap();
                let prediction = &document["prediction"];
                let ends = prediction["outcomes"].as_array().unwrap().iter();
                let mut phases: Vec<String> = ends.map(|end| end["phase"].as_str().unwrap().to_owned()).collect();
                phases.sort();
                let warning = explanation.headline.split_once("Beware: ").map(|(_, warning)| warning.to_owned());
                let why = prediction["decidedBy"].clone();
                let mixed_up = explanation.text(None, false).contains("Recyclings at the same time mix up their pods");
                (phases.join(" "), prediction["exact"] == true, why, warning, mixed_up)
            })
        };
        let alone = ("Released".to_owned(), true, Value::Null, None, false);
        let warning = "another volume is recycled at the same time, and the controller mixes up the pods that do it, \
                       so that this one may fail, or be offered again with its data.";
        let crowded =
            ("Failed Released".to_owned(), false, json!(["simultaneousRecycling"]), Some(warning.to_owned()), true);
        for (object, expected) in [("pv/a", &crowded), ("pv/b", &crowded), ("pv/c", &alone), ("pv/e", &alone)] {
            assert_eq!(of(&objects, object), *expected, "{object}");
        }
        assert_eq!(of(&objects, "pv/f").0, "Bound");
        assert_eq!(of(&objects[1..], "pv/b"), alone);
        let three = [&objects[..], &[released("g", "of-g", json!({}))]].concat();
        assert!(of(&three, "pv/a").3.unwrap().starts_with("2 other volumes are recycled"));
        // A failed recycling is tried again in each sync, and the volume stays Failed.
        let failed = with(released("a", "of-a", json!({})), json!({ "status": { "phase": "Failed" } }));
        let with_failed = [failed, objects[1].clone()];
        assert_eq!(of(&with_failed, "pv/a").0, "Failed");
        assert_eq!(of(&with_failed, "pv/b"), crowded);
    }

    /// A pod with the name of the recycler pod exists already. The controller that created the pod waits for it. A
    /// controller that was started later deletes the pod, whatever its result was, and fails until a later try.
    /// Upstream: `recycleVolumeOperation` and `internalRecycleVolumeByWatchingPodUntilCompletion`
    /// (`pkg/volume/util/recyclerclient`), 1.36.
    #[test]
    fn a_recyclers_pod_that_is_there_already_may_be_in_the_way() {
        let released = with(bound_pv("a", "of-a"), json!({ "status": { "phase": "Released" } }));
        let recycled = |fields: Value| spec(released.clone(), fields);
        let of = |volume: &Value, pod: &Value| {
            explained(&world(&[volume.clone(), pod.clone()]), "pv/a", |explanation| {
                let document = serde_json::to_value(explanation).unwrap();
                let prediction = &document["prediction"];
                let ends = prediction["outcomes"].as_array().unwrap().iter();
                let mut phases: Vec<String> = ends.map(|end| end["phase"].as_str().unwrap().to_owned()).collect();
                phases.sort();
                let decisions = prediction["decisions"].as_array().unwrap().iter();
                let steps: Vec<String> = decisions.map(|decision| decision["steps"].to_string()).collect();
                let is_told = steps.iter().any(|steps| steps.contains("ReclaimRunning"))
                    && steps.iter().any(|steps| steps.contains("RecycleFailed"));
                let events = explanation.text(None, false).contains("old recycler pod found, will retry later");
                (phases.join(" "), prediction["decidedBy"].clone(), is_told, events)
            })
        };
        let recycler = |name: &str, namespace: &str| {
            json!({
                "apiVersion": "v1", "kind": "Pod",
                "metadata": { "name": name, "namespace": namespace, "uid": "u-recycler" },
                "spec": { "containers": [{ "name": "pv-recycler", "image": "scrub" }] },
                "status": { "phase": "Succeeded" },
            })
        };
        let volume = recycled(json!({ "persistentVolumeReclaimPolicy": "Recycle" }));
        let own = recycler("recycler-for-a", "default");
        assert_eq!(of(&volume, &own), ("Failed Released".to_owned(), json!(["recyclerPod"]), true, true));
        for other in [recycler("recycler-for-b", "default"), recycler("recycler-for-a", "elsewhere")] {
            assert_eq!(of(&volume, &other), ("Released".to_owned(), Value::Null, false, false));
        }
        let kept = recycled(json!({ "persistentVolumeReclaimPolicy": "Retain" }));
        assert_eq!(of(&kept, &own), ("Released".to_owned(), Value::Null, false, false));
    }
}
