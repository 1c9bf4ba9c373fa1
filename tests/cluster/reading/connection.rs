//! How the cluster is chosen and connected to: kubeconfig, credentials, TLS, and kubectl's flags.

use super::{VOLUMES, connect, read, to};
use crate::support::Run;
use crate::support::api::ApiServer;
use crate::support::faults::Fault;
use pvctl::progress::Silent;
use pvctl::source::{Cluster, ClusterErrorKind, ConnectOptions, Environment, Needs, RequestLog, contexts};
use rcgen::{BasicConstraints, CertificateParams, IsCa, Issuer, KeyPair};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::crypto::ring;

const TOKEN: &str = "t0ps3cret";

// ---------------------------------------------------------------- user and cluster

struct Tls {
    acceptor: TlsAcceptor,
    authority: String,
}

/// Creates a server certificate for these names, and the certificate of the authority that signed it.
fn tls(names: &[&str], change: impl FnOnce(&mut CertificateParams)) -> Tls {
    let mut authority = CertificateParams::new(Vec::new()).unwrap();
    authority.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    let authority_key = KeyPair::generate().unwrap();
    let authority_pem = authority.self_signed(&authority_key).unwrap().pem();
    let issuer = Issuer::new(authority, authority_key);
    let mut server = CertificateParams::new(names.iter().map(ToString::to_string).collect::<Vec<_>>()).unwrap();
    change(&mut server);
    let key = KeyPair::generate().unwrap();
    let certificate = server.signed_by(&key, &issuer).unwrap();
    let config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![certificate.der().clone()], key.serialize_der().try_into().unwrap())
        .unwrap();
    Tls { acceptor: TlsAcceptor::from(Arc::new(config)), authority: authority_pem }
}

/// Starts a server with TLS on 127.0.0.1, and writes the certificate of its authority into a directory.
async fn encrypted() -> (ApiServer, tempfile::TempDir, ConnectOptions) {
    let tls = tls(&["127.0.0.1", "localhost"], |_| {});
    let fake = ApiServer::start_tls(tls.acceptor).await;
    let directory = tempfile::tempdir().unwrap();
    let authority = directory.path().join("ca.crt");
    std::fs::write(&authority, tls.authority).unwrap();
    let options = ConnectOptions {
        server: Some(format!("https://127.0.0.1:{}", fake.port())),
        certificate_authority: Some(authority),
        ..ConnectOptions::default()
    };
    (fake, directory, options)
}

#[tokio::test]
async fn a_token_and_impersonation_travel_encrypted_and_show_nowhere() {
    let (fake, _directory, options) = encrypted().await;
    let options = ConnectOptions {
        token: Some(TOKEN.into()),
        impersonate: Some("jane".into()),
        impersonate_groups: vec!["ops".into(), "dev".into()],
        impersonate_uid: Some("42".into()),
        impersonate_extra: vec![("scopes".into(), "view".into())],
        ..options
    };
    let log = Mutex::new(Vec::new());
    let hear = |request: &RequestLog| log.lock().unwrap().push(format!("{request:?}"));
    let cluster = connect(&options).await.unwrap().observed(&hear);
    cluster.read(Needs::default(), &Silent).await.unwrap();
    for seen in fake.seen() {
        assert_eq!(seen.header("authorization"), [format!("Bearer {TOKEN}")]);
        assert_eq!(seen.header("impersonate-user"), ["jane"]);
        assert_eq!(seen.header("impersonate-group"), ["ops", "dev"]);
        assert_eq!(seen.header("impersonate-uid"), ["42"]);
        assert_eq!(seen.header("impersonate-extra-scopes"), ["view"]);
    }
    fake.fail("/", usize::MAX, Fault::Refused(401, "Unauthorized"));
    let error = cluster.read(Needs::default(), &Silent).await.unwrap_err();
    let log = log.lock().unwrap().join("\n");
    assert!(log.contains(&format!("https://127.0.0.1:{}{VOLUMES}?limit=2500", fake.port())), "{log}");
    assert!(log.contains("status: Some(200)") && log.contains("status: Some(401)"), "{log}");
    for shown in [log, format!("{error} {error:?}"), format!("{options:?}")] {
        assert!(!shown.contains(TOKEN) && !shown.contains("Bearer"), "{shown}");
    }
}

