//! The words about an object without a problem: they come from its prediction.

use super::headline::{Words, YOU_HAVE_TO_ACT};
use crate::controllers::persistent_volume::reclaim::{DataFate, data_fate, is_guarded, migrated_to};
use crate::controllers::pv_protection::FINALIZER as VOLUME_FINALIZER;
use crate::controllers::{Branch, ClaimBranch, VolumeBranch};
use crate::diagnosis::facts::has_event;
use crate::diagnosis::pod::facts::is_unscheduled;
use crate::diagnosis::reason::{View, pod_with_node, why};
use crate::model::{
    AnnotationKey, Kind, PersistentVolume, PersistentVolumeClaim, ReclaimPolicy, SourceKind, TypedId, VolumePhase,
};
use crate::simulate::Outcome;
use crate::snapshot::Absence;
use crate::text::{capitalized, nearest};

/// The word for an end at which the object is deleted.
const DELETED: &str = "deleted";

/// Returns the words about an object without a problem: they come from its prediction.
pub(super) fn of_prediction(view: View<'_>) -> Words {
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
    let headline = if snapshot.is_deleted(view.prediction.target) {
        format!("{name} {reason}.")
    } else if deleted {
        format!("{name} is being deleted: {}.", in_a_sentence(reason.trim_start_matches("is being deleted; ")))
    } else {
        of_living(view, &name, phase, &reason)
    };
    let mut details = Vec::new();
    match view.prediction.target.typed() {
        TypedId::PersistentVolumeClaim(id) => claim_sentences(view, snapshot.claim(id), &mut details),
        TypedId::PersistentVolume(id) => volume_sentences(view, snapshot.volume(id), &mut details),
        _ => {}
    }
    if view.prediction.changes() {
        details.retain(|sentence| !sentence.starts_with(YOU_HAVE_TO_ACT));
    }
    Words { headline, details }
}

/// Returns the headline of an object that is not being deleted. `reason` is the WHY of its prediction.
fn of_living(view: View<'_>, name: &str, phase: &str, reason: &str) -> String {
    let (noun, ends) = (partner_noun(view), ends_of(view));
    if let Some(until) = normal_until(view) {
        return format!("{name} is {phase}, as is normal until {until}.");
    }
    let state = format!("{name} is {phase}{}", becomes(view, phase));
    if let Some(partner) =
        reason.strip_prefix("bound to ").and_then(|partner| partner.strip_suffix(", which is being deleted"))
    {
        let changes = view.prediction.changes();
        return if changes {
            format!("{state}: {noun} {partner} is being deleted.")
        } else {
            format!("{name} is Bound to {noun} {partner}, which is being deleted.")
        };
    }
    // If there is only one end, the headline names the other object of the binding before the reason. Then the reason
    // does not repeat the name.
    let [only] = ends.as_slice() else { return format!("{state}: {}.", in_a_sentence(reason)) };
    if reason == "free" && only != phase {
        return format!("{state}.");
    }
    let Some(partner) = only.strip_prefix(&format!("Bound to {noun} ")) else {
        return format!("{state}: {}.", in_a_sentence(reason));
    };
    match reason.strip_prefix("bound to ").and_then(|rest| rest.strip_prefix(partner)) {
        Some("") if phase == "Bound" => format!("{name} is Bound to {noun} {partner}."),
        Some("") => format!("{state}."),
        _ if reason == format!("matches {partner}") => format!("{state}, which is free and fits."),
        _ if state.contains(partner) => {
            let that = |word: &str| match word.strip_prefix(partner) {
                Some(end @ ("" | "," | ";")) => format!("that {noun}{end}"),
                _ => word.to_owned(),
            };
            let words: Vec<String> = reason.split(' ').map(that).collect();
            let why = in_a_sentence(&words.join(" "))
                .replace("reserved for it", "reserved for this claim")
                .replace("its claim that claim", "that claim");
            format!("{state}: {}.", why.trim_end_matches(", which gets it"))
        }
        _ => format!("{state}: {}.", in_a_sentence(reason)),
    }
}

