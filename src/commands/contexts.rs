//! The same question to the clusters of several contexts: a section for each, one summary, one exit code.

use super::{Status, connect};
use crate::cli::GlobalArgs;
use crate::error::Error;
use crate::parallel::in_order;
use crate::report::contexts::{Counts, ListWriter, Section, Summary};
use crate::report::prediction::PredictionFormat as Format;
use crate::report::shared::table::TableStyle;
use crate::report::shared::yaml::yaml;
use crate::source;
use crate::terminal::{Terminal, exit_when_unread, output_error};

/// So many clusters are read at a time.
const AT_A_TIME: usize = 8;

/// The word for all contexts of the kubeconfig.
const ALL: &str = "all";

/// Asks each of the contexts, and prints what they answer in the order in which they were named. Whoever asks is given
/// the flags and the terminal for one context.
///
/// # Errors
/// Flags that contradict each other, contexts that do not exist, and what keeps the answer from being written. What is
/// wrong with one cluster stands in its section.
pub(super) fn run(
    names: &[String],
    format: Format,
    headers: bool,
    global: &GlobalArgs,
    terminal: &Terminal,
    ask: impl Fn(&GlobalArgs, &Terminal) -> Result<(Status, Counts), Error> + Sync,
) -> Result<Status, Error> {
    check(format, global)?;
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
                (Status::Told(error.kind()), Err(error))
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
    let failed = |failure: std::io::Error| output_error(&failure);
    match format {
        Format::Json => {
            let mut list = ListWriter::start(terminal.output()).map_err(failed)?;
            each(&mut |section| list.item(section).map_err(failed))?;
            list.end().map_err(failed)?.finish()?;
        }
        Format::Yaml => {
            let mut list = ListWriter::start(Vec::new()).map_err(failed)?;
            each(&mut |section| list.item(section).map_err(failed))?;
            let document: serde_json::Value = serde_json::from_slice(&list.end().map_err(failed)?)
                .map_err(|error| Error::bug("the answer cannot be put into YAML").caused_by(&error))?;
            let mut output = terminal.output();
            output.print(&yaml(&document)?)?;
            output.finish()?;
        }
        Format::Table | Format::Wide | Format::Name => {
            let mut summary = Summary::default();
            each(&mut |section| {
                summary.add(section);
                let mut output = terminal.output();
                output.print(&section.text())?;
                output.finish()
            })?;
            let mut output = terminal.output();
            output.print(&Summary::heading())?;
            let style = TableStyle { width: terminal.width(), headers };
            summary.table().render(style, |text| output.print(text))?;
            output.finish()?;
        }
    }
    Ok(worst)
}

/// What means one cluster alone has no place beside several.
fn check(format: Format, global: &GlobalArgs) -> Result<(), Error> {
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
        return Err(Error::usage(format!("{flag} is of one cluster, and --contexts asks several"))
            .hint("put it into the kubeconfig, or ask that cluster alone with --context"));
    }
    if format == Format::Name {
        return Err(Error::usage("with --contexts, -o name cannot say of which cluster an object is")
            .hint("-o json has each object below its context"));
    }
    Ok(())
}

/// The contexts that are meant, each once.
fn chosen(names: &[String], mut known: Vec<String>) -> Result<Vec<String>, Error> {
    // One without a name cannot be asked for: an empty name means the current one.
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

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;

    fn strings(names: &[&str]) -> Vec<String> {
        names.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn contexts_are_asked_once_each_and_in_the_order_given() {
        let known = || strings(&["prod", "dev", "stage"]);
        assert_eq!(chosen(&strings(&["stage", "dev", "stage"]), known()).unwrap(), ["stage", "dev"]);
        assert_eq!(chosen(&strings(&["all"]), known()).unwrap(), ["dev", "prod", "stage"]);
        let error = chosen(&strings(&["dev", "prdo"]), known()).unwrap_err();
        assert_eq!(
            error.to_string(),
            "error: --contexts: context \"prdo\" does not exist\nhint: the kubeconfig has prod, dev, stage"
        );
        assert!(chosen(&strings(&["all"]), Vec::new()).is_err());
        assert_eq!(chosen(&strings(&["all"]), strings(&["", "dev"])).unwrap(), ["dev"]);
        // A context of that name is asked beside others.
        assert_eq!(chosen(&strings(&["all", "dev"]), strings(&["all", "dev"])).unwrap(), ["all", "dev"]);
    }
}