#[tokio::test]
async fn credentials_never_travel_unencrypted() {
    let fake = ApiServer::start().await;
    let options = ConnectOptions { token: Some(TOKEN.into()), impersonate: Some("jane".into()), ..to(&fake) };
    read(&options).await.unwrap();
    for seen in fake.seen() {
        assert!(seen.header("authorization").is_empty());
        assert_eq!(seen.header("impersonate-user"), ["jane"]);
    }
    let nobody = ConnectOptions { impersonate_groups: vec!["ops".into()], ..to(&fake) };
    assert_eq!(read(&nobody).await.unwrap_err().hint(), Some("add --as USER"));
}

#[tokio::test]
async fn certificates_that_cannot_be_trusted_are_refused() {
    let (fake, _directory, trusted) = encrypted().await;
    read(&trusted).await.unwrap();

    let other = tls(&["127.0.0.1"], |_| {});
    let directory = tempfile::tempdir().unwrap();
    let wrong = directory.path().join("other.crt");
    std::fs::write(&wrong, other.authority).unwrap();
    let distrusted = ConnectOptions { certificate_authority: Some(wrong), ..trusted.clone() };
    let error = read(&distrusted).await.unwrap_err();
    assert_eq!(error.kind(), ClusterErrorKind::Tls);
    assert!(error.to_string().ends_with("is signed by an unknown authority"), "{error}");

    let renamed = ConnectOptions { tls_server_name: Some("api.example".into()), ..trusted.clone() };
    let error = read(&renamed).await.unwrap_err();
    assert!(error.to_string().ends_with("was made for another name"), "{error}");
    assert!(error.hint().unwrap().contains("--tls-server-name"));

    let insecure = ConnectOptions { certificate_authority: None, insecure_skip_tls_verify: true, ..trusted.clone() };
    read(&insecure).await.unwrap();

    let empty = directory.path().join("empty.crt");
    std::fs::write(&empty, "no certificate").unwrap();
    let error = read(&ConnectOptions { certificate_authority: Some(empty), ..trusted }).await.unwrap_err();
    assert_eq!(error.kind(), ClusterErrorKind::Credentials);
    assert!(error.to_string().ends_with("cannot be used: there is no certificate in it"), "{error}");
    assert_eq!(fake.seen().len(), 6, "only the trusted reading and the insecure reading must reach the server");
}

#[tokio::test]
async fn an_expired_certificate_and_a_server_without_tls_are_refused() {
    let expired = tls(&["127.0.0.1"], |server| server.not_after = rcgen::date_time_ymd(2001, 1, 1));
    let fake = ApiServer::start_tls(expired.acceptor).await;
    let directory = tempfile::tempdir().unwrap();
    let authority = directory.path().join("ca.crt");
    std::fs::write(&authority, expired.authority).unwrap();
    let options = ConnectOptions {
        server: Some(format!("https://127.0.0.1:{}", fake.port())),
        certificate_authority: Some(authority),
        ..ConnectOptions::default()
    };
    let error = read(&options).await.unwrap_err();
    assert!(error.to_string().starts_with("the certificate of the API server"), "{error}");
    assert!(error.to_string().ends_with("has expired"), "{error}");

    let plain = ApiServer::start().await;
    let server = Some(format!("https://127.0.0.1:{}", plain.port()));
    let error = read(&ConnectOptions { server, ..options }).await.unwrap_err();
    assert!(error.to_string().ends_with("does not speak TLS"), "{error}");
    assert!(error.hint().unwrap().contains("http://"));
}

pub(super) fn write(directory: &Path, name: &str, text: &str) -> PathBuf {
    let path = directory.join(name);
    std::fs::write(&path, text).unwrap();
    path
}

fn kubeconfig(server: &str, user: &str) -> String {
    format!(
        r#"{{"apiVersion":"v1","kind":"Config","current-context":"main",
            "clusters":[{{"name":"c","cluster":{{"server":"{server}","certificate-authority":"ca.crt"}}}}],
            "contexts":[{{"name":"main","context":{{"cluster":"c","user":"u","namespace":"db"}}}},
                        {{"name":"lost","context":{{"cluster":"zz","user":"u"}}}}],
            "users":[{{"name":"u","user":{user}}}]}}"#
    )
}