/// Returns what a claim waits for, if it is normal that the claim waits: a pod, or the scheduler.
fn normal_until(view: View<'_>) -> Option<String> {
    let claim = view.snapshot().claim(view.prediction.target.of()?);
    match view.binder().next()?.branch {
        Branch::ClaimBranch(ClaimBranch::UnboundClaimWaitForFirstConsumer)
            if pod_with_node(view.snapshot(), claim).is_none() =>
        {
            Some(format!("a pod uses it: class \"{}\" binds claims only then", claim.class()))
        }
        // If the scheduler takes part, the prediction says where it leads the claim.
        Branch::ClaimBranch(ClaimBranch::UnboundClaimWaitForPodScheduled) if !view.is_scheduled() => {
            let mut pods = view.snapshot().pods_of(&claim.meta.namespace, &claim.meta.name);
            let pod = pods.find(|pod| is_unscheduled(pod))?;
            Some(format!("pod {} is scheduled", pod.meta.name))
        }
        _ => None,
    }
}

/// Returns the word for the object that the object of the prediction is bound to.
fn partner_noun(view: View<'_>) -> &'static str {
    match view.prediction.target.kind {
        Kind::PersistentVolume => "claim",
        _ => "volume",
    }
}

/// Returns the WHY of a prediction as a clause with a subject. The WHY itself is a cell of a table, so it often has no
/// subject.
fn in_a_sentence(why: &str) -> String {
    if let Some((claim, act)) = why.split_once("; policy Delete: ") {
        return format!("{claim}, and {act} (policy Delete)");
    }
    if let Some(rest) = why.strip_prefix("free, and ").or_else(|| why.strip_prefix("free; ")) {
        return rest.to_owned();
    }
    match why.split([' ', ',', ';']).next().unwrap_or_default() {
        "nothing" if why == "nothing keeps it" => "nothing blocks the deletion".to_owned(),
        "free" => "no claim is bound to it".to_owned(),
        "reserved" if !why.starts_with("reserved for that") => {
            format!("it is {}", why.replacen("reserved for ", "reserved for claim ", 1))
        }
        "kept" | "reserved" | "bound" | "surplus:" => format!("it is {why}"),
        "waits" | "names" | "matches" | "gets" | "asks" | "stays" | "becomes" | "was" => format!("it {why}"),
        _ => why.to_owned(),
    }
}

/// Says which other phases are possible. The words are empty if the object keeps its phase.
fn becomes(view: View<'_>, phase: &str) -> String {
    let ends = ends_of(view);
    match ends.as_slice() {
        // A volume that is Bound now may also end Bound to another claim.
        [only] if only == phase || (phase == "Bound" && only.starts_with("Bound") && !view.prediction.changes()) => {
            String::new()
        }
        [only] if only == DELETED => " and will be deleted".to_owned(),
        [only] => format!(" and will be {only}"),
        [] => String::new(),
        several if several.len() <= 3 => {
            let stays = several.iter().any(|end| end == phase);
            let others: Vec<&str> = several.iter().map(String::as_str).filter(|end| *end != phase).collect();
            let verb = if stays { format!("may stay {phase} or become") } else { "will be".to_owned() };
            let others = others.join(" or ");
            let others = if others.starts_with("Bound to ") { others.replace(" or Bound to ", " or ") } else { others };
            format!(" and {verb} {others}")
        }
        several => {
            let count = view.prediction.outcomes.as_ref().map_or(0, |outcomes| outcomes.count);
            format!(" and will be {}, or end in one of {} other ways", several[0], count.saturating_sub(1))
        }
    }
}

/// Returns the phases in which the object can end, in words. The list is empty if the ends are unknown.
pub(super) fn ends_of(view: View<'_>) -> Vec<String> {
    let Some(outcomes) = &view.prediction.outcomes else { return Vec::new() };
    let mut ends: Vec<String> = outcomes
        .representatives()
        .map(|outcome| match outcome {
            Outcome::Claim { volume_name, .. } if outcome.phase() == "Bound" => {
                format!("Bound to volume {}", crate::snapshot::printed(volume_name))
            }
            Outcome::Volume { claim_ref: Some((namespace, name, _)), .. } if outcome.phase() == "Bound" => {
                format!("Bound to claim {namespace}/{name}")
            }
            Outcome::Gone { .. } => DELETED.to_owned(),
            other if other.is_terminating() => format!("{}, being deleted", other.phase()),
            other => other.phase().to_owned(),
        })
        .collect();
    ends.dedup();
    ends
}

/// Returns the node that was selected for a claim, if it is certain that no node of that name exists.
fn missing_node<'v>(view: View<'v>, claim: &'v PersistentVolumeClaim) -> Option<&'v str> {
    let snapshot = view.snapshot();
    let node = claim.meta.annotations.get(AnnotationKey::SelectedNode)?;
    let is_absent = snapshot.coverage().absence_of(Kind::Node, "", node) == Absence::Certain;
    (snapshot.node(node).is_none() && is_absent).then_some(node)
}

fn claim_sentences(view: View<'_>, claim: &PersistentVolumeClaim, sentences: &mut Vec<String>) {
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
                None => "Nothing is wrong: the scheduler selects a node for the pod, and then the claim is bound."
                    .to_owned(),
            });
        }
        ClaimBranch::UnboundClaimWaitForPodScheduled => {
            if !view.is_scheduled() {
                sentences.push("The events of the pod say why it has no node, not those of the claim.".to_owned());
            }
        }
        ClaimBranch::UnboundClaimProvisionExternal if let Some(node) = missing_node(view, claim) => {
            sentences.push(format!(
                "Node {node} does not exist: the driver waits until the annotation volume.kubernetes.io/selected-node \
                 is removed. A recent provisioner removes it by itself."
            ));
        }
        ClaimBranch::UnboundClaimProvisionExternal => {
            sentences.push(
                "That driver has to create the volume: Kubernetes itself only asks for it. If no volume appears, check \
                 whether the driver runs."
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
        }
        ClaimBranch::UnboundClaimProvisioningDisabled
        | ClaimBranch::UnboundClaimInTreeProvisionerUnknown
        | ClaimBranch::UnboundClaimNoVolumeNoClass => {
            if view.only_outcome().is_none_or(|end| end.phase() != "Bound") {
                sentences.push("You have to act: nobody else creates a volume for this claim.".to_owned());
            }
        }
        ClaimBranch::UnboundClaimVolumeNameMissing => {
            sentences.push("You have to act; no event reports this problem.".to_owned());
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
            sentences.push(untouched(view));
            let named = view.snapshot().volumes_naming(&claim.meta.namespace, &claim.meta.name);
            if let [id] = named {
                sentences.push(format!("Volume {} still names this claim.", view.snapshot().volume(*id).meta.name));
            }
            sentences.push("You have to act.".to_owned());
        }
        ClaimBranch::BoundClaimVolumeMissing => sentences.push(format!(
            "{} The volume object is gone. Only the storage system can tell whether its storage still exists.",
            untouched(view)
        )),
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

/// Returns whether an event of that reason about the object exists.
fn speaks_of(view: View<'_>, reason: &str) -> bool {
    has_event(view.snapshot(), &view.snapshot().key(view.prediction.target), reason)
}

/// Says that the phase Lost of the claim does not mean that data were lost.
fn untouched(view: View<'_>) -> String {
    let untouched = "the phase Lost does not change the data.";
    if speaks_of(view, "ClaimLost") {
        format!("The event says that the data are lost. This is misleading: {untouched}")
    } else {
        capitalized(untouched)
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

/// Says that the uid in the claimRef of a volume is that of an earlier claim of this name.
fn stale_uid(view: View<'_>, claim: &PersistentVolumeClaim) -> Option<String> {
    let volume = view.snapshot().volume(view.snapshot().volume_id(&claim.volume_name)?);
    let named = volume.claim_ref.as_ref()?;
    (named.name == claim.meta.name && named.namespace == claim.meta.namespace && named.uid != claim.meta.uid).then(
        || {
            format!(
                "The volume names a claim with uid {}, and this claim has uid {}.",
                crate::snapshot::printed(&named.uid),
                crate::snapshot::printed(&claim.meta.uid)
            )
        },
    )
}

/// Adds the sentences for a claim that names a volume, if the volume does not name the claim with its uid.
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
    if alone && speaks_of(view, "ClaimMisbound") {
        sentences.push(
            "The event says that two claims have this volume. This is misleading: there is no other claim.".to_owned(),
        );
    }
    let ends = view.simulation.outcomes(id);
    let deleted = ends.representatives().any(|end| {
        let data = match end {
            Outcome::Volume { data, .. } | Outcome::Gone { data, .. } => *data,
            Outcome::Claim { .. } | Outcome::Pod { .. } => None,
        };
        data.is_some_and(|fate| fate != DataFate::Kept)
    });
    sentences.push(if deleted {
        format!(
            "Danger: the controller treats the volume as released, and its policy {} will destroy the data.",
            volume.reclaim_policy.as_str()
        )
    } else {
        "No data are lost by this.".to_owned()
    });
    sentences.push(format!(
        "The claim is Bound again as soon as spec.claimRef of volume {} names it with uid {}.",
        volume.meta.name,
        crate::snapshot::printed(&claim.meta.uid)
    ));
}

/// Says what happens to the volume of a claim that is being deleted.
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
        DataFate::Scrubbed => format!("the data of volume {name} are scrubbed (policy {policy})"),
    }
}

