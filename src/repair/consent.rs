//! From a plan to something that may be carried out: only a plan that was reviewed can be confirmed, and only what was
//! confirmed can be executed.

use super::adversary::{Came, Interleaving, Reach, Verdict, answers, judge as face_adversary};
use super::guards::{self, Guard, Holds};
use super::plan::{Expected, Plan, Refusal};
use super::situation::Situation;
use super::verbs::in_vain;
use crate::model::{Kind, Str};

/// Something that the person must be allowed to do.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Right {
    /// Such as `patch`.
    pub verb: &'static str,
    /// Of what.
    pub kind: Kind,
    /// In which namespace; empty for kinds that have none.
    pub namespace: Str,
    /// Of which name; empty for a list or a create.
    pub name: Str,
}

/// What the API server was asked before anything is written, and what it answered.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Receipts {
    /// Each right with whether it is given; none where the server does not say.
    pub rights: Vec<(Right, Option<bool>)>,
    /// The dry runs of the first write and of those claims that could be created now: why one is refused, if it is;
    /// none where there was none.
    pub dry_run: Option<Result<(), String>>,
    /// What people should know of dry runs that say nothing for or against a write: a sentence each, without a full
    /// stop.
    pub doubts: Vec<String>,
}

/// What must be allowed for a plan to go through to its end.
pub fn rights(plan: &Plan) -> Vec<Right> {
    let mut rights: Vec<Right> = Vec::new();
    for object in plan.objects() {
        rights.push(Right { verb: "get", kind: object.kind, namespace: object.namespace, name: object.name });
    }
    for step in &plan.steps {
        if let Some(write) = &step.write {
            let verb = write.verb();
            let name = if verb == "create" { Str::default() } else { write.object.name.clone() };
            rights.push(Right { verb, kind: write.object.kind, namespace: write.object.namespace.clone(), name });
        }
        for recheck in &step.recheck {
            let (kind, namespace) = match recheck {
                super::plan::Recheck::Unused { namespace, .. } => (Kind::Pod, namespace.clone()),
                super::plan::Recheck::Unmounted { namespace, .. } => (Kind::Pod, namespace.clone()),
                super::plan::Recheck::Detached { .. } => (Kind::VolumeAttachment, Str::default()),
                super::plan::Recheck::AllRetained { .. } => (Kind::PersistentVolume, Str::default()),
                super::plan::Recheck::NotRecycled { .. } => (Kind::Pod, guards::RECYCLERS.into()),
                super::plan::Recheck::Retained { .. } | super::plan::Recheck::Lives { .. } => continue,
            };
            if matches!(recheck, super::plan::Recheck::Unused { .. }) {
                let kind = Kind::StatefulSet;
                rights.push(Right { verb: "list", kind, namespace: namespace.clone(), name: Str::default() });
            }
            rights.push(Right { verb: "list", kind, namespace, name: Str::default() });
        }
    }
    rights.sort();
    rights.dedup();
    rights
}

/// A plan of which everything is known that can be known before the first write.
#[derive(Clone, Debug)]
pub struct Reviewed {
    plan: Plan,
    guards: Vec<Guard>,
}

/// A plan that somebody agreed to, once.
#[derive(Debug)]
pub struct Confirmed(Reviewed);

/// A plan that is not carried out.
#[derive(Clone, Debug)]
pub struct Rejected {
    /// The plan, for whoever wants to see it.
    pub plan: Plan,
    /// The guards, as far as they were judged.
    pub guards: Vec<Guard>,
    /// Why not.
    pub refusal: Refusal,
    /// How it would lose something, where it would.
    pub interleaving: Option<Interleaving>,
}

