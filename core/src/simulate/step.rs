//! The worlds to which single syncs lead. They are for code that explores more than the actions of controllers.

use super::decide::run;
use super::failures::failures;
use crate::controllers::{Controller, Settings, SyncContext};
use crate::model::ObjectId;
use crate::world::{Answers, Cached, Choices, ControllerState, World};

/// One result of a sync.
#[derive(Clone, Debug)]
pub struct Stepped<'s> {
    /// The world after the sync.
    pub world: World<'s>,
    /// Whether the sync was ordinary: caches in step, no refused write, no failed read and no crash.
    pub ordinary: bool,
}

/// Returns the worlds to which one sync of the object leads, for every controller and every choice. With `earlier`, the
/// function adds syncs of controllers whose caches still hold one object as it was in that world. It also adds syncs in
/// which a write is refused, a live read fails or the process ends before a write.
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

/// Returns controller states with one lagging object. The cache holds this object as it was in the earlier world, or no
/// object if it did not exist then. Only objects that a sync of `object` reads by name or finds in a search are used.
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
