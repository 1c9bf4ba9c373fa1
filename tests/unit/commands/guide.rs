//! Tests of `pvctl::commands::guide`.

use pvctl::cli;
use pvctl::commands::guide::{FIRST, REPAIR, guide};

#[test]
fn the_guide_fits_the_terminal() {
    for columns in [40, 60, 79] {
        let shown = guide(Some(columns));
        // The command with a pipe stays on one line, so that people can copy it.
        let too_long = shown.lines().filter(|line| line.chars().count() > columns && !line.contains("kubectl"));
        assert_eq!(too_long.collect::<Vec<_>>(), [""; 0], "{columns}:\n{shown}");
    }
}

#[test]
fn every_command_of_the_guide_can_be_parsed() {
    for (command, _) in FIRST.into_iter().chain([REPAIR]) {
        let words = command.replacen("kubectl pvctl", "kubectl-pvctl", 1);
        let parsed = cli::parse(words.split(' ').map(Into::into).collect());
        assert!(parsed.is_ok_and(|cli| cli.verb.is_some()), "{command}");
    }
}
