//! One repair: read, plan, review, show, ask, carry out. Only `execute` writes, and only after a person agreed.

mod carry_out;
mod consent;
mod earlier;
pub mod ending;
mod keep;
mod plan_source;
mod progress_reporter;
mod rounds;
mod world;

pub(in crate::ops) use plan_source::PlanSource;
pub(in crate::ops) use world::World;

use super::apply;
use super::gather::{Evidence, Gathered, Question, ReadOptions};
use super::undo::RequestCheck;
use super::{Asker, Reader, Shown, Status, Writer, named};
use crate::error::{Error, ErrorKind};
use crate::model::{Kind, ObjectKey, Str};
use crate::repair::{self, ClusterAddress, Holds, Origin, Plan, Proposed, Request, Reviewed};
use crate::report::plan::{self, refused};
use rounds::{AgreedPlan, Round};
use std::path::PathBuf;
use std::time::Duration;

/// The kinds that guards read in addition to what decisions need.
const SURROUNDINGS: [Kind; 5] =
    [Kind::Namespace, Kind::VolumeAttachment, Kind::CsiDriver, Kind::CsiNode, Kind::StatefulSet];

/// The kinds that are read for a repair of a Service.
const SURROUNDINGS_OF_SERVICES: [Kind; 7] = [
    Kind::Namespace,
    Kind::VolumeAttachment,
    Kind::CsiDriver,
    Kind::CsiNode,
    Kind::StatefulSet,
    Kind::Service,
    Kind::EndpointSlice,
];

/// The options of a repair.
#[derive(Clone, Debug)]
pub struct RepairOptions {
    /// The options for reading and judging objects.
    pub read: ReadOptions,
    /// What the run does with the plan. For example, the run shows it or carries it out.
    pub extent: Extent,
    /// Whether the plan is carried out without asking.
    pub yes: bool,
    /// The name that the plan asks for, if it was given beforehand.
    pub confirm: Option<String>,
    /// Whether only safe plans are carried out: no data at risk, and every step reversible or harmless to repeat.
    pub only_safe: bool,
    /// Whether a refused plan is shown.
    pub shows_refused: bool,
    /// The time that each step may wait for the controllers.
    pub timeout: Duration,
    /// The directory of the journals.
    pub journals: PathBuf,
}

/// What a run does with a plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    /// The plan is carried out.
    CarryOut,
    /// The plan is made, reviewed and shown.
    Show,
    /// The plan is made from files, reviewed and shown. No request is sent to a cluster.
    Propose,
    /// The plan is made, reviewed and shown. Each write that can be tried now is sent to the API server in a dry run.
    Rehearse,
    /// The plan is printed as JSON or YAML.
    HandOut,
}

/// The request for a repair.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RepairRequest {
    /// A request that names all its objects.
    Named(Request),
    /// The request about the volume of that claim. The run finds the volume in the cluster.
    VolumeOf(ObjectKey, OfVolume),
}

/// A request about a volume that is found by its claim.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OfVolume {
    /// [`Request::Retain`].
    Retain,
    /// [`Request::Reconnect`].
    Reconnect {
        /// The address that the clients use, if it is stated.
        address: Option<ClusterAddress>,
        /// The Service that the server has now, if it is stated: namespace and name.
        server: Option<(Str, Str)>,
    },
}

impl OfVolume {
    fn request(self, volume: Str) -> Request {
        match self {
            Self::Retain => Request::Retain { volume },
            Self::Reconnect { address, server } => Request::Reconnect { volume, address, server },
        }
    }
}

/// Makes a repair.
///
/// # Errors
/// Returns an error if something cannot be read, if the repair is refused, or if it stops.
pub async fn repair(
    options: &RepairOptions,
    cluster: &impl Writer,
    asker: &impl Asker,
    asked: RepairRequest,
) -> Result<Status, Error> {
    let request = match asked {
        RepairRequest::Named(request) => request,
        RepairRequest::VolumeOf(claim, what) => {
            let gathered = gather(options, cluster, asker, std::slice::from_ref(&claim.namespace), None, false).await?;
            what.request(keep::volume_of(&gathered, &claim)?)
        }
    };
    Run::new(options, cluster, asker).await?.repair(PlanSource::Request(request)).await
}

