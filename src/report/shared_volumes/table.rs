//! The shared volumes as a table.

use super::document::{SharedVolumeList, SharedVolumeOut};
use crate::report::shared::table::{Table, TableView};
use crate::text::sanitize;
use std::fmt::Write as _;

const NARROW: [&str; 6] = ["CLAIM", "PROVIDER", "SERVICE", "READY", "VERDICT", "WHY"];
const WIDE: [&str; 11] =
    ["CLAIM", "VOLUME", "PROVIDER", "SERVICE", "CLUSTER-IP", "RECORDED", "READY", "SERVERS", "USERS", "VERDICT", "WHY"];

/// Returns the names of the columns.
pub(super) fn columns(wide: bool) -> &'static [&'static str] {
    if wide { &WIDE } else { &NARROW }
}

/// Returns the table.
pub(super) fn text(list: &SharedVolumeList<'_>, view: TableView<'_>, wide: bool) -> String {
    let mut text = String::new();
    if list.items.is_empty() {
        text.push_str("No shared volumes were found.\n");
    } else {
        let mut table = Table::new(columns(wide).to_vec());
        for item in &list.items {
            table.row(item.cells(wide));
        }
        if let Some(column) = view.sort_by {
            table.sort_by(column);
        }
        text.push_str(&table.text(view.style));
    }
    for left in &list.leftovers {
        // Writing to a `String` cannot fail.
        _ = writeln!(text, "{} {}", left.id, sanitize(left.message));
    }
    text
}

/// Returns TYPE/NAME of each volume.
pub(super) fn names(list: &SharedVolumeList<'_>) -> String {
    let mut names = String::new();
    for item in &list.items {
        // Writing to a `String` cannot fail.
        _ = writeln!(names, "pv/{}", sanitize(item.object.name));
    }
    names
}

impl SharedVolumeOut<'_> {
    fn cells(&self, wide: bool) -> Vec<String> {
        let claim = self.claim.as_ref().map(|claim| format!("{}/{}", claim.namespace, claim.name)).unwrap_or_default();
        let service = self.service.as_ref().map(|service| match service.namespace.as_str() {
            "" => service.name.clone(),
            namespace => format!("{namespace}/{}", service.name),
        });
        let ready = self.servers.iter().filter(|server| server.ready).count();
        let ready = match self.servers_from {
            "unknown" => "<unknown>".to_owned(),
            _ => format!("{ready}/{}", self.servers.len()),
        };
        let why = self.findings.first().map_or("", |finding| finding.message).to_owned();
        let mut cells = vec![claim];
        if wide {
            cells.push(self.object.name.to_owned());
        }
        cells.extend([self.provider.id.to_owned(), service.unwrap_or_default()]);
        if wide {
            let ip = self.service.as_ref().and_then(|service| service.cluster_ip).unwrap_or_default();
            cells.extend([ip.to_owned(), self.mount_endpoint.recorded.clone().unwrap_or_default()]);
        }
        cells.push(ready);
        if wide {
            let servers = self.servers.iter().map(|server| match &server.pod {
                Some(pod) => format!("{}/{}", pod.namespace, pod.name),
                None => server.address.to_owned(),
            });
            cells.push(servers.collect::<Vec<_>>().join(","));
            cells.push(self.users.len().to_string());
        }
        cells.extend([self.verdict.to_owned(), why]);
        cells
    }
}