#[cfg(unix)]
#[tokio::test]
async fn a_credential_plugin_runs_exactly_once() {
    use std::os::unix::fs::PermissionsExt;
    let (fake, directory, options) = encrypted().await;
    let plugin = write(
        directory.path(),
        "plugin",
        "#!/bin/sh\ncd \"$(dirname \"$0\")\"\necho run >>runs\necho \"$KUBERNETES_EXEC_INFO $EXTRA $1\" >info\n\
         echo 'kind: ExecCredential'\necho 'status:'\necho \"  token: t0ps3cret\"\n",
    );
    std::fs::set_permissions(&plugin, std::fs::Permissions::from_mode(0o755)).unwrap();
    let user = r#"{"exec":{"apiVersion":"client.authentication.k8s.io/v1","command":"./plugin","args":["get-token"],
        "env":[{"name":"EXTRA","value":"more"}],"interactiveMode":"Never","provideClusterInfo":true}}"#;
    let config = write(directory.path(), "config", &kubeconfig(options.server.as_deref().unwrap(), user));
    let options = ConnectOptions { kubeconfig: Some(config), ..ConnectOptions::default() };
    let cluster = connect(&options).await.unwrap();
    assert_eq!(cluster.namespace(), "db");
    cluster.read(Needs::default(), &Silent).await.unwrap();
    cluster.server_version().await.unwrap();
    assert_eq!(std::fs::read_to_string(directory.path().join("runs")).unwrap(), "run\n");
    for seen in fake.seen() {
        assert_eq!(seen.header("authorization"), [format!("Bearer {TOKEN}")]);
    }
    let info = std::fs::read_to_string(directory.path().join("info")).unwrap();
    let (info, rest) = info.rsplit_once("} ").unwrap();
    assert_eq!(rest, "more get-token\n");
    let info: Value = serde_json::from_str(&format!("{info}}}")).unwrap();
    assert_eq!(info["kind"], "ExecCredential");
    assert_eq!(info["apiVersion"], "client.authentication.k8s.io/v1");
    assert_eq!(info["spec"]["interactive"], false);
    assert!(info["spec"]["cluster"]["certificate-authority-data"].is_string());

    // A token from `--token` has precedence over the plugin, which does not run then.
    connect(&ConnectOptions { token: Some("other".into()), ..options.clone() }).await.unwrap();
    assert_eq!(std::fs::read_to_string(directory.path().join("runs")).unwrap(), "run\n");

    // The plugin may return a certificate and its key instead of a token.
    let key = KeyPair::generate().unwrap();
    let certificate = CertificateParams::new(vec!["jane".to_owned()]).unwrap().self_signed(&key).unwrap();
    let credential = |key: &str| {
        json!({"kind": "ExecCredential", "status": {
            "clientCertificateData": certificate.pem(), "clientKeyData": key
        }})
    };
    write(directory.path(), "plugin", &format!("#!/bin/sh\ncat <<'END'\n{}\nEND\n", credential(&key.serialize_pem())));
    let before = fake.seen().len();
    read(&options).await.unwrap();
    assert!(fake.seen()[before..].iter().all(|seen| seen.header("authorization").is_empty()));
    write(directory.path(), "plugin", &format!("#!/bin/sh\ncat <<'END'\n{}\nEND\n", credential("no key")));
    let error = connect(&options).await.err().unwrap();
    assert_eq!(error.kind(), ClusterErrorKind::Credentials);

    write(directory.path(), "plugin", "#!/bin/sh\necho t0ps3cret\nexit 3\n");
    let error = connect(&options).await.err().unwrap();
    assert_eq!(error.kind(), ClusterErrorKind::Credentials);
    assert!(error.to_string().ends_with("plugin failed (exit status: 3)"), "{error}");
    assert!(!format!("{error:?}").contains(TOKEN));
    write(directory.path(), "plugin", "#!/bin/sh\necho hello\n");
    let error = connect(&options).await.err().unwrap();
    assert!(error.to_string().ends_with("did not answer with an ExecCredential that has a status"), "{error}");
    std::fs::remove_file(plugin).unwrap();
    let error = connect(&options).await.err().unwrap();
    assert!(error.to_string().ends_with("is not installed"), "{error}");
}

