//! Requests through a proxy. The environment and the kubeconfig must select the same proxy as for kubectl. The messages
//! must distinguish a failure of the proxy from a failure of the API server behind it.
#![expect(
    clippy::print_stderr,
    clippy::unwrap_used,
    reason = "the test has servers, says how much it saw, and fails by panicking"
)]

use super::plane;
use super::recorder::{Authority, Sent};
use super::stand::{TestServers, kubeconfig};
use super::tls::assert_said;
use crate::support::{BINARY, Finished, RefusingPort, Run};
use serde_json::json;
use std::collections::BTreeSet;
use std::net::SocketAddr;
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};

/// The password in the addresses of proxies, first plain and then percent-encoded.
const PASSWORD: (&str, &str) = ("hunter2@home", "hunter2%40home");

/// How a proxy behaves.
#[derive(Clone, Copy)]
enum PlanStyle {
    /// The proxy connects to a server of the test, no matter which name was requested.
    Connect,
    /// The proxy answers with this text.
    Say(&'static str),
    /// The proxy accepts the request and never answers.
    Silence,
    /// The proxy accepts the request and closes the connection.
    Leave,
}

/// The requests to proxies: the name of the proxy, the requested host, and the credentials.
type Asked = BTreeSet<(&'static str, String, Option<String>)>;

#[derive(Clone, Default)]
struct Proxies {
    asked: Arc<Mutex<Asked>>,
}

impl Proxies {
    async fn listen(&self, name: &'static str, manner: PlanStyle, secure: SocketAddr, plain: SocketAddr) -> SocketAddr {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let bound = listener.local_addr().unwrap();
        let proxies = self.clone();
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(proxies.clone().connection(name, manner, stream, secure, plain));
            }
        });
        bound
    }

    async fn connection(
        self,
        name: &'static str,
        manner: PlanStyle,
        mut stream: TcpStream,
        secure: SocketAddr,
        plain: SocketAddr,
    ) {
        let mut head = Vec::new();
        while !head.ends_with(b"\r\n\r\n") {
            let Ok(byte) = stream.read_u8().await else { return };
            // A client that speaks another protocol begins with other bytes.
            if head.is_empty() && !byte.is_ascii_uppercase() {
                return;
            }
            head.push(byte);
        }
        let text = String::from_utf8(head.clone()).unwrap();
        let mut words = text.split(' ');
        let connects = words.next() == Some("CONNECT");
        let target = words.next().unwrap_or_default();
        let host = target.strip_prefix("http://").unwrap_or(target).split('/').next().unwrap_or_default().to_owned();
        let credentials = text.lines().find_map(|line| {
            line.to_lowercase()
                .starts_with("proxy-authorization")
                .then(|| line.split_once(": ").map_or_else(String::new, |(_, value)| value.to_owned()))
        });
        self.asked.lock().unwrap().insert((name, host.clone(), credentials));
        match manner {
            PlanStyle::Leave => {}
            PlanStyle::Silence => _ = stream.read_u8().await,
            PlanStyle::Say(answer) => _ = stream.write_all(answer.as_bytes()).await,
            PlanStyle::Connect => {
                let to = if host.ends_with(":8080") { plain } else { secure };
                let mut server = TcpStream::connect(to).await.unwrap();
                if connects {
                    stream.write_all(b"HTTP/1.1 200 Connection established\r\n\r\n").await.unwrap();
                } else {
                    // A server accepts a full URL in place of a path.
                    server.write_all(&head).await.unwrap();
                }
                _ = tokio::io::copy_bidirectional(&mut stream, &mut server).await;
            }
        }
    }

    fn take(&self) -> Asked {
        std::mem::take(&mut *self.asked.lock().unwrap())
    }
}

struct World {
    stand: TestServers,
    proxies: Proxies,
    _nobody: RefusingPort,
}

