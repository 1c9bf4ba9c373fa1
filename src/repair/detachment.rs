//! The safety model of a plan that deletes an attachment. Such a plan writes no volume and no claim, so these are left
//! out. The model has the attachment, the node, and whether a pod on the node needs the volume.
//!
//! The actors are the kubelet of the node, the scheduler, kube-controller-manager and the attacher. They act before,
//! between and after the steps of the plan, in every order. As in the other model, a step rechecks its conditions and
//! writes at one moment. Without the plan, nobody does the harm that this model looks for: kube-controller-manager has
//! the volume detached only by its own rules.

use super::adversary::{Harm, Interleaving, Verdict};
use super::answers::{Answer, WaitResult};
use super::guards::machine::MachineSign;
use super::plan::{Plan, Recheck, Step, state_in_words};
use super::write::{Change, Expect, Seen, Write};
use crate::model::{Kind, Str, VolumeAttachment};
use crate::snapshot::Snapshot;
use std::collections::BTreeMap;
use std::sync::Arc;

/// A plan that deletes an attachment.
pub(super) struct Detachment<'p> {
    steps: &'p [Step],
    /// The deletion, and its step.
    write: &'p Write,
    step: &'p Step,
    /// The volume and the node.
    volume: Str,
    node: Str,
    /// Whether the plan rests only on a kubelet that does not answer.
    is_silent: bool,
    /// Whether the machine of the node is known.
    is_known: bool,
}

/// A state of the model.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
struct State {
    attachment: AttachmentState,
    /// Whether the node answers again, so that its machine may use the volume.
    runs: bool,
    /// Whether the node lists the volume as mounted.
    mounted: bool,
    /// Whether a pod on the node needs the volume.
    needed: bool,
    /// Whether the machine runs under the name of another node.
    renamed: bool,
    /// The number of steps that the plan has carried out.
    position: usize,
    /// What the plan deleted.
    done: Option<Deleted>,
}

/// The attachment of this name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
enum AttachmentState {
    /// It is the one that was reviewed.
    #[default]
    Reviewed,
    /// It is the one that was reviewed, and is being deleted.
    Going,
    /// There is none.
    Gone,
    /// The volume was attached again. The name is the same, because it is a hash of the volume, the driver and the
    /// node.
    Anew,
}

/// What the plan deleted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Deleted {
    /// It deleted the reviewed attachment, and the node did not use the volume.
    Unused,
    /// The node used the volume.
    InUse,
    /// It deleted another attachment of the same name.
    Another,
}

/// A move.
#[derive(Clone, Copy, Debug)]
enum Move {
    Plan(usize),
    NodeReturns,
    NodeRenamed,
    KubeletMounts,
    PodScheduled,
    ManagerDetaches,
    AttacherFinishes,
    AttachedAgain,
}

impl<'p> Detachment<'p> {
    /// Returns the model of a plan, if the plan deletes an attachment.
    pub(super) fn of(plan: &'p Plan) -> Option<Self> {
        let deletes = |step: &&Step| step.write.as_ref().is_some_and(is_deletion);
        let step = plan.steps.iter().find(deletes)?;
        let write = step.write.as_ref()?;
        let attaches = write.expect.iter().find_map(|expect| match expect {
            Expect::Attaches { volume, to } => Some((volume.clone(), to.clone())),
            _ => None,
        });
        let (volume, node) = attaches.unwrap_or_default();
        let is_silent =
            |recheck: &Recheck| matches!(recheck, Recheck::MachineOff { sign: MachineSign::Silent { .. }, .. });
        let is_silent = step.recheck.iter().any(is_silent);
        let is_known = plan.type_name.is_none()
            || step.recheck.iter().any(|recheck| matches!(recheck, Recheck::OneMachine { .. }));
        Some(Self { steps: &plan.steps, write, step, volume, node, is_silent, is_known })
    }

