//! What one sync of one object does now, for every result of its choices.

use crate::controllers::{
    Branch, Controller, InterchangeableChoices, KubernetesBehavior, Limit, Settings, SyncContext,
};
use crate::model::ObjectId;
use crate::world::{Cached, Choices, ControllerState, Effect, OperationState, Record, World};

/// What causes the next sync of an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum NextSync {
    /// An event of the object: this sync wrote something or put a key on a queue, or the controller has no resync.
    Event,
    /// The periodic resync.
    Resync,
    /// The retry after an error or a failed operation.
    Backoff,
}

impl NextSync {
    /// Returns the word that documents print for the cause.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Event => "event",
            Self::Resync => "resync",
            Self::Backoff => "backoff",
        }
    }
}

/// What one controller does in one sync of one object.
#[derive(Clone, Debug)]
pub struct Decision<'s> {
    /// The controller that syncs.
    pub controller: Controller,
    /// The leaf at which the sync function ended.
    pub branch: Branch,
    /// Everything that the sync read, compared and did.
    pub record: Record<'s, Branch>,
    /// What causes the next sync of the object.
    pub next_sync: NextSync,
    /// The decisions that follow this one in the list and differ from it only in the chosen object; see
    /// [`decide_folded`].
    pub alike: Option<InterchangeableChoices>,
}

impl Decision<'_> {
    /// Returns the number of decisions that this one represents, including itself.
    pub fn stands_for(&self) -> usize {
        1 + self.alike.as_ref().map_or(0, |alike| alike.others.len())
    }
}

impl<'s> Decisions<'s> {
    /// Returns the first decisions, as many as the limit allows, but at least one decision of each controller. Each
    /// decision is returned with the number of further decisions that it represents within the limit.
    pub fn within(&self, limit: Limit) -> impl Iterator<Item = (&Decision<'s>, usize)> {
        let mut before = 0;
        let mut controller = None;
        self.listed.iter().filter_map(move |decision| {
            let first = controller.replace(decision.controller) != Some(decision.controller);
            let listed = first || limit.allows(before);
            let others = limit.left_after(before + 1).min(decision.stands_for() - 1);
            before += decision.stands_for();
            listed.then_some((decision, others))
        })
    }
}

/// All decisions of one object.
#[derive(Clone, Debug, Default)]
pub struct Decisions<'s> {
    /// The listed decisions, sorted by controller. The decisions of one controller are in the order of the choices.
    pub listed: Vec<Decision<'s>>,
    /// The number of all decisions, listed or not.
    pub count: u64,
}

/// Returns the decisions of every controller that syncs this kind of object. Each decision is listed separately, up to
/// the limit of the settings.
pub fn decide<'s>(world: &World<'s>, settings: &Settings<'s>, object: ObjectId) -> Decisions<'s> {
    decided(world, settings, object, false)
}

/// Returns the same decisions as [`decide`], but one decision may represent several others, which [`Decision::alike`]
/// names. The sync is not run for these others. This saves most of the work if many objects are equally good.
pub fn decide_folded<'s>(world: &World<'s>, settings: &Settings<'s>, object: ObjectId) -> Decisions<'s> {
    decided(world, settings, object, settings.starts_in_step())
}

fn decided<'s>(world: &World<'s>, settings: &Settings<'s>, object: ObjectId, folded: bool) -> Decisions<'s> {
    let mut decisions = Decisions::default();
    let mut listed = 0;
    for controller in &settings.controllers {
        let mut choices = Some(Choices::first());
        let mut first = true;
        while let Some(script) = choices {
            let mut after = world.clone();
            let mut memory = (controller.memory)(&settings.controller);
            take_in(&mut memory, object);
            let sync = SyncContext::new(&mut after, &mut memory, &settings.answers, script).traced(settings.tracing);
            let Some((mut decision, mut met)) = run(sync, &settings.behavior, *controller, object) else { break };
            if first {
                decisions.count = decisions.count.saturating_add(met.runs());
                first = false;
            }
            listed += 1;
            if folded {
                let left = settings.decisions.left_after(listed);
                decision.alike = (controller.alike)(world, &decision.record, &met, left);
                met = met.passing(decision.stands_for() - 1);
                listed += decision.stands_for() - 1;
            }
            decisions.listed.push(decision);
            choices = if settings.decisions.allows(listed) { met.next() } else { None };
        }
    }
    decisions
}

/// Copies the object from the informer's cache into the controller's own cache, as the controller does before it syncs
/// the object. Upstream: `storeVolumeUpdate`, `storeClaimUpdate`, 1.36.
fn take_in(memory: &mut ControllerState<'_>, object: ObjectId) {
    memory.cached.retain(|(cached, how)| *cached != object || !matches!(how, Cached::InformerOnly));
}

/// Runs one sync. Returns `None` if the controller does not sync this kind of object, if the object does not exist, or
/// if the sync has nothing to do.
pub fn run<'s>(
    mut sync: SyncContext<'_, 's>,
    behavior: &KubernetesBehavior,
    controller: Controller,
    object: ObjectId,
) -> Option<(Decision<'s>, Choices)> {
    if !controller.syncs.contains(&object.kind) {
        return None;
    }
    let branch = (controller.sync)(&mut sync, behavior, object)?;
    let (record, choices) = sync.finish();
    let next_sync = next_sync(behavior, controller, &record);
    Some((Decision { controller, branch, record, next_sync, alike: None }, choices))
}

fn next_sync(behavior: &KubernetesBehavior, controller: Controller, record: &Record<'_, Branch>) -> NextSync {
    let backs_off =
        record.effects.iter().any(|effect| matches!(effect, Effect::Operation { state: OperationState::Backoff, .. }));
    let wrote = record.effects.iter().any(|effect| match effect {
        Effect::Write(write) => write.refused.is_none(),
        Effect::Enqueue(_) => true,
        Effect::Event(_) | Effect::Operation { .. } => false,
    });
    if record.error.is_some() && (controller.retries_errors)(behavior) || record.operation_failed || backs_off {
        NextSync::Backoff
    } else if wrote || !controller.resyncs {
        NextSync::Event
    } else {
        NextSync::Resync
    }
}
