//! The verb `retain`: it keeps the data of a volume, whatever happens to its claim.

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
    // With policy Retain, a driver no longer keeps the object of a volume that is being deleted. The data are kept, and
    // the journal records where they are.
    let goes = volume.terminating() && volume.status.phase != VolumePhase::Bound;
    let given_up = if goes { vec![GivenUp::Object] } else { Vec::new() };
    plan.carry(volume, Carried { volume: name.into(), for_claims: Vec::new(), given_up });
    plan.retain(volume, "whatever becomes of its claim");
    Ok(plan.finish(format!("the data of volume {name} are kept, whatever becomes of its claim")))
}
