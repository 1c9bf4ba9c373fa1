//! Where single syncs lead from a world, for whoever explores more than controllers alone.

use super::decide::run;
use super::failures::failures;
use crate::controllers::{Controller, Settings, SyncContext};
use crate::model::ObjectId;
use crate::world::{Answers, Cached, Choices, ControllerState, World};

/// What one sync can lead to.
#[derive(Clone, Debug)]
pub struct Stepped<'s> {
    /// The world after it.
    pub world: World<'s>,
    /// Whether nothing went wrong: caches in step, no write refused, no crash.
    pub ordinary: bool,
}

/// The worlds that one sync of the object leads to, by any controller and for every choice that it has. With
/// `earlier`, also those of controllers whose caches still have one object as it was then, and of syncs that end
/// between two of their writes.
pub fn stepped<'s>(
    world: &World<'s>,
    earlier: Option<&World<'s>>,
    settings: &Settings<'s>,
    object: ObjectId,
) -> Vec<Stepped<'s>> {
    let mut all = Vec::new();
    let answers = Answers::default();
    for controller in &settings.controllers {
        let in_step = (controller.memory)(&ControllerState::in_step());
        let stale = earlier.map(|earlier| lagging(world, earlier, *controller, object)).unwrap_or_default();
        for (memory, ordinary) in std::iter::once((in_step, true)).chain(stale.into_iter().map(|old| (old, false))) {
            let mut choices = Some(Choices::first());
            while let Some(script) = choices {
                let (mut after, mut own) = (world.clone(), memory.clone());
                let sync = SyncContext::new(&mut after, &mut own, &answers, script);
                let Some((decision, met)) = run(sync, &settings.behavior, *controller, object) else { break };
                all.push(Stepped { world: after, ordinary });
                if ordinary && earlier.is_some() {
                    for failure in failures(&decision, &answers) {
                        let (mut after, mut own) = (world.clone(), memory.clone());
                        let sync = SyncContext::new(&mut after, &mut own, &failure.answers, met.repeat())
                            .crashing_before(failure.crash_before);
                        run(sync, &settings.behavior, *controller, object);
                        all.push(Stepped { world: after, ordinary: false });
                    }
                }
                choices = met.next();
            }
        }
    }
    all
}

/// The memories with one of the objects that changed since as it was then, or without one that came since: of those
/// that a sync of the object looks at by name or by searching.
fn lagging<'s>(
    world: &World<'s>,
    earlier: &World<'s>,
    controller: Controller,
    object: ObjectId,
) -> Vec<ControllerState<'s>> {
    let mut all = Vec::new();
    for (id, _) in world.changed() {
        let looks_at = |world: &World<'_>| (controller.looks_at)(world, object, *id);
        let then = earlier.object(*id);
        if (looks_at(world) || looks_at(earlier)) && then != world.object(*id) {
            let mut lagging = (controller.memory)(&ControllerState::in_step());
            lagging.lag(*id, then.map_or(Cached::Unseen, Cached::Stale));
            all.push(lagging);
        }
    }
    all
}