    /// Searches for an order of moves in which the plan does harm.
    pub(super) fn judge(&self) -> Verdict {
        let mut ways: BTreeMap<State, Option<(State, Move)>> = BTreeMap::from([(State::default(), None)]);
        let mut open = vec![State::default()];
        while let Some(state) = open.pop() {
            let harm = match state.done {
                Some(Deleted::InUse) => Some(Harm::DetachedInUse(self.node.clone())),
                Some(Deleted::Another) => Some(Harm::DetachedAnew(self.node.clone())),
                Some(Deleted::Unused) | None => None,
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
        add(Move::NodeReturns, &|after| after.runs = true);
        // If nobody knows which machine the node is, a person has to judge this.
        if self.is_known {
            add(Move::NodeRenamed, &|after| after.renamed = true);
        }
        add(Move::PodScheduled, &|after| after.needed = true);
        // A kubelet that is cut off from the API server only for some time can still report. The kubelet of a node that
        // is gone or out of service reports only if its machine runs.
        let is_silent = self.is_silent;
        add(Move::KubeletMounts, &|after| {
            after.mounted = true;
            after.runs |= !is_silent;
        });
        match state.attachment {
            AttachmentState::Reviewed | AttachmentState::Anew => {
                add(Move::ManagerDetaches, &|after| after.attachment = AttachmentState::Going);
            }
            AttachmentState::Going => add(Move::AttacherFinishes, &|after| after.attachment = AttachmentState::Gone),
            AttachmentState::Gone => add(Move::AttachedAgain, &|after| {
                after.attachment = AttachmentState::Anew;
                after.needed = true;
            }),
        }
        moves
    }

    /// Returns the next move of the plan. Returns `None` if the plan has ended or stops there.
    fn plan_move(&self, state: State) -> Option<(Move, State)> {
        let step = self.steps.get(state.position)?;
        let mut after = State { position: state.position + 1, ..state };
        if step.id != self.step.id {
            return Some((Move::Plan(state.position), after));
        }
        if self.write.obstacle(self.seen(state.attachment).as_ref()).is_some()
            || !step.recheck.iter().all(|recheck| holds(recheck, state))
        {
            return None;
        }
        after.done = Some(match state.attachment {
            AttachmentState::Anew => Deleted::Another,
            AttachmentState::Reviewed | AttachmentState::Going | AttachmentState::Gone
                if state.runs || state.needed || state.mounted || state.renamed =>
            {
                Deleted::InUse
            }
            AttachmentState::Reviewed | AttachmentState::Going | AttachmentState::Gone => Deleted::Unused,
        });
        after.attachment = AttachmentState::Going;
        Some((Move::Plan(state.position), after))
    }

    /// Returns the attachment of a state, as the step reads it.
    fn seen(&self, state: AttachmentState) -> Option<Seen> {
        let mut attachment = VolumeAttachment {
            volume_name: self.volume.clone(),
            node_name: self.node.clone(),
            ..VolumeAttachment::default()
        };
        attachment.meta.name.clone_from(&self.write.object.name);
        attachment.meta.uid.clone_from(&self.write.uid);
        match state {
            AttachmentState::Reviewed => {}
            AttachmentState::Going => attachment.meta.deleted = Some(crate::model::Timestamp(0)),
            AttachmentState::Gone => return None,
            AttachmentState::Anew => attachment.meta.uid = "<attached again>".into(),
        }
        Some(Seen::Attachment(Arc::new(attachment)))
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
        let (volume, node) = (&self.volume, &self.node);
        match by {
            Move::Plan(place) => {
                let (id, why) = self.steps.get(place).map_or((0, ""), |step| (step.id, step.why.as_str()));
                format!("pvctl: step {id}, {why}")
            }
            Move::NodeReturns => format!("the machine of node {node} runs again"),
            Move::NodeRenamed => format!("the machine of node {node} runs again, under the name of another node"),
            Move::KubeletMounts => format!("the kubelet of node {node} reports that volume {volume} is mounted"),
            Move::PodScheduled => format!("a pod that needs volume {volume} gets node {node}"),
            Move::ManagerDetaches => format!("kube-controller-manager deletes {}", self.write.object),
            Move::AttacherFinishes => format!("the attacher detaches volume {volume} from node {node}"),
            Move::AttachedAgain => format!("kube-controller-manager attaches volume {volume} to node {node} again"),
        }
    }

    /// Returns the simulated answer to the deletion. No simulated controller detaches a disk: the driver does, at a
    /// moment that nobody knows. So both states are possible.
    pub(super) fn answer(&self, snapshot: &Snapshot) -> Answer {
        let found = snapshot.find::<VolumeAttachment>("", &self.write.object.name);
        let found = found.map(|attachment| Seen::Attachment(Arc::new(attachment.clone())));
        if let Some(obstacle) = self.write.obstacle(found.as_ref()) {
            let why = format!("{} {obstacle}", self.write.object);
            return Answer { states: Vec::new(), came: WaitResult::Stopped { why, way_on: None } };
        }
        let after = self.write.apply(found.as_ref());
        let mut states = vec![state_in_words(Kind::VolumeAttachment, after.as_ref())];
        let gone = state_in_words(Kind::VolumeAttachment, None);
        if !states.contains(&gone) {
            states.push(gone);
        }
        Answer { states: vec![(self.write.object.clone(), states)], came: WaitResult::Met }
    }
}

fn is_deletion(write: &Write) -> bool {
    write.object.kind == Kind::VolumeAttachment && matches!(write.change, Change::Delete)
}

/// Returns whether a recheck of the step holds in a state.
fn holds(recheck: &Recheck, state: State) -> bool {
    match recheck {
        Recheck::NotNeeded { .. } => !state.needed,
        Recheck::OneMachine { .. } => !state.renamed,
        // Only for a node that does not answer, it is checked whether its status lists the volume as mounted.
        Recheck::MachineOff { sign: MachineSign::Silent { .. }, .. } => !state.runs && !state.mounted,
        Recheck::MachineOff { .. } => !state.runs,
        Recheck::Unused { .. }
        | Recheck::Unmounted { .. }
        | Recheck::Detached { .. }
        | Recheck::Retained { .. }
        | Recheck::AllRetained { .. }
        | Recheck::Lives { .. }
        | Recheck::Reserved { .. }
        | Recheck::Unprovisioned { .. }
        | Recheck::NotRecycled { .. }
        | Recheck::AddressFree { .. }
        | Recheck::SameServer { .. }
        | Recheck::NoClients { .. } => true,
    }
}
