//! A proxy between the program and the API server of a test. It counts the requests. The test selects the requests that
//! fail.
#![expect(clippy::expect_used, clippy::unwrap_used, reason = "a test fails by panicking")]

use crate::support::api::http::{Reply, listen};
use crate::support::api::meet;
use crate::support::faults::{Fault, Line};
use http_body_util::BodyExt as _;
use hyper::Request;
use hyper::body::Incoming;
use kube::Client;
use std::future::Future;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use tokio::net::TcpListener;

/// What the test does while a request is handled.
pub(crate) type Doing = Pin<Box<dyn Future<Output = ()> + Send>>;

/// Says what a test does at the request with this number. The function is called either before the request is passed
/// on, or after the API server has acted and before the program gets the answer.
pub(crate) type Act = Arc<dyn Fn(usize) -> Doing + Send + Sync>;

/// Selects the fault of a request, by the number of the request (from 0) and its request line.
pub(crate) type Decide = Arc<dyn Fn(usize, &Line<'_>) -> Fault + Send + Sync>;

/// The proxy. It ends with the test's runtime.
#[derive(Clone)]
pub(crate) struct Proxy {
    address: SocketAddr,
    seen: Arc<Mutex<Vec<String>>>,
}

impl Proxy {
    /// Starts a proxy that passes every request on without faults. The proxy sends them with the administrator's
    /// credentials, no matter which credentials the program has. It passes on the headers of an impersonation.
    pub(crate) async fn passing(client: Client) -> Self {
        Self::start(client, Arc::new(|_, _| Fault::None), nothing(), nothing()).await
    }

    /// Starts a proxy with faults. `before` runs before a request is passed on. `after` runs after the fault of the
    /// request has occurred.
    pub(crate) async fn start(client: Client, decide: Decide, before: Act, after: Act) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let proxy = Self { address: listener.local_addr().unwrap(), seen: Arc::default() };
        let seen = Arc::clone(&proxy.seen);
        listen(listener, None, move |request: Request<Incoming>| {
            let (client, decide) = (client.clone(), Arc::clone(&decide));
            let (before, after, seen) = (Arc::clone(&before), Arc::clone(&after), Arc::clone(&seen));
            async move {
                let uri = request.uri().to_string();
                let number = {
                    let mut seen = seen.lock().unwrap();
                    seen.push(uri.clone());
                    seen.len() - 1
                };
                let line = Line { method: request.method().as_str(), uri: &uri, dry: uri.contains("dryRun=") };
                let fault = decide(number, &line);
                before(number).await;
                meet(fault, async move { pass(&client, request).await }, async || after(number).await).await
            }
        });
        proxy
    }

    /// Returns the address of the proxy as an http URL.
    pub(crate) fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Returns the requested paths, in order.
    pub(crate) fn seen(&self) -> Vec<String> {
        self.seen.lock().unwrap().clone()
    }
}

/// Returns an [`Act`] that does nothing.
pub(crate) fn nothing() -> Act {
    Arc::new(|_| Box::pin(async {}))
}

async fn pass(client: &Client, request: Request<Incoming>) -> Reply {
    let (parts, body) = request.into_parts();
    let body = body.collect().await.expect("a request's body").to_bytes();
    let mut passed = Request::builder().method(parts.method).uri(parts.uri);
    for (name, value) in &parts.headers {
        let name = name.as_str();
        if name.starts_with("impersonate-") || matches!(name, "accept" | "content-type") {
            passed = passed.header(name, value);
        }
    }
    let passed = passed.body(kube::client::Body::from(body.to_vec())).expect("a request");
    let answer = client.send(passed).await.expect("the API server answers");
    let (parts, body) = answer.into_parts();
    let body = body.collect().await.expect("an answer's body").to_bytes();
    let headers: Vec<(&str, &str)> = ["content-type", "date"]
        .into_iter()
        .filter_map(|name| Some((name, parts.headers.get(name)?.to_str().ok()?)))
        .collect();
    Reply::whole(parts.status.as_u16(), &headers, body)
}
