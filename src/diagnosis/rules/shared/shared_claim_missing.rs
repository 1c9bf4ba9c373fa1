//! This rule reports a server of a shared volume whose claim does not exist.

use super::found;
use crate::diagnosis::case::claim_key;
use crate::diagnosis::remedy::{by_hand, describe};
use crate::diagnosis::{Case, Detect, Detection, Page, Risk, Rule, Severity};
use crate::model::{Kind, PersistentVolume};

pub(super) static RULE: Rule = Rule {
    id: "shared-claim-missing",
    title: "a shared volume is served, and its claim does not exist",
    severity: Severity::Warning,
    risk: Risk::None,
    reads: &[Kind::PersistentVolumeClaim, Kind::Service],
    hinders: &[],
    repairs: &[],
    page: Page {
        seen: "The storage system has a server for the volume. The log of its controller repeats that the claim cannot be fetched.",
        why: "The controller needs the claim, because the claim owns the Service. Without the claim it returns an error before it looks at the Service, and tries again later.",
        confirm: "kubectl get pvc CLAIM -n NAMESPACE\nkubectl get pv VOLUME -o yaml",
        repair: "If nobody needs the data, delete the volume, or detach it in the storage system. If the claim is needed, restore it with `kubectl pvctl restore`.",
        prevention: "Do not delete a claim while its volume is attached.",
        hazard: "Deleting the volume can delete its data: see its reclaim policy.",
        sources: &["storageos/api-manager@v1.2.16 internal/controllers/sharedvolume/controller.go"],
    },
    detect: Detect::Volume(detect),
};

fn detect(case: &Case<'_>, volume: &PersistentVolume) -> Option<Detection> {
    let path = case.shared_volume(volume)?;
    let state = path.state.filter(|state| state.target.is_some())?;
    let (namespace, name) = state.claim.as_ref()?;
    if path.claim.is_some() || !case.lacks(Kind::PersistentVolumeClaim, namespace, name) {
        return None;
    }
    let provider = &path.provider.name;
    let what = format!("is served by {provider} for claim {namespace}/{name}, which does not exist");
    let said = found(&path, &what);
    let said = match &volume.claim_ref {
        Some(_) => said.remedy(describe(&claim_key(namespace, name), "see whether the claim is really gone")),
        None => said,
    };
    Some(said.remedy(by_hand(
        "if nobody needs the data, detach the volume in the storage system; otherwise restore the claim",
    )))
}
