//! This rule reports a pod that waits because a node takes no more volumes of a driver.

use super::va_attach_error_backend::is_about_limit;
use crate::diagnosis::case::claim_key;
use crate::diagnosis::mention::mention;
use crate::diagnosis::placement::PLACEMENT_READS;
use crate::diagnosis::pod::facts::{
    attach_failure, attachment, bound, driver, is_about_volume, is_starting, is_unscheduled, unschedulable, used_claims,
};
use crate::diagnosis::remedy::{by_hand, kubectl, quoted};
use crate::diagnosis::{Act, Case, Detect, Detection, Page, Risk, Rule, Severity, key};
use crate::model::surroundings::VolumeAttachment;
use crate::model::{CsiNode, Kind, Pod};

pub(super) static RULE: Rule = Rule {
    id: "attach-limit",
    title: "the node takes no more volumes of the driver",
    severity: Severity::Error,
    risk: Risk::None,
    reads: &PLACEMENT_READS,
    hinders: &[Act::Schedule],
    repairs: &[],
    page: Page {
        seen: "The pod is Pending with `node(s) exceed max volume count`, or it stays in ContainerCreating and the \
               driver answers that the machine has its maximum number of disks.",
        why: "Only a limited number of disks can be attached to a machine. The driver states this limit in the CSINode \
              (`allocatable.count`), and the scheduler compares it with the number of volumes that the pods of the \
              node use. The stated limit can be too high, because the system disk and network devices also use slots. \
              Then the scheduler places the pod, and the driver refuses the volume.",
        confirm: "kubectl get csinode NODE -o yaml\n\
                  kubectl get volumeattachments | grep NODE",
        repair: "Let the pod run on another node: add nodes, use a machine type that takes more disks, or use fewer \
                 volumes for each pod. If the driver states a wrong limit, reserve slots with its options, or update \
                 the driver.",
        prevention: "Plan the number of volumes for each machine type. Spread pods with volumes over the nodes.",
        hazard: "None. The claims and their data need no change.",
        sources: &[
            "CSILimits.Filter, pkg/scheduler/framework/plugins/nodevolumelimits, Kubernetes 1.36",
            "linode/linode-blockstorage-csi-driver#182",
            "kubernetes-sigs/aws-ebs-csi-driver#1163",
        ],
    },
    detect: Detect::Pod(detect),
};

/// The words of the scheduler.
const EXCEEDS: &str = "exceed max volume count";

fn detect(case: &Case<'_>, pod: &Pod) -> Option<Detection> {
    if is_unscheduled(pod) { of_scheduler(case, pod) } else { of_driver(case, pod) }
}

fn of_scheduler(case: &Case<'_>, pod: &Pod) -> Option<Detection> {
    let said = unschedulable(case.snapshot(), pod);
    // The decision of the scheduler now takes precedence over its last message.
    let now = used_claims(pod).next().and_then(|_| case.scheduling(pod));
    let (message, who) = match &now {
        Some(now) if now.is_rejected() => (now.messages.first()?.as_str(), "The scheduler decides now"),
        Some(_) => return None,
        None => (said?.0, "The scheduler says"),
    };
    if !message.contains(EXCEEDS) {
        return None;
    }
    let since = said.and_then(|(_, since)| since).or(pod.meta.created);
    // If the pod has more volumes of a driver than any node takes, it fits on no node of these machine types.
    let drivers: Vec<&str> = used_claims(pod).filter_map(|used| driver_of(case, pod, used.claim)).collect();
    let too_many = drivers.iter().find_map(|name| {
        let own = i64::try_from(drivers.iter().filter(|other| *other == name).count()).unwrap_or(i64::MAX);
        let limits = case.snapshot().all::<CsiNode>().iter().filter_map(|node| node.driver(name)?.limit);
        let most = limits.max().filter(|most| own > *most)?;
        Some((*name, own, most))
    });
    let (words, first) = match too_many {
        Some((name, own, most)) => (
            format!(
                "{} has {own} volumes of driver {name}, and no node takes more than {most}",
                mention(&case.object())
            ),
            "use a machine type that takes more volumes, or fewer volumes for the pod",
        ),
        None => (
            match drivers.as_slice() {
                [first, rest @ ..] if rest.iter().all(|driver| driver == first) => {
                    let needed = match drivers.len() {
                        1 => "another volume".to_owned(),
                        several => format!("{several} more volumes"),
                    };
                    format!(
                        "no node that {} may use has room for {needed} of driver {first} (max volume count)",
                        mention(&case.object())
                    )
                }
                _ => format!(
                    "no node that {} may use has room for its volumes (max volume count)",
                    mention(&case.object())
                ),
            },
            "use a machine type that takes more volumes or fewer volumes for the pod, add a node, or move pods with volumes \
             to another node",
        ),
    };
    let found = Detection::new(format!("{words}. {who}: \"{}\"", message.trim_end_matches('.')))
        .early_if(case.may_heal(since)?)
        .since(since)
        .evidence(&case.object(), "spec.nodeName", "");
    let found = match said.filter(|(said, _)| said.contains(EXCEEDS)) {
        Some((said, _)) => found.evidence(&case.object(), "status.conditions[PodScheduled].message", said),
        None => found,
    };
    let found = used_claims(pod).fold(found, |found, used| found.affects(claim_key(&pod.meta.namespace, used.claim)));
    Some(found.remedy(by_hand(first)).remedy(kubectl(
        "get csinodes -o custom-columns='NODE:.metadata.name,DRIVERS:.spec.drivers[*].name,LIMITS:.spec.drivers[*].allocatable.count'",
        "see how many volumes each node takes",
    )))
}

