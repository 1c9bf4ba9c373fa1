//! What one sync of one object does now, for every outcome of the choices that nobody controls.

use crate::controllers::persistent_volume::alike::{Alike, alike};
use crate::controllers::persistent_volume::{sync_claim, sync_volume};
use crate::controllers::protection::{sync_claim_protection, sync_volume_protection};
use crate::controllers::{Branch, Controller, Limit, Rules, Settings, Sync};
use crate::model::{Kind, ObjectId};
use crate::snapshot::{ClaimId, VolumeId};
use crate::world::{Answers, Cached, Choices, ControllerState, Effect, OperationState, Record, World};

/// An object that a controller syncs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Target {
    /// A volume.
    Volume(VolumeId),
    /// A claim.
    Claim(ClaimId),
}

impl Target {
    /// Its place among the objects of all kinds.
    pub fn object(self) -> ObjectId {
        match self {
            Self::Volume(id) => id.into(),
            Self::Claim(id) => id.into(),
        }
    }

    /// The object at that place, if a controller syncs that kind.
    pub fn at(id: ObjectId) -> Option<Self> {
        id.of().map(Self::Volume).or_else(|| id.of().map(Self::Claim))
    }
}

/// What wakes an object next.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum NextSync {
    /// An event: this sync wrote the object, or put it on a queue.
    Event,
    /// The periodic resync.
    Resync,
    /// The retry of something that failed.
    Backoff,
}

impl NextSync {
    /// The word of the output contract.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Event => "event",
            Self::Resync => "resync",
            Self::Backoff => "backoff",
        }
    }
}

/// What one sync of one controller does.
#[derive(Clone, Debug)]
pub struct Decision<'s> {
    /// Whose.
    pub controller: Controller,
    /// The leaf at which the sync function ended.
    pub branch: Branch,
    /// Everything that was done and asked on the way.
    pub record: Record<'s, Branch>,
    /// What wakes the object next.
    pub next_sync: NextSync,
    /// The next decisions, where they are this one with another volume; see [`decide_folded`].
    pub alike: Option<Alike>,
}

impl Decision<'_> {
    /// How many decisions this one stands for, itself included.
    pub fn stands_for(&self) -> usize {
        1 + self.alike.as_ref().map_or(0, |alike| alike.others.len())
    }
}

impl<'s> Decisions<'s> {
    /// The first ones, as many as the limit allows, but at least one of each controller; each with how many of those
    /// that it stands for are among them.
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
    /// The listed ones: by controller, then by branch and chosen object.
    pub listed: Vec<Decision<'s>>,
    /// How many there are in all.
    pub count: u64,
}

/// The decisions of every controller that syncs that kind of object, each listed.
pub fn decide<'s>(world: &World<'s>, settings: &Settings<'s>, target: Target) -> Decisions<'s> {
    decided(world, settings, target, false)
}

/// The same decisions, where one may stand for the ones after it: [`Decision::alike`] says for which. No run is made
/// for these, which saves most of the work where many volumes are equally good.
pub fn decide_folded<'s>(world: &World<'s>, settings: &Settings<'s>, target: Target) -> Decisions<'s> {
    decided(world, settings, target, settings.controller.in_step_with_all() && settings.answers == Answers::default())
}

fn decided<'s>(world: &World<'s>, settings: &Settings<'s>, target: Target, folded: bool) -> Decisions<'s> {
    let mut decisions = Decisions::default();
    let mut listed = 0;
    for controller in &settings.controllers {
        let mut choices = Some(Choices::first());
        let mut first = true;
        while let Some(script) = choices {
            let mut after = world.clone();
            let mut memory = memory_of(*controller, &settings.controller);
            take_in(&mut memory, target);
            let sync = Sync::new(&mut after, &mut memory, &settings.answers, script).traced(settings.tracing);
            let Some((mut decision, mut met)) = run(sync, &settings.rules, *controller, target) else { break };
            if first {
                decisions.count = decisions.count.saturating_add(met.runs());
                first = false;
            }
            listed += 1;
            if folded {
                decision.alike = alike(world, &decision.record, &met, settings.decisions.left_after(listed));
                met = met.passing(decision.stands_for() - 1);
                listed += decision.stands_for() - 1;
            }
            decisions.listed.push(decision);
            choices = if settings.decisions.allows(listed) { met.next() } else { None };
        }
    }
    decisions
}

/// Only the binder has a second cache and operations; the protection controllers read the informers, in step but for
/// pods that these have not seen.
pub(super) fn memory_of<'s>(controller: Controller, binder: &ControllerState<'s>) -> ControllerState<'s> {
    match controller {
        Controller::PersistentVolumeBinder => binder.clone(),
        Controller::PersistentVolumeProtection | Controller::PersistentVolumeClaimProtection => {
            let pods = binder.cached.iter().filter(|(id, _)| id.kind == Kind::Pod);
            ControllerState { cached: pods.cloned().collect(), operations: Vec::new() }
        }
    }
}

/// A controller begins with taking the informer's copy of the object that it is about to sync into its own cache.
/// Upstream: `storeVolumeUpdate`, `storeClaimUpdate`, 1.36.
fn take_in(memory: &mut ControllerState<'_>, target: Target) {
    let id = target.object();
    memory.cached.retain(|(cached, how)| *cached != id || !matches!(how, Cached::InformerOnly));
}

/// One sync; nothing where the controller does not look at that kind of object, or the object is not there.
pub(super) fn run<'s>(
    mut sync: Sync<'_, 's>,
    rules: &Rules,
    controller: Controller,
    target: Target,
) -> Option<(Decision<'s>, Choices)> {
    let branch: Branch = match (controller, target) {
        (Controller::PersistentVolumeBinder, Target::Volume(id)) => sync_volume(&mut sync, rules, id)?.into(),
        (Controller::PersistentVolumeBinder, Target::Claim(id)) => sync_claim(&mut sync, rules, id)?.into(),
        (Controller::PersistentVolumeProtection, Target::Volume(id)) => {
            sync.world().get(id)?;
            sync_volume_protection(&mut sync, id).into()
        }
        (Controller::PersistentVolumeClaimProtection, Target::Claim(id)) => {
            sync.world().get(id)?;
            sync_claim_protection(&mut sync, rules, id).into()
        }
        (Controller::PersistentVolumeProtection, Target::Claim(_))
        | (Controller::PersistentVolumeClaimProtection, Target::Volume(_)) => return None,
    };
    let (record, choices) = sync.finish();
    let next_sync = next_sync(rules, controller, &record);
    Some((Decision { controller, branch, record, next_sync, alike: None }, choices))
}

fn next_sync(rules: &Rules, controller: Controller, record: &Record<'_, Branch>) -> NextSync {
    let backs_off =
        record.effects.iter().any(|effect| matches!(effect, Effect::Operation { state: OperationState::Backoff, .. }));
    let wrote = record.effects.iter().any(|effect| match effect {
        Effect::Write(write) => write.refused.is_none(),
        Effect::Enqueue(_) => true,
        Effect::Event(_) | Effect::Operation { .. } => false,
    });
    // The protection controllers' queues have always been rate limited; the binder's are since 1.36.
    let retried = rules.errors_are_retried || controller != Controller::PersistentVolumeBinder;
    if record.error.is_some() && retried || record.operation_failed || backs_off {
        NextSync::Backoff
    } else if wrote || controller != Controller::PersistentVolumeBinder {
        NextSync::Event
    } else {
        NextSync::Resync
    }
}