/// Looks at a plan with everything that is known: guards, rights, the dry run of the first step, the simulation, and
/// the adversary. A pure function of its arguments.
///
/// # Errors
/// Why the plan is not carried out.
pub fn review(situation: &Situation<'_>, plan: Plan, receipts: &Receipts) -> Result<Reviewed, Box<Rejected>> {
    let mut plan = plan;
    let mut guards = guards::judge(situation, &plan);
    guards.extend(rights_guard(receipts, &plan));
    guards.extend(admission(receipts));
    let destructive = plan.is_destructive();
    let reject = |plan: Plan, guards: Vec<Guard>, refusal: Refusal, interleaving: Option<Interleaving>| {
        Err(Box::new(Rejected { plan, guards, refusal, interleaving }))
    };
    if let Some(failed) = guards.iter().find(|guard| guard.forbids(destructive)) {
        let refusal = Refusal::new(failed.id, failed.looked_at.clone());
        return reject(plan, guards, refusal, None);
    }
    let answers = answers(situation.snapshot, &situation.settings, &plan);
    if let Some(refusal) = in_vain(&plan, answers.as_deref()) {
        return reject(plan, guards, refusal, None);
    }
    let answers = answers.unwrap_or_default();
    let open = answers.iter().any(|answer| answer.came == Came::Perhaps);
    for (step, answer) in plan.steps.iter_mut().zip(answers) {
        step.expects = answer.states.into_iter().map(|(object, states)| Expected { object, states }).collect();
    }
    guards.push(if open {
        Guard {
            id: "simulation",
            holds: Holds::Warns,
            looked_at: "what the controllers answer is open: the plan stops where it is not what a step expects"
                .to_owned(),
        }
    } else {
        Guard {
            id: "simulation",
            holds: Holds::Yes,
            looked_at: "the controllers answer each step as it expects".to_owned(),
        }
    });
    match face_adversary(situation.snapshot, &situation.settings, &plan, Reach::REVIEW) {
        Verdict::Safe { states } => {
            guards.push(Guard {
                id: "adversary",
                holds: Holds::Yes,
                looked_at: format!("in none of {states} states that anybody can bring about does the plan add a loss"),
            });
            Ok(Reviewed { plan, guards })
        }
        Verdict::Harmful(interleaving) => {
            let last = interleaving.moves.last().cloned().unwrap_or_default();
            let refusal = Refusal::new("adversary", format!("the plan could go wrong: {last}"));
            reject(plan, guards, refusal, Some(interleaving))
        }
        Verdict::TooMany => {
            let refusal = Refusal::new("adversary", "too many objects take part to prove that nothing is lost");
            reject(plan, guards, refusal, None)
        }
    }
}

fn rights_guard(receipts: &Receipts, plan: &Plan) -> Option<Guard> {
    let show = |right: &Right| {
        let object = if right.name.is_empty() { String::new() } else { format!(" {}", right.name) };
        let place = if right.namespace.is_empty() { String::new() } else { format!(" in {}", right.namespace) };
        format!("{} {}{object}{place}", right.verb, right.kind.resource())
    };
    if plan.steps.is_empty() {
        return None;
    }
    if receipts.rights.is_empty() {
        let looked_at = "nobody asked the API server whether you may".to_owned();
        return Some(Guard { id: "rights", holds: Holds::No, looked_at });
    }
    let of = |wanted: Option<bool>| -> Vec<String> {
        receipts.rights.iter().filter(|(_, given)| *given == wanted).map(|(right, _)| show(right)).collect()
    };
    let (denied, unknown) = (of(Some(false)), of(None));
    let (holds, said) = if !denied.is_empty() {
        (Holds::No, format!("you may not: {}", denied.join("; ")))
    } else if !unknown.is_empty() {
        (Holds::Unknown, format!("whether you may could not be asked: {}", unknown.join("; ")))
    } else {
        (Holds::Yes, format!("you may do all of it: {} rights", receipts.rights.len()))
    };
    Some(Guard { id: "rights", holds, looked_at: said })
}

fn admission(receipts: &Receipts) -> Option<Guard> {
    let (holds, said) = match receipts.dry_run.as_ref()? {
        Ok(()) if !receipts.doubts.is_empty() => (Holds::Warns, receipts.doubts.join("; ")),
        Ok(()) => (Holds::Yes, "the API server accepts the first write in a dry run".to_owned()),
        Err(why) => (Holds::No, format!("the API server refuses a write in a dry run: {why}")),
    };
    Some(Guard { id: "admission", holds, looked_at: said })
}

impl Receipts {
    /// Those of an API server that lets everybody do everything, for whoever looks at plans where there is none.
    pub fn granted(plan: &Plan) -> Self {
        Self {
            rights: rights(plan).into_iter().map(|right| (right, Some(true))).collect(),
            dry_run: Some(Ok(())),
            doubts: Vec::new(),
        }
    }
}

impl Reviewed {
    /// The plan, with what the controllers answer to each step.
    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    /// What was looked at.
    pub fn guards(&self) -> &[Guard] {
        &self.guards
    }

    /// Somebody agrees, and types the name that the plan asks for, if it asks for one.
    ///
    /// # Errors
    /// The plan back, where the name is another one or none was typed.
    pub fn confirm(self, typed: Option<&str>) -> Result<Confirmed, Box<Self>> {
        match &self.plan.type_name {
            Some(name) if typed != Some(name.as_str()) => Err(Box::new(self)),
            _ => Ok(Confirmed(self)),
        }
    }
}

impl Confirmed {
    /// What was agreed to.
    pub fn plan(&self) -> &Plan {
        &self.0.plan
    }
}
