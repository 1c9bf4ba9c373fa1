//! The program as a plugin of the real kubectl, and in comparison with kubectl. Each flag of kubectl that selects the
//! cluster, the user or the namespace must mean the same in the program as in kubectl. Both send their requests to
//! servers that record the sender.
#![expect(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    clippy::print_stderr,
    clippy::unwrap_used,
    reason = "the test makes files, says how much it saw, and fails by panicking"
)]

mod tables;

use super::plane;
use super::recorder::{Authority, Sent};
use super::stand::TestServers;
use crate::support::{BINARY, Finished, Run, root};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};
use tables::{FILES, REFUSED, SAME, WRONG};

/// The texts that must not be printed: every token and password of the kubeconfigs and of the cases of `tables`.
const SECRETS: [&str; 6] = ["t0ps3cret", "f1les3cret", "plug1ns3cret", "s3cret", "cGFzc3dvcmQ", "hunter2"];

/// The servers, and a folder of kubeconfigs that lead to them.
struct World(TestServers);

impl World {
    fn new() -> Self {
        let mut stand = TestServers::new();
        let (authority, other) = (Authority::new("the authority"), Authority::new("another authority"));
        let (jane, jim) = (authority.sign("jane", &[], |_| {}), authority.sign("jim", &[], |_| {}));
        let names = vec![(jane.der.clone(), "jane".to_owned()), (jim.der.clone(), "jim".to_owned())];
        let listen = |name, acceptor| stand.listen(name, "127.0.0.1", acceptor, names.clone()).to_string();
        let (a, b) = (listen("a", None), listen("b", None));
        let tls = listen("tls", Some(authority.server(&["127.0.0.1", "localhost"], |_| {})));
        let named = listen("named", Some(authority.server(&["api.test", "other.test"], |_| {})));
        let write = |path: &str, text: &str| drop(stand.write(path, text));
        write("main/pki/ca.crt", &authority.pem);
        write("main/pki/other-ca.crt", &other.pem);
        write("main/pki/jane.crt", &jane.certificate);
        write("main/pki/jane.key", &jane.key);
        write("other/ca.crt", &authority.pem);
        write("other/jim.crt", &jim.certificate);
        write("other/jim.key", &jim.key);
        // Most token files end with a newline.
        write("main/token", "f1les3cret\n");
        let answer = |status: Value| {
            let version = "client.authentication.k8s.io/v1";
            let credential = json!({"kind": "ExecCredential", "apiVersion": version, "status": status});
            format!("cat <<'END'\n{credential}\nEND")
        };
        stand.write_program("main/plugin", &answer(json!({"token": "plug1ns3cret"})));
        let pair = json!({"clientCertificateData": jim.certificate, "clientKeyData": jim.key});
        stand.write_program("main/plugin-certificate", &answer(pair));
        let base64 = |text: &str| serde_json::to_value(k8s_openapi::ByteString(text.as_bytes().to_vec())).unwrap();
        let exec = |command: &str| {
            json!({"exec": {"apiVersion": "client.authentication.k8s.io/v1", "command": command,
                "interactiveMode": "IfAvailable"}})
        };
        let context = |name: &str, cluster: &str, user: &str, namespace: &str| json!({"name": name, "context": {"cluster": cluster, "user": user, "namespace": namespace}});
        let secured = |authority: &str| json!({"server": format!("https://{tls}"), "certificate-authority": authority});
        let with = |mut cluster: Value, key: &str, value: Value| {
            cluster[key] = value;
            cluster
        };
        let embedded =
            with(json!({"server": format!("https://{tls}")}), "certificate-authority-data", base64(&authority.pem));
        let away = json!({"server": format!("https://{named}"), "certificate-authority": "pki/ca.crt"});
        let main = json!({
            "apiVersion": "v1", "kind": "Config", "preferences": {}, "current-context": "plain",
            "clusters": [
                {"name": "a", "cluster": {"server": format!("http://{a}")}},
                {"name": "b", "cluster": {"server": format!("http://{b}")}},
                {"name": "packed", "cluster": with(secured("pki/ca.crt"), "disable-compression", json!(true))},
                {"name": "tls", "cluster": secured("pki/ca.crt")},
                {"name": "embedded", "cluster": embedded},
                {"name": "distrusted", "cluster": secured("pki/other-ca.crt")},
                {"name": "insecure", "cluster": {"server": format!("https://{tls}"), "insecure-skip-tls-verify": true}},
                {"name": "named", "cluster": with(away.clone(), "tls-server-name", json!("api.test"))},
                {"name": "unnamed", "cluster": away},
            ],
            "users": [
                {"name": "token", "user": {"token": "t0ps3cret"}},
                {"name": "basic", "user": {"username": "adam", "password": "hunter2"}},
                {"name": "certificate", "user":
                    {"client-certificate": "pki/jane.crt", "client-key": "pki/jane.key"}},
                {"name": "embedded", "user": {"client-certificate-data": base64(&jane.certificate),
                    "client-key-data": base64(&jane.key)}},
                {"name": "file", "user": {"tokenFile": "token"}},
                {"name": "plugin", "user": exec("./plugin")},
                {"name": "plugin-certificate", "user": exec("./plugin-certificate")},
                {"name": "empties", "user": {"token": "", "username": "", "password": "",
                    "client-certificate": "pki/jane.crt", "client-key": "pki/jane.key"}},
                {"name": "acting", "user": {"token": "t0ps3cret", "as": "jane", "as-uid": "42",
                    "as-groups": ["ops"], "as-user-extra": {"scopes": ["view"], "team": ["a"]}}},
                {"name": "nobody", "user": {}},
            ],
            "contexts": [
                context("plain", "a", "nobody", ""),
                context("spaced", "b", "nobody", "team"),
                context("packed", "packed", "token", ""),
                context("secure", "tls", "token", "vault"),
                context("basic", "tls", "basic", ""),
                context("certificate", "tls", "certificate", ""),
                context("embedded", "embedded", "embedded", ""),
                context("file", "tls", "file", ""),
                context("plugin", "tls", "plugin", ""),
                context("plugin-certificate", "tls", "plugin-certificate", ""),
                context("empties", "tls", "empties", ""),
                context("acting", "tls", "acting", ""),
                context("nobody", "tls", "nobody", ""),
                context("distrusted", "distrusted", "token", ""),
                context("insecure", "insecure", "token", ""),
                context("named", "named", "token", ""),
                context("unnamed", "unnamed", "token", ""),
                context("lost-cluster", "not-there", "token", "team"),
                context("lost-user", "a", "not-there", "team"),
            ],
        });
        write("main/config", &main.to_string());
        // This kubeconfig shares names with the first one. Its paths are relative to its own folder.
        let other = json!({
            "apiVersion": "v1", "kind": "Config", "current-context": "jim",
            "clusters": [{"name": "tls", "cluster": secured("ca.crt")}],
            "users": [
                {"name": "certificate", "user": {"client-certificate": "jim.crt", "client-key": "jim.key"}},
                {"name": "jim", "user": {"client-certificate": "jim.crt", "client-key": "jim.key"}},
            ],
            "contexts": [context("certificate", "tls", "certificate", "other"), context("jim", "tls", "jim", "jims")],
        });
        write("other/config", &other.to_string());
        write("blank/config", r#"{"apiVersion":"v1","kind":"Config","current-context":"","clusters":[],"users":null}"#);
        let gone = json!({"current-context": "gone", "clusters": [{"name": "a", "cluster": {"server": format!("http://{a}")}}]});
        write("gone/config", &gone.to_string());
        write("broken/config", "users:\n- name: u\n  user: {token: t0ps3cret\n");
        let port = |address: &str| address.rsplit_once(':').unwrap().1.to_owned();
        let dir = stand.dir().to_str().unwrap().to_owned();
        for (name, meant) in [
            ("{dir}", dir),
            ("{a}", format!("http://{a}")),
            ("{b}", format!("http://{b}")),
            ("{b_bare}", b),
            ("{tls_name}", format!("https://localhost:{}", port(&tls))),
            ("{tls}", format!("https://{tls}")),
        ] {
            stand.name(name, meant);
        }
        Self(stand)
    }

    /// Splits a line of flags into words. `''` stands for an empty word.
    fn words(&self, line: &str) -> Vec<String> {
        line.split_whitespace().map(|word| if word == "''" { String::new() } else { self.0.fill(word) }).collect()
    }

    fn run(&self, program: &Path, files: &str, words: &[&str]) -> (Finished, Sent) {
        let dir = self.0.dir();
        let files: Vec<String> = files
            .split(':')
            .map(|file| if file.is_empty() { String::new() } else { format!("{}/{file}/config", dir.display()) })
            .collect();
        let (finished, sent, _) = self.0.run(Run::of(program, words).env("KUBECONFIG", &files.join(":")));
        (finished, sent)
    }

    /// Runs kubectl with these flags.
    fn kubectl(&self, files: &str, line: &str) -> (Finished, Sent) {
        let flags = self.words(line);
        let words: Vec<&str> = ["get", "pvc"].into_iter().chain(flags.iter().map(String::as_str)).collect();
        self.run(&plane::kubectl(), files, &words)
    }

    /// Runs our program with these flags after the verb, before it, and split around it.
    fn ours(&self, files: &str, line: &str) -> Vec<(Finished, Sent)> {
        let flags = self.words(line);
        let mut places = vec![0, flags.len()];
        // The verb is between two flags. No value begins with `-`.
        places.extend((1..flags.len()).rfind(|&place| flags[place].starts_with('-')));
        let flags: Vec<&str> = flags.iter().map(String::as_str).collect();
        places.dedup();
        if flags.is_empty() {
            places.truncate(1);
        }
        let run = |place: usize| {
            let words: Vec<&str> = [&flags[..place], &["predict"], &flags[place..]].concat();
            self.run(BINARY.as_ref(), files, &words)
        };
        places.into_iter().map(run).collect()
    }
}

#[cfg(unix)]
fn executable(path: &Path) {
    use std::os::unix::fs::PermissionsExt as _;
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
}

fn assert_no_secret(what: &str, finished: &Finished) {
    for secret in SECRETS {
        assert!(!finished.stderr.contains(secret) && !finished.stdout.contains(secret), "{what}: {finished:?}");
    }
}

#[test]
#[ignore = "needs a control plane: oracle/cluster/build, then cargo test --profile thorough -- --ignored live"]
fn the_flags_mean_what_they_mean_to_kubectl() {
    let world = World::new();
    let (mut runs, mut wrong) = (0, Vec::new());
    for (files, line) in SAME.into_iter().chain(FILES) {
        let (theirs, sent) = world.kubectl(files, line);
        if theirs.code != Some(0) || sent.facts.len() != 1 || sent.namespaces.len() != 1 {
            wrong.push(format!("KUBECONFIG={files} kubectl get pvc {line}: {theirs:?} {sent:?}"));
            continue;
        }
        for (finished, our) in world.ours(files, line) {
            runs += 1;
            assert_no_secret(line, &finished);
            if finished.code != Some(0) || our != sent {
                wrong.push(format!(
                    "KUBECONFIG={files} {line}\n  kubectl sent {sent:?}\n  we sent      {our:?}\n  {:?} {}",
                    finished.code, finished.stderr
                ));
            }
        }
    }
    let cases = SAME.len() + FILES.len();
    eprintln!("{cases} cases, {runs} runs of pvctl, {} differences:\n{}", wrong.len(), wrong.join("\n"));
    assert_eq!(wrong.len(), 0);
}

#[test]
#[ignore = "needs a control plane: oracle/cluster/build, then cargo test --profile thorough -- --ignored live"]
fn flags_that_kubectl_refuses_are_refused_with_a_sentence() {
    let world = World::new();
    let mut wrong = Vec::new();
    for (files, line, code, said) in WRONG {
        let (theirs, sent) = world.kubectl(files, line);
        if theirs.code == Some(0) || !sent.facts.is_empty() {
            wrong.push(format!("KUBECONFIG={files} {line}: kubectl does it: {theirs:?} {sent:?}"));
        }
        for (finished, our) in world.ours(files, line) {
            assert_no_secret(line, &finished);
            let sentence = finished.stderr.replace("\n  ", " ");
            let is_right = finished.code == Some(code)
                && sentence.starts_with("error: ")
                && sentence.contains(said)
                && finished.stdout.is_empty()
                && our == Sent::default();
            if !is_right {
                wrong.push(format!("KUBECONFIG={files} {line}: {code} and {said:?}, not {finished:?} {our:?}"));
            }
        }
    }
    eprintln!("{} cases, {} differences:\n{}", WRONG.len(), wrong.len(), wrong.join("\n"));
    assert_eq!(wrong.len(), 0);
}

/// Tests some of the cases without kubectl. The expected results follow from the rules of client-go. Each case
/// states the server, the server name in the TLS handshake, the header `Authorization`, the client certificate and the
/// namespace.
#[test]
fn flags_and_files_lead_to_a_server_a_user_and_a_namespace() {
    type Expected<'a> = (&'a str, Option<&'a str>, &'a str, Option<&'a str>, &'a str);
    const CASES: [(&str, &str, Expected<'_>); 12] = [
        ("main", "", ("a", None, "", None, "default")),
        ("main", "--context spaced", ("b", None, "", None, "team")),
        ("main", "--context spaced -n web --cluster a", ("a", None, "", None, "web")),
        ("main", "--context secure", ("tls", None, "Bearer t0ps3cret", None, "vault")),
        ("main", "--context file", ("tls", None, "Bearer f1les3cret", None, "default")),
        ("main", "--context empties", ("tls", None, "", Some("jane"), "default")),
        ("main", "--context basic --username eve", ("tls", None, "Basic ZXZlOmh1bnRlcjI=", None, "default")),
        ("main", "--context plugin --token other", ("tls", None, "Bearer other", None, "default")),
        ("main", "--context named", ("named", Some("api.test"), "Bearer t0ps3cret", None, "default")),
        ("main", "--context named --server {tls}", ("tls", None, "Bearer t0ps3cret", None, "default")),
        ("blank:other:main", "", ("tls", None, "", Some("jim"), "jims")),
        ("other:main", "--context certificate", ("tls", None, "", Some("jim"), "other")),
    ];
    let world = World::new();
    for (files, line, (server, called, authorization, certificate, namespace)) in CASES {
        for (finished, sent) in world.ours(files, line) {
            assert_eq!((finished.code, sent.facts.len()), (Some(0), 1), "{line}: {}", finished.stderr);
            let facts = sent.facts.first().unwrap();
            let text = (facts.server.as_str(), facts.authorization.join(" "), facts.called.as_deref());
            assert_eq!(text, (server, authorization.to_owned(), called), "KUBECONFIG={files} {line}");
            assert_eq!(facts.certificate.as_deref(), certificate, "KUBECONFIG={files} {line}");
            assert_eq!(sent.namespaces, BTreeSet::from([namespace.to_owned()]), "KUBECONFIG={files} {line}");
        }
    }
    // If a flag states a certificate authority, the certificate is checked, even if the kubeconfig switches the check
    // off.
    let line = "--context insecure --certificate-authority {dir}/main/pki/other-ca.crt";
    for (finished, sent) in world.ours("main", line) {
        assert!(finished.code == Some(3) && sent == Sent::default(), "{}", finished.stderr);
        assert!(finished.stderr.contains("is signed by an unknown authority"), "{}", finished.stderr);
    }
}

/// In these cases our program behaves differently from kubectl. If it refuses the command, it says why.
#[test]
#[ignore = "needs a control plane: oracle/cluster/build, then cargo test --profile thorough -- --ignored live"]
fn differences_from_kubectl_are_known() {
    let world = World::new();
    // kubectl prefers the token file of the kubeconfig to the token in the flag.
    let (theirs, sent) = world.kubectl("main", "--context file --token other");
    let authorization = |sent: &Sent| sent.facts.first().unwrap().authorization.clone();
    assert_eq!((theirs.code, authorization(&sent)), (Some(0), vec!["Bearer f1les3cret".to_owned()]));
    for (_, sent) in world.ours("main", "--context file --token other") {
        assert_eq!(authorization(&sent), ["Bearer other"]);
    }
    // Without credentials, kubectl asks for a user and a password. Our program sends the request without credentials,
    // and the server decides.
    let (theirs, sent) = world.kubectl("main", "--context nobody");
    assert!(theirs.code == Some(1) && theirs.stdout.contains("Please enter Username") && sent.facts.is_empty());
    for (finished, sent) in world.ours("main", "--context nobody") {
        assert_eq!((finished.code, authorization(&sent)), (Some(0), Vec::new()));
    }
    // kubectl ignores an empty namespace. Our program refuses it, because in a script it is often a variable that was
    // never set.
    assert_eq!(world.kubectl("main", "--context spaced -n ''").1.namespaces, BTreeSet::from(["team".to_owned()]));
    for (finished, sent) in world.ours("main", "--context spaced -n ''") {
        assert_eq!((finished.code, sent), (Some(2), Sent::default()), "{}", finished.stderr);
    }
    // kubectl ignores an extra without a value.
    let (theirs, sent) = world.kubectl("main", "--as jane --as-user-extra scopes");
    assert_eq!((theirs.code, sent.facts.first().unwrap().acts_as.len()), (Some(0), 1));
    for (finished, sent) in world.ours("main", "--as jane --as-user-extra scopes") {
        assert_eq!((finished.code, sent), (Some(2), Sent::default()));
        assert!(finished.stderr.contains("it must be KEY=VALUE"), "{}", finished.stderr);
    }
    // kubectl ignores `--disable-compression` on a connection without TLS.
    let encoding = |sent: &Sent| sent.facts.first().unwrap().encoding.clone();
    assert_eq!(encoding(&world.kubectl("main", "--disable-compression").1), ["gzip"]);
    for (_, sent) in world.ours("main", "--disable-compression") {
        assert_eq!(encoding(&sent), Vec::<String>::new());
    }
    // Without a current context, kubectl asks port 8080 of this machine. Our program reports that no cluster is
    // configured.
    let (theirs, _) = world.kubectl("blank", "");
    assert!(theirs.code == Some(1) && theirs.stderr.contains("localhost:8080"), "{theirs:?}");
    for (finished, _) in world.ours("blank", "") {
        assert!(finished.code == Some(3) && finished.stderr.contains("no cluster is configured"), "{finished:?}");
    }
}

/// Returns the flags that `kubectl options` lists, each with its default.
fn options() -> Vec<(String, String)> {
    let listed = Run::of(&plane::kubectl(), &["options"]).finish();
    assert_eq!(listed.code, Some(0), "{}", listed.stderr);
    let flags = listed.stdout.lines().filter_map(|line| {
        let (name, default) = line.trim_start().strip_suffix(':')?.split_once('=')?;
        let name = name.rsplit_once("--").filter(|_| name.starts_with('-'))?.1;
        Some((name.to_owned(), default.to_owned()))
    });
    flags.collect()
}

#[test]
#[ignore = "needs a control plane: oracle/cluster/build, then cargo test --profile thorough -- --ignored live"]
fn every_flag_of_kubectl_is_known_or_refused_for_a_reason() {
    let flags = options();
    assert!(flags.len() > 25 && flags.iter().any(|(name, _)| name == "v"), "{flags:?}");
    let lines: Vec<&str> =
        SAME.into_iter().chain(FILES).map(|case| case.1).chain(WRONG.into_iter().map(|case| case.1)).collect();
    let mut refused = BTreeSet::new();
    for (name, default) in &flags {
        let flag = match default.as_str() {
            "false" => format!("--{name}"),
            "0" => format!("--{name}=0"),
            "5s" => format!("--{name}=5s"),
            _ => format!("--{name}=x=y"),
        };
        let run = Run::new(&["version", "--client", &flag]).finish();
        if run.stderr.contains("unexpected argument") {
            assert_eq!((run.code, run.stdout.as_str()), (Some(2), ""), "{flag}");
            refused.insert(name.as_str());
            continue;
        }
        // Some case of `tables` must use this flag.
        let is_tried = lines
            .iter()
            .flat_map(|line| line.split_whitespace())
            .any(|word| word.strip_prefix("--").is_some_and(|word| word.split('=').next() == Some(name)));
        assert!(is_tried, "--{name} is accepted, but no case tests it");
    }
    let reasons: BTreeSet<&str> = REFUSED.iter().map(|(name, _)| *name).collect();
    assert_eq!(refused, reasons);
    assert!(REFUSED.iter().all(|(_, reason)| reason.len() > 20));
    assert_eq!(Run::new(&["--version"]).finish().code, Some(0));
    eprintln!("{} flags, {} of them refused: {refused:?}", flags.len(), refused.len());
}

/// Returns a folder in which kubectl finds the program, and a run of kubectl with this folder in its `PATH`.
fn plugin(words: &[&str]) -> (tempfile::TempDir, Run) {
    let folder = tempfile::tempdir().unwrap();
    let program = folder.path().join("kubectl-pvctl");
    fs::copy(BINARY, &program).unwrap();
    let completion = folder.path().join("kubectl_complete-pvctl");
    fs::copy(root().join("completions/kubectl_complete-pvctl"), &completion).unwrap();
    executable(&completion);
    // The completion script calls kubectl by its name.
    std::os::unix::fs::symlink(plane::kubectl(), folder.path().join("kubectl")).unwrap();
    let path = format!("{}:/usr/bin:/bin", folder.path().display());
    let run = Run::of(&plane::kubectl(), words).env("PATH", &path);
    (folder, run)
}

#[test]
#[ignore = "needs a control plane: oracle/cluster/build, then cargo test --profile thorough -- --ignored live"]
fn kubectl_finds_and_runs_the_plugin() {
    let world = World::new();
    let config = world.0.dir().join("main/config");
    let run = |words: &[&str]| {
        let (_folder, run) = plugin(words);
        let (finished, sent, _) = world.0.run(run.env("KUBECONFIG", config.to_str().unwrap()));
        (finished, sent)
    };
    let (listed, _) = run(&["plugin", "list"]);
    assert_eq!(listed.code, Some(0), "{listed:?}");
    let found: Vec<&str> = listed.stdout.lines().filter(|line| line.starts_with('/')).collect();
    assert!(found.len() == 1 && found[0].ends_with("/kubectl-pvctl"), "{listed:?}");
    assert!(!(listed.stdout.clone() + &listed.stderr).to_lowercase().contains("warning"), "{listed:?}");

    let (version, _) = run(&["pvctl", "version", "-o", "json"]);
    let document: Value = serde_json::from_str(&version.stdout).unwrap();
    assert_eq!((version.code, &document["client"]["version"]), (Some(0), &json!(env!("CARGO_PKG_VERSION"))));
    assert_eq!(document["server"]["version"], "v1.36.3");

    let (predicted, sent) = run(&["pvctl", "predict", "--context", "spaced"]);
    assert_eq!(predicted.code, Some(0), "{predicted:?}");
    assert_eq!((sent.facts.len(), sent.namespaces), (1, BTreeSet::from(["team".to_owned()])));
    assert_eq!(sent.facts.first().unwrap().server, "b");

    // kubectl returns our exit code. The program calls itself by its name as a plugin.
    let (refused, _) = run(&["pvctl", "predict", "--context", "nowhere"]);
    assert!(refused.code == Some(2) && refused.stderr.contains("context \"nowhere\" does not exist"), "{refused:?}");
    let (help, _) = run(&["pvctl", "predict", "--help"]);
    assert!(help.stdout.contains("Usage: kubectl pvctl predict"), "{help:?}");
    // kubectl accepts no flags before the name of a plugin.
    let (before, sent) = run(&["-n", "web", "pvctl", "predict"]);
    assert!(
        before.code == Some(1) && before.stderr.contains("flags cannot be placed before plugin name"),
        "{before:?}"
    );
    assert!(sent.facts.is_empty());

    let (completed, _) = run(&["__complete", "pvctl", "expl"]);
    assert!(completed.stdout.lines().any(|line| line.starts_with("explain")), "{completed:?}");
    let (completed, _) = run(&["__complete", "pvctl", "predict", "--context", "spa"]);
    assert!(completed.stdout.lines().any(|line| line.starts_with("spaced")), "{completed:?}");
}

/// The server accepts the connection, but never answers.
#[test]
#[ignore = "needs a control plane: oracle/cluster/build, then cargo test --profile thorough -- --ignored live"]
fn a_request_timeout_ends_both() {
    let world = World::new();
    let silent = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let server = format!("http://{}", silent.local_addr().unwrap());
    for limit in ["1", "1s", "1000ms", "0.5s"] {
        let line = format!("--server {server} --request-timeout {limit}");
        let (theirs, _) = world.kubectl("main", &line);
        assert_eq!(theirs.code, Some(1), "{theirs:?}");
        let begin = Instant::now();
        for (finished, _) in world.ours("main", &line) {
            assert_eq!((finished.code, finished.stdout.as_str()), (Some(3), ""), "{}", finished.stderr);
            assert!(finished.stderr.contains("did not answer in time"), "{}", finished.stderr);
        }
        assert!(begin.elapsed() < Duration::from_secs(30));
    }
}
