//! The verb `reclaim`: it leaves a volume whose claim is gone to the component that reclaims it. pvctl itself deletes
//! no storage and starts no recycler.

use super::build::{Builder, Planned, has_ended, policy, stays, unmounted, volume};
use super::release::held;
use crate::controllers::KubernetesBehavior;
use crate::controllers::persistent_volume::plugins::{
    Plugin, Provider, delete_host_path, find_deletable_plugin, remote_deleter,
};
use crate::controllers::persistent_volume::reclaim::migrated_to;
use crate::model::{AnnotationKey, PersistentVolume, ReclaimPolicy, SourceKind, VolumePhase};
use crate::repair::plan::{Carried, GivenUp, Proposed, Recheck, Refusal, Undo};
use crate::repair::request::Request;
use crate::repair::situation::Situation;
use crate::repair::write::Expect;

pub(super) fn plan(situation: &Situation<'_>, request: &Request, name: &str, delete: bool) -> Planned {
    let volume = volume(situation, name)?;
    // If a volume with policy Delete is already being deleted, the person gets what was requested. So its deletion is
    // no reason to refuse the request.
    let goes = volume.terminating() && volume.reclaim_policy == ReclaimPolicy::Delete && has_ended(volume);
    if !goes {
        stays(volume)?;
    }
    held(situation, volume, None)?;
    if !has_ended(volume) {
        return Err(Refusal::new(
            "phase",
            format!("volume {name} is {}, not Released or Failed: it is not reclaimed", volume.status.phase.as_str()),
        )
        .into());
    }
    match &volume.reclaim_policy {
        ReclaimPolicy::Retain if delete => hand_over(situation, request, volume),
        ReclaimPolicy::Retain => Ok(Proposed::Nothing(format!(
            "volume {name} has policy Retain: nobody deletes it or offers it again. `kubectl pvctl release pv/{name}` \
             offers it again; `kubectl pvctl reclaim pv/{name} --delete` has its data deleted"
        ))),
        ReclaimPolicy::Delete => Ok(Proposed::Nothing(under_deletion(volume))),
        ReclaimPolicy::Recycle => Ok(Proposed::Nothing(format!(
            "volume {name} has policy Recycle: kube-controller-manager itself starts a pod that erases its data, \
             and \
             tries again every few seconds after a failure. `kubectl pvctl retain pv/{name}` prevents this if the pod \
             has not started"
        ))),
        ReclaimPolicy::Other(other) => {
            Err(Refusal::new("policy", format!("volume {name} has policy {other}, which no controller knows"))
                .hint(format!("kubectl pvctl retain pv/{name} sets policy Retain"))
                .into())
        }
    }
}

/// Returns which component deletes the volume, and what prevents the deletion.
fn under_deletion(volume: &PersistentVolume) -> String {
    let name = &volume.meta.name;
    match (&volume.source.kind, &volume.status.phase) {
        (SourceKind::Csi, VolumePhase::Failed) => format!(
            "volume {name} is Failed: the provisioner of {} ignores volumes that are not Released. `kubectl pvctl \
             release pv/{name}` reserves it again for its claim; when that claim is deleted, the volume is Released \
             again",
            volume.source.detail
        ),
        (SourceKind::Csi, _) => format!(
            "volume {name} has policy Delete: the provisioner of {} deletes its storage, and no other request is \
             needed. `kubectl pvctl explain pv/{name}` says what it waits for",
            volume.source.detail
        ),
        (kind, _) => format!(
            "volume {name} has policy Delete: kube-controller-manager deletes {} volumes itself or says why not, and \
             tries again at every sync. `kubectl pvctl explain pv/{name}` says what it does",
            kind.as_str()
        ),
    }
}

/// The component that deletes the storage of a volume with policy Delete.
enum Deleter {
    /// The external provisioner of this name.
    Outside(String),
    /// A plugin of an older kube-controller-manager, which reaches the storage over the network.
    Plugin,
    /// kube-controller-manager itself, on the machine where it runs. The text is the path.
    Here(String),
}

/// Returns the component that deletes the storage, or the error of kube-controller-manager if there is none.
fn deleter(behavior: &KubernetesBehavior, volume: &PersistentVolume) -> Result<Deleter, String> {
    if let Some(driver) = migrated_to(behavior, volume) {
        return Ok(Deleter::Outside(driver.to_owned()));
    }
    match find_deletable_plugin(behavior, volume) {
        Provider::External => {
            let recorded = volume.meta.annotations.get(AnnotationKey::ProvisionedBy).filter(|name| !name.is_empty());
            Ok(Deleter::Outside(recorded.unwrap_or(&volume.source.detail).to_owned()))
        }
        Provider::InTree(Plugin::HostPath) => {
            delete_host_path(volume).map(|()| Deleter::Here(volume.source.detail.to_string()))
        }
        Provider::InTree(Plugin::Remote(name)) => remote_deleter(name, volume).map(|()| Deleter::Plugin),
        Provider::Nobody(why) => Err(why),
    }
}

/// Plans to set policy Delete, so that the data of the volume are deleted. The person has to type the volume's name.
fn hand_over(situation: &Situation<'_>, request: &Request, volume: &PersistentVolume) -> Planned {
    let name = &volume.meta.name;
    let deleter = deleter(&situation.settings.behavior, volume).map_err(|why| {
        Refusal::new(
            "actor",
            format!(
                "nobody in the cluster deletes the storage of volume {name}: with policy Delete it would only become \
                 Failed, with event VolumeFailedDelete: {why}"
            ),
        )
        .hint("delete the data in the storage system, and then the volume")
    })?;
    if volume.status.phase == VolumePhase::Failed && matches!(deleter, Deleter::Outside(_)) {
        return Err(Refusal::new(
            "phase",
            format!("volume {name} is Failed: its provisioner ignores volumes that are not Released"),
        )
        .into());
    }
    let mut plan = Builder::new(request);
    plan.carry(volume, Carried { volume: name.clone(), for_claims: Vec::new(), given_up: vec![GivenUp::Data] });
    plan.ask_for(name);
    let mut recheck = vec![Recheck::Detached { volume: name.clone() }];
    recheck.extend(unmounted(situation, volume));
    let mut write = policy(volume, "Retain", "Delete");
    write.expect.push(Expect::VolumePhase { any_of: vec![volume.status.phase.as_str().into()] });
    write
        .expect
        .push(Expect::ClaimRef { is: volume.claim_ref.as_ref().map(crate::repair::write::Reference::from_stored) });
    let who = match deleter {
        Deleter::Outside(provisioner) => format!("the provisioner of {provisioner}"),
        Deleter::Plugin => "kube-controller-manager".to_owned(),
        Deleter::Here(path) => {
            plan.note(format!(
                "kube-controller-manager removes {path} only on the machine on which it runs; on other nodes the path \
                 stays"
            ));
            "kube-controller-manager".to_owned()
        }
    };
    plan.step(
        format!("set policy Delete on volume {name}, so that {who} deletes its data"),
        Some(write),
        recheck,
        None,
        Undo::Impossible { why: "a deletion that has begun cannot be stopped".to_owned() },
    );
    plan.note("pvctl does not wait for the deletion: it may take long, or never happen if no component does it");
    Ok(plan.finish(format!("{who} deletes volume {name} and its data")))
}
