//! The command blocks of the README and of `docs/transcripts/`. Each block is run. A block that needs a cluster or
//! belongs to CI is only checked.
//!
//! A block is fenced as `sh` or `console`. In `sh` every line is a command. In `console` a command follows `$ `, and
//! the lines below the command are its output. A line `…` stands for any number of lines. A comment right before the
//! block says how the block is treated:
//!
//! - `<!-- run -->` and `<!-- test -->`: the two main commands. CI takes them from the README and runs them.
//! - `<!-- ci -->`: CI runs the same line.
//! - `<!-- cluster -->`: the block needs a cluster, so its commands are only parsed. Lines that call only kubectl
//!   itself are not parsed.
//! - `<!-- exit N -->`: the exit code, if it is not 0.
#![expect(
    clippy::disallowed_methods,
    clippy::expect_used,
    clippy::panic,
    reason = "tests prepare a folder for the commands, and fail by panicking"
)]

use crate::support::{BINARY, Finished, Run, files, text};
use pvctl::cli;
use std::fs;
use std::path::Path;

/// The command with which the README runs the program before it is installed.
const FROM_SOURCE: &str = "cargo run --profile quick --locked -- ";

#[derive(Debug, Default)]
struct Block {
    marker: String,
    /// The commands, each with the output that the document shows. `None` means that the document shows no output.
    commands: Vec<(String, Option<String>)>,
}

fn blocks(readme: &str) -> Vec<Block> {
    let mut found = Vec::new();
    let mut lines = readme.lines();
    let mut marker = String::new();
    while let Some(line) = lines.next() {
        if let Some(comment) = line.trim().strip_prefix("<!-- ").and_then(|rest| rest.strip_suffix(" -->")) {
            comment.clone_into(&mut marker);
        } else if let Some(language) = line.trim().strip_prefix("```") {
            let content: Vec<&str> = lines.by_ref().take_while(|line| line.trim() != "```").collect();
            if language == "sh" || language == "console" {
                let commands = commands(&content, language == "console");
                found.push(Block { marker: std::mem::take(&mut marker), commands });
            }
            marker.clear();
        } else if !line.trim().is_empty() {
            marker.clear();
        }
    }
    found
}

fn commands(lines: &[&str], console: bool) -> Vec<(String, Option<String>)> {
    let mut found: Vec<(String, Option<String>)> = Vec::new();
    let mut continued = false;
    for line in lines {
        let command =
            if console { line.strip_prefix("$ ") } else { Some(*line).filter(|line| !line.trim().is_empty()) };
        match (continued, command, found.last_mut()) {
            (true, _, Some((last, _))) => {
                last.push('\n');
                last.push_str(line);
            }
            (_, Some(command), _) => found.push((command.to_owned(), None)),
            (_, None, Some((_, shown))) if console => {
                let shown = shown.get_or_insert_default();
                shown.push_str(line);
                shown.push('\n');
            }
            _ => {}
        }
        continued = line.ends_with('\\');
    }
    found
}

/// Returns the calls of the program in a shell line, each with its arguments.
fn invocations(command: &str) -> Vec<Vec<String>> {
    let plain = command.replace("\\\n", " ").replace(FROM_SOURCE, "kubectl pvctl ");
    let parts = plain.split(['|', ';', '\n', '&']);
    parts
        .filter_map(|part| {
            let part = part.split(['>', '#']).next().unwrap_or_default().trim();
            let rest = part.strip_prefix("kubectl pvctl").or_else(|| part.strip_prefix("kubectl-pvctl"))?;
            let words = rest.split_whitespace().map(|word| word.trim_matches(['\'', '"']).to_owned());
            Some(std::iter::once("kubectl-pvctl".to_owned()).chain(words).collect())
        })
        .collect()
}

/// Returns whether the line calls only kubectl itself.
fn is_kubectls_own(command: &str) -> bool {
    command.starts_with("kubectl ") && invocations(command).is_empty()
}

fn assert_parses(command: &str) {
    let invocations = invocations(command);
    assert!(!invocations.is_empty(), "`{command}` does not call the program");
    for words in invocations {
        if let Err(error) = cli::parse(words.iter().map(Into::into).collect()) {
            assert!(!error.use_stderr(), "`{command}` is refused: {error}");
        }
    }
}

