//! `__complete`: kubectl calls it through the shim `kubectl_complete-pvctl` to complete `kubectl pvctl <TAB>`.
//!
//! This runs before the arguments are parsed, because the words to complete are not a valid command line yet. The
//! answer follows cobra's protocol. Each line has one candidate, a tab and a description. The last line is a colon and
//! a number that says how the shell continues. If anything fails, there are no candidates and no message, because the
//! person is still typing.

use crate::cli::{self, BINARY, ClusterArgs, GlobalArgs, HELP, Output, SETTING_KEYS, is_flag, setting_values};
use crate::diagnosis::{Severity, rules};
use crate::model::Kind;
use crate::ops::audit::UNJUDGED;
use crate::report::audit::ReportFormat;
use crate::report::match_table::MatchFormat;
use crate::report::prediction::PredictionFormat;
use crate::report::shared::format::Format as _;
use crate::report::shared_volumes::SharedFormat;
use crate::terminal;
use crate::text::sanitize;
use clap::{ArgMatches, FromArgMatches as _};
use clap_complete::engine::{ArgValueCompleter, CompletionCandidate, PathCompleter, ValueCompleter as _};
use std::ffi::{OsStr, OsString};
use std::fmt::Write as _;
use std::path::Path;
use std::sync::{Arc, mpsc};
use std::time::Duration;

/// The first argument of a call by the shim. This argument requests a completion.
const WORD: &str = "__complete";

/// Cobra's `ShellCompDirectiveNoSpace`: the candidate is only the beginning of a word.
const NO_SPACE: u8 = 2;
/// Cobra's `ShellCompDirectiveNoFileComp`: the shell adds no file names. If paths are wanted, the candidates already
/// include them.
const NO_FILES: u8 = 4;

/// The time limit for the cluster's answer. It is short because the person waits while typing.
const PATIENCE: Duration = Duration::from_secs(1);

/// The kind of names that are looked up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Wanted {
    /// The names of objects of a kind. If the kind has namespaces, [`Question::namespace`] applies.
    Objects(Kind),
    /// The names of the namespaces.
    Namespaces,
    /// The names of the contexts in the kubeconfig.
    Contexts,
}

/// A look-up of names for the completion of a word.
#[derive(Clone, Debug)]
pub struct Question {
    /// The kind of names to look up.
    pub wanted: Wanted,
    /// The namespace from the flags typed so far. `None` means the namespace of the context.
    pub namespace: Option<String>,
    /// The cluster from the flags typed so far.
    pub cluster: ClusterArgs,
}

/// A function that looks up names. If the look-up fails for any reason, the result is empty. The caller waits at most
/// one second.
pub type Names = fn(&Question) -> Vec<String>;

/// Returns the words to complete, if the arguments request a completion. The last word may be empty.
pub fn requested(arguments: &[OsString]) -> Option<&[OsString]> {
    match arguments {
        [_program, word, words @ ..] if word == WORD => Some(words),
        _ => None,
    }
}

/// Prints the answer to a completion.
#[expect(clippy::disallowed_methods, reason = "this function reads the environment")]
pub fn run(words: &[OsString]) {
    std::panic::set_hook(Box::new(|_| {}));
    let directory = std::env::current_dir().ok();
    terminal::print_quietly(&answer(words, super::connect::names, directory.as_deref()));
}

/// Returns the answer to a completion, ready to print. Relative paths are completed in `directory`.
pub fn answer(words: &[OsString], names: Names, directory: Option<&Path>) -> String {
    let candidates = candidates(words, names, directory);
    let unfinished = !candidates.is_empty()
        && candidates
            .iter()
            .all(|candidate| candidate.get_value().to_str().is_some_and(|value| value.ends_with(['/', '='])));
    let mut text = String::new();
    for candidate in &candidates {
        // A name that is not valid text or has to be escaped cannot be completed.
        let Some(value) = candidate.get_value().to_str().filter(|&value| sanitize(value) == value) else { continue };
        text.push_str(value);
        if let Some(help) = candidate.get_help() {
            let help = help.to_string();
            // Writing to a `String` cannot fail.
            _ = write!(text, "\t{}", sanitize(help.lines().next().unwrap_or_default()));
        }
        text.push('\n');
    }
    _ = writeln!(text, ":{}", if unfinished { NO_FILES | NO_SPACE } else { NO_FILES });
    text
}

