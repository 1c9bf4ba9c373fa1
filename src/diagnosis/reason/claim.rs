//! The WHY of a claim.

use super::{View, counted, error_of, last_warning, pod_with_node, volume_bound_by, with};
use crate::controllers::{BindStep, Branch, CandidateVerdict, ClaimBranch, ProvisionStep};
use crate::diagnosis::misfit::{differing, misfit, missing_modes};
use crate::model::{AnnotationKey, ClaimPhase, PersistentVolume, PersistentVolumeClaim, Pod, VolumePhase};
use crate::simulate::{Decision, Outcome};
use crate::world::Effect;

/// Returns the sentence for one sync of the claim by the PersistentVolume controller.
pub(super) fn sentence(
    view: View<'_>,
    claim: &PersistentVolumeClaim,
    branch: ClaimBranch,
    decision: &Decision<'_>,
) -> String {
    let now = match branch {
        ClaimBranch::ClaimMigrationUpdateFailed => {
            format!("its migration annotation cannot be written: {}", error_of(decision))
        }
        ClaimBranch::UnboundClaimBindingModeUnset => {
            format!("class \"{}\" has no volumeBindingMode", claim.class())
        }
        ClaimBranch::UnboundClaimMatchFailed => match_failed(claim),
        ClaimBranch::UnboundClaimVolumeFound => return volume_found(view, decision),
        ClaimBranch::UnboundClaimDefaultClassAssigned => match assigned_class(decision) {
            Some(class) => format!("gets default class \"{class}\""),
            None => "gets the default class".to_owned(),
        },
        ClaimBranch::UnboundClaimDefaultClassFailed => {
            format!("the default class cannot be written to it: {}", error_of(decision))
        }
        ClaimBranch::UnboundClaimWaitForFirstConsumer => waits_for_consumer(view, claim),
        ClaimBranch::UnboundClaimWaitForPodScheduled => waits_for_scheduler(view, claim),
        ClaimBranch::UnboundClaimProvisioningDisabled => {
            "no volume fits, and dynamic provisioning is switched off".to_owned()
        }
        ClaimBranch::UnboundClaimClassMissing => {
            format!("no volume fits, and class \"{}\" does not exist", claim.class())
        }
        ClaimBranch::UnboundClaimInTreeProvisionerUnknown => {
            let provisioner = view.snapshot().class(claim.class()).map_or("", |class| class.provisioner.as_str());
            format!("no volume fits, and class \"{}\" provisions none ({provisioner})", claim.class())
        }
        ClaimBranch::UnboundClaimProvisionExternal => waits_for_driver(claim, decision),
        ClaimBranch::UnboundClaimProvisionInTree => provisioned_in_tree(view, claim, decision),
        ClaimBranch::UnboundClaimProvisionRunning => "a volume is being provisioned for it".to_owned(),
        ClaimBranch::UnboundClaimProvisionBackoff => "provisioning failed; it is tried again soon".to_owned(),
        ClaimBranch::UnboundClaimNoVolumeNoClass => "no volume fits, and the claim has no class".to_owned(),
        ClaimBranch::UnboundClaimVolumeNameMissing => format!("volume {} does not exist", claim.volume_name),
        ClaimBranch::UnboundClaimVolumeMismatchDeleting
        | ClaimBranch::UnboundClaimVolumeMismatchTooSmall
        | ClaimBranch::UnboundClaimVolumeMismatchClass
        | ClaimBranch::UnboundClaimVolumeMismatchAttributesClass
        | ClaimBranch::UnboundClaimVolumeMismatchAttributesClassUnsupported
        | ClaimBranch::UnboundClaimVolumeMismatchMode
        | ClaimBranch::UnboundClaimVolumeMismatchAccessMode => mismatch(view, claim, branch),
        ClaimBranch::UnboundClaimNamedVolumeFree => {
            bound_or_failed(decision, format!("names {}, which is free and fits", claim.volume_name))
        }
        ClaimBranch::UnboundClaimNamedVolumeReserved => {
            bound_or_failed(decision, format!("names {}, which is reserved for it", claim.volume_name))
        }
        ClaimBranch::UnboundClaimNamedVolumeTaken | ClaimBranch::UnboundClaimNamedVolumeTakenByController => {
            held(view, claim)
        }
        ClaimBranch::BoundClaimVolumeNameCleared => "was bound, but names no volume any more".to_owned(),
        ClaimBranch::BoundClaimVolumeMissing => format!("the volume {} is gone", claim.volume_name),
        ClaimBranch::BoundClaimVolumeUnbound => bound_or_failed(
            decision,
            format!("the claimRef of {} is missing, and the controller writes it again", claim.volume_name),
        ),
        ClaimBranch::BoundClaimVolumeOurs => bound_or_failed(decision, bound(view, claim)),
        ClaimBranch::BoundClaimMisbound => misbound(view, claim),
    };
    let decided = matches!(
        branch,
        ClaimBranch::UnboundClaimNamedVolumeFree
            | ClaimBranch::UnboundClaimNamedVolumeReserved
            | ClaimBranch::BoundClaimVolumeUnbound
            | ClaimBranch::BoundClaimVolumeOurs
    );
    with_end(view, claim, branch, now, decided)
}