/// Each case has the environment variables, the proxy in the kubeconfig, the server, and the proxy that must get the
/// request.
const ASKED: [(&str, &str, &str, Option<&str>); 27] = [
    ("HTTPS_PROXY={first}", "", "https://api.test:6443", Some("first")),
    ("https_proxy={first}", "", "https://api.test:6443", Some("first")),
    ("HTTPS_PROXY={first} https_proxy={second}", "", "https://api.test:6443", Some("first")),
    ("HTTPS_PROXY= https_proxy={second}", "", "https://api.test:6443", Some("second")),
    ("HTTPS_PROXY={first_bare}", "", "https://api.test:6443", Some("first")),
    ("HTTPS_PROXY=http://user:{password}@{first_bare}", "", "https://api.test:6443", Some("first")),
    ("HTTP_PROXY={first}", "", "https://api.test:6443", None),
    ("ALL_PROXY={first}", "", "https://api.test:6443", None),
    ("HTTPS_PROXY={first}", "", "https://api.test", Some("first")),
    ("HTTPS_PROXY={first} NO_PROXY=api.test", "", "https://api.test:6443", None),
    ("HTTPS_PROXY={first} no_proxy=api.test", "", "https://api.test:6443", None),
    ("HTTPS_PROXY={first} NO_PROXY=.test", "", "https://api.test:6443", None),
    ("HTTPS_PROXY={first} NO_PROXY=*.test", "", "https://api.test:6443", None),
    ("HTTPS_PROXY={first} NO_PROXY=test", "", "https://api.test:6443", None),
    ("HTTPS_PROXY={first} NO_PROXY=*", "", "https://api.test:6443", None),
    ("HTTPS_PROXY={first} NO_PROXY=api.test:6443", "", "https://api.test:6443", None),
    ("HTTPS_PROXY={first} NO_PROXY=api.test:443", "", "https://api.test:6443", Some("first")),
    ("HTTPS_PROXY={first} NO_PROXY=pi.test,other.test", "", "https://api.test:6443", Some("first")),
    ("HTTPS_PROXY={first} NO_PROXY=192.0.2.0/24", "", "https://192.0.2.7:6443", None),
    ("HTTPS_PROXY={first} NO_PROXY=192.0.3.0/24", "", "https://192.0.2.7:6443", Some("first")),
    ("HTTPS_PROXY={first} NO_PROXY=2001:db8::/32", "", "https://[2001:db8::7]:6443", None),
    ("HTTPS_PROXY={first} NO_PROXY=2001:db9::/32", "", "https://[2001:db8::7]:6443", Some("first")),
    ("HTTPS_PROXY={first}", "{second}", "https://api.test:6443", Some("second")),
    ("NO_PROXY=*", "{second}", "https://api.test:6443", Some("second")),
    ("", "{second}", "https://127.0.0.1:6443", Some("second")),
    ("HTTP_PROXY={first} HTTPS_PROXY={second}", "", "http://api.test:8080", Some("first")),
    ("HTTPS_PROXY={first}", "", "http://api.test:8080", None),
];