async fn fails(options: ConnectOptions, environment: &Environment) -> (ClusterErrorKind, String, String) {
    let error = Cluster::connect(&options, environment).await.err().unwrap();
    (error.kind(), error.to_string(), error.hint().unwrap_or_default().to_owned())
}

#[tokio::test]
async fn kubeconfigs_are_merged_as_by_kubectl() {
    let fake = ApiServer::start().await;
    let directory = tempfile::tempdir().unwrap();
    let first = write(directory.path(), "first", &kubeconfig(&fake.url(), "{}"));
    let second = write(
        directory.path(),
        "second",
        "current-context: ignored\ncontexts:\n- name: more\n  context: {cluster: c, namespace: web, user: nobody}\n",
    );
    let missing = directory.path().join("missing");
    let environment = Environment {
        kubeconfig: Some(std::env::join_paths([missing.clone(), first, PathBuf::new(), second]).unwrap()),
        ..Environment::default()
    };
    let namespace =
        async |options: ConnectOptions| Cluster::connect(&options, &environment).await.unwrap().namespace().to_owned();
    let with = |change: fn(&mut ConnectOptions)| {
        let mut options = ConnectOptions::default();
        change(&mut options);
        options
    };
    assert_eq!(contexts(&ConnectOptions::default(), &environment).unwrap(), ["main", "lost", "more"]);
    assert_eq!(namespace(ConnectOptions::default()).await, "db");
    // If the user that the context names is not in the kubeconfig, requests have no credentials.
    assert_eq!(namespace(with(|options| options.context = Some("more".into()))).await, "web");
    assert_eq!(namespace(with(|options| options.namespace = Some("own".into()))).await, "own");
    let usage = ClusterErrorKind::Configuration;
    assert_eq!(
        fails(with(|options| options.user = Some("zz".into())), &environment).await,
        (usage, "auth info \"zz\" does not exist".into(), "its users: u".into())
    );
    assert_eq!(
        fails(with(|options| options.context = Some("zz".into())), &environment).await,
        (usage, "context \"zz\" does not exist".into(), "its contexts: main, lost, more".into())
    );
    assert_eq!(
        fails(with(|options| options.cluster = Some("zz".into())), &environment).await,
        (usage, "cluster \"zz\" does not exist in the kubeconfig".into(), "its clusters: c".into())
    );
    assert_eq!(fails(with(|options| options.context = Some("lost".into())), &environment).await.0, usage);
    let named = ConnectOptions { kubeconfig: Some(missing.clone()), ..ConnectOptions::default() };
    let (kind, message, _) = fails(named, &environment).await;
    assert_eq!(kind, usage);
    assert!(message.ends_with("missing cannot be used: there is no such file"), "{message}");
    let broken = write(directory.path(), "broken", "users:\n- name: u\n  user: {token: t0ps3cret\n");
    let (_, message, _) =
        fails(ConnectOptions { kubeconfig: Some(broken), ..ConnectOptions::default() }, &environment).await;
    assert!(message.ends_with("it is not valid YAML of kind Config"), "{message}");
    let contextless = write(directory.path(), "contextless", "clusters: [{name: c, cluster: {server: 'x:1'}}]\n");
    let options = ConnectOptions { kubeconfig: Some(contextless), ..ConnectOptions::default() };
    assert_eq!(fails(options.clone(), &environment).await.1, "the kubeconfig has no current context");
    let chosen =
        Cluster::connect(&ConnectOptions { cluster: Some("c".into()), ..options }, &environment).await.unwrap();
    assert_eq!((chosen.server(), chosen.namespace()), ("http://x:1", "default"));
}

