//! The safety model of a plan that creates or deletes the Service of a shared volume. Such a plan writes no volume and
//! no claim. The model has the name and the address of the Service, the Service that the server has, the claim of the
//! volume, and whether clients use the address.
//!
//! The actors are the system that serves the volume, people who create and delete Services and claims, and pods. They
//! act before, between and after the steps of the plan, in every order. As in the other models, a step rechecks its
//! conditions and writes at one moment. The API server gives an address to one Service at most.

use super::adversary::{Harm, Interleaving, Verdict};
use super::answers::{Answer, WaitResult};
use super::plan::{Plan, Recheck, Step, state_in_words};
use super::write::{Change, Obstacle, Seen, Write};
use crate::model::{Kind, Service, Str};
use crate::snapshot::Snapshot;
use std::collections::BTreeMap;
use std::sync::Arc;

/// A plan that creates or deletes a Service.
pub(super) struct Reconnection<'p> {
    steps: &'p [Step],
    /// The name of the volume, as the plan saves it.
    volume: Str,
    service: String,
    /// Whether the plan creates a Service like another Service of the same server.
    is_alias: bool,
}

/// The Service that has the name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
enum Named {
    /// It is the one that was reviewed. For a plan that creates it, there is none.
    #[default]
    Reviewed,
    /// The plan has created or deleted it.
    Written,
    /// Somebody else has created one, with another address.
    Another,
}

/// A state of the model.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
struct State {
    named: Named,
    /// Whether another Service has the address.
    taken: bool,
    /// Whether the server has another Service than the reviewed one, or that Service leads to other pods.
    moved: bool,
    /// Whether the claim has ended, or another claim or volume has its name.
    ended: bool,
    /// Whether a pod uses the address.
    used: bool,
    /// The number of steps that the plan has carried out.
    position: usize,
    /// What the plan has done.
    done: Option<Outcome>,
}

/// What the plan has done.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Outcome {
    /// It has created the Service for the clients of the volume, or deleted a Service that nobody used.
    Meant,
    /// It has created the Service for a server that may not have the volume.
    Misled,
    /// It has deleted a Service that clients use, or another one than the reviewed one.
    CutOff,
}

/// A move.
#[derive(Clone, Copy, Debug)]
enum Move {
    Plan(usize),
    NameTaken,
    AddressTaken,
    ServerMoved,
    ClaimEnded,
    PodStarted,
}

impl<'p> Reconnection<'p> {
    /// Returns the model of a plan, if the plan creates or deletes a Service.
    pub(super) fn of(plan: &'p Plan) -> Option<Self> {
        let write = plan.writes().find(|write| write.object.kind == Kind::Service)?;
        let saved = plan.saves.iter().find(|key| key.kind == Kind::PersistentVolume);
        Some(Self {
            steps: &plan.steps,
            volume: saved.map(|key| key.name.clone()).unwrap_or_default(),
            service: format!("{}/{}", write.object.namespace, write.object.name),
            is_alias: matches!(&write.change, Change::CreateService { service } if service.is_alias()),
        })
    }

    /// Searches for an order of moves in which the plan does harm.
    pub(super) fn judge(&self) -> Verdict {
        let mut ways: BTreeMap<State, Option<(State, Move)>> = BTreeMap::from([(State::default(), None)]);
        let mut open = vec![State::default()];
        while let Some(state) = open.pop() {
            let harm = match state.done {
                Some(Outcome::Misled) => Some(Harm::Misled(self.service.as_str().into())),
                Some(Outcome::CutOff) => Some(Harm::CutOff(self.service.as_str().into())),
                Some(Outcome::Meant) | None => None,
            };
            if let Some(harm) = harm {
                return Verdict::Harmful(self.told(&ways, state, harm));
            }
            for (by, after) in self.moves(state) {
                ways.entry(after).or_insert_with(|| {
                    open.push(after);
                    Some((state, by))
                });
            }
        }
        Verdict::Safe { states: ways.len() }
    }

    fn moves(&self, state: State) -> Vec<(Move, State)> {
        let mut moves: Vec<(Move, State)> = self.plan_move(state).into_iter().collect();
        let mut add = |by, change: &dyn Fn(&mut State)| {
            let mut after = state;
            change(&mut after);
            if after != state {
                moves.push((by, after));
            }
        };
        add(Move::NameTaken, &|after| after.named = Named::Another);
        add(Move::AddressTaken, &|after| after.taken |= after.named != Named::Written);
        // The name of a Service that is not an alias says whose Service it is.
        add(Move::ServerMoved, &|after| after.moved = self.is_alias);
        add(Move::ClaimEnded, &|after| after.ended = true);
        add(Move::PodStarted, &|after| after.used = true);
        moves
    }

