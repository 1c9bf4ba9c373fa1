//! Applies a fault to a request. The API server in this process and the proxy in front of a real API server use this
//! module.

use super::http::{Arrives, DATE, Reply, answered};
use super::store::Failure;
use crate::support::faults::Fault;
use serde_json::json;

/// The message of a server that is too busy.
const BUSY: &str = "the server has received too many requests and has asked us to try again later";

/// Answers a request with this fault. `act` carries out the request and returns the answer. `meanwhile` runs after the
/// server has carried out, discarded or delayed the request, but before the program gets an answer. A test kills the
/// program in `meanwhile`.
pub(crate) async fn meet(
    fault: Fault,
    act: impl Future<Output = Reply> + Send + 'static,
    meanwhile: impl AsyncFnOnce(),
) -> Reply {
    match fault {
        Fault::None | Fault::Held => act.await,
        Fault::Refused(code, message) => refused(code, message),
        Fault::Busy(code, seconds) => {
            let status = Failure::of(code, BUSY).status().to_string();
            let seconds = seconds.to_string();
            Reply::whole(code, &[("date", DATE.0), ("retry-after", &seconds)], status)
        }
        Fault::RefusedAfter(code) => {
            // The server's answer is lost.
            drop(act.await);
            meanwhile().await;
            refused(code, "Internal error occurred: etcdserver: request timed out")
        }
        Fault::Expired(token) => {
            let mut status = Failure::of(410, "too old").status();
            status["metadata"] = json!({ "continue": token.unwrap_or_default() });
            answered(410, status.to_string())
        }
        Fault::Page(code) => answered(code, "<html><title>Sign in</title></html>".to_owned()),
        Fault::Body(body) => answered(200, body.to_owned()),
        Fault::Large => answered(200, " ".repeat((8 << 20) + 1)),
        Fault::CutBefore => {
            meanwhile().await;
            Reply::none()
        }
        Fault::CutAfter => {
            let reply = act.await;
            meanwhile().await;
            reply.that(Arrives::Nothing)
        }
        Fault::CutInside => act.await.that(Arrives::Beginning),
        Fault::Endless => act.await.that(Arrives::BeginningOnly),
        Fault::SilentBefore => std::future::pending().await,
        Fault::SilentAfter => {
            // The server's answer is lost.
            drop(act.await);
            std::future::pending().await
        }
        Fault::Slow(pause) => {
            let reply = act.await;
            tokio::time::sleep(pause).await;
            reply
        }
        Fault::Delayed(pause) => {
            // Carrying out the request is a separate task. So it continues if the client gives up the request.
            let acting = tokio::spawn(async move {
                tokio::time::sleep(pause).await;
                act.await
            });
            acting.await.unwrap_or_else(|_| Reply::none())
        }
        Fault::KilledBefore => {
            meanwhile().await;
            std::future::pending().await
        }
        Fault::KilledAfter => {
            // The server's answer is lost.
            drop(act.await);
            meanwhile().await;
            std::future::pending().await
        }
        Fault::KilledDelayed(pause) => {
            tokio::spawn(async move {
                tokio::time::sleep(pause).await;
                // The server's answer is lost.
                drop(act.await);
            });
            meanwhile().await;
            std::future::pending().await
        }
    }
}

fn refused(code: u16, message: &str) -> Reply {
    let mut status = Failure::of(code, message).status();
    // The server adds this field only for debugging. The program must ignore it.
    status["details"] = json!({ "kind": "debug-noise" });
    answered(code, status.to_string())
}
