//! This rule reports a shared volume whose Service sends requests to an address that is probably no server.

use super::targets::{Doubt, Trouble, trouble};
use super::{READS, found, path_of, service_key};
use crate::diagnosis::remedy::{by_hand, describe, kubectl};
use crate::diagnosis::{Case, Detect, Detection, Page, Risk, Rule, Severity, key};
use crate::model::{Kind, PersistentVolume};

pub(super) static RULE: Rule = Rule {
    id: "shared-targets-implausible",
    title: "the target of the Service of a shared volume is probably no server",
    severity: Severity::Warning,
    risk: Risk::None,
    reads: READS,
    hinders: &[],
    repairs: &[],
    page: Page {
        seen: "The mount of the volume times out, and pods that run hang when they use the volume. The Service has a \
               target that is ready.",
        why: "The storage system writes the endpoints itself, and Kubernetes does not test them. The target is the \
              address of a node that does not answer, an address that no node has, or a port that servers of this \
              system do not use. The system has probably not moved the server to another node.",
        confirm: "kubectl get endpointslices -n NAMESPACE -l kubernetes.io/service-name=SERVICE -o yaml\n\
                  kubectl get nodes -o wide",
        repair: "See in the log of the storage system why it does not move the server. If the node is off, mark it as \
                 such, so that the system can act.",
        prevention: "Watch that the controllers of the storage system run, and that the failover of its servers works.",
        hazard: "A node that does not answer can still run the server and write to the storage.",
        sources: &["dell/csm-sharednfs: nfs/noderecovery.go", "https://docs.ondat.io/docs/prerequisites/firewalls/"],
    },
    detect: Detect::Volume(detect),
};

fn detect(case: &Case<'_>, volume: &PersistentVolume) -> Option<Detection> {
    let path = path_of(case, volume)?;
    let Trouble::Implausible(doubt) = trouble(case, &path)? else { return None };
    let service = path.service.service()?;
    let (namespace, name) = (service.meta.namespace.as_str(), service.meta.name.as_str());
    let (why, value) = match doubt {
        Doubt::NodeNotReady(address, node) => {
            (format!("{address} on node {}, which is not ready", node.meta.name), address.to_owned())
        }
        Doubt::NoNode(address) => (format!("{address}, which is the address of no node"), address.to_owned()),
        Doubt::Port { port, first, last } => {
            (format!("port {port}, but servers use ports {first} to {last}"), port.to_string())
        }
    };
    let what = format!("may be unreachable, because Service {namespace}/{name} sends requests to {why}");
    let said = found(&path, &what).evidence(&service_key(service), "endpoints", value);
    let said = match doubt {
        Doubt::NodeNotReady(_, node) => {
            said.remedy(describe(&key(Kind::Node, "", &node.meta.name), "see why the node does not answer"))
        }
        Doubt::NoNode(_) | Doubt::Port { .. } => said.remedy(kubectl("get nodes -o wide", "compare the addresses")),
    };
    Some(said.remedy(by_hand(format!("see in the log of {} where the server runs now", path.provider.name))))
}
