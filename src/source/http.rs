//! Single reads from the API server. Time and size are limited, and a read is retried a few times. With `-v 6` each
//! request is logged in one line.
#![expect(clippy::disallowed_types, clippy::disallowed_methods, reason = "-v 6 shows the duration of each request")]

use super::body::{self, LARGEST_STATUS, Text, TooLarge};
use super::cluster_error::{ApiStatus, ClusterError};
use crate::model::Timestamp;
use http::{HeaderMap, Request, header};
use kube::Client;
use kube::client::Body;
use std::time::{Duration, Instant};

/// One finished request, for `-v 6`. It has no headers, so it contains no credentials.
#[derive(Clone, Debug)]
pub struct RequestLog {
    /// The HTTP method.
    pub method: &'static str,
    /// The whole address of the request.
    pub url: String,
    /// The HTTP status. The value is `None` if there was no answer.
    pub status: Option<u16>,
    /// The duration in milliseconds.
    pub milliseconds: u128,
}

/// A function that is called after each request.
pub type Observer<'a> = &'a (dyn Fn(&RequestLog) + Send + Sync);

/// How often a read is retried if the server is too busy.
#[derive(Clone, Copy, Debug)]
pub struct Retry {
    /// The total number of tries, at least one.
    pub tries: u32,
    /// The pause before the second try. It doubles for each later try. A `Retry-After` of the server takes precedence.
    pub pause: Duration,
    /// The longest pause, even if the server asks for a longer one.
    pub longest: Duration,
}

impl Default for Retry {
    fn default() -> Self {
        Self { tries: 4, pause: Duration::from_millis(250), longest: Duration::from_secs(10) }
    }
}

/// A successful answer.
pub(super) struct Reply {
    pub(super) body: Text,
    /// The `Date` header, which is the time by the server's clock.
    pub(super) date: Option<Timestamp>,
}

/// The reason why a request has no usable answer.
#[derive(Debug)]
pub(super) enum Failure {
    /// The server answered with an error.
    Status(ApiStatus),
    /// There was no answer.
    Transport(ClusterError),
    /// The answer is larger than the limit.
    TooLarge(TooLarge),
}

/// The maximum number of retries of a request that could not be sent. On a busy machine, several connections in a row
/// can be closed before the program has read the message of the server.
const UNSENT: u32 = 9;

/// The `Accept` header for answers in JSON.
pub(super) const JSON: &str = "application/json";

/// A client for one API server.
#[derive(Clone)]
pub(super) struct Api<'a> {
    pub(super) client: Client,
    pub(super) server: String,
    pub(super) proxy: Option<String>,
    pub(super) timeout: Option<Duration>,
    pub(super) retry: Retry,
    pub(super) observer: Option<Observer<'a>>,
}

impl Api<'_> {
    /// Gets a path with its query. An answer larger than `limit` bytes is a failure. Answers 429, 503 and 504 are
    /// retried a few times.
    pub(super) async fn get(&self, path: &str, accept: &str, limit: usize) -> Result<Reply, Failure> {
        let mut pause = self.retry.pause;
        let mut tried = 1;
        loop {
            let (status, retry_after) = match self.get_once(path, accept, limit).await? {
                Ok(reply) => return Ok(reply),
                Err(refused) => refused,
            };
            if tried >= self.retry.tries || !matches!(status.code, 429 | 503 | 504) {
                return Err(Failure::Status(status));
            }
            tokio::time::sleep(retry_after.unwrap_or(pause).min(self.retry.longest)).await;
            pause = pause.saturating_mul(2);
            tried += 1;
        }
    }

    async fn get_once(
        &self,
        path: &str,
        accept: &str,
        most: usize,
    ) -> Result<Result<Reply, (ApiStatus, Option<Duration>)>, Failure> {
        let started = Instant::now();
        let exchange = self.exchange(path, accept, most);
        let answer = match self.timeout.filter(|limit| !limit.is_zero()) {
            None => exchange.await,
            Some(limit) => match tokio::time::timeout(limit, exchange).await {
                Ok(answer) => answer,
                Err(_) => Err(ClusterError::timed_out(&self.server, self.proxy.as_deref())),
            },
        };
        if let Some(observer) = self.observer {
            observer(&RequestLog {
                method: "GET",
                url: format!("{}{path}", self.server),
                status: answer.as_ref().ok().map(|answer| answer.0),
                milliseconds: started.elapsed().as_millis(),
            });
        }
        let (status, headers, body) = answer.map_err(Failure::Transport)?;
        if (200..300).contains(&status) {
            let body = body.map_err(Failure::TooLarge)?;
            return Ok(Ok(Reply { body, date: date(&headers) }));
        }
        let body = body.as_deref().unwrap_or_default();
        Ok(Err((ApiStatus::from_body(status, body), retry_after(&headers))))
    }

    async fn exchange(
        &self,
        path: &str,
        accept: &str,
        most: usize,
    ) -> Result<(u16, HeaderMap, Result<Text, TooLarge>), ClusterError> {
        let failed = |error: &(dyn std::error::Error + 'static)| {
            ClusterError::from_transport(&self.server, self.proxy.as_deref(), error)
        };
        let mut tries = 0;
        let response = loop {
            let request = Request::get(path)
                .header(header::ACCEPT, accept)
                .body(Body::empty())
                .map_err(|error| failed(&error))?;
            match self.client.send(request).await {
                Ok(response) => break response,
                // Nothing was sent, and the reason why the connection ended is unknown. The next try may show the
                // reason.
                Err(error) if tries < UNSENT && is_unsent(&error) => tries += 1,
                Err(error) => return Err(failed(&error)),
            }
        };
        let (parts, body) = response.into_parts();
        let most = if parts.status.is_success() { most } else { LARGEST_STATUS };
        let body = body::read(&parts.headers, body, most).await.map_err(|error| failed(&error))?;
        Ok((parts.status.as_u16(), parts.headers, body))
    }
}

/// Returns whether the connection was closed before the request could be sent. A server may refuse a certificate only
/// after the handshake, and the message of the server can then be lost.
fn is_unsent(error: &kube::Error) -> bool {
    std::iter::successors(Some(error as &(dyn std::error::Error + 'static)), |&error| error.source())
        .any(|error| error.to_string().contains("connection was not ready"))
}

/// Returns the time of the `Date` header.
pub fn date(headers: &HeaderMap) -> Option<Timestamp> {
    let text = headers.get(header::DATE)?.to_str().ok()?;
    jiff::fmt::rfc2822::parse(text).ok().map(|moment| Timestamp(moment.timestamp().as_second()))
}

/// Returns the `Retry-After` header in seconds. Kubernetes sends no other form.
pub fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    headers.get(header::RETRY_AFTER)?.to_str().ok()?.trim().parse().ok().map(Duration::from_secs)
}

/// Escapes a name or a token for a path or a query.
pub fn escape(text: &str) -> String {
    use std::fmt::Write as _;
    text.bytes().fold(String::with_capacity(text.len()), |mut escaped, byte| {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            escaped.push(char::from(byte));
        } else {
            // Writing to a String cannot fail.
            let _ = write!(escaped, "%{byte:02X}");
        }
        escaped
    })
}
