//! Code that all repairing verbs share. It converts flags to options and connects to the cluster.

use super::dump::Dump;
use super::live::Live;
use super::person::Person;
use super::{arguments, connect};
use crate::cli::{DryRun, GlobalArgs, JournalArgs, RepairArgs, SourceArgs};
use crate::error::Error;
use crate::ops::repair::{Extent, RepairOptions, RepairRequest, repair};
use crate::ops::{Reader as _, Status};
use crate::report::plan::PlanFormat as Format;
use crate::terminal::Terminal;
use std::path::PathBuf;

/// Makes the repair that a verb requests, or only its plan if the objects are read from files. `asked` returns the
/// request. Its argument is the namespace in which claims are looked up.
///
/// # Errors
/// Returns an error for wrong usage, if something cannot be read, if the repair is refused, or if it stops.
pub(in crate::commands) fn run(
    args: &RepairArgs,
    source: &SourceArgs,
    global: &GlobalArgs,
    terminal: &Terminal,
    asked: impl Fn(&str) -> Result<RepairRequest, Error>,
) -> Result<Status, Error> {
    // The request is computed here to report errors in the arguments before the cluster is asked. For a cluster, it is
    // computed again, because the namespace of the context is known only after connecting.
    let given = global.scope.namespace.as_deref().filter(|namespace| !namespace.is_empty());
    let request = asked(given.unwrap_or("default"))?;
    check_source(args, source)?;
    if !source.filenames.is_empty() {
        check(args, global)?;
        let options = RepairOptions {
            read: arguments::read(&args.model(), source, global)?,
            extent: if args.output == Format::Text { Extent::Propose } else { Extent::HandOut },
            shows_refused: args.output == Format::Text,
            ..options(args, global)?
        };
        let dump = Dump::new(given.unwrap_or("default"), arguments::files(source), terminal);
        let person = Person::new(args, global, terminal);
        return connect::without_cluster(repair(&options, &dump, &person, request));
    }
    on_cluster(args, global, terminal, async |options, cluster, person| {
        repair(options, cluster, person, asked(cluster.namespace())?).await
    })
}

/// Checks that the flags of a repair are consistent, and connects to the cluster.
///
/// # Errors
/// Returns an error for wrong usage, or if `work` fails.
pub(in crate::commands) fn on_cluster(
    args: &RepairArgs,
    global: &GlobalArgs,
    terminal: &Terminal,
    work: impl AsyncFnOnce(&RepairOptions, &Live<'_>, &Person<'_>) -> Result<Status, Error>,
) -> Result<Status, Error> {
    check(args, global)?;
    let options = options(args, global)?;
    let person = Person::new(args, global, terminal);
    connect::with_cluster(global, terminal, async |cluster| {
        work(&options, &Live::new(cluster, terminal), &person).await
    })
}

/// Checks that the flags fit the source of the objects. For example, a plan from files is not carried out.
fn check_source(args: &RepairArgs, source: &SourceArgs) -> Result<(), Error> {
    if source.filenames.is_empty() {
        if source.now.is_some() || source.strict {
            let flag = if source.strict { "--strict" } else { "--now" };
            return Err(Error::usage(format!(
                "{flag} can only be used with -f: a repair of a cluster uses the present state of the cluster"
            )));
        }
        return Ok(());
    }
    let wrong = match args.dry_run {
        DryRun::Server => Some(("--dry-run=server", "it needs an API server")),
        DryRun::None | DryRun::Client if args.yes => Some(("--yes", "a plan from files is not carried out")),
        DryRun::None | DryRun::Client if args.confirm.is_some() => {
            Some(("--confirm", "a plan from files is not carried out"))
        }
        DryRun::None | DryRun::Client => None,
    };
    match wrong {
        None => Ok(()),
        Some((flag, why)) => Err(Error::usage(format!("{flag} cannot be combined with -f: {why}"))
            .hint("-o yaml > plan.yaml stores the plan, and kubectl pvctl apply plan.yaml carries it out")),
    }
}

fn check(args: &RepairArgs, global: &GlobalArgs) -> Result<(), Error> {
    if global.scope.all_namespaces || global.scope.selector.is_some() {
        return Err(Error::usage("a repair is for one object: it cannot be combined with -A or -l")
            .hint("name the namespace of a claim with -n"));
    }
    if args.confirm.is_some() && args.output != Format::Text {
        return Err(Error::usage("--confirm cannot be combined with -o: a printed plan is not carried out"));
    }
    Ok(())
}

/// Returns the options of a repair from the flags.
///
/// # Errors
/// Returns a usage error if the directory of the journals is not known.
pub(in crate::commands) fn options(args: &RepairArgs, global: &GlobalArgs) -> Result<RepairOptions, Error> {
    let is_text = args.output == Format::Text;
    Ok(RepairOptions {
        read: arguments::read(&args.model(), &SourceArgs::default(), global)?,
        extent: match args.dry_run {
            DryRun::Client => Extent::Show,
            DryRun::Server => Extent::Rehearse,
            DryRun::None if is_text => Extent::CarryOut,
            DryRun::None => Extent::HandOut,
        },
        yes: args.yes,
        confirm: args.confirm.clone(),
        only_safe: false,
        shows_refused: is_text && (args.dry_run != DryRun::None || global.verbosity > 0),
        timeout: args.timeout,
        journals: journals(&args.journal)?,
    })
}

/// Returns the directory of the journals.
///
/// # Errors
/// Returns a usage error if the directory is not known.
#[expect(clippy::disallowed_methods, reason = "this function reads the environment")]
pub(in crate::commands) fn journals(args: &JournalArgs) -> Result<PathBuf, Error> {
    if let Some(directory) = &args.directory {
        return Ok(directory.clone());
    }
    let variable = |name| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    // The XDG Base Directory Specification says that a relative path is to be ignored.
    let state = variable("XDG_STATE_HOME").filter(|path| path.is_absolute());
    let state = state.or_else(|| std::env::home_dir().map(|home| home.join(".local").join("state")));
    state.map(|state| state.join("kubectl-pvctl")).ok_or_else(|| {
        Error::usage("no directory for the journal is known: neither XDG_STATE_HOME nor HOME is set")
            .hint("--journal DIRECTORY sets the directory")
    })
}
