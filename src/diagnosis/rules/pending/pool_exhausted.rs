//! This rule reports a claim for which nobody provisions a volume and for which all fitting volumes belong to other
//! claims.

use super::super::volume::RELEASED_RETAIN;
use super::pool::{Pool, Unmade, exhausted};
use super::{wanted, with_class};
use crate::controllers::CandidateVerdict;
use crate::diagnosis::case::{class_key, volume_key};
use crate::diagnosis::facts::is_complete;
use crate::diagnosis::mention::mention;
use crate::diagnosis::misfit::{claim_name, of_class};
use crate::diagnosis::remedy::{by_hand, hand_over, restore, retain};
use crate::diagnosis::{Act, Case, Detect, Detection, Holder, Page, Remedy, Risk, Rule, Severity};
use crate::model::{Kind, PersistentVolume, PersistentVolumeClaim, VolumePhase};
use crate::snapshot::Snapshot;

/// The maximum number of volumes that the message names per state.
const NAMED: usize = 2;

/// The maximum number of volumes whose fields are shown as evidence.
const SHOWN: usize = 3;

pub(super) static RULE: Rule = Rule {
    id: "pool-exhausted",
    title: "every volume that would fit the claim is taken",
    severity: Severity::Error,
    risk: Risk::Possible,
    reads: &[Kind::PersistentVolume, Kind::PersistentVolumeClaim, Kind::StorageClass, Kind::Pod],
    hinders: &[Act::Bind],
    repairs: &[],
    page: Page {
        seen: "The claim is Pending. The volumes of its class are Bound or Released, or there are no such volumes. The \
               events report something else: `ProvisioningFailed` with `no volume plugin matched name: \
               kubernetes.io/no-provisioner`, that a StorageClass is not found, or that no storage class is set.",
        why: "Nobody provisions volumes for this claim: its class has the provisioner `kubernetes.io/no-provisioner`, \
              the provisioner of its class is a plugin that does not exist, its class does not exist, the claim has no \
              class, or dynamic provisioning is switched off. So the claim can only get a volume that a person \
              created. But each volume with the right class, size, access modes, volume mode and labels names another \
              claim in `spec.claimRef`. A Released volume still names the claim that is gone, so no other claim gets \
              it. The events report only what the controller tried last: to have a volume provisioned.",
        confirm: "kubectl get pv -o wide\n\
                  kubectl get pv VOLUME -o jsonpath='{.spec.claimRef}'\n\
                  kubectl get pvc -A",
        repair: "Create another volume of the class for the claim. Or use a Released volume with policy Retain, if \
                 this claim may read its data: replace `spec.claimRef` of the volume by the namespace and name of this \
                 claim, without a uid. Or use the volume of a claim that nobody needs: save its data, set its policy \
                 to Retain, delete that claim, and use the volume as a Released volume.",
        prevention: "Monitor how many volumes of such a class are Available. Decide early what to do with Released \
                     volumes.",
        hazard: "A Released volume has the data of its earlier claim: the next claim can read and overwrite them. If \
                 you remove the whole `claimRef`, any claim of any namespace can get the volume. If you delete a claim \
                 whose volume has policy Delete, the data are deleted.",
        sources: &[
            "FindMatchingVolume, Kubernetes 1.36 (M2, M10)",
            "provisionClaim, Kubernetes 1.36 (C10, C11)",
            "syncUnboundClaim, Kubernetes 1.36 (C16)",
            "kube-reporting/metering-operator#1515",
            "https://kubernetes.io/docs/concepts/storage/storage-classes/#local",
        ],
    },
    detect: Detect::Claim(detect),
};

