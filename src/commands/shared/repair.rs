//! What all verbs share that repair: flags become options, and a cluster is asked.

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

/// Does what a verb asks for, with claims looked up in the namespace that it is given.
///
/// # Errors
/// Wrong usage, what could not be read, why it is refused, and where it stopped.
pub(in crate::commands) fn run(
    args: &RepairArgs,
    global: &GlobalArgs,
    terminal: &Terminal,
    asked: impl Fn(&str) -> Result<RepairRequest, Error>,
) -> Result<Status, Error> {
    // What is wrong in the words is said before a cluster is asked; its own namespace is known only then.
    let given = global.scope.namespace.as_deref().filter(|namespace| !namespace.is_empty());
    asked(given.unwrap_or("default"))?;
    on_cluster(args, global, terminal, async |options, cluster, person| {
        repair(options, cluster, person, asked(cluster.namespace())?).await
    })
}

/// Looks whether the flags of one repair go together, and finds the cluster.
///
/// # Errors
/// Wrong usage, and what `work` answers.
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

fn check(args: &RepairArgs, global: &GlobalArgs) -> Result<(), Error> {
    if global.scope.all_namespaces || global.scope.selector.is_some() {
        return Err(Error::usage("a repair is of one object: -A and -l do not go with it")
            .hint("name the namespace of a claim with -n"));
    }
    if args.confirm.is_some() && args.output != Format::Text {
        return Err(Error::usage("--confirm does not go with -o: a plan that is printed is not carried out"));
    }
    Ok(())
}

/// How repairs are to be made, by the flags.
///
/// # Errors
/// A usage error where nothing says where the journals are.
pub(in crate::commands) fn options(args: &RepairArgs, global: &GlobalArgs) -> Result<RepairOptions, Error> {
    let is_text = args.output == Format::Text;
    Ok(RepairOptions {
        read: arguments::read(&args.model(), &SourceArgs::default(), global),
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

/// The directory of the journals.
///
/// # Errors
/// A usage error where nothing says where that is.
#[expect(clippy::disallowed_methods, reason = "the edge, where the environment is read")]
pub(in crate::commands) fn journals(args: &JournalArgs) -> Result<PathBuf, Error> {
    if let Some(directory) = &args.directory {
        return Ok(directory.clone());
    }
    let variable = |name| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    // A relative path there is to be ignored, by the XDG Base Directory Specification.
    let state = variable("XDG_STATE_HOME").filter(|path| path.is_absolute());
    let state = state.or_else(|| std::env::home_dir().map(|home| home.join(".local").join("state")));
    state.map(|state| state.join("kubectl-pvctl")).ok_or_else(|| {
        Error::usage("no directory for the journal is known: neither XDG_STATE_HOME nor HOME is set")
            .hint("--journal DIRECTORY names one")
    })
}
