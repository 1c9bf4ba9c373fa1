//! The failures of one sync: refused writes, failed reads, a crash of the controller, and lagging caches.

use super::decide::{Decision, run};
use crate::controllers::{Controller, Settings, SyncContext};
use crate::model::ObjectId;
use crate::world::{Answers, ApiRefusal, Cached, Choices, ControllerState, Effect, World};

/// Returns the worlds after one sync under all circumstances except the ordinary ones, for every choice. The function
/// runs syncs with the memory and the answers that the settings give. If the settings ask for failures, the function
/// also runs syncs with each possible failure, and syncs whose caches still hold the recorded version of one object.
/// These circumstances do not last: the ends are computed for a world in which the caches are in step and nothing fails
/// any more.
pub fn with_failures<'s>(
    before: &World<'s>,
    settings: &Settings<'s>,
    controller: Controller,
    object: ObjectId,
) -> Vec<World<'s>> {
    let mut worlds = Vec::new();
    if settings.failures {
        worlds.extend((controller.late)(before, object));
    }
    let given = ((controller.memory)(&settings.controller), &settings.answers);
    let ordinary = (ControllerState::in_step(), &Answers::default());
    for ((memory, answers), is_ordinary) in [(ordinary, true), (given, false)] {
        if !is_ordinary && settings.starts_in_step() {
            break;
        }
        let mut each = |memory: &ControllerState<'s>, fails: bool, counts: bool| {
            let mut choices = Some(Choices::first());
            while let Some(script) = choices {
                let (mut after, mut own) = (before.clone(), memory.clone());
                let sync = SyncContext::new(&mut after, &mut own, answers, script);
                let Some((decision, met)) = run(sync, &settings.behavior, controller, object) else { break };
                if counts {
                    worlds.push(after);
                }
                for Failure { answers, crash_before } in if fails { failures(&decision, answers) } else { Vec::new() } {
                    let (mut after, mut own) = (before.clone(), memory.clone());
                    let sync =
                        SyncContext::new(&mut after, &mut own, &answers, met.repeat()).crashing_before(crash_before);
                    run(sync, &settings.behavior, controller, object);
                    worlds.push(after);
                }
                choices = met.next();
            }
        };
        if settings.failures || !is_ordinary {
            each(&memory, settings.failures, !is_ordinary);
        }
        if settings.failures {
            for lagging in lagging(before, &memory) {
                each(&lagging, false, true);
            }
        }
    }
    worlds
}

/// Returns copies of the memory. In each copy, the cache lags for one changed object: it holds the recorded version of
/// this object, or no object if the object was created since.
fn lagging<'s>(world: &World<'s>, memory: &ControllerState<'s>) -> Vec<ControllerState<'s>> {
    let mut all = Vec::new();
    for (id, _) in world.changed() {
        let stale = world.snapshot().object(*id).map(Cached::Stale);
        for cached in stale.into_iter().chain(world.is_new(*id).then_some(Cached::Unseen)) {
            let mut lagging = memory.clone();
            lagging.lag(*id, cached);
            all.push(lagging);
        }
    }
    all
}

/// One possible failure of a sync.
#[derive(Clone, Debug)]
pub(super) struct Failure {
    /// The answers of the API server.
    pub(super) answers: Answers,
    /// The number of the write, counted from 1, before which the controller's process ends.
    pub(super) crash_before: Option<u32>,
}

/// Returns all possible failures of a sync with this decision. Each of its writes may be refused, the process may end
/// before each write, and each of its live reads may fail.
pub(super) fn failures(decision: &Decision<'_>, answers: &Answers) -> Vec<Failure> {
    let unavailable = || "the server is currently unable to handle the request".to_owned();
    let mut all = Vec::new();
    let writes = decision.record.effects.iter().filter(|effect| matches!(effect, Effect::Write(_)));
    for (write, _) in (1..).zip(writes) {
        all.push(Failure { answers: answers.clone(), crash_before: Some(write) });
        let refused = Answers { refuse: Some((write, ApiRefusal::Other(unavailable()))), ..answers.clone() };
        all.push(Failure { answers: refused, crash_before: None });
    }
    let reads = &decision.record.live_reads;
    for (place, read) in reads.iter().enumerate() {
        let number = reads[..=place].iter().filter(|earlier| *earlier == read).count();
        let failing = (*read, u32::try_from(number).unwrap_or(u32::MAX), ApiRefusal::Other(unavailable()));
        let failed = Answers { failing_read: Some(failing), ..answers.clone() };
        all.push(Failure { answers: failed, crash_before: None });
    }
    all
}