fn detect(case: &Case<'_>, claim: &PersistentVolumeClaim) -> Option<Detection> {
    let (why, Pool { mut volumes, count: all }) = exhausted(case, claim)?;
    if case.always_ends("Bound")? {
        return None;
    }
    // A Bound volume can hardly be given to the claim.
    volumes.sort_by_key(|volume| volume.status.phase == VolumePhase::Bound);
    let mut taken: Vec<Taken<'_>> = volumes.into_iter().map(|volume| Taken::of(case, claim, volume)).collect();
    // Volumes that can be given to the claim are the most useful ones. Volumes of the same state stay in the order of
    // their names.
    taken.sort_by_key(|one| one.state);
    let has_own = taken.first().is_some_and(|one| one.state == State::Own);
    if !has_own && is_told(case, claim) {
        return None;
    }
    let class = of_class(claim.class());
    let mut states = taken.chunk_by(|one, next| one.state == next.state).map(words).collect::<Vec<_>>().join(". ");
    if all > taken.len() {
        states = format!("{states}. {} more volumes are taken as well", all - taken.len());
    }
    let me = mention(&case.object());
    let owner = taken.first().filter(|one| one.state == State::Held).and_then(|one| one.volume.claim_ref.as_ref());
    let by = owner.map_or_else(String::new, |named| format!(" by claim {}", claim_name(named)));
    let which = match all {
        0 => format!("no volume {class} would fit {me}"),
        1 => format!("the only volume {class} that would fit {me} is taken{by}. {states}"),
        several => format!("all {several} volumes {class} that would fit {me} are taken. {states}"),
    };
    let found = Detection::new(format!("{which}. {}", because(why)));
    let severity = match why {
        Unmade::NoProvisionerYet => Severity::Info,
        Unmade::NoClass
        | Unmade::NoSuchClass
        | Unmade::NoPlugin
        | Unmade::NoProvisioner
        | Unmade::NoProvisionerForPod
        | Unmade::SwitchedOff => Severity::Error,
    };
    // If a free volume fails only one test, another finding names it. Such a volume is safer than a volume with data of
    // other claims.
    let shorter = case.nearest(claim).nearly_fits;
    let is_offered = |one: &&Taken<'_>| one.state == State::Left && !shorter;
    let back = taken.iter().find(|one| one.state == State::Own).or_else(|| taken.iter().find(is_offered));
    let found = found.severity(severity).early_if(case.is_young(claim.meta.created));
    let found = found.risk(if back.is_some() { Risk::Possible } else { Risk::None });
    let mut found = with_class(found, case, claim);
    if let Some(class) = case.class(claim.class()) {
        found = found.evidence(&class_key(&class.meta.name), "provisioner", class.provisioner.as_str());
    }
    // A repair of the class helps all claims that wait for it.
    if let Some(class) = case.dead_class(claim) {
        found = found.follows_from(class_key(&class.meta.name), Act::Provision);
    }
    // The finding on the volume says that the volume was not given back to the claim.
    if let Some(own) = taken.iter().find(|one| one.state == State::Own) {
        found = found.follows_from(volume_key(&own.volume.meta.name), Act::GiveBack);
    }
    // A volume whose `claimRef` has no name was perhaps meant for this claim.
    let is_meant = |one: &&Taken<'_>| {
        let named = one.volume.claim_ref.as_ref();
        named.is_some_and(|named| named.name.is_empty() && named.namespace == claim.meta.namespace)
    };
    for one in taken.iter().filter(is_meant) {
        found = found.follows_from(volume_key(&one.volume.meta.name), Act::Offer);
    }
    for one in taken.iter().take(SHOWN) {
        let object = volume_key(&one.volume.meta.name);
        let named = one.volume.claim_ref.as_ref().map(claim_name).unwrap_or_default();
        let phase = one.volume.status.phase.as_str();
        found = found.evidence(&object, "spec.claimRef", named).evidence(&object, "status.phase", phase);
    }
    let make = by_hand(format!("create {} for the claim", wanted(claim)));
    if let Some(one) = back {
        found = found.settles(&RELEASED_RETAIN, volume_key(&one.volume.meta.name));
    }
    let back = back.map(|one| give(case.snapshot(), one, claim)).unwrap_or_default();
    // An empty new volume is worse than the volume with the claim's own data.
    Some(if has_own { found.remedies(back).remedy(make) } else { found.remedy(make).remedies(back) })
}

/// Returns whether a free volume of the claim's class fails only one test. Another rule reports this on the claim in
/// more detail.
fn is_told(case: &Case<'_>, claim: &PersistentVolumeClaim) -> bool {
    let miss = case.nearest(claim).miss;
    miss.is_some_and(|(_, verdict)| {
        matches!(
            verdict,
            CandidateVerdict::CandidateTooSmall
                | CandidateVerdict::CandidateAccessModes
                | CandidateVerdict::CandidateVolumeMode
                | CandidateVerdict::CandidateAttributesClass
                | CandidateVerdict::CandidateSelector
        )
    })
}

/// Returns why nobody makes another volume for the claim.
fn because(why: Unmade) -> &'static str {
    match why {
        Unmade::NoClass => "No driver provisions volumes without a class",
        Unmade::NoSuchClass => {
            "The class does not exist, but this matters only if a driver should provision the volume"
        }
        Unmade::NoPlugin => {
            "No driver provisions volumes of this class: its provisioner is not a plugin of this Kubernetes version"
        }
        Unmade::NoProvisioner => {
            "No driver provisions volumes of this class; the event about a volume plugin says the same"
        }
        Unmade::NoProvisionerForPod => {
            "No driver provisions volumes of this class, so no node fits the pods that use the claim"
        }
        Unmade::NoProvisionerYet => {
            "No driver provisions volumes of this class, so no node will fit a pod that uses the claim"
        }
        Unmade::SwitchedOff => "No driver provisions a volume, because dynamic provisioning is switched off",
    }
}

