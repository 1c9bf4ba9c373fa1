//! Files that are generated and committed: shell completions, man pages, and pages of rules.
#![expect(clippy::expect_used, reason = "tests fail by panicking")]

use crate::support::assert_generated;
use pvctl::cli;
use pvctl::commands::completion::{FILES, SHIM, script};
use pvctl::diagnosis::rules;
use pvctl::report::rules::{overview, page as page_of_rule};
use std::fmt::Write as _;

#[test]
fn completions_are_in_step() {
    let files: Vec<(String, Vec<u8>)> =
        FILES.into_iter().map(|(name, shell)| (name.to_owned(), shell.map_or_else(|| SHIM.into(), script))).collect();
    assert_generated("completions", &files);
}

#[test]
fn the_pages_of_rules_are_in_step() {
    let all = rules::all();
    let pages = all.iter().map(|rule| (format!("{}.md", rule.id), page_of_rule(rule).into_bytes()));
    let overview = ("README.md".to_owned(), overview(all).into_bytes());
    assert_generated("docs/rules", &pages.chain([overview]).collect::<Vec<_>>());
}

#[cfg(unix)]
#[test]
fn the_shim_can_be_executed() {
    use std::os::unix::fs::PermissionsExt as _;
    let shim = crate::support::root().join("completions/kubectl_complete-pvctl");
    let mode = shim.metadata().expect("the shim is there").permissions().mode();
    assert_eq!(mode & 0o111, 0o111, "kubectl must be able to run it: `chmod +x completions/kubectl_complete-pvctl`");
}

#[test]
fn man_pages_are_in_step() {
    let mut command = cli::command().disable_help_flag(true);
    command.build();
    let verbs = command.get_subcommands().filter(|verb| !verb.is_hide_set()).cloned();
    let pages: Vec<(String, Vec<u8>)> = verbs.chain([command.clone()]).map(|command| page(&command)).collect();
    assert!(pages.len() > 6, "there must be a page for each verb, and one for all");
    assert_generated("man", &pages);
}

/// Returns the man page of one command. EXAMPLES and EXIT CODES of the help become sections.
fn page(command: &clap::Command) -> (String, Vec<u8>) {
    let after = command.get_after_help().map(ToString::to_string).unwrap_or_default();
    let man = clap_mangen::Man::new(command.clone()).manual("kubectl pvctl").source("kubectl-pvctl");
    let mut start = Vec::new();
    man.render_title(&mut start).expect("a title");
    man.render_name_section(&mut start).expect("a name");
    let mut rest = Vec::new();
    man.render_description_section(&mut rest).expect("a description");
    man.render_options_section(&mut rest).expect("options");
    if command.has_subcommands() {
        man.render_subcommands_section(&mut rest).expect("verbs");
    }
    // The synopsis of clap_mangen lists every flag of kubectl. The usage line of the help is shorter and says enough.
    let usage = command.clone().render_usage().to_string();
    let usage = usage.trim_start_matches("Usage: ").replace('-', "\\-");
    let parts = [start, format!(".SH SYNOPSIS\n\\fB{usage}\\fR\n").into_bytes(), rest].concat();
    // Each section of clap_mangen defines the apostrophe again. One definition is enough.
    let (preamble, lines): (Vec<String>, Vec<String>) = String::from_utf8(parts)
        .expect("man pages are UTF-8")
        .lines()
        .map(str::to_owned)
        .partition(|line| line.starts_with(".ie ") || line.starts_with(".el "));
    let mut text = [&preamble[..2], &lines].concat().join("\n") + "\n";
    for block in after.split("\n\n").filter(|block| !block.is_empty()) {
        let (heading, lines) = block.split_once('\n').expect("a heading and lines under it");
        writeln!(text, ".SH \"{heading}\"\n.nf").expect("memory");
        for line in lines.lines() {
            let line = line.trim_start().replace('\\', "\\\\").replace('-', "\\-");
            writeln!(text, "{line}").expect("memory");
        }
        text.push_str(".fi\n");
    }
    (man.get_filename(), text.into_bytes())
}
