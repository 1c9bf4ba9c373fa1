//! The sources of a plan: arguments, a file, or a journal.

use super::World;
use crate::error::Error;
use crate::execute::{Entry, Journal};
use crate::model::ObjectKey;
use crate::ops::apply::{self, PlanFile};
use crate::ops::journals::{belongs, is_lost, recognise, resolve_doubt, usable};
use crate::ops::undo::{RequestCheck, TakenBack};
use crate::ops::{Asker, Writer};
use crate::repair::{Origin, Proposed, Request, Situation};

/// The source of a plan.
#[derive(Debug)]
pub(in crate::ops) enum PlanSource {
    /// A request from arguments or from a finding.
    Request(Request),
    /// A plan from a file. It is made again and must be the same.
    File(Box<PlanFile>),
    /// A journal whose remaining steps are carried out.
    Begun(Box<Journal>),
    /// A journal whose steps are undone.
    TakenBack(TakenBack),
}

impl PlanSource {
    /// Returns the request of the plan.
    pub(super) fn request(&self) -> &Request {
        match self {
            Self::Request(request) => request,
            Self::File(file) => &file.request,
            Self::Begun(journal) | Self::TakenBack(TakenBack { journal, .. }) => &journal.entry().plan.request,
        }
    }

    /// Returns whether the plan comes from a request or a file, and not from a journal.
    pub(super) fn is_new(&self) -> bool {
        match self {
            Self::Request(_) | Self::File(_) => true,
            Self::Begun(_) | Self::TakenBack(_) => false,
        }
    }

    /// Returns whether the plan may be made again if the cluster has changed. It may if it is for a request or an undo,
    /// because such a plan has not begun. But a person agreed to exactly the plan of a file, and a plan that is
    /// continued has already begun.
    pub(super) fn is_planned_anew(&self) -> bool {
        match self {
            Self::Request(_) | Self::TakenBack(_) => true,
            Self::File(_) | Self::Begun(_) => false,
        }
    }

    /// Returns the objects of the plan in the journal. The list is empty if there is no journal.
    pub(super) fn objects(&self) -> Vec<ObjectKey> {
        match self {
            Self::Request(_) | Self::File(_) => Vec::new(),
            Self::Begun(journal) | Self::TakenBack(TakenBack { journal, .. }) => journal.entry().plan.objects(),
        }
    }

    /// Makes the plan for the present state. Before that, the objects that the request needs are read.
    ///
    /// # Errors
    /// Returns an error if something cannot be read.
    pub(super) async fn propose(&self, world: &mut World<'_>, cluster: &impl Writer) -> Result<Proposed, Error> {
        match self {
            Self::Request(request) => world.propose(cluster, request).await,
            Self::File(file) => world.propose(cluster, &file.request).await,
            Self::Begun(journal) => Ok(apply::remaining(journal)),
            Self::TakenBack(back) => Ok(back.propose(&world.situation()?)),
        }
    }

    /// Returns whether a journal cannot continue because its volume is gone.
    pub(super) fn is_lost(&self) -> bool {
        matches!(self, Self::Begun(journal) if is_lost(journal.entry()))
    }

    /// Returns a text if somebody else has done the remaining steps of the journal. See [`apply::reached_by_others`].
    ///
    /// # Errors
    /// Returns an error if the journal cannot be written.
    pub(super) fn reached_by_others(
        &mut self,
        situation: &Situation<'_>,
        writes: bool,
    ) -> Result<Option<String>, Error> {
        let Self::Begun(journal) = self else { return Ok(None) };
        apply::reached_by_others(journal, situation, writes)
    }

    /// Returns the error that no plan can be made. For a plan from a file, the error says that the cluster has changed,
    /// because the plan was possible when the file was written.
    pub(super) fn no_plan(&self, error: Error) -> Error {
        match self {
            Self::File(file) => apply::no_plan(file, &error),
            Self::Request(_) | Self::Begun(_) | Self::TakenBack(_) => error,
        }
    }

    /// Returns the entry of the journal that is continued, if it has or may have written anything.
    pub(super) fn earlier(&self) -> Option<Entry> {
        match self {
            Self::Begun(journal) => journal.entry().written().then(|| journal.entry().clone()),
            Self::Request(_) | Self::File(_) | Self::TakenBack(_) => None,
        }
    }

    /// Checks that a journal or a plan file may be used for this cluster.
    ///
    /// # Errors
    /// Returns an error if it belongs to another cluster, or if a journal allows more than its request.
    pub(super) fn check(&self, here: &Origin, asker: &impl Asker) -> Result<(), Error> {
        match self {
            Self::Request(_) => Ok(()),
            Self::File(file) => match &file.cluster {
                Some(origin) => belongs(&format!("plan {}", file.id), origin, here, asker),
                None => Ok(()),
            },
            Self::Begun(journal) | Self::TakenBack(TakenBack { journal, .. }) => usable(journal, here, asker),
        }
    }

    /// Checks that the objects of a journal are still the same, and finds out whether a request in doubt was carried
    /// out. This happens before a journal is continued or undone. Returns why there is nothing to do, if this is known.
    ///
    /// # Errors
    /// Returns an error if an object was replaced, or if nobody can know whether the request was carried out.
    pub(super) async fn resolve_doubt(
        &mut self,
        look: &RequestCheck<'_, impl Writer, impl Asker>,
    ) -> Result<Option<String>, Error> {
        match self {
            Self::Request(_) | Self::File(_) => Ok(None),
            Self::Begun(journal) => {
                recognise(journal, look.here, look.cluster).await?;
                resolve_doubt(journal, true, look.cluster).await.map(|()| None)
            }
            Self::TakenBack(back) => back.resolve_doubt(look).await,
        }
    }
}
