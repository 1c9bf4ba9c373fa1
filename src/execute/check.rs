//! Checks a plan that was read from a file or a journal. A planner of this program must have been able to make it.

use super::api::check as check_key;
use super::error::Stopped;
use crate::model::Kind;
use crate::repair::{Change, PLAN_ANNOTATION, Plan};

/// Refuses a plan that no planner would make. Such a plan has names with a special meaning in a path, or writes that no
/// repair uses. Or it creates a claim under another name than its step says.
pub(super) fn check(plan: &Plan) -> Result<(), Stopped> {
    plan.objects().iter().try_for_each(check_key)?;
    for write in plan.writes() {
        let kind = write.object.kind;
        let (fits, only) = match &write.change {
            Change::Create { .. } | Change::Delete => {
                (kind == Kind::PersistentVolumeClaim, "only claims are created and deleted")
            }
            Change::NameVolume { .. } | Change::SetClass { .. } | Change::SetAnnotation { .. } => {
                (kind == Kind::PersistentVolumeClaim, "that is written to claims only")
            }
            Change::SetReclaimPolicy { .. } | Change::SetClaimRef { .. } => {
                (kind == Kind::PersistentVolume, "that is written to volumes only")
            }
            Change::RemoveFinalizer { .. } => (
                matches!(kind, Kind::PersistentVolume | Kind::PersistentVolumeClaim),
                "finalizers are taken off volumes and claims only",
            ),
        };
        if !fits {
            return Err(Stopped::refused(format!("no repair is to {} {}: {only}", write.verb(), write.object)));
        }
        if let Change::SetReclaimPolicy { to } = &write.change
            && !matches!(to.as_str(), "Retain" | "Delete")
        {
            return Err(Stopped::refused(format!("no repair sets the policy of {} to {to:?}", write.object)));
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
                    "the manifest of {} has another kind, name or namespace, or not the annotation {PLAN_ANNOTATION}: {}",
                    write.object, plan.id
                )));
            }
        }
    }
    Ok(())
}

/// Whether two plans are the same. The simulated answers of the controllers are not compared, because a review adds
/// them.
pub(super) fn same_but_for_expectations(one: &Plan, other: &Plan) -> bool {
    let bare = |plan: &Plan| {
        let mut plan = plan.clone();
        plan.steps.iter_mut().for_each(|step| step.expects.clear());
        plan
    };
    bare(one) == bare(other)
}
