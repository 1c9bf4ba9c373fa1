//! This rule reports a shared volume whose Service differs from what its storage system created.

use super::{found, full_name, made_service, path_of, service_key, shared_targets_empty};
use crate::diagnosis::case::volume_key;
use crate::diagnosis::members::selected_by;
use crate::diagnosis::remedy::{by_hand, kubectl, quoted};
use crate::diagnosis::shared_volumes::{Address, Recreates, SharedVolume};
use crate::diagnosis::{Case, Detect, Detection, Page, Risk, Rule, Severity};
use crate::model::{Kind, PersistentVolume, Service, label};

pub(super) static RULE: Rule = Rule {
    id: "shared-service-drift",
    title: "the Service of a shared volume was changed",
    severity: Severity::Error,
    risk: Risk::None,
    reads: &[Kind::PersistentVolumeClaim, Kind::Service, Kind::Pod],
    hinders: &[],
    repairs: &[],
    page: Page {
        seen: "The Service exists, but its selector or its ports are not those that the storage system has given it. If \
               the selector selects no pod, pods with this claim stay in ContainerCreating.",
        why: "Somebody edited the Service, or created it again from another manifest. Some storage systems correct such a \
              difference when they look at the volume the next time. Most write the Service only once.",
        confirm: "kubectl get service SERVICE -n NAMESPACE -o jsonpath='{.spec.selector} {.spec.ports}'",
        repair: "Edit the Service: set the selector and the ports to what the storage system wants. Do not delete the \
                 Service, because it would get another cluster IP.",
        prevention: "Do not change Services that a storage system has created.",
        hazard: "A selector that selects pods of another volume leads to other data.",
        sources: &[
            "storageos/api-manager@v1.2.16 internal/pkg/storageos/shared_volume_type.go",
            "openebs-archive/dynamic-nfs-provisioner@7836bbb provisioner/helper_kernel_nfs_server.go",
        ],
    },
    detect: Detect::Volume(detect),
};

/// A field that has another value than the storage system has given it.
struct Difference {
    field: &'static str,
    value: String,
    /// Continues the name of the Service.
    says: String,
    /// What to do.
    mend: String,
    /// Whether clients cannot reach the server.
    cuts_off: bool,
}

fn detect(case: &Case<'_>, volume: &PersistentVolume) -> Option<Detection> {
    let path = path_of(case, volume)?;
    let service = made_service(&path)?;
    if case.is_young(service.meta.created) {
        return None;
    }
    let Difference { field, value, says, mend, cuts_off } = selector(&path, service)
        .or_else(|| missing_port(&path, service))
        .or_else(|| more_ports(&path, service))
        .or_else(|| target_port(&path))?;
    let who = match path.provider.recreates {
        Recreates::Always => "its operator should correct this",
        Recreates::WhenVolumeChanges => "its controller corrects this when the volume changes",
        Recreates::Never => "nothing corrects this",
    };
    let name = full_name(service);
    let said = found(&path, &format!("has Service {name} that {says}; {who}"));
    let selects_nothing = field == "spec.selector"
        && selected_by(case.snapshot(), service).next().is_none()
        && case.knows_all(Kind::Pod, &service.meta.namespace);
    let (short, namespace) = (quoted(&service.meta.name), quoted(&service.meta.namespace));
    let said = said
        .evidence(&service_key(service), field, value)
        .remedy(kubectl(format!("get service {short} -n {namespace} -o yaml"), "see the fields of the Service"))
        .remedy(by_hand(format!("in Service {name}, {mend}")));
    Some(match (selects_nothing, cuts_off) {
        (true, _) => said.settles(&shared_targets_empty::RULE, volume_key(&volume.meta.name)),
        (false, true) => said,
        (false, false) => said.severity(Severity::Warning),
    })
}

/// Compares the selector. A headless Service of a system that writes its endpoints has none.
fn selector(path: &SharedVolume<'_>, service: &Service) -> Option<Difference> {
    let pattern = &path.provider.service;
    if pattern.headless && service.cluster_ip == "None" {
        return None;
    }
    let wanted = pattern.selector.iter().flatten().filter_map(|(key, template)| {
        let wanted = template.fill(path.volume, path.claim)?;
        let value = label(&service.selector, key).unwrap_or_default();
        (value != wanted).then_some((key, value, wanted))
    });
    wanted.into_iter().next().map(|(key, value, wanted)| Difference {
        field: "spec.selector",
        value: service.selector.iter().map(|(key, value)| format!("{key}={value}")).collect::<Vec<_>>().join(","),
        says: match value {
            "" => format!("does not select {key}={wanted}"),
            value => format!("selects {key}={value} instead of {wanted}"),
        },
        mend: format!("set {key}={wanted} in spec.selector"),
        cuts_off: false,
    })
}

/// Returns a port that is missing. If it is the one for clients and the endpoints show this, another rule says so.
fn missing_port(path: &SharedVolume<'_>, service: &Service) -> Option<Difference> {
    let pattern = &path.provider.service;
    path.port?;
    let has = |number: i64| service.ports.iter().any(|port| port.port == number);
    let is_exact = !pattern.never_mended.is_empty() && service.ports.len() == pattern.ports.len();
    let wanted = pattern.ports.iter().find(|wanted| !has(wanted.port)).filter(|_| !is_exact)?;
    Some(Difference {
        field: "spec.ports",
        value: shown(service),
        says: format!("lacks port {}", wanted.port),
        mend: format!("add port {} with name {}", wanted.port, wanted.name),
        // Clients use the first port.
        cuts_off: pattern.ports.first() == Some(wanted),
    })
}

/// Returns a port that the storage system did not create.
fn more_ports(path: &SharedVolume<'_>, service: &Service) -> Option<Difference> {
    let pattern = &path.provider.service;
    let is_wanted = |number: i64| pattern.ports.iter().any(|wanted| wanted.port == number);
    let is_longer = pattern.exact_ports && service.ports.len() > pattern.ports.len();
    let more = service.ports.iter().find(|port| !is_wanted(port.port)).filter(|_| is_longer)?;
    Some(Difference {
        field: "spec.ports",
        value: shown(service),
        says: format!("has the additional port {}", more.port),
        mend: format!("remove port {}", more.port),
        cuts_off: false,
    })
}

/// Compares the target port with the port of the server that an object of the system states.
fn target_port(path: &SharedVolume<'_>) -> Option<Difference> {
    let stated = path.state?.target.as_deref().and_then(Address::parse)?.port?;
    let port = path.port.filter(|port| port.target != stated.to_string())?;
    Some(Difference {
        field: "spec.ports[].targetPort",
        value: port.target.to_string(),
        says: format!("has targetPort {}, but its server has port {stated}", port.target),
        mend: format!("set targetPort {stated}"),
        // kube-proxy uses the port of the EndpointSlice.
        cuts_off: false,
    })
}

fn shown(service: &Service) -> String {
    service.ports.iter().map(|port| format!("{}:{}", port.name, port.port)).collect::<Vec<_>>().join(", ")
}