    /// Returns the next move of the plan. Returns `None` if the plan has ended or stops there.
    fn plan_move(&self, state: State) -> Option<(Move, State)> {
        let step = self.steps.get(state.position)?;
        let mut after = State { position: state.position + 1, ..state };
        let Some(write) = step.write.as_ref().filter(|write| write.object.kind == Kind::Service) else {
            return Some((Move::Plan(state.position), after));
        };
        if !step.recheck.iter().all(|recheck| holds(recheck, state)) {
            return None;
        }
        after.done = Some(if matches!(write.change, Change::Delete) {
            // The deletion states the uid, so it has no effect on another Service.
            if state.named == Named::Another && !write.uid.is_empty() {
                return None;
            }
            if state.used || state.named == Named::Another { Outcome::CutOff } else { Outcome::Meant }
        } else {
            if state.named == Named::Another || state.taken {
                return None;
            }
            if state.moved || state.ended { Outcome::Misled } else { Outcome::Meant }
        });
        after.named = Named::Written;
        Some((Move::Plan(state.position), after))
    }

    fn told(&self, ways: &BTreeMap<State, Option<(State, Move)>>, end: State, harm: Harm) -> Interleaving {
        let mut moves = vec![harm.describe(&self.volume)];
        let mut at = end;
        while let Some(Some((from, by))) = ways.get(&at) {
            moves.push(self.describe(*by));
            at = *from;
        }
        moves.reverse();
        Interleaving { volume: self.volume.clone(), harm, moves }
    }

    fn describe(&self, by: Move) -> String {
        let (volume, service) = (&self.volume, &self.service);
        match by {
            Move::Plan(place) => {
                let (id, why) = self.steps.get(place).map_or((0, ""), |step| (step.id, step.why.as_str()));
                format!("pvctl: step {id}, {why}")
            }
            Move::NameTaken => format!("somebody creates another Service {service}"),
            Move::AddressTaken => "another Service gets the address".to_owned(),
            Move::ServerMoved => format!("the server of volume {volume} gets another Service"),
            Move::ClaimEnded => format!("the claim of volume {volume} ends, or another one gets its name"),
            Move::PodStarted => format!("a pod that uses volume {volume} starts"),
        }
    }

    /// Returns the simulated answers to the steps. No simulated controller writes a Service.
    pub(super) fn answers(&self, snapshot: &Snapshot) -> Vec<Answer> {
        let mut answers = Vec::new();
        for step in self.steps {
            let Some(write) = &step.write else { continue };
            let found = snapshot.find::<Service>(&write.object.namespace, &write.object.name);
            let found = found.map(|service| Seen::Service(Arc::new(service.clone())));
            if let Some(obstacle) = write.obstacle(found.as_ref()) {
                answers.push(stopped(write, &obstacle));
                break;
            }
            let after = write.apply(found.as_ref());
            let states = vec![(write.object.clone(), vec![state_in_words(Kind::Service, after.as_ref())])];
            answers.push(Answer { states, came: WaitResult::Met });
        }
        answers
    }
}

fn stopped(write: &Write, obstacle: &Obstacle) -> Answer {
    let why = format!("{} {obstacle}", write.object);
    Answer { states: Vec::new(), came: WaitResult::Stopped { why, way_on: None } }
}

/// Returns whether a recheck of the step holds in a state.
fn holds(recheck: &Recheck, state: State) -> bool {
    match recheck {
        Recheck::AddressFree { .. } => !state.taken,
        Recheck::SameServer { .. } => !state.moved,
        Recheck::Lives { .. } => !state.ended,
        Recheck::NoClients { .. } => !state.used,
        Recheck::Unused { .. }
        | Recheck::Unmounted { .. }
        | Recheck::Detached { .. }
        | Recheck::Retained { .. }
        | Recheck::AllRetained { .. }
        | Recheck::Reserved { .. }
        | Recheck::NotRecycled { .. }
        | Recheck::NotNeeded { .. }
        | Recheck::OneMachine { .. }
        | Recheck::Unprovisioned { .. }
        | Recheck::MachineOff { .. } => true,
    }
}