/// Reads the cluster, with the pods of these namespaces and the pods that use that volume or attachment. For a repair
/// of a Service, all pods and Services are read.
async fn gather(
    options: &RepairOptions,
    cluster: &impl Reader,
    asker: &impl Asker,
    pods_in: &[Str],
    used: Option<(Kind, &Str)>,
    of_service: bool,
) -> Result<Gathered, Error> {
    let evidence = Evidence {
        scheduling: used.is_some_and(|(kind, _)| kind == Kind::VolumeAttachment),
        nodes: true,
        pods: true,
        all_pods: of_service,
        pods_in,
        recyclers: true,
        lease: true,
        surroundings: if of_service { &SURROUNDINGS_OF_SERVICES } else { &SURROUNDINGS },
        ..Evidence::default()
    };
    let object = used.map(|(kind, name)| (kind, name.as_str()));
    let question = Question { object, evidence, ..options.read.question() };
    let gathered = cluster.gather(question).await?;
    for note in &gathered.notes {
        asker.message(note);
    }
    Ok(gathered)
}

/// One run of a repair.
#[derive(Debug)]
pub(in crate::ops) struct Run<'a, C, A> {
    options: &'a RepairOptions,
    cluster: &'a C,
    asker: &'a A,
    /// The identity of the cluster.
    pub(in crate::ops) here: Origin,
}

impl<'a, C: Writer, A: Asker> Run<'a, C, A> {
    /// Creates a run on that cluster.
    ///
    /// # Errors
    /// Returns an error if the identity of the cluster cannot be read.
    pub(in crate::ops) async fn new(options: &'a RepairOptions, cluster: &'a C, asker: &'a A) -> Result<Self, Error> {
        Ok(Self { options, cluster, asker, here: cluster.origin().await? })
    }

    /// Makes a plan, shows it, asks for consent and carries it out.
    ///
    /// # Errors
    /// Returns an error if something cannot be read, if the repair is refused, or if it stops.
    pub(in crate::ops) async fn repair(&self, mut source: PlanSource) -> Result<Status, Error> {
        source.check(&self.here, self.asker)?;
        let earlier = source.earlier().filter(|_| self.writes());
        let ended = self.rounds(&mut source).await;
        ended.map_err(|error| match earlier {
            Some(earlier) => apply::begun(error, &earlier, source.is_lost()),
            None => error,
        })
    }

    /// Returns whether the plan is carried out after consent, and not only shown.
    fn writes(&self) -> bool {
        self.options.extent == Extent::CarryOut
    }

    /// Makes a plan, shows it, asks for consent and carries it out, once. `before` is the plan of the previous round.
    /// The person agreed to that plan, and then the cluster changed.
    async fn round(&self, source: &mut PlanSource, before: Option<&AgreedPlan>) -> Result<Round, Error> {
        let Self { options, cluster, asker, here } = self;
        let look = RequestCheck { cluster: *cluster, here, asker: *asker, writes: self.writes() };
        if let Some(why) = source.resolve_doubt(&look).await? {
            return self.nothing(&why);
        }
        let mut world = self.read(source).await?;
        asker.progress().step("planning", 0);
        let there = if source.is_new() { exists(&world.gathered, source.request()) } else { Ok(()) };
        let planned = match there {
            Err(error) => Err(earlier::moved(&world, source.request(), error)),
            Ok(()) => match source.propose(&mut world, *cluster).await? {
                Proposed::Plan(plan) => Ok(*plan),
                Proposed::Nothing(why) => return self.nothing(&why),
                Proposed::Refused(refusal) => {
                    let error = refused(&refusal, None);
                    let is_unknown = error.kind() == ErrorKind::Unreadable;
                    Err(if is_unknown { world.gathered.with_what_makes_known(error) } else { error })
                }
            },
        };
        let plan = match planned {
            Ok(plan) => plan,
            Err(error) => {
                if source.is_new()
                    && let Some(why) = self.done_before(&mut world, source.request()).await?
                {
                    return self.nothing(&why);
                }
                return Err(AgreedPlan::refused(before, source.no_plan(error)));
            }
        };
        if let Some(before) = before {
            before.check_next_plan(&plan, options.yes)?;
            asker.message(
                "note: the cluster has changed since you agreed, and nothing was written: this is the plan for the \
                 present state",
            );
        }
        if let PlanSource::File(file) = source {
            apply::is_same(file, &world.document(&plan, here, &[]), false)?;
        }
        world.read(*cluster, plan.objects()).await?;
        asker.progress().step("reviewing", 0);
        let receipts = match cluster.receipts(&plan).await {
            Ok(receipts) => receipts,
            Err(stop) => {
                return match source.reached_by_others(&world.situation()?, self.writes())? {
                    Some(why) => self.nothing(&why),
                    None => Err(stop.into()),
                };
            }
        };
        let reviewed = match repair::review(&world.situation()?, plan, &receipts) {
            Ok(reviewed) => reviewed,
            Err(rejected) => {
                if let Some(why) = source.reached_by_others(&world.situation()?, self.writes())? {
                    return self.nothing(&why);
                }
                if options.shows_refused {
                    // Even if the reader has closed the output, the refusal is reported.
                    match self.show(&world, &rejected.plan, &rejected.guards) {
                        Err(error) if error.kind() == ErrorKind::OutputClosed => {}
                        shown => shown?,
                    }
                }
                let error = refused(&rejected.refusal, rejected.interleaving.as_ref());
                let by = |guard: &repair::Guard| guard.id == rejected.refusal.by && guard.holds == Holds::Unknown;
                let is_unknown = rejected.guards.iter().any(by);
                let error = if is_unknown { world.gathered.with_what_makes_known(error) } else { error };
                return Err(AgreedPlan::refused(before, error));
            }
        };
        if let PlanSource::File(file) = source {
            apply::is_same(file, &world.document(reviewed.plan(), here, reviewed.guards()), true)?;
        }
        if options.only_safe && !reviewed.plan().is_safe() {
            return Err(Error::new(
                ErrorKind::Changed,
                "the cluster has changed, and the repair is not safe any more: nothing was written",
            ));
        }
        self.agreed_to(source, &world, reviewed).await
    }

