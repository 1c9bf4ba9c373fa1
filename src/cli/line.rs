//! Changes the words of a command line before clap parses them, and replaces some errors of clap. kubectl's users type
//! some words that clap does not know.

use super::{BINARY, GlobalArgs};
use clap::Args as _;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use std::ffi::{OsStr, OsString};
use std::fmt::Write as _;

/// The word `help`. In the position of a verb, it requests the help of the verb that follows.
pub const HELP: &str = "help";

/// The flags with which `kubectl get` watches.
const WATCH: [&str; 3] = ["-w", "--watch", "--watch-only"];

/// The flags of verbs that read files.
const FILES: [&str; 2] = ["-f", "--filename"];

/// Verbs that take no files, although users may expect it. Each has the reason, and the commands to type instead, if
/// there are any.
const NO_FILES: [(&str, &str, &[&str]); 4] = [
    (
        "fix",
        "fix repairs objects of a cluster, so it takes no files",
        &[
            "explain TYPE/NAME -f PATH says what to do about an object in files",
            "retain pv/NAME -f PATH -o yaml prints the plan for a volume in files; so do the other verbs that repair",
        ],
    ),
    ("apply", "apply takes the file of a plan as an argument, without a flag", &["apply plan.yaml"]),
    ("undo", "undo works from the journals on this machine and takes no files", &["history lists the journals"]),
    ("history", "history lists the journals on this machine and takes no files", &[]),
];

/// The verbs that read objects once and then answer. Users of `kubectl get --watch` expect that these verbs can watch.
const READ_ONCE: [&str; 4] = ["predict", "explain", "match", "audit"];

/// Arranges the words for clap: the verb comes before all flags, and `help VERB` becomes `VERB --help`, as in kubectl.
pub(super) fn arranged(arguments: Vec<OsString>) -> Vec<OsString> {
    let mut line = verb_first(arguments);
    if line.get(1).is_none_or(|verb| verb != HELP) {
        return line;
    }
    line.remove(1);
    let mut line = verb_first(line);
    let is_verb = line.get(1).is_some_and(|word| !is_flag(word));
    line.insert(if is_verb { 2 } else { 1 }, "--help".into());
    line
}

/// Moves the verb before all flags. Otherwise clap loses values: if a flag with several values, such as `--as-group`,
/// is given before and after the verb, clap drops the values before the verb.
fn verb_first(arguments: Vec<OsString>) -> Vec<OsString> {
    if arguments.get(1).is_none_or(|first| !is_flag(first)) {
        return arguments;
    }
    let flags = GlobalArgs::augment_args(clap::Command::new(BINARY))
        .args_override_self(true)
        .allow_external_subcommands(true)
        .external_subcommand_value_parser(clap::value_parser!(OsString));
    // If the flags cannot be parsed, the whole definition reports the usage error or prints the help.
    let Ok(matches) = flags.try_get_matches_from(&arguments) else { return arguments };
    let Some((_, behind)) = matches.subcommand() else { return arguments };
    let behind = behind.get_many::<OsString>("").map_or(0, Iterator::count);
    let mut moved = arguments;
    let verb = moved.len() - behind - 1;
    moved[1..=verb].rotate_right(1);
    moved
}

/// Returns whether a word of a command line begins like a flag.
pub fn is_flag(word: &OsStr) -> bool {
    word.as_encoded_bytes().starts_with(b"-")
}

/// Replaces clap's error about an unknown flag, if users expect this flag: `--watch` of a verb that reads once, or `-f`
/// of a verb that takes no files. `command` has parsed `line`, and `program` is the name of the program in usage lines.
pub(super) fn with_what_to_type(
    error: clap::Error,
    command: &clap::Command,
    line: &[OsString],
    program: &str,
) -> clap::Error {
    let Some(ContextValue::String(flag)) = error.get(ContextKind::InvalidArg) else { return error };
    if error.kind() != ErrorKind::UnknownArgument {
        return error;
    }
    let verb = line.iter().skip(1).find_map(|word| command.find_subcommand(word)).map(clap::Command::get_name);
    if let Some((_, why, hints)) = NO_FILES.iter().find(|(of, ..)| FILES.contains(&flag.as_str()) && verb == Some(*of))
    {
        let hints: Vec<String> = hints.iter().map(|hint| format!("hint: {program} {hint}\n")).collect();
        return clap::Error::raw(ErrorKind::UnknownArgument, format!("{why}\n{}", hints.concat()));
    }
    if !WATCH.contains(&flag.as_str()) {
        return error;
    }
    let Some(verb) = verb.filter(|verb| READ_ONCE.contains(verb)) else { return error };
    let mut message = format!("{verb} reads once and does not watch\nhint: watch {program} {verb} …\n");
    if verb == "explain" {
        // Writing to a `String` cannot fail.
        _ = writeln!(message, "hint: {program} explain … --recheck says whether the controller acts");
    }
    clap::Error::raw(ErrorKind::UnknownArgument, message)
}