/// Adds the end of the claim to the sentence, if the present sync does not lead to this end.
fn with_end(view: View<'_>, claim: &PersistentVolumeClaim, branch: ClaimBranch, now: String, decided: bool) -> String {
    match view.only_outcome() {
        Some(Outcome::Claim { phase: ClaimPhase::Bound, volume_name, .. }) if !decided => {
            if branch == ClaimBranch::UnboundClaimDefaultClassAssigned {
                return format!("{now}, then {}", crate::snapshot::printed(volume_name));
            }
            let volume = view.snapshot().volume_id(volume_name).map(|id| view.snapshot().volume(id));
            match volume {
                Some(volume) if claim.volume_name.is_empty() && volume.claim_ref.is_none() => {
                    match volume.status.phase {
                        VolumePhase::Available => format!("{now}; then gets {volume_name}"),
                        _ => format!("gets {volume_name} as soon as the volume is Available"),
                    }
                }
                Some(_) => format!("{now}; then gets {volume_name}"),
                None => format!("{now}; that is {}", crate::snapshot::printed(volume_name)),
            }
        }
        Some(Outcome::Claim { phase: ClaimPhase::Lost, .. }) if decided => format!("{now}; but ends Lost"),
        _ => with(now, view.doubt()),
    }
}

/// Returns the sentence for a sync in which a volume matches. If several volumes are equal, the controller may choose
/// any of them.
fn volume_found(view: View<'_>, decision: &Decision<'_>) -> String {
    if let Some(failure) = bind_failure(decision) {
        return failure;
    }
    let mut names: Vec<&str> = view.binder().filter_map(volume_bound_by).collect();
    names.dedup();
    let reserved = decision.record.steps.contains(&Branch::CandidateVerdict(CandidateVerdict::CandidateReserved));
    let name = names.first().copied().unwrap_or_default();
    // The list may have only some of the decisions, so their count is used. The decisions of the other controllers are
    // subtracted: each of these controllers has exactly one.
    let others = view.prediction.decisions.listed.len() - view.binder().count();
    let equal = view.prediction.decisions.count.saturating_sub(others as u64);
    let now = match (names.as_slice(), reserved) {
        ([], _) => "a volume matches".to_owned(),
        ([_], true) => format!("{name} is reserved for it"),
        ([_], false) => format!("matches {name}"),
        ([_, second], true) if equal == 2 => format!("{name} and {second} are both reserved for it"),
        ([_, second], false) if equal == 2 => format!("matches {name} or {second} (equal)"),
        (_, true) => format!("{equal} volumes are reserved for it"),
        (_, false) => format!("matches {name} or {} others (equal)", equal.saturating_sub(1)),
    };
    let ends_there = view.prediction.outcomes.as_ref().is_some_and(|outcomes| {
        outcomes.representatives().all(|outcome| {
            matches!(outcome, Outcome::Claim { volume_name, unsettled: false, .. }
                if names.contains(&volume_name.as_str()))
        })
    });
    if ends_there { now } else { with(now, view.doubt()) }
}

fn bound_or_failed(decision: &Decision<'_>, sentence: String) -> String {
    bind_failure(decision).unwrap_or(sentence)
}