    /// Shows the reviewed plan, and then does what the options request.
    async fn agreed_to(&self, source: &mut PlanSource, world: &World<'_>, reviewed: Reviewed) -> Result<Round, Error> {
        self.show(world, reviewed.plan(), reviewed.guards()).map_err(|error| {
            if self.writes() && error.kind() == ErrorKind::OutputClosed {
                return Error::refused(
                    "the plan could not be shown, because the output is closed: nothing was written",
                );
            }
            error
        })?;
        match self.options.extent {
            Extent::Show => {
                self.asker.message("note: nothing was written (--dry-run=client)");
                Ok(Round::Ended(Status::Done))
            }
            Extent::Propose => {
                self.asker.message(
                    "note: nothing was written: this plan is made from files. -o yaml > plan.yaml stores it, and \
                     kubectl pvctl apply plan.yaml carries it out if the cluster has not changed",
                );
                Ok(Round::Ended(Status::Done))
            }
            Extent::Rehearse => self.rehearse(reviewed).await,
            Extent::HandOut => Ok(Round::Ended(Status::Done)),
            Extent::CarryOut => {
                let confirmed = consent::ask(self.options, self.asker, reviewed)?;
                self.carry_out(source, world, confirmed).await
            }
        }
    }

    /// Reads the objects that the plan needs.
    async fn read(&self, source: &PlanSource) -> Result<World<'a>, Error> {
        let request = source.request();
        let mut pods_in = request.namespaces();
        pods_in.extend(source.objects().into_iter().map(|key| key.namespace).filter(|name| !name.is_empty()));
        let of_service = matches!(request, Request::Reconnect { .. })
            || source.objects().iter().any(|object| object.kind == Kind::Service);
        let gathered = gather(self.options, self.cluster, self.asker, &pods_in, request.used(), of_service).await?;
        let keys = [repair::reads(&gathered.snapshot, request, &gathered.providers), source.objects()].concat();
        let mut world = World::new(gathered, &self.options.read.model);
        world.read(self.cluster, keys).await?;
        Ok(world)
    }

    fn nothing(&self, why: &str) -> Result<Round, Error> {
        self.asker.show(Shown::Nothing(why))?;
        Ok(Round::Ended(Status::Done))
    }

    fn show(&self, world: &World<'_>, plan: &Plan, guards: &[repair::Guard]) -> Result<(), Error> {
        let shown = plan::Shown { plan, guards, cluster: &self.here, model: world.gathered.modelled.document() };
        self.asker.show(Shown::Plan(shown, &world.manifests))
    }
}

/// Checks that the objects of the request exist. The error offers similar names.
fn exists(gathered: &Gathered, request: &Request) -> Result<(), Error> {
    request.wants().iter().try_for_each(|object| match object.kind {
        Kind::PersistentVolume => named::volume(&gathered.snapshot, &object.name).map(drop),
        Kind::VolumeAttachment => named::object(&gathered.snapshot, object.kind, &object.name, None).map(drop),
        _ => named::claim(&gathered.snapshot, &object.name, Some(&object.namespace)).map(drop),
    })
}
