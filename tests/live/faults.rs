//! Every request of a reading fails in every way, one request per run. Each run must end in time, with the right exit
//! code. It must not state anything wrong as certain.
#![expect(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    clippy::print_stderr,
    clippy::unwrap_used,
    reason = "the test looks at how long a run takes, says how much it saw, and fails by panicking"
)]

use super::api::Api;
use super::plane::Plane;
use super::proxy::{Proxy, nothing};
use super::sound::{fill, sure, truth, wrong};
use crate::support::faults::{Fault, Line};
use crate::support::{Finished, Run};
use serde_json::Value;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// How long one request may take.
const TIMEOUT: Duration = Duration::from_secs(2);

/// The longest time of a run. The request that fails may be sent several times, and the machine may be busy.
const PATIENCE: Duration = Duration::from_secs(30);

/// The message of the answers that refuse a request.
const SAID: &str = "the test says so";

const FAULTS: [Fault; 13] = [
    Fault::Refused(401, SAID),
    Fault::Refused(403, SAID),
    Fault::Refused(404, SAID),
    Fault::Refused(409, SAID),
    Fault::Refused(410, SAID),
    Fault::Busy(429, 1),
    Fault::Refused(500, SAID),
    Fault::Refused(503, SAID),
    Fault::Refused(504, SAID),
    Fault::CutBefore,
    Fault::CutInside,
    Fault::Delayed(Duration::from_millis(500)),
    Fault::Endless,
];

/// The result of a run.
struct Met {
    /// The path of the request that failed.
    path: String,
    finished: Finished,
    taken: Duration,
}

/// Runs the program with one request that fails. Returns `None` if the run sends fewer requests.
fn run(runtime: &tokio::runtime::Runtime, api: &Api, place: usize, fault: Fault) -> Option<Met> {
    let decide = Arc::new(move |number, _: &Line<'_>| if number == place { fault } else { Fault::None });
    let proxy = runtime.block_on(Proxy::start(api.client(), decide, nothing(), nothing()));
    let (url, timeout) = (proxy.url(), format!("{}s", TIMEOUT.as_secs()));
    let arguments = [
        "predict",
        "-A",
        "-o",
        "json",
        "--decisions",
        "all",
        "--outcomes",
        "all",
        "--server",
        &url,
        "--request-timeout",
        &timeout,
    ];
    let begin = Instant::now();
    let finished = Run::new(&arguments).finish();
    let taken = begin.elapsed();
    Some(Met { path: proxy.seen().get(place)?.clone(), finished, taken })
}

#[test]
#[ignore = "needs a control plane: oracle/cluster/build, then cargo test --profile thorough -- --ignored live"]
fn each_request_may_fail_in_each_way() {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let plane = Plane::without_admission();
    let api = runtime.block_on(Api::of(&plane));
    runtime.block_on(fill(&api));
    let truth = truth(&plane);
    let everything = sure(&truth);
    let (mut runs, mut whole, mut partial, mut refused) = (0, 0, 0, 0);
    for fault in FAULTS {
        for place in 0.. {
            let Some(Met { path, finished, taken }) = run(&runtime, &api, place, fault) else {
                assert!(place > 4, "{fault:?}: a run must send more than {place} requests");
                break;
            };
            let what = format!("{fault:?} of {path}: {:?} {}", finished.code, finished.stderr);
            assert!(taken < PATIENCE, "{what} took {taken:?}");
            assert!(!finished.stderr.contains("panicked"), "{what}");
            runs += 1;
            if finished.stdout.is_empty() {
                assert_eq!(finished.code, Some(3), "{what}");
                let mut lines = finished.stderr.lines();
                assert!(lines.next().is_some_and(|line| line.starts_with("error: ")), "{what}");
                assert!(lines.all(|line| line.starts_with("hint: ")), "{what}");
                refused += 1;
                continue;
            }
            let answer: Value = serde_json::from_str(&finished.stdout).unwrap();
            // If the API server says that one object does not exist, the program believes it.
            let is_believed = matches!(fault, Fault::Refused(404, _)) && !path.contains('?') && path != "/version";
            if !is_believed {
                assert_eq!(wrong(&answer, &truth), Vec::<String>::new(), "{what}");
            }
            // If the server is slow or asks the client to wait, the program waits. In the end it reads everything.
            let passes = matches!(fault, Fault::Delayed(_) | Fault::Busy(..) | Fault::Refused(503 | 504, _));
            assert!(!passes || sure(&answer) == everything, "{what}");
            if sure(&answer) == everything {
                assert_eq!(finished.code, Some(0), "{what}");
                whole += 1;
            } else {
                partial += 1;
            }
        }
    }
    eprintln!("{runs} runs: {whole} complete answers, {partial} with unknown parts, {refused} errors");
    assert!(whole > 0 && partial > 0 && refused > 0);
}