/// Says what failed, if a sync ended after only some of the requests of a binding.
fn bind_failure(decision: &Decision<'_>) -> Option<String> {
    let failed = decision.record.steps.iter().find_map(|step| match step {
        Branch::BindStep(
            step @ (BindStep::BindVolumeWithoutCapacity
            | BindStep::BindVolumeSaveFailed
            | BindStep::BindVolumeStatusFailed
            | BindStep::BindClaimSaveFailed
            | BindStep::BindClaimStatusFailed),
        ) => Some(*step),
        _ => None,
    })?;
    let volume = volume_bound_by(decision).unwrap_or("its volume");
    Some(match failed {
        BindStep::BindVolumeWithoutCapacity => format!("{volume} states no storage capacity, so binding stops"),
        _ => format!("binding to {volume} stops: {}", error_of(decision)),
    })
}

fn assigned_class<'d>(decision: &'d Decision<'_>) -> Option<&'d str> {
    decision.record.effects.iter().find_map(|effect| match effect {
        Effect::Write(write) => {
            write.body.updated::<PersistentVolumeClaim>().and_then(|claim| claim.class_name.as_deref())
        }
        _ => None,
    })
}

fn match_failed(claim: &PersistentVolumeClaim) -> String {
    match claim.selector.as_ref().map(|selector| selector.compile()) {
        Some(Err(error)) => format!("its selector cannot be used: {error}"),
        Some(Ok(_)) | None => format!(
            "asks for attributes class \"{}\" while gate VolumeAttributesClass is off",
            claim.attributes_class()
        ),
    }
}

fn waits_for_consumer(view: View<'_>, claim: &PersistentVolumeClaim) -> String {
    match pod_with_node(view.snapshot(), claim) {
        Some(pod) => format!("pod {} got its node without the scheduler, so nobody binds the claim", pod.meta.name),
        None => format!("waits for a pod that uses it (normal for class \"{}\")", claim.class()),
    }
}

fn waits_for_scheduler(view: View<'_>, claim: &PersistentVolumeClaim) -> String {
    let users = view.snapshot().pods_of(&claim.meta.namespace, &claim.meta.name);
    let waiting: Vec<&Pod> = users.filter(|pod| pod.node_name.is_empty() && !pod.terminated()).collect();
    // A pod that gets a node decides about the claim. Only if no pod gets one, the message about a pod is the reason.
    let hopeful = waiting.iter().find(|pod| view.no_node_for(pod).is_none());
    let Some(first) = hopeful.or(waiting.first()) else {
        return "waits for the scheduler to choose a node".to_owned();
    };
    if let Some(message) = view.no_node_for(first) {
        return format!("waits for the scheduler, which finds no node for pod {}: {message}", first.meta.name);
    }
    match waiting.len() {
        1 => format!("waits for the scheduler to place pod {}", first.meta.name),
        all => {
            format!("waits for the scheduler to place pod {} and {}", first.meta.name, counted(all - 1, "other pod"))
        }
    }
}

fn waits_for_driver(claim: &PersistentVolumeClaim, decision: &Decision<'_>) -> String {
    let failed = decision.record.steps.iter().any(|step| {
        matches!(
            step,
            Branch::ProvisionStep(
                ProvisionStep::ExternalProvisionerSaveFailed | ProvisionStep::ExternalProvisionerUntranslatable
            )
        )
    });
    if failed {
        return format!("its provisioner cannot be recorded: {}", last_warning(decision).unwrap_or("refused"));
    }
    let driver = decision
        .record
        .waiting
        .iter()
        .find(|waiting| waiting.component == "external-provisioner")
        .map_or("the provisioner", |waiting| waiting.name.as_str());
    match claim.meta.annotations.get(AnnotationKey::SelectedNode) {
        Some(node) => format!("waits for {driver} to provision a volume for node {node}"),
        None => format!("waits for {driver} to provision a volume"),
    }
}

fn provisioned_in_tree(view: View<'_>, claim: &PersistentVolumeClaim, decision: &Decision<'_>) -> String {
    let plugin = view.snapshot().class(claim.class()).map_or("a plugin", |class| class.provisioner.as_str());
    let step = decision.record.steps.iter().find_map(|step| match step {
        Branch::ProvisionStep(step) => Some(*step),
        _ => None,
    });
    match step {
        Some(ProvisionStep::InTreeProvisioned) => format!("{plugin} provisions a volume"),
        Some(ProvisionStep::InTreeVolumeExists) => "its volume is provisioned already".to_owned(),
        Some(ProvisionStep::InTreeProvisionerDisabled) => format!("no volume fits, and {plugin} is switched off"),
        Some(_) => format!("provisioning fails: {}", last_warning(decision).unwrap_or("the request was refused")),
        None => format!("waits for {plugin} to provision a volume"),
    }
}

