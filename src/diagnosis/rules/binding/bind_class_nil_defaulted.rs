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
    title: "the claim got the default class, and the volume for it has no class",
    severity: Severity::Error,
    risk: Risk::None,
    reads: &[Kind::PersistentVolume, Kind::StorageClass, Kind::Pod],
    hinders: &[Act::Bind, Act::StayClassless],
    repairs: &[],
    page: Page {
        seen: "A volume that a person created is Available and has no STORAGECLASS. The claim that should get it has \
               the default class, although its manifest states no class. The claim is Pending, or waits for a first \
               consumer, or is soon Bound to a new, empty volume.",
        why: "A claim that states no `storageClassName` gets the default class when it is created, or later, as soon \
              as a default class exists. Then a volume without a class does not fit, because the classes have to be \
              equal. To have no class, the claim has to state an empty string.",
        confirm: "kubectl get storageclass\nkubectl get pvc NAME -n NAMESPACE -o jsonpath='{.spec.storageClassName}'\n\
                  kubectl get pv VOLUME -o jsonpath='{.spec.storageClassName}'",
        repair: "Create the claim again with `storageClassName: \"\"`. Or reserve the volume for the claim, and give \
                 the volume the class of the claim. The class of a volume can be changed, and the class of a claim \
                 cannot.",
        prevention: "If a person creates the volume for a claim, state `storageClassName: \"\"` in the claim, and \
                     reserve the volume with a `claimRef` that has a namespace and a name.",
        hazard: "If the driver of the default class provisions a volume first, the application starts on an empty \
                 disk. If you give it the right volume later, that volume does not have the data that the application \
                 has written since then.",
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
        (false, true) => "Without a change, a new and empty volume is provisioned for the claim",
        (false, false) if users(case, claim).next().is_some() => {
            "Without a change, the claim gets another volume as soon as a pod that uses it has a node"
        }
        (false, false) => "Without a change, the claim waits for a pod and then gets another volume",
    };
    let chosen = if is_meant { ", and its selector matches" } else { "" };
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
    // A person who writes a selector wants an existing volume, and most drivers provision no volume for such a claim.
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
    recreate(claim, &format!("with storageClassName \"\" and spec.volumeName {name}, if this volume is meant"))
}

/// Returns a free volume without a class that would fit the claim if the volume had the class of the claim. Also
/// returns whether a driver has already been asked for another volume.
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
