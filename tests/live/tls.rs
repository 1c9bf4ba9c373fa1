//! Certificates that have expired, belong to another server or are missing, and servers with IPv6 addresses. Our
//! program must succeed if kubectl succeeds. Otherwise one sentence must name the fault and the way out.
#![expect(clippy::print_stderr, clippy::unwrap_used, reason = "the test says how much it saw, and fails by panicking")]

use super::plane;
use super::recorder::{Authority, Identity, Sent};
use super::stand::TestServers;
use crate::support::{BINARY, Finished, Run};
use std::net::SocketAddr;
use std::path::Path;
use std::time::Duration;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;

/// The token is given as a flag. So the test notices if the program prints it by mistake.
const TOKEN: &str = "t0ps3cret";

/// Each case has flags, a part of our message, and a part of our hint.
const WRONG: [(&str, &str, &str); 19] = [
    ("--server {good} {other-ca}", "is signed by an unknown authority", "--certificate-authority"),
    ("--server {six} {other-ca}", "is signed by an unknown authority", "--certificate-authority"),
    ("--server {good}", "is signed by an unknown authority", "--certificate-authority"),
    ("--server {expired} {ca}", "has expired", "renew it"),
    ("--server {early} {ca}", "is not valid yet", "clock"),
    ("--server {misnamed} {ca}", "was made for another name", "--tls-server-name"),
    ("--server {good} {ca} --tls-server-name api.test", "was made for another name", "--tls-server-name"),
    ("--server {plain_as_tls} {ca}", "does not speak TLS", "http://"),
    ("--server {tls_as_plain} {ca}", "does not speak plain HTTP", "https://"),
    ("--server {api_as_plain} {ca}", "does not speak plain HTTP", "https://"),
    ("--server {demanding} {ca}", "wants a client certificate", "--client-certificate"),
    ("--server {good} {ca} {expired-client}", "refuses the client certificate", "log in again"),
    ("--server {good} {ca} {early-client}", "refuses the client certificate", "log in again"),
    ("--server {good} {ca} {strangers-client}", "refuses the client certificate", "log in again"),
    (
        "--server {good} {ca} --client-certificate {dir}/client.crt --client-key {dir}/stranger.key",
        "cannot be used",
        "certificate, key",
    ),
    (
        "--server {good} {ca} --client-certificate {dir}/text --client-key {dir}/client.key",
        "cannot be used",
        "certificate, key",
    ),
    (
        "--server {good} {ca} --client-certificate {dir}/client.crt --client-key {dir}/text",
        "cannot be used",
        "certificate, key",
    ),
    ("--server {good} --certificate-authority {dir}/text", "there is no certificate in it", "PEM"),
    ("--server https://[::1]:1 {ca}", "https://[::1]:1 refuses connections", "address and port"),
];

/// Flags with which the program succeeds.
const WELL: [&str; 10] = [
    "--server {good} {ca}",
    "--server {good} --insecure-skip-tls-verify",
    "--server {expired} --insecure-skip-tls-verify",
    "--server {misnamed} --insecure-skip-tls-verify",
    "--server {misnamed} {ca} --tls-server-name api.test",
    "--server {good} {ca} --client-certificate {dir}/client.crt --client-key {dir}/client.key",
    "--server {demanding} {ca} --client-certificate {dir}/client.crt --client-key {dir}/client.key",
    "--server {six} {ca}",
    "--server {six} --insecure-skip-tls-verify",
    "--server {six_plain}",
];

struct World(TestServers);

impl World {
    fn new() -> Self {
        let mut stand = TestServers::new();
        let dir = stand.dir().to_str().unwrap().to_owned();
        // A cluster that was set up again has a new authority of the same name.
        let (authority, other) = (Authority::new("kubernetes"), Authority::new("kubernetes"));
        let long_ago = rcgen::date_time_ymd(2001, 1, 1);
        let far_away = rcgen::date_time_ymd(3001, 1, 1);
        let client = authority.sign("client", &[], |_| {});
        let names = vec![(client.der.clone(), "client".to_owned())];
        let keep = |name: &str, identity: &Identity| {
            stand.write(&format!("{name}.crt"), &identity.certificate);
            stand.write(&format!("{name}.key"), &identity.key);
            format!("--client-certificate {dir}/{name}.crt --client-key {dir}/{name}.key")
        };
        stand.write("ca.crt", &authority.pem);
        stand.write("other-ca.crt", &other.pem);
        stand.write("text", "not what it should be\n");
        keep("client", &client);
        let expired_client = keep("expired", &authority.sign("client", &[], |params| params.not_after = long_ago));
        let early_client = keep("early", &authority.sign("client", &[], |params| params.not_before = far_away));
        let strangers_client = keep("stranger", &other.sign("client", &[], |_| {}));
        let listen = |name, address, acceptor| stand.listen(name, address, acceptor, names.clone());
        let hosts = ["127.0.0.1", "::1"];
        let good = listen("good", "127.0.0.1", Some(authority.server(&hosts, |_| {})));
        let six = listen("six", "::1", Some(authority.server(&hosts, |_| {})));
        let six_plain = listen("six_plain", "::1", None);
        let plain = listen("plain", "127.0.0.1", None);
        let server = |change: fn(&mut rcgen::CertificateParams)| Some(authority.server(&hosts, change));
        let expired =
            listen("expired", "127.0.0.1", server(|params| params.not_after = rcgen::date_time_ymd(2001, 1, 1)));
        let early = listen("early", "127.0.0.1", server(|params| params.not_before = rcgen::date_time_ymd(3001, 1, 1)));
        let misnamed = listen("misnamed", "127.0.0.1", Some(authority.server(&["api.test"], |_| {})));
        let demanding = listen("demanding", "127.0.0.1", Some(authority.demanding_server(&hosts)));
        let api = stand.block_on(only_encrypted());
        for (name, meant) in [
            ("{api_as_plain}", format!("http://{api}")),
            ("{demanding}", format!("https://{demanding}")),
            ("{good}", format!("https://{good}")),
            ("{six}", format!("https://{six}")),
            ("{six_plain}", format!("http://{six_plain}")),
            ("{expired}", format!("https://{expired}")),
            ("{early}", format!("https://{early}")),
            ("{misnamed}", format!("https://{misnamed}")),
            ("{plain_as_tls}", format!("https://{plain}")),
            ("{tls_as_plain}", format!("http://{good}")),
            ("{ca}", format!("--certificate-authority {dir}/ca.crt")),
            ("{other-ca}", format!("--certificate-authority {dir}/other-ca.crt")),
            ("{expired-client}", expired_client),
            ("{early-client}", early_client),
            ("{strangers-client}", strangers_client),
            ("{dir}", dir),
        ] {
            stand.name(name, meant);
        }
        Self(stand)
    }