/// The reason why the claim cannot have a volume. The states are ordered by how easily the volume can be given to the
/// claim, the easiest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum State {
    /// The volume belonged to an earlier claim of the same name, and its data are kept.
    Own,
    /// The claim of the volume is gone, and the data are kept.
    Left,
    /// The volume is reserved for a claim that does not exist.
    Reserved,
    /// The `claimRef` of the volume is incomplete, so no claim can match it.
    Unnamed,
    /// The claim of the volume is gone, and the data will be destroyed.
    DataToBeDestroyed,
    /// The claim of the volume is being deleted.
    Leaving,
    /// The claim of the volume exists.
    Held,
    /// The state is unknown.
    Unknown,
    /// The volume itself is being deleted.
    Deleting,
}

/// A volume that would fit, and the reason why the claim cannot have it.
struct Taken<'a> {
    volume: &'a PersistentVolume,
    state: State,
}

impl<'a> Taken<'a> {
    fn of(case: &Case<'a>, claim: &PersistentVolumeClaim, volume: &'a PersistentVolume) -> Self {
        let is_kept = || !case.destroys(volume);
        let state = if volume.terminating() {
            State::Deleting
        } else if volume.claim_ref.as_ref().is_some_and(|named| !is_complete(named)) {
            State::Unnamed
        } else {
            match case.holder(volume) {
                Holder::Replaced(other) if other.key() == claim.key() && is_kept() => State::Own,
                Holder::Replaced(_) | Holder::Gone if is_kept() => State::Left,
                Holder::Replaced(_) | Holder::Gone => State::DataToBeDestroyed,
                Holder::ReservedForMissing => State::Reserved,
                Holder::Lives(claim) | Holder::ReservedFor(claim) if claim.terminating() => State::Leaving,
                Holder::Lives(_) | Holder::ReservedFor(_) => State::Held,
                Holder::Nobody | Holder::Unknown => State::Unknown,
            }
        };
        Self { volume, state }
    }
}

/// Describes volumes of the same state and the claims that they belong to.
fn words(some: &[Taken<'_>]) -> String {
    let Some(Taken { state, .. }) = some.first() else { return String::new() };
    let name = |one: &Taken<'_>| match one.volume.claim_ref.as_ref().map(claim_name) {
        Some(claim) => format!("{} ({claim})", one.volume.meta.name),
        None => one.volume.meta.name.to_string(),
    };
    let mut names = some.iter().take(NAMED).map(name).collect::<Vec<_>>().join(", ");
    if some.len() > NAMED {
        names = format!("{names} and {} more", some.len() - NAMED);
    }
    let what = match (state, some.len()) {
        (State::Own, 1) => "was released by an earlier claim of this name and can be given back with its data",
        (State::Own, _) => "were released by earlier claims of this name and can be given back with their data",
        (State::Left, 1) => "is Released and can be given to this claim with its data",
        (State::Left, _) => "are Released and can be given to this claim with their data",
        (State::Reserved, 1) => "is reserved for a claim that does not exist",
        (State::Reserved, _) => "are reserved for claims that do not exist",
        (State::Unnamed, 1) => "has an incomplete claimRef that matches no claim",
        (State::Unnamed, _) => "have an incomplete claimRef that matches no claim",
        (State::DataToBeDestroyed, 1) => "is Released, and its policy destroys the data",
        (State::DataToBeDestroyed, _) => "are Released, and their policies destroy the data",
        (State::Leaving, 1) => "belongs to a claim that is being deleted",
        (State::Leaving, _) => "belong to claims that are being deleted",
        (State::Held, 1) => "belongs to a claim that exists",
        (State::Held, _) => "belong to claims that exist",
        (State::Unknown, 1) => "belongs to another claim",
        (State::Unknown, _) => "belong to other claims",
        (State::Deleting, 1) => "is being deleted",
        (State::Deleting, _) => "are being deleted",
    };
    let noun = if some.len() == 1 { "Volume" } else { "Volumes" };
    format!("{noun} {names} {what}")
}

/// Creates remedies for a volume whose claim is gone. They give the volume to this claim. The volume is reserved by
/// name, so that no other claim can get it first.
fn give(snapshot: &Snapshot, one: &Taken<'_>, claim: &PersistentVolumeClaim) -> Vec<Remedy> {
    let volume = one.volume;
    let Some(named) = &volume.claim_ref else { return Vec::new() };
    if one.state == State::Own {
        let does = format!("reserve volume {} for {} again, with its data", volume.meta.name, claim.key());
        return vec![restore(snapshot, claim, does)];
    }
    let does = format!(
        "reserve volume {} for {}, if that claim may read and overwrite the data of {}: then no other claim can get it",
        volume.meta.name,
        claim.key(),
        claim_name(named)
    );
    retain(volume).into_iter().chain(hand_over(volume, claim, does)).collect()
}
