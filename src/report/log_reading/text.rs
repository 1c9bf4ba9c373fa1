//! The reading of a log as text for people.

use super::document::{LeafOut, LogLineOut, LogReadingOut, LoggedObject, LoggedSyncOut, UnknownLineOut};
use crate::report::shared::table::{Table, TableStyle};
use crate::report::shared::wrap::wrap;
use crate::text::sanitize;
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// The largest number of leaves that are shown with their sentences.
const MOST_SENTENCES: usize = 3;

/// The largest number of leaves that are shown for a line.
const MOST_STEPS: usize = 6;

/// The largest number of files that are named for lines that are not known.
const MOST_FILES: usize = 5;

impl LogReadingOut {
    /// Returns the reading as text. The tables are as wide as `columns`.
    pub(super) fn text(&self, columns: Option<usize>) -> String {
        let mut page = String::new();
        for sync in &self.syncs {
            sync.page(&mut page, columns);
            page.push('\n');
        }
        let shown = self.counts.found - self.counts.other;
        let mut said = match shown {
            0 => "No line is shown.".to_owned(),
            1 => "1 line is shown.".to_owned(),
            lines => format!("{lines} lines are shown."),
        };
        if self.counts.other > 0 {
            _ = write!(said, " Of other objects: {}.", self.counts.other);
        }
        _ = write!(said, " Not known: {}{}.", self.counts.unknown, files(&self.unknown));
        _ = write!(said, " The known messages are those of Kubernetes {}.", self.kubernetes);
        page.push_str(&wrap(&said, columns, 0));
        page.push('\n');
        page
    }
}

/// Returns where the lines come from that are not known: the files with most of these lines.
fn files(unknown: &[UnknownLineOut]) -> String {
    let mut files: BTreeMap<&str, usize> = BTreeMap::new();
    for file in unknown.iter().filter_map(|line| line.file.as_deref()) {
        *files.entry(file).or_default() += 1;
    }
    let mut files: Vec<(&str, usize)> = files.into_iter().collect();
    files.sort_by_key(|(file, lines)| (std::cmp::Reverse(*lines), *file));
    let named: Vec<String> =
        files.iter().take(MOST_FILES).map(|(file, lines)| format!("{lines} of {}", sanitize(file))).collect();
    let more = if files.len() > MOST_FILES { ", …" } else { "" };
    if named.is_empty() { String::new() } else { format!(" ({}{more})", named.join(", ")) }
}

impl LoggedSyncOut {
    fn page(&self, page: &mut String, columns: Option<usize>) {
        let object = self.object.as_ref().map(|object| format!(": {}", object.text())).unwrap_or_default();
        _ = writeln!(page, "{}{object}", self.component);
        if self.ends.len() > MOST_SENTENCES {
            let ids: Vec<&str> = self.ends.iter().map(|leaf| leaf.id).collect();
            let said = format!("  The lines do not tell at which leaf the sync ended: {}", ids.join(", "));
            _ = writeln!(page, "{}", wrap(&said, columns, 4));
        } else {
            for leaf in &self.ends {
                let said = format!("  {} {}: {}", leaf.id, leaf.name, leaf.about);
                _ = writeln!(page, "{}", wrap(&said, columns, 4));
            }
        }
        let mut table = Table::new(vec!["LINE", "TIME", "FUNCTION", "STEP", "MESSAGE"]);
        for line in &self.lines {
            table.row(vec![
                line.line.to_string(),
                line.time.clone(),
                line.functions.join(", "),
                step(&line.steps),
                format!("{}{}", shown(line.message), self.named(line)),
            ]);
        }
        for line in
            table.text(TableStyle { width: columns.map(|columns| columns.saturating_sub(2)), headers: true }).lines()
        {
            _ = writeln!(page, "  {line}");
        }
        if self.ends.is_empty() {
            let shown = self.lines.iter().filter(|line| line.steps.len() <= MOST_STEPS).flat_map(|line| &line.steps);
            let leaves: BTreeMap<&str, &LeafOut> = shown.map(|leaf| (leaf.id, leaf)).collect();
            for leaf in leaves.values() {
                let said = format!("  {} {}: {}", leaf.id, leaf.name, leaf.about);
                _ = writeln!(page, "{}", wrap(&said, columns, 4));
            }
        }
    }

    /// Returns what a line names, besides the object of the sync.
    fn named(&self, line: &LogLineOut) -> String {
        let objects = line.object.iter().chain(&line.others).filter(|object| self.object.as_ref() != Some(object));
        let volumes = line.volumes.iter().map(|name| format!("volume {}", sanitize(name)));
        let pods = line.pod_uids.iter().map(|uid| format!("pod with uid {}", sanitize(uid)));
        let named: Vec<String> = objects.map(LoggedObject::text).chain(volumes).chain(pods).collect();
        if named.is_empty() { String::new() } else { format!(" [{}]", named.join(", ")) }
    }
}

/// Returns a message without the texts that differ from line to line. The names of a volume and its pod at the end of a
/// message of the kubelet are left out, because the objects of the line are shown after it.
fn shown(message: &str) -> String {
    let (message, _) = message.split_once(" for volume \"{").unwrap_or((message, ""));
    let mut pieces = message.split('{');
    let mut shown = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        match piece.split_once('}') {
            Some((key, rest)) if key.chars().all(|one| one.is_ascii_alphabetic()) => {
                shown.push('…');
                shown.push_str(rest);
            }
            _ => {
                shown.push('{');
                shown.push_str(piece);
            }
        }
    }
    shown
}

/// Returns the ids of the leaves, or only the first one if there are many.
fn step(leaves: &[LeafOut]) -> String {
    match leaves {
        [first, rest @ ..] if rest.len() >= MOST_STEPS => format!("{} …", first.id),
        _ => leaves.iter().map(|leaf| leaf.id).collect::<Vec<_>>().join(" "),
    }
}

impl LoggedObject {
    fn text(&self) -> String {
        let name = sanitize(&self.name);
        if self.namespace.is_empty() {
            format!("{} {name}", self.kind)
        } else {
            format!("{} {name} -n {}", self.kind, sanitize(&self.namespace))
        }
    }
}
