//! Reads the bodies of answers piece by piece up to a limit. The limit counts the bytes after decompression. The
//! reading ends when the limit is passed, so a larger answer is never held in memory.

use http::{HeaderMap, header};
use http_body_util::BodyExt as _;
use kube::client::Body;
use std::ops::Deref;
use tokio::sync::{Semaphore, SemaphorePermit};

/// The largest answer with a list, in bytes.
///
/// Lists are requested in pages of a few MiB. A server may still send a whole list in one answer: with
/// `--chunk-size 0`, after the list has expired while its pages were read, or because a proxy removes the parameter
/// `limit`. The value is enough for 270,000 volumes or claims of the usual 1,450 bytes, or for 100,000 volumes or
/// claims of 4,000 bytes.
pub(super) const LARGEST_ANSWER: usize = 384 << 20;

/// The largest answer with metadata or a few small objects, in bytes. A list may be larger, but only one answer that is
/// larger than this is in memory at a time.
pub(super) const SMALL_ANSWER: usize = 16 << 20;

/// The largest answer with an error, in bytes: a `Status`, or the page of a proxy.
pub(super) const LARGEST_STATUS: usize = 1 << 20;

/// The permit to hold more than [`SMALL_ANSWER`]. If several contexts are read, eight requests for each of them may be
/// under way at once. They must not all hold a large answer.
static LARGE: Semaphore = Semaphore::const_new(1);

/// The body of an answer. A large body holds the permit until it is dropped.
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

/// The error for an answer that is larger than `limit` bytes. The rest of the answer was not read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TooLarge {
    pub(crate) limit: usize,
    /// The length of the answer in bytes, if the server states it.
    pub(crate) stated: Option<u64>,
}

/// Reads a body to its end, or until it is larger than `limit`.
pub(super) async fn read(
    headers: &HeaderMap,
    mut body: Body,
    limit: usize,
) -> Result<Result<Text, TooLarge>, kube::Error> {
    // The length of a compressed answer is unknown, because the layer that decompresses the answer removes the header.
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
            // This fails only if the semaphore was closed, which never happens.
            text.turn = LARGE.acquire().await.ok();
        }
        text.bytes.extend_from_slice(piece);
    }
    Ok(Ok(text))
}
