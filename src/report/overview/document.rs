//! The problems of a namespace in a few lines, with the command that explains each problem.

use crate::diagnosis::Diagnosis;
use crate::report::shared::wrap::wrap;
use colored::Colorize as _;
use std::fmt::Write as _;

/// The largest number of problems that are shown.
const MOST_PROBLEMS: usize = 10;
/// The largest number of lines of a headline.
const MOST_LINES: usize = 2;

/// The problems of a namespace, or of all namespaces.
#[derive(Debug)]
pub struct Overview<'a> {
    /// The namespace. `None` means all namespaces.
    pub namespace: Option<&'a str>,
    /// The numbers of volumes and claims that were examined.
    pub examined: [usize; 2],
    /// The problems, the worst first. Objects with the same cause are one problem.
    pub problems: Vec<Problem>,
}

/// Objects that have the same cause.
#[derive(Debug)]
pub struct Problem {
    /// The diagnosis of the first object.
    pub first: Diagnosis,
    /// The number of other objects with this cause.
    pub others: usize,
}

impl Overview<'_> {
    /// Returns the text: at most three lines for each problem, and the commands that come next.
    pub fn text(&self, columns: Option<usize>) -> String {
        let (place, flag) = match self.namespace {
            Some(namespace) => (format!("namespace {namespace}"), format!(" -n {namespace}")),
            None => ("all namespaces".to_owned(), " -A".to_owned()),
        };
        let [volumes, claims] = self.examined;
        let mut text = match self.problems.len() {
            0 => format!("Nothing is wrong with the {claims} claims and {volumes} volumes of {place}.\n"),
            1 => format!("1 problem with the {claims} claims and {volumes} volumes of {place}:\n"),
            several => format!("{several} problems with the {claims} claims and {volumes} volumes of {place}:\n"),
        };
        for problem in self.problems.iter().take(MOST_PROBLEMS) {
            let more = match problem.others {
                0 => String::new(),
                1 => " (and 1 more object)".to_owned(),
                others => format!(" (and {others} more objects)"),
            };
            let headline = wrap(&format!("{}{more}", problem.first.headline), columns, 2);
            let lines: Vec<&str> = headline.lines().collect();
            let shown = lines[..lines.len().min(MOST_LINES)].join("\n");
            let cut = if lines.len() > MOST_LINES { " …" } else { "" };
            // Writing to a `String` cannot fail.
            _ = writeln!(
                text,
                "\n{shown}{cut}\n  {}",
                format!("kubectl pvctl explain {}", problem.first.object).bold()
            );
        }
        if self.problems.len() > MOST_PROBLEMS {
            let rest = self.problems.len() - MOST_PROBLEMS;
            _ = writeln!(text, "\nand {rest} more: kubectl pvctl predict --stuck{flag}");
        }
        if self.problems.is_empty() {
            text.push_str("\nOther namespaces: kubectl pvctl -A\nAll verbs and flags: kubectl pvctl --help\n");
        } else {
            _ = writeln!(
                text,
                "\nAll findings: kubectl pvctl audit{flag}\nRepair in steps: kubectl pvctl fix{flag}\n\
                 All verbs and flags: kubectl pvctl --help"
            );
        }
        text
    }
}
