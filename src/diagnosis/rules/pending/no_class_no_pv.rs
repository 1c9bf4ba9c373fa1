//! A claim without a class for which no volume is there.

use super::pool::{Unmade, taken};
use super::{wanted, with_class};
use crate::controllers::persistent_volume::plugins::{Provider, find_provisionable_plugin};
use crate::diagnosis::remedy::{by_hand, save_claim, set_class};
use crate::diagnosis::{Case, Detect, Found, Page, Remedy, Risk, Rule, Severity};
use crate::model::{Kind, PersistentVolumeClaim, StorageClass, newest_default};

pub(super) static RULE: Rule = Rule {
    id: "pvc-no-class-no-pv",
    title: "the claim has no class, and no volume fits it",
    severity: Severity::Error,
    risk: Risk::None,
    reads: &[Kind::PersistentVolume, Kind::StorageClass],
    page: Page {
        seen: "The claim is Pending, and STORAGECLASS is empty. An event `FailedBinding` says that no volume is \
               available and no storage class is set.",
        why: "Without a class nobody is asked to make a volume, so the claim waits for one that has no class either. A \
              claim that states `storageClassName: \"\"` has opted out for good: it gets no default class, now or \
              later (before 1.30 the controller tries that with each sync, in vain). A claim that states nothing has \
              none because no class was the default one when it was created, and none is now: as soon as one is, the \
              controller writes it into the claim.",
        confirm: "kubectl get pvc NAME -n NAMESPACE -o jsonpath='{.spec.storageClassName}'\n\
                  kubectl get pvc NAME -n NAMESPACE -o yaml\n\
                  kubectl get sc\n\
                  kubectl get pv",
        repair: "If a volume is to be made by hand, make one without a class that is large enough and has the access \
                 modes. If a driver shall make it and the field is not there, set `spec.storageClassName` once. If the \
                 field is there and empty, it cannot be changed: create the claim again with a class. It has no \
                 volume, so nothing is lost.",
        prevention: "State the class in each claim, or have exactly one default class. Write `storageClassName: \"\"` \
                     only where a volume by hand is meant; charts often have a value for it, whose empty form differs \
                     from none.",
        hazard: "A class that becomes the default one is written into every claim of the cluster that waits without \
                 any, and their volumes are made at once. A new volume is empty: if the claim was to get existing \
                 data, give it their volume instead.",
        sources: &[
            "syncUnboundClaim and assignDefaultStorageClass, Kubernetes 1.36 (C5, C16)",
            "https://kubernetes.io/docs/concepts/storage/persistent-volumes/#class-1",
            "kubero-dev/kubero#699",
            "goharbor/harbor-helm#88",
        ],
    },
    detect: Detect::Claim(look),
};

fn look(case: &Case<'_>, claim: &PersistentVolumeClaim) -> Option<Found> {
    let why = Unmade::of(case, claim).filter(|why| *why == Unmade::NoClass)?;
    // Where others have the volumes without a class, it is these that are missed.
    if taken(case, claim, why).is_none_or(|pool| pool.count > 0) || case.always_ends("Bound")? {
        return None;
    }
    let classes = case.snapshot().classes();
    let make = by_hand(format!("if its volume is to be made by hand, make {}", wanted(claim)));
    let (message, ways) = if claim.has_class() {
        let default = newest_default(classes)
            .map(|class| format!("; the default class \"{}\" is not for it", class.meta.name))
            .unwrap_or_default();
        let message = format!(
            "it asks for no class (storageClassName: \"\"), so no driver is asked for a volume, ever{default}. And no \
             volume without a class fits it"
        );
        let again = "if a driver shall make it, delete the claim, which has no volume, and create it with a class";
        (message, vec![make, save_claim(claim, "save the claim as it is"), by_hand(again)])
    } else {
        let message = "it has no class, and no class is the default one, so no driver is asked for a volume. And no \
                       volume without a class fits it";
        (message.to_owned(), [vec![make], ways_to_a_class(case, claim, classes)].concat())
    };
    let found = Found::new(message).quiet_while(case.is_young(claim.meta.created));
    Some(with_class(found, case, claim).remedies(ways))
}

/// Gives the claim a class, which the API server allows once.
fn ways_to_a_class(case: &Case<'_>, claim: &PersistentVolumeClaim, classes: &[StorageClass]) -> Vec<Remedy> {
    let makes = |class: &&StorageClass| match find_provisionable_plugin(case.rules(), class) {
        Provider::External => true,
        Provider::InTree(_) | Provider::Nobody(_) => false,
    };
    let making: Vec<&str> = classes.iter().filter(makes).map(|class| class.meta.name.as_str()).collect();
    match making.as_slice() {
        [] => vec![by_hand("or install a driver with a class for it, and make that class the default one")],
        [only] => {
            vec![set_class(claim, only, format!("or let class {only} make a new and empty volume for it"))]
        }
        [first, .., last] => vec![by_hand(format!(
            "or set spec.storageClassName to the class that shall make a new and empty volume ({} classes, from \
             {first} to {last})",
            making.len()
        ))],
    }
}
