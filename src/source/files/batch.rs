//! Batches of consecutive objects that are cut out of an input, and the trait of the code that receives batches.

use super::super::statement::Statement;
use super::error::SourceError;
use crate::model::{Kind, Str};
use crate::snapshot::decode::Header;
use crate::snapshot::decode::size::Named;
use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

/// What is known about the kind of the items of a batch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Expect {
    /// Each item states its kind.
    Stated,
    /// The items belong to a typed list, such as a `PodList`.
    Typed(Kind),
    /// The items belong to a typed list of a kind that the program does not know.
    Unneeded(Str),
    /// The items belong to a list that states its kind after them.
    Later,
}

impl Expect {
    /// Returns the kind of the items of a list with that header.
    pub(super) fn of_list(header: &Header<'_>) -> Self {
        match header.kind.strip_suffix("List") {
            None | Some("") => Self::Stated,
            Some(element) => {
                let element =
                    Header { api_version: Cow::Borrowed(header.api_version.as_ref()), kind: Cow::Borrowed(element) };
                element.known().map_or_else(|| Self::Unneeded(Str::from(element.kind.as_ref())), Self::Typed)
            }
        }
    }
}

/// Some consecutive objects.
#[derive(Debug)]
pub(super) struct Batch {
    /// The bytes that contain the objects.
    pub(super) bytes: Vec<u8>,
    /// The range of each object in the bytes.
    pub(super) items: Vec<Range<usize>>,
    /// The number of bytes of the input before these bytes.
    pub(super) base: u64,
    /// What is known about the kind of the objects.
    pub(super) expect: Expect,
    /// The name of the input.
    pub(super) origin: Arc<str>,
    /// An item after these objects that is too large to be decoded. Its bytes are not kept.
    pub(super) passed: Option<Passed>,
}

/// An item that is too large to be decoded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Passed {
    /// The kind and name of the item, if its beginning states them.
    pub(super) named: Named,
    /// The size of the item in bytes.
    pub(super) size: u64,
}

impl Batch {
    /// Returns a batch of one object that was stored until its kind was known.
    pub(super) fn of_one(json: Vec<u8>, base: u64, expect: Expect, origin: Arc<str>) -> Self {
        let whole = 0..json.len();
        Self { bytes: json, items: Vec::from_iter([whole]), base, expect, origin, passed: None }
    }
}

/// Receives the objects that are cut out, in the order of the input.
pub(super) trait Sink {
    /// Receives a batch. Returns a buffer that can be used again, or an empty buffer.
    fn batch(&mut self, batch: Batch) -> Result<Vec<u8>, SourceError>;

    /// Is called when a list begins. All earlier objects of the input were passed on already, and do not belong to the
    /// list.
    fn list_begin(&mut self) -> Result<(), SourceError>;

    /// Is called when a list has ended. `expect` is the kind of those items that do not state a kind. `stated` is the
    /// statement of the list.
    fn list_end(&mut self, expect: &Expect, stated: Option<Statement>) -> Result<(), SourceError>;
}
