//! The verb `reschedule`: it gives a claim back to the scheduler. It removes the annotation with the selected node, if
//! this node no longer exists. Then the scheduler selects another node, if the class of the claim delays binding.

use super::build::{Builder, Planned, claim};
use crate::diagnosis::attaching::is_silent;
use crate::model::{AnnotationKey, Kind, ObjectKey};
use crate::repair::guards::machine::made_for;
use crate::repair::plan::{Proposed, Recheck, Refusal, Undo};
use crate::repair::request::Request;
use crate::repair::situation::Situation;
use crate::repair::write::{Change, Expect, Write};

pub(super) fn plan(situation: &Situation<'_>, request: &Request, key: &ObjectKey) -> Planned {
    let claim = claim(situation, key)?;
    let Some(node) = claim.meta.annotations.get(AnnotationKey::SelectedNode) else {
        return Ok(Proposed::Nothing(format!("no node is selected for claim {}", claim.key())));
    };
    if claim.meta.annotations.has(AnnotationKey::BindCompleted) || !claim.volume_name.is_empty() {
        return Ok(Proposed::Nothing(format!(
            "claim {} has a volume: its selected node has no effect any more",
            claim.key()
        )));
    }
    if claim.terminating() {
        return Ok(Proposed::Nothing(format!("claim {} is being deleted", claim.key())));
    }
    if let Some(found) = situation.snapshot.node(node) {
        let gone = "if its machine is gone for good, delete the node, and then ask for the repair again";
        let refusal = Refusal::new(
            "node",
            format!(
                "node {node}, which is selected for claim {}, exists: a provisioner may be creating a volume for it",
                claim.key()
            ),
        );
        return Err(if is_silent(found) { refusal.hint(gone) } else { refusal }.into());
    }
    if !situation.knows_all(Kind::Node, "") {
        return Err(Refusal::new("unknown", format!("whether node {node} exists could not be read")).into());
    }
    if let Some(made) = made_for(situation.snapshot.volumes(), &claim.meta.uid) {
        let message = format!("volume {} was made for claim {}: it is about to be bound", made.meta.name, claim.key());
        return Err(Refusal::new("provisioner", message).into());
    }
    if !situation.knows_all(Kind::PersistentVolume, "") {
        let message = format!("whether a volume was made for claim {} could not be read", claim.key());
        return Err(Refusal::new("unknown", message).into());
    }
    let mut plan = Builder::new(request);
    plan.leave_to_person(
        "it cannot be seen whether a provisioner is still creating a volume for that node: such a volume would be left \
         over",
    );
    plan.save_claim(claim);
    let name = AnnotationKey::SelectedNode.as_str();
    let write = |from: Option<&str>, to: Option<&str>| Write {
        object: key.clone(),
        uid: claim.meta.uid.clone(),
        expect: vec![
            Expect::Annotation { key: name.into(), is: from.map(Into::into) },
            Expect::VolumeName { is: claim.volume_name.clone() },
            Expect::Terminating { is: false },
        ],
        change: Change::SetAnnotation { key: name.into(), value: to.map(Into::into) },
    };
    let is_immediate = situation.snapshot.class(claim.class()).is_some_and(|class| !class.waits_for_first_consumer());
    let instead = if is_immediate {
        format!("class {} is Immediate, so its provisioner needs no selected node", claim.class())
    } else {
        "let the scheduler select another one".to_owned()
    };
    plan.step(
        format!("node {node} does not exist: {instead}"),
        Some(write(Some(node), None)),
        vec![Recheck::Unprovisioned { node: node.into(), claim: claim.meta.uid.clone() }],
        None,
        Undo::Write { write: Box::new(write(None, Some(node))), wait: None },
    );
    if !is_immediate {
        plan.note(
            "the pod that uses the claim has to be scheduled again: if the pod has that node already, delete the pod",
        );
    }
    Ok(plan.finish(format!("claim {} is no longer tied to node {node}", claim.key())))
}
