//! Single requests to the API server, and their answers. If a request gets no answer, this module says whether the
//! server may have carried out the request.

use super::error::Stopped;
use super::{ApiAccess, Sent};
use crate::model::{Kind, ObjectKey};
use crate::repair;
use crate::snapshot::decode::LARGEST_OBJECT;
use http::{HeaderMap, Request, header};
use http_body_util::{BodyExt, LengthLimitError, Limited};
use kube::client::Body;
use serde_json::Value;
use std::time::Duration;
use tokio::time::Instant;

/// The total number of attempts for a request that changes nothing.
const TRIES: u32 = 4;
/// The pause before the second attempt. It doubles for each later attempt.
const PAUSE: Duration = Duration::from_millis(500);
/// The longest pause, even if the server asks for a longer one.
pub(super) const LONGEST: Duration = Duration::from_secs(10);
/// The number of objects in one page of a list.
const PAGE: u32 = 500;
/// The largest answer to a list request, in bytes. A page of large pods is a fifth of this size. Decoded objects need
/// several times the memory of their text.
const LARGEST_LIST: usize = 64 << 20;

/// An answer that reports a failure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Status {
    /// The HTTP code.
    pub(super) code: u16,
    /// The message of the server. If the server sent none, it is a replacement.
    pub(super) message: String,
    /// Whether Kubernetes itself sent the answer, and not a proxy.
    pub(super) from_kubernetes: bool,
    /// The pause that the server asks for.
    pub(super) retry_after: Option<Duration>,
}

/// The result of a request.
#[derive(Debug)]
pub(super) enum Answer {
    /// The answer is HTTP 2xx with JSON.
    Success(Value),
    /// The answer has any other HTTP code.
    Failure(Status),
    /// The request certainly did not reach the server. The text is the reason.
    Unsent(String),
    /// The request may have reached the server, and may have been carried out. The text says what is known about it.
    Lost(String),
}

impl Answer {
    /// Returns what went wrong, in a few words.
    fn problem(&self) -> Option<String> {
        match self {
            Self::Success(_) => None,
            Self::Failure(status) => Some(status.to_string()),
            Self::Unsent(why) | Self::Lost(why) => Some(why.clone()),
        }
    }
}

impl std::fmt::Display for Status {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(out, "HTTP {}: {}", self.code, self.message)
    }
}

impl Status {
    /// Reads the body of an answer. A body that is not a `Status` is not shown to the person.
    fn from_body(code: u16, headers: &HeaderMap, body: &[u8]) -> Self {
        let status = serde_json::from_slice::<Value>(body).ok().filter(|body| body["kind"] == "Status");
        let message = status.as_ref().and_then(|status| status["message"].as_str()).filter(|text| !text.is_empty());
        let message = match (message, &status) {
            (Some(text), _) => shorten(text),
            (None, Some(_)) => "the API server gives no reason".to_owned(),
            (None, None) => "this answer is not from a Kubernetes API server; a proxy may have sent it".to_owned(),
        };
        let retry_after = headers.get(header::RETRY_AFTER).and_then(|value| value.to_str().ok()?.trim().parse().ok());
        Self { code, message, from_kubernetes: status.is_some(), retry_after: retry_after.map(Duration::from_secs) }
    }

    /// Returns whether Kubernetes says that the object does not exist. A 404 from any other sender says nothing about
    /// objects.
    pub(super) fn is_not_found(&self) -> bool {
        self.code == 404 && self.from_kubernetes
    }

    /// Returns whether the failure may be temporary.
    fn is_passing(&self) -> bool {
        matches!(self.code, 408 | 429 | 500..=599)
    }
}

/// The access to the API server.
#[derive(Clone, Copy)]
pub(super) struct Api<'a> {
    way: ApiAccess<'a>,
}

impl<'a> Api<'a> {
    pub(super) fn new(way: ApiAccess<'a>) -> Self {
        Self { way }
    }

    /// Sends a request once.
    pub(super) async fn send(
        &self,
        method: &'static str,
        path: &str,
        content_type: Option<&str>,
        body: Option<&Value>,
    ) -> Answer {
        let begun = Instant::now();
        let (code, answer) = self.exchange(method, path, content_type, body).await;
        if let Some(observer_of_requests) = self.way.observer_of_requests {
            observer_of_requests(&Sent { method, path, status: code, milliseconds: begun.elapsed().as_millis() });
        }
        answer
    }

