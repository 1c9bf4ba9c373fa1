//! The pods of recyclers as an actor of a simulation. A recycler pod succeeds, fails, or never ends. The controller
//! then handles this result. Upstream: `recycleVolumeOperation`, 1.36.

use super::reclaim::may_be_recycled;
use super::volume::sync_volume;
use super::{SCRUBBING, sameness};
use crate::controllers::spec::{Controller, ControllerSpec, Step};
use crate::controllers::{Branch, DecidedBy, KubernetesBehavior, SyncContext};
use crate::model::{HeldObject, Id, Kind, ObjectId, PersistentVolume, VolumePhase};
use crate::world::PluginAnswer;

/// The pods of all recyclers.
pub const CONTROLLER: Controller = Controller::of(&ControllerSpec {
    syncs: &[Kind::PersistentVolume],
    same: sameness::same,
    is_hidden,
    decides: Some(DecidedBy::Recycler),
    may_choose: |snapshot, id| id.of().is_some_and(|volume| may_be_recycled(snapshot.volume(volume))),
    ..ControllerSpec::named("recycler", "recycler", |sync, behavior, id| sync_recycled(sync, behavior, id.of()?))
});

/// Returns whether the step does not change which volumes are recycled.
fn is_hidden(step: &Step<'_, '_>) -> bool {
    let ended = |object: &HeldObject<'_>| {
        let volume = object.of::<PersistentVolume>();
        volume.is_some_and(|volume| matches!(volume.status.phase, VolumePhase::Released | VolumePhase::Failed))
    };
    !ended(step.before) && !ended(step.after)
}

/// Chooses the result of the recycler pod of a volume, and syncs the volume with this result. Returns None if the
/// volume has no recycler pod, or if it is known that its recycler pod never ends. The memory of a volume is a list of
/// objects. The list contains the volume once if its recycler pod never ends, and twice if its recycler pods always
/// fail.
fn sync_recycled(
    sync: &mut SyncContext<'_, '_>,
    behavior: &KubernetesBehavior,
    id: Id<PersistentVolume>,
) -> Option<Branch> {
    if !sync.world().has_mark(id.into(), SCRUBBING) {
        return None;
    }
    let failed = || PluginAnswer::Failed("the recycler pod failed".to_owned());
    let own = ObjectId::from(id);
    let answer = match sync.world().memory_of(id).map(|memory| memory.len()) {
        Some(1) => return None,
        Some(_) => failed(),
        None => {
            let answers = [PluginAnswer::Done, failed(), PluginAnswer::Waiting];
            let answer = sync.pick_option(&answers)?.clone();
            match answer {
                PluginAnswer::Waiting => sync.remember(id, [own].into()),
                PluginAnswer::Failed(_) => sync.remember(id, [own, own].into()),
                PluginAnswer::Done | PluginAnswer::InUse(_) => {}
            }
            answer
        }
    };
    sync.with_plugin_answer(answer, |sync| sync_volume(sync, behavior, id)).map(Branch::from)
}
