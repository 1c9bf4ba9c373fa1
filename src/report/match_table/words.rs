//! The answer as sentences. They are printed above the table.

use super::document::{MatchRow, MatchTable};
use super::node::OnNodeOut;
use crate::diagnosis::unread::unread;
use crate::model::Kind;
use crate::snapshot::{Absence, Snapshot};

impl MatchTable<'_> {
    /// Returns the result in one sentence, then one sentence for each fact that the reader has to know about the
    /// result.
    pub fn summary(&self, snapshot: &Snapshot) -> Vec<String> {
        let claim = if self.planned {
            format!("The planned claim {}/{}", self.claim.namespace, self.claim.name)
        } else {
            format!("Claim {}/{}", self.claim.namespace, self.claim.name)
        };
        let storage = self.asks.storage.as_deref().unwrap_or("no size");
        let class = match self.asks.storage_class_name {
            "" => "no class".to_owned(),
            class => format!("class \"{class}\""),
        };
        let mut lines = vec![format!(
            "{claim} asks for {storage}, {}, {class}: {}.",
            if self.asks.access_modes.is_empty() {
                "no access mode".to_owned()
            } else {
                self.asks.access_modes.join(",")
            },
            self.verdict()
        )];
        if let Some(class) = self.default_class {
            lines.push(format!("It states no class, so admission would give it the default class \"{class}\"."));
        }
        lines.extend(self.node.iter().flat_map(OnNodeOut::sentences));
        lines.extend(self.unknown_node.iter().map(|(_, why)| why.clone()));
        if self.search == "completed" && self.node.is_none() {
            lines.push(
                "Its binding is completed, so the controller does not search any more; this is what a search would \
                 find."
                    .to_owned(),
            );
        }
        if self.search == "named" && self.node.is_none() {
            lines.push(format!("It names volume {}, so no other volume is considered.", self.asks.volume_name));
        }
        let why = |field| {
            let (kind, part) = match field {
                "items" if self.search == "named" => (Kind::PersistentVolume, "It may exist"),
                "items" => (Kind::PersistentVolume, "Other volumes may fit"),
                "node" => return None,
                _ => (Kind::StorageClass, "The class may leave the choice to the scheduler"),
            };
            match snapshot.coverage().absence(kind, "") {
                Absence::Unknown(state) => Some(format!("{part}: {}.", unread(kind, "", state))),
                Absence::Certain | Absence::Assumed => None,
            }
        };
        if snapshot.coverage().absence(Kind::PersistentVolume, "") == Absence::Assumed {
            lines.push("Assumed: the input holds all volumes.".to_owned());
        }
        lines.extend(self.unknown.iter().filter_map(|unknown| why(unknown.field)));
        lines
    }

    fn verdict(&self) -> String {
        if let Some(node) = &self.node {
            return node.does(self.asks.volume_name);
        }
        if let Some((node, _)) = &self.unknown_node {
            return format!("what the scheduler does on node {node} is unknown");
        }
        if let Some(error) = self.error {
            return format!("the controller cannot search ({error})");
        }
        let hidden = self.unknown.iter().any(|unknown| unknown.field == "items");
        match (self.chosen.as_slice(), self.search) {
            ([], "named") if hidden => "whether the volume that it names exists is unknown".to_owned(),
            ([], _) if hidden && !self.items.iter().any(MatchRow::fits) => {
                if self.items.is_empty() {
                    "whether a volume fits is unknown".to_owned()
                } else {
                    "whether a volume fits is unknown; of the volumes that were read, none fits".to_owned()
                }
            }
            ([one], _) if hidden => format!("of the volumes that were read, {one} is chosen"),
            ([], "named") if self.items.is_empty() => "the volume that it names does not exist".to_owned(),
            ([], "named") => "the volume that it names does not fit".to_owned(),
            ([], _) if self.items.iter().any(|row| row.once_available) => {
                "a volume fits as soon as the controller has made it Available".to_owned()
            }
            ([], _) if self.delayed => {
                let fitting = self.items.iter().filter(|row| row.word == "scheduler").count();
                match fitting {
                    0 => "no volume fits".to_owned(),
                    1 => "the scheduler chooses; one volume fits".to_owned(),
                    fitting => format!("the scheduler chooses; {fitting} volumes fit"),
                }
            }
            ([], _) => "no volume fits".to_owned(),
            ([one], _) => format!("{one} is chosen"),
            ([first, second], _) => format!("{first} or {second} is chosen; nobody controls which"),
            ([first, rest @ ..], _) => {
                format!("{first} or one of {} others is chosen; nobody controls which", rest.len())
            }
        }
    }
}