/// Returns the driver that would have to delete the storage.
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
                "You have to free the volume for another claim, or delete it.".to_owned()
            }
            DataFate::Kept => "Its data stay; you have to free the volume for another claim, or delete it.".to_owned(),
            // Drivers skip volumes that are Failed.
            DataFate::HandedToDriver if volume.status.phase == VolumePhase::Failed => {
                "When the volume is deleted, the data are gone.".to_owned()
            }
            DataFate::HandedToDriver => "Danger: when the volume is deleted, the data are gone.".to_owned(),
            DataFate::Destroyed => "Danger: the controller deletes the data at once.".to_owned(),
            DataFate::Scrubbed => "Danger: the data are scrubbed (policy Recycle).".to_owned(),
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
            sentences.push("No other claim can get the volume.".to_owned());
        }
        VolumeBranch::VolumeClaimModeMismatch => {
            sentences.push("You have to act: neither volume mode can be changed.".to_owned());
        }
        _ => {}
    }
}

/// Returns a warning if several volumes of one plugin are recycled at the same time. A volume can then become Available
/// although its own data were not erased, because the pod erased the storage of another volume. Upstream: `Recycle`
/// (`pkg/volume/nfs`), whose calls change one shared pod template, 1.36.
pub(super) fn recycled_beside(view: View<'_>) -> Option<String> {
    let others = match view.simulation.beside(view.prediction.target)?.others {
        0 => return None,
        1 => "another volume is".to_owned(),
        several => format!("{several} other volumes are"),
    };
    Some(format!(
        "Beware: {others} recycled at the same time, and the controller can confuse the recycler pods. So this volume \
         may become Failed, or Available with its old data."
    ))
}