fn candidates(words: &[OsString], names: Names, directory: Option<&Path>) -> Vec<CompletionCandidate> {
    let words = match words {
        [help, verb] if help == HELP => std::slice::from_ref(verb),
        [help, _, _, ..] if help == HELP => return Vec::new(),
        _ => words,
    };
    let typed = Typed::read(words);
    let typed = Arc::new(Typed { names, ..typed });
    let mut command = cli::command();
    for (flag, wanted) in [("namespace", Wanted::Namespaces), ("context", Wanted::Contexts)] {
        let typed = Arc::clone(&typed);
        let completer = ArgValueCompleter::new(move |current: &OsStr| offer("", &typed.look_up(wanted), current));
        command = command.mut_arg(flag, |argument| argument.add(completer));
    }
    for (verb, argument, values) in VALUES {
        let typed = Arc::clone(&typed);
        let completer = ArgValueCompleter::new(move |current: &OsStr| values(&typed, current));
        command = command.mut_subcommand(verb, |verb| verb.mut_arg(argument, |argument| argument.add(completer)));
    }
    for (verb, argument, kinds) in OBJECTS {
        let typed = Arc::clone(&typed);
        let completer = ArgValueCompleter::new(move |current: &OsStr| typed.objects(kinds, current));
        command = command.mut_subcommand(verb, |verb| verb.mut_arg(argument, |argument| argument.add(completer)));
    }
    let line: Vec<OsString> = std::iter::once(BINARY.into()).chain(words.iter().cloned()).collect();
    // The completion engine needs a word to complete, so an empty word is added if there is none.
    let line = if words.is_empty() { vec![BINARY.into(), OsString::new()] } else { line };
    let last = line.len() - 1;
    // As in kubectl, flags are candidates only after a hyphen was typed.
    let wants_flags = words.last().is_some_and(|word| is_flag(word));
    let mut found = clap_complete::engine::complete(&mut command, line, last, directory).unwrap_or_default();
    // A file whose name begins with a dot is also hidden, but is a candidate if the dot was typed.
    found.retain(|candidate| !is_flag(candidate.get_value()) || wants_flags && !candidate.is_hide_set());
    found
}

/// A function that returns the candidates for a value. Its arguments are the words before the value, and the typed
/// beginning of the value.
type Values = fn(&Typed, &OsStr) -> Vec<CompletionCandidate>;

/// The arguments of verbs whose values are not in their definitions.
const VALUES: [(&str, &str, Values); 12] = [
    ("predict", "contexts", Typed::contexts),
    ("predict", "sort_by", |typed, current| columns(&typed.format(PredictionFormat::Table).columns(), current)),
    ("match", "sort_by", |typed, current| {
        columns(typed.format(MatchFormat::Table).columns().unwrap_or_default(), current)
    }),
    ("shared", "sort_by", |typed, current| {
        columns(typed.format(SharedFormat::Table).columns().unwrap_or_default(), current)
    }),
    ("audit", "sort_by", |typed, current| {
        let format = typed.verb.try_get_one::<Output<ReportFormat>>("output").ok().flatten();
        let format = format.map_or(ReportFormat::Table, |output| output.format);
        columns(&format.columns(typed.has("all")), current)
    }),
    ("audit", "output", |_, current| reports(current)),
    ("audit", "rules", |_, current| rule_ids(current)),
    ("audit", "skip_rules", |_, current| rule_ids(current)),
    ("audit", "fail_on", |_, current| thresholds(current)),
    ("rules", "id", |_, current| rule_ids(current)),
    ("fix", "only", |_, current| rule_ids(current)),
    ("recreate", "set", Typed::settings),
];

