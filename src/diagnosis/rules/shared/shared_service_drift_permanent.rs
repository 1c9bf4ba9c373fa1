//! This rule reports a shared volume whose Service differs from what its storage system wants, in a field that the
//! storage system never writes again.

use super::{found, full_name, made_service, path_of, service_key};
use crate::diagnosis::remedy::{by_hand, kubectl, quoted};
use crate::diagnosis::shared_volumes::{ServiceField, SharedVolume};
use crate::diagnosis::{Case, Detect, Detection, Page, Risk, Rule, Severity};
use crate::model::{Kind, PersistentVolume, Service};

pub(super) static RULE: Rule = Rule {
    id: "shared-service-drift-permanent",
    title: "the Service of a shared volume was changed in a way that its storage system does not correct",
    severity: Severity::Error,
    risk: Risk::None,
    reads: &[Kind::PersistentVolumeClaim, Kind::Service, Kind::EndpointSlice, Kind::Endpoints],
    hinders: &[],
    repairs: &[],
    page: Page {
        seen: "The resourceVersion of the Service can change again and again. With another port, pods that have mounted \
               the volume before hang.",
        why: "The storage system compares this field with what it wants, and finds a difference each time. Its update \
              writes other fields only, so the difference remains. It then records the port of the Service as it is, so \
              that pods that have mounted the volume at the port of before cannot reach it.",
        confirm: "kubectl get service SERVICE -n NAMESPACE -o jsonpath='{.spec.type} {.spec.ports}'",
        repair: "Edit the Service: set the field to the value that the storage system wants. Do not delete the Service, \
                 and do not change its cluster IP.",
        prevention: "Do not change Services that a storage system has created. To reach a volume from outside of the \
                     cluster, create another Service.",
        hazard: "Pods that have mounted the volume at the wrong port hang when the port is set right, until they are \
                 restarted. A Service of type NodePort or LoadBalancer lets computers outside of the cluster reach the \
                 server.",
        sources: &["storageos/api-manager@v1.2.16 internal/pkg/storageos/shared_volume_type.go"],
    },
    detect: Detect::Volume(detect),
};

/// A field that has another value than the storage system wants.
struct Difference {
    field: ServiceField,
    value: String,
    wanted: String,
}

impl Difference {
    /// Returns the name of the field in a sentence, and its path.
    fn names(&self) -> (&'static str, &'static str) {
        match self.field {
            ServiceField::Type => ("type", "spec.type"),
            ServiceField::PortName => ("port name", "spec.ports[0].name"),
            ServiceField::Port => ("port", "spec.ports[0].port"),
            ServiceField::Protocol => ("protocol", "spec.ports[0].protocol"),
        }
    }
}

fn detect(case: &Case<'_>, volume: &PersistentVolume) -> Option<Detection> {
    let path = path_of(case, volume)?;
    let service = made_service(&path)?;
    let differences = differences(&path, service);
    if differences.is_empty() {
        return None;
    }
    let says = |difference: &Difference| {
        let Difference { value, wanted, .. } = difference;
        format!("{} {value} instead of {wanted}", difference.names().0)
    };
    let (name, provider) = (full_name(service), &path.provider.name);
    let all: Vec<String> = differences.iter().map(says).collect();
    let what = format!("has Service {name} with {}; {provider} never corrects this", all.join(" and "));
    // The cluster IP leads to the server as long as only the type was changed.
    let only_type = differences.iter().all(|difference| difference.field == ServiceField::Type);
    let mut said = found(&path, &what);
    if only_type && path.working_address().is_some() {
        said = said.severity(Severity::Warning);
    }
    for difference in &differences {
        said = said.evidence(&service_key(service), difference.names().1, difference.value.as_str());
    }
    let wanted = |difference: &Difference| format!("{} to {}", difference.names().1, difference.wanted);
    let all: Vec<String> = differences.iter().map(wanted).collect();
    let (short, namespace) = (quoted(&service.meta.name), quoted(&service.meta.namespace));
    Some(
        said.remedy(kubectl(format!("get service {short} -n {namespace} -o yaml"), "see the fields of the Service"))
            .remedy(by_hand(format!("in Service {name}, set {}", all.join(" and ")))),
    )
}

fn differences(path: &SharedVolume<'_>, service: &Service) -> Vec<Difference> {
    let pattern = &path.provider.service;
    let mut found = Vec::new();
    let mut compare = |field: ServiceField, value: &str, wanted: &str| {
        if pattern.never_mended.contains(&field) && value != wanted {
            let value = crate::diagnosis::misfit::shown(value);
            found.push(Difference { field, value, wanted: wanted.to_owned() });
        }
    };
    compare(ServiceField::Type, &service.kind, "ClusterIP");
    // With another number of ports, the storage system writes all ports again.
    if let ([wanted], [port]) = (pattern.ports.as_slice(), &*service.ports) {
        // If the endpoints do not have the port, another rule says so.
        if path.targets.other_ports.is_empty() {
            compare(ServiceField::PortName, &port.name, &wanted.name);
        }
        compare(ServiceField::Port, &port.port.to_string(), &wanted.port.to_string());
        compare(ServiceField::Protocol, &port.protocol, "TCP");
    }
    found
}