/// Each case has the environment variables, the proxy in the kubeconfig, our exit code, a part of our message, and a
/// part of our hint.
const WRONG: [(&str, &str, i32, &str, &str); 17] = [
    (
        "HTTPS_PROXY={nobody}",
        "",
        3,
        "the proxy {nobody} on the way to the API server {server} refuses connections",
        "HTTPS_PROXY",
    ),
    ("", "{nobody}", 3, "the proxy {nobody} on the way to the API server {server} refuses connections", "proxy-url"),
    (
        "HTTPS_PROXY={login}",
        "",
        3,
        "{login} on the way to the API server {server} wants a user and a password",
        "USER:PASSWORD",
    ),
    ("HTTPS_PROXY=http://user:{password}@{login_bare}", "", 3, "{login} on the way", "USER:PASSWORD"),
    ("", "{login}", 3, "wants a user and a password (HTTP 407)", "proxy-url"),
    ("HTTPS_PROXY={refusing}", "", 3, "{refusing} on the way to the API server {server} does not let", "NO_PROXY"),
    ("", "{babbling}", 3, "the proxy {babbling} on the way", "proxy-url"),
    (
        "HTTPS_PROXY={leaving}",
        "",
        3,
        "the proxy {leaving} on the way to the API server {server} ended the",
        "HTTPS_PROXY",
    ),
    ("HTTPS_PROXY={silent}", "", 3, "{server} did not answer in time through the proxy {silent}", "--request-timeout"),
    ("", "{silent}", 3, "{server} did not answer in time through the proxy {silent}", "--request-timeout"),
    ("HTTPS_PROXY=http://proxy.invalid:3128", "", 3, "http://proxy.invalid:3128", "HTTPS_PROXY"),
    ("HTTPS_PROXY=socks5://{nobody_bare}", "", 3, "the proxy socks5://{nobody_bare} on the way", "HTTPS_PROXY"),
    ("", "socks5://{silent_bare}", 3, "the proxy socks5://{silent_bare} on the way", "proxy-url"),
    ("HTTPS_PROXY=https://{first_bare}", "", 3, "the proxy https://{first_bare} on the way", "HTTPS_PROXY"),
    ("", "ftp://user:{password}@{first_bare}", 2, "begins with ftp://", "proxy-url"),
    ("", "{first_bare}", 2, "does not begin with http", "proxy-url"),
    ("", "http://user:{password}@ {first_bare}", 2, "is not a URL", "proxy-url"),
];

impl World {
    fn new() -> Self {
        let (mut stand, proxies) = (TestServers::new(), Proxies::default());
        let authority = Authority::new("the authority");
        let hosts = ["api.test", "127.0.0.1", "192.0.2.7", "2001:db8::7"];
        let secure = stand.listen("secure", "127.0.0.1", Some(authority.server(&hosts, |_| {})), Vec::new());
        let plain = stand.listen("plain", "127.0.0.1", None, Vec::new());
        let listen = |name, manner| stand.block_on(proxies.listen(name, manner, secure, plain)).to_string();
        let ca = stand.write("ca.crt", &authority.pem);
        let nobody = RefusingPort::new();
        let mut places = vec![
            ("{password}", PASSWORD.1.to_owned()),
            ("{ca}", ca.to_str().unwrap().to_owned()),
            ("{server}", "https://api.test:6443".to_owned()),
        ];
        let login =
            "HTTP/1.1 407 Proxy Authentication Required\r\nProxy-Authenticate: Basic\r\nContent-Length: 0\r\n\r\n";
        for (url, bare, address) in [
            ("{first}", "{first_bare}", listen("first", PlanStyle::Connect)),
            ("{second}", "{second_bare}", listen("second", PlanStyle::Connect)),
            ("{login}", "{login_bare}", listen("login", PlanStyle::Say(login))),
            (
                "{refusing}",
                "",
                listen("refusing", PlanStyle::Say("HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n")),
            ),
            ("{babbling}", "", listen("babbling", PlanStyle::Say("220 mail.test ESMTP\r\n"))),
            ("{leaving}", "", listen("leaving", PlanStyle::Leave)),
            ("{silent}", "{silent_bare}", listen("silent", PlanStyle::Silence)),
            ("{nobody}", "{nobody_bare}", nobody.address.to_string()),
        ] {
            places.push((url, format!("http://{address}")));
            if !bare.is_empty() {
                places.push((bare, address));
            }
        }
        for (name, meant) in places {
            stand.name(name, meant);
        }
        Self { stand, proxies, _nobody: nobody }
    }

