//! This rule reports a claim that got the default class although a volume without a class was meant for it.

use super::super::pending::{asked_since, users};
use super::{ClassDifference, Difference, class_steps, nearest, recreate, refused_class, reserved_volumes};
use crate::controllers::ClaimBranch;
use crate::controllers::persistent_volume::nearest::has_default_class;
use crate::diagnosis::case::volume_key;
use crate::diagnosis::facts::CLASS;
use crate::diagnosis::mention::mention;
use crate::diagnosis::remedy::reserve;
use crate::diagnosis::{Act, Case, Detect, Detection, Page, Remedy, Risk, Rule, Severity};
use crate::model::{Kind, PersistentVolume, PersistentVolumeClaim};

pub(super) static RULE: Rule = Rule {
    id: "bind-class-nil-defaulted",
    title: "the claim got the default class, and its volume has none",
    severity: Severity::Error,
    risk: Risk::None,
    reads: &[Kind::PersistentVolume, Kind::StorageClass, Kind::Pod],
    hinders: &[Act::Bind, Act::StayClassless],
    repairs: &[],
    page: Page {
        seen: "A volume created by a person is Available with no STORAGECLASS. The claim that should have it is \
               Pending with the default class, which nobody wrote into its manifest; or it waits for a first consumer; \
               or it is soon Bound to a new, empty volume.",
        why: "A claim that states no `storageClassName` gets the default class when it is created, or later, as soon \
              as there is one. From then on a volume without a class is another class: the two names are compared as \
              they are, and none is no joker. Only an empty string in the claim says that it wants no class.",
        confirm: "kubectl get storageclass\nkubectl get pvc NAME -n NAMESPACE -o jsonpath='{.spec.storageClassName}'\n\
                  kubectl get pv VOLUME -o jsonpath='{.spec.storageClassName}'",
        repair: "Create the claim again with `storageClassName: \"\"`. Or reserve the volume for the claim and give it \
                 the claim's class: a volume's class can be changed, a claim's cannot.",
        prevention: "State `storageClassName: \"\"` in claims for volumes created by a person, and reserve such \
                     volumes by a `claimRef` with namespace and name.",
        hazard: "If the driver of the default class is faster, the application starts on an empty disk. If you give it \
                 the right volume later, it no longer has what it wrote meanwhile.",
        sources: &[
            "FindMatchingVolume, component-helpers, Kubernetes 1.36 (M12)",
            "checkVolumeSatisfyClaim, Kubernetes 1.36 (C18c)",
            "admission plugin DefaultStorageClass, Kubernetes 1.36",
            "kubernetes-sigs/kind#3615",
            "kubernetes/kubernetes#94592",
            "awslabs/mountpoint-s3-csi-driver#182",
        ],
    },
    detect: Detect::Claim(detect),
};

fn detect(case: &Case<'_>, claim: &PersistentVolumeClaim) -> Option<Detection> {
    if claim.terminating() || !has_default_class(case.snapshot(), claim) {
        return None;
    }
    if let Some(refused) = refused_class(case, claim, ClassDifference::Defaulted) {
        let wants = format!("has the default class \"{}\"", claim.class());
        let advice = "A claim without storageClassName gets the default class. For a volume without a class, it must \
                      state storageClassName \"\"";
        let found = refused.found(case, claim, Difference { has: "has no class", wants: &wants, advice });
        return Some(found.remedies(reserve_it(refused.volume, claim)).remedy(create_again(refused.volume, claim)));
    }
    let (volume, is_asked) = overlooked(case, claim)?;
    let (name, class) = (&volume.meta.name, claim.class());
    let is_meant = claim.selector.is_some();
    let prospect = match (is_meant, is_asked) {
        (true, _) => "Most drivers provision no volume for a claim with a selector",
        (false, true) => "Without a change, a new and empty volume is made for the claim",
        (false, false) if users(case, claim).next().is_some() => {
            "Without a change, the claim gets another volume as soon as a pod that uses it has a node"
        }
        (false, false) => "Without a change, the claim waits for a pod and then gets another volume",
    };
    let chosen = if is_meant { ", also the labels of its selector" } else { "" };
    let found = Detection::new(format!(
        "{} would fit, but has no class, and {} has the default class \"{class}\". All other fields \
         fit{chosen}. {prospect}",
        mention(&volume_key(name)),
        mention(&case.object())
    ));
    let found = found
        .severity(severity(case, claim, volume, is_asked))
        .evidence(&volume_key(name), CLASS, "")
        .evidence(&case.object(), CLASS, class);
    // If provisioning has begun, the driver would continue even if the claim were deleted.
    let found = found.remedies(reserve_it(volume, claim));
    Some(if is_asked { found } else { found.remedy(create_again(volume, claim)) })
}

/// Returns how severe it is that the controller does not consider the volume for the claim.
fn severity(case: &Case<'_>, claim: &PersistentVolumeClaim, volume: &PersistentVolume, is_asked: bool) -> Severity {
    // A person who writes a selector means existing volumes, and drivers refuse such claims.
    if claim.selector.is_some() {
        let asked = case.class(claim.class()).and_then(|class| asked_since(case, claim, class));
        let refused = is_asked && case.lasts(asked).is_some();
        return if refused { Severity::Error } else { Severity::Warning };
    }
    // A volume of at least twice the requested size is probably not meant for the claim. A volume that was already
    // requested from a driver will soon exist.
    let is_oversize =
        claim.requested().zip(volume.storage()).is_none_or(|(needs, has)| needs.value() <= has.value() / 2);
    if is_asked || is_oversize {
        return Severity::Info;
    }
    // The scheduler may place a new pod at any moment.
    let is_early = match users(case, claim).map(|pod| pod.meta.created).min() {
        Some(first_pod) => case.lasts(first_pod).is_none(),
        None => case.is_young(claim.meta.created),
    };
    if is_early { Severity::Info } else { Severity::Warning }
}

fn reserve_it(volume: &PersistentVolume, claim: &PersistentVolumeClaim) -> Option<Remedy> {
    let name = &volume.meta.name;
    let does = format!(
        "if volume {name} is meant for {}, reserve it for that claim and give it the class of the claim",
        claim.key()
    );
    reserve(volume, claim, class_steps(volume, claim), does)
}

fn create_again(volume: &PersistentVolume, claim: &PersistentVolumeClaim) -> Remedy {
    let name = &volume.meta.name;
    recreate(claim, &format!("with storageClassName \"\" and spec.volumeName {name}, if that volume is meant"))
}

/// Returns a free volume without a class that would fit the claim if it had the claim's class. Also returns whether a
/// driver has already been asked for another volume.
fn overlooked<'a>(case: &Case<'a>, claim: &PersistentVolumeClaim) -> Option<(&'a PersistentVolume, bool)> {
    if !claim.volume_name.is_empty() {
        return None;
    }
    let is_asked = match case.unbound_branch(claim)? {
        ClaimBranch::UnboundClaimWaitForFirstConsumer | ClaimBranch::UnboundClaimWaitForPodScheduled => false,
        ClaimBranch::UnboundClaimProvisionExternal
        | ClaimBranch::UnboundClaimProvisionInTree
        | ClaimBranch::UnboundClaimProvisionRunning
        | ClaimBranch::UnboundClaimProvisionBackoff => true,
        _ => return None,
    };
    // If nobody provisions another volume, the rules about the nearest volume report the problem.
    if reserved_volumes(case, claim).next().is_some() || nearest::waits_in_vain(case, claim).is_some() {
        return None;
    }
    Some((case.class_less(claim)?, is_asked))
}