    fn run(&self, program: &Path, verb: &[&str], line: &str) -> (Finished, Sent) {
        let line = self.0.fill(line);
        let token = format!("--token={TOKEN}");
        let words: Vec<&str> = verb
            .iter()
            .copied()
            .chain(line.split_whitespace())
            .chain([token.as_str(), "--request-timeout=5s"])
            .collect();
        let (finished, sent, taken) = self.0.run(Run::of(program, &words));
        assert!(taken < Duration::from_secs(30), "{line}");
        (finished, sent)
    }
}

/// Starts a server that answers requests without TLS in the same way as a TLS server of Go's library. The API server is
/// such a TLS server.
async fn only_encrypted() -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let bound = listener.local_addr().unwrap();
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let answer = "HTTP/1.0 400 Bad Request\r\n\r\nClient sent an HTTP request to an HTTPS server.\n";
            _ = stream.read(&mut [0; 4096]).await;
            _ = stream.write_all(answer.as_bytes()).await;
        }
    });
    bound
}

/// Asserts that the output is one error sentence and one hint.
pub(super) fn assert_said(case: &str, finished: &Finished, code: i32, said: &str, advice: &str) {
    assert_eq!((finished.code, finished.stdout.as_str()), (Some(code), ""), "{case}: {}", finished.stderr);
    let text = finished.stderr.replace("\n  ", " ");
    let lines: Vec<&str> = text.lines().collect();
    let is_right = lines.len() == 2
        && lines[0].starts_with("error: ")
        && lines[0].contains(said)
        && lines[1].starts_with("hint: ")
        && lines[1].contains(advice);
    assert!(is_right, "{case}: {said:?} and {advice:?}, not {}", finished.stderr);
}

#[test]
fn each_fault_of_a_certificate_ends_in_a_sentence() {
    let world = World::new();
    for (line, said, advice) in WRONG {
        let (finished, sent) = world.run(BINARY.as_ref(), &["predict", "-v", "9"], line);
        assert!(!finished.stderr.contains(TOKEN), "{line}: {}", finished.stderr);
        // `-v 9` prints the requests before the error.
        let last: Vec<&str> = finished.stderr.lines().skip_while(|line| !line.starts_with("error: ")).collect();
        let quiet = Finished { stderr: last.join("\n"), ..finished };
        assert_said(line, &quiet, 3, said, advice);
        assert_eq!(sent, Sent::default(), "{line}");
    }
    for line in WELL {
        let (finished, sent) = world.run(BINARY.as_ref(), &["predict"], line);
        assert_eq!((finished.code, sent.facts.len()), (Some(0), 1), "{line}: {}", finished.stderr);
    }
}

#[test]
#[ignore = "needs a control plane: oracle/cluster/build, then cargo test --profile thorough -- --ignored live"]
fn kubectl_fails_and_succeeds_with_the_same_certificates() {
    let world = World::new();
    let kubectl = plane::kubectl();
    for (line, ..) in WRONG {
        let (finished, sent) = world.run(&kubectl, &["get", "pvc"], line);
        assert_ne!(finished.code, Some(0), "{line}");
        assert_eq!(sent, Sent::default(), "{line}: {}", finished.stderr);
    }
    for line in WELL {
        let (finished, theirs) = world.run(&kubectl, &["get", "pvc"], line);
        assert_eq!(finished.code, Some(0), "{line}: {}", finished.stderr);
        let (_, ours) = world.run(BINARY.as_ref(), &["predict"], line);
        assert_eq!(ours, theirs, "{line}");
    }
    eprintln!("{} faults and {} command lines that work, as with kubectl", WRONG.len(), WELL.len());
}