    /// Runs a program with these environment variables, on a kubeconfig with this proxy and this server.
    fn run(
        &self,
        program: &Path,
        verb: &[&str],
        variables: &str,
        proxy: &str,
        server: &str,
    ) -> (Finished, Sent, Asked) {
        let mut cluster = json!({"server": server});
        if server.starts_with("https") {
            cluster["certificate-authority"] = json!(self.stand.fill("{ca}"));
        }
        if !proxy.is_empty() {
            cluster["proxy-url"] = json!(self.stand.fill(proxy));
        }
        let config = self.stand.write("config", &kubeconfig(&cluster, &json!({"token": "t0ps3cret"})));
        let words: Vec<&str> = verb.iter().copied().chain(["--request-timeout", "2s"]).collect();
        let mut run = Run::of(program, &words).env("KUBECONFIG", config.to_str().unwrap());
        for variable in variables.split(' ').filter(|variable| !variable.is_empty()) {
            let (name, value) = variable.split_once('=').unwrap();
            run = run.env(name, &self.stand.fill(value));
        }
        self.proxies.take();
        let (finished, sent, taken) = self.stand.run(run);
        assert!(taken < Duration::from_mins(1), "{variables} {proxy} {server}");
        for secret in ["t0ps3cret", PASSWORD.0, PASSWORD.1, "hunter2"] {
            let is_said = finished.stderr.contains(secret) || finished.stdout.contains(secret);
            assert!(!is_said || program != Path::new(BINARY), "{variables} {proxy}: {}", finished.stderr);
        }
        (finished, sent, self.proxies.take())
    }

    fn ours(&self, variables: &str, proxy: &str, server: &str) -> (Finished, Sent, Asked) {
        self.run(BINARY.as_ref(), &["predict"], variables, proxy, server)
    }
}

#[test]
fn the_proxy_that_is_meant_is_asked() {
    let world = World::new();
    for (variables, proxy, server, expected) in ASKED {
        let (finished, sent, asked) = world.ours(variables, proxy, server);
        let case = format!("{variables} proxy-url={proxy} {server}: {asked:?} {}", finished.stderr);
        let names: BTreeSet<&str> = asked.iter().map(|asked| asked.0).collect();
        assert_eq!(names, expected.into_iter().collect(), "{case}");
        // Without a proxy, no server can be reached under these names.
        assert_eq!((finished.code, sent.facts.len()), expected.map_or((Some(3), 0), |_| (Some(0), 1)), "{case}");
    }
}

#[test]
fn a_proxy_that_fails_is_named() {
    let world = World::new();
    for (variables, proxy, code, said, advice) in WRONG {
        let (finished, sent, _) = world.ours(variables, proxy, "https://api.test:6443");
        assert_said(&format!("{variables} {proxy}"), &finished, code, &world.stand.fill(said), advice);
        assert_eq!(sent, Sent::default());
    }
}

#[test]
#[ignore = "needs a control plane: oracle/cluster/build, then cargo test --profile thorough -- --ignored live"]
fn kubectl_selects_the_same_proxies() {
    let world = World::new();
    let kubectl = plane::kubectl();
    let mut wrong = Vec::new();
    for (variables, proxy, server, _) in ASKED {
        let (finished, sent, asked) = world.run(&kubectl, &["get", "pvc"], variables, proxy, server);
        let (our, our_sent, our_asked) = world.ours(variables, proxy, server);
        if sent != our_sent || asked != our_asked || (finished.code == Some(0)) != (our.code == Some(0)) {
            wrong.push(format!(
                "{variables} {proxy} {server}\n  kubectl: {:?} {asked:?} {sent:?} {}\n  we:      {:?} {our_asked:?} {our_sent:?} {}",
                finished.code, finished.stderr, our.code, our.stderr
            ));
        }
    }
    for (variables, proxy, ..) in WRONG {
        let (finished, sent, _) = world.run(&kubectl, &["get", "pvc"], variables, proxy, "https://api.test:6443");
        if finished.code == Some(0) || sent != Sent::default() {
            wrong.push(format!("{variables} {proxy}: kubectl gets through: {finished:?}"));
        }
    }
    eprintln!(
        "{} cases with a proxy and {} faults, {} differences\n{}",
        ASKED.len(),
        WRONG.len(),
        wrong.len(),
        wrong.join("\n")
    );
    assert_eq!(wrong.len(), 0);
}