/// The verbs that take objects, with the name of the argument and the kinds that it accepts.
const OBJECTS: [(&str, &str, &[Kind]); 18] = [
    ("audit", "objects", &[Kind::PersistentVolumeClaim, Kind::PersistentVolume]),
    ("predict", "objects", &[Kind::PersistentVolumeClaim, Kind::PersistentVolume]),
    ("explain", "object", &cli::EXPLAINED),
    ("match", "object", &[Kind::PersistentVolumeClaim]),
    ("shared", "objects", &[Kind::PersistentVolumeClaim, Kind::PersistentVolume]),
    ("retain", "object", &[Kind::PersistentVolumeClaim, Kind::PersistentVolume]),
    ("release", "object", &[Kind::PersistentVolume]),
    ("unbind", "object", &[Kind::PersistentVolume]),
    ("reclaim", "object", &[Kind::PersistentVolume]),
    ("recreate", "object", &[Kind::PersistentVolumeClaim]),
    ("restore", "object", &[Kind::PersistentVolumeClaim]),
    ("rebind", "object", &[Kind::PersistentVolumeClaim]),
    ("move", "object", &[Kind::PersistentVolumeClaim]),
    ("rename", "object", &[Kind::PersistentVolumeClaim]),
    ("unfinalize", "object", &[Kind::PersistentVolumeClaim, Kind::PersistentVolume]),
    ("reschedule", "object", &[Kind::PersistentVolumeClaim]),
    ("detach", "object", &[Kind::VolumeAttachment]),
    ("reconnect", "object", &[Kind::PersistentVolumeClaim, Kind::PersistentVolume]),
];

/// The flags and arguments before the word that is being completed.
#[derive(Debug)]
struct Typed {
    namespace: Option<String>,
    cluster: ClusterArgs,
    /// Whether the objects are read from files. Then no cluster may be asked.
    files: bool,
    /// The objects typed so far.
    objects: Vec<String>,
    /// The verb with its flags and arguments.
    verb: ArgMatches,
    names: Names,
}

impl Typed {
    /// Parses the words as far as possible and ignores errors.
    fn read(words: &[OsString]) -> Self {
        let before = &words[..words.len().saturating_sub(1)];
        let line = std::iter::once(OsString::from(BINARY)).chain(before.iter().cloned());
        let matches = cli::command().ignore_errors(true).try_get_matches_from(line).unwrap_or_default();
        let global = GlobalArgs::from_arg_matches(&matches).unwrap_or_default();
        let verb = matches.subcommand().map(|(_, verb)| verb.clone()).unwrap_or_default();
        let values = |id: &str| -> Vec<String> {
            let given = verb.try_get_many::<String>(id).ok().flatten();
            given.map(|values| values.cloned().collect()).unwrap_or_default()
        };
        let objects = [values("objects"), values("object")].concat();
        Self {
            namespace: global.scope.namespace,
            cluster: global.cluster,
            files: verb.try_contains_id("filenames").unwrap_or(false),
            objects,
            verb,
            names: |_| Vec::new(),
        }
    }

