//! HTTP on a socket, with answers that can be cut short. The API server in this process and the proxy in front of a
//! real API server use this module.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use http_body_util::Full;
use hyper::body::{Bytes, Incoming};
use hyper::service::service_fn;
use hyper::{Request, Response};
use hyper_util::rt::TokioIo;
use std::convert::Infallible;
use std::sync::{Arc, Mutex};
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio_rustls::TlsAcceptor;

/// The `Date` header of every answer of a server in this process, and the same time in seconds since 1970.
pub(crate) const DATE: (&str, i64) = ("Tue, 14 Nov 2023 22:13:20 GMT", 1_700_000_000);

/// Which part of an answer arrives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Arrives {
    /// The whole answer arrives.
    Whole,
    /// Nothing arrives, and the connection ends.
    Nothing,
    /// The beginning arrives, and then the connection ends.
    Beginning,
    /// The beginning arrives, and the connection stays open without any more data.
    BeginningOnly,
}

/// An answer, and which part of it arrives.
#[derive(Debug)]
pub(crate) struct Reply {
    pub(crate) response: Response<Full<Bytes>>,
    pub(crate) arrives: Arrives,
}

impl Reply {
    /// Returns an answer that arrives completely.
    pub(crate) fn whole(code: u16, headers: &[(&str, &str)], body: impl Into<Bytes>) -> Self {
        let mut response = Response::builder().status(code);
        for (name, value) in headers {
            response = response.header(*name, *value);
        }
        Self { response: response.body(Full::from(body.into())).unwrap(), arrives: Arrives::Whole }
    }

    /// Returns no answer: the connection ends.
    pub(crate) fn none() -> Self {
        Self { response: Response::default(), arrives: Arrives::Nothing }
    }

    /// Returns the same answer with only this part arriving.
    pub(crate) fn that(self, arrives: Arrives) -> Self {
        Self { arrives, ..self }
    }
}

/// Returns a JSON answer of a server in this process.
pub(super) fn answered(code: u16, body: String) -> Reply {
    Reply::whole(code, &[("content-type", "application/json"), ("date", DATE.0)], body)
}

/// Accepts and answers connections until the runtime ends.
pub(crate) fn listen<Answer, Answering>(listener: TcpListener, acceptor: Option<TlsAcceptor>, answer: Answer)
where
    Answer: Fn(Request<Incoming>) -> Answering + Clone + Send + Sync + 'static,
    Answering: Future<Output = Reply> + Send + 'static,
{
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            tokio::spawn(connection(stream, acceptor.clone(), answer.clone()));
        }
    });
}

async fn connection<Answer, Answering>(stream: TcpStream, acceptor: Option<TlsAcceptor>, answer: Answer)
where
    Answer: Fn(Request<Incoming>) -> Answering + Send + Sync,
    Answering: Future<Output = Reply> + Send + 'static,
{
    match acceptor {
        None => serve(stream, answer).await,
        Some(acceptor) => {
            // Some tests are about clients that do not trust the server.
            if let Ok(stream) = acceptor.accept(stream).await {
                serve(stream, answer).await;
            }
        }
    }
}

/// Serves a connection. Hyper can write only whole answers. So it writes each answer into a buffer, and this function
/// sends the buffer, or a part of it, to the client.
async fn serve<Answer, Answering>(stream: impl AsyncRead + AsyncWrite + Send, answer: Answer)
where
    Answer: Fn(Request<Incoming>) -> Answering + Send + Sync,
    Answering: Future<Output = Reply> + Send + 'static,
{
    let (near, far) = tokio::io::duplex(1 << 20);
    let arrives = Arc::new(Mutex::new(Arrives::Whole));
    let service = service_fn(async |request: Request<Incoming>| {
        let reply = answer(request).await;
        *arrives.lock().unwrap() = reply.arrives;
        Ok::<_, Infallible>(reply.response)
    });
    let http = hyper::server::conn::http1::Builder::new();
    let serving = async {
        // If a client closes the connection, the test does not fail.
        _ = http.serve_connection(TokioIo::new(far), service).await;
    };
    let (mut from_program, mut to_program) = tokio::io::split(stream);
    let (mut from_server, mut to_server) = tokio::io::split(near);
    let up = async {
        _ = tokio::io::copy(&mut from_program, &mut to_server).await;
        _ = to_server.shutdown().await;
    };
    let down = async {
        let mut buffer = vec![0; 1 << 16];
        loop {
            let Ok(read @ 1..) = from_server.read(&mut buffer).await else { return };
            let arrives = *arrives.lock().unwrap();
            // The headers of an answer have about 200 bytes. The beginning is longer, but never the whole answer.
            let beginning = &buffer[..read.min(400).min(read - 1)];
            match arrives {
                Arrives::Whole => {
                    if to_program.write_all(&buffer[..read]).await.is_err() {
                        return;
                    }
                    _ = to_program.flush().await;
                }
                Arrives::Nothing => return,
                Arrives::Beginning => {
                    _ = to_program.write_all(beginning).await;
                    _ = to_program.flush().await;
                    return;
                }
                Arrives::BeginningOnly => {
                    _ = to_program.write_all(beginning).await;
                    _ = to_program.flush().await;
                    std::future::pending::<()>().await;
                }
            }
        }
    };
    let both = async {
        tokio::join!(serving, up);
        // The client may not have received the whole answer yet.
        std::future::pending::<()>().await;
    };
    tokio::select! {
        () = both => {}
        () = down => {}
    }
}