/// Runs a command in a folder with the examples. The program is in `PATH`, also as a plugin of kubectl.
#[cfg(unix)]
fn run_in(directory: &Path, command: &str) -> Finished {
    let programs = Path::new(BINARY).parent().expect("the program is in a folder");
    let path = format!("{}:{}:/usr/bin:/bin", directory.join("bin").display(), programs.display());
    Run::of(Path::new("/bin/sh"), &["-c", command]).current_dir(directory).env("PATH", &path).finish()
}

#[cfg(unix)]
fn assert_runs(directory: &Path, command: &str, shown: Option<&str>, code: i32) {
    let run = run_in(directory, command);
    assert_eq!(run.code, Some(code), "`{command}` has another exit code and printed: {}", run.stderr);
    if let Some(shown) = shown {
        let printed = run.stdout + &run.stderr;
        assert!(
            matches(&trimmed(shown), &trimmed(&printed)),
            "`{command}` must print\n{shown}\nbut it prints\n{printed}"
        );
    }
}

fn trimmed(text: &str) -> Vec<&str> {
    text.trim_end().lines().map(str::trim_end).collect()
}

/// Returns whether the printed lines equal the shown lines. A shown line `…` stands for any number of lines.
fn matches(shown: &[&str], printed: &[&str]) -> bool {
    match shown.split_first() {
        None => printed.is_empty(),
        Some((&"…", rest)) => (0..=printed.len()).any(|skipped| matches(rest, &printed[skipped..])),
        Some((line, rest)) => {
            printed.split_first().is_some_and(|(first, others)| first == line && matches(rest, others))
        }
    }
}

/// Creates a folder with the examples and a `kubectl` that calls the plugin.
#[cfg(unix)]
fn workplace() -> tempfile::TempDir {
    use std::os::unix::fs::PermissionsExt as _;
    let place = tempfile::tempdir().expect("a temporary folder");
    if crate::support::root().join("examples").exists() {
        for (path, bytes) in files("examples", "") {
            let target = place.path().join(path);
            fs::create_dir_all(target.parent().expect("a file is in a folder")).expect("the folder can be made");
            fs::write(target, bytes).expect("the example can be copied");
        }
    }
    let kubectl = place.path().join("bin/kubectl");
    fs::create_dir_all(place.path().join("bin")).expect("the folder can be made");
    let script = "#!/bin/sh\n[ \"$1\" = pvctl ] || exit 127\nshift\nexec kubectl-pvctl \"$@\"\n";
    fs::write(&kubectl, script).expect("the script can be written");
    fs::set_permissions(&kubectl, fs::Permissions::from_mode(0o755)).expect("the script can be made executable");
    place
}

#[cfg(unix)]
fn check(block: &Block, directory: &Path, ci: &str) {
    for (command, shown) in &block.commands {
        match block.marker.as_str() {
            "run" => {
                assert!(
                    command.starts_with(FROM_SOURCE),
                    "the first command must begin with `{FROM_SOURCE}`, but it is `{command}`"
                );
                assert_parses(command);
                assert!(ci.contains("readme_command run"), "CI does not run the README's first command");
            }
            "test" => {
                assert!(
                    command.starts_with("cargo test --locked"),
                    "the test command must begin with `cargo test --locked`, but it is `{command}`"
                );
                assert!(ci.contains("readme_command test"), "CI does not run the README's test command");
            }
            "ci" => assert!(ci.contains(command.as_str()), "CI does not run `{command}`"),
            // A line that calls only kubectl itself is not checked.
            "cluster" => {
                if !is_kubectls_own(command) {
                    assert_parses(command);
                }
            }
            marker => {
                let code = marker.strip_prefix("exit ").map_or(Ok(0), str::parse);
                let code = code.unwrap_or_else(|_| panic!("the marker `<!-- {marker} -->` is unknown"));
                assert!(marker.is_empty() || marker.starts_with("exit "), "the marker `<!-- {marker} -->` is unknown");
                assert_runs(directory, command, shown.as_deref(), code);
            }
        }
    }
}

#[cfg(unix)]
#[test]
fn every_command_of_the_readme_works() {
    let readme = blocks(&text("README.md"));
    let ci = text(".ci/run");
    for main in ["run", "test"] {
        let marked: Vec<&Block> = readme.iter().filter(|block| block.marker == main).collect();
        assert!(
            matches!(marked.as_slice(), [block] if block.commands.len() == 1),
            "the README must have exactly one block after `<!-- {main} -->`, with one command"
        );
    }
    let place = workplace();
    for block in &readme {
        check(block, place.path(), &ci);
    }
}