/// Returns the claim that the claimRef of a volume names, if a claim of that name exists.
fn claim_of<'v>(view: View<'v>, volume: &PersistentVolume) -> Option<&'v PersistentVolumeClaim> {
    let named = volume.claim_ref.as_ref()?;
    view.snapshot().claim_id(&named.namespace, &named.name).map(|id| view.snapshot().claim(id))
}

/// Says what happens to the storage of a volume that is being deleted.
fn terminating_volume(view: View<'_>, volume: &PersistentVolume) -> String {
    // A volume that had no claim becomes Available. Only a volume whose claim was deleted is reclaimed.
    if volume.claim_ref.as_ref().is_none_or(|named| named.uid.is_empty()) {
        return "No claim has the volume, so nothing deletes its storage.".to_owned();
    }
    let until =
        if volume.status.phase == VolumePhase::Bound { "Once its claim is gone, the volume is deleted: " } else { "" };
    let text = match data_fate(view.behavior(), volume) {
        DataFate::Kept => "the object is removed, and its storage stays.".to_owned(),
        DataFate::HandedToDriver if is_guarded(volume) => {
            format!("a finalizer keeps it until {} has deleted the storage.", driver(view, volume))
        }
        DataFate::HandedToDriver => {
            format!(
                "no finalizer keeps it until {} has deleted the storage, so the storage may be left behind.",
                driver(view, volume)
            )
        }
        // The deleter of the in-tree plugin runs only while the object exists.
        DataFate::Destroyed if volume.meta.finalizers.iter().any(|finalizer| finalizer != VOLUME_FINALIZER) => {
            "its storage is deleted.".to_owned()
        }
        DataFate::Destroyed => "its storage is deleted, unless the object is removed first.".to_owned(),
        DataFate::Scrubbed => "its storage may be scrubbed (policy Recycle).".to_owned(),
    };
    if until.is_empty() { capitalized(&text) } else { format!("{until}{text}") }
}

/// Returns whether the sync finds that the claim of the volume is gone, or has another volume.
fn released(branch: VolumeBranch) -> bool {
    matches!(
        branch,
        VolumeBranch::VolumeClaimMissing | VolumeBranch::VolumeClaimReplaced | VolumeBranch::VolumeSurplusDynamic
    )
}
