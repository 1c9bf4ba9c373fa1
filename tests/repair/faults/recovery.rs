//! Brings a run that was cut short to an end. First the run is continued or undone. If both are refused, both are tried
//! again after the actor has stopped. Then the same repair is requested again.

use super::prepare::planned;
use super::{
    IN_FLIGHT, NOW, OPTIONS, Prepared, Report, Reviews, Silent, confirmed, describe, guard, reviewed_once, way_back,
};
use crate::support::api::{Actor, ApiServer, Store};
use pvctl::execute::{self, Journal};
use pvctl::repair::{Plan, Request};
use std::path::Path;

/// How a run was brought to an end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RecoveryPath {
    Continued,
    Undone,
    Anew,
    /// The goal of the request was already reached.
    Reached,
}

impl RecoveryPath {
    fn word(self) -> &'static str {
        match self {
            Self::Continued => "continued",
            Self::Undone => "undone",
            Self::Anew => "requested again",
            Self::Reached => "already at its goal",
        }
    }
}

/// A run that has to be brought to an end.
pub(super) struct Recovery<'r> {
    pub(super) prepared: &'r Prepared,
    pub(super) api: &'r ApiServer,
    pub(super) client: &'r kube::Client,
    pub(super) reviews: &'r Reviews,
    pub(super) dir: &'r Path,
    /// The id of its journal.
    pub(super) id: &'r str,
}

fn ended(way: RecoveryPath, again: bool, report: &mut Report) -> RecoveryPath {
    let when = if again { " after the actor had stopped" } else { "" };
    report.outcome = format!("{}, {}{when}", report.outcome, way.word());
    way
}

impl Recovery<'_> {
    /// Continues or undoes the run. If one of the two is refused, the other one is tried. Both are tried again after
    /// the actor has stopped. If both are still refused, the same repair is requested again.
    pub(super) async fn recover(&self, actor: Actor, on_first: bool, report: &mut Report) -> Option<RecoveryPath> {
        let mut begun = None;
        // If the policy was changed, the first try only sets it again and then ends. So a rough actor gets one more
        // round.
        for round in 0..if actor.is_rough() { 3 } else { 2 } {
            let again = round > 0;
            if round == 1 {
                self.api.rest();
                if !self.api.with(|store, _| actor.leave(store)) && !actor.is_rough() {
                    break;
                }
                self.api.with(Store::settle);
            }
            let ways = if on_first {
                [RecoveryPath::Continued, RecoveryPath::Undone]
            } else {
                [RecoveryPath::Undone, RecoveryPath::Continued]
            };
            for way in ways {
                let went = match way {
                    RecoveryPath::Undone => self.go_back(&mut begun).await,
                    RecoveryPath::Continued | RecoveryPath::Anew | RecoveryPath::Reached => self.go_on(self.id).await,
                };
                let Err(why) = went else { return Some(ended(way, again, report)) };
                report.story.push(format!("not {}: {why}", way.word()));
                report.refusals.push(guard(&why));
                self.api.with(Store::settle);
            }
            // An undo that has written something is continued like any other run.
            if let Some(back) = &begun {
                match self.go_on(back).await {
                    Ok(()) => return Some(ended(RecoveryPath::Undone, again, report)),
                    Err(why) => report.story.push(format!("the undo was not continued: {why}")),
                }
                self.api.with(Store::settle);
            }
        }
        report.anew_since = Some(self.api.with(|store, _| store.history.len()));
        match self.ask_anew().await {
            Ok(way) => Some(ended(way, false, report)),
            Err(why) => {
                report.story.push(format!("not requested again: {why}"));
                report.outcome = format!("{}, left: {}", report.outcome, guard(&why));
                None
            }
        }
    }

    /// Continues the run. If a volume that the repair keeps has lost policy Retain, the policy is set first, as the
    /// message of the stopped run says.
    async fn go_on(&self, id: &str) -> Result<(), String> {
        let Err(why) = self.go_on_once(id).await else { return Ok(()) };
        if !why.contains("Retain") {
            return Err(why);
        }
        let kept = Journal::read(self.dir, id).map_err(|stop| describe(&stop))?.plan.keeps;
        for volume in &kept {
            let now = self.api.with(|store, _| store.clone());
            if let Ok(plan) = planned(&now, &Request::Retain { volume: volume.name().clone() }) {
                self.carry_out(&now, plan, &mut None).await?;
            }
        }
        self.go_on_once(id).await
    }

    async fn go_on_once(&self, id: &str) -> Result<(), String> {
        let mut journal = Journal::open(self.dir, id).map_err(|stop| describe(&stop))?;
        execute::resolve_doubt(self.client, &mut journal).await.map_err(|stop| describe(&stop))?;
        let remaining = journal.entry().remaining();
        if remaining.steps.is_empty() {
            return Ok(());
        }
        let receipts = execute::receipts(self.client, &remaining).await.map_err(|stop| describe(&stop))?;
        let now = self.api.with(|store, _| store.clone());
        let reviewed = reviewed_once(self.reviews, &now, remaining, &receipts)?;
        let confirmed = confirmed(reviewed);
        let went = execute::resume(self.client, confirmed, &mut journal, &OPTIONS, &Silent::new(None)).await;
        went.map(|_| ()).map_err(|stop| describe(&stop))
    }

    /// Undoes the run. If the undo stops after it has written something, its journal is kept in `begun`. Like the
    /// command, this function waits until the last request of the run cannot be carried out any more.
    async fn go_back(&self, begun: &mut Option<String>) -> Result<(), String> {
        tokio::time::sleep(IN_FLIGHT).await;
        let mut journal = Journal::open(self.dir, self.id).map_err(|stop| describe(&stop))?;
        execute::resolve_doubt(self.client, &mut journal).await.map_err(|stop| describe(&stop))?;
        let done = journal.entry().done();
        let now = self.api.with(|store, _| store.clone());
        let back = match way_back(&now, self.id, &self.prepared.plan, &done) {
            Ok(back) => back,
            Err(why) if why.starts_with("nothing:") => return Ok(()),
            Err(why) => return Err(why),
        };
        self.carry_out(&now, back, begun).await
    }

    /// Reviews and carries out a plan. If it stops after it has written something, its journal is kept in `begun`.
    async fn carry_out(&self, now: &Store, plan: Plan, begun: &mut Option<String>) -> Result<(), String> {
        let receipts = execute::receipts(self.client, &plan).await.map_err(|stop| describe(&stop))?;
        let reviewed = reviewed_once(self.reviews, now, plan, &receipts)?;
        let mut journal = Journal::create(self.dir, reviewed.plan(), "stage", NOW).map_err(|stop| describe(&stop))?;
        let confirmed = confirmed(reviewed);
        let went = execute::execute(self.client, confirmed, &mut journal, &OPTIONS, &Silent::new(None)).await;
        went.map(|_| ()).map_err(|stop| {
            *begun = stop.written.then(|| journal.id().to_owned());
            describe(&stop)
        })
    }

    /// Requests the same repair on the present cluster.
    async fn ask_anew(&self) -> Result<RecoveryPath, String> {
        let request = &self.prepared.plan.request;
        if matches!(request, Request::Undo { .. }) {
            return Err("an undo is continued and not requested again".to_owned());
        }
        let now = self.api.with(|store, _| store.clone());
        let plan = match planned(&now, request) {
            Ok(plan) => plan,
            Err(why) if why.starts_with("nothing:") => return Ok(RecoveryPath::Reached),
            Err(why) => return Err(why),
        };
        self.carry_out(&now, plan, &mut None).await.map(|()| RecoveryPath::Anew)
    }
}