    /// Sends a request. Returns the HTTP code, if there was an answer, and the result.
    async fn exchange(
        &self,
        method: &str,
        path: &str,
        content_type: Option<&str>,
        body: Option<&Value>,
    ) -> (Option<u16>, Answer) {
        let bytes = body.map(Value::to_string).unwrap_or_default().into_bytes();
        let mut request = Request::builder().method(method).uri(path).header(header::ACCEPT, "application/json");
        if let Some(content_type) = content_type {
            request = request.header(header::CONTENT_TYPE, content_type);
        }
        let request = match request.body(Body::from(bytes)) {
            Ok(request) => request,
            Err(error) => return (None, Answer::Unsent(format!("the request could not be made: {error}"))),
        };
        let exchange = async {
            let response = self.way.client.send(request).await.map_err(|error| without_answer(&error))?;
            let (parts, body) = response.into_parts();
            // The limit counts bytes after decompression. If the answer exceeds the limit, reading stops.
            let most = if is_list(path) { LARGEST_LIST } else { LARGEST_OBJECT };
            match Limited::new(body, most).collect().await {
                Ok(body) => Ok((parts.status.as_u16(), parts.headers, body.to_bytes())),
                Err(error) if error.is::<LengthLimitError>() => {
                    let most = most >> 20;
                    Err(Answer::Lost(format!("the answer is larger than {most} MiB, which is the limit")))
                }
                Err(error) => Err(Answer::Lost(format!("the answer was incomplete: {}", innermost(&*error)))),
            }
        };
        let limit = self.way.limit;
        let (code, headers, body) = match tokio::time::timeout(limit, exchange).await {
            Err(_) => return (None, Answer::Lost(format!("there was no answer within {} s", limit.as_secs_f64()))),
            Ok(Err(answer)) => return (None, answer),
            Ok(Ok(answer)) => answer,
        };
        if !(200..300).contains(&code) {
            return (Some(code), Answer::Failure(Status::from_body(code, &headers, &body)));
        }
        let answer = match serde_json::from_slice::<Value>(&body) {
            Ok(body) if body.is_object() => Answer::Success(body),
            _ => Answer::Lost(format!("the answer with HTTP {code} is not from a Kubernetes API server")),
        };
        (Some(code), answer)
    }

    /// Sends a request that changes nothing, and repeats it after temporary failures.
    pub(super) async fn ask(
        &self,
        method: &'static str,
        path: &str,
        content_type: Option<&str>,
        body: Option<&Value>,
    ) -> Answer {
        let mut pause = PAUSE;
        let mut tried = 1;
        loop {
            let answer = self.send(method, path, content_type, body).await;
            let wait = match &answer {
                Answer::Failure(status) if status.is_passing() => status.retry_after.unwrap_or(pause).min(LONGEST),
                Answer::Success(_) | Answer::Failure(_) => return answer,
                Answer::Unsent(_) | Answer::Lost(_) => pause,
            };
            if tried >= TRIES {
                return answer;
            }
            tokio::time::sleep(wait).await;
            pause = pause.saturating_mul(2);
            tried += 1;
        }
    }

    /// Reads one object. Returns `None` if it does not exist.
    pub(super) async fn get(&self, key: &ObjectKey) -> Result<Option<Value>, Stopped> {
        let path = path_of(key)?;
        object(key, self.ask("GET", &path, None, None).await)
    }

    /// Reads one object with a single attempt.
    pub(super) async fn get_once(&self, key: &ObjectKey) -> Result<Option<Value>, Stopped> {
        let path = path_of(key)?;
        object(key, self.send("GET", &path, None, None).await)
    }

    /// Reads a whole list: of one namespace, or of all if the namespace is empty.
    pub(super) async fn list(&self, kind: Kind, namespace: &str) -> Result<Vec<Value>, Stopped> {
        let place = if namespace.is_empty() { String::new() } else { format!(" in namespace {namespace}") };
        let what = format!("{}{place}", kind.resource());
        if !namespace.is_empty() {
            name(namespace)?;
        }
        let path = repair::path(kind, namespace, "");
        let path = path.trim_end_matches('/');
        let mut limit = PAGE;
        let mut token = String::new();
        let mut items = Vec::new();
        loop {
            let from = if token.is_empty() { String::new() } else { format!("&continue={}", escape(&token)) };
            let page = match self.ask("GET", &format!("{path}?limit={limit}{from}"), None, None).await {
                Answer::Success(page) if page["items"].is_array() || page["items"].is_null() => page,
                // If the continue token of a list has expired, the whole list is read again with one request.
                Answer::Failure(status) if status.code == 410 && !token.is_empty() => {
                    limit = 0;
                    token.clear();
                    items.clear();
                    continue;
                }
                answer => {
                    let stop = Stopped::unreadable(format!("{what} could not be listed"));
                    return Err(stop.cause(answer.problem().unwrap_or_else(|| "this is not a list".to_owned())));
                }
            };
            if let Value::Object(mut page) = page {
                if let Some(Value::Array(some)) = page.remove("items") {
                    items.extend(some);
                }
                let next = page.get("metadata").and_then(|metadata| metadata["continue"].as_str()).unwrap_or_default();
                if next.is_empty() {
                    return Ok(items);
                }
                if next == token {
                    let stop = Stopped::unreadable(format!("{what} could not be listed"));
                    return Err(stop.cause("the server offers the same page again and again"));
                }
                next.clone_into(&mut token);
            }
        }
    }
}

