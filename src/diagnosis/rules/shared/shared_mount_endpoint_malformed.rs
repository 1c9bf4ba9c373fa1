//! This rule reports a shared volume whose published address cannot be used.

use super::{found, path_of};
use crate::diagnosis::remedy::by_hand;
use crate::diagnosis::shared_volumes::{Address, ServiceBehind};
use crate::diagnosis::{Act, Case, Detect, Detection, Page, Risk, Rule, Severity};
use crate::model::{Kind, PersistentVolume};

pub(super) static RULE: Rule = Rule {
    id: "shared-mount-endpoint-malformed",
    title: "the published address of a shared volume cannot be used",
    severity: Severity::Error,
    risk: Risk::None,
    reads: &[Kind::PersistentVolumeClaim, Kind::Service],
    hinders: &[Act::Serve],
    repairs: &[],
    page: Page {
        seen: "Pods with this claim stay in ContainerCreating, and the mount fails at once. The Service is headless, or has no cluster IP.",
        why: "The controller of the storage system publishes the cluster IP of the Service without a check. If the Service is headless, this is the word None. An IPv6 address needs brackets.",
        confirm: "kubectl get volumes.api.storageos.com VOLUME -o yaml\nkubectl get service SERVICE -n NAMESPACE -o wide",
        repair: "Let the storage system create the Service anew without pods that use the volume, or correct its network setting. The address of a Service cannot be changed from None to a real one.",
        prevention: "Do not edit the Service of a shared volume.",
        hazard: "Pods that have mounted the volume at an earlier address may still work: do not restart them before the address is right.",
        sources: &[
            "storageos/api-manager@v1.2.16 internal/controllers/sharedvolume/controller.go",
            "longhorn/longhorn#9272",
        ],
    },
    detect: Detect::Volume(detect),
};

fn detect(case: &Case<'_>, volume: &PersistentVolume) -> Option<Detection> {
    let path = path_of(case, volume)?;
    let state = path.state?;
    let text = state.endpoint.as_deref()?;
    if is_usable(text) {
        return None;
    }
    let place = match &path.service {
        ServiceBehind::Service(service) => format!("Service {}/{}", service.meta.namespace, service.meta.name),
        _ => "its Service".to_owned(),
    };
    let what = format!("cannot be mounted at {text}: this is no address, because {place} has none");
    Some(found(&path, &what).remedy(by_hand(format!(
        "let {} create the Service again with an address, while no pod uses the volume",
        path.provider.name
    ))))
}

/// Returns whether clients can connect to this address.
fn is_usable(text: &str) -> bool {
    let rest = text.split_once("://").map_or(text, |(_, rest)| rest);
    let authority = rest.split('/').next().unwrap_or_default();
    let has_brackets = authority.starts_with('[');
    let is_bare_ipv6 = !has_brackets && authority.matches(':').count() > 1;
    Address::parse(text).is_some_and(|address| address.host != "None" && !is_bare_ipv6)
}
