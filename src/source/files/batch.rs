//! What is cut out of an input: some objects that stand one after another, and who takes them.

use super::super::statement::Statement;
use super::error::SourceError;
use crate::model::{Kind, Str};
use crate::snapshot::decode::Header;
use crate::snapshot::decode::size::Named;
use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

/// What is known of the items of a batch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Expect {
    /// Each states its kind.
    Stated,
    /// They are items of a typed list, such as a `PodList`.
    Typed(Kind),
    /// They are items of a typed list of a kind that no decision reads.
    Unneeded(Str),
    /// They are items of a list whose kind comes after them.
    Later,
}

impl Expect {
    /// What the items of a list with that header are.
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

/// Some objects that stand one after another.
#[derive(Debug)]
pub(super) struct Batch {
    /// The bytes that hold them.
    pub(super) bytes: Vec<u8>,
    /// Where in the bytes each of them is.
    pub(super) items: Vec<Range<usize>>,
    /// How many bytes of the input come before these bytes.
    pub(super) base: u64,
    /// What is known of them.
    pub(super) expect: Expect,
    /// The input.
    pub(super) origin: Arc<str>,
    /// An item that comes after them and is too large to be decoded. Its bytes are not held.
    pub(super) passed: Option<Passed>,
}

/// An item that is larger than any that is decoded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Passed {
    /// What its beginning says of it.
    pub(super) named: Named,
    /// How many bytes it has.
    pub(super) size: u64,
}

impl Batch {
    /// A batch of one object that was kept back.
    pub(super) fn of_one(json: Vec<u8>, base: u64, expect: Expect, origin: Arc<str>) -> Self {
        let whole = 0..json.len();
        Self { bytes: json, items: Vec::from_iter([whole]), base, expect, origin, passed: None }
    }
}

/// Takes what is cut out, in the order of the input.
pub(super) trait Sink {
    /// Takes a batch, and gives back a buffer that is free, if there is one.
    fn batch(&mut self, batch: Batch) -> Result<Vec<u8>, SourceError>;

    /// A list begins, and everything that stands before it in the input was handed over: that is no part of it.
    fn list_begin(&mut self) -> Result<(), SourceError>;

    /// A list has ended: what its items without a kind are, whether the list was a typed one, and what it says of
    /// itself.
    fn list_end(&mut self, expect: &Expect, stated: Option<Statement>) -> Result<(), SourceError>;
}