fn of_driver(case: &Case<'_>, pod: &Pod) -> Option<Detection> {
    if !is_starting(pod) || pod.meta.deleted.is_some() {
        return None;
    }
    let (snapshot, node) = (case.snapshot(), pod.node_name.as_str());
    used_claims(pod).find_map(|used| {
        let (_, volume) = bound(snapshot, &pod.meta.namespace, used.claim)?;
        let own = attachment(snapshot, &volume.meta.name, node);
        if own.is_some_and(|own| own.attached) {
            return None;
        }
        let of_attachment = own.and_then(|own| own.attach_error.as_ref()).map(|error| error.message.as_str());
        let of_event = attach_failure(snapshot, pod).map(|event| event.message.as_str());
        let of_event = of_event.filter(|message| is_about_volume(message, used.volume, &volume.meta.name));
        let message = of_attachment.into_iter().chain(of_event).find(|message| is_about_limit(message))?;
        let since = pod.started.or(pod.meta.created);
        let is_early = case.may_heal(since)?;
        let name = driver(case.behavior(), volume).unwrap_or("the driver");
        let attached = snapshot.all::<VolumeAttachment>().iter();
        let attached = attached.filter(|one| one.node_name == node && one.attacher == name && one.attached).count();
        let limit = snapshot.find::<CsiNode>("", node).and_then(|node| node.driver(name)?.limit);
        let stated = match limit {
            Some(limit) if usize::try_from(limit).is_ok_and(|limit| attached < limit) => format!(
                "The driver states a limit of {limit}, but refuses another volume although only {attached} are attached"
            ),
            Some(limit) => format!("The driver states a limit of {limit}, and {attached} are attached"),
            None => format!("{attached} are attached"),
        };
        let mut found = Detection::new(format!(
            "node {node} takes no more volumes of driver {name} (max volume count). {stated}. The driver says: \"{}\"",
            message.trim_end_matches('.')
        ))
        .early_if(is_early)
        .since(since)
        .evidence(&case.object(), "spec.nodeName", node)
        .affects(claim_key(&pod.meta.namespace, used.claim));
        if let Some(limit) = limit {
            let object = key(Kind::CsiNode, "", node);
            found = found.evidence(&object, "spec.drivers[].allocatable.count", limit.to_string());
        }
        Some(
            found
                .remedy(by_hand(format!(
                    "let the pod run on another node: cordon {node} and delete the pod, if its owner creates it again"
                )))
                .remedy(kubectl(
                    format!("get csinode {} -o yaml", quoted(node)),
                    "compare the limit that the driver states with the disks of the machine: a newer version or an \
                     option of the driver may set the right limit",
                )),
        )
    })
}

/// Returns the driver of the claim's volume, or the driver that will provision the volume.
fn driver_of<'a>(case: &Case<'a>, pod: &Pod, claim: &str) -> Option<&'a str> {
    if let Some((_, volume)) = bound(case.snapshot(), &pod.meta.namespace, claim) {
        return driver(case.behavior(), volume);
    }
    let claim = case.claim(&pod.meta.namespace, claim)?;
    case.class(claim.class()).map(|class| class.provisioner.as_str())
}
