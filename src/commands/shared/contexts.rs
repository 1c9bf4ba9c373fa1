//! Asks the clusters of several contexts the same question. The answer has a section for each context, and one summary
//! and exit code for all.

use super::connect;
use crate::cli::{GlobalArgs, TableArgs};
use crate::error::Error;
use crate::ops::Status;
use crate::parallel::in_order;
use crate::report::contexts::{ContextListFormat, ContextListWriter, Counts, Section, Summary, yaml};
use crate::source;
use crate::terminal::{Terminal, exit_when_unread};

/// The maximum number of clusters that are read at the same time.
const AT_A_TIME: usize = 8;

/// The argument that stands for all contexts of the kubeconfig.
const ALL: &str = "all";

/// Calls `ask` for each context and prints the answers in the order of the contexts. The arguments of `ask` are the
/// flags and the terminal for one context. `format` is `None` for an output format that cannot name the cluster.
///
/// # Errors
/// Returns an error if flags contradict each other, if a context does not exist, or if the answer cannot be
/// written. Errors of one cluster are part of its section.
pub(in crate::commands) fn run(
    names: &[String],
    format: Option<ContextListFormat>,
    table: &TableArgs,
    global: &GlobalArgs,
    terminal: &Terminal,
    ask: impl Fn(&GlobalArgs, &Terminal) -> Result<(Status, Counts), Error> + Sync,
) -> Result<Status, Error> {
    check(global)?;
    let format = format.ok_or_else(|| {
        Error::usage("with --contexts, -o name cannot say to which cluster an object belongs")
            .hint("-o json has each object below its context")
    })?;
    let contexts = chosen(names, connect::contexts(global)?)?;
    let answer = |number: usize| {
        let context = contexts[number].clone();
        let mut global = global.clone();
        global.cluster.context = Some(context.clone());
        let terminal = terminal.section(&context);
        let answered = ask(&global, &terminal);
        let (status, answer) = match answered {
            Ok((status, counts)) => (status, Ok((counts, terminal.into_held()))),
            Err(error) => {
                terminal.error(&error);
                (Status::Failed(error.kind()), Err(error))
            }
        };
        let partial = status == Status::Unjudged;
        (status, Section { context, exit_code: status.exit_code(), partial, answer })
    };
    let threads = contexts.len().min(AT_A_TIME);
    let mut worst = Status::Done;
    let mut each = |hand_on: &mut dyn FnMut(&Section) -> Result<(), Error>| {
        in_order(threads, contexts.len(), answer, |(status, section)| {
            if status.exit_code() > worst.exit_code() {
                worst = status;
            }
            hand_on(&section).inspect_err(exit_when_unread)
        })
    };
    match format {
        ContextListFormat::Json => {
            let mut list = ContextListWriter::start(terminal.output())?;
            each(&mut |section| list.item(section))?;
            list.end()?.finish()?;
        }
        ContextListFormat::Yaml => {
            let mut list = ContextListWriter::start(Vec::new())?;
            each(&mut |section| list.item(section))?;
            let mut output = terminal.output();
            output.print(&yaml(&list.end()?)?)?;
            output.finish()?;
        }
        ContextListFormat::Sections => {
            let mut summary = Summary::default();
            each(&mut |section| {
                summary.add(section);
                let mut output = terminal.output();
                output.print(&section.text())?;
                output.finish()
            })?;
            let mut output = terminal.output();
            output.print(&summary.text(table.view(terminal.width()).style))?;
            output.finish()?;
        }
    }
    Ok(worst)
}

/// Refuses flags that select a single cluster, because several clusters are asked.
fn check(global: &GlobalArgs) -> Result<(), Error> {
    let of_one = connect::options(&global.cluster, None)?;
    let given = [
        ("--context", of_one.context.is_some()),
        ("--cluster", of_one.cluster.is_some()),
        ("--server", of_one.server.is_some()),
        ("--user", of_one.user.is_some()),
        ("--token", of_one.token.is_some()),
        ("--username", of_one.username.is_some()),
        ("--password", of_one.password.is_some()),
        ("--certificate-authority", of_one.certificate_authority.is_some()),
        ("--client-certificate", of_one.client_certificate.is_some()),
        ("--client-key", of_one.client_key.is_some()),
        ("--tls-server-name", of_one.tls_server_name.is_some()),
        ("--insecure-skip-tls-verify", of_one.insecure_skip_tls_verify),
    ];
    if let Some((flag, _)) = given.into_iter().find(|(_, given)| *given) {
        return Err(Error::usage(format!("{flag} applies to one cluster, but --contexts asks several"))
            .hint("put this setting into the kubeconfig, or ask only that cluster with --context"));
    }
    Ok(())
}

/// Returns the selected contexts, each once.
///
/// # Errors
///
/// Returns a usage error if a context does not exist, or if there are none.
pub fn chosen(names: &[String], mut known: Vec<String>) -> Result<Vec<String>, Error> {
    // A context without a name cannot be selected, because an empty name means the current context.
    known.retain(|name| !name.is_empty());
    if names == [ALL] {
        let mut all = known;
        all.sort_unstable();
        all.dedup();
        return match all.as_slice() {
            [] => Err(Error::usage("the kubeconfig has no contexts")),
            _ => Ok(all),
        };
    }
    let mut contexts: Vec<String> = Vec::new();
    for name in names {
        if !known.contains(name) {
            return Err(Error::usage(format!("--contexts: context {name:?} does not exist"))
                .hint(format!("the kubeconfig has {}", source::some_names(known.iter().map(String::as_str)))));
        }
        if !contexts.contains(name) {
            contexts.push(name.clone());
        }
    }
    Ok(contexts)
}
