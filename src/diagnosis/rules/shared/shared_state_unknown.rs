//! This rule says that only the storage system knows the server of a shared volume.

use super::{found, path_of};
use crate::diagnosis::remedy::by_hand;
use crate::diagnosis::{Case, Detect, Detection, Page, Risk, Rule, Severity};
use crate::model::{Kind, PersistentVolume};

pub(super) static RULE: Rule = Rule {
    id: "shared-state-unknown",
    title: "only the storage system knows the server of a shared volume",
    severity: Severity::Info,
    risk: Risk::None,
    reads: &[Kind::PersistentVolumeClaim, Kind::Service],
    hinders: &[],
    repairs: &[],
    page: Page {
        seen: "`kubectl pvctl shared` shows the Service and its endpoints, but not whether they lead to the right server.",
        why: "Some storage systems keep the address of the server and the address for clients in their own API. No object of Kubernetes that could be read has them.",
        confirm: "kubectl get volumes.api.storageos.com\nkubectl auth can-i list volumes.api.storageos.com",
        repair: "Give the user the right to list the resource of the storage system. If the system has no such resource, save the answer of its API and name the file with `--provider-state`.",
        prevention: "Nothing is wrong, so there is nothing to prevent.",
        hazard: "Without these facts, a Service that leads to an old server is not noticed.",
        sources: &["storageos/api-manager@v1.2.16 api/v1/volume_types.go"],
    },
    detect: Detect::Volume(detect),
};

fn detect(case: &Case<'_>, volume: &PersistentVolume) -> Option<Detection> {
    let path = path_of(case, volume)?;
    if path.state.is_some() || !path.provider.tells_target() {
        return None;
    }
    let provider = &path.provider.name;
    let said =
        found(&path, &format!("may lead to an old server: only {provider} knows its server, see --provider-state"));
    Some(said.remedy(by_hand(format!(
        "save what the API of {provider} says about its volumes, and use it: kubectl pvctl shared --provider-state FILE"
    ))))
}
