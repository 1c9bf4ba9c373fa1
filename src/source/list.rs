//! Reads whole lists of one kind, page by page, and says why a list could not be read.

use super::body::LARGEST_ANSWER;
use super::cluster_error::{ApiStatus, ClusterError};
use super::http::{Api, Failure, JSON, escape};
use crate::model::{Kind, Str, Timestamp};
use crate::progress::Progress;
use serde::Deserialize;
use serde::de::{Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;
use std::fmt;
use std::fmt::Write as _;
use std::sync::Arc;

/// A list that was read to its end.
pub(super) struct Listed<T> {
    /// The results of the pages, in order.
    pub(super) pages: Vec<T>,
    /// The resource version of the list.
    pub(super) resource_version: Option<Str>,
    /// A note for people if the reading was unusual.
    pub(super) remark: Option<String>,
    /// The time by the server's clock at the first answer.
    pub(super) date: Option<Timestamp>,
}

/// A function that decodes the bytes of a page. It also returns the number of objects in the page.
pub(super) type PageReader<T> = Arc<dyn Fn(&[u8]) -> Result<(T, usize), Unusable> + Send + Sync>;

/// The maximum number of objects in one answer. Each object takes about 1,500 bytes in memory, even if its JSON is
/// short. An answer with about this number of usual volumes or claims has the size [`LARGEST_ANSWER`].
pub(super) const MOST_OBJECTS: usize = 300_000;

/// The reason why a page cannot be used.
#[derive(Debug)]
pub enum Unusable {
    /// The page is not a list. The text says why.
    NoList(String),
    /// The page has more than [`MOST_OBJECTS`] objects.
    TooMany,
}

impl From<serde_json::Error> for Unusable {
    fn from(error: serde_json::Error) -> Self {
        Self::NoList(error.to_string())
    }
}

/// The reason why a list was not read.
#[derive(Debug)]
pub(super) enum ListFailure {
    /// The server answered with HTTP 403 and this message.
    Forbidden(String),
    /// The server answered with HTTP 404: it does not serve the kind.
    NotServed(String),
    /// The server failed, or its answer cannot be used. Other kinds may still be readable.
    Failed(ClusterError),
    /// Nothing can be read: there is no connection, or the credentials are not accepted.
    Fatal(ClusterError),
}

/// Returns the path of the list of a kind, in one namespace or in all namespaces.
pub fn path(kind: Kind, namespace: Option<&str>) -> String {
    let version = kind.api_version();
    let root = if version.contains('/') { "apis" } else { "api" };
    match namespace.filter(|_| kind.namespaced()) {
        Some(namespace) => format!("/{root}/{version}/namespaces/{}/{}", escape(namespace), kind.resource()),
        None => format!("/{root}/{version}/{}", kind.resource()),
    }
}

/// Returns the name of a list for people: `persistentvolumeclaims in namespace db`.
pub(super) fn describe(kind: Kind, namespace: Option<&str>) -> String {
    match namespace {
        Some(namespace) => format!("{} in namespace {namespace}", kind.resource()),
        None => kind.resource().to_owned(),
    }
}

/// Cuts the objects out of a page without decoding them.
///
/// # Errors
///
/// Returns an error if the page is not a list, or has more than [`MOST_OBJECTS`] objects.
pub fn items(page: &[u8]) -> Result<Vec<&RawValue>, Unusable> {
    #[derive(Deserialize)]
    struct Page<'a> {
        #[serde(borrow, default)]
        items: Option<Items<'a>>,
    }
    let items = serde_json::from_slice::<Page<'_>>(page)?.items.unwrap_or_default().0;
    if items.len() > MOST_OBJECTS { Err(Unusable::TooMany) } else { Ok(items) }
}

/// The items of a page. At most one item more than [`MOST_OBJECTS`] is read.
#[derive(Default)]
struct Items<'a>(Vec<&'a RawValue>);

impl<'de: 'a, 'a> Deserialize<'de> for Items<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Elements;
        impl<'de> Visitor<'de> for Elements {
            type Value = Items<'de>;

            fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
                out.write_str("a list")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Items<'de>, A::Error> {
                let mut items = Vec::new();
                while items.len() <= MOST_OBJECTS {
                    match list.next_element()? {
                        Some(item) => items.push(item),
                        None => return Ok(Items(items)),
                    }
                }
                while list.next_element::<IgnoredAny>()?.is_some() {}
                Ok(Items(items))
            }
        }
        deserializer.deserialize_seq(Elements)
    }
}

