//! The part of predictions about attachments: how the VolumeAttachments and the entries of nodes end.

use crate::controllers::attach_detach::{AttachmentEnd, RecordEnd};
use crate::diagnosis::attaching::ComponentEnds;
use crate::error::Error;
use crate::report::shared::machine::is_false;
use crate::report::shared::table::{Table, TableView};
use serde::Serialize;
use std::collections::BTreeSet;
use std::io::Write;

/// How the attachments of a volume end.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct AttachmentEndsOut {
    /// The name of the PersistentVolume. The field is absent if only the status of a node names the volume.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub volume: Option<String>,
    /// The name of the volume in the status of nodes.
    pub unique_name: String,
    /// The nodes on which pods need the volume, or to which it is or may be attached.
    pub nodes: Vec<String>,
    /// What objects record now.
    pub recorded: AttachmentEndOut,
    /// The ends: what objects record when nothing changes any more. The field is absent if too many ends are possible.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub outcomes: Option<Vec<AttachmentEndOut>>,
    /// Whether every end can really happen. No other end can happen, even if the value is false.
    pub exact: bool,
    #[serde(skip)]
    words: [String; 2],
}

/// The VolumeAttachments of a volume, and the nodes whose status lists it.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct AttachmentEndOut {
    /// The VolumeAttachments that exist.
    pub attachments: Vec<RecordEndOut>,
    /// The nodes whose `status.volumesAttached` lists the volume.
    pub listed_on: Vec<String>,
}

/// A VolumeAttachment at an end.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RecordEndOut {
    /// The name.
    pub name: String,
    /// The node.
    pub node: String,
    /// `status.attached`.
    pub attached: bool,
    /// Whether the VolumeAttachment is being deleted.
    #[serde(skip_serializing_if = "is_false")]
    #[cfg_attr(feature = "schema", schemars(default))]
    pub deleting: bool,
    /// Whether the attacher reports an error.
    #[serde(skip_serializing_if = "is_false")]
    #[cfg_attr(feature = "schema", schemars(default))]
    pub failed: bool,
}

impl AttachmentEndsOut {
    /// Returns this part of the document.
    pub fn new(of: &ComponentEnds) -> Self {
        let expected = match &of.ends {
            Some(ends) => {
                // Ends that differ only in what the status of a node lists have the same words.
                let mut all: Vec<String> = ends.iter().map(words).collect();
                all.dedup();
                all.join(" | ")
            }
            None => "<unknown>".to_owned(),
        };
        Self {
            volume: Some(of.volume.to_string()).filter(|name| !name.is_empty()),
            unique_name: of.unique_name.to_string(),
            nodes: of.nodes.iter().map(ToString::to_string).collect(),
            recorded: AttachmentEndOut::new(&of.now),
            outcomes: of.ends.as_ref().map(|ends| ends.iter().map(AttachmentEndOut::new).collect()),
            exact: of.exact,
            words: [words(&of.now), expected],
        }
    }
}

impl AttachmentEndOut {
    fn new(end: &AttachmentEnd) -> Self {
        let record = |(name, record): (&crate::model::Str, &RecordEnd)| RecordEndOut {
            name: name.to_string(),
            node: record.node.to_string(),
            attached: record.attached,
            deleting: record.deleting,
            failed: record.failed,
        };
        Self {
            attachments: end.records.iter().map(record).collect(),
            listed_on: end.listed.iter().map(ToString::to_string).collect(),
        }
    }
}

/// Returns the state of the volume on each node in words.
fn words(end: &AttachmentEnd) -> String {
    let of_record = |record: &RecordEnd| {
        let state = match (record.deleting, record.attached) {
            (true, _) => "being detached from",
            (false, true) => "attached to",
            (false, false) => "not attached to",
        };
        let failed = if record.failed { " (error)" } else { "" };
        format!("{state} {}{failed}", record.node)
    };
    let recorded: BTreeSet<&str> = end.records.values().map(|record| record.node.as_str()).collect();
    let listed = end.listed.iter().filter(|node| !recorded.contains(node.as_str()));
    let listed = listed.map(|node| format!("attached to {node}"));
    let all: Vec<String> = end.records.values().map(of_record).chain(listed).collect();
    if all.is_empty() { "attached nowhere".to_owned() } else { all.join(", ") }
}

/// Writes the table of the attachments, after an empty line if something was written before it.
pub(super) fn write(
    attachments: &[AttachmentEndsOut],
    is_first: bool,
    view: TableView<'_>,
    output: &mut impl Write,
) -> Result<(), Error> {
    if attachments.is_empty() {
        return Ok(());
    }
    let mut table = Table::new(vec!["VOLUME", "NODES", "NOW", "EXPECTED"]);
    for one in attachments {
        let [now, expected] = &one.words;
        let name = one.volume.as_ref().unwrap_or(&one.unique_name);
        table.row(vec![name.clone(), one.nodes.join(","), now.clone(), expected.clone()]);
    }
    let mut write = |text: &str| output.write_all(text.as_bytes()).map_err(|failure| Error::unwritten(&failure));
    if !is_first {
        write("\n")?;
    }
    table.render(view.style, write)
}
