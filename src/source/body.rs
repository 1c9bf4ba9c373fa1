//! The bodies of answers, read piece by piece, with a limit. It counts what comes after decompression, and ends the
//! reading where it is passed: what an answer would come to in the end is never held.

use http::{HeaderMap, header};
use http_body_util::BodyExt as _;
use kube::client::Body;
use std::ops::Deref;
use tokio::sync::{Semaphore, SemaphorePermit};

/// The most that is held of one answer with a list. Lists are asked for in pages of a few MiB; where a server sends all
/// at once, because `--chunk-size 0` asks for it, the list expired while it was read, or something on the way drops the
/// limit, this has room for 270,000 volumes or claims of the usual 1,450 bytes, or 100,000 of 4,000 bytes.
pub(super) const LARGEST_ANSWER: usize = 384 << 20;

/// The most that is held of one answer with metadata, or a few small objects. Of larger answers one is read at a time.
pub(super) const SMALL_ANSWER: usize = 16 << 20;

/// The most that is read of an answer that means failure: a `Status`, or the page of a proxy.
pub(super) const LARGEST_STATUS: usize = 1 << 20;

/// Whose turn it is to hold more than [`SMALL_ANSWER`]. Eight requests may be under way at once, and contexts side by
/// side: they must not hold a large answer each.
static LARGE: Semaphore = Semaphore::const_new(1);

/// The body of an answer. The turn of a large one ends when it is dropped.
pub(super) struct Text {
    bytes: Vec<u8>,
    turn: Option<SemaphorePermit<'static>>,
}

impl Deref for Text {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.bytes
    }
}

/// An answer that is larger than this many bytes, and so was not read to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TooLarge {
    pub(crate) limit: usize,
    /// Its length, where the server states it.
    pub(crate) stated: Option<u64>,
}

/// Reads a body to its end, or until it is larger than `limit`.
pub(super) async fn read(
    headers: &HeaderMap,
    mut body: Body,
    limit: usize,
) -> Result<Result<Text, TooLarge>, kube::Error> {
    // The length of a compressed answer is not stated: decompression takes the header away.
    let stated = headers.get(header::CONTENT_LENGTH).and_then(|length| length.to_str().ok()?.trim().parse().ok());
    if stated.is_some_and(|stated: u64| stated > limit as u64) {
        return Ok(Err(TooLarge { limit, stated }));
    }
    let mut text = Text { bytes: Vec::new(), turn: None };
    while let Some(frame) = body.frame().await {
        let frame = frame?;
        let Some(piece) = frame.data_ref() else { continue };
        let length = text.bytes.len() + piece.len();
        if length > limit {
            return Ok(Err(TooLarge { limit, stated: None }));
        }
        if length > SMALL_ANSWER && text.turn.is_none() {
            // It fails only where the semaphore was closed, which nobody does.
            text.turn = LARGE.acquire().await.ok();
        }
        text.bytes.extend_from_slice(piece);
    }
    Ok(Ok(text))
}
