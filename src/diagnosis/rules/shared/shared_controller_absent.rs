//! This rule reports a Deployment that manages shared volumes and has no available pod.

use crate::diagnosis::remedy::{by_hand, describe};
use crate::diagnosis::shared_volumes::Workload;
use crate::diagnosis::{Case, Detect, Detection, Page, Risk, Rule, Severity};
use crate::model::{Deployment, Kind, PersistentVolume};

pub(super) static RULE: Rule = Rule {
    id: "shared-controller-absent",
    title: "the controller of a storage system with shared volumes does not run",
    severity: Severity::Warning,
    risk: Risk::None,
    reads: &[Kind::PersistentVolume, Kind::PersistentVolumeClaim],
    hinders: &[],
    repairs: &[],
    page: Page {
        seen: "Volumes that are mounted work. New volumes are not provisioned. After a failure of a server or a node, \
               pods that use the volume hang longer than usual.",
        why: "The controller of the storage system creates and corrects the Services and endpoints of its volumes. \
              Without it, nothing updates them when a server moves to another node.",
        confirm: "kubectl get deployment DEPLOYMENT -n NAMESPACE\n\
                  kubectl get pods -n NAMESPACE",
        repair: "If the Deployment was scaled to zero, scale it up again. Otherwise find out why its pods are not \
                 available.",
        prevention: "Watch the available replicas of the controller.",
        hazard: "When the controller runs again, it carries out everything that has been requested meanwhile, and also \
                 deletes volumes.",
        sources: &[
            "rook/rook@d0c3b9ce6 deploy/examples/operator.yaml",
            "kubernetes-sigs/nfs-subdir-external-provisioner@59a3ca2 deploy/deployment.yaml",
            "https://docs.ondat.io/docs/concepts/rwx/",
        ],
    },
    detect: Detect::Deployment(detect),
};

fn detect(case: &Case<'_>, deployment: &Deployment) -> Option<Detection> {
    let meta = &deployment.meta;
    if deployment.available > 0 || meta.deleted.is_some() {
        return None;
    }
    let volumes = case.survey().shared_volumes();
    let is_it = |workload: &Workload| workload.is(Kind::Deployment.as_str(), &meta.namespace, &meta.name);
    let provider = volumes.providers.all().find(|provider| provider.controller.as_ref().is_some_and(is_it))?;
    let available = deployment.conditions.iter().find(|condition| condition.kind == "Available");
    let since = match available {
        Some(available) if available.status == "False" => available.since,
        _ => meta.created,
    };
    let early = case.may_heal(since)?;
    let is_served = |volume: &&PersistentVolume| {
        volumes.provider(volume).is_some_and(|own| own.id == provider.id)
            && !volume.terminating()
            && case.survey().holder(volume).is_some()
    };
    let (name, system) = (format!("{}/{}", meta.namespace, meta.name), &provider.name);
    let why = match deployment.replicas {
        0 => "was scaled to 0".to_owned(),
        wanted => format!("has 0 of {wanted} pods available"),
    };
    let count = match case.snapshot().volumes().iter().filter(is_served).count() {
        0 => return None,
        1 => "1 shared volume".to_owned(),
        count => format!("{count} shared volumes"),
    };
    let object = case.object();
    let said =
        Detection::new(format!("it does not run: Deployment {name} {why}, so nothing updates {count} of {system}"))
            .evidence(&object, "spec.replicas", deployment.replicas.to_string())
            .evidence(&object, "status.availableReplicas", deployment.available.to_string())
            .since(since)
            .early_if(early);
    let said = said.remedy(describe(&object, "see why no pod of the Deployment is available"));
    Some(match deployment.replicas {
        0 => said.remedy(by_hand(format!("if the storage system is still wanted, scale Deployment {name} up again"))),
        _ => said,
    })
}