/// Returns the transcript with the current output of its commands.
#[cfg(unix)]
fn replayed(transcript: &str) -> String {
    let place = workplace();
    let mut now = String::new();
    let mut console = false;
    for line in transcript.lines() {
        if line.starts_with("```") {
            console = line == "```console";
        } else if let Some(command) = line.strip_prefix("$ ").filter(|_| console) {
            let run = run_in(place.path(), command);
            let printed = run.stdout + &run.stderr;
            now.push_str(line);
            now.push('\n');
            for printed in trimmed(&printed) {
                now.push_str(printed);
                now.push('\n');
            }
            continue;
        } else if console {
            continue;
        }
        now.push_str(line);
        now.push('\n');
    }
    now
}

#[cfg(unix)]
#[test]
fn generated_transcripts_are_what_is_printed() {
    if std::env::var_os("UPDATE").is_some() {
        for (path, bytes) in files("docs/transcripts", "md") {
            let transcript = String::from_utf8(bytes).expect("transcripts are UTF-8");
            fs::write(crate::support::root().join(path), replayed(&transcript)).expect("the transcript can be written");
        }
    }

    let ci = text(".ci/run");
    let mut verbs = Vec::new();
    for (path, bytes) in files("docs/transcripts", "md") {
        let name = path.rsplit('/').next().expect("a file has a name");
        verbs.push(name.trim_end_matches(".md").to_owned());
        let transcript = blocks(&String::from_utf8(bytes).expect("transcripts are UTF-8"));
        assert!(
            transcript.iter().any(|block| block.marker.starts_with("exit ")),
            "{path} must show a command that fails"
        );
        let place = workplace();
        for block in &transcript {
            assert!(
                block.marker.is_empty() || block.marker.starts_with("exit "),
                "{path}: the marker <!-- {} --> is not allowed here",
                block.marker
            );
            check(block, place.path(), &ci);
        }
    }
    let mut known: Vec<String> = cli::command()
        .get_subcommands()
        // A verb that writes needs a cluster. Its sessions are in tests/repair/verbs/.
        .filter(|verb| !verb.is_hide_set() && verb.get_arguments().all(|argument| argument.get_id() != "dry_run"))
        .map(|verb| verb.get_name().to_owned())
        .collect();
    known.sort();
    assert_eq!(verbs, known, "there must be one transcript for each verb that only reads");
}

#[test]
fn blocks_are_read_as_written() {
    let readme = "# x\n<!-- cluster -->\n```sh\nkubectl pvctl predict \\\n  -A\n\nkubectl pvctl version\n```\ntext\n\
                  ```json\n{}\n```\n<!-- exit 2 -->\n\n```console\n$ kubectl pvctl x\nerror: y\n…\n$ true\n```\n";
    let found = blocks(readme);
    assert_eq!(found.len(), 2, "{found:?}");
    assert_eq!(found[0].marker, "cluster");
    assert_eq!(found[0].commands.len(), 2);
    assert_eq!(found[0].commands[0].0, "kubectl pvctl predict \\\n  -A");
    assert_eq!(found[1].marker, "exit 2");
    assert_eq!(found[1].commands, [("kubectl pvctl x".into(), Some("error: y\n…\n".into())), ("true".into(), None)]);
    let words = invocations("kubectl get pv -o json | kubectl pvctl predict -f - > out");
    assert_eq!(words, [["kubectl-pvctl", "predict", "-f", "-"]]);
    assert_eq!(invocations(&found[0].commands[0].0), [["kubectl-pvctl", "predict", "-A"]]);
    assert!(is_kubectls_own("kubectl get pv -o json > dump.json"));
    assert!(!is_kubectls_own("kubectl get pv -o json | kubectl pvctl predict -f -"));
    assert!(!is_kubectls_own("kubectl-pvct predict"));
}

#[cfg(unix)]
#[test]
fn commands_are_run_and_what_they_print_is_compared() {
    let place = workplace();
    assert_runs(
        place.path(),
        "kubectl pvctl version | head -n 1",
        Some(concat!("pvctl:                ", env!("CARGO_PKG_VERSION"))),
        0,
    );
    assert_runs(place.path(), "kubectl pvctl predict --nonsense", None, 2);
    assert!(matches(&["a", "…", "d"], &["a", "b", "c", "d"]));
    assert!(matches(&["…"], &[]));
    assert!(!matches(&["a"], &["a", "b"]));
    assert!(!matches(&["…", "x"], &["a"]));
}
