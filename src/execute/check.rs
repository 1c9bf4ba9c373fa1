//! Checks a plan from a file or a journal, and refuses a plan that this program never makes.

use super::api::check as check_key;
use super::error::Stopped;
use crate::model::Kind;
use crate::repair::{Change, PLAN_ANNOTATION, Plan};

/// Refuses a plan that no planner would make. Such a plan has names that change the path of a request, such as `..` or
/// `a/b`, or has writes that no repair makes. Each manifest must have the kind, apiVersion, name and namespace of its
/// step, and the id of the plan in its annotation.
pub(super) fn check(plan: &Plan) -> Result<(), Stopped> {
    plan.objects().iter().try_for_each(check_key)?;
    for write in plan.writes() {
        let kind = write.object.kind;
        let (fits, only) = match &write.change {
            Change::Create { .. } => (kind == Kind::PersistentVolumeClaim, "only claims are created"),
            Change::CreateService { .. } => (kind == Kind::Service, "this change is only for Services"),
            Change::Delete => (
                matches!(kind, Kind::PersistentVolumeClaim | Kind::VolumeAttachment | Kind::Service),
                "only claims, attachments and Services are deleted",
            ),
            Change::NameVolume { .. } | Change::SetClass { .. } | Change::SetAnnotation { .. } => {
                (kind == Kind::PersistentVolumeClaim, "this change is only for claims")
            }
            Change::SetReclaimPolicy { .. } | Change::SetClaimRef { .. } => {
                (kind == Kind::PersistentVolume, "this change is only for volumes")
            }
            Change::RemoveFinalizer { .. } => (
                matches!(kind, Kind::PersistentVolume | Kind::PersistentVolumeClaim),
                "finalizers are removed only from volumes and claims",
            ),
        };
        if !fits {
            return Err(Stopped::refused(format!("no repair does this: {} {} ({only})", write.verb(), write.object)));
        }
        if let Change::SetReclaimPolicy { to } = &write.change
            && !matches!(to.as_str(), "Retain" | "Delete")
        {
            return Err(Stopped::refused(format!("no repair sets the policy of {} to {to:?}", write.object)));
        }
        if let Change::CreateService { service } = &write.change
            && service.plan() != plan.id
        {
            return Err(Stopped::refused(format!(
                "{} must have the annotation {PLAN_ANNOTATION}: {}",
                write.object, plan.id
            )));
        }
        if let Change::Create { manifest } = &write.change {
            let metadata = &manifest["metadata"];
            let fits = manifest["kind"] == write.object.kind.as_str()
                && manifest["apiVersion"] == write.object.kind.api_version()
                && metadata["name"] == write.object.name.as_str()
                && metadata["namespace"] == write.object.namespace.as_str()
                && metadata["annotations"][PLAN_ANNOTATION] == plan.id.as_str();
            if !fits {
                return Err(Stopped::refused(format!(
                    "the manifest of {} must have the kind, apiVersion, name and namespace of its step, and the \
                     annotation {PLAN_ANNOTATION}: {}",
                    write.object, plan.id
                )));
            }
        }
    }
    Ok(())
}

/// Returns whether two plans are the same. `expects` is not compared, because only the review adds these simulated
/// states.
pub(super) fn same_but_for_expectations(one: &Plan, other: &Plan) -> bool {
    let bare = |plan: &Plan| {
        let mut plan = plan.clone();
        plan.steps.iter_mut().for_each(|step| step.expects.clear());
        plan
    };
    bare(one) == bare(other)
}