#[tokio::test]
async fn no_cluster_at_all_points_to_files() {
    let home = tempfile::tempdir().unwrap();
    let environment = Environment { home: Some(home.path().to_owned()), ..Environment::default() };
    let (kind, message, hint) = fails(ConnectOptions::default(), &environment).await;
    assert_eq!(kind, ClusterErrorKind::NoCluster);
    assert_eq!(message, "no cluster is configured: there is no kubeconfig, and this is not a pod");
    assert!(hint.contains("-f"), "{hint}");
    std::fs::create_dir(home.path().join(".kube")).unwrap();
    write(&home.path().join(".kube"), "config", &kubeconfig("http://127.0.0.1:1", "{}"));
    let found = Cluster::connect(&ConnectOptions::default(), &environment).await.unwrap();
    assert_eq!((found.server(), found.namespace()), ("http://127.0.0.1:1", "db"));
    let named = ConnectOptions { context: Some("prod".into()), ..ConnectOptions::default() };
    let (kind, message, _) = fails(named, &Environment::default()).await;
    assert_eq!(kind, ClusterErrorKind::Configuration);
    assert_eq!(message, "--context names \"prod\", but there is no kubeconfig");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_servers_version_is_printed_unless_it_is_not_wanted() {
    let api = ApiServer::start().await;
    let run = async |arguments: &'static [&'static str]| {
        let url = api.url();
        let all = move || Run::new(&[arguments, &["--server", &url]].concat()).finish();
        tokio::task::spawn_blocking(all).await.unwrap()
    };
    let asked = run(&["version"]).await;
    assert!(asked.stdout.ends_with("\nserver:               v1.36.3-test\n"), "{}", asked.stdout);
    assert_eq!((asked.code, asked.stderr.as_str(), api.count("/version")), (Some(0), "", 1));
    let document: Value = serde_json::from_str(&run(&["version", "-o", "json"]).await.stdout).unwrap();
    assert_eq!(document["server"], json!({"version": "v1.36.3-test"}));
    let unasked = run(&["version", "--client"]).await;
    assert!(!unasked.stdout.contains("server:"), "{}", unasked.stdout);
    assert_eq!((unasked.code, api.count("/version")), (Some(0), 2));
}

/// The flags of kubectl that change requests, and the headers that they set.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_flags_of_kubectl_reach_the_request() {
    let api = ApiServer::start().await;
    let headers = async |arguments: &'static [&'static str], header: &str| {
        let url = api.url();
        let run = move || Run::new(&[&["version"], arguments, &["--server", &url]].concat()).finish();
        let run = tokio::task::spawn_blocking(run).await.unwrap();
        assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""), "{arguments:?}");
        let seen = api.seen();
        let values: Vec<String> = seen.last().unwrap().header(header).into_iter().map(str::to_owned).collect();
        values
    };
    assert_eq!(headers(&[], "accept-encoding").await, ["gzip"]);
    assert_eq!(headers(&["--disable-compression=false"], "accept-encoding").await, ["gzip"]);
    assert!(headers(&["--disable-compression"], "accept-encoding").await.is_empty());
    // Several values of one key become several headers. A character that a header name may not contain is escaped.
    let extra = &[
        "--as=jane",
        "--as-user-extra=scopes=view",
        "--as-user-extra",
        "scopes=edit",
        "--as-user-extra=example.com/team=a=b",
    ];
    assert_eq!(headers(extra, "impersonate-extra-scopes").await, ["view", "edit"]);
    assert_eq!(headers(extra, "impersonate-extra-example.com%2fteam").await, ["a=b"]);
    assert!(headers(&["--as=jane"], "impersonate-extra-scopes").await.is_empty());
    // The program caches nothing, so it does not write into the cache directory.
    let directory = tempfile::tempdir().unwrap();
    let cache = directory.path().join("cache");
    let cache_dir: &'static str = cache.to_str().unwrap().to_owned().leak();
    let arguments: &'static [&'static str] = vec!["--cache-dir", cache_dir].leak();
    assert_eq!(headers(arguments, "accept-encoding").await, ["gzip"]);
    assert!(!cache.exists());
}

#[test]
fn extras_without_a_user_to_act_as_are_refused() {
    let run = Run::new(&["predict", "--server", "http://127.0.0.1:1", "--as-user-extra", "scopes=view"]).finish();
    assert_eq!((run.code, run.stdout.as_str()), (Some(2), ""), "{}", run.stderr);
    assert!(run.stderr.contains("--as-user-extra") && run.stderr.contains("add --as USER"), "{}", run.stderr);
    let run = Run::new(&["version", "--as-user-extra", "scopes"]).finish();
    assert_eq!((run.code, run.stdout.as_str()), (Some(2), ""));
    assert!(run.stderr.contains("it must be KEY=VALUE"), "{}", run.stderr);
}
