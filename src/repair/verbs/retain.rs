//! The verb `retain`: it keeps the data of a volume, even if its claim is deleted.

use super::build::{Builder, Planned, volume};
use crate::model::{ReclaimPolicy, VolumePhase};
use crate::repair::plan::{Carried, GivenUp, Proposed};
use crate::repair::request::Request;
use crate::repair::situation::Situation;

pub(super) fn plan(situation: &Situation<'_>, request: &Request, name: &str) -> Planned {
    let volume = volume(situation, name)?;
    if volume.reclaim_policy == ReclaimPolicy::Retain {
        return Ok(Proposed::Nothing(format!("volume {name} has policy Retain already")));
    }
    let mut plan = Builder::new(request);
    // If a volume is being deleted and gets policy Retain, the driver may remove the finalizer, so that the object is
    // gone at once. The data are kept, and the journal records their storage.
    let goes = volume.terminating() && volume.status.phase != VolumePhase::Bound;
    let given_up = if goes { vec![GivenUp::Object] } else { Vec::new() };
    plan.carry(volume, Carried { volume: name.into(), for_claims: Vec::new(), given_up });
    plan.retain(volume, "even if its claim is deleted");
    Ok(plan.finish(format!("the data of volume {name} are kept, even if its claim is deleted")))
}