    /// Returns the format of `-o`, or `default` if no format was typed.
    fn format<F: Copy + Send + Sync + 'static>(&self, default: F) -> F {
        self.verb.try_get_one::<F>("output").ok().flatten().copied().unwrap_or(default)
    }

    /// Returns whether that flag was typed. The flag takes no value.
    fn has(&self, flag: &str) -> bool {
        self.verb.try_get_one::<bool>(flag).ok().flatten().copied().unwrap_or_default()
    }

    /// Looks up names in the cluster. The result is empty if this takes too long, or if the objects are read from
    /// files.
    fn look_up(&self, wanted: Wanted) -> Vec<String> {
        if self.files {
            return Vec::new();
        }
        let question = Question { wanted, namespace: self.namespace.clone(), cluster: self.cluster.clone() };
        let names = self.names;
        let (sender, receiver) = mpsc::channel();
        // Nobody waits for the thread if it takes too long. The thread ends with the process, which exits soon after.
        let started = std::thread::Builder::new().spawn(move || _ = sender.send(names(&question)));
        started.ok().and_then(|_| receiver.recv_timeout(PATIENCE).ok()).unwrap_or_default()
    }

    /// Returns the candidates for one of several contexts.
    fn contexts(&self, current: &OsStr) -> Vec<CompletionCandidate> {
        let mut names = self.look_up(Wanted::Contexts);
        names.push("all".to_owned());
        offer("", &names, current)
    }

    /// Returns the candidates for `recreate --set`: first the keys, then the values of the typed key.
    fn settings(&self, current: &OsStr) -> Vec<CompletionCandidate> {
        let typed = current.to_string_lossy();
        let Some((key, value)) = typed.split_once('=') else {
            let keys = SETTING_KEYS.into_iter().flat_map(|(key, field)| [Some(key), field]).flatten();
            return offer("", &keys.map(|key| format!("{key}=")).collect::<Vec<_>>(), current);
        };
        let names = match key {
            "class" | "storageClassName" => self.look_up(Wanted::Objects(Kind::StorageClass)),
            "volumeName" => self.look_up(Wanted::Objects(Kind::PersistentVolume)),
            _ => setting_values(key).iter().map(|&value| value.to_owned()).collect(),
        };
        // Only the key with several values, `modes`, has commas.
        let before = value.rfind(',').map_or("", |comma| &value[..=comma]);
        offer(&format!("{key}={before}"), &names, current)
    }

    /// Returns the candidates for an object: first the types, then the names of objects of the typed type.
    fn objects(&self, kinds: &[Kind], current: &OsStr) -> Vec<CompletionCandidate> {
        let typed = current.to_string_lossy();
        if let Some((word, _)) = typed.split_once('/') {
            let Some(kind) = Kind::from_word(word).filter(|kind| kinds.contains(kind)) else { return Vec::new() };
            return offer(&format!("{word}/"), &self.look_up(Wanted::Objects(kind)), current);
        }
        let first = self.objects.first().map(String::as_str);
        if let Some(kind) = first.and_then(Kind::from_word).filter(|kind| kinds.contains(kind)) {
            return offer("", &self.look_up(Wanted::Objects(kind)), current);
        }
        kinds
            .iter()
            .map(|kind| (format!("{}/", kind.short()), kind.as_str()))
            .filter(|(word, _)| word.starts_with(&*typed))
            .map(|(word, help)| CompletionCandidate::new(word).help(Some(help.into())))
            .collect()
    }
}

/// Returns the candidates for the id of a rule.
fn rule_ids(current: &OsStr) -> Vec<CompletionCandidate> {
    let typed = current.to_string_lossy();
    let rules = rules::all().iter().filter(|rule| rule.id.starts_with(&*typed));
    rules.map(|rule| CompletionCandidate::new(rule.id).help(Some(rule.title.into()))).collect()
}

/// Returns the candidates for `audit --fail-on`: first the severities, then the rules.
fn thresholds(current: &OsStr) -> Vec<CompletionCandidate> {
    let words = Severity::ALL.map(Severity::as_str).into_iter().chain([UNJUDGED]);
    let words: Vec<String> = words.map(str::to_owned).collect();
    let mut found = offer("", &words, current);
    found.extend(rule_ids(current));
    found
}

/// Returns the candidates for `audit -o FORMAT[=FILE]`: first the formats, then the files.
fn reports(current: &OsStr) -> Vec<CompletionCandidate> {
    let typed = current.to_string_lossy();
    let Some((format, file)) = typed.split_once('=') else {
        let formats: Vec<String> = ReportFormat::ALL.iter().map(|format| format.word().to_owned()).collect();
        return offer("", &formats, current);
    };
    let files = PathCompleter::any().complete(OsStr::new(file)).into_iter();
    files.map(|file| file.add_prefix(format!("{format}="))).collect()
}

/// Returns the candidates for a column. They are in capital letters, unless lower-case letters were typed.
fn columns(columns: &[&str], current: &OsStr) -> Vec<CompletionCandidate> {
    let is_small = current.to_string_lossy().chars().any(char::is_lowercase);
    let case = |column: &&str| if is_small { column.to_lowercase() } else { (*column).to_owned() };
    offer("", &columns.iter().map(case).collect::<Vec<_>>(), current)
}

/// Returns the names that begin with the typed text.
fn offer(before: &str, names: &[String], current: &OsStr) -> Vec<CompletionCandidate> {
    let typed = current.to_string_lossy();
    let whole = names.iter().map(|name| format!("{before}{name}"));
    whole.filter(|name| name.starts_with(&*typed)).map(CompletionCandidate::new).collect()
}
