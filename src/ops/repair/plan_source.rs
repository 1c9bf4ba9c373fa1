//! Where a plan comes from: words, a file, or a journal.

use super::World;
use crate::error::Error;
use crate::execute::{Entry, Journal};
use crate::model::ObjectKey;
use crate::ops::apply::{self, PlanFile};
use crate::ops::journals::{belongs, is_lost, recognise, resolve_doubt, usable};
use crate::ops::undo::{RequestCheck, TakenBack};
use crate::ops::{Asker, Writer};
use crate::repair::{Origin, Proposed, Request, Situation};

/// Where a plan comes from.
#[derive(Debug)]
pub(in crate::ops) enum PlanSource {
    /// From words, or from a finding.
    RepairRequest(Request),
    /// From a file: it is made anew, and has to be the same.
    File(Box<PlanFile>),
    /// From a journal: what it did not do yet.
    Begun(Box<Journal>),
    /// From a journal: what it did is taken back.
    TakenBack(TakenBack),
}

impl PlanSource {
    /// What is asked for.
    pub(super) fn request(&self) -> &Request {
        match self {
            Self::RepairRequest(request) => request,
            Self::File(file) => &file.request,
            Self::Begun(journal) | Self::TakenBack(TakenBack { journal, .. }) => &journal.entry().plan.request,
        }
    }

    /// Whether it begins with what was asked for, and with no journal.
    pub(super) fn is_new(&self) -> bool {
        match self {
            Self::RepairRequest(_) | Self::File(_) => true,
            Self::Begun(_) | Self::TakenBack(_) => false,
        }
    }

    /// Whether a plan that found another world may be made anew: it follows from what was asked for. That of a file was
    /// agreed to as it stands, and that of a journal is begun.
    pub(super) fn is_planned_anew(&self) -> bool {
        match self {
            Self::RepairRequest(_) | Self::TakenBack(_) => true,
            Self::File(_) | Self::Begun(_) => false,
        }
    }

    /// The objects of a plan that is there already.
    pub(super) fn objects(&self) -> Vec<ObjectKey> {
        match self {
            Self::RepairRequest(_) | Self::File(_) => Vec::new(),
            Self::Begun(journal) | Self::TakenBack(TakenBack { journal, .. }) => journal.entry().plan.objects(),
        }
    }

    /// The plan, on the world as it is. What a request needs to know is read before.
    ///
    /// # Errors
    /// Something could not be read.
    pub(super) async fn propose(&self, world: &mut World<'_>, cluster: &impl Writer) -> Result<Proposed, Error> {
        match self {
            Self::RepairRequest(request) => world.propose(cluster, request).await,
            Self::File(file) => world.propose(cluster, &file.request).await,
            Self::Begun(journal) => Ok(apply::remaining(journal)),
            Self::TakenBack(back) => Ok(back.propose(&world.situation()?)),
        }
    }

    /// Whether nothing leads on from a journal that was to be continued: its volume is gone.
    pub(super) fn is_lost(&self) -> bool {
        matches!(self, Self::Begun(journal) if is_lost(journal.entry()))
    }

    /// That what a journal was begun for is so already; see [`apply::reached_by_others`].
    ///
    /// # Errors
    /// The journal cannot be written.
    pub(super) fn reached_by_others(
        &mut self,
        situation: &Situation<'_>,
        writes: bool,
    ) -> Result<Option<String>, Error> {
        let Self::Begun(journal) = self else { return Ok(None) };
        apply::reached_by_others(journal, situation, writes)
    }

    /// Why there is no plan: for a file, there was one, so that the world has changed.
    pub(super) fn no_plan(&self, error: Error) -> Error {
        match self {
            Self::File(file) => apply::no_plan(file, &error),
            Self::RepairRequest(_) | Self::Begun(_) | Self::TakenBack(_) => error,
        }
    }

    /// What an earlier run has written, or may have, of what is gone on with.
    pub(super) fn earlier(&self) -> Option<Entry> {
        match self {
            Self::Begun(journal) => journal.entry().written().then(|| journal.entry().clone()),
            Self::RepairRequest(_) | Self::File(_) | Self::TakenBack(_) => None,
        }
    }

    /// Looks whether a journal or a plan file may be used here.
    ///
    /// # Errors
    /// It is of another cluster, or a journal allows what its request does not.
    pub(super) fn check(&self, here: &Origin, asker: &impl Asker) -> Result<(), Error> {
        match self {
            Self::RepairRequest(_) => Ok(()),
            Self::File(file) => match &file.cluster {
                Some(origin) => belongs(&format!("plan {}", file.id), origin, here, asker),
                None => Ok(()),
            },
            Self::Begun(journal) | Self::TakenBack(TakenBack { journal, .. }) => usable(journal, here, asker),
        }
    }

    /// Looks whether the objects of a journal are still those, and what became of a request whose answer was lost,
    /// before it is gone on with or taken back. Says why there is nothing to do, where that shows.
    ///
    /// # Errors
    /// An object is another one by now, or nobody can tell what became of the request.
    pub(super) async fn resolve_doubt(
        &mut self,
        look: &RequestCheck<'_, impl Writer, impl Asker>,
    ) -> Result<Option<String>, Error> {
        match self {
            Self::RepairRequest(_) | Self::File(_) => Ok(None),
            Self::Begun(journal) => {
                recognise(journal, look.here, look.cluster).await?;
                resolve_doubt(journal, true, look.cluster).await.map(|()| None)
            }
            Self::TakenBack(back) => back.resolve_doubt(look).await,
        }
    }
}