/// Names the field in which the named volume differs from the claim.
fn mismatch(view: View<'_>, claim: &PersistentVolumeClaim, branch: ClaimBranch) -> String {
    let name = &claim.volume_name;
    let Some(id) = view.snapshot().volume_id(name) else { return format!("volume {name} does not fit") };
    let volume = view.snapshot().volume(id);
    match branch {
        ClaimBranch::UnboundClaimVolumeMismatchAttributesClassUnsupported => {
            return "an attributes class is set while gate VolumeAttributesClass is off".to_owned();
        }
        ClaimBranch::UnboundClaimVolumeMismatchAccessMode => {
            return format!("{name} lacks {}", missing_modes(&volume.access_modes, &claim.access_modes).join(","));
        }
        ClaimBranch::UnboundClaimVolumeMismatchClass => {
            return format!("{name} has {}", differing("class", volume.class(), claim.class()));
        }
        _ => {}
    }
    let words = verdict_of(branch).and_then(|verdict| misfit(volume, claim, verdict)).map(|found| found.words);
    match words {
        Some(words) if branch == ClaimBranch::UnboundClaimVolumeMismatchDeleting => format!("{name} {words}"),
        Some(words) => format!("{name} has {words}"),
        None => format!("volume {name} does not fit"),
    }
}

/// Returns the test of matching that the volume failed. It is `None` if the branch states no such test.
pub(crate) fn verdict_of(branch: ClaimBranch) -> Option<CandidateVerdict> {
    Some(match branch {
        ClaimBranch::UnboundClaimVolumeMismatchDeleting => CandidateVerdict::CandidateDeleting,
        ClaimBranch::UnboundClaimVolumeMismatchTooSmall => CandidateVerdict::CandidateTooSmall,
        ClaimBranch::UnboundClaimVolumeMismatchClass => CandidateVerdict::CandidateClass,
        ClaimBranch::UnboundClaimVolumeMismatchAttributesClass => CandidateVerdict::CandidateAttributesClass,
        ClaimBranch::UnboundClaimVolumeMismatchMode => CandidateVerdict::CandidateVolumeMode,
        ClaimBranch::UnboundClaimVolumeMismatchAccessMode => CandidateVerdict::CandidateAccessModes,
        _ => return None,
    })
}

/// Says which claim has the volume that this claim names.
fn held(view: View<'_>, claim: &PersistentVolumeClaim) -> String {
    let name = &claim.volume_name;
    match volume_named(view, claim).and_then(|volume| Some((volume, volume.claim_ref.as_ref()?))) {
        Some((volume, named)) => format!("{name} belongs to {}", view.holder(volume, named, Some(claim))),
        None => format!("{name} belongs to another claim"),
    }
}

fn misbound(view: View<'_>, claim: &PersistentVolumeClaim) -> String {
    let name = &claim.volume_name;
    let Some((volume, named)) = volume_named(view, claim).and_then(|volume| Some((volume, volume.claim_ref.as_ref()?)))
    else {
        return format!("{name} belongs to another claim");
    };
    let same_name = named.name == claim.meta.name && named.namespace == claim.meta.namespace;
    if same_name && named.uid.is_empty() {
        return format!("the claimRef of {name} has lost the claim's uid");
    }
    format!("{name} belongs to {}", view.holder(volume, named, Some(claim)))
}

fn bound(view: View<'_>, claim: &PersistentVolumeClaim) -> String {
    let name = &claim.volume_name;
    match volume_named(view, claim) {
        None if view.is_deleted::<PersistentVolume>("", name) => {
            format!("bound to {name}, whose deletion the controller does not know yet")
        }
        Some(volume) if volume.terminating() => format!("bound to {name}, which is being deleted"),
        _ => format!("bound to {name}"),
    }
}

fn volume_named<'v>(view: View<'v>, claim: &PersistentVolumeClaim) -> Option<&'v PersistentVolume> {
    view.snapshot().volume_id(&claim.volume_name).map(|id| view.snapshot().volume(id))
}