/// Returns whether a path reads a list and not a single object.
fn is_list(path: &str) -> bool {
    path.split_once('?').is_some_and(|(_, query)| query.starts_with("limit="))
}

/// Returns what an answer says about an object.
fn object(key: &ObjectKey, answer: Answer) -> Result<Option<Value>, Stopped> {
    match answer {
        Answer::Success(found) if is_that(key, &found) => Ok(Some(found)),
        Answer::Success(_) => {
            Err(Stopped::unreadable(format!("{key} could not be read"))
                .cause("the answer does not contain this object"))
        }
        Answer::Failure(status) if status.is_not_found() => Ok(None),
        Answer::Failure(status) => {
            let stop = Stopped::unreadable(format!("{key} could not be read")).cause(status.to_string());
            Err(match status.code {
                401 => stop.hint("log in again: the token or certificate of this context has probably expired"),
                403 => stop.hint("ask for a role that may get it"),
                _ => stop,
            })
        }
        Answer::Unsent(why) | Answer::Lost(why) => {
            Err(Stopped::unreadable(format!("{key} could not be read")).cause(why))
        }
    }
}

/// Returns whether an answer is the object with this key. It must also have the uid and version that a conditional
/// write needs.
pub(super) fn is_that(key: &ObjectKey, found: &Value) -> bool {
    let metadata = &found["metadata"];
    let has = |field: &str| metadata[field].as_str().is_some_and(|value| !value.is_empty());
    found["kind"] == key.kind.as_str()
        && metadata["name"] == key.name.as_str()
        && metadata["namespace"].as_str().unwrap_or_default() == key.namespace
        && has("uid")
        && has("resourceVersion")
}

/// Returns the path of an object.
fn path_of(key: &ObjectKey) -> Result<String, Stopped> {
    check(key)?;
    Ok(repair::path(key.kind, &key.namespace, &key.name))
}

/// Checks that the name and namespace of an object contain no characters with a special meaning in a path.
pub(super) fn check(key: &ObjectKey) -> Result<(), Stopped> {
    name(&key.name)?;
    if key.kind.namespaced() {
        name(&key.namespace)?;
    }
    Ok(())
}

fn name(text: &str) -> Result<(), Stopped> {
    let plain = text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-._".contains(&byte));
    if plain && !matches!(text, "" | "." | "..") && text.len() <= 253 {
        return Ok(());
    }
    Err(Stopped::refused(format!("{text:?} is not a valid name of a Kubernetes object")))
}

/// Returns the result of a request that got no answer. The result says whether the server may have carried out the
/// request.
fn without_answer(error: &kube::Error) -> Answer {
    if matches!(error, kube::Error::Auth(_)) {
        return Answer::Unsent("the credentials for the API server could not be obtained".to_owned());
    }
    let chain = std::iter::successors(Some(error as &(dyn std::error::Error + 'static)), |&error| error.source());
    // Only the texts of the errors show whether a connection was never made, or was made and then broke.
    let unsent = chain
        .map(ToString::to_string)
        .any(|text| text.contains("client error (Connect)") || text.contains("connection was not ready"));
    let why = format!("no answer from the API server: {}", innermost(error));
    if unsent { Answer::Unsent(why) } else { Answer::Lost(why) }
}

/// Returns the innermost error of a chain, because this error is the most helpful one.
fn innermost(error: &(dyn std::error::Error + 'static)) -> String {
    let last = std::iter::successors(Some(error), |&error| error.source()).last();
    last.map(|error| shorten(&error.to_string())).unwrap_or_default()
}

/// Returns the first part of a text, because the sender may have sent a very long text.
fn shorten(text: &str) -> String {
    const MOST: usize = 400;
    match text.char_indices().nth(MOST) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// Escapes a token for a query.
fn escape(text: &str) -> String {
    use std::fmt::Write as _;
    text.bytes().fold(String::with_capacity(text.len()), |mut escaped, byte| {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            escaped.push(char::from(byte));
        } else {
            // Writing to a string cannot fail.
            let _ = write!(escaped, "%{byte:02X}");
        }
        escaped
    })
}