/// Reads a list to its end. `page` decodes the bytes of each page on another thread, while the next page is requested.
/// `page` also returns the number of objects.
pub(super) async fn read<T: Send + 'static>(
    api: &Api<'_>,
    kind: Kind,
    namespace: Option<&str>,
    chunk_size: u32,
    progress: &dyn Progress,
    page: PageReader<T>,
) -> Result<Listed<T>, ListFailure> {
    let base = path(kind, namespace);
    let what = describe(kind, namespace);
    let doing = format!("reading {}", kind.resource());
    let unusable = |problem: &str| ListFailure::Failed(ClusterError::not_kubernetes(&api.server, &what, problem));
    let refused_page = |page: Unusable| match page {
        Unusable::NoList(problem) => unusable(&problem),
        Unusable::TooMany => ListFailure::Failed(ClusterError::too_many(&api.server, &what, MOST_OBJECTS)),
    };
    let mut listed = Listed { pages: Vec::new(), resource_version: None, remark: None, date: None };
    let mut limit = chunk_size;
    let mut token: Option<String> = None;
    let mut in_work: Option<tokio::task::JoinHandle<Result<(T, usize), Unusable>>> = None;
    let mut done = 0;
    loop {
        let mut query = String::new();
        let mut ask = |key: &str, value: &str| {
            let _ = write!(query, "{}{key}={value}", if query.is_empty() { '?' } else { '&' });
        };
        if limit > 0 {
            ask("limit", &limit.to_string());
        }
        if let Some(token) = &token {
            ask("continue", &escape(token));
        }
        let reply = match api.get(&format!("{base}{query}"), JSON, LARGEST_ANSWER).await {
            Ok(reply) => reply,
            // The server offers to continue with a newer version of the list. Then the pages would belong to different
            // moments, so the list is read again.
            Err(Failure::Status(ApiStatus { code: 410, .. })) if token.is_some() => {
                // A list in one answer cannot expire between pages.
                token = None;
                limit = 0;
                in_work = None;
                listed.pages.clear();
                done = 0;
                listed.remark = Some("the list expired while it was read; it was read again in one piece".to_owned());
                continue;
            }
            Err(Failure::Status(status)) => return Err(refused(api, kind, &what, &status)),
            Err(Failure::Transport(error)) => return Err(ListFailure::Fatal(error)),
            Err(Failure::TooLarge(size)) => {
                return Err(ListFailure::Failed(ClusterError::too_large(&api.server, &what, size)));
            }
        };
        let meta = meta(&reply.body).map_err(|error| unusable(&error))?;
        listed.date = listed.date.or(reply.date);
        listed.resource_version = meta.resource_version.filter(|version| !version.is_empty()).map(Str::from);
        if let Some(earlier) = in_work.take() {
            done += finish(earlier, &mut listed.pages).await.map_err(refused_page)?;
            progress.step(&doing, done as u64);
        }
        let decode = Arc::clone(&page);
        in_work = Some(tokio::task::spawn_blocking(move || decode(&reply.body)));
        let next = meta.token.filter(|next| !next.is_empty());
        if next.is_none() {
            break;
        }
        if next == token {
            return Err(unusable("it offers the same page of the list again and again"));
        }
        token = next;
    }
    if let Some(last) = in_work {
        done += finish(last, &mut listed.pages).await.map_err(refused_page)?;
        progress.step(&doing, done as u64);
    }
    Ok(listed)
}

async fn finish<T>(
    work: tokio::task::JoinHandle<Result<(T, usize), Unusable>>,
    pages: &mut Vec<T>,
) -> Result<usize, Unusable> {
    let (page, objects) = work.await.map_err(|error| Unusable::NoList(error.to_string()))??;
    pages.push(page);
    Ok(objects)
}

fn refused(api: &Api<'_>, kind: Kind, what: &str, status: &ApiStatus) -> ListFailure {
    match status.code {
        403 if status.from_kubernetes => ListFailure::Forbidden(status.message.clone()),
        404 if status.from_kubernetes => ListFailure::NotServed(status.message.clone()),
        // The API server answers with a plain text if it does not know the whole group.
        404 if kind.is_custom() => ListFailure::NotServed("the server does not know the API group".to_owned()),
        401 => ListFailure::Fatal(ClusterError::from_status(&api.server, what, status)),
        _ => ListFailure::Failed(ClusterError::from_status(&api.server, what, status)),
    }
}

/// The `metadata` of a list.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ListMeta {
    /// The resource version of the list.
    #[serde(default)]
    pub resource_version: Option<String>,
    /// The token that requests the next page.
    #[serde(default, rename = "continue")]
    pub token: Option<String>,
}

/// Returns whether more pages follow this page.
pub(super) fn has_more(page: &[u8]) -> Result<bool, String> {
    Ok(meta(page)?.token.is_some_and(|token| !token.is_empty()))
}

/// Reads the `metadata` of a page and stops after them. The API server writes the metadata before the items, so the
/// next page can be requested before this page is parsed.
///
/// # Errors
///
/// Returns a text that says what is wrong with a page that has no metadata.
pub fn meta(page: &[u8]) -> Result<ListMeta, String> {
    struct Stop<'a>(&'a mut Option<ListMeta>);
    impl<'de> Visitor<'de> for Stop<'_> {
        type Value = ();

        fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
            out.write_str("a list")
        }

        fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
            while let Some(key) = map.next_key::<String>()? {
                if key == "metadata" {
                    *self.0 = Some(map.next_value::<Option<ListMeta>>()?.unwrap_or_default());
                    return Ok(());
                }
                map.next_value::<IgnoredAny>()?;
            }
            Ok(())
        }
    }
    let mut found = None;
    let end = serde_json::Deserializer::from_slice(page).deserialize_map(Stop(&mut found));
    match (found, end) {
        // The rest of the page is checked when the page is decoded.
        (Some(meta), _) => Ok(meta),
        (None, Err(error)) => Err(error.to_string()),
        (None, Ok(())) => Err("the list has no metadata".to_owned()),
    }
}
