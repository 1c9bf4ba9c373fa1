//! What stands between the program and the API server in a test: it counts the requests, and does something else than
//! to pass on those that the test says.
#![expect(clippy::expect_used, clippy::unwrap_used, reason = "a test fails by panicking")]

use http_body_util::{BodyExt as _, Full};
use hyper::body::{Bytes, Incoming};
use hyper::service::service_fn;
use hyper::{Request, Response};
use hyper_util::rt::TokioIo;
use kube::Client;
use std::convert::Infallible;
use std::future::Future;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};

/// What becomes of a request.
#[derive(Clone, Debug)]
pub(crate) enum Deed {
    /// It is passed on.
    Pass,
    /// An answer with this code, and a `Status` of Kubernetes in it; with `Retry-After` in seconds where that is given.
    Status(u16, Option<&'static str>),
    /// The connection ends before any answer.
    CutBefore,
    /// The connection ends in the middle of the answer.
    CutInside,
    /// The answer comes after a while.
    Slow(Duration),
    /// The answer begins and never ends.
    Endless,
    /// Something is done, and the connection ends before the API server hears of the request.
    Unheard(Hook),
    /// The API server acts, then something is done, and the connection ends before any answer.
    Unanswered(Hook),
}

/// What goes on beside a request.
pub(crate) type Doing = Pin<Box<dyn Future<Output = ()> + Send>>;

/// What a test does at a request.
#[derive(Clone)]
pub(crate) struct Hook(Arc<dyn Fn() -> Doing + Send + Sync>);

impl Hook {
    /// Does this.
    pub(crate) fn new(deed: impl Fn() -> Doing + Send + Sync + 'static) -> Self {
        Self(Arc::new(deed))
    }
}

impl std::fmt::Debug for Hook {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str("a deed")
    }
}

/// Says what becomes of a request: the number that it has, from 0, and its path with the query.
pub(crate) type Decide = Arc<dyn Fn(usize, &str) -> Deed + Send + Sync>;

/// The same, with the method before the path.
pub(crate) type DecideByMethod = Arc<dyn Fn(usize, &str, &str) -> Deed + Send + Sync>;

/// What a test does on the cluster right before a request is passed on, by the request's number.
pub(crate) type Act = Arc<dyn Fn(usize) -> Doing + Send + Sync>;

/// The proxy; it ends with the test's runtime.
#[derive(Clone)]
pub(crate) struct Proxy {
    address: SocketAddr,
    seen: Arc<Mutex<Vec<String>>>,
}

impl Proxy {
    /// A proxy in front of a control plane, on which it acts as the administrator, as whom the program says.
    pub(crate) async fn start(client: Client, decide: Decide, act: Act) -> Self {
        Self::knowing_methods(client, Arc::new(move |number, _: &str, path: &str| decide(number, path)), act).await
    }

    /// The same for a test that asks for the methods.
    pub(crate) async fn knowing_methods(client: Client, decide: DecideByMethod, act: Act) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let proxy = Self { address: listener.local_addr().unwrap(), seen: Arc::default() };
        let seen = Arc::clone(&proxy.seen);
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let (decide, act, seen) = (Arc::clone(&decide), Arc::clone(&act), Arc::clone(&seen));
                tokio::spawn(connection(stream, client.clone(), decide, act, seen));
            }
        });
        proxy
    }

    /// The address for http.
    pub(crate) fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// The paths that were asked for, in order.
    pub(crate) fn seen(&self) -> Vec<String> {
        self.seen.lock().unwrap().clone()
    }
}

async fn connection(
    stream: TcpStream,
    client: Client,
    decide: DecideByMethod,
    act: Act,
    seen: Arc<Mutex<Vec<String>>>,
) {
    // Cutting an answer short takes the connection itself, which hyper does not hand out; so every answer is written
    // here, from the bytes that hyper made of it.
    let (near, far) = tokio::io::duplex(1 << 20);
    let cut = Arc::new(Mutex::new(None));
    let service = service_fn({
        let cut = Arc::clone(&cut);
        move |request: Request<Incoming>| {
            let (client, decide, act) = (client.clone(), Arc::clone(&decide), Arc::clone(&act));
            let (seen, cut) = (Arc::clone(&seen), Arc::clone(&cut));
            async move {
                let path = request.uri().to_string();
                let number = {
                    let mut seen = seen.lock().unwrap();
                    seen.push(path.clone());
                    seen.len() - 1
                };
                let deed = decide(number, request.method().as_str(), &path);
                act(number).await;
                let answer = match &deed {
                    Deed::Status(code, after) => status(*code, *after),
                    Deed::Slow(pause) => {
                        tokio::time::sleep(*pause).await;
                        pass(&client, request).await
                    }
                    Deed::Unheard(hook) => {
                        (hook.0)().await;
                        status(500, None)
                    }
                    Deed::Unanswered(hook) => {
                        let answer = pass(&client, request).await;
                        (hook.0)().await;
                        answer
                    }
                    Deed::Pass | Deed::CutBefore | Deed::CutInside | Deed::Endless => pass(&client, request).await,
                };
                *cut.lock().unwrap() = Some(deed);
                Ok::<_, Infallible>(answer)
            }
        }
    });
    let serving = hyper::server::conn::http1::Builder::new().serve_connection(TokioIo::new(far), service);
    let (mut from_program, mut to_program) = stream.into_split();
    let (mut from_server, mut to_server) = tokio::io::split(near);
    let up = async move { tokio::io::copy(&mut from_program, &mut to_server).await };
    let down = async move {
        let mut buffer = vec![0; 1 << 16];
        loop {
            let Ok(read) = from_server.read(&mut buffer).await else { return };
            if read == 0 {
                return;
            }
            let deed = cut.lock().unwrap().clone();
            match deed {
                Some(Deed::CutBefore | Deed::Unheard(_) | Deed::Unanswered(_)) => return,
                // The header alone is some 200 bytes.
                Some(Deed::CutInside) => {
                    _ = to_program.write_all(&buffer[..read.min(400).min(read - 1)]).await;
                    return;
                }
                Some(Deed::Endless) => {
                    _ = to_program.write_all(&buffer[..read.min(400).min(read - 1)]).await;
                    std::future::pending::<()>().await;
                }
                _ => {
                    if to_program.write_all(&buffer[..read]).await.is_err() {
                        return;
                    }
                }
            }
        }
    };
    tokio::select! {
        _ = serving => {}
        _ = up => {}
        () = down => {}
    }
}

async fn pass(client: &Client, request: Request<Incoming>) -> Response<Full<Bytes>> {
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
    let mut response = Response::builder().status(parts.status);
    for name in ["content-type", "date"] {
        if let Some(value) = parts.headers.get(name) {
            response = response.header(name, value);
        }
    }
    response.body(Full::from(body)).expect("an answer")
}

fn status(code: u16, after: Option<&str>) -> Response<Full<Bytes>> {
    let body = serde_json::json!({
        "kind": "Status", "apiVersion": "v1", "status": "Failure", "code": code, "metadata": {},
        "message": format!("the test says {code}"),
    });
    let mut response = Response::builder().status(code).header("content-type", "application/json");
    if let Some(after) = after {
        response = response.header("retry-after", after);
    }
    response.body(Full::from(body.to_string())).expect("an answer")
}
