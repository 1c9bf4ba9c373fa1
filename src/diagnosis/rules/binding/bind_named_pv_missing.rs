//! This rule reports a claim that names a volume that does not exist.

use crate::controllers::ClaimBranch;
use crate::diagnosis::case::volume_key;
use crate::diagnosis::mention::part_of;
use crate::diagnosis::remedy::{by_hand, kubectl};
use crate::diagnosis::{Act, Case, Detect, Detection, Page, Risk, Rule, Severity};
use crate::model::{Kind, PersistentVolume, PersistentVolumeClaim};
use crate::text::nearest;

pub(super) static RULE: Rule = Rule {
    id: "bind-named-pv-missing",
    title: "the named volume does not exist",
    severity: Severity::Error,
    risk: Risk::None,
    reads: &[Kind::PersistentVolume],
    hinders: &[Act::Bind],
    repairs: &[],
    page: Page {
        seen: "The claim is Pending although VOLUME is filled; CAPACITY is 0. There is no event at all, even after a \
               long time.",
        why: "A claim that names a volume in `spec.volumeName` gets this volume or none. The controller waits for a \
              volume of this name and writes no event, and drivers provision no volume for such a claim. In most cases \
              the name is mistyped, or the claims of a backup were restored without the volumes.",
        confirm: "kubectl get pvc NAME -n NAMESPACE -o jsonpath='{.spec.volumeName}'\nkubectl get pv",
        repair: "The name in a claim cannot be changed: create the claim again with the right name, or without one. Or \
                 create a volume with the name that the claim states, and with a `claimRef` to the claim.",
        prevention: "Create volumes before the claims that name them, and let one template write both names.",
        hazard: "If somebody later creates a volume of this name with the right size, class and modes, this claim gets \
                 it. Neither its labels nor its node affinity are compared, so the application may get a wrong disk.",
        sources: &[
            "syncUnboundClaim, Kubernetes 1.36 (C17)",
            "shouldProvision, sig-storage-lib-external-provisioner",
            "kubernetes/kubernetes#23615",
        ],
    },
    detect: Detect::Claim(detect),
};

fn detect(case: &Case<'_>, claim: &PersistentVolumeClaim) -> Option<Detection> {
    if claim.volume_name.is_empty() || case.volume(&claim.volume_name).is_some() {
        return None;
    }
    if case.unbound_branch(claim)? != ClaimBranch::UnboundClaimVolumeNameMissing {
        return None;
    }
    let wanted = &claim.volume_name;
    let reserved = case.volumes(case.snapshot().volumes_naming(&claim.meta.namespace, &claim.meta.name)).next();
    let meant = reserved.map(|volume| volume.meta.name.as_str()).or_else(|| near(case, wanted));
    let hint = match (reserved, meant) {
        (Some(volume), _) => {
            format!(" Perhaps volume {} is meant, which names the claim in spec.claimRef.", volume.meta.name)
        }
        (None, Some(name)) => format!(" Perhaps volume {name} is meant."),
        (None, None) => " Nothing happens until somebody creates that volume.".to_owned(),
    };
    let mut found = Detection::new(
        format!(
            "{} is {wanted}, but no volume of that name exists. No event reports this.{hint}",
            part_of(&case.object(), "spec.volumeName")
        )
        .trim_end_matches('.'),
    )
    .early_if(case.is_young(claim.meta.created))
    .evidence(&case.object(), "spec.volumeName", wanted.as_str());
    if let Some(named) = reserved.and_then(|volume| volume.claim_ref.as_ref().map(|named| (volume, named))) {
        let (volume, named) = named;
        found = found.evidence(&volume_key(&volume.meta.name), "spec.claimRef", named.claim_key().to_string());
    }
    let how = match meant {
        Some(name) => format!("with spec.volumeName {name}, if that is the right disk"),
        None => "with the name of a volume that exists, or without spec.volumeName".to_owned(),
    };
    Some(found.remedy(kubectl("get pv", "list the volumes")).remedy(super::recreate(claim, &how)).remedy(by_hand(
        format!(
            "create the PersistentVolume {wanted} with the right storage, policy Retain and a claimRef to {}",
            claim.key()
        ),
    )))
}

/// Returns the name of the volume that was probably meant. Names that a provisioner generates are not mistyped. If
/// there are very many volumes, only volumes whose names are near in the sorted order are compared.
fn near<'a>(case: &Case<'a>, wanted: &str) -> Option<&'a str> {
    const ALL: usize = 1000;
    const AROUND: usize = 200;
    if is_made_up(wanted) {
        return None;
    }
    let volumes = case.snapshot().volumes();
    let looked_at = if volumes.len() <= ALL {
        volumes
    } else {
        let place = volumes.partition_point(|volume| volume.meta.name.as_str() < wanted);
        &volumes[place.saturating_sub(AROUND)..volumes.len().min(place + AROUND)]
    };
    let name = |volume: &'a PersistentVolume| volume.meta.name.as_str();
    nearest(wanted, looked_at.iter().map(name).filter(|name| !is_made_up(name)), 1).first().copied()
}

/// Returns whether a provisioner generated the name. Such a name is `pvc-` and a uid.
fn is_made_up(name: &str) -> bool {
    const UID: usize = 36;
    name.strip_prefix("pvc-").is_some_and(|uid| uid.len() == UID)
}
