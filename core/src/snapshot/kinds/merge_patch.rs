//! Merge patches as RFC 7386 defines them. A patch has what a write changes in an object, except `resourceVersion`,
//! `managedFields` and the defaults that the API server sets.

use crate::model::{Amount, Annotations, ObjectMeta, Str};
use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};
use serde_json::Value;

/// A merge patch: the fields that change, sorted by name, and `null` for fields that are removed. A run prints many
/// patches. So a patch borrows texts and amounts from the object instead of copying them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MergePatch<'o>(Vec<(&'o str, Change<'o>)>);

/// The change of a field.
#[derive(Clone, Debug, PartialEq)]
enum Change<'o> {
    Removed,
    Text(&'o str),
    Amount(&'o Amount),
    List(Vec<&'o str>),
    Part(MergePatch<'o>),
    Json(Value),
}

impl<'o> MergePatch<'o> {
    fn set(&mut self, name: &'o str, change: Change<'o>) {
        let at = self.0.partition_point(|(known, _)| *known < name);
        self.0.insert(at, (name, change));
    }

    /// Adds a part of the object, unless nothing changes in this part.
    pub(super) fn part(mut self, name: &'o str, part: Self) -> Self {
        if !part.0.is_empty() {
            self.set(name, Change::Part(part));
        }
        self
    }

    /// Adds the change of a string field. An update omits this field if the string is empty, so the patch then removes
    /// the field.
    pub(super) fn text(&mut self, name: &'o str, before: &str, after: &'o str) {
        if before != after {
            self.set(name, if after.is_empty() { Change::Removed } else { Change::Text(after) });
        }
    }

    /// Adds the change of a string field in which an empty string differs from an absent field.
    pub(super) fn optional(&mut self, name: &'o str, before: Option<&str>, after: Option<&'o str>) {
        if before != after {
            self.set(name, after.map_or(Change::Removed, Change::Text));
        }
    }

    /// Adds the change of a list. An update omits an empty list, so the patch then removes the field. Any other list is
    /// sent as a whole.
    pub(super) fn list(&mut self, name: &'o str, differs: bool, after: impl Iterator<Item = &'o str>) {
        if differs {
            let items: Vec<&str> = after.collect();
            self.set(name, if items.is_empty() { Change::Removed } else { Change::List(items) });
        }
    }

    /// Adds the change of an object, with the fields that change. `None` means that the whole object is removed.
    pub(super) fn object(&mut self, name: &'o str, changed: Option<Self>) {
        self.set(name, changed.map_or(Change::Removed, Change::Part));
    }

    /// Adds the change of any other value. `None` means that the value is removed.
    pub(super) fn json(&mut self, name: &'o str, value: Option<Value>) {
        self.set(name, value.map_or(Change::Removed, Change::Json));
    }

    /// Adds the change of quantities, by resource name.
    pub(super) fn quantities(&mut self, name: &'o str, before: &'o [(Str, Amount)], after: &'o [(Str, Amount)]) {
        fn find<'l>(list: &'l [(Str, Amount)], resource: &str) -> Option<&'l Amount> {
            list.iter().find(|(known, _)| known == resource).map(|(_, amount)| amount)
        }
        let mut changed = Self::default();
        for (resource, amount) in after {
            if find(before, resource).is_none_or(|earlier| !earlier.reads_as(amount)) {
                changed.set(resource, Change::Amount(amount));
            }
        }
        for (resource, _) in before.iter().filter(|(resource, _)| find(after, resource).is_none()) {
            changed.set(resource, Change::Removed);
        }
        if !changed.0.is_empty() {
            self.object(name, Some(changed).filter(|_| !after.is_empty()));
        }
    }

    /// Returns the same patch without the part of this name.
    #[must_use]
    pub fn without(mut self, name: &str) -> Self {
        self.0.retain(|(known, _)| *known != name);
        self
    }

    /// Returns the text to which the patch sets a field of a part. The value is `None` if the patch sets no text in
    /// this field.
    pub fn text_of(&self, part: &str, field: &str) -> Option<&'o str> {
        let (_, Change::Part(part)) = self.0.iter().find(|(known, _)| *known == part)? else { return None };
        match part.0.iter().find(|(known, _)| *known == field)? {
            (_, Change::Text(text)) => Some(text),
            _ => None,
        }
    }
}

impl Serialize for MergePatch<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for (name, change) in &self.0 {
            map.serialize_entry(name, change)?;
        }
        map.end()
    }
}

impl Serialize for Change<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Removed => serializer.serialize_none(),
            Self::Text(text) => serializer.serialize_str(text),
            Self::Amount(amount) => amount.serialize(serializer),
            Self::List(items) => items.serialize(serializer),
            Self::Part(part) => part.serialize(serializer),
            Self::Json(value) => value.serialize(serializer),
        }
    }
}

/// Returns what a write changes in the metadata, limited to the fields that controllers change.
pub(super) fn metadata<'o>(before: &'o ObjectMeta, after: &'o ObjectMeta) -> MergePatch<'o> {
    let mut fields = MergePatch::default();
    annotations(&mut fields, &before.annotations, &after.annotations);
    let differs = before.finalizers != after.finalizers;
    fields.list("finalizers", differs, after.finalizers.iter().map(Str::as_str));
    fields
}

fn annotations<'o>(fields: &mut MergePatch<'o>, before: &'o Annotations, after: &'o Annotations) {
    if before == after {
        return;
    }
    if after.is_empty() {
        return fields.object("annotations", None);
    }
    let mut changed = MergePatch::default();
    for (key, value) in after.iter().filter(|(key, value)| before.get(*key) != Some(value)) {
        changed.set(key.as_str(), Change::Text(value));
    }
    for (key, _) in before.iter().filter(|(key, _)| !after.has(*key)) {
        changed.set(key.as_str(), Change::Removed);
    }
    fields.object("annotations", Some(changed));
}
